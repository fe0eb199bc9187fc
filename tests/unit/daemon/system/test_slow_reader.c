// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/slow_reader.h"

#include "daemon/system/daemon_child.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/seccomp_filter.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* For kernel headers before Linux 5.8. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define BIG_BYTES  (1u << 20)
#define PATH_BYTES 128
#define BURNT_NS   UINT64_C(30000000)

static struct fake_proc proc;
static struct slow_reader reader;
static struct slow_reply reply;

/* ---- what the reader can do ---- */

static int echo(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	return slow_answer_put(answer, request, nr_bytes);
}

static int hang(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	int error = slow_answer_put(answer, request, nr_bytes);

	if (!error)
		error = slow_answer_send(answer);
	(void)slow_answer_put(answer, "unsent", 6);
	for (;;)
		(void)pause();
	return error;
}

/* Lets the process that when_read() has started act, and waits until it has ended. */
static int let_act(const void *fifo, size_t nr_bytes)
{
	char path[PATH_BYTES], byte;
	int fd, error = 0;

	(void)snprintf(path, sizeof(path), "%.*s", (int)nr_bytes, (const char *)fifo);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &byte, 1) != 0)
		error = -EIO;
	if (fd >= 0)
		(void)close(fd);
	return error;
}

/*
 * Sends the request again and again, and ends long after the limit of a request. If the request is
 * the path of a pipe, first lets another process act.
 */
static int drip(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	int error = *(const char *)request == '/' ? let_act(request, nr_bytes) : 0;

	for (int i = 0; i < 500 && !error; i++) {
		error = slow_answer_put(answer, request, nr_bytes);
		if (!error)
			error = slow_answer_send(answer);
		(void)poll(NULL, 0, 20);
	}
	return error;
}

/* The process ends while it is read. */
static int vanish(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	if (let_act(request, nr_bytes))
		return -EIO;
	return hang("", 0, answer);
}

/* Tries to change files and processes. */
static int change(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	const int errors[] = {
		open("/dev/null", O_WRONLY | O_CLOEXEC) < 0 ? errno : 0,
		open("/proc/self/mem", O_RDWR | O_CLOEXEC) < 0 ? errno : 0,
		kill(getppid(), 0) ? errno : 0,
		unlink("/nonexistent/file") ? errno : 0,
	};

	(void)request;
	(void)nr_bytes;
	return slow_answer_put(answer, errors, sizeof(errors));
}

static int nap(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	(void)poll(NULL, 0, 20);
	return slow_answer_put(answer, request, nr_bytes);
}

static int refuse(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	(void)request;
	(void)nr_bytes;
	(void)answer;
	return -EACCES;
}

static int crash(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	(void)request;
	(void)nr_bytes;
	(void)answer;
	_exit(1);
}

static int big(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	int error = 0;

	for (size_t i = 0; i < BIG_BYTES && !error; i += nr_bytes)
		error = slow_answer_put(answer, request, nr_bytes);
	return error;
}

/* Lists the descriptors that are open. */
static int descriptors(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	DIR *folder = opendir("/proc/self/fd");
	char link[64], target[256];
	struct dirent *entry;
	int error = 0;

	(void)request;
	(void)nr_bytes;
	while (folder && !error && (entry = readdir(folder))) {
		ssize_t nr;

		(void)snprintf(link, sizeof(link), "/proc/self/fd/%.16s", entry->d_name);
		nr = readlink(link, target, sizeof(target) - 1);
		if (nr <= 0)
			continue;
		error = slow_answer_put(answer, target, (size_t)nr);
		if (!error)
			error = slow_answer_put(answer, "\n", 1);
	}
	if (folder)
		closedir(folder);
	return error;
}

/* Returns the line of the child's /proc/PID/status that begins with the request. */
static int status_line(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	int error = -ENOENT;

	while (file && error == -ENOENT && fgets(line, sizeof(line), file))
		if (!strncmp(line, request, nr_bytes))
			error = slow_answer_put(answer, line + nr_bytes, strlen(line + nr_bytes));
	if (file)
		(void)fclose(file);
	return error;
}

/* Lists the mappings of memory that is shared with other processes. */
static int shared_memory(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[512];
	int error = 0;

	(void)request;
	(void)nr_bytes;
	while (file && !error && fgets(line, sizeof(line), file))
		if (strstr(line, "s ") == strchr(line, ' ') + 4)
			error = slow_answer_put(answer, line, strlen(line));
	if (file)
		(void)fclose(file);
	return error;
}

/* Uses 10 ms of CPU time. */
static int burn(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	const uint64_t begin_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns < 10000000)
		;
	return answer ? echo(request, nr_bytes, answer) : 0;
}

