// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/table_folder.h"
#include "lib/file.h"
#include "tests/fixture/descriptors.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_BOUND UINT64_MAX

static int folder;

static void setup(void)
{
	test_folder_setup();
	folder = table_folder_open("a/code");
	ck_assert_int_ge(folder, 0);
}

static void teardown(void)
{
	(void)close(folder);
	test_folder_teardown();
}

/* Put a table of nr_bytes that is age seconds old. */
static void put(uint64_t identity, size_t nr_bytes, uint64_t bytes_max, int64_t age)
{
	struct timespec times[2] = {{.tv_sec = 1000000 - age}, {.tv_sec = 1000000 - age}};
	int file = table_folder_begin(folder, identity);
	int fd;

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(ftruncate(file, (off_t)nr_bytes), 0);
	ck_assert_int_eq(futimens(file, times), 0);
	fd = table_folder_put(folder, identity, file, bytes_max);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), (off_t)nr_bytes);
	(void)close(fd);
}

static bool is_there(uint64_t identity)
{
	int fd = table_folder_find(folder, identity);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

static bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

START_TEST(a_table_is_found_by_its_identity_once_it_is_whole)
{
	int file = table_folder_begin(folder, 0x1234);

	ck_assert_int_ge(file, 0);
	ck_assert(!is_there(0x1234));
	table_folder_cancel(folder, 0x1234, file);
	ck_assert(!exists("a/code/.0000000000001234.tmp"));
	put(0x1234, 5, NO_BOUND, 0);
	ck_assert(is_there(0x1234));
	ck_assert(exists("a/code/0000000000001234.code"));
	ck_assert(!is_there(0x1235));
}
END_TEST

START_TEST(a_table_that_cannot_have_its_name_is_an_error_and_leaves_nothing)
{
	int file = table_folder_begin(folder, 0x1234);

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(mkdir("a/code/0000000000001234.code", 0700), 0);
	ck_assert_int_eq(table_folder_put(folder, 0x1234, file, NO_BOUND), -EISDIR);
	ck_assert(!exists("a/code/.0000000000001234.tmp"));
	ck_assert_int_eq(fcntl(file, F_GETFD), -1);
	file = table_folder_begin(folder, 0x1235);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(unlink("a/code/.0000000000001235.tmp"), 0);
	ck_assert_int_eq(table_folder_put(folder, 0x1235, file, NO_BOUND), -ENOENT);
	ck_assert(!is_there(0x1235));
	ck_assert_int_eq(fcntl(file, F_GETFD), -1);
}
END_TEST

START_TEST(the_oldest_tables_make_room_for_the_newest)
{
	put(1, 400, NO_BOUND, 10);
	put(2, 400, NO_BOUND, 30);
	put(3, 400, NO_BOUND, 20);
	put(4, 400, 1000, 0);
	ck_assert(is_there(1) && is_there(4));
	ck_assert(!is_there(2) && !is_there(3));
}
END_TEST

START_TEST(tables_that_just_fit_stay)
{
	put(1, 400, NO_BOUND, 10);
	put(2, 600, 1000, 0);
	ck_assert(is_there(1) && is_there(2));
	put(3, 1, 1000, 0);
	ck_assert(!is_there(1) && is_there(2) && is_there(3));
}
END_TEST

START_TEST(more_tables_than_are_told_apart_by_age_in_one_go_make_room_too)
{
	for (uint64_t i = 1; i <= 200; i++)
		put(i, 10, NO_BOUND, 1000 - (int64_t)i);
	put(201, 10, 100, 0);
	for (uint64_t i = 1; i <= 201; i++)
		ck_assert_msg(is_there(i) == (i > 191), "%llu", (unsigned long long)i);
}
END_TEST

START_TEST(what_a_killed_keeper_left_behind_is_removed_and_other_files_are_not)
{
	ck_assert_int_eq(file_replace("a/code/.0000000000000009.tmp", "x", 1, 0600), 0);
	ck_assert_int_eq(file_replace("a/code/readme", "x", 1, 0600), 0);
	ck_assert_int_eq(file_replace("a/code/0000000000000001.text", "x", 1, 0600), 0);
	put(1, 400, 1, 0);
	ck_assert(!exists("a/code/.0000000000000009.tmp"));
	ck_assert(exists("a/code/readme") && exists("a/code/0000000000000001.text"));
}
END_TEST

START_TEST(without_a_folder_a_table_is_in_memory_and_can_not_be_changed)
{
	int file = table_folder_begin(-1, 7);
	int fd;

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, "table", 5), 5);
	fd = table_folder_put(-1, 7, file, NO_BOUND);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 5);
	ck_assert_int_eq(fcntl(fd, F_GET_SEALS) & (F_SEAL_SHRINK | F_SEAL_WRITE),
			 F_SEAL_SHRINK | F_SEAL_WRITE);
	ck_assert_int_eq(table_folder_find(-1, 7), -1);
	(void)close(fd);
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_an_error)
{
	ck_assert_int_eq(file_replace("plain", "x", 1, 0600), 0);
	ck_assert_int_lt(table_folder_open("plain/code"), 0);
}
END_TEST

