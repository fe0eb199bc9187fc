// SPDX-License-Identifier: GPL-2.0-or-later
#include "session/session_info.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct make_session session;
static struct session_info info;
static struct diag diag;

static void setup(void)
{
	make_session_init(&session);
}

static void teardown(void)
{
	session_info_deinit(&info);
	make_session_deinit(&session);
}

static int load(void)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/samples/current", session.dir);
	session_info_deinit(&info);
	return session_info_load(&info, path, &diag);
}

static void write_meta(const char *name, const char *text)
{
	make_session_meta(&session, name, text, strlen(text));
}

START_TEST(a_session_without_meta_files_is_no_error)
{
	ck_assert_int_eq(load(), 0);
	ck_assert_ptr_null(info.host);
	ck_assert_uint_eq(info.nr_events, 0);
	ck_assert_uint_eq(info.nr_stats, 0);
	ck_assert_uint_eq(session_info_stat(&info, "seen"), 0);
}
END_TEST

START_TEST(info_is_read_and_unknown_keys_are_skipped)
{
	write_meta(
		"info",
		"version 1\nhost box\nsource perf\ncpu_type A CPU 3000\n"
		"cpu_khz 2400000\nseparation lib\nstarted 123\nfuture x y\nnote user_only no kernel here\n"
		"event 0 cpu-clock hz 997 0 1 1 time on the CPU\n"
		"event 1 page-faults period 10 0x0f 0 1\n");
	ck_assert_int_eq(load(), 0);
	ck_assert_str_eq(info.host, "box");
	ck_assert_str_eq(info.source, "perf");
	ck_assert_str_eq(info.cpu_type, "A CPU 3000");
	ck_assert_str_eq(info.separation, "lib");
	ck_assert_uint_eq(info.cpu_khz, 2400000);
	ck_assert_int_eq(info.started_ns, 123);
	ck_assert_uint_eq(info.nr_notes, 1);
	ck_assert_str_eq(info.notes[0].name, "user_only");
	ck_assert_str_eq(info.notes[0].text, "no kernel here");
	ck_assert_uint_eq(info.nr_events, 2);
	ck_assert(info.events[0].frequency);
	ck_assert_uint_eq(info.events[0].period_or_hz, 997);
	ck_assert_str_eq(info.events[0].description, "time on the CPU");
	ck_assert_uint_eq(info.events[1].unit_mask, 15);
	ck_assert(!info.events[1].kernel);
	ck_assert_str_eq(info.events[1].description, "");
	ck_assert_ptr_eq(session_info_event(&info, "page-faults"), &info.events[1]);
	ck_assert_ptr_null(session_info_event(&info, "other"));
	ck_assert_uint_eq(info.nr_bad_lines, 0);
}
END_TEST

START_TEST(what_is_empty_is_not_known)
{
	write_meta("info", "version 1\nhost \nsource perf.data\ncpu_type \n");
	ck_assert_int_eq(load(), 0);
	ck_assert_ptr_null(info.host);
	ck_assert_ptr_null(info.cpu_type);
	ck_assert_str_eq(info.source, "perf.data");
}
END_TEST

START_TEST(lines_that_make_no_sense_are_counted_and_skipped)
{
	write_meta("info",
		   "event\nevent x y z\nevent 0 e often 1 0 1 1 d\n"
		   "event 0 e hz 1 0 1\ncpu_khz fast\nstarted -1\nnote\nnote empty\nhost box");
	write_meta("cgroups", "1\nx /a\n2 /b c\n");
	ck_assert_int_eq(load(), 0);
	ck_assert_uint_eq(info.nr_bad_lines, 10);
	ck_assert_str_eq(info.host, "box");
	ck_assert_str_eq(session_info_cgroup(&info, 2), "/b c");
	ck_assert_ptr_null(session_info_cgroup(&info, 1));
}
END_TEST

