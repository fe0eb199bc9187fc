// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests of reports to a daemon: answers of all kinds, given by a child of the test. */
#include "client/client_recent.h"
#include "pp/session/session_recent.h"

#include "lib/file.h"
#include "oprof/control.h"
#include "tests/fixture/descriptors.h"
#include "tests/fixture/test_folder.h"
#include "tests/fixture/top_slice.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum reply_slice { WITHOUT_SLICE, WITH_SLICE, WITH_JUNK };

struct reply {
	struct oprof_message head;
	char text[256];
	enum reply_slice slice;
	bool slice_twice; /* two descriptors of the slice */
	size_t nr_cut;	  /* bytes that are missing from the packet */
	bool hang_up;
};

static pid_t server;
static int asked[2] = {-1, -1}; /* a pipe that gets a byte with each request; -1: none */
static struct client_recent recent;
static struct diag diag;

static void send_reply(int client, const struct reply *reply)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {.bytes = ""};
	const size_t nr_bytes = (reply->slice_twice ? 2 : 1) * sizeof(int);
	char packet[sizeof(reply->head) + sizeof(reply->text)];
	size_t nr_text = strlen(reply->text);
	struct iovec part = {packet, sizeof(reply->head) + nr_text - reply->nr_cut};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	int fd = -1;
	int fds[2];

	memcpy(packet, &reply->head, sizeof(reply->head));
	memcpy(packet + sizeof(reply->head), reply->text, nr_text);
	if (reply->slice == WITH_SLICE)
		fd = top_slice_make();
	else if (reply->slice == WITH_JUNK)
		fd = memfd_create("junk", 0);
	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(nr_bytes);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(nr_bytes);
		fds[0] = fds[1] = fd;
		memcpy(CMSG_DATA(&control.head), fds, nr_bytes);
	}
	(void)sendmsg(client, &message, MSG_NOSIGNAL);
	if (fd >= 0)
		(void)close(fd);
}

__attribute__((noreturn)) static void serve(int listening, const struct reply *reply)
{
	char question[1024];

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int client = accept(listening, NULL, NULL);

		if (client < 0)
			_exit(1);
		if (recv(client, question, sizeof(question), 0) > 0) {
			if (asked[1] >= 0 && write(asked[1], "", 1) != 1)
				_exit(1);
			if (!reply->hang_up)
				send_reply(client, reply);
		}
		(void)close(client);
	}
}

static void stop_server(void)
{
	if (server > 0) {
		(void)kill(server, SIGKILL);
		(void)waitpid(server, NULL, 0);
	}
	server = 0;
	(void)unlink("control");
}

static void start_server(const struct reply *reply)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "control"};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	stop_server();
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(fd, 8), 0);
	server = fork();
	ck_assert_int_ge(server, 0);
	if (!server)
		serve(fd, reply);
	(void)close(fd);
}

/* The answer of a daemon that grants the request. */
static struct reply good_reply(int64_t begin_ns, int64_t end_ns)
{
	struct reply reply = {.head = {.magic = OPROF_CONTROL_MAGIC,
				       .version = OPROF_CONTROL_VERSION,
				       .request = OPROF_REQUEST_RECENT},
			      .slice = WITH_SLICE};

	(void)snprintf(reply.text, sizeof(reply.text), "begin_ns %" PRId64 "\nend_ns %" PRId64 "\n",
		       begin_ns, end_ns);
	reply.head.size_bytes = (uint32_t)strlen(reply.text);
	return reply;
}

static int ask(const struct reply *reply)
{
	const struct client_patience patience = {20000, -1};

	start_server(reply);
	return client_recent(".", &(struct client_span){1000, 0}, &patience, &recent, &diag);
}

/* The answer is refused with these words and leaves no descriptor open. */
static void expect_refused(const struct reply *reply, int error, const char *words)
{
	unsigned int before = nr_descriptors();

	ck_assert_int_eq(ask(reply), error);
	ck_assert_msg(strstr(diag.text, words), "\"%s\" lacks \"%s\"", diag.text, words);
	ck_assert_uint_eq(nr_descriptors(), before);
}

