// SPDX-License-Identifier: GPL-2.0-or-later
/* Call stacks in a session's history: closed, merged, dropped, left over, saved. */
#include "daemon/history/history.h"
#include "daemon/history/history_epoch.h"
#include "daemon/history/live_slice.h"
#include "lib/file.h"
#include "libdb/stacks/stack_file.h"
#include "tests/fixture/fake_history.h"
#include "tests/fixture/stack_sum.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CURRENT "samples/current"
#define LIVE	CURRENT "/" OPROF_STACK_FILE

static struct stack_sum sum;

static void setup(void)
{
	fake_history_setup();
	fake_chain_depth = 16;
}

static void read_sum(const char *path)
{
	struct diag diag;

	diag_clear(&diag);
	ck_assert_msg(!stack_sum_init(&sum, path, &diag), "%s", diag_show(&diag));
}

/* A sample in work, called by main; nr selects the function that called main. */
static void work(unsigned int nr, uint64_t offset)
{
	const struct oprof_frame leaf = {.image = 1, .offset = offset};
	const struct oprof_frame callers[] = {{.image = 1, .offset = 0x101}};

	fake_cpu(0);
	fake_task(1, 1, 1, 0);
	for (unsigned int i = 0; i < nr; i++)
		fake_stack(0, &leaf, callers, 1, 0);
}