static slow_work *const works[] = {echo,	hang,	refuse, crash,	     big,
				   descriptors, vanish, nap,	status_line, shared_memory,
				   burn,	drip,	change};

/* ---- */

static void process(int pid, unsigned int uid)
{
	char path[32];

	fake_proc_process(&proc, pid, 0, "/bin/a", "");
	(void)snprintf(path, sizeof(path), "%d/status", pid);
	fake_proc_print(&proc, path, "Name:\ta\nUid:\t%u\t0\t0\t0\n", uid);
}

static void setup(void)
{
	fake_proc_init(&proc);
	for (int pid = 10; pid < 20; pid++)
		process(pid, 1000);
	process(20, 1001);
	process(30, 0);
	slow_reader_init(&reader, proc.path, works, sizeof(works) / sizeof(works[0]));
	ck_assert_int_ge(reader.fd, 0);
}

static void teardown(void)
{
	slow_reader_deinit(&reader);
	slow_reply_deinit(&reply);
	fake_proc_deinit(&proc);
}

static int call(slow_work *work, int pid, const char *text)
{
	slow_reply_deinit(&reply);
	return slow_reader_call(&reader, work, pid, text, strlen(text), &reply);
}

static void expect_echo(int pid)
{
	ck_assert_int_eq(call(echo, pid, "hello"), 0);
	ck_assert_str_eq(reply.bytes, "hello");
	ck_assert_uint_eq(reply.nr_bytes, 5);
}

START_TEST(an_answer_arrives_whole)
{
	expect_echo(10);
	ck_assert_int_eq(call(echo, 10, ""), 0);
	ck_assert_uint_eq(reply.nr_bytes, 0);
	ck_assert_int_eq(call(big, 10, "0123456789abcdef"), 0);
	ck_assert_uint_eq(reply.nr_bytes, BIG_BYTES);
	for (size_t i = 0; i < BIG_BYTES; i += 16)
		ck_assert_mem_eq(reply.bytes + i, "0123456789abcdef", 16);
	ck_assert_int_eq(call(refuse, 10, ""), -EACCES);
	expect_echo(10);
	ck_assert_uint_eq(reader.nr_starts, 1);
}
END_TEST

/* The kernel doubles the size that was set. */
START_TEST(large_requests_do_not_depend_on_the_default_size_of_sockets)
{
	int size = 0;
	socklen_t nr_size = sizeof(size);

	ck_assert_int_eq(getsockopt(reader.fd, SOL_SOCKET, SO_SNDBUF, &size, &nr_size), 0);
	ck_assert_int_ge(size, (int)(2 * SLOW_REQUEST_BYTES_MAX));
	if (!geteuid())
		ck_assert_int_eq(size, 2 * (256 << 10));
}
END_TEST