START_TEST(a_slice_comes_with_its_stretch)
{
	struct reply reply = good_reply(12, 34);

	ck_assert_int_eq(ask(&reply), 0);
	ck_assert_int_eq(recent.begin_ns, 12);
	ck_assert_int_eq(recent.end_ns, 34);
	/* The process that bound and listens, from the kernel. */
	ck_assert_int_eq(recent.daemon, getpid());
	ck_assert_int_eq(fcntl(recent.fd, F_GETFD), FD_CLOEXEC);
	(void)close(recent.fd);
}
END_TEST

START_TEST(answers_that_are_none_are_refused_and_leave_no_descriptor)
{
	struct reply reply = good_reply(1, 2);

	reply.head.magic++;
	expect_refused(&reply, -EPROTO, "not a valid message");
	reply.slice_twice = true;
	expect_refused(&reply, -EPROTO, "not a valid message");
	reply = good_reply(1, 2);
	reply.head.size_bytes++;
	expect_refused(&reply, -EPROTO, "not a valid message");
	reply = good_reply(1, 2);
	reply.nr_cut = strlen(reply.text) + 4;
	expect_refused(&reply, -EPROTO, "not a valid message");
	reply = good_reply(1, 2);
	reply.head.version++;
	expect_refused(&reply, -EPROTONOSUPPORT, "version 2");
	reply = good_reply(1, 2);
	reply.head.request = OPROF_REQUEST_STATUS;
	expect_refused(&reply, -EPROTO, "does not match the request");
	reply = good_reply(1, 2);
	reply.slice = WITHOUT_SLICE;
	expect_refused(&reply, -EPROTO, "does not contain the samples");
	reply = good_reply(1, 2);
	(void)strcpy(reply.text, "begin_ns 1\nend_ns x\n");
	reply.head.size_bytes = (uint32_t)strlen(reply.text);
	expect_refused(&reply, -EPROTO, "does not contain the samples");
	reply.hang_up = true;
	expect_refused(&reply, -ECONNRESET, "ended before");
}
END_TEST

START_TEST(what_the_daemon_says_is_told)
{
	const struct client_patience patience = {1000, -1};
	struct reply reply = good_reply(1, 2);

	reply.head.status = -ENOMEM;
	(void)strcpy(reply.text, "error it is so\n");
	reply.head.size_bytes = (uint32_t)strlen(reply.text);
	expect_refused(&reply, -ENOMEM, "it is so");
	reply.head.status = -EOPNOTSUPP;
	expect_refused(&reply, -EOPNOTSUPP, "older than this program");
	stop_server();
	ck_assert_int_eq(client_recent(".", &(struct client_span){1, 0}, &patience, &recent, &diag),
			 -ENOTCONN);
	ck_assert_ptr_nonnull(strstr(diag.text, "opcontrol --start"));
	ck_assert_int_eq(client_probe("no/such", &diag), -ENOTCONN);
}
END_TEST

/* ---- stretches ---- */

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#define S INT64_C(1000000000)

/* Ask for the last seconds of a daemon that has memory_seconds of them. */
static int read_last(int seconds, int memory_seconds)
{
	int64_t now = now_ns();
	const struct time_range range = {.begin_ns = now - seconds * S, .end_ns = now};
	struct reply reply = good_reply(now - memory_seconds * S, now);
	struct session_parts parts;
	struct session_info info;
	int result;

	start_server(&reply);
	result = session_recent_read(&parts, &info, ".", "samples/current", &range);
	if (result)
		return result;
	ck_assert_uint_eq(parts.nr_slices, 1);
	ck_assert_uint_eq(parts.nr_live, 0);
	ck_assert_int_eq(parts.slices[0].end_ns, TOP_SLICE_END_NS);
	session_parts_deinit(&parts);
	session_info_deinit(&info);
	return 0;
}

START_TEST(memory_answers_for_what_it_holds_and_for_nothing_else)
{
	unsigned int before = nr_descriptors();
	char text[256];

	ck_assert_int_eq(read_last(60, 61), 0);
	ck_assert_int_eq(read_last(60, 50), 1);
	ck_assert_int_eq(read_last(86400, 90000), 1);
	/* The session has no earlier samples. */
	ck_assert_int_eq(file_make_dirs("samples/current/meta", 0700), 0);
	(void)snprintf(text, sizeof(text), "started %" PRId64 "\n", now_ns() - 50 * S);
	ck_assert_int_eq(file_replace("samples/current/meta/info", text, strlen(text), 0600), 0);
	ck_assert_int_eq(read_last(60, 50), 0);
	ck_assert_int_eq(read_last(60, 30), 1);
	ck_assert_uint_eq(nr_descriptors(), before);
}
END_TEST

