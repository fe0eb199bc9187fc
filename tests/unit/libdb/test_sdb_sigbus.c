// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/sdb_format.h"
#include "libdb/sdb_internal.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct make_sdb make;
static sigjmp_buf back;

static void setup(void)
{
	make_sdb_init(&make);
}

static void teardown(void)
{
	make_sdb_deinit(&make);
}

static struct sdb *open_and_fill(uint64_t nr_keys)
{
	struct sdb *db = make_sdb_open(&make);

	for (uint64_t i = 0; i < nr_keys; i++)
		make_sdb_add(&make, db, i * 64, 1);
	return db;
}

/* Adds until an addition fails; returns the error. */
static int add_until_it_fails(struct sdb *db)
{
	int error = 0;

	for (uint64_t i = 0; i < 200000 && !error; i++)
		error = sdb_add(db, i * 64, 1);
	return error;
}

START_TEST(a_file_truncated_under_its_writer_fails_that_file_only)
{
	struct sdb *db, *other;
	struct make_sdb second;
	struct sdb_image image;

	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	db = open_and_fill(20000);
	make_sdb_init(&second);
	other = make_sdb_open(&second);
	ck_assert_int_eq(truncate(make.path, (off_t)_i * 4096), 0);
	ck_assert_int_eq(add_until_it_fails(db), -EIO);
	ck_assert_int_eq(sdb_add(db, 1ULL << 50, 1), -EIO); /* the error is permanent */
	ck_assert_int_eq(sdb_sync(db), -EIO);
	for (uint64_t i = 0; i < 5000; i++)
		make_sdb_add(&second, other, i, 1);
	sdb_close(other);
	sdb_close(db);
	make_sdb_verify(&second);
	if (_i > 0) { /* the header is still there, and shows the damage */
		size_t nr_bytes;
		struct oprof_sdb_header *header = make_sdb_read(make.path, &nr_bytes);

		ck_assert_uint_ne(header->flags & OPROF_SDB_HOLED, 0);
		free(header);
	}
	ck_assert_int_ne(sdb_image_load(make.path, &image, NULL), 0);
	make_sdb_deinit(&second);
}
END_TEST

START_TEST(growing_after_a_page_was_lost_does_not_spread_the_damage)
{
	struct sdb *db;
	size_t nr_bytes;
	char *bytes;

	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	db = open_and_fill(20000);
	ck_assert_int_eq(truncate(make.path, 2 * 4096), 0);
	(void)add_until_it_fails(db);
	for (uint64_t i = 0; i < 50000; i++)
		(void)sdb_add(db, i << 20, 1);
	sdb_close(db);
	bytes = make_sdb_read(make.path, &nr_bytes);
	ck_assert_uint_eq(nr_bytes, 2 * 4096);
	ck_assert_mem_eq(bytes, OPROF_SDB_MAGIC, 8);
	free(bytes);
}
END_TEST