START_TEST(a_request_that_the_socket_does_not_take_does_not_cost_a_child)
{
	static const char zeros[SLOW_REQUEST_BYTES_MAX];
	const int size = 4096;

	ck_assert_int_eq(slow_reader_call(&reader, echo, 10, zeros, sizeof(zeros), &reply), 0);
	ck_assert_uint_eq(reply.nr_bytes, sizeof(zeros));
	slow_reply_deinit(&reply);
	ck_assert_int_eq(setsockopt(reader.fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
	ck_assert_int_eq(slow_reader_call(&reader, echo, 10, zeros, sizeof(zeros), &reply),
			 -EMSGSIZE);
	expect_echo(10);
	ck_assert_uint_eq(reader.nr_starts, 1);
}
END_TEST

START_TEST(without_a_reader_the_caller_does_the_work)
{
	ck_assert_int_eq(slow_reader_call(NULL, echo, 10, "hello", 5, &reply), 0);
	ck_assert_str_eq(reply.bytes, "hello");
	slow_reply_deinit(&reply);
	ck_assert_int_eq(slow_reader_call(NULL, refuse, 10, "hello", 5, &reply), -EACCES);
}
END_TEST

START_TEST(a_read_that_hangs_is_given_up_and_its_process_is_not_read_again)
{
	const pid_t first = reader.pid;

	ck_assert_int_eq(call(hang, 10, "part"), -ETIMEDOUT);
	ck_assert_str_eq(reply.bytes, "part");
	ck_assert_uint_eq(reader.unread.nr_missed, 1);
	expect_echo(11);
	ck_assert_int_ne(reader.pid, first);
	ck_assert_int_eq(call(echo, 10, "hello"), -EBUSY);
	ck_assert_uint_eq(reader.unread.nr_refused, 1);
	expect_echo(20);
}
END_TEST

START_TEST(a_read_that_sends_a_little_again_and_again_is_given_up)
{
	ck_assert_int_eq(call(drip, 10, "part"), -ETIMEDOUT);
	ck_assert_mem_eq(reply.bytes, "part", 4);
	ck_assert_uint_eq(reader.unread.nr_missed, 1);
	ck_assert_int_eq(call(echo, 10, ""), -EBUSY);
	expect_echo(11);
}
END_TEST

START_TEST(another_process_with_the_same_pid_is_read)
{
	ck_assert_int_eq(call(hang, 10, ""), -ETIMEDOUT);
	fake_proc_print(&proc, "10/stat",
			"10 (b) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 7777 0 0\n");
	expect_echo(10);
}
END_TEST

START_TEST(a_child_that_crashes_is_replaced_and_counts_as_late)
{
	ck_assert_int_eq(call(crash, 10, ""), -ETIMEDOUT);
	expect_echo(20);
	ck_assert_int_eq(call(echo, 10, ""), -EBUSY);
}
END_TEST

START_TEST(a_child_that_somebody_kills_is_replaced)
{
	ck_assert_int_eq(kill(reader.pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(reader.pid, NULL, 0), reader.pid);
	expect_echo(10);
	ck_assert_uint_eq(reader.nr_starts, 2);
	ck_assert_uint_eq(reader.unread.nr_missed, 0);
}
END_TEST

START_TEST(a_child_that_cannot_be_started_is_reported_once_and_the_process_is_read_later)
{
	struct rlimit limit, none;
	char path[PATH_BYTES];
	char *text, *line;

	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/log", proc.path), PATH_BYTES);
	ck_assert_int_eq(log_open(path), 0);
	slow_reader_deinit(&reader);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_int_eq(call(echo, 10, ""), -EAGAIN);
	ck_assert_int_eq(call(echo, 11, ""), -EAGAIN);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert(slow_reader_is_late(-EAGAIN));
	ck_assert_uint_eq(reader.nr_failed_starts, 2);
	expect_echo(10);
	ck_assert_int_eq(file_read_text(path, 4096, &text, NULL), 0);
	line = strstr(text, "cannot start the process that reads /proc: Too many open files");
	ck_assert_ptr_nonnull(line);
	ck_assert_ptr_null(strstr(line + 1, "cannot start"));
	free(text);
}
END_TEST

START_TEST(a_user_s_processes_cannot_make_the_daemon_wait_without_end)
{
	int pid = 10;

	while (pid < 20 && call(hang, pid, "") == -ETIMEDOUT)
		pid++;
	ck_assert_int_gt(pid, 10);
	ck_assert_int_lt(pid, 18);
	ck_assert_int_eq(call(echo, 19, ""), -EBUSY);
	expect_echo(20);
	expect_echo(30);
}
END_TEST

/* Starts a process that acts when a reader opens the pipe at fifo. The reader itself cannot act. */
static void when_read(void (*act)(void), char fifo[PATH_BYTES])
{
	pid_t child;

	(void)snprintf(fifo, PATH_BYTES, "%s/pipe", proc.path);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child)
		return;
	if (open(fifo, O_WRONLY | O_CLOEXEC) < 0)
		_exit(1);
	act();
	_exit(0);
}

static void remove_process(void)
{
	static const char *const names[] = {"stat", "status"};
	char path[PATH_BYTES];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/10/%s", proc.path, names[i]);
		(void)unlink(path);
	}
}

static void stop_parent(void)
{
	(void)kill(getppid(), SIGTERM);
}

START_TEST(a_process_that_ends_while_it_is_read_is_charged_to_its_user)
{
	char fifo[PATH_BYTES], path[PATH_BYTES];

	when_read(remove_process, fifo);
	ck_assert_int_eq(call(vanish, 10, fifo), -ETIMEDOUT);
	(void)snprintf(path, sizeof(path), "%s/10/stat", proc.path);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_uint_eq(reader.unread.offenders[0].process.uid, 1000);
	ck_assert_uint_eq(reader.unread.users[0].uid, 1000);
	ck_assert_uint_gt(reader.unread.machine.waited_ns, 0);
}
END_TEST

START_TEST(short_waits_are_charged_but_not_those_of_root)
{
	uint64_t waited_ns;

	ck_assert_int_eq(call(nap, 30, ""), 0);
	ck_assert_uint_eq(reader.unread.users[0].since_ns, 0);
	ck_assert_int_eq(call(nap, 10, ""), 0);
	ck_assert_uint_eq(reader.unread.users[0].uid, 1000);
	waited_ns = reader.unread.users[0].waited_ns;
	ck_assert_uint_gt(waited_ns, 0);
	ck_assert_int_eq(call(nap, 11, ""), 0);
	ck_assert_uint_gt(reader.unread.users[0].waited_ns, waited_ns);
	ck_assert_int_eq(call(hang, 30, ""), -ETIMEDOUT);
	ck_assert_uint_eq(reader.unread.users[1].uid, 0);
	ck_assert_uint_gt(reader.unread.users[1].waited_ns, 0);
}
END_TEST

static uint64_t capabilities(const char *set)
{
	ck_assert_int_eq(call(status_line, 10, set), 0);
	return strtoull(reply.bytes, NULL, 16);
}

START_TEST(the_child_has_only_the_capabilities_to_read)
{
	const uint64_t kept = daemon_child_bit(CAP_SYS_PTRACE) |
			      daemon_child_bit(CAP_DAC_READ_SEARCH) |
			      daemon_child_bit(CAP_PERFMON) | daemon_child_map_files();

	ck_assert_uint_eq(capabilities("CapEff:") & ~kept, 0);
	ck_assert_uint_eq(capabilities("CapPrm:") & ~kept, 0);
	ck_assert_uint_eq(capabilities("CapInh:"), 0);
	ck_assert_uint_eq(capabilities("NoNewPrivs:"), 1);
	if (geteuid())
		return;
	ck_assert_uint_eq(capabilities("CapBnd:") & ~kept, 0);
	ck_assert_uint_ne(capabilities("CapEff:") & daemon_child_bit(CAP_DAC_READ_SEARCH), 0);
}
END_TEST

START_TEST(the_child_can_change_neither_files_nor_processes)
{
	const int *errors;

	if (SECCOMP_SANITIZED || prctl(PR_GET_SECCOMP, 0UL, 0UL, 0UL, 0UL) < 0)
		return;
	ck_assert_int_eq(call(change, 10, ""), 0);
	ck_assert_uint_eq(reply.nr_bytes, 4 * sizeof(*errors));
	errors = (const void *)reply.bytes;
	for (int i = 0; i < 4; i++)
		ck_assert_msg(errors[i] == EPERM, "call %d: %s", i, strerror(errors[i]));
}
END_TEST

/* Also the time of a killed child that has not ended yet: here, one that nobody has killed. */
START_TEST(the_cpu_time_of_all_children_is_known)
{
	uint64_t ns;
	pid_t child;

	while ((ns = slow_reader_cpu_ns(&reader)) < BURNT_NS)
		ck_assert_int_eq(call(burn, 30, ""), 0);
	child = fork();
	if (!child) {
		while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < 3 * BURNT_NS)
			(void)burn("", 0, NULL);
		(void)pause();
		_exit(0);
	}
	reader.abandoned[0] = (struct slow_abandoned){child, 1000};
	while (slow_reader_cpu_ns(&reader) < ns + BURNT_NS)
		(void)poll(NULL, 0, 10);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_uint_eq(daemon_child_cpu_ns(child), 0); /* counted in RUSAGE_CHILDREN now */
	ck_assert_uint_eq(daemon_child_cpu_ns(getppid()), 0);
}
END_TEST