/* The answer of a daemon that can end a range before now. */
static struct reply until_reply(int64_t begin_ns, int64_t end_ns)
{
	struct reply reply = good_reply(begin_ns, end_ns);

	(void)strcat(reply.text, "until_ns 1\n");
	reply.head.size_bytes = (uint32_t)strlen(reply.text);
	return reply;
}

static int read_range(const struct reply *reply, int64_t begin_ns, int64_t end_ns)
{
	const struct time_range range = {.begin_ns = begin_ns, .end_ns = end_ns};
	struct session_parts parts;
	struct session_info info;
	int result;

	start_server(reply);
	result = session_recent_read(&parts, &info, ".", "samples/current", &range);
	if (!result) {
		session_parts_deinit(&parts);
		session_info_deinit(&info);
	}
	return result;
}

START_TEST(a_range_that_ends_within_a_minute_is_read_from_memory)
{
	int64_t now = now_ns();
	int64_t minute = now / (60 * S) * 60 * S;
	int64_t end = now - 30 * S;
	struct reply reply = until_reply(now - 100 * S, end);
	char text[256];

	end += end % (60 * S) == 0; /* not the end of a minute */
	ck_assert_int_eq(read_range(&reply, now - 60 * S, end), 0);
	ck_assert_int_eq(read_range(&reply, now - 60 * S, TIME_RANGE_OPEN_END), 0);
	/* Memory does not reach back to the session's start; then it does. */
	ck_assert_int_eq(read_range(&reply, TIME_RANGE_OPEN_BEGIN, end), 1);
	ck_assert_int_eq(file_make_dirs("samples/current/meta", 0700), 0);
	(void)snprintf(text, sizeof(text), "started %" PRId64 "\n", now - 100 * S);
	ck_assert_int_eq(file_replace("samples/current/meta/info", text, strlen(text), 0600), 0);
	ck_assert_int_eq(read_range(&reply, TIME_RANGE_OPEN_BEGIN, end), 0);
	/* A slice ends with each minute, and what is older than memory is on disk, too. */
	ck_assert_int_eq(read_range(&reply, minute - 120 * S, minute - 60 * S), 1);
	ck_assert_int_eq(read_range(&reply, now - 7200 * S, now - 3600 * S + 1), 1);
}
END_TEST

START_TEST(an_older_daemon_and_an_empty_answer_leave_a_range_to_what_is_on_disk)
{
	int64_t now = now_ns();
	int64_t end = now - 30 * S + ((now - 30 * S) % (60 * S) == 0);
	struct reply older = good_reply(now - 100 * S, now);
	struct reply empty = until_reply(now - 100 * S, now - 100 * S);
	unsigned int before = nr_descriptors();

	ck_assert_int_eq(read_range(&older, now - 60 * S, end), 1);
	ck_assert_int_eq(read_range(&older, now - 60 * S, now), 0);
	ck_assert_int_eq(read_range(&empty, now - 60 * S, end), 1);
	ck_assert_uint_eq(nr_descriptors(), before);
}
END_TEST

START_TEST(a_daemon_that_gives_junk_or_is_not_there_is_passed_over)
{
	int64_t now = now_ns();
	const struct time_range range = {.begin_ns = now - 10 * S, .end_ns = now};
	struct reply reply = good_reply(now - 100 * S, now);
	struct session_parts parts;
	struct session_info info;

	reply.slice = WITH_JUNK;
	start_server(&reply);
	ck_assert_int_eq(session_recent_read(&parts, &info, ".", "samples/current", &range), 1);
	stop_server();
	ck_assert_int_eq(session_recent_read(&parts, &info, ".", "samples/current", &range), 1);
}
END_TEST

