// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Emptying a file for its next epoch, examined at every store, in the state that a kill would
 * leave, as test_sdb_split.c examines growth.
 */
#include "libdb/sdb_format.h"
#include "libdb/sdb_internal.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct make_sdb make;

static struct {
	bool armed;
	uint64_t nr_looks, nr_void, nr_whole, nr_renewed;
	uint64_t nr_samples; /* before the file was emptied */
} watch;

static void setup(void)
{
	make_sdb_init(&make);
	make.identity.epoch = 1;
	memset(&watch, 0, sizeof(watch));
}

static void teardown(void)
{
	make_sdb_deinit(&make);
}

static struct sdb_identity identity_of(uint64_t epoch)
{
	struct sdb_identity identity = make.identity;

	identity.epoch = epoch;
	return identity;
}

/*
 * Simulates the daemon after a kill: the file that it opens must be sound, and empty for its epoch.
 */
static void reopen_copy(void)
{
	struct make_sdb copy = make;
	size_t nr_bytes;
	void *bytes = make_sdb_read(make.path, &nr_bytes);
	struct sdb *db;

	watch.armed = false;
	memset(&copy.expected, 0, sizeof(copy.expected));
	(void)snprintf(copy.path, sizeof(copy.path), "%s/copy", make.folder);
	make_sdb_write(copy.path, bytes, nr_bytes);
	free(bytes);
	copy.identity.epoch = 3;
	db = make_sdb_open(&copy);
	make_sdb_verify(&copy);
	for (uint64_t i = 0; i < 700; i++)
		make_sdb_add(&copy, db, make_sdb_random(&copy) >> (i % 2 ? 30 : 10), 1);
	sdb_close(db);
	make_sdb_verify(&copy);
	expected_deinit(&copy.expected);
	watch.armed = true;
}

void sdb_fault_point(void)
{
	struct sdb_check_result result;
	struct sdb_image image;
	struct diag diag;

	if (!watch.armed)
		return;
	ck_assert_msg(!sdb_check(make.path, &result, &diag), "look %llu: %s",
		      (unsigned long long)watch.nr_looks, diag_show(&diag));
	ck_assert_msg(!sdb_image_load(make.path, &image, &diag), "look %llu: %s",
		      (unsigned long long)watch.nr_looks, diag_show(&diag));
	ck_assert_uint_eq(image.nr_samples, result.nr_samples);
	if (image.header.epoch == 2) {
		ck_assert_uint_eq(image.nr_entries, 0);
		ck_assert_int_eq(image.header.start_time_ns, 0);
		watch.nr_renewed++;
	} else if (image.header.epoch_emptied == 1) {
		ck_assert_uint_eq(image.nr_entries, 0);
		watch.nr_void++;
	} else {
		ck_assert_uint_eq(image.nr_samples, watch.nr_samples);
		watch.nr_whole++;
	}
	sdb_image_deinit(&image);
	if (watch.nr_looks++ % 4 == 0)
		reopen_copy();
}

static void restart_watched(struct sdb *db, const struct sdb_identity *identity)
{
	watch.armed = true;
	ck_assert_int_eq(sdb_restart(db, identity), 0);
	watch.armed = false;
	ck_assert_uint_gt(watch.nr_void, 20);
	ck_assert_uint_gt(watch.nr_renewed, 0);
}

/* Adds narrow, wide and weighted keys; if nr is large, enough for directories. */
static struct sdb *fill(uint64_t nr)
{
	struct sdb *db = make_sdb_open(&make);

	for (uint64_t i = 0; i < nr; i++) {
		const uint64_t key = make_sdb_random(&make) >> (i % 2 ? 30 : 4);

		if (make.identity.flags & OPROF_SDB_WEIGHTED)
			ck_assert_int_eq(sdb_add_weighted(db, key, 1, 10), 0);
		else
			ck_assert_int_eq(sdb_add(db, key, 1), 0);
	}
	sdb_set_time(db, 5);
	watch.nr_samples = nr;
	return db;
}

START_TEST(a_kill_at_any_store_of_emptying_leaves_a_file_the_next_epoch_takes)
{
	const struct sdb_identity next = identity_of(2);
	struct sdb *db;

	make.identity.flags = _i % 2 ? OPROF_SDB_WEIGHTED : 0;
	db = fill(_i < 2 ? 50 : 3000);
	restart_watched(db, &next);
	sdb_close(db);
}
END_TEST

START_TEST(an_emptied_file_takes_samples_as_a_new_one_does)
{
	struct sdb *db = fill(_i ? 20000 : 20);

	for (uint64_t epoch = 2; epoch < 6; epoch++) {
		const struct sdb_identity next = identity_of(epoch);
		struct sdb_check_result result;

		ck_assert_int_eq(sdb_restart(db, &next), 0);
		make_sdb_verify(&make); /* the file must be empty */
		for (uint64_t i = 0; i < 3000 * epoch; i++)
			make_sdb_add(&make, db, make_sdb_random(&make) >> (i % 2 ? 30 : 4), 1);
		make_sdb_verify(&make);
		ck_assert_int_eq(sdb_check(make.path, &result, NULL), 0);
		ck_assert_uint_le(result.nr_pages_free, 4);
		expected_deinit(&make.expected);
	}
	sdb_close(db);
}
END_TEST

