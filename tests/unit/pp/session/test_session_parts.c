// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/session_parts.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "lib/file.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MINUTE INT64_C(60000000000)
#define SECOND INT64_C(1000000000)
#define BEGIN  INT64_C(1795183200000000000)

static struct make_session session;
static struct session_parts parts;
static struct session_info info;
static char session_path[512];
static struct time_range range;
static unsigned int nr_skipped;

static void setup(void)
{
	make_session_init(&session);
	(void)snprintf(session_path, sizeof(session_path), "%s/samples/current", session.dir);
	range = (struct time_range){TIME_RANGE_OPEN_BEGIN, TIME_RANGE_OPEN_END, false};
	nr_skipped = 0;
}

static void teardown(void)
{
	make_session_deinit(&session);
}

static bool all_wanted(const struct slice_section *section, void *context)
{
	(void)context;
	return *section->event != '\0';
}

static void skip(const char *path, const struct diag *diag)
{
	ck_assert_str_ne(path, "");
	ck_assert_str_ne(diag->text, "");
	nr_skipped++;
}

static void read_session(const struct time_range *wanted)
{
	const struct session_parts_options options = {
		.range = wanted, .wanted = all_wanted, .skip = skip};
	struct diag diag;
	int error = session_parts_read(&parts, &info, session_path, &options, &diag);

	ck_assert_msg(!error, "%s", diag_show(&diag));
}

static void forget(void)
{
	session_parts_deinit(&parts);
	session_info_deinit(&info);
}

/* Samples of all parts that were read. */
static uint64_t sum(void)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < parts.nr_slices; i++)
		nr += slice_header(parts.slices[i].slice)->nr_samples;
	for (size_t i = 0; i < parts.nr_live; i++)
		nr += parts.live[i].samples ? parts.live[i].samples->nr_samples : 0;
	return nr;
}

/* Add the minute that begins epoch - 1 minutes after BEGIN. */
static void add_minute(uint64_t epoch, uint64_t nr_samples)
{
	const struct make_stat begin[] = {{"seen", 100 * (epoch - 1)},
					  {"stored", 90 * (epoch - 1)}};
	const struct make_stat end[] = {{"seen", 100 * epoch}, {"stored", 90 * epoch}};

	make_session_slice(&session,
			   &(struct make_slice_head){
				   .level = OPROF_SLICE_MINUTE,
				   .epoch_first = epoch,
				   .epoch_last = epoch,
				   .begin_ns = BEGIN + (int64_t)(epoch - 1) * MINUTE,
				   .end_ns = BEGIN + (int64_t)epoch * MINUTE,
				   .begin = begin,
				   .end = end,
				   .nr_stats = 2,
			   },
			   &(struct make_slice_part){{.app = "/bin/a"}, 1, nr_samples}, 1, NULL);
}

static void add_live(uint64_t epoch, const char *app, uint64_t nr_samples)
{
	make_session_add_one(&session,
			     &(struct make_file){
				     .app = app,
				     .epoch = epoch,
				     .start_time_ns = BEGIN + (int64_t)(epoch - 1) * MINUTE + 1,
				     .end_time_ns = BEGIN + (int64_t)epoch * MINUTE - 1,
			     },
			     1, nr_samples);
}

START_TEST(slices_and_live_files_are_parts_alike)
{
	add_minute(1, 10);
	add_minute(2, 20);
	add_live(3, "/bin/a", 40);
	read_session(NULL);
	ck_assert_uint_eq(parts.nr_slices, 2);
	ck_assert_uint_eq(parts.nr_live, 1);
	ck_assert_str_eq(parts.live[0].section.image.path, "/bin/a");
	ck_assert_uint_eq(sum(), 70);
	ck_assert_int_eq(parts.begin_ns, BEGIN);
	ck_assert_int_eq(parts.end_ns, BEGIN + 3 * MINUTE - 1);
	forget();
}
END_TEST