/* Children in a file system that hangs do not react to SIGKILL: here, one that nobody has killed.
 */
START_TEST(the_number_of_abandoned_children_is_bounded)
{
	const pid_t child = fork();

	if (!child) {
		(void)pause();
		_exit(0);
	}
	for (unsigned int i = 0; i < SLOW_ABANDONED_USER; i++)
		reader.abandoned[i] = (struct slow_abandoned){child, 1000};
	ck_assert_int_eq(call(echo, 10, ""), -EBUSY);
	expect_echo(20);
	for (unsigned int i = 0; i < SLOW_ABANDONED_MOST; i++)
		reader.abandoned[i] = (struct slow_abandoned){child, 1000};
	ck_assert_int_eq(call(echo, 20, ""), -EBUSY);
	expect_echo(30);
	for (unsigned int i = 0; i < SLOW_ABANDONED_MAX; i++)
		reader.abandoned[i] = (struct slow_abandoned){child, 1000};
	ck_assert_int_eq(call(echo, 30, ""), -EBUSY);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	expect_echo(10);
}
END_TEST

START_TEST(a_stop_signal_ends_the_wait)
{
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &stop, NULL), 0);
	ck_assert_int_eq(raise(SIGTERM), 0);
	ck_assert_int_eq(call(hang, 10, ""), -EINTR);
	ck_assert_uint_eq(reader.unread.nr_missed, 0);
}
END_TEST