START_TEST(a_long_file_gives_its_disk_back)
{
	const struct sdb_identity next = identity_of(2);
	struct sdb *db = fill(20000);
	struct stat status;

	ck_assert_uint_gt(sdb_nr_bytes(db), 240000);
	ck_assert_int_eq(sdb_restart(db, &next), 0);
	ck_assert_uint_eq(sdb_nr_bytes(db), 16 * SDB_PAGE_BYTES);
	ck_assert_int_eq(stat(make.path, &status), 0);
	ck_assert_int_eq(status.st_size, 16 * SDB_PAGE_BYTES);
	ck_assert_int_le(status.st_blocks * 512, 17 * (long)SDB_PAGE_BYTES);
	sdb_close(db);
}
END_TEST

START_TEST(what_an_epoch_says_of_its_samples_is_renewed)
{
	struct sdb_identity next = identity_of(2);
	struct sdb *db = fill(30);
	struct sdb_image image;

	sdb_header(db)->flags |= OPROF_SDB_HOLED;
	next.flags = OPROF_SDB_WEIGHTED;
	next.boot_id[3] = 7;
	next.clock = 1;
	next.cpu_khz = 2600000;
	ck_assert_int_eq(sdb_restart(db, &next), 0);
	sdb_set_time(db, 100);
	ck_assert_int_eq(sdb_image_load(make.path, &image, NULL), 0);
	ck_assert_uint_eq(image.header.epoch, 2);
	ck_assert_uint_eq(image.header.flags, OPROF_SDB_EPOCHS | OPROF_SDB_WEIGHTED);
	ck_assert_uint_eq(image.header.boot_id[3], 7);
	ck_assert_uint_eq(image.header.clock, 1);
	ck_assert_uint_eq(image.header.cpu_khz, 2600000);
	ck_assert_int_eq(image.header.start_time_ns, 100);
	ck_assert_int_eq(image.header.end_time_ns, 100);
	sdb_image_deinit(&image);
	sdb_close(db);
}
END_TEST

START_TEST(opening_for_a_later_epoch_empties_and_for_the_same_keeps)
{
	struct sdb_image image;
	struct sdb *db = fill(40);

	sdb_close(db);
	db = make_sdb_open(&make);
	sdb_close(db);
	ck_assert_int_eq(sdb_image_load(make.path, &image, NULL), 0);
	ck_assert_uint_eq(image.nr_samples, 40);
	sdb_image_deinit(&image);
	make.identity.epoch = 9;
	make.identity.flags = OPROF_SDB_WEIGHTED;
	db = make_sdb_open(&make);
	sdb_close(db);
	ck_assert_int_eq(sdb_image_load(make.path, &image, NULL), 0);
	ck_assert_uint_eq(image.header.epoch, 9);
	ck_assert_uint_eq(image.nr_samples, 0);
	sdb_image_deinit(&image);
}
END_TEST

START_TEST(a_file_of_a_later_epoch_or_of_none_is_refused)
{
	static const uint64_t there[] = {5, 0, 5}, wanted[] = {4, 5, 0};
	struct diag diag;
	struct sdb *db;

	make.identity.epoch = there[_i];
	db = fill(3);
	sdb_close(db);
	make.identity.epoch = wanted[_i];
	ck_assert_int_eq(sdb_open(&db, make.path, &make.identity, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "epoch"));
}
END_TEST

START_TEST(restarting_for_no_later_epoch_is_refused)
{
	struct sdb_identity same = identity_of(1);
	struct sdb *db = fill(3);

	ck_assert_int_eq(sdb_restart(db, &same), -EIO);
	sdb_close(db);
	make.identity.epoch = 1;
	db = make_sdb_open(&make);
	sdb_close(db);
}
END_TEST

START_TEST(an_epoch_and_its_flag_come_together)
{
	struct oprof_sdb_header *header;
	struct sdb_check_result result;
	struct sdb *db = fill(3);
	size_t nr_bytes;

	sdb_close(db);
	header = make_sdb_read(make.path, &nr_bytes);
	header->flags ^= OPROF_SDB_EPOCHS;
	make_sdb_write(make.path, header, nr_bytes);
	free(header);
	ck_assert_int_eq(sdb_check(make.path, &result, NULL), -EILSEQ);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sdb_restart");
	TCase *tests = tcase_create("epochs");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(
		tests, a_kill_at_any_store_of_emptying_leaves_a_file_the_next_epoch_takes, 0, 4);
	tcase_add_loop_test(tests, an_emptied_file_takes_samples_as_a_new_one_does, 0, 2);
	tcase_add_test(tests, a_long_file_gives_its_disk_back);
	tcase_add_test(tests, what_an_epoch_says_of_its_samples_is_renewed);
	tcase_add_test(tests, opening_for_a_later_epoch_empties_and_for_the_same_keeps);
	tcase_add_loop_test(tests, a_file_of_a_later_epoch_or_of_none_is_refused, 0, 3);
	tcase_add_test(tests, restarting_for_no_later_epoch_is_refused);
	tcase_add_test(tests, an_epoch_and_its_flag_come_together);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
