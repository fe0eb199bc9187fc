// SPDX-License-Identifier: GPL-2.0-or-later
/* A helper that is hostile, or was misled by a hostile file, must not do any harm. */
#include "pp/symbols/symbol_helper.h"

#include "lib/file.h"
#include "pp/symbols/file_opener.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static struct symbol_search search;
static const struct oprof_image_identity identity;
static const struct symbol_request request = {
	.path = "/some/image", .identity = &identity, .kind = OPROF_IMAGE_FILE, .search = &search};
static struct symbol_table table;

static void teardown(void)
{
	symbol_table_deinit(&table);
	memset(&search, 0, sizeof(search));
}

static void run(symbol_read_fn *read)
{
	ck_assert_int_eq(symbol_helper_run(&request, read, &table), 0);
	file_opener_kill();
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

static void run_damaged(symbol_read_fn *read, const char *in_note)
{
	run(read);
	ck_assert_int_eq(table.lack, SYMBOLS_DAMAGED);
	ck_assert_uint_eq(table.nr_symbols, 0);
	ck_assert_msg(strstr(table.note, in_note) != NULL, "%s", table.note);
}

static int write_one(const struct symbol_request *ignored, int fd)
{
	struct symbol_result result = {.lack = SYMBOLS_FULL};
	struct listed_symbol symbol = {
		.start = 1, .end = 2, .limit = 3, .name = "one", .name_bytes = 3};

	(void)ignored;
	return symbol_list_add(&result.list, &symbol) ? -ENOMEM : symbol_wire_write(fd, &result);
}

START_TEST(what_the_helper_reads_comes_back)
{
	run(write_one);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_uint_eq(table.nr_symbols, 1);
	ck_assert_str_eq(table.symbols[0].name, "one");
}
END_TEST

START_TEST(helper_that_asks_for_no_other_file_needs_no_opener)
{
	ck_assert_int_eq(symbol_helper_run(&request, write_one, &table), 0);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

static int read_own_image(const struct symbol_request *own, int fd)
{
	const struct file_query query = {.kind = FILE_IMAGE_PATH};
	char *path, head[4];
	int image = file_opener_open(own->opener, &query, "", &path);

	return image >= 0 && !strcmp(path, "/bin/true") && pread(image, head, 4, 0) == 4 &&
			       !memcmp(head, "\177ELF", 4)
		       ? write_one(own, fd)
		       : -ERANGE;
}

START_TEST(helper_keeps_the_image_that_it_opened_before_it_was_confined)
{
	struct symbol_request own = request;

	own.path = "/bin/true";
	ck_assert_int_eq(symbol_helper_run(&own, read_own_image, &table), 0);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* the opener was not asked */
}
END_TEST

START_TEST(a_tool_that_exits_leaves_no_opener)
{
	pid_t tool;

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	tool = fork();
	ck_assert_int_ge(tool, 0);
	if (!tool)
		exit(file_opener_prepare() ? 1 : 0);
	ck_assert_int_eq(waitpid(tool, NULL, 0), tool);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

static int crash(const struct symbol_request *ignored, int fd)
{
	(void)ignored;
	(void)fd;
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return 0;
}

START_TEST(crash_costs_the_image_and_is_told)
{
	run_damaged(crash, "SIGSEGV");
}
END_TEST

/* The kernel sends this signal if the helper asks an opener that has ended. */
static int break_pipe(const struct symbol_request *ignored, int fd)
{
	return raise(SIGPIPE) ? -ERANGE : write_one(ignored, fd);
}

START_TEST(end_of_the_opener_does_not_end_the_helper_by_a_signal)
{
	run(break_pipe);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
}
END_TEST

static int spin(const struct symbol_request *ignored, int fd)
{
	(void)ignored;
	(void)fd;
	for (volatile unsigned int i = 0;; i++)
		;
	return 0;
}

START_TEST(endless_loop_ends_at_the_cpu_limit)
{
	search.max_seconds = 1;
	/* On a busy machine, the limit of real time may come first. */
	run_damaged(spin, "reading the file took more than");
}
END_TEST

static int spin_deaf(const struct symbol_request *ignored, int fd)
{
	signal(SIGXCPU, SIG_IGN);
	return spin(ignored, fd);
}

START_TEST(endless_loop_that_ignores_signals_ends_too)
{
	search.max_seconds = 1;
	run_damaged(spin_deaf, "reading the file took more than");
}
END_TEST

static int hang(const struct symbol_request *ignored, int fd)
{
	uint32_t word = 0;

	(void)ignored;
	(void)fd;
	for (;;)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL);
	return 0;
}

START_TEST(helper_that_hangs_without_cpu_is_ended)
{
	search.max_seconds = 1;
	run_damaged(hang, "more than 5 s");
}
END_TEST

static int eat_memory(const struct symbol_request *ignored, int fd)
{
	(void)ignored;
	(void)fd;
	for (int i = 0; i < 1000; i++) {
		char *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (block == MAP_FAILED)
			return -errno;
		block[0] = 1;
	}
	return -ERANGE;
}

START_TEST(memory_ends_at_its_limit)
{
	search.max_bytes = (size_t)16 << 20;
	run_damaged(eat_memory, SANITIZED ? "" : "more than 16 MB of memory");
}
END_TEST

static int write_without_end(const struct symbol_request *ignored, int fd)
{
	(void)ignored;
	/* Writes far past the limit at once, instead of a gigabyte of data. */
	return lseek(fd, (off_t)SYMBOL_WIRE_MAX_BYTES + 4096, SEEK_SET) >= 0 &&
			       write(fd, "x", 1) == 1
		       ? -ERANGE
		       : -errno;
}

START_TEST(result_ends_at_its_limit)
{
	run_damaged(write_without_end, "");
	ck_assert_ptr_null(strstr(table.note, strerror(ERANGE)));
}
END_TEST

static int write_garbage(const struct symbol_request *ignored, int fd)
{
	(void)ignored;
	return file_write_all(fd, "not a result, but as long as a header would be, and more", 56);
}

START_TEST(garbage_is_refused)
{
	run_damaged(write_garbage, "");
}
END_TEST

static int write_nothing(const struct symbol_request *ignored, int fd)
{
	(void)ignored;
	(void)fd;
	return 0;
}

START_TEST(silence_is_refused)
{
	run_damaged(write_nothing, "");
}
END_TEST

static int fail_to_read(const struct symbol_request *ignored, int fd)
{
	(void)ignored;
	(void)fd;
	return -ELOOP;
}

START_TEST(error_is_told)
{
	run_damaged(fail_to_read, strerror(ELOOP));
}
END_TEST

/* ---- what a hostile helper tries ---- */

static void *shared;
static char *status_text;

static char secret_path[] = "/tmp/oprof-confine.XXXXXX";
static int secret_fd;

/* Returns -ELOOP if nothing succeeded. test_confine.c has more attempts. */
static int try_to_escape(const struct symbol_request *ignored, int fd)
{
	(void)ignored;
	(void)fd;
	if (write(secret_fd, "x", 1) == 1)
		return -1;
	if (open(secret_path, O_RDONLY | O_CLOEXEC) >= 0)
		return -2;
	return -ELOOP;
}

START_TEST(helper_opens_nothing)
{
	secret_fd = mkstemp(secret_path);
	ck_assert_int_ge(secret_fd, 0);
	run_damaged(try_to_escape, SANITIZED ? "" : strerror(ELOOP));
	unlink(secret_path);
	close(secret_fd);
}
END_TEST

static int signal_parent(const struct symbol_request *ignored, int fd)
{
	pid_t parent = getppid();

	(void)ignored;
	(void)fd;
	syscall(SYS_tgkill, parent, parent, SIGKILL);
	return 0;
}

START_TEST(helper_that_signals_others_is_stopped_and_called_an_attack)
{
	if (!SANITIZED)
		run_damaged(signal_parent, "a forbidden system call (SIGSYS): the file may be");
}
END_TEST

/* In memory that is shared with the helper. */
struct watched {
	uint32_t done; /* the helper may go on */
	int32_t pid;   /* of the helper; -1: it has ended */
};

/*
 * The helper sleeps until the watcher, a thread of the parent, has read its status. So the filter
 * of system calls does not prevent the inspection.
 */
static int wait_for_watcher(const struct symbol_request *ignored, int fd)
{
	struct watched *watched = shared;

	__atomic_store_n(&watched->pid, getpid(), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&watched->done, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &watched->done, FUTEX_WAIT, 0, NULL);
	return write_one(ignored, fd);
}

static void *watch(void *ignored)
{
	struct watched *watched = shared;
	char path[64];
	int32_t pid;

	(void)ignored;
	status_text = NULL;
	while (!(pid = __atomic_load_n(&watched->pid, __ATOMIC_ACQUIRE)))
		(void)usleep(1000);
	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (pid > 0)
		(void)file_read_text(path, 65536, &status_text, NULL);
	__atomic_store_n(&watched->done, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &watched->done, FUTEX_WAKE, 1, NULL);
	return NULL;
}

START_TEST(helper_of_root_is_nobody_without_capabilities)
{
	pthread_t watcher;

	if (SANITIZED)
		return;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	ck_assert_int_eq(pthread_create(&watcher, NULL, watch, NULL), 0);
	run(wait_for_watcher);
	__atomic_store_n(&((struct watched *)shared)->pid, -1, __ATOMIC_RELEASE);
	ck_assert_int_eq(pthread_join(watcher, NULL), 0);
	ck_assert_ptr_nonnull(status_text);
	ck_assert_ptr_nonnull(strstr(status_text, "\nCapPrm:\t0000000000000000\n"));
	ck_assert_ptr_nonnull(strstr(status_text, "\nCapEff:\t0000000000000000\n"));
	ck_assert_ptr_nonnull(strstr(status_text, "\nNoNewPrivs:\t1\n"));
	ck_assert_ptr_nonnull(strstr(status_text, "\nSeccomp:\t2\n"));
	if (!geteuid()) {
		ck_assert_ptr_null(strstr(status_text, "\nUid:\t0\t"));
		ck_assert_ptr_null(strstr(status_text, "\nGid:\t0\t"));
		ck_assert_ptr_nonnull(strstr(status_text, "\nGroups:\t \n"));
	}
	free(status_text);
	(void)munmap(shared, 4096);
}
END_TEST

static int leave_and_hang(const struct symbol_request *ignored, int fd)
{
	for (int other = 0; other < 64; other++)
		if (other != fd)
			close(other);
	return hang(ignored, fd);
}

START_TEST(helper_that_leaves_its_descriptors_and_hangs_is_ended)
{
	search.max_seconds = 1;
	run_damaged(leave_and_hang, "it did not end after its last request");
}
END_TEST

START_TEST(parent_keeps_no_descriptors)
{
	int before = open("/dev/null", O_RDONLY), after;

	close(before);
	for (int i = 0; i < 20; i++) {
		run(i % 2 ? write_one : crash);
		symbol_table_deinit(&table);
	}
	after = open("/dev/null", O_RDONLY);
	ck_assert_int_eq(after, before);
	close(after);
}
END_TEST

START_TEST(helper_runs_where_children_are_reaped_by_nobody)
{
	signal(SIGCHLD, SIG_IGN);
	ck_assert_int_eq(symbol_helper_run(&request, write_one, &table), 0);
	signal(SIGCHLD, SIG_DFL);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("symbol_helper");
	TCase *tcase = tcase_create("symbol_helper");

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, what_the_helper_reads_comes_back);
	tcase_add_test(tcase, helper_that_asks_for_no_other_file_needs_no_opener);
	tcase_add_test(tcase, helper_keeps_the_image_that_it_opened_before_it_was_confined);
	tcase_add_test(tcase, a_tool_that_exits_leaves_no_opener);
	tcase_add_test(tcase, crash_costs_the_image_and_is_told);
	tcase_add_test(tcase, end_of_the_opener_does_not_end_the_helper_by_a_signal);
	tcase_add_test(tcase, endless_loop_ends_at_the_cpu_limit);
	tcase_add_test(tcase, endless_loop_that_ignores_signals_ends_too);
	tcase_add_test(tcase, helper_that_hangs_without_cpu_is_ended);
	tcase_add_test(tcase, memory_ends_at_its_limit);
	tcase_add_test(tcase, result_ends_at_its_limit);
	tcase_add_test(tcase, garbage_is_refused);
	tcase_add_test(tcase, silence_is_refused);
	tcase_add_test(tcase, error_is_told);
	tcase_add_test(tcase, helper_opens_nothing);
	tcase_add_test(tcase, helper_that_signals_others_is_stopped_and_called_an_attack);
	tcase_add_test(tcase, helper_of_root_is_nobody_without_capabilities);
	tcase_add_test(tcase, helper_that_leaves_its_descriptors_and_hangs_is_ended);
	tcase_add_test(tcase, parent_keeps_no_descriptors);
	tcase_add_test(tcase, helper_runs_where_children_are_reaped_by_nobody);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
