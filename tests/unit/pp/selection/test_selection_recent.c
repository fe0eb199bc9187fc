// SPDX-License-Identifier: GPL-2.0-or-later
/* Two sides and the memory of a daemon, whose answers a child of the test gives. */
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/key_value.h"
#include "oprof/control.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/top_slice.h"

#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define S INT64_C(1000000000)

static struct make_session session;
static struct make_profile made;
static struct diag diag;
static pid_t daemon_pid;

/* ---- the daemon ---- */

static void answer(int client, int64_t memory_ns, const char *request)
{
	int64_t now = clock_realtime_ns();
	int64_t last_ns = (int64_t)key_value_number(request, "last_ns", 0);
	int64_t until_ns = (int64_t)key_value_number(request, "until_ns", 0);
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = ""};
	struct {
		struct oprof_message head;
		char text[256];
	} packet = {.head = {.magic = OPROF_CONTROL_MAGIC,
			     .version = OPROF_CONTROL_VERSION,
			     .request = OPROF_REQUEST_RECENT}};
	/* Memory reaches back a minute or more, or begins later than it was asked for. */
	int64_t begin_ns = last_ns < memory_ns ? now - last_ns - 60 * S : now - memory_ns;
	struct iovec part = {&packet, sizeof(packet.head)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	int fd = top_slice_make_at(now - last_ns, now - until_ns);

	packet.head.size_bytes = (uint32_t)snprintf(packet.text, sizeof(packet.text),
						    "begin_ns %" PRId64 "\nend_ns %" PRId64
						    "\nuntil_ns %" PRId64 "\n",
						    begin_ns, now - until_ns, until_ns);
	part.iov_len += packet.head.size_bytes;
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	(void)sendmsg(client, &message, MSG_NOSIGNAL);
	(void)close(fd);
}

__attribute__((noreturn)) static void serve(int listener, int64_t memory_ns)
{
	char packet[1024];

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int client = accept(listener, NULL, NULL);
		ssize_t nr = recv(client, packet, sizeof(packet) - 1, 0);

		if (nr < (ssize_t)sizeof(struct oprof_message))
			_exit(1);
		packet[nr] = '\0';
		answer(client, memory_ns, packet + sizeof(struct oprof_message));
		(void)close(client);
	}
}

/* Starts a daemon whose memory reaches back so far. */
static void start_daemon(int64_t memory_ns)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int nr = snprintf(name.sun_path, sizeof(name.sun_path), "%s/" OPROF_CONTROL_NAME,
			  session.dir);

	ck_assert_int_lt(nr, (int)sizeof(name.sun_path));
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&name, sizeof(name)), 0);
	ck_assert_int_eq(listen(fd, 8), 0);
	daemon_pid = fork();
	ck_assert_int_ge(daemon_pid, 0);
	if (!daemon_pid)
		serve(fd, memory_ns);
	(void)close(fd);
}

/* ---- tests ---- */

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){.selection_options = {.ask_daemon = true, .merge = MERGE_ALL}};
}

static void teardown(void)
{
	if (daemon_pid > 0) {
		(void)kill(daemon_pid, SIGKILL);
		(void)waitpid(daemon_pid, NULL, 0);
	}
	make_session_deinit(&session);
}

/* Selects the seconds from 400 to 200 before now, and from then to now. */
static int compare_ranges(void)
{
	int64_t now = clock_realtime_ns() / S;
	int64_t middle = now - 200;
	char words[160];

	middle += middle % 60 == 0; /* a range that ends with a minute is read from slices */
	(void)snprintf(words, sizeof(words),
		       "{ event:cpu-clock time:@%" PRId64 "..@%" PRId64
		       " } { event:cpu-clock time:@%" PRId64 "..@%" PRId64 " }",
		       middle - 200, middle, middle, now + 3600);
	return make_profile_select(&made, &session, words, &diag);
}

static const struct selection_session *session_of(size_t side)
{
	return &made.selection.sessions[made.selection.sides[side].first_session];
}

