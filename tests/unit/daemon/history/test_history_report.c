// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports over slices and live files: selection, profile and coverage together. */
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/coverage.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define NOW    MAKE_PROFILE_NOW_NS /* 14:00 UTC */

static struct make_session session;
static struct make_profile made;
static struct diag diag;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x400100, .name = "hot"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x400200, .name = "cold"},
};

static void setup(void)
{
	ck_assert_int_eq(setenv("TZ", "UTC0", 1), 0);
	tzset();
	make_session_init(&session);
	made = (struct make_profile){.profile_options.symbols = true};
	fake_symbols_set("/bin/a", symbols, 2, NULL);
	fake_symbols_set("/bin/b", symbols, 2, NULL);
}

static void teardown(void)
{
	fake_symbols_clear();
	make_session_deinit(&session);
}

/* Add a slice of one epoch that ended minutes_ago minutes before NOW. */
static void add_slice(enum oprof_slice_level level, uint64_t epoch, int64_t minutes_ago,
		      const struct make_slice_part *parts, size_t nr_parts)
{
	int64_t end_ns = NOW - minutes_ago * MINUTE;

	make_session_slice(&session,
			   &(struct make_slice_head){
				   .level = level,
				   .epoch_first = epoch,
				   .epoch_last = epoch,
				   .begin_ns = end_ns - (level == OPROF_SLICE_HOUR ? HOUR : MINUTE),
				   .end_ns = end_ns,
			   },
			   parts, nr_parts, NULL);
}

static void add_live(uint64_t epoch, const char *app, uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session,
			     &(struct make_file){.app = app,
						 .epoch = epoch,
						 .start_time_ns = NOW - 50 * SECOND,
						 .end_time_ns = NOW - SECOND},
			     key, nr_samples);
}

/* Samples of the symbol under the application, over all images. NULL: samples in no symbol. */
static uint64_t samples_of(const char *app, const char *name, size_t column)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < made.profile.nr_rows; i++) {
		const struct profile_row *row = &made.profile.rows[i];

		if (!strcmp(made.selection.apps[row->app], app) && !name == !row->name &&
		    (!name || !strcmp(name, row->name)))
			sum += profile_counts(&made.profile, i)[column];
	}
	return sum;
}

/* Three minutes and the live one: the samples of /bin/a move from cold to hot. */
static void add_history(void)
{
	const struct make_slice_part first[] = {{{.app = "/bin/a"}, 0x210, 100},
						{{.app = "/bin/a"}, 0x110, 1},
						{{.app = "/bin/b"}, 0x150, 7}};
	const struct make_slice_part second[] = {{{.app = "/bin/a"}, 0x210, 50},
						 {{.app = "/bin/a"}, 0x111, 50}};
	const struct make_slice_part third[] = {{{.app = "/bin/a"}, 0x112, 90},
						{{.app = "/bin/b", .image = "/bin/a"}, 0x112, 3},
						{{.app = "/bin/a", .image = "{idle}"}, 1, 5}};

	add_slice(OPROF_SLICE_MINUTE, 1, 3, first, 3);
	add_slice(OPROF_SLICE_MINUTE, 2, 2, second, 2);
	add_slice(OPROF_SLICE_MINUTE, 3, 1, third, 3);
	add_live(4, "/bin/a", 0x1ff, 1000);
}

START_TEST(all_of_a_session_is_the_sum_of_its_parts)
{
	add_history();
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(samples_of("/bin/a", "hot", 0), 1 + 50 + 90 + 1000);
	ck_assert_uint_eq(samples_of("/bin/a", "cold", 0), 150);
	ck_assert_uint_eq(samples_of("/bin/b", "hot", 0), 10);
	ck_assert_uint_eq(made.profile.nr_samples, 1301);
	ck_assert_uint_eq(made.profile.nr_idle, 5);
	/* One row of b, two rows of a, and one of the image a that ran in b. */
	ck_assert_uint_eq(made.profile.nr_rows, 4);
	make_profile_deinit(&made);
	made = (struct make_profile){0};
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.nr_samples, 1301);
	ck_assert_uint_eq(samples_of("/bin/a", NULL, 0), 1291);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(a_stretch_has_its_own_hot_function)
{
	add_history();
	make_profile_init(&made, &session, "time:13:56..13:57 image:/bin/a");
	ck_assert_uint_eq(samples_of("/bin/a", "cold", 0), 100);
	ck_assert_uint_eq(samples_of("/bin/a", "hot", 0), 1);
	make_profile_deinit(&made);
	make_profile_init(&made, &session, "time:13:59..");
	ck_assert_uint_eq(samples_of("/bin/a", "hot", 0), 1000);
	ck_assert_uint_eq(made.profile.nr_samples, 1000);
	make_profile_deinit(&made);
	make_profile_init(&made, &session, "time:13:58..13:59");
	ck_assert_uint_eq(made.profile.nr_samples, 93);
	ck_assert_uint_eq(made.profile.nr_idle, 5);
	make_profile_deinit(&made);
}
END_TEST

