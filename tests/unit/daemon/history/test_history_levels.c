// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history_levels.h"

#include "tests/fixture/test_folder.h"

#include <string.h>

#define S      INT64_C(1000000000)
#define MINUTE (60 * S)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define WEEK   (7 * DAY)

static const int64_t monday = 2809 * WEEK - 3 * DAY; /* 2023-10-30 00:00 UTC */

static struct history_file all[256];
static struct history_files files;
static struct history_group group;

static void setup(void)
{
	memset(all, 0, sizeof(all));
	files = (struct history_files){.files = all};
}

static void add(enum oprof_slice_level level, int64_t begin_ns)
{
	struct history_file *file = &all[files.nr_files++];

	file->level = level;
	file->epoch_first = file->epoch_last = files.nr_files;
	file->begin_ns = begin_ns;
}

static void add_minutes(int64_t begin_ns, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		add(OPROF_SLICE_MINUTE, begin_ns + i * MINUTE);
}

static void assert_due(int64_t now_ns, size_t first, size_t nr, enum oprof_slice_level into)
{
	ck_assert(history_levels_due(&files, now_ns, HOUR, &group));
	ck_assert_uint_eq(group.first, first);
	ck_assert_uint_eq(group.nr, nr);
	ck_assert_int_eq(group.into, into);
}

START_TEST(starts_are_those_of_the_calendar)
{
	int64_t sunday = monday + 6 * DAY + 23 * HOUR + 59 * MINUTE + 59 * S;

	ck_assert_int_eq(history_level_start(OPROF_SLICE_WEEK, sunday), monday);
	ck_assert_int_eq(history_level_start(OPROF_SLICE_WEEK, monday), monday);
	ck_assert_int_eq(history_level_start(OPROF_SLICE_WEEK, monday - 1), monday - WEEK);
	ck_assert_int_eq(history_level_start(OPROF_SLICE_DAY, sunday), monday + 6 * DAY);
	ck_assert_int_eq(history_level_start(OPROF_SLICE_HOUR, sunday),
			 monday + 6 * DAY + 23 * HOUR);
	ck_assert_int_eq(history_level_start(OPROF_SLICE_HOUR, -1), -HOUR);
}
END_TEST

START_TEST(minutes_of_an_hour_are_due_three_hours_after_it)
{
	add_minutes(monday + 30 * MINUTE, 60);
	ck_assert(!history_levels_due(&files, monday + HOUR + 3 * HOUR - 1, HOUR, &group));
	assert_due(monday + HOUR + 3 * HOUR, 0, 30, OPROF_SLICE_HOUR);
}
END_TEST

START_TEST(hours_then_days_then_nothing)
{
	for (int i = 0; i < 3; i++)
		add(OPROF_SLICE_DAY, monday + (i + 5) * DAY);
	for (int i = 0; i < 5; i++)
		add(OPROF_SLICE_HOUR, monday + 8 * DAY + (i + 22) * HOUR);
	ck_assert(!history_levels_due(&files, monday + 9 * DAY, HOUR, &group));
	assert_due(monday + 9 * DAY + 3 * DAY, 3, 2, OPROF_SLICE_DAY);
	all[3].level = all[4].level = OPROF_SLICE_DAY;
	all[5].begin_ns += 100 * WEEK;
	all[6].begin_ns += 100 * WEEK;
	all[7].begin_ns += 100 * WEEK;
	files.nr_files = 5;
	assert_due(monday + WEEK + 5 * WEEK, 0, 2, OPROF_SLICE_WEEK);
	for (int i = 0; i < 5; i++)
		all[i].level = OPROF_SLICE_WEEK;
	ck_assert(!history_levels_due(&files, monday + 5000 * WEEK, HOUR, &group));
}
END_TEST

START_TEST(finer_slices_go_first)
{
	add(OPROF_SLICE_HOUR, monday);
	add_minutes(monday + HOUR, 2);
	assert_due(monday + WEEK, 1, 2, OPROF_SLICE_HOUR);
}
END_TEST

START_TEST(neighbours_of_another_level_part_a_group)
{
	add_minutes(monday, 2);
	add(OPROF_SLICE_HOUR, monday + 2 * MINUTE);
	add_minutes(monday + 3 * MINUTE, 2);
	assert_due(monday + DAY, 0, 2, OPROF_SLICE_HOUR);
	all[0].level = all[1].level = OPROF_SLICE_HOUR;
	assert_due(monday + DAY, 3, 2, OPROF_SLICE_HOUR);
}
END_TEST

START_TEST(an_hour_of_very_many_slices_is_merged_in_parts)
{
	for (int i = 0; i < 200; i++)
		add(OPROF_SLICE_MINUTE, monday + i * S);
	assert_due(monday + DAY, 0, HISTORY_GROUP_MAX, OPROF_SLICE_HOUR);
}
END_TEST

START_TEST(slices_of_a_clock_that_was_far_ahead_are_merged_all_the_same)
{
	add_minutes(monday + 1000 * WEEK, 3);
	ck_assert(history_levels_due(&files, monday, 3 * HOUR, &group));
	ck_assert_uint_eq(group.nr, 3);
	ck_assert_int_eq(group.into, OPROF_SLICE_HOUR);
	ck_assert(!history_levels_due(&files, monday + 1000 * WEEK - HOUR, HOUR, &group));
}
END_TEST

START_TEST(a_clock_that_is_far_behind_has_to_stay_so_for_as_long_as_slices_stay)
{
	add_minutes(monday, 3);
	ck_assert(!history_levels_due(&files, HOUR, 3 * HOUR - 1, &group));
	ck_assert(history_levels_due(&files, HOUR, 3 * HOUR, &group));
	for (int i = 0; i < 3; i++)
		all[i].level = OPROF_SLICE_HOUR;
	ck_assert(!history_levels_due(&files, HOUR, 3 * DAY - 1, &group));
	ck_assert(history_levels_due(&files, HOUR, 3 * DAY, &group));
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("history_levels");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, starts_are_those_of_the_calendar);
	tcase_add_test(tc, minutes_of_an_hour_are_due_three_hours_after_it);
	tcase_add_test(tc, hours_then_days_then_nothing);
	tcase_add_test(tc, finer_slices_go_first);
	tcase_add_test(tc, neighbours_of_another_level_part_a_group);
	tcase_add_test(tc, an_hour_of_very_many_slices_is_merged_in_parts);
	tcase_add_test(tc, slices_of_a_clock_that_was_far_ahead_are_merged_all_the_same);
	tcase_add_test(tc, a_clock_that_is_far_behind_has_to_stay_so_for_as_long_as_slices_stay);
	return test_run(tc);
}
