// SPDX-License-Identifier: GPL-2.0-or-later
/* The tracer is the test's own, and has lost events for each reason. */
#include "daemon/tracer/tracer_serve.h"

#include "client/message_head.h"
#include "control/trace/trace_sessions.h"
#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEXT_BYTES_MAX 65536u

static const struct tracer_counts all_lost = {
	.nr_records = 1000,
	.lost_kernel = 101,
	.lost_nested = 102,
	.lost_room = 103,
	.lost_bad = 104,
	.lost_disk = 105,
	.ring_errors = 106,
	.packet_errors = 107,
	.nr_late = 108,
	.chunks_failed = 109,
	.unjudged = 110,
	.nr_throttled = 111,
	.forgotten = 112,
};
#define FIRST	 101
#define LAST	 112
#define SUM_LOST (101 + 102 + 103 + 104 + 105)

/* ---- the tracer ---- */

struct tracer {
	bool fails;   /* to take a snapshot */
	bool leaves;  /* and leaves a part of the failed snapshot */
	bool finds;   /* a folder that already exists */
	bool dies;    /* its child, after that */
	bool is_slow; /* never ends a snapshot */
	bool is_lent; /* to a child */
	bool stops;   /* its child stops when it has reported */
};

static bool stops_at_end;

/* Replaces the library's function. */
void _exit(int status)
{
	if (stops_at_end)
		(void)raise(SIGSTOP);
	(void)syscall(SYS_exit_group, status);
	abort();
}

void tracer_lend(struct tracer *tracer, bool lends)
{
	ck_assert(tracer->is_lent != lends);
	tracer->is_lent = lends;
}

int tracer_snapshot(struct tracer *tracer, const char *folder, struct tracer_snapshot *taken,
		    struct diag *diag)
{
	if (!tracer->is_lent)
		return diag_set(diag, -EBUSY, "two read the rings");
	while (tracer->is_slow)
		(void)pause();
	stops_at_end = tracer->stops;
	if (tracer->leaves || tracer->finds)
		ck_assert_int_eq(mkdir(folder, 0700), 0);
	if (tracer->dies)
		(void)raise(SIGKILL);
	if (tracer->leaves) {
		*taken = (struct tracer_snapshot){.nr_records = 7,
						  .nr_unwritten = 6,
						  .lost = 3,
						  .overwritten = 4,
						  .nr_packets = 1,
						  .begin = 1,
						  .end = 2,
						  .is_part = true};
	}
	if (tracer->fails)
		return diag_set(diag, -ENOSPC, "no room for it");
	*taken = (struct tracer_snapshot){.nr_records = 10, .begin = 1, .end = 2};
	return 0;
}

struct tracer_counts tracer_counts(const struct tracer *tracer)
{
	(void)tracer;
	return all_lost;
}

struct tracer_held tracer_held(struct tracer *tracer)
{
	(void)tracer;
	return (struct tracer_held){.nr_bytes = 1 << 20};
}

struct tracer_sizes tracer_sizes(const struct tracer *tracer)
{
	(void)tracer;
	return (struct tracer_sizes){.sub_buffer_bytes = 4096, .nr_sub_buffers = 4, .nr_cpus = 1};
}

unsigned int tracer_nr_events(const struct tracer *tracer)
{
	(void)tracer;
	return 1;
}

/* ---- the session ---- */

static const struct tracer_options options = {
	.folder = "snapshot",
	.overwrite = true,
	.session = "trace/lossy",
	.conditions = {"signal"},
	.nr_conditions = 1,
	.snapshot_limit = 1,
};
static struct tracer_serve serve; /* large */

static void begin(struct tracer *tracer)
{
	struct diag diag;

	if (tracer_serve_open(&serve, &options, &diag))
		ck_abort_msg("%s", diag_show(&diag));
	tracer_serve_begin(&serve, tracer);
}

static void __attribute__((noreturn)) answer_for_ever(int ready)
{
	struct tracer tracer = {0};

	begin(&tracer);
	(void)close(ready);
	while (true) {
		struct pollfd asked = {.fd = control_server_poll_fd(serve.session.server),
				       .events = POLLIN};

		(void)poll(&asked, 1, -1);
		tracer_serve_run(&serve);
	}
}