static void on_other_fault(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

START_TEST(faults_elsewhere_go_to_the_handler_that_was_there)
{
	struct sigaction action = {.sa_handler = on_other_fault};
	volatile char *map;
	void *mapped;
	int fd = open(make.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_eq(sigaction(SIGBUS, &action, NULL), 0);
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(mapped, MAP_FAILED);
	map = mapped;
	if (!sigsetjmp(back, 1)) {
		(void)map[0];
		ck_abort_msg("no fault");
	}
	(void)close(fd);
}
END_TEST

START_TEST(faults_elsewhere_kill_when_no_handler_was_there)
{
	volatile char *map;
	void *mapped;
	int fd = open(make.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)signal(SIGBUS, SIG_DFL);
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(mapped, MAP_FAILED);
	map = mapped;
	teardown(); /* SIGBUS ends the process before Check can do this */
	(void)map[0];
}
END_TEST

START_TEST(a_signal_that_was_sent_kills_as_ever)
{
	(void)signal(SIGBUS, SIG_DFL);
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	teardown();
	(void)raise(SIGBUS);
	(void)raise(SIGBUS);
}
END_TEST

/*
 * Returns a random narrow key. one_entry: only keys of one entry of the directory, so that the
 * directory doubles.
 */
static uint64_t key_of(bool one_entry)
{
	uint64_t key;

	do
		key = make_sdb_random(&make) >> 24;
	while (one_entry && sdb_place(sdb_mix(key)) >> 22 != 0x155);
	return key;
}

/* As on a copy-on-write file system without room: stores to new pages fail, the rest is there. */
START_TEST(pages_lost_during_growth_take_nothing_along_that_was_there)
{
	const int nr_keys = _i == 2 ? 60000 : _i ? 5000 : 0;
	struct sdb *db = make_sdb_open(&make);
	uint64_t nr_pages, key;
	int error;

	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	for (int i = 0; i < nr_keys; i++)
		make_sdb_add(&make, db, key_of(false), 1);
	/*
	 * After one doubling there are two pages for these keys; when one is full, the directory
	 * doubles again.
	 */
	while (_i == 2 && sdb_directory_log2(sdb_header(db)->narrow.directory) < 11)
		make_sdb_add(&make, db, key_of(true), 1);
	do {
		nr_pages = sdb_header(db)->nr_pages;
		ck_assert_int_eq(truncate(make.path, (off_t)(nr_pages * 4096)), 0);
		key = key_of(_i == 2);
		error = sdb_add(db, key, 1);
		if (!error)
			expected_add(&make.expected, key, 1, 0);
	} while (!error);
	ck_assert_int_eq(error, -EIO);
	if (_i == 2)
		ck_assert_uint_eq(sdb_directory_log2(sdb_header(db)->narrow.directory), 11);
	nr_pages = sdb_header(db)->nr_pages;
	sdb_close(db);
	ck_assert_int_eq(truncate(make.path, (off_t)(nr_pages * 4096)), 0);
	make_sdb_verify(&make);
}
END_TEST

/*
 * It does not matter which process wrote: the new content must not cause an access out of bounds.
 */
START_TEST(a_file_overwritten_under_its_writer_crashes_nothing)
{
	struct sdb_identity next = make.identity;
	uint64_t bytes[4096 / 8];
	unsigned int failed = 0;
	struct sdb *db;
	int fd;

	make.random = (uint64_t)_i + 1;
	make.identity.epoch = 1;
	next.epoch = 2;
	db = make_sdb_open(&make);
	for (uint64_t i = 0; i < 6000; i++)
		ck_assert_int_eq(sdb_add(db, make_sdb_random(&make), 1), 0);
	fd = open(make.path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	/* Overwrites all pages, all except the first, or only the first. */
	for (off_t page = _i % 3 == 1; page < (_i % 3 == 2 ? 1 : 64); page++) {
		for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
			bytes[i] = make_sdb_random(&make);
		ck_assert_int_eq(pwrite(fd, bytes, sizeof(bytes), page * 4096), 4096);
	}
	ck_assert_int_eq(close(fd), 0);
	for (uint64_t i = 0; i < 20000; i++)
		failed += sdb_add(db, make_sdb_random(&make) >> i % 40, 1) != 0;
	ck_assert_uint_gt(failed, 0);
	(void)sdb_restart(db, &next);
	for (uint64_t i = 0; i < 20000; i++)
		(void)sdb_add_weighted(db, make_sdb_random(&make) >> i % 40, 1, 2);
	sdb_close(db);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sdb_sigbus");
	TCase *tests = tcase_create("sigbus");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, a_file_truncated_under_its_writer_fails_that_file_only, 0, 4);
	tcase_add_test(tests, growing_after_a_page_was_lost_does_not_spread_the_damage);
	tcase_add_test(tests, faults_elsewhere_go_to_the_handler_that_was_there);
	tcase_add_test_raise_signal(tests, faults_elsewhere_kill_when_no_handler_was_there, SIGBUS);
	tcase_add_test_raise_signal(tests, a_signal_that_was_sent_kills_as_ever, SIGBUS);
	tcase_add_loop_test(tests, pages_lost_during_growth_take_nothing_along_that_was_there, 0,
			    3);
	tcase_add_loop_test(tests, a_file_overwritten_under_its_writer_crashes_nothing, 0, 30);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
