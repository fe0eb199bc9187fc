// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon on a file system that runs full, cannot be written or is changed
 * by others: a small tmpfs in a mount namespace of the test's own.
 */
#include "tests/fixture/fake_history.h"

#include "daemon/history/history_du.h"
#include "lib/file.h"
#include "lib/log.h"
#include "tests/fixture/session_sum.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define BALLAST "ballast"
#define CURRENT "samples/current"
#define RESERVE CURRENT "/history/reserve.tmp"

static char folder[256], log_path[sizeof(folder) + 8];

/* Runs in the process of each test, so that each has a tmpfs of its own. */
static void setup(void)
{
	ck_assert_msg(!mount("tmpfs", folder, "tmpfs", 0, "size=8m"), "%s", strerror(errno));
	fake_history_setup();
	log_init("test", LOG_LEVEL_INFO);
	(void)unlink(log_path);
	ck_assert_int_eq(log_open(log_path), 0); /* the log's file system has room */
}

static void teardown(void)
{
	fake_history_teardown();
	(void)umount(folder);
}

/* Returns 0, or -1 where this user may not mount. */
static int begin(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/test_full.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(log_path, sizeof(log_path), "%s.log", folder);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    setenv("TMPDIR", folder, 1)) {
		(void)rmdir(folder);
		return -1;
	}
	return 0;
}

/* Fill the file system to the last byte, then free nr_spare pages. */
static void fill(size_t nr_spare)
{
	int fd = open(BALLAST, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	char page[4096] = {0};
	struct stat st;

	ck_assert_int_ge(fd, 0);
	while (write(fd, page, sizeof(page)) > 0)
		;
	ck_assert_int_eq(errno, ENOSPC);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(ftruncate(fd, st.st_size - (off_t)(nr_spare * sizeof(page))), 0);
	ck_assert_int_eq(close(fd), 0);
}

/* The same, and the daemon has no reserve. */
static void fill_all(size_t nr_spare)
{
	(void)unlink(RESERVE);
	fill(nr_spare);
}

static void make_room(void)
{
	ck_assert_int_eq(unlink(BALLAST), 0);
}

/* Check that each file is good and that every sample is accounted for. */
static void expect_good(void)
{
	struct session_sum sum;

	fake_history_conserved();
	ck_assert_int_eq(session_sum(&sum, CURRENT), 0);
	ck_assert_msg(!sum.nr_damaged, "%s", sum.first_damage);
}

static unsigned int nr_lines(const char *text)
{
	unsigned int nr = 0;
	const char *found;
	char *log;

	ck_assert_int_eq(file_read_text(log_path, 1 << 20, &log, NULL), 0);
	for (found = log; (found = strstr(found, text)); found++)
		nr++;
	free(log);
	return nr;
}

static uint64_t lost_disk(void)
{
	return fake_counter(STATS_LOST + OPROF_LOST_DISK);
}

START_TEST(a_disk_full_from_the_start_refuses_the_start_and_says_why)
{
	struct diag diag;

	fill(0);
	diag_clear(&diag);
	ck_assert_int_eq(session_lock(&fake_session, "session", &diag), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "No space left on device"));
	make_room();
	fake_history_open();
	fake_minute(10, 0);
	expect_good();
	fake_history_close();
}
END_TEST

START_TEST(a_disk_that_fills_while_sampling_costs_new_samples_only_and_is_told_once)
{
	uint64_t lost;

	fake_history_open();
	fake_minute(100, 0);
	fill(0);
	for (unsigned int i = 0; i < 20; i++) {
		fake_pass(SECOND_NS);
		fake_samples(1000, i * 1000);
		expect_good();
	}
	fake_image(3, OPROF_IMAGE_FILE, "/a/folder/of/its/own/program");
	fake_pass(SECOND_NS);
	fake_task(3, 3, 3, 0);
	fake_sample(0, OPROF_MODE_USER, 3, 1, 1000);
	fake_round();
	lost = lost_disk();
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_eq(nr_lines("samples are being lost"), 1);
	ck_assert_uint_eq(nr_lines("No such file"), 0);
	make_room();
	fake_pass(2 * SECOND_NS);
	fake_samples(1000, 0);
	fake_minute(1000, 0);
	ck_assert_uint_eq(lost_disk(), lost);
	expect_good();
	fake_history_close();
}
END_TEST

START_TEST(a_disk_that_is_full_for_hours_does_not_fill_the_log_too)
{
	fake_history_open();
	fake_minute(100, 0);
	fill(0);
	for (unsigned int i = 0; i < 8 * 60; i++) {
		fake_pass(30 * SECOND_NS);
		fake_samples(300, i * 1000);
	}
	expect_good();
	ck_assert_uint_le(nr_lines("samples are being lost"), 5);
	ck_assert_uint_le(nr_lines("cannot write the slice of the last minute"), 1);
	make_room();
	fake_minute(1000, 0);
	fake_minute(1000, 0);
	ck_assert_uint_eq(nr_lines("samples are stored again"), 1);
	expect_good();
	fake_history_close();
}
END_TEST