static const struct {
	const char *line;
	bool good;
} event_lines[] = {
	{"event 4294967295 e period 1 0 1 1 d", true},
	{"event 4294967296 e period 1 0 1 1 d", false},
	{"event x e period 1 0 1 1 d", false},
	{"event 0 e period 18446744073709551615 0 1 1 d", true},
	{"event 0 e period 18446744073709551616 0 1 1 d", false},
	{"event 0 e period x 0 1 1 d", false},
	{"event 0 e period 1 4294967295 1 1 d", true},
	{"event 0 e period 1 4294967296 1 1 d", false},
	{"event 0 e period 1 x 1 1 d", false},
	{"event 0 e period 1 0 x 1 d", false},
	{"event 0 e period 1 0 1 x d", false},
	{"event 0 e period 1 0 1 1", true}, /* without a description */
	{"event 0 e period 1 0 1", false},
	{"event 0 e period 1 0", false},
	{"event 0 e period 1", false},
	{"event 0 e period", false},
	{"event 0 e", false},
	{"event 0", false},
	{"event 0 e khz 1 0 1 1 d", false},
};

START_TEST(a_line_of_an_event_is_kept_whole_or_counted_as_bad)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "%s\nhost box\n", event_lines[_i].line);
	write_meta("info", text);
	ck_assert_int_eq(load(), 0);
	ck_assert_uint_eq(info.nr_events, event_lines[_i].good);
	ck_assert_uint_eq(info.nr_bad_lines, !event_lines[_i].good);
	ck_assert_str_eq(info.host, "box");
}
END_TEST

/* A daemon may be appending a line while it is read. */
START_TEST(a_line_of_a_cgroup_that_is_being_written_is_left_alone)
{
	write_meta("cgroups", "0 /a\n1 /user.slice/us");
	ck_assert_int_eq(load(), 0);
	ck_assert_uint_eq(info.nr_cgroups, 1);
	ck_assert_uint_eq(info.nr_bad_lines, 0);
	ck_assert_ptr_null(session_info_cgroup(&info, 1));
	write_meta("cgroups", "0");
	ck_assert_int_eq(load(), 0);
	ck_assert_uint_eq(info.nr_cgroups + info.nr_bad_lines, 0);
}
END_TEST

START_TEST(an_event_that_an_appended_run_repeats_is_kept_once)
{
	write_meta("info", "event 0 e hz 1 0 1 1 old\nevent 0 e hz 1 0 1 1 new\n");
	ck_assert_int_eq(load(), 0);
	ck_assert_uint_eq(info.nr_events, 1);
	ck_assert_str_eq(info.events[0].description, "new");
}
END_TEST

START_TEST(what_is_written_is_read_again)
{
	struct session_event events[] = {
		{"cpu-clock", true, 997, 0, true, false, "time on\na CPU"},
		{"cpu-clock", true, 997, 0, true, true, ""},
	};
	struct session_note notes[] = {{"user_only", "no kernel here"}};
	const struct session_info written = {
		.version = "1",
		.host = "",
		.target = "system",
		.separation = "lib,kernel",
		.cpu_khz = 5,
		.clock = 1,
		.started_ns = 12,
		.events = events,
		.nr_events = 2,
		.notes = notes,
		.nr_notes = 1,
	};
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/info", session.dir);
	ck_assert_int_eq(session_info_write(&written, path), 0);
	session_info_deinit(&info);
	ck_assert_int_eq(session_info_read(&info, path), 0);
	ck_assert_str_eq(info.version, "1");
	ck_assert_ptr_null(info.host);
	ck_assert_ptr_null(info.source);
	ck_assert_str_eq(info.target, "system");
	ck_assert_str_eq(info.separation, "lib,kernel");
	ck_assert_uint_eq(info.cpu_khz, 5);
	ck_assert_uint_eq(info.clock, 1);
	ck_assert_int_eq(info.started_ns, 12);
	ck_assert_uint_eq(info.nr_events, 2); /* of the same name, but different */
	ck_assert_str_eq(info.events[0].description, "time on a CPU");
	ck_assert(!info.events[0].user);
	ck_assert_str_eq(info.notes[0].text, "no kernel here");
	ck_assert_uint_eq(info.nr_bad_lines, 0);
}
END_TEST