/* If parts were missing without an error, a report would silently lack samples. */
START_TEST(without_memory_a_session_is_read_whole_or_not_at_all)
{
	const struct session_parts_options options = {.wanted = all_wanted, .skip = skip};
	unsigned long nth = 1;
	int failed = 1;

	add_minute(1, 10);
	add_minute(2, 20);
	add_live(3, "/bin/a", 40);
	for (; failed; nth++) {
		struct diag diag;
		int error;

		failing_begin(FAILING_MEMORY, nth, 0);
		error = session_parts_read(&parts, &info, session_path, &options, &diag);
		failed = failing_end();
		if (error) {
			ck_assert_msg(error == -ENOMEM, "allocation %lu: %d", nth, error);
			ck_assert_msg(failed, "%s", diag_show(&diag));
		} else {
			ck_assert_msg(sum() == 70, "allocation %lu: %lu samples", nth,
				      (unsigned long)sum());
		}
		forget();
	}
	ck_assert_uint_eq(nr_skipped, 0);
	ck_assert_uint_gt(nth, 10);
}
END_TEST

START_TEST(live_files_of_an_epoch_that_a_slice_holds_count_for_nothing)
{
	add_minute(1, 10);
	add_minute(2, 20);
	add_live(2, "/bin/a", 20);
	add_live(1, "/bin/b", 5);
	add_live(3, "/bin/c", 1);
	read_session(NULL);
	ck_assert_uint_eq(parts.nr_live, 1);
	ck_assert_str_eq(parts.live[0].section.app.path, "/bin/c");
	ck_assert_uint_eq(sum(), 31);
	forget();
}
END_TEST

START_TEST(a_slice_that_another_holds_counts_for_nothing)
{
	add_minute(1, 10);
	add_minute(2, 20);
	make_session_slice(&session,
			   &(struct make_slice_head){
				   .level = OPROF_SLICE_HOUR,
				   .epoch_first = 1,
				   .epoch_last = 2,
				   .begin_ns = BEGIN,
				   .end_ns = BEGIN + 2 * MINUTE,
			   },
			   &(struct make_slice_part){{.app = "/bin/a"}, 1, 30}, 1, NULL);
	add_minute(3, 5);
	read_session(NULL);
	ck_assert_uint_eq(parts.nr_slices, 2);
	ck_assert_uint_eq(sum(), 35);
	forget();
}
END_TEST

START_TEST(live_files_without_epochs_are_left_where_they_are)
{
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 1, 3);
	read_session(NULL);
	ck_assert_uint_eq(parts.nr_live, 1);
	ck_assert_ptr_null(parts.live[0].samples);
	ck_assert_ptr_nonnull(strstr(parts.live[0].path, "/bin/a/"));
	forget();
}
END_TEST

START_TEST(a_stretch_takes_what_it_touches_and_no_more)
{
	for (uint64_t epoch = 1; epoch <= 4; epoch++)
		add_minute(epoch, epoch);
	add_live(5, "/bin/a", 100);
	range.begin_ns = BEGIN + MINUTE + MINUTE / 2;
	range.end_ns = BEGIN + 2 * MINUTE + MINUTE / 2;
	read_session(&range);
	ck_assert_uint_eq(sum(), 2 + 3);
	ck_assert_int_eq(parts.begin_ns, BEGIN + MINUTE);
	ck_assert_int_eq(parts.end_ns, BEGIN + 3 * MINUTE);
	ck_assert_int_eq(parts.nr_ns, 2 * MINUTE);
	ck_assert(!parts.has_live);
	forget();
	range.begin_ns = BEGIN + 4 * MINUTE + MINUTE / 2;
	range.end_ns = TIME_RANGE_OPEN_END;
	read_session(&range);
	ck_assert_uint_eq(sum(), 100);
	forget();
}
END_TEST

START_TEST(a_slice_that_reaches_in_by_a_moment_is_not_meant)
{
	for (uint64_t epoch = 1; epoch <= 3; epoch++)
		add_minute(epoch, epoch);
	/* Within the time that the first slice may have been closed late. */
	range.begin_ns = BEGIN + MINUTE - SECOND;
	range.end_ns = BEGIN + 2 * MINUTE - SECOND;
	read_session(&range);
	ck_assert_uint_eq(sum(), 2);
	forget();
	range.begin_ns = BEGIN + MINUTE - 10 * SECOND;
	read_session(&range);
	ck_assert_uint_eq(sum(), 1 + 2);
	forget();
	/* The range that is asked for may be that short. */
	range.begin_ns = BEGIN + SECOND;
	range.end_ns = BEGIN + 2 * SECOND;
	read_session(&range);
	ck_assert_uint_eq(sum(), 1);
	forget();
	range.end_ns = TIME_RANGE_OPEN_END;
	range.begin_ns = BEGIN + 2 * MINUTE - SECOND;
	read_session(&range);
	ck_assert_uint_eq(sum(), 3);
	forget();
}
END_TEST

