// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which files a sync of slices writes to disk, and its errors; names of damaged slices. The rest is
 * in test_history.
 */
#include "daemon/history/history.h"
#include "daemon/history/history_slices.h"
#include "lib/file.h"
#include "tests/fixture/failing_asprintf.h"
#include "tests/fixture/fake_history.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYNC_EACH_MAX 64u /* as in history_slices.c */
#define DAMAGED_MAX   100 /* as in history_slices.c */

/* Calls in this process since the last expect_calls(). */
static unsigned int nr_fsync, nr_fdatasync, nr_syncfs;
static unsigned int failing; /* the number of the call that fails, from 1; 0: none */

static int sync_call(unsigned int *nr_of_kind)
{
	(*nr_of_kind)++;
	if (nr_fsync + nr_fdatasync + nr_syncfs != failing)
		return 0;
	errno = EIO;
	return -1;
}

/* Replaces the C library's function. */
int fsync(int fd)
{
	(void)fd;
	return sync_call(&nr_fsync);
}

int fdatasync(int fd)
{
	(void)fd;
	return sync_call(&nr_fdatasync);
}

int syncfs(int fd)
{
	(void)fd;
	return sync_call(&nr_syncfs);
}

static void expect_calls(unsigned int nr_of_files, unsigned int nr_of_folder,
			 unsigned int nr_of_all)
{
	ck_assert_uint_eq(nr_fdatasync, nr_of_files);
	ck_assert_uint_eq(nr_fsync, nr_of_folder);
	ck_assert_uint_eq(nr_syncfs, nr_of_all);
	nr_fdatasync = nr_fsync = nr_syncfs = 0;
}

static struct history *begin(unsigned int nr_slices)
{
	fake_history_open();
	for (unsigned int i = 0; i < nr_slices; i++)
		fake_minute(1, 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, nr_slices);
	fake_profiler.history.epoch_synced = 0;
	nr_fdatasync = nr_fsync = nr_syncfs = 0;
	return &fake_profiler.history;
}

START_TEST(a_sync_is_of_slices_that_are_not_on_disk_and_of_their_folder)
{
	struct history *history = begin(3);

	ck_assert_int_eq(history_sync(history), 0);
	expect_calls(3, 1, 0);
	history->epoch_synced = history->files.files[1].epoch_last;
	ck_assert_int_eq(history_sync(history), 0);
	expect_calls(1, 1, 0);
	history_synced(history, 0);
	ck_assert_int_eq(history_sync(history), 0);
	expect_calls(0, 0, 0);
	/* After a failed sync it is unknown what is on disk: all is synced again. */
	history_synced(history, -EIO);
	ck_assert_int_eq(unlink(history->files.files[0].path), 0); /* as a drop or a merge does */
	ck_assert_int_eq(history_sync(history), 0);
	expect_calls(2, 1, 0);
	fake_history_close();
}
END_TEST

START_TEST(very_many_slices_are_synced_at_once)
{
	struct history *history = begin(SYNC_EACH_MAX + 1);

	ck_assert_int_eq(history_sync(history), 0);
	expect_calls(0, 0, 1);
	failing = 1;
	ck_assert_int_eq(history_sync(history), -EIO);
	failing = 0;
	expect_calls(0, 0, 1);
	history->epoch_synced = history->files.files[0].epoch_last;
	ck_assert_int_eq(history_sync(history), 0);
	expect_calls(SYNC_EACH_MAX, 1, 0);
	fake_history_close();
}
END_TEST

/* The other slices are still synced. The folder is synced only if all slices were. */
START_TEST(an_error_of_any_slice_or_of_their_folder_is_that_of_the_sync)
{
	struct history *history = begin(3);

	for (failing = 1; failing <= 4; failing++) {
		ck_assert_int_eq(history_sync(history), -EIO);
		expect_calls(3, failing == 4, 0);
	}
	failing = 0;
	fake_history_close();
}
END_TEST

/* Without memory for a new name, a damaged slice stays, and the log says so. */
START_TEST(a_damaged_slice_that_cannot_be_renamed_stays)
{
	struct history *history = begin(1);
	char *text;

	failing_asprintf = true;
	history_slices_set_aside(history, history->files.files[0].path, "by the test");
	failing_asprintf = false;
	ck_assert_int_eq(access(history->files.files[0].path, F_OK), 0);
	ck_assert_int_eq(file_read_text("log", 1 << 20, &text, NULL), 0);
	ck_assert_ptr_nonnull(strstr(text, " is damaged (by the test); it keeps its name\n"));
	free(text);
	fake_history_close();
}
END_TEST

/* A number of damaged slices of the same epochs are kept; the last name is used again. */
START_TEST(damaged_slices_of_one_name_are_a_bounded_number)
{
	struct history *history = begin(1);
	const char *path = history->files.files[0].path;
	char name[512];
	struct stat st;

	(void)snprintf(name, sizeof(name), "%s.damaged", path);
	ck_assert_int_eq(file_replace(name, "x", 1, 0600), 0);
	for (unsigned int i = 2; i <= DAMAGED_MAX; i++) {
		(void)snprintf(name, sizeof(name), "%s.damaged.%u", path, i);
		ck_assert_int_eq(file_replace(name, "x", 1, 0600), 0);
	}
	history_slices_set_aside(history, path, "by the test");
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(stat(name, &st), 0);
	ck_assert_int_gt(st.st_size, 1);
	(void)snprintf(name, sizeof(name), "%s.damaged.%d", path, DAMAGED_MAX + 1);
	ck_assert_int_ne(access(name, F_OK), 0);
	fake_history_close();
}
END_TEST

static bool log_says(const char *part)
{
	char *text;
	bool says;

	ck_assert_int_eq(file_read_text("log", 1 << 20, &text, NULL), 0);
	says = strstr(text, part) != NULL;
	free(text);
	return says;
}

START_TEST(idle_samples_of_slices_count_when_slices_are_missed)
{
	fake_history_open();
	for (unsigned int i = 0; i < 3; i++) {
		fake_cpu(0);
		fake_task(1, 1, 1, 0);
		for (unsigned int j = 0; j < 4; j++)
			fake_sample(0, OPROF_MODE_IDLE, 2, j * 16, 10);
		fake_minute(5, 0);
	}
	fake_history_close();
	fake_history_open();
	ck_assert(!log_says("missing"));
	ck_assert_uint_eq(fake_history()->files.nr_files, 3);
	ck_assert_int_eq(unlink(fake_history()->files.files[1].path), 0);
	fake_history_close();
	fake_history_open();
	ck_assert(log_says(
		"slices have changed: they and the expired samples have 18 samples, but had 27"));
	fake_history_conserved();
	fake_history_close();
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("history_slices");

	tcase_add_checked_fixture(tc, fake_history_setup, fake_history_teardown);
	tcase_add_test(tc, a_sync_is_of_slices_that_are_not_on_disk_and_of_their_folder);
	tcase_add_test(tc, very_many_slices_are_synced_at_once);
	tcase_add_test(tc, an_error_of_any_slice_or_of_their_folder_is_that_of_the_sync);
	tcase_add_test(tc, a_damaged_slice_that_cannot_be_renamed_stays);
	tcase_add_test(tc, damaged_slices_of_one_name_are_a_bounded_number);
	tcase_add_test(tc, idle_samples_of_slices_count_when_slices_are_missed);
	return test_run(tc);
}