START_TEST(counters_are_read_by_name)
{
	const struct make_stat stats[] = {{"seen", 10}, {"lost_no_task", UINT64_MAX}};

	make_session_stats(&session, stats, 2);
	ck_assert_int_eq(load(), 0);
	ck_assert_uint_eq(info.nr_stats, 2);
	ck_assert_uint_eq(session_info_stat(&info, "seen"), 10);
	ck_assert_uint_eq(session_info_stat(&info, "lost_no_task"), UINT64_MAX);
}
END_TEST

START_TEST(counters_of_another_version_are_refused)
{
	struct oprof_stats_file head = {.version = OPROF_STATS_VERSION + 1};

	memcpy(head.magic, OPROF_STATS_MAGIC, sizeof(head.magic));
	make_session_meta(&session, "stats", &head, sizeof(head));
	ck_assert_int_eq(load(), -EILSEQ);
	ck_assert_uint_eq(info.nr_stats, 0);
}
END_TEST

/* A daemon has made the file and writes its magic last. */
START_TEST(counters_that_are_being_begun_are_none_yet)
{
	const struct {
		struct oprof_stats_file head;
		struct oprof_stats_entry entries[3];
	} file = {.head = {.nr_entries = (uint32_t)_i}};

	make_session_meta(&session, "stats", &file, _i ? sizeof(file) : 0);
	ck_assert_int_eq(load(), 0);
	ck_assert_uint_eq(info.nr_stats, 0);
}
END_TEST

START_TEST(damaged_counters_are_refused_and_the_rest_is_kept)
{
	write_meta("stats", "not counters, but as long as their header");
	write_meta("info", "host box\n");
	ck_assert_int_eq(load(), -EILSEQ);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "meta/stats"));
	ck_assert_str_eq(info.host, "box");
}
END_TEST

START_TEST(counters_that_claim_more_than_the_file_holds_are_cut)
{
	struct {
		struct oprof_stats_file head;
		struct oprof_stats_entry entry;
		char rest[5];
	} file = {.head = {.version = OPROF_STATS_VERSION, .nr_entries = UINT32_MAX}};

	memcpy(file.head.magic, OPROF_STATS_MAGIC, sizeof(file.head.magic));
	memset(file.entry.name, 'x', sizeof(file.entry.name));
	make_session_meta(&session, "stats", &file, sizeof(file.head) + sizeof(file.entry) + 5);
	ck_assert_int_eq(load(), 0);
	ck_assert_uint_eq(info.nr_stats, 1);
	ck_assert_uint_eq(strlen(info.stats[0].name), OPROF_STATS_NAME_BYTES - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session_info");
	TCase *tests = tcase_create("session_info");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_session_without_meta_files_is_no_error);
	tcase_add_test(tests, info_is_read_and_unknown_keys_are_skipped);
	tcase_add_test(tests, what_is_empty_is_not_known);
	tcase_add_test(tests, lines_that_make_no_sense_are_counted_and_skipped);
	tcase_add_loop_test(tests, a_line_of_an_event_is_kept_whole_or_counted_as_bad, 0,
			    sizeof(event_lines) / sizeof(event_lines[0]));
	tcase_add_test(tests, an_event_that_an_appended_run_repeats_is_kept_once);
	tcase_add_test(tests, a_line_of_a_cgroup_that_is_being_written_is_left_alone);
	tcase_add_loop_test(tests, counters_that_are_being_begun_are_none_yet, 0, 2);
	tcase_add_test(tests, what_is_written_is_read_again);
	tcase_add_test(tests, counters_are_read_by_name);
	tcase_add_test(tests, counters_of_another_version_are_refused);
	tcase_add_test(tests, damaged_counters_are_refused_and_the_rest_is_kept);
	tcase_add_test(tests, counters_that_claim_more_than_the_file_holds_are_cut);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