static void expect_refused(const char *words, const char *said)
{
	ck_assert_int_eq(make_profile_select(&made, &session, words, &diag), -ENOENT);
	ck_assert_msg(strstr(diag.text, said), "\"%s\" does not say \"%s\"", diag.text, said);
}

START_TEST(an_empty_stretch_says_what_there_is_and_where_it_falls)
{
	add_history();
	expect_refused("time:12:00..12:30",
		       "nothing was sampled from 2026-11-20 12:00:00 to 12:30:00: there are "
		       "samples from 2026-11-20 13:56:00 to 13:59:59; the time range ends 86 min "
		       "before the first sample");
	expect_refused("time:2026-11-21..",
		       "the time range begins 10 h 0 min after the last sample");
	add_slice(OPROF_SLICE_MINUTE, 5, 30, &(struct make_slice_part){{.app = "/bin/a"}, 1, 1}, 1);
	expect_refused("time:13:40..13:41",
		       "no samples are kept from 2026-11-20 13:30:00 to 13:56:00");
	expect_refused("time:13:57..13:58 image:/bin/nobody", "no sample file matches");
}
END_TEST

static void write_before(FILE *out, void *context)
{
	coverage_write_before(out, &made.profile, context);
}

static void write_after(FILE *out, void *context)
{
	(void)context;
	coverage_write_after(out, &made.profile);
}