START_TEST(each_minutes_stacks_are_in_its_slice_and_the_live_file_begins_anew)
{
	fake_history_open();
	for (unsigned int i = 0; i < 3; i++) {
		work(10, 0x200);
		fake_minute(4, i);
		fake_history_conserved();
	}
	read_sum(CURRENT);
	ck_assert_uint_eq(sum.nr_slices, 3);
	ck_assert_uint_eq(sum.nr_live, 0);
	ck_assert_uint_eq(stack_sum_of(&sum, "true(by image) cpu-clock true+100;true+200"), 30);
	stack_sum_deinit(&sum);
	work(5, 0x200);
	fake_round();
	read_sum(CURRENT);
	ck_assert_uint_eq(sum.nr_live, 5);
	ck_assert_uint_eq(stack_sum_of(&sum, "true(by image) cpu-clock true+100;true+200"), 35);
	stack_sum_deinit(&sum);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(slices_tell_what_their_trees_hold)
{
	const struct history *history = fake_history();
	struct stack_tree tree;
	struct slice *slice;
	struct recount sums = {0};
	uint64_t nr = 0;

	fake_history_open();
	fake_minute(40, 0);
	fake_minute(30, 100);
	ck_assert_uint_eq(history->files.nr_files, 2);
	ck_assert_int_eq(slice_open(&slice, history->files.files[1].path, NULL), 0);
	ck_assert_int_eq(slice_read_stacks(slice, &tree, NULL), 0);
	for (uint32_t i = 0; i < tree.nr_nodes; i++)
		nr += tree.nodes[i].nr_samples;
	ck_assert_int_eq(recount_slice(history->files.files[1].path, &sums), 0);
	ck_assert_uint_eq(nr, 30);
	ck_assert_uint_eq(sums.stacks, 30);
	ck_assert_uint_eq(slice_header(slice)->flags & OPROF_SLICE_STACKS, OPROF_SLICE_STACKS);
	stack_tree_deinit(&tree);
	slice_close(slice);
	fake_history_close();
}
END_TEST

/* The budget frees room for this number of bytes before the slice is written. */
START_TEST(the_limit_of_a_slice_s_size_grows_by_no_more_than_the_stack_file)
{
	struct live_slice live;
	struct stat st;
	uint64_t before;

	fake_history_open();
	fake_samples(100, 0);
	work(10, 0x200);
	fake_round();
	ck_assert_int_eq(stat(LIVE, &st), 0);
	ck_assert_int_eq(live_slice_init(&live), 0);
	before = live.bytes_max;
	ck_assert_int_eq(live_slice_add_stacks(&live, CURRENT, 0), 0);
	ck_assert_uint_eq(live.nr_stacks, 110);
	ck_assert_uint_gt(live.bytes_max, before);
	ck_assert_uint_le(live.bytes_max, before + (uint64_t)st.st_size);
	live_slice_deinit(&live);
	fake_history_close();
}
END_TEST

START_TEST(stacks_that_a_daemon_left_become_a_slice_at_the_next_start)
{
	fake_history_open();
	fake_samples(10, 0);
	work(7, 0x200);
	fake_round();
	fake_history_killed();
	fake_history_open();
	read_sum(CURRENT);
	ck_assert_uint_eq(sum.nr_slices, 1);
	ck_assert_uint_eq(sum.nr_live, 0);
	ck_assert_uint_eq(sum.nr_samples, 17);
	stack_sum_deinit(&sum);
	fake_history_conserved();
	fake_minute(10, 0);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_run_without_call_chains_keeps_the_stacks_of_one_before)
{
	fake_history_open();
	work(7, 0x200);
	fake_round();
	fake_history_close();
	fake_chain_depth = 0;
	fake_history_open();
	fake_minute(10, 0);
	fake_history_conserved();
	ck_assert_int_ne(access(LIVE, F_OK), 0);
	fake_history_close();
	fake_chain_depth = 16;
	fake_history_open();
	work(3, 0x200);
	fake_pass(MINUTE_NS);
	fake_round();
	read_sum(CURRENT);
	ck_assert_uint_eq(sum.nr_samples, 10);
	ck_assert_uint_eq(fake_counter(STATS_STORED), 20);
	ck_assert_uint_eq(fake_stacks_lost(), 0);
	stack_sum_deinit(&sum);
	fake_history_close();
}
END_TEST

START_TEST(merged_slices_hold_the_sum_of_their_stacks)
{
	fake_history_open();
	for (unsigned int i = 0; i < 5 * 60; i++) {
		work(2, 0x200);
		fake_minute(3, i % 11);
	}
	fake_history_conserved();
	ck_assert_int_eq(fake_history()->files.files[0].level, OPROF_SLICE_HOUR);
	read_sum(CURRENT);
	ck_assert_uint_eq(stack_sum_of(&sum, "true(by image) cpu-clock true+100;true+200"), 600);
	stack_sum_deinit(&sum);
	fake_history_close();
}
END_TEST

START_TEST(stacks_of_dropped_slices_are_counted_with_their_samples)
{
	fake_history_open();
	for (unsigned int i = 0; i < 20; i++)
		fake_minute(40, i);
	fake_profiler.history.budget_bytes = history_budget_usage(fake_history()) - (4 << 12);
	fake_minute(40, 0);
	ck_assert_uint_gt(fake_counter(STATS_EXPIRED_STACKS), 0);
	ck_assert_uint_eq(fake_counter(STATS_EXPIRED_STACKS), fake_counter(STATS_EXPIRED));
	fake_history_conserved();
	fake_history_close();
	fake_history_open();
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(slices_removed_by_somebody_take_their_stacks_with_them)
{
	fake_history_open();
	for (unsigned int i = 0; i < 5; i++)
		fake_minute(40, i);
	fake_history_close();
	ck_assert_int_eq(file_remove_tree(CURRENT "/history"), 0);
	fake_history_open();
	/* Only the files of the last minute, which a slice held, are left. */
	ck_assert_uint_eq(fake_counter(STATS_STORED), 40);
	ck_assert_uint_eq(fake_stacks_lost(), 40);
	fake_history_conserved();
	fake_minute(10, 0);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_reset_begins_without_stacks_and_a_saved_session_keeps_its_own)
{
	struct diag diag;

	fake_history_open();
	fake_minute(10, 0);
	work(7, 0x200);
	fake_round();
	ck_assert_int_eq(profiler_save(&fake_profiler, "kept", &diag), 0);
	fake_history_conserved();
	work(2, 0x200);
	fake_round();
	fake_history_conserved();
	read_sum("samples/kept");
	ck_assert_uint_eq(sum.nr_samples, 17);
	ck_assert_uint_eq(sum.nr_live, 7);
	stack_sum_deinit(&sum);
	ck_assert_int_eq(profiler_reset(&fake_profiler, &diag), 0);
	ck_assert_uint_eq(fake_counter(STATS_STACKS_STORED), 0);
	work(3, 0x200);
	fake_round();
	read_sum(CURRENT);
	ck_assert_uint_eq(sum.nr_samples, 3);
	stack_sum_deinit(&sum);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_stack_file_that_is_removed_is_lost_and_the_next_minute_has_another)
{
	fake_history_open();
	fake_minute(10, 0);
	work(6, 0x200);
	fake_round();
	ck_assert_int_eq(unlink(LIVE), 0);
	work(1, 0x200);
	fake_minute(0, 0);
	ck_assert_uint_eq(fake_counter(STATS_STACKS_LOST_FILE), 7);
	fake_history_conserved();
	work(2, 0x200);
	fake_minute(0, 0);
	ck_assert_uint_eq(fake_counter(STATS_STACKS_LOST_FILE), 7);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

/* A slice without the stacks would lose them, because the next epoch empties the file. */
START_TEST(an_epoch_whose_stacks_cannot_be_read_now_is_closed_later)
{
	fake_history_open();
	fake_samples(10, 0);
	work(7, 0x200);
	fake_round();
	ck_assert_int_eq(rename(LIVE, "aside"), 0);
	ck_assert_int_eq(symlink(OPROF_STACK_FILE, LIVE), 0); /* leads to itself */
	ck_assert_int_eq(history_epoch_close(&fake_profiler.history, false), -ELOOP);
	ck_assert_uint_eq(fake_history()->files.nr_files, 0);
	ck_assert_int_eq(rename("aside", LIVE), 0);
	ck_assert_int_eq(history_epoch_close(&fake_profiler.history, false), 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	fake_history_conserved();
	ck_assert_uint_eq(fake_counter(STATS_STACKS_STORED), 17);
	ck_assert_uint_eq(fake_stacks_lost(), 0);
	fake_history_close();
}
END_TEST

START_TEST(a_stack_file_found_damaged_at_the_start_is_set_aside)
{
	fake_history_open();
	work(6, 0x200);
	fake_round();
	fake_history_close();
	ck_assert_int_eq(file_replace(LIVE, "nonsense", 8, 0600), 0);
	fake_history_open();
	ck_assert_int_eq(access(LIVE ".damaged", F_OK), 0);
	ck_assert_uint_eq(fake_counter(STATS_STACKS_LOST_FILE), 6);
	fake_history_conserved();
	fake_minute(10, 0);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_folder_in_the_way_of_the_file_is_set_aside)
{
	fake_history_open();
	work(10, 0x200);
	fake_round();
	fake_history_close();
	(void)unlink(LIVE);
	ck_assert_int_eq(file_make_dirs(LIVE "/x", 0700), 0);
	fake_history_open();
	ck_assert_uint_eq(fake_counter(STATS_STACKS_LOST_FILE), 10);
	work(6, 0x200);
	fake_minute(0, 0);
	ck_assert_uint_eq(fake_counter(STATS_STACKS_LOST_FILE), 10);
	fake_history_conserved();
	ck_assert_int_eq(access(LIVE ".damaged/x", F_OK), 0);
	fake_history_close();
}
END_TEST

/* Unbounded call paths: once the file is full, further ones are folded and counted. */
START_TEST(ways_without_end_are_folded_and_not_lost)
{
	fake_config.budget_bytes = 1 << 20;
	fake_history_open();
	for (unsigned int i = 0; i < 40; i++) {
		fake_cpu(0);
		fake_task(1, 1, 1, 0);
		for (unsigned int k = 0; k < 200; k++) {
			const struct oprof_frame leaf = {.image = 1, .offset = 1 + i * 200 + k};

			fake_stack(0, &leaf, NULL, 0, 0);
		}
		fake_pass(SECOND_NS / 2);
		fake_round();
	}
	ck_assert_uint_gt(fake_counter(STATS_STACKS_FOLDED), 0);
	ck_assert_uint_eq(fake_stacks_lost(), 0);
	fake_history_conserved();
	fake_minute(0, 0);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("history_stacks");

	tcase_add_checked_fixture(tc, setup, fake_history_teardown);
	tcase_add_test(tc, each_minutes_stacks_are_in_its_slice_and_the_live_file_begins_anew);
	tcase_add_test(tc, slices_tell_what_their_trees_hold);
	tcase_add_test(tc, the_limit_of_a_slice_s_size_grows_by_no_more_than_the_stack_file);
	tcase_add_test(tc, stacks_that_a_daemon_left_become_a_slice_at_the_next_start);
	tcase_add_test(tc, a_run_without_call_chains_keeps_the_stacks_of_one_before);
	tcase_add_test(tc, merged_slices_hold_the_sum_of_their_stacks);
	tcase_add_test(tc, stacks_of_dropped_slices_are_counted_with_their_samples);
	tcase_add_test(tc, slices_removed_by_somebody_take_their_stacks_with_them);
	tcase_add_test(tc, a_reset_begins_without_stacks_and_a_saved_session_keeps_its_own);
	tcase_add_test(tc, a_stack_file_that_is_removed_is_lost_and_the_next_minute_has_another);
	tcase_add_test(tc, an_epoch_whose_stacks_cannot_be_read_now_is_closed_later);
	tcase_add_test(tc, a_stack_file_found_damaged_at_the_start_is_set_aside);
	tcase_add_test(tc, a_folder_in_the_way_of_the_file_is_set_aside);
	tcase_add_test(tc, ways_without_end_are_folded_and_not_lost);
	return test_run(tc);
}