/* The output of optrace status for this session, or for all if NULL; malloc'ed. */
static char *show_status(const char *name)
{
	const int out = dup(STDOUT_FILENO), told = dup(STDERR_FILENO);
	const int file = open("status", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct diag diag;
	char *text;
	int error;

	ck_assert_int_ge(out, 0);
	ck_assert_int_ge(told, 0);
	ck_assert_int_ge(file, 0);
	(void)fflush(stdout);
	(void)dup2(file, STDOUT_FILENO);
	(void)dup2(file, STDERR_FILENO);
	error = trace_sessions_show(".", name, &diag);
	(void)fflush(stdout);
	(void)dup2(out, STDOUT_FILENO);
	(void)dup2(told, STDERR_FILENO);
	(void)close(out);
	(void)close(told);
	(void)close(file);
	ck_assert_msg(!error, "%s", error ? diag_show(&diag) : "");
	ck_assert_int_eq(file_read_text("status", TEXT_BYTES_MAX, &text, NULL), 0);
	return text;
}

START_TEST(status_tells_all_that_went_wrong_by_its_reason)
{
	char *text;
	pid_t child;
	char byte;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	child = fork();
	if (!child) {
		(void)close(fds[0]);
		answer_for_ever(fds[1]);
	}
	(void)close(fds[1]);
	ck_assert_int_eq(read(fds[0], &byte, 1), 0);
	text = show_status("lossy");
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	for (int nr = FIRST; nr <= LAST; nr++) {
		char line[32];

		(void)snprintf(line, sizeof(line), "\n    %d ", nr);
		ck_assert_msg(strstr(text, line) != NULL, "%d is not in %s", nr, text);
	}
	free(text);
	(void)close(fds[0]);
}
END_TEST

struct told {
	char first[256];
	unsigned int nr_lines, nr_losses;
	bool has[LAST + 1];
};

static void note(void *context, bool is_loss, const char *text)
{
	struct told *told = context;
	const unsigned long nr = strtoul(text, NULL, 10);

	if (!told->nr_lines++)
		(void)snprintf(told->first, sizeof(told->first), "%s", text);
	if (!is_loss)
		return;
	told->nr_losses++;
	ck_assert_uint_ge(nr, FIRST);
	ck_assert_uint_le(nr, LAST);
	told->has[nr] = true;
	/* These two counters have two reasons each (doc/control-socket.md). */
	if (nr == all_lost.lost_kernel)
		ck_assert_ptr_nonnull(strstr(text, "full or already closed"));
	if (nr == all_lost.lost_nested)
		ck_assert_ptr_nonnull(strstr(text, "nested too deeply, or because the "));
}

START_TEST(the_end_tells_all_that_went_wrong_by_its_reason)
{
	struct told told = {0};
	char sum[64];

	tracer_tell_counts(&all_lost, true, note, &told);
	(void)snprintf(sum, sizeof(sum), "1000 events went through memory, %d lost", SUM_LOST);
	ck_assert_str_eq(told.first, sum);
	for (int nr = FIRST; nr <= LAST; nr++)
		ck_assert_msg(told.has[nr], "%d is not told", nr);
	ck_assert_uint_eq(told.nr_losses, LAST - FIRST + 1);
}
END_TEST

START_TEST(the_end_of_a_trace_that_lost_nothing_is_one_sentence)
{
	const struct tracer_counts counts = {.nr_records = 7, .nr_bytes = 2000000};
	struct told told = {0};

	tracer_tell_counts(&counts, false, note, &told);
	ck_assert_str_eq(told.first, "7 events in 2.0 MB, 0 lost");
	ck_assert_uint_eq(told.nr_lines, 1);
}
END_TEST

/* ---- tracers that died ---- */

static void make_dead(const char *name, const char *lock)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "trace/%s/lock", name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, lock, strlen(lock), 0600), 0);
}

/* Anybody who may write the lock file may have written its content. */
START_TEST(a_tracer_that_died_is_told_by_the_number_in_its_lock)
{
	static const struct {
		const char *lock, *says;
	} locks[] = {
		{"1234\n", "its tracer, process 1234, died"},
		{"1234 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "process 1234, died"},
		{"", "no trace dead runs; optrace status"},
	};
	struct diag diag;

	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
		make_dead("dead", locks[i].lock);
		ck_assert_int_eq(trace_sessions_none(".", "dead", &diag), -ENOTCONN);
		ck_assert_msg(strstr(diag_show(&diag), locks[i].says), "%s", diag_show(&diag));
	}
	ck_assert_int_eq(trace_sessions_none(".", "other", &diag), -ENOTCONN);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "no trace other runs; optrace status"));
}
END_TEST