/* The live files take more than their share of the budget, and the disk is full. */
static void fill_behind_big_files(void)
{
	for (unsigned int i = 0; history_du(CURRENT) < fake_config.budget_bytes / 2; i++) {
		ck_assert_uint_lt(i, 1000);
		fake_samples(1000, i * 1000);
	}
	fill(0);
}

START_TEST(live_files_over_their_share_become_a_slice_on_a_full_disk)
{
	fake_config.budget_bytes = 2 << 20;
	fake_history_open();
	for (unsigned int i = 0; i < 2; i++) {
		const size_t nr_slices = fake_history()->files.nr_files;
		struct dead_files *dead = sample_cache_dead(fake_history()->cache);
		uint64_t before, lost;

		fill_behind_big_files();
		before = history_du(CURRENT);
		fake_pass(2 * SECOND_NS);
		fake_round();
		ck_assert_uint_eq(fake_history()->close_errors, 0);
		ck_assert_uint_eq(fake_history()->files.nr_files, nr_slices + 1);
		lost = lost_disk();
		ck_assert_uint_gt(dead->files.nr_nodes, 0);
		fill(0);
		fake_pass(SECOND_NS);
		fake_samples(1000, 0); /* in the place of dead files */
		ck_assert_uint_eq(lost_disk(), lost);
		(void)dead_files_tidy(dead, UINT64_MAX);
		ck_assert_uint_lt(history_du(CURRENT), before / 2);
		expect_good();
		make_room(); /* for the next reserve, too */
		fake_minute(0, 0);
		ck_assert_int_eq(access(RESERVE, F_OK), 0);
	}
	fake_history_close();
	ck_assert_int_ne(access(RESERVE, F_OK), 0);
}
END_TEST

START_TEST(a_slice_that_finds_no_room_leaves_its_minute_in_live_files)
{
	size_t nr_files;

	fake_history_open();
	fake_minute(1000, 0);
	nr_files = fake_history()->files.nr_files;
	fake_pass(SECOND_NS);
	fake_samples(3000, 50000);
	fill_all(0);
	for (unsigned int i = 0; i < 3; i++) {
		fake_minute(0, 0);
		expect_good();
	}
	ck_assert_uint_eq(fake_history()->files.nr_files, nr_files);
	ck_assert_uint_eq(fake_counter(STATS_STORED), 4000);
	make_room();
	fake_minute(0, 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, nr_files + 1);
	expect_good();
	fake_history_close();
}
END_TEST

/* Each number of free pages is tried once; some suffice for half a slice. */
START_TEST(a_slice_of_which_a_part_finds_room_leaves_nothing_behind)
{
	fake_history_open();
	for (unsigned int i = 0; i < 6; i++) {
		fake_pass(SECOND_NS);
		for (unsigned int k = 0; k < 12; k++)
			fake_samples(1000, k * 12347 + i);
		fill_all((size_t)_i);
		fake_minute(0, 0);
		expect_good();
		make_room();
	}
	fake_minute(0, 0);
	expect_good();
	fake_history_close();
}
END_TEST

/* Keys far from each other: those of a minute take less than a page, those of an hour more. */
static void scattered_minute(unsigned int minute)
{
	fake_pass(MINUTE_NS);
	for (unsigned int i = 0; i < 40; i++)
		fake_samples(1, (minute * 40 + i) * UINT64_C(0x9e3779b97f4a7c15) >> 30);
}

START_TEST(merging_without_room_leaves_the_slices_as_they_are)
{
	bool failed = false;

	fake_history_open();
	for (unsigned int i = 0; i < 10 * 60 && !failed; i++) {
		fill(1);
		scattered_minute(i);
		failed = fake_history()->merge_errors > 0;
		if (failed || i % 8 == 0)
			expect_good();
		make_room();
	}
	ck_assert(failed);
	for (unsigned int i = 0; i < 60; i++)
		scattered_minute(i);
	expect_good();
	ck_assert_int_eq(fake_history()->files.files[0].level, OPROF_SLICE_HOUR);
	fake_history_close();
}
END_TEST