static void expect_text(void (*write)(FILE *out, void *context), const char *expected)
{
	char dir[] = "DIR";
	char *text = make_profile_text(write, dir);

	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(what_is_kept_by_the_hour_is_taken_whole_and_told)
{
	add_slice(OPROF_SLICE_HOUR, 1, 60, &(struct make_slice_part){{.app = "/bin/a"}, 0x110, 360},
		  1);
	made.profile_options.symbols = false;
	make_profile_init(&made, &session, "time:12:10..12:20");
	expect_text(write_before,
		    "session current of DIR, host testhost, from 2026-11-20 12:00:00 to 13:00:00 "
		    "(requested: from 2026-11-20 12:10:00 to 12:20:00; from 2026-11-20 12:00:00 to "
		    "13:00:00 is stored only per hour), event cpu-clock:1000000, 0.1 samples/s\n");
	make_profile_deinit(&made);
}
END_TEST

START_TEST(what_was_asked_is_told_only_where_it_was_not_what_was_taken)
{
	static const char taken[] =
		"session current of DIR, host testhost, from 2026-11-20 13:55:00 to 13:56:00, "
		"event cpu-clock:1000000, 6.0 samples/s\n";

	add_slice(OPROF_SLICE_MINUTE, 1, 4,
		  &(struct make_slice_part){{.app = "/bin/a"}, 0x110, 360}, 1);
	made.profile_options.symbols = false;
	make_profile_init(&made, &session, "time:13:55..13:56");
	expect_text(write_before, taken);
	make_profile_deinit(&made);
	make_profile_init(&made, &session, "time:13:55..");
	expect_text(write_before, taken);
	make_profile_deinit(&made);
	/* Seconds are rounded. */
	make_profile_init(&made, &session, "time:13:55:01..13:55:59");
	expect_text(write_before, taken);
	make_profile_deinit(&made);
	make_profile_init(&made, &session, "time:13:55..13:58");
	expect_text(
		write_before,
		"session current of DIR, host testhost, from 2026-11-20 13:55:00 to 13:56:00 "
		"(requested: from 2026-11-20 13:55:00 to 13:58:00), event cpu-clock:1000000, 6.0 "
		"samples/s\n");
	make_profile_deinit(&made);
}
END_TEST

START_TEST(a_stretch_with_a_sliver_of_samples_says_why_there_are_none)
{
	add_slice(OPROF_SLICE_MINUTE, 1, 4,
		  &(struct make_slice_part){{.app = "/bin/a"}, 0x110, 360}, 1);
	expect_refused("time:13:50..13:55:02",
		       "there are samples from 2026-11-20 13:55:00 to 13:56:00; slices that "
		       "overlap the time range by only a few seconds are not included");
}
END_TEST

START_TEST(losses_are_those_of_the_stretch)
{
	const struct make_stat stats[] = {
		{"seen", 100}, {"stored", 60}, {"idle", 10}, {"lost_kernel_ring", 30}};
	const struct make_stat later[] = {
		{"seen", 110}, {"stored", 67}, {"idle", 10}, {"lost_kernel_ring", 33}};

	make_session_slice(&session,
			   &(struct make_slice_head){.epoch_first = 1,
						     .epoch_last = 1,
						     .begin_ns = NOW - 5 * MINUTE,
						     .end_ns = NOW - 4 * MINUTE,
						     .begin = stats,
						     .end = later,
						     .nr_stats = 4},
			   &(struct make_slice_part){{.app = "/bin/a"}, 0x110, 7}, 1, NULL);
	make_session_stats(&session, later, 4);
	made.profile_options.symbols = false;
	make_profile_init(&made, &session, "time:5m");
	expect_text(
		write_after,
		"samples 7\nlost 3 of 10 seen in the whole time range (30.00 %): kernel_ring 3\n");
	make_profile_deinit(&made);
}
END_TEST

START_TEST(samples_that_the_budget_dropped_are_told_and_balance)
{
	const struct make_stat stats[] = {
		{"seen", 100}, {"stored", 80}, {"idle", 20}, {"expired", 93}};

	add_slice(OPROF_SLICE_MINUTE, 9, 5, &(struct make_slice_part){{.app = "/bin/a"}, 0x110, 7},
		  1);
	make_session_stats(&session, stats, 4);
	made.profile_options.symbols = false;
	make_profile_init(&made, &session, "");
	expect_text(
		write_after,
		"samples 7\n93 older samples were deleted to keep the history within its budget\n");
	make_profile_deinit(&made);
}
END_TEST

START_TEST(a_slice_damaged_inside_is_told_and_costs_only_itself)
{
	struct make_slice_part parts[200];
	char path[PATH_MAX];
	int fd;

	for (size_t i = 0; i < 200; i++)
		parts[i] = (struct make_slice_part){{.app = "/bin/a"}, i * 7919, 1 + i};
	add_slice(OPROF_SLICE_MINUTE, 1, 3, parts, 200);
	add_slice(OPROF_SLICE_MINUTE, 2, 2, parts, 1);
	(void)snprintf(path, sizeof(path), "%s/samples/current/history/minute.1.1.slice",
		       session.dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	/* Damage the end of the last frame. */
	ck_assert_int_gt(lseek(fd, -8, SEEK_END), 0);
	ck_assert_int_eq(write(fd, "damaged", 7), 7);
	ck_assert_int_eq(close(fd), 0);
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.nr_damaged, 1);
	ck_assert_uint_eq(make_profile_nr_skipped(), 1);
	ck_assert_ptr_nonnull(strstr(make_profile_skipped(), "minute.1.1.slice"));
	ck_assert_uint_eq(made.profile.nr_samples, 1);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(time_off_cpu_is_reported_by_time)
{
	const struct make_file off = {.app = "/bin/a",
				      .image = "{off-cpu}",
				      .event = "off-cpu",
				      .period_or_hz = 1,
				      .kind = OPROF_IMAGE_OFF_CPU,
				      .weight_each = 1000};
	struct make_file long_off = off;
	const struct make_slice_part parts[] = {{off, 0, 3}, {long_off, 1, 1}};

	long_off.weight_each = 7000;
	add_slice(OPROF_SLICE_MINUTE, 1, 3, parts, 2);
	make_session_add_one(&session, &long_off, 1, 2);
	make_profile_init(&made, &session, "");
	ck_assert_int_eq(made.selection.classes.classes[0].measure, MEASURE_TIME);
	ck_assert_uint_eq(made.profile.totals[0], 6);
	ck_assert_uint_eq(made.profile.share_totals[0], 3000 + 1000 + 14000);
	make_profile_deinit(&made);
}
END_TEST

/* The sampling rate was halved for a minute: each of its samples has twice the weight. */
START_TEST(shares_stay_true_when_the_rate_was_lowered)
{
	const struct make_file full = {.app = "/bin/a", .frequency = true, .period_or_hz = 99};
	struct make_file half = full;
	const struct make_slice_part first[] = {{full, 0x110, 100}};
	struct make_slice_part second[1];

	half.weight_each = 2;
	second[0] = (struct make_slice_part){half, 0x210, 50};
	add_slice(OPROF_SLICE_MINUTE, 1, 3, first, 1);
	add_slice(OPROF_SLICE_MINUTE, 2, 2, second, 1);
	make_profile_init(&made, &session, "");
	ck_assert_int_eq(made.selection.classes.classes[0].measure, MEASURE_WEIGHT);
	ck_assert_uint_eq(made.profile.totals[0], 150);
	ck_assert_uint_eq(made.profile.share_totals[0], 200);
	for (size_t i = 0; i < made.profile.nr_rows; i++)
		ck_assert_uint_eq(profile_shares(&made.profile, i)[0], 100);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(stretches_of_a_differential_profile_share_no_slice)
{
	add_history();
	make_profile_init(&made, &session,
			  "{ time:13:57:00..13:57:40 } { time:13:57:40..13:59:00 }");
	/* The first side has more of the minute 13:57 to 13:58. */
	ck_assert_uint_eq(made.profile.sides[0].nr_samples, 100);
	ck_assert_uint_eq(made.profile.sides[1].nr_samples, 93);
	make_profile_deinit(&made);
	ck_assert_int_eq(make_profile_select(
				 &made, &session,
				 "{ time:13:57:00..13:57:30 } { time:13:57:30..13:57:50 }", &diag),
			 -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "second side"));
	ck_assert_ptr_nonnull(
		strstr(diag.text, "the other side's time range overlaps this slice for longer"));
}
END_TEST

START_TEST(events_that_only_one_side_has_are_refused)
{
	add_slice(OPROF_SLICE_MINUTE, 1, 3, &(struct make_slice_part){{.app = "/bin/a"}, 1, 1}, 1);
	add_slice(OPROF_SLICE_MINUTE, 2, 2,
		  &(struct make_slice_part){{.app = "/bin/a", .event = "faults"}, 1, 1}, 1);
	ck_assert_int_eq(make_profile_select(&made, &session,
					     "{ time:13:56..13:57 } { time:13:57..13:58 }", &diag),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "event:"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("history_report");
	TCase *tests = tcase_create("history_report");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, all_of_a_session_is_the_sum_of_its_parts);
	tcase_add_test(tests, a_stretch_has_its_own_hot_function);
	tcase_add_test(tests, an_empty_stretch_says_what_there_is_and_where_it_falls);
	tcase_add_test(tests, what_is_kept_by_the_hour_is_taken_whole_and_told);
	tcase_add_test(tests, what_was_asked_is_told_only_where_it_was_not_what_was_taken);
	tcase_add_test(tests, a_stretch_with_a_sliver_of_samples_says_why_there_are_none);
	tcase_add_test(tests, losses_are_those_of_the_stretch);
	tcase_add_test(tests, samples_that_the_budget_dropped_are_told_and_balance);
	tcase_add_test(tests, a_slice_damaged_inside_is_told_and_costs_only_itself);
	tcase_add_test(tests, time_off_cpu_is_reported_by_time);
	tcase_add_test(tests, shares_stay_true_when_the_rate_was_lowered);
	tcase_add_test(tests, stretches_of_a_differential_profile_share_no_slice);
	tcase_add_test(tests, events_that_only_one_side_has_are_refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