START_TEST(each_tracer_that_died_is_told_where_all_sessions_are_asked_for)
{
	static const char none[] = "no trace runs in the background; optrace start begins one\n";
	char *text = show_status(NULL);

	ck_assert_str_eq(text, none); /* there is not even a folder of sessions */
	free(text);
	make_dead("a", "11\n");
	make_dead("b", "12\n");
	make_dead("c", "13\n");
	make_dead("ended", "");
	make_dead(".hidden", "14\n");
	text = show_status(NULL);
	ck_assert_ptr_nonnull(strstr(text, "a: its tracer, process 11, died"));
	ck_assert_ptr_nonnull(strstr(text, "b: its tracer, process 12, died"));
	ck_assert_ptr_nonnull(strstr(text, "c: its tracer, process 13, died"));
	ck_assert_ptr_null(strstr(text, "ended"));
	ck_assert_ptr_null(strstr(text, "hidden"));
	ck_assert_ptr_nonnull(strstr(text, none));
	free(text);
	make_dead("z", "15\n");
	text = show_status(NULL);
	ck_assert_ptr_nonnull(strstr(text, "z: its tracer, process 15, died"));
	free(text);
}
END_TEST

/* ---- snapshots of conditions ---- */

static void wait_for_end(void)
{
	while (serve.job.pid) {
		struct pollfd ended = {.fd = serve.job.fd, .events = POLLIN};

		(void)poll(&ended, 1, -1);
		tracer_serve_run(&serve);
	}
	ck_assert(!tracer_serve_is_busy(&serve));
}

static void wait_for_snapshot(void)
{
	tracer_serve_turn(&serve);
	ck_assert_int_gt(serve.job.pid, 0);
	wait_for_end();
}

START_TEST(a_snapshot_that_failed_does_not_use_up_the_limit)
{
	struct tracer tracer = {.fails = true};

	begin(&tracer);
	tracer_serve_want(&serve, "signal");
	wait_for_snapshot();
	ck_assert_uint_eq(serve.nr_failed, 1);
	ck_assert_uint_eq(serve.nr_snapshots, 0);
	ck_assert_str_eq(serve.last_failure, "no room for it");
	tracer_serve_want(&serve, "signal");
	ck_assert_msg(!tracer_serve_is_busy(&serve), "tried again at once");
	serve.paused_ns = 0; /* the pause is over */
	tracer.fails = false;
	tracer_serve_want(&serve, "signal");
	wait_for_snapshot();
	ck_assert_uint_eq(serve.nr_snapshots, 1);
	tracer_serve_want(&serve, "signal");
	ck_assert_msg(!tracer_serve_is_busy(&serve), "more than the limit");
	ck_assert_uint_eq(serve.nr_failed, 1);
	trace_session_close(&serve.session);
}
END_TEST

/* Otherwise each try would leave a folder for as long as the condition is true. */
static const struct {
	struct tracer tracer;
	bool counts;
} failures[] = {
	{{.fails = true, .leaves = true}, true},
	{{.fails = true, .finds = true}, false},
	{{.leaves = true, .dies = true}, true},
	{{.dies = true}, false},
};

START_TEST(a_snapshot_of_which_there_is_a_part_uses_up_the_limit)
{
	struct tracer tracer = failures[_i].tracer;

	begin(&tracer);
	tracer_serve_want(&serve, "signal");
	wait_for_snapshot();
	ck_assert_uint_eq(serve.nr_failed, 1);
	ck_assert_uint_eq(serve.nr_snapshots, 0);
	serve.paused_ns = 0; /* the pause is over */
	tracer_serve_want(&serve, "signal");
	ck_assert_int_eq(!tracer_serve_is_busy(&serve), failures[_i].counts);
	trace_session_close(&serve.session);
}
END_TEST

static struct {
	struct oprof_message head;
	char text[OPROF_CONTROL_TEXT_MAX + 1];
} packet; /* of a request, then of its answer */

/* Sends a request for a snapshot. Returns the socket. */
static int request_snapshot(const char *folder)
{
	const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "control"};
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	ssize_t nr;

	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	nr = snprintf(packet.text, sizeof(packet.text), "folder /proc/self/cwd/%s\n", folder);
	packet.head = message_head(OPROF_REQUEST_SNAPSHOT, 0, (size_t)nr);
	nr += (ssize_t)sizeof(packet.head);
	ck_assert_int_eq(send(fd, &packet, (size_t)nr, 0), nr);
	return fd;
}