START_TEST(a_stretch_with_nothing_in_it_says_what_is_near)
{
	add_minute(1, 1);
	add_minute(5, 1);
	range.begin_ns = BEGIN + 2 * MINUTE;
	range.end_ns = BEGIN + 3 * MINUTE;
	read_session(&range);
	ck_assert_uint_eq(parts.nr_slices + parts.nr_live, 0);
	ck_assert_int_eq(parts.before_ns, BEGIN + MINUTE);
	ck_assert_int_eq(parts.after_ns, BEGIN + 4 * MINUTE);
	ck_assert_int_eq(parts.oldest_ns, BEGIN);
	ck_assert_int_eq(parts.newest_ns, BEGIN + 5 * MINUTE);
	forget();
}
END_TEST

static uint64_t counted(const char *name)
{
	struct counters counters = {0};
	uint64_t value;

	ck_assert_int_eq(session_parts_count(&parts, &counters), 0);
	value = counters_get(&counters, name);
	counters_deinit(&counters);
	return value;
}

START_TEST(counters_are_of_the_stretch)
{
	const struct make_stat now[] = {{"seen", 430}, {"stored", 400}, {"new", 7}};

	for (uint64_t epoch = 1; epoch <= 4; epoch++)
		add_minute(epoch, epoch);
	add_live(5, "/bin/a", 30);
	make_session_stats(&session, now, 3);
	read_session(NULL);
	ck_assert_uint_eq(counted("seen"), 430);
	forget();
	range.begin_ns = BEGIN + MINUTE;
	range.end_ns = BEGIN + 3 * MINUTE - 1;
	read_session(&range);
	ck_assert_uint_eq(counted("seen"), 200);
	forget();
	range.begin_ns = BEGIN + 4 * MINUTE + 5;
	range.end_ns = TIME_RANGE_OPEN_END;
	read_session(&range);
	ck_assert_uint_eq(counted("seen"), 30);
	ck_assert_uint_eq(counted("stored"), 40);
	ck_assert_uint_eq(counted("new"), 7);
	forget();
}
END_TEST

START_TEST(damaged_slices_are_told_and_left_out)
{
	char path[PATH_MAX];

	add_minute(1, 10);
	add_minute(2, 20);
	(void)snprintf(path, sizeof(path), "%s/history/minute.1.1.slice", session_path);
	ck_assert_int_eq(truncate(path, 700), 0);
	read_session(NULL);
	ck_assert_uint_eq(sum(), 20);
	ck_assert_uint_eq(parts.nr_damaged, 1);
	ck_assert_uint_eq(nr_skipped, 1);
	forget();
}
END_TEST

START_TEST(what_is_left_out_is_counted_no_more)
{
	add_minute(1, 10);
	add_minute(2, 20);
	add_live(3, "/bin/a", 30);
	range.begin_ns = BEGIN;
	read_session(&range);
	ck_assert_uint_eq(counted("seen"), 200);
	session_parts_drop_slice(&parts, 0);
	ck_assert_uint_eq(counted("seen"), 100);
	ck_assert_int_eq(parts.begin_ns, BEGIN + MINUTE);
	session_parts_drop_live(&parts);
	ck_assert_int_eq(parts.end_ns, BEGIN + 2 * MINUTE);
	ck_assert_int_eq(parts.nr_ns, MINUTE);
	ck_assert_uint_eq(sum(), 20);
	forget();
}
END_TEST

/* Simulates a daemon that closes an epoch each time a file is read. */
static uint64_t closing_epoch;

static bool close_meanwhile(const struct slice_section *section, void *context)
{
	unsigned int *nr_closes = context;

	if (*nr_closes && !strcmp(section->app.path, "/bin/a")) {
		(*nr_closes)--;
		add_minute(closing_epoch, 40);
		closing_epoch++;
	}
	return true;
}

static int read_while_closing(unsigned int nr_closes)
{
	const struct session_parts_options options = {
		.wanted = close_meanwhile, .context = &nr_closes, .skip = skip};
	struct diag diag;

	return session_parts_read(&parts, &info, session_path, &options, &diag);
}