START_TEST(a_table_that_cannot_be_put_is_an_error_and_leaves_nothing)
{
	static const struct {
		enum failing_kind kind;
		bool in_memory;
		int error;
	} cases[] = {
		{FAILING_OPEN, false, -EMFILE},
		{FAILING_RENAME, false, -EDQUOT},
		{FAILING_OPEN, true, -EMFILE},
	};
	const unsigned int nr_fds = nr_descriptors();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int dir_fd = cases[i].in_memory ? -1 : folder;
		int file = table_folder_begin(dir_fd, 1), fd;

		ck_assert_int_ge(file, 0);
		failing_begin(cases[i].kind, 1, 0);
		fd = table_folder_put(dir_fd, 1, file, NO_BOUND);
		ck_assert(failing_end());
		ck_assert_int_eq(fd, cases[i].error);
		ck_assert(!exists("a/code/.0000000000000001.tmp") && !is_there(1));
		ck_assert_uint_eq(nr_descriptors(), nr_fds);
	}
}
END_TEST

START_TEST(a_folder_or_file_that_cannot_be_opened_is_an_error)
{
	failing_begin(FAILING_OPEN, 1, 1);
	ck_assert_int_eq(table_folder_open("a/code"), -EMFILE);
	ck_assert_int_eq(table_folder_begin(folder, 1), -EMFILE);
	ck_assert_int_lt(table_folder_find(folder, 1), 0);
	ck_assert(failing_end());
}
END_TEST

/* Room is made with the next table. */
START_TEST(where_the_folder_cannot_be_read_tables_stay)
{
	const unsigned int nr_fds = nr_descriptors();
	int file, fd;

	put(1, 400, NO_BOUND, 10);
	file = table_folder_begin(folder, 2);
	ck_assert_int_ge(file, 0);
	failing_begin(FAILING_OPEN, 2, 0);
	fd = table_folder_put(folder, 2, file, 0);
	ck_assert(failing_end());
	ck_assert_int_ge(fd, 0);
	(void)close(fd);
	ck_assert(is_there(1) && is_there(2));
	ck_assert_uint_eq(nr_descriptors(), nr_fds);
	put(3, 400, 400, 0);
	ck_assert(!is_there(1) && is_there(3));
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_test(all, a_table_is_found_by_its_identity_once_it_is_whole);
	tcase_add_test(all, a_table_that_cannot_have_its_name_is_an_error_and_leaves_nothing);
	tcase_add_test(all, the_oldest_tables_make_room_for_the_newest);
	tcase_add_test(all, tables_that_just_fit_stay);
	tcase_add_test(all, more_tables_than_are_told_apart_by_age_in_one_go_make_room_too);
	tcase_add_test(all, what_a_killed_keeper_left_behind_is_removed_and_other_files_are_not);
	tcase_add_test(all, without_a_folder_a_table_is_in_memory_and_can_not_be_changed);
	tcase_add_test(all, a_folder_that_cannot_be_made_is_an_error);
	tcase_add_test(all, a_table_that_cannot_be_put_is_an_error_and_leaves_nothing);
	tcase_add_test(all, a_folder_or_file_that_cannot_be_opened_is_an_error);
	tcase_add_test(all, where_the_folder_cannot_be_read_tables_stay);
	return test_run(all);
}