/* The text of the answer. */
static char *take_answer(int fd, int *status)
{
	const ssize_t nr = recv(fd, &packet, sizeof(packet) - 1, 0);

	ck_assert_int_ge(nr, (ssize_t)sizeof(packet.head));
	packet.text[packet.head.size_bytes] = '\0';
	*status = packet.head.status;
	(void)close(fd);
	return packet.text;
}

static char *ask_for_snapshot(int *status)
{
	const int fd = request_snapshot("asked");

	while (!tracer_serve_is_busy(&serve))
		tracer_serve_run(&serve);
	wait_for_snapshot();
	return take_answer(fd, status);
}

/* The text of the answer to a request that is refused. */
static char *ask_in_vain(const char *folder, int *status)
{
	const int fd = request_snapshot(folder);
	struct pollfd answered = {.fd = fd, .events = POLLIN};

	while (!poll(&answered, 1, 0))
		tracer_serve_run(&serve);
	return take_answer(fd, status);
}

START_TEST(a_request_that_is_refused_is_answered_with_its_reason)
{
	struct tracer tracer = {0};
	const char *text;
	int status;

	begin(&tracer);
	text = ask_in_vain(".", &status); /* the session's folder */
	ck_assert_int_eq(status, -ENOTEMPTY);
	ck_assert_ptr_nonnull(strstr(text, "is not empty"));
	for (unsigned int i = 0; i < TRACER_SERVE_NR_WANTED; i++) {
		(void)request_snapshot("asked");
		while (serve.nr_wanted == i)
			tracer_serve_run(&serve);
	}
	text = ask_in_vain("asked", &status);
	ck_assert_int_eq(status, -EBUSY);
	ck_assert_ptr_nonnull(strstr(text, "snapshots are in progress"));
	trace_session_close(&serve.session);
}
END_TEST

START_TEST(the_answer_of_a_snapshot_that_failed_tells_of_the_part_that_there_is)
{
	struct tracer tracer = {.fails = true, .leaves = _i != 0};
	const char *text;
	int status;

	begin(&tracer);
	text = ask_for_snapshot(&status);
	ck_assert_int_eq(status, -ENOSPC);
	ck_assert_ptr_nonnull(strstr(text, "error no room for it\n"));
	ck_assert_int_eq(strstr(text, "folder /proc/self/cwd/asked\n") != NULL, _i);
	ck_assert_int_eq(strstr(text, "records 7\n") != NULL, _i);
	ck_assert_int_eq(strstr(text, "unwritten 6\n") != NULL, _i);
	ck_assert_int_eq(strstr(text, "lost 3\n") != NULL, _i);
	ck_assert_int_eq(strstr(text, "overwritten 4\n") != NULL, _i);
	trace_session_close(&serve.session);
}
END_TEST

#define FIRST_NAME "snapshot-20260101-000000"

/* A name is the date, with a number if a waiting snapshot already has that name. */
START_TEST(each_snapshot_of_a_condition_has_a_name_of_its_own)
{
	struct tracer tracer = {0};

	begin(&tracer);
	for (unsigned int i = 0, number = 0; i < 5; i++) {
		const char *name, *before = i ? serve.wanted[i - 1].folder : "";
		char suffix[16] = "";

		serve.nr_by_condition = 0; /* another test checks the limit */
		tracer_serve_want(&serve, "signal");
		ck_assert_uint_eq(serve.nr_wanted, i + 1);
		name = serve.wanted[i].folder;
		ck_assert_int_eq(strncmp(name, "snapshot-2", strlen("snapshot-2")), 0);
		/* In the same second as the last one, or later. */
		number = strncmp(name, before, strlen(FIRST_NAME)) ? 1 : number + 1;
		if (number > 1)
			(void)snprintf(suffix, sizeof(suffix), "-%u", number);
		ck_assert_uint_ge(strlen(name), strlen(FIRST_NAME));
		ck_assert_str_eq(name + strlen(FIRST_NAME), suffix);
	}
	/* The snapshots are taken in that order. */
	for (unsigned int i = 5; i-- > 0;) {
		char folders[TRACER_SERVE_NR_WANTED][PATH_MAX];

		for (unsigned int at = 0; at <= i; at++)
			memcpy(folders[at], serve.wanted[at].folder, PATH_MAX);
		tracer_serve_turn(&serve);
		while (serve.nr_wanted > i) {
			struct pollfd ended = {.fd = serve.job.fd, .events = POLLIN};

			(void)poll(&ended, 1, 100);
			tracer_serve_run(&serve);
		}
		for (unsigned int at = 0; at < i; at++)
			ck_assert_str_eq(serve.wanted[at].folder, folders[at + 1]);
	}
	ck_assert(!tracer_serve_is_busy(&serve));
	trace_session_close(&serve.session);
}
END_TEST