START_TEST(an_epoch_closed_while_it_is_read_counts_once)
{
	add_minute(1, 10);
	add_live(2, "/bin/a", 40);
	closing_epoch = 2;
	ck_assert_int_eq(read_while_closing(1), 0);
	ck_assert_uint_eq(sum(), 50);
	ck_assert_uint_eq(parts.nr_slices, 2);
	ck_assert_uint_eq(parts.nr_live, 0);
	forget();
}
END_TEST

START_TEST(damage_is_reported_once_however_often_a_session_is_read)
{
	char path[600];

	add_minute(1, 10);
	add_live(1000, "/bin/a", 40);
	(void)snprintf(path, sizeof(path), "%s/" OPROF_SLICE_FOLDER "/minute.2.2.slice",
		       session_path);
	ck_assert_int_eq(file_replace(path, "damaged", 7, 0600), 0);
	closing_epoch = 3;
	ck_assert_int_eq(read_while_closing(3), 0);
	ck_assert_uint_eq(parts.nr_damaged, 1);
	ck_assert_uint_eq(nr_skipped, 1);
	forget();
}
END_TEST

/* Simulates a daemon that adds a cgroup and a file of it while the other files are read. */
static bool begin_cgroup(const struct slice_section *section, void *context)
{
	static const char cgroups[] = "0 /old.slice\n1 /new.slice\n";
	const struct make_file file = {
		.app = "/usr/new", .cgroup = 1, .cgroup_path = "/new.slice", .epoch = 1};

	(void)context;
	if (!strcmp(section->app.path, "/bin/a")) {
		make_session_meta(&session, "cgroups", cgroups, strlen(cgroups));
		make_session_add_one(&session, &file, 1, 1);
	}
	return true;
}

START_TEST(a_cgroup_that_begins_while_a_session_is_read_has_its_name)
{
	const struct session_parts_options options = {.wanted = begin_cgroup, .skip = skip};
	const char *found = NULL;
	struct diag diag;

	make_session_meta(&session, "cgroups", "0 /old.slice\n", strlen("0 /old.slice\n"));
	add_live(1, "/bin/a", 1);
	add_live(1, "/usr/b", 1);
	ck_assert_int_eq(session_parts_read(&parts, &info, session_path, &options, &diag), 0);
	ck_assert_uint_eq(parts.nr_live, 3);
	for (size_t i = 0; i < parts.nr_live; i++)
		if (parts.live[i].section.cgroup)
			found = parts.live[i].section.cgroup;
	ck_assert_ptr_nonnull(found);
	ck_assert_str_eq(found, "/new.slice");
	forget();
}
END_TEST

START_TEST(a_session_that_never_holds_still_is_an_error)
{
	add_minute(1, 10);
	add_live(1000, "/bin/a", 40);
	closing_epoch = 2;
	ck_assert_int_eq(read_while_closing(500), -EAGAIN);
	forget();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session_parts");
	TCase *tests = tcase_create("session_parts");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, slices_and_live_files_are_parts_alike);
	tcase_add_test(tests, without_memory_a_session_is_read_whole_or_not_at_all);
	tcase_add_test(tests, live_files_of_an_epoch_that_a_slice_holds_count_for_nothing);
	tcase_add_test(tests, a_slice_that_another_holds_counts_for_nothing);
	tcase_add_test(tests, live_files_without_epochs_are_left_where_they_are);
	tcase_add_test(tests, a_stretch_takes_what_it_touches_and_no_more);
	tcase_add_test(tests, a_slice_that_reaches_in_by_a_moment_is_not_meant);
	tcase_add_test(tests, a_stretch_with_nothing_in_it_says_what_is_near);
	tcase_add_test(tests, counters_are_of_the_stretch);
	tcase_add_test(tests, damaged_slices_are_told_and_left_out);
	tcase_add_test(tests, what_is_left_out_is_counted_no_more);
	tcase_add_test(tests, an_epoch_closed_while_it_is_read_counts_once);
	tcase_add_test(tests, damage_is_reported_once_however_often_a_session_is_read);
	tcase_add_test(tests, a_cgroup_that_begins_while_a_session_is_read_has_its_name);
	tcase_add_test(tests, a_session_that_never_holds_still_is_an_error);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
