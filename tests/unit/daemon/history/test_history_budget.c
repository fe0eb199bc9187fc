// SPDX-License-Identifier: GPL-2.0-or-later
/* A session's limit of disk space, and which slices are dropped to keep to it. */
#include "daemon/history/history.h"
#include "daemon/history/history_budget.h"
#include "daemon/history/history_du.h"
#include "daemon/history/history_epoch.h"
#include "lib/file.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/fake_history.h"
#include "tests/fixture/test_folder.h"

#include <stdlib.h>
#include <string.h>

static const struct history_file *file(size_t i)
{
	ck_assert_uint_lt(i, fake_history()->files.nr_files);
	return &fake_history()->files.files[i];
}

/* As the next run does. */
static void again(void)
{
	fake_history_close();
	fake_history_open();
	fake_history_conserved();
}

START_TEST(the_budget_drops_the_oldest_and_says_how_many)
{
	uint64_t before;

	fake_config.budget_bytes = 600 << 10;
	fake_history_open();
	before = fake_history()->budget_bytes;
	ck_assert_uint_eq(before, 600 << 10);
	for (unsigned int i = 0; i < 240; i++) {
		fake_minute(1000, i * 100003);
		ck_assert_uint_le(history_du("samples/current"), before);
	}
	ck_assert_uint_gt(fake_counter(STATS_EXPIRED), 0);
	ck_assert_uint_gt(fake_history()->files.nr_files, 2);
	fake_history_conserved();
	again();
	fake_history_close();
}
END_TEST