START_TEST(a_stop_signal_during_the_wait_ends_it)
{
	const pid_t test = getpid();
	sigset_t stop;
	pid_t child;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &stop, NULL), 0);
	child = fork();
	if (!child) {
		(void)poll(NULL, 0, 100);
		(void)kill(test, SIGTERM);
		_exit(0);
	}
	ck_assert_int_eq(call(hang, 10, ""), -EINTR);
	ck_assert_uint_eq(reader.unread.nr_missed, 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

START_TEST(a_stop_signal_ends_the_wait_for_a_child_that_sends_again_and_again)
{
	char fifo[PATH_BYTES];
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &stop, NULL), 0);
	when_read(stop_parent, fifo);
	ck_assert_int_eq(call(drip, 10, fifo), -EINTR);
	ck_assert_uint_eq(reader.unread.nr_missed, 0);
}
END_TEST

/* The daemon has read its stop signal, which is therefore no longer pending. */
START_TEST(an_ending_daemon_waits_only_for_a_short_time)
{
	int pid = 10;

	slow_reader_hurry();
	expect_echo(10);
	while (pid < 20 && call(hang, pid, "") == -EINTR && call(echo, pid, "") == 0)
		pid++;
	ck_assert_int_lt(pid, 16);
	ck_assert_int_eq(call(echo, 30, ""), -EINTR);
	ck_assert_uint_eq(reader.unread.nr_missed, 0);
}
END_TEST

START_TEST(the_child_has_none_of_the_daemon_s_descriptors)
{
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	slow_reader_deinit(&reader);
	slow_reader_init(&reader, proc.path, works, sizeof(works) / sizeof(works[0]));
	ck_assert_int_eq(call(descriptors, 10, ""), 0);
	for (char *line = strtok(reply.bytes, "\n"); line; line = strtok(NULL, "\n"))
		ck_assert_msg(!strcmp(line, "/dev/null") || !strncmp(line, "socket:", 7) ||
				      !strncmp(line, "/proc/", 6),
			      "%s", line);
	(void)fclose(file);
}
END_TEST

START_TEST(the_child_shares_no_memory_with_the_daemon)
{
	FILE *file = tmpfile();
	void *page;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(ftruncate(fileno(file), 4096), 0);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	slow_reader_deinit(&reader);
	slow_reader_init(&reader, proc.path, works, sizeof(works) / sizeof(works[0]));
	ck_assert_int_eq(call(shared_memory, 10, ""), 0);
	ck_assert_str_eq(reply.bytes, "");
	ck_assert_int_eq(munmap(page, 4096), 0);
	(void)fclose(file);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slow_reader");
	TCase *tests = tcase_create("slow_reader");

	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, an_answer_arrives_whole);
	tcase_add_test(tests, large_requests_do_not_depend_on_the_default_size_of_sockets);
	tcase_add_test(tests, a_request_that_the_socket_does_not_take_does_not_cost_a_child);
	tcase_add_test(tests, without_a_reader_the_caller_does_the_work);
	tcase_add_test(tests, a_read_that_hangs_is_given_up_and_its_process_is_not_read_again);
	tcase_add_test(tests, a_read_that_sends_a_little_again_and_again_is_given_up);
	tcase_add_test(tests, another_process_with_the_same_pid_is_read);
	tcase_add_test(tests, a_child_that_crashes_is_replaced_and_counts_as_late);
	tcase_add_test(tests, a_child_that_somebody_kills_is_replaced);
	tcase_add_test(
		tests,
		a_child_that_cannot_be_started_is_reported_once_and_the_process_is_read_later);
	tcase_add_test(tests, a_user_s_processes_cannot_make_the_daemon_wait_without_end);
	tcase_add_test(tests, a_process_that_ends_while_it_is_read_is_charged_to_its_user);
	tcase_add_test(tests, short_waits_are_charged_but_not_those_of_root);
	tcase_add_test(tests, the_child_has_only_the_capabilities_to_read);
	tcase_add_test(tests, the_child_can_change_neither_files_nor_processes);
	tcase_add_test(tests, the_cpu_time_of_all_children_is_known);
	tcase_add_test(tests, the_number_of_abandoned_children_is_bounded);
	tcase_add_test(tests, a_stop_signal_ends_the_wait);
	tcase_add_test(tests, a_stop_signal_during_the_wait_ends_it);
	tcase_add_test(tests, a_stop_signal_ends_the_wait_for_a_child_that_sends_again_and_again);
	tcase_add_test(tests, an_ending_daemon_waits_only_for_a_short_time);
	tcase_add_test(tests, the_child_has_none_of_the_daemon_s_descriptors);
	tcase_add_test(tests, the_child_shares_no_memory_with_the_daemon);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