START_TEST(a_snapshot_of_a_condition_takes_no_name_of_a_folder_that_exists)
{
	const time_t now = time(NULL);
	struct tracer tracer = {0};

	begin(&tracer);
	for (time_t second = now; second < now + 60; second++) { /* also for a slow machine */
		char name[64];
		struct tm parts;

		ck_assert_uint_gt(strftime(name, sizeof(name), "snapshot-%Y%m%d-%H%M%S",
					   localtime_r(&second, &parts)),
				  0);
		ck_assert_int_eq(mkdir(name, 0700), 0);
	}
	tracer_serve_want(&serve, "signal");
	ck_assert_uint_eq(serve.nr_wanted, 1);
	ck_assert_str_eq(serve.wanted[0].folder + strlen(FIRST_NAME), "-2");
	wait_for_snapshot();
	trace_session_close(&serve.session);
}
END_TEST

START_TEST(the_rings_are_lent_until_the_child_has_ended_or_was_killed)
{
	struct tracer tracer = {0};

	begin(&tracer);
	tracer_serve_want(&serve, "signal");
	wait_for_snapshot();
	ck_assert_uint_eq(serve.nr_snapshots, 1);
	ck_assert(!tracer.is_lent);
	serve.nr_by_condition = 0;
	tracer.is_slow = true;
	tracer_serve_want(&serve, "signal");
	tracer_serve_turn(&serve);
	ck_assert_int_gt(serve.job.pid, 0);
	ck_assert(tracer.is_lent);
	ck_assert_int_eq(kill(serve.job.pid, SIGKILL), 0);
	wait_for_end();
	ck_assert(!tracer.is_lent);
	ck_assert_uint_eq(serve.nr_failed, 1);
	ck_assert_ptr_nonnull(strstr(serve.last_failure, "was killed"));
	trace_session_close(&serve.session);
}
END_TEST

START_TEST(a_child_that_is_stopped_when_it_has_told_is_not_waited_for)
{
	struct tracer tracer = {.stops = true};

	begin(&tracer);
	tracer_serve_want(&serve, "signal");
	wait_for_snapshot();
	ck_assert_uint_eq(serve.nr_snapshots, 1);
	ck_assert(!tracer.is_lent);
	trace_session_close(&serve.session);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("tracer_serve");

	tcase_add_checked_fixture(tests, test_folder_setup, test_folder_teardown);
	tcase_add_test(tests, status_tells_all_that_went_wrong_by_its_reason);
	tcase_add_test(tests, the_end_tells_all_that_went_wrong_by_its_reason);
	tcase_add_test(tests, the_end_of_a_trace_that_lost_nothing_is_one_sentence);
	tcase_add_test(tests, a_tracer_that_died_is_told_by_the_number_in_its_lock);
	tcase_add_test(tests, each_tracer_that_died_is_told_where_all_sessions_are_asked_for);
	tcase_add_test(tests, a_snapshot_that_failed_does_not_use_up_the_limit);
	tcase_add_loop_test(tests, a_snapshot_of_which_there_is_a_part_uses_up_the_limit, 0,
			    sizeof(failures) / sizeof(failures[0]));
	tcase_add_loop_test(
		tests, the_answer_of_a_snapshot_that_failed_tells_of_the_part_that_there_is, 0, 2);
	tcase_add_test(tests, a_request_that_is_refused_is_answered_with_its_reason);
	tcase_add_test(tests, each_snapshot_of_a_condition_has_a_name_of_its_own);
	tcase_add_test(tests, a_snapshot_of_a_condition_takes_no_name_of_a_folder_that_exists);
	tcase_add_test(tests, the_rings_are_lent_until_the_child_has_ended_or_was_killed);
	tcase_add_test(tests, a_child_that_is_stopped_when_it_has_told_is_not_waited_for);
	return test_run(tests);
}