START_TEST(room_is_made_for_what_is_still_to_come_to_the_byte)
{
	struct history *history;
	uint64_t usage;
	size_t nr_files;

	fake_history_open();
	for (unsigned int i = 0; i < 30; i++)
		fake_minute(1000, i * 100003);
	history = (struct history *)(uintptr_t)fake_history();
	nr_files = history->files.nr_files;
	usage = history_budget_usage(history);
	history->budget_bytes = usage + 1000;
	ck_assert(history_budget_make_room(history, 1000));
	ck_assert_uint_eq(history->files.nr_files, nr_files);
	ck_assert(history_budget_make_room(history, 1001));
	ck_assert_uint_eq(history->files.nr_files, nr_files - 1);
	/* More than there is to free: the newest slice stays. */
	ck_assert(!history_budget_make_room(history, usage + 1001));
	ck_assert_uint_eq(history->files.nr_files, 1);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(dead_files_go_before_slices)
{
	struct dead_files *dead;
	struct history *history;
	size_t nr_files, nr_dead;

	fake_history_open();
	for (unsigned int i = 0; i < 10; i++)
		fake_minute(1000, i * 100003);
	history = (struct history *)(uintptr_t)fake_history();
	fake_pass(SECOND_NS);
	fake_samples(1000, 0);
	ck_assert_int_eq(history_epoch_close(history, true), 0);
	dead = sample_cache_dead(history->cache);
	ck_assert_uint_gt(dead->nr_bytes, 0);
	nr_dead = dead->files.nr_nodes;
	nr_files = history->files.nr_files;
	history->budget_bytes = history_budget_usage(history) - dead->nr_bytes + 1000;
	ck_assert(history_budget_make_room(history, 1000));
	ck_assert_uint_lt(dead->files.nr_nodes, nr_dead); /* all, unless the disk is slow */
	ck_assert_uint_eq(history->files.nr_files, nr_files);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(live_files_that_alone_are_too_much_are_closed_early)
{
	fake_config.budget_bytes = 300 << 10;
	fake_history_open();
	for (unsigned int i = 0; i < 40; i++) {
		fake_pass(SECOND_NS);
		fake_samples(2000, i * 1000003);
		ck_assert_uint_le(history_du("samples/current"), 300 << 10);
	}
	ck_assert_uint_gt(fake_history()->epoch, 3);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_burst_of_samples_does_not_cost_the_history)
{
	fake_config.budget_bytes = 1 << 20;
	fake_history_open();
	for (unsigned int i = 0; i < 90; i++)
		fake_minute(100, i);
	ck_assert_uint_eq(fake_counter(STATS_EXPIRED), 0);
	for (unsigned int i = 0; i < 25; i++) { /* keys far from each other */
		fake_pass(SECOND_NS);
		fake_samples(2000, i * 1000003);
		ck_assert_uint_le(history_du("samples/current"), 1 << 20);
	}
	ck_assert_uint_eq(fake_counter(STATS_EXPIRED), 0);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_budget_that_symbols_alone_exceed_is_told_and_minutes_stay_minutes)
{
	static char symbols[2 << 20];
	uint64_t epoch;
	char *log;

	memset(symbols, 1, sizeof(symbols));
	fake_config.budget_bytes = 1 << 20;
	fake_history_open();
	fake_minute(10, 0);
	fake_history_close();
	ck_assert_int_eq(file_make_dirs("samples/current/meta/images", 0700), 0);
	ck_assert_int_eq(
		file_replace("samples/current/meta/images/1", symbols, sizeof(symbols), 0600), 0);
	fake_history_open();
	epoch = fake_history()->epoch;
	for (unsigned int i = 0; i < 120; i++) {
		fake_pass(SECOND_NS);
		fake_samples(5, i);
	}
	ck_assert_uint_le(fake_history()->epoch, epoch + 3);
	fake_history_conserved();
	fake_history_close();
	ck_assert_int_eq(file_read_text("log", 1 << 20, &log, NULL), 0);
	ck_assert_ptr_nonnull(strstr(log, "little is left for the history"));
	free(log);
}
END_TEST

START_TEST(symbols_of_binaries_get_a_quarter_of_the_budget)
{
	fake_config.budget_bytes = 1 << 20;
	fake_history_open();
	ck_assert_uint_eq(fake.keep_bytes_max, 1 << 18);
	fake_history_close();
}
END_TEST

START_TEST(days_drop_what_is_older)
{
	fake_config.budget_days = 2;
	fake_history_open();
	for (unsigned int i = 0; i < 5 * 24; i++) {
		fake_pass(30 * MINUTE_NS);
		fake_samples(4, i);
		fake_pass(30 * MINUTE_NS);
		fake_round();
	}
	ck_assert_int_ge(file(0)->end_ns, fake_now.realtime_ns - 2 * DAY_NS);
	ck_assert_int_le(file(0)->begin_ns, fake_now.realtime_ns - 2 * DAY_NS + 2 * HOUR_NS);
	ck_assert_uint_ge(fake_counter(STATS_EXPIRED), 71 * 4);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

static unsigned int nr_log_lines(const char *text)
{
	unsigned int nr = 0;
	char *log;

	ck_assert_int_eq(file_read_text("log", 1 << 20, &log, NULL), 0);
	for (const char *found = log; (found = strstr(found, text)); found++)
		nr++;
	free(log);
	return nr;
}

START_TEST(slices_that_cannot_be_renamed_stay_and_the_log_says_so_once)
{
	struct history *history = &fake_profiler.history;
	size_t nr_files;

	fake_history_open();
	for (unsigned int i = 0; i < 4; i++)
		fake_minute(100, i * 1000);
	nr_files = history->files.nr_files;
	ck_assert_uint_gt(nr_files, 2);
	failing_begin(FAILING_RENAME, 1, 1);
	ck_assert(!history_budget_make_room(history, history->budget_bytes));
	ck_assert(!history_budget_make_room(history, history->budget_bytes));
	ck_assert(failing_end());
	ck_assert_uint_eq(history->files.nr_files, nr_files);
	ck_assert_uint_eq(fake_counter(STATS_EXPIRED), 0);
	ck_assert_uint_eq(nr_log_lines("cannot drop"), 1);
	/* The newest slice and live files stay, so there is still too little room. */
	ck_assert(!history_budget_make_room(history, history->budget_bytes));
	ck_assert_uint_eq(history->files.nr_files, 1);
	ck_assert_uint_gt(fake_counter(STATS_EXPIRED), 0);
	fake_history_conserved();
	/* An error that comes back after a success is reported again. */
	for (unsigned int i = 4; i < 8; i++)
		fake_minute(100, i * 1000);
	failing_begin(FAILING_RENAME, 1, 1);
	ck_assert(!history_budget_make_room(history, history->budget_bytes));
	ck_assert(failing_end());
	ck_assert_uint_eq(nr_log_lines("cannot drop"), 2);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

/* ---- memory ---- */

/* Each allocation of the close of an epoch fails in turn. The next close stores its samples. */
START_TEST(an_epoch_that_finds_no_memory_is_closed_later_with_all_its_samples)
{
	unsigned long nth = 1;
	bool reached = true;
	int error;

	fake_history_open();
	for (; reached; nth++) {
		fake_samples(10, nth * 16);
		failing_begin(FAILING_MEMORY, nth, 0);
		error = history_epoch_close(&fake_profiler.history, false);
		reached = failing_end();
		ck_assert(reached || !error);
		fake_history_conserved();
	}
	ck_assert_uint_gt(fake_history()->close_errors, 0);
	ck_assert_uint_eq(fake_counter(STATS_STORED), 10 * (nth - 1));
	fake_history_close();
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("history_budget");

	tcase_add_checked_fixture(tc, fake_history_setup, fake_history_teardown);
	tcase_add_test(tc, the_budget_drops_the_oldest_and_says_how_many);
	tcase_add_test(tc, room_is_made_for_what_is_still_to_come_to_the_byte);
	tcase_add_test(tc, dead_files_go_before_slices);
	tcase_add_test(tc, live_files_that_alone_are_too_much_are_closed_early);
	tcase_add_test(tc, a_burst_of_samples_does_not_cost_the_history);
	tcase_add_test(tc, a_budget_that_symbols_alone_exceed_is_told_and_minutes_stay_minutes);
	tcase_add_test(tc, symbols_of_binaries_get_a_quarter_of_the_budget);
	tcase_add_test(tc, days_drop_what_is_older);
	tcase_add_test(tc, slices_that_cannot_be_renamed_stay_and_the_log_says_so_once);
	tcase_add_test(tc, an_epoch_that_finds_no_memory_is_closed_later_with_all_its_samples);
	return test_run(tc);
}