START_TEST(a_restart_on_a_full_disk_loses_nothing_of_before)
{
	struct session_sum before, after;
	struct diag diag;
	struct profiler_config config = {.ops = &source_fake, .history = fake_config};
	int error;

	fake_history_open();
	fake_minute(1000, 0);
	fake_samples(1000, 7000);
	fake_history_killed();
	fill(0);
	ck_assert_int_eq(session_sum(&before, CURRENT), 0);
	diag_clear(&diag);
	error = session_lock(&fake_session, ".", &diag);
	if (!error) {
		error = profiler_open(&fake_profiler, &fake_session, &config, &diag);
		if (!error)
			profiler_close(&fake_profiler);
		session_unlock(&fake_session);
	}
	ck_assert_int_eq(error, -ENOSPC);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "No space left on device"));
	ck_assert_int_eq(session_sum(&after, CURRENT), 0);
	ck_assert_uint_eq(after.nr_samples, before.nr_samples);
	ck_assert_uint_eq(after.nr_damaged, 0);
	make_room();
	fake_history_open();
	fake_minute(1000, 0);
	expect_good();
	ck_assert_uint_eq(fake_counter(STATS_STORED), 3000);
	fake_history_close();
}
END_TEST

START_TEST(slices_that_somebody_removed_are_lost_by_the_next_start)
{
	fake_history_open();
	for (unsigned int i = 0; i < 5; i++)
		fake_minute(100, 0);
	ck_assert_int_eq(file_remove_tree(CURRENT "/history"), 0);
	fake_minute(100, 0);
	ck_assert_uint_eq(fake_history()->close_errors, 0);
	fake_history_close();
	fake_history_open();
	ck_assert_uint_eq(fake_counter(STATS_LOST + OPROF_LOST_FILE), 500);
	expect_good();
	fake_history_close();
}
END_TEST

START_TEST(slices_removed_under_the_daemon_are_lost_and_the_budget_is_kept_on)
{
	fake_config.budget_bytes = 400 << 10;
	fake_history_open();
	for (unsigned int i = 0; i < 240; i++) {
		if (i == 120)
			ck_assert_int_eq(file_remove_tree(CURRENT "/history"), 0);
		for (unsigned int k = 0; k < 20; k++)
			fake_samples(20, (i * 20 + k) * 100003);
		fake_minute(20, i);
		ck_assert_msg(history_du(CURRENT) <= 400 << 10, "minute %u: %llu", i,
			      (unsigned long long)history_du(CURRENT));
	}
	ck_assert_uint_gt(fake_counter(STATS_LOST + OPROF_LOST_FILE), 0);
	ck_assert_uint_gt(fake_counter(STATS_EXPIRED), 0);
	ck_assert_uint_le(nr_lines("cannot drop"), 1);
	expect_good();
	fake_history_close();
}
END_TEST

START_TEST(a_history_folder_that_is_a_file_is_told_and_closes_again_when_it_is_gone)
{
	fake_history_open();
	ck_assert_int_eq(file_remove_tree(CURRENT "/history"), 0);
	ck_assert_int_eq(file_replace(CURRENT "/history", "x", 1, 0600), 0);
	for (unsigned int i = 0; i < 4; i++)
		fake_minute(100, 0);
	ck_assert_uint_eq(fake_history()->close_errors, 4);
	ck_assert_uint_eq(fake_counter(STATS_STORED), 400);
	ck_assert_int_eq(unlink(CURRENT "/history"), 0);
	fake_minute(100, 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	expect_good();
	fake_history_close();
}
END_TEST

int main(void)
{
	TCase *tc;
	int result;

	if (begin()) {
		puts("1..0 # SKIP needs the right to mount a file system");
		return EXIT_SUCCESS;
	}
	tc = tcase_create("history_disk");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_disk_full_from_the_start_refuses_the_start_and_says_why);
	tcase_add_test(tc,
		       a_disk_that_fills_while_sampling_costs_new_samples_only_and_is_told_once);
	tcase_add_test(tc, a_disk_that_is_full_for_hours_does_not_fill_the_log_too);
	tcase_add_test(tc, live_files_over_their_share_become_a_slice_on_a_full_disk);
	tcase_add_test(tc, a_slice_that_finds_no_room_leaves_its_minute_in_live_files);
	tcase_add_loop_test(tc, a_slice_of_which_a_part_finds_room_leaves_nothing_behind, 0, 6);
	tcase_add_test(tc, merging_without_room_leaves_the_slices_as_they_are);
	tcase_add_test(tc, a_restart_on_a_full_disk_loses_nothing_of_before);
	tcase_add_test(tc, slices_that_somebody_removed_are_lost_by_the_next_start);
	tcase_add_test(tc, slices_removed_under_the_daemon_are_lost_and_the_budget_is_kept_on);
	tcase_add_test(tc,
		       a_history_folder_that_is_a_file_is_told_and_closes_again_when_it_is_gone);
	result = test_run(tc);
	(void)unlink(log_path);
	(void)rmdir(folder);
	return result;
}
