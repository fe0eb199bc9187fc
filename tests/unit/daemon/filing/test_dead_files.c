// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that wait to be removed: how many are removed at a time, and which are not. */
#include "daemon/filing/dead_files.h"

#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES 4096

static struct sample_tree tree;
static struct dead_files dead;

static void setup(void)
{
	test_folder_setup();
	ck_assert_int_eq(mkdir("s", 0700), 0);
	sample_tree_init(&tree, "s");
	ck_assert_int_eq(dead_files_init(&dead, &tree), 0);
}

static void teardown(void)
{
	dead_files_deinit(&dead);
	test_folder_teardown();
}

static const char *path_of(unsigned int number)
{
	static char path[32];

	(void)snprintf(path, sizeof(path), "s/%u/file", number);
	return path;
}

/* Makes files, and has them wait. Two of them have the same hash. */
static void make(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		ck_assert_int_eq(sample_tree_make_parents(&tree, path_of(i)), 0);
		ck_assert_int_eq(file_replace(path_of(i), "", 0, 0600), 0);
		dead_files_add(&dead, path_of(i), i / 2, FILE_BYTES);
	}
	ck_assert_uint_eq(dead.nr_bytes, nr * FILE_BYTES);
}

static unsigned int nr_there(unsigned int nr)
{
	unsigned int nr_found = 0;

	for (unsigned int i = 0; i < nr; i++)
		nr_found += !access(path_of(i), F_OK);
	return nr_found;
}

START_TEST(files_are_removed_a_few_at_a_time)
{
	make(5);
	ck_assert_uint_eq(nr_there(5), 5);
	ck_assert(dead_files_tidy(&dead, 0));
	ck_assert_uint_eq(nr_there(5), 4);
	ck_assert_uint_eq(dead.nr_bytes, 4 * FILE_BYTES);
	ck_assert(dead_files_remove(&dead));
	ck_assert_uint_eq(nr_there(5), 3);
	ck_assert(!dead_files_tidy(&dead, UINT64_MAX));
	ck_assert_uint_eq(nr_there(5), 0);
	ck_assert_uint_eq(dead.nr_bytes, 0);
	ck_assert(!dead_files_remove(&dead));
	ck_assert(!dead_files_tidy(&dead, UINT64_MAX));
	ck_assert_int_eq(access("s/1", F_OK), -1); /* with their folders */
	ck_assert_int_eq(access("s", F_OK), 0);
}
END_TEST

START_TEST(a_file_that_is_used_again_is_not_removed)
{
	make(4);
	dead_files_forget(&dead, path_of(3), 1);
	dead_files_forget(&dead, path_of(3), 1); /* not dead any more */
	dead_files_forget(&dead, path_of(9), 1); /* never was */
	ck_assert_uint_eq(dead.nr_bytes, 3 * FILE_BYTES);
	ck_assert(!dead_files_tidy(&dead, UINT64_MAX));
	ck_assert_uint_eq(nr_there(4), 1);
	ck_assert_int_eq(access(path_of(3), F_OK), 0);
}
END_TEST

START_TEST(a_full_disk_is_relieved)
{
	make(2);
	ck_assert(!dead_files_reclaim(&dead, 0));
	ck_assert(!dead_files_reclaim(&dead, -EIO));
	ck_assert_uint_eq(nr_there(2), 2);
	ck_assert(dead_files_reclaim(&dead, _i ? -EDQUOT : -ENOSPC));
	ck_assert_uint_eq(nr_there(2), 0);
	ck_assert(!dead_files_reclaim(&dead, -ENOSPC));
}
END_TEST

START_TEST(files_whose_folder_goes_are_forgotten)
{
	make(3);
	dead_files_clear(&dead);
	ck_assert_uint_eq(dead.nr_bytes, 0);
	ck_assert(!dead_files_remove(&dead));
	ck_assert_uint_eq(nr_there(3), 3);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("dead_files");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, files_are_removed_a_few_at_a_time);
	tcase_add_test(tc, a_file_that_is_used_again_is_not_removed);
	tcase_add_loop_test(tc, a_full_disk_is_relieved, 0, 2);
	tcase_add_test(tc, files_whose_folder_goes_are_forgotten);
	return test_run(tc);
}