START_TEST(two_ranges_are_both_read_from_memory)
{
	start_daemon(600 * S);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a", .epoch = 1}, 1, 1);
	ck_assert_msg(!compare_ranges(), "%s", diag_show(&diag));
	for (size_t i = 0; i < 2; i++) {
		ck_assert(session_of(i)->from_memory);
		ck_assert_uint_eq(session_of(i)->parts.nr_slices, 1);
		ck_assert_uint_eq(session_of(i)->parts.nr_live, 0);
		ck_assert(!made.selection.sides[i].shared);
	}
	ck_assert_int_lt(session_of(0)->parts.begin_ns, session_of(1)->parts.begin_ns);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(both_are_read_from_files_if_memory_has_only_one)
{
	int64_t now = clock_realtime_ns();

	start_daemon(300 * S);
	for (int i = 0; i < 2; i++)
		make_session_slice(&session,
				   &(struct make_slice_head){
					   .level = OPROF_SLICE_MINUTE,
					   .epoch_first = (uint64_t)i + 1,
					   .epoch_last = (uint64_t)i + 1,
					   .begin_ns = now - (i ? 100 : 350) * S,
					   .end_ns = now - (i ? 40 : 290) * S,
				   },
				   &(struct make_slice_part){{.app = "/a"}, 1, 1}, 1, NULL);
	ck_assert_msg(!compare_ranges(), "%s", diag_show(&diag));
	for (size_t i = 0; i < 2; i++) {
		ck_assert(!session_of(i)->from_memory);
		ck_assert_uint_eq(session_of(i)->parts.nr_slices, 1);
		ck_assert_str_ne(session_of(i)->parts.slices[0].path, "the daemon's memory");
	}
	make_profile_deinit(&made);
}
END_TEST

/* Selects from 2000 s before now to 20 s before now, of a slice and a live file that follows. */
static int64_t select_range(void)
{
	int64_t now = clock_realtime_ns() / S;
	int64_t end = now - 20;
	char words[96];

	end += end % 60 == 0; /* a range that ends with a minute is read from slices */
	make_session_slice(&session,
			   &(struct make_slice_head){
				   .level = OPROF_SLICE_MINUTE,
				   .epoch_first = 1,
				   .epoch_last = 1,
				   .begin_ns = (now - 120) * S,
				   .end_ns = (now - 60) * S,
			   },
			   &(struct make_slice_part){{.app = "/a"}, 1, 1}, 1, NULL);
	make_session_add_one(&session,
			     &(struct make_file){.app = "/a",
						 .epoch = 2,
						 .start_time_ns = (now - 60) * S,
						 .end_time_ns = now * S},
			     1, 1);
	(void)snprintf(words, sizeof(words), "time:@%" PRId64 "..@%" PRId64, now - 2000, end);
	ck_assert_msg(!make_profile_select(&made, &session, words, &diag), "%s", diag_show(&diag));
	return end * S;
}

START_TEST(a_range_that_begins_before_memory_has_the_live_minute_up_to_its_end)
{
	const struct session_parts *parts;
	int64_t before = clock_realtime_ns();
	int64_t end_ns;

	start_daemon(300 * S);
	end_ns = select_range();
	parts = &session_of(0)->parts;
	ck_assert_uint_eq(parts->nr_slices, 2);
	ck_assert_uint_eq(parts->nr_live, 0);
	ck_assert_str_eq(parts->slices[1].path, "the daemon's memory");
	/* The daemon ends the range later by as much as passes until it answers. */
	ck_assert_int_ge(parts->slices[1].end_ns, end_ns);
	ck_assert_int_le(parts->slices[1].end_ns, end_ns + clock_realtime_ns() - before);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(it_has_the_live_minute_whole_if_memory_begins_within_it)
{
	const struct session_parts *parts;

	start_daemon(30 * S);
	(void)select_range();
	parts = &session_of(0)->parts;
	ck_assert_uint_eq(parts->nr_slices, 1);
	ck_assert_uint_eq(parts->nr_live, 1);
	make_profile_deinit(&made);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("selection_recent");
	TCase *tests = tcase_create("selection_recent");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, two_ranges_are_both_read_from_memory);
	tcase_add_test(tests, both_are_read_from_files_if_memory_has_only_one);
	tcase_add_test(tests, a_range_that_begins_before_memory_has_the_live_minute_up_to_its_end);
	tcase_add_test(tests, it_has_the_live_minute_whole_if_memory_begins_within_it);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