START_TEST(two_ranges_that_adjoin_divide_memory_at_the_same_point)
{
	const struct time_range range = {.begin_ns = 100 * S, .end_ns = 200 * S};
	/*
	 * The daemon has points at 99.5 and 200.3 s, and others from 0.9 s before and after them.
	 */
	const struct session_parts parts = {.begin_ns = 995 * S / 10, .end_ns = 2003 * S / 10};
	struct time_range later = {.begin_ns = 200 * S, .end_ns = 300 * S};
	struct time_range earlier = {.begin_ns = 50 * S, .end_ns = 100 * S};
	struct time_range brief = {.begin_ns = 200 * S, .end_ns = 2004 * S / 10};
	struct time_range overlapping = {.begin_ns = 150 * S, .end_ns = 300 * S};

	session_recent_adjoin(&later, &range, &parts);
	ck_assert_int_gt(later.begin_ns, parts.end_ns);
	ck_assert_int_lt(later.begin_ns, parts.end_ns + 9 * S / 10);
	ck_assert_int_eq(later.end_ns, 300 * S);
	session_recent_adjoin(&earlier, &range, &parts);
	ck_assert_int_lt(earlier.end_ns, parts.begin_ns);
	ck_assert_int_gt(earlier.end_ns, parts.begin_ns - 9 * S / 10);
	ck_assert_int_eq(earlier.begin_ns, 50 * S);
	session_recent_adjoin(&brief, &range, &parts);
	ck_assert_int_eq(brief.begin_ns, 200 * S);
	session_recent_adjoin(&overlapping, &range, &parts);
	ck_assert_int_eq(overlapping.begin_ns, 150 * S);
}
END_TEST

/* Returns the number of requests since the last call. */
static size_t nr_asked(void)
{
	char bytes[64];
	ssize_t nr = read(asked[0], bytes, sizeof(bytes));

	return nr > 0 ? (size_t)nr : 0;
}

START_TEST(a_report_up_to_now_has_the_daemon_store_what_it_has_and_others_do_not_ask)
{
	int64_t now = now_ns();
	const struct time_range old = {.begin_ns = now - 7200 * S, .end_ns = now - 3600 * S};
	const struct time_range open = {.begin_ns = now - 7200 * S, .end_ns = TIME_RANGE_OPEN_END};
	const struct time_range within = {.begin_ns = now - 60 * S,
					  .end_ns =
						  now - 30 * S + ((now - 30 * S) % (60 * S) == 0)};
	struct reply reply = good_reply(now - S, now);
	unsigned int before;

	ck_assert_int_eq(pipe2(asked, O_NONBLOCK | O_CLOEXEC), 0);
	start_server(&reply);
	before = nr_descriptors();
	ck_assert_int_eq(session_recent_settle(".", NULL, &diag), 0);
	ck_assert_uint_eq(nr_asked(), 1);
	ck_assert_int_eq(session_recent_settle(".", &open, &diag), 0);
	ck_assert_uint_eq(nr_asked(), 1);
	/* session_recent_read() would ask for this range. */
	ck_assert_int_eq(session_recent_settle(".", &within, &diag), 0);
	ck_assert_uint_eq(nr_asked(), 1);
	ck_assert_int_eq(session_recent_settle(".", &old, &diag), 1);
	ck_assert_uint_eq(nr_asked(), 0);
	ck_assert_uint_eq(nr_descriptors(), before);
	stop_server();
	ck_assert_int_eq(session_recent_settle(".", NULL, &diag), -ENOTCONN);
	ck_assert_uint_eq(nr_descriptors(), before);
}
END_TEST

static void teardown(void)
{
	stop_server();
	test_folder_teardown();
}

int main(void)
{
	TCase *tc = tcase_create("client_recent");

	tcase_add_checked_fixture(tc, test_folder_setup, teardown);
	tcase_add_test(tc, a_slice_comes_with_its_stretch);
	tcase_add_test(tc, answers_that_are_none_are_refused_and_leave_no_descriptor);
	tcase_add_test(tc, what_the_daemon_says_is_told);
	tcase_add_test(tc, memory_answers_for_what_it_holds_and_for_nothing_else);
	tcase_add_test(tc, a_range_that_ends_within_a_minute_is_read_from_memory);
	tcase_add_test(tc, an_older_daemon_and_an_empty_answer_leave_a_range_to_what_is_on_disk);
	tcase_add_test(tc,
		       a_report_up_to_now_has_the_daemon_store_what_it_has_and_others_do_not_ask);
	tcase_add_test(tc, a_daemon_that_gives_junk_or_is_not_there_is_passed_over);
	tcase_add_test(tc, two_ranges_that_adjoin_divide_memory_at_the_same_point);
	return test_run(tc);
}
