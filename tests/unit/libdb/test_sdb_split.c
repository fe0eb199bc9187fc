// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Growth, examined at every store. The library that is linked here calls sdb_fault_point() after
 * each store to a file: the file is then in the state that a kill between two stores would leave.
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
#include <unistd.h>

static struct make_sdb make;

/* The addition in progress during the stores. */
static struct {
	bool armed;
	struct expected_add in_flight;
	uint64_t nr_points, every; /* examine each every-th store */
	uint64_t nr_looks, nr_reopened, nr_stale_max, nr_free_max;
} watch;

static void setup(void)
{
	make_sdb_init(&make);
	memset(&watch, 0, sizeof(watch));
	watch.every = 1;
}

static void teardown(void)
{
	make_sdb_deinit(&make);
}

/* Simulates the writer after a kill: it must find all samples, add more, and leave a sound file. */
static void reopen_copy(void)
{
	static unsigned int turn;
	struct make_sdb copy = make;
	struct sdb_check_result result;
	struct diag diag;
	char text[1024];
	struct sdb *db;
	size_t nr_bytes;
	void *bytes;

	if (turn++ % 16)
		return;
	watch.armed = false;
	memset(&copy.expected, 0, sizeof(copy.expected));
	for (size_t i = 0; i < make.expected.nr_adds; i++)
		expected_add(&copy.expected, make.expected.adds[i].key,
			     make.expected.adds[i].nr_samples, 0);
	(void)snprintf(copy.path, sizeof(copy.path), "%s/copy", make.folder);
	bytes = make_sdb_read(make.path, &nr_bytes);
	make_sdb_write(copy.path, bytes, nr_bytes);
	free(bytes);
	db = make_sdb_open(&copy);
	for (uint64_t i = 0; i < 700; i++)
		make_sdb_add(&copy, db, make_sdb_random(&copy) >> (i % 2 ? 30 : 10), 1);
	sdb_close(db);
	ck_assert_msg(!sdb_check(copy.path, &result, &diag), "%s", diag_show(&diag));
	ck_assert_msg(
		!expected_differs(&copy.expected, copy.path, &watch.in_flight, text, sizeof(text)),
		"%s", text);
	expected_deinit(&copy.expected);
	watch.nr_reopened++;
	watch.armed = true;
}

void sdb_fault_point(void)
{
	struct sdb_check_result result;
	struct diag diag;
	char text[1024];

	if (!watch.armed || watch.nr_points++ % watch.every)
		return;
	ck_assert_msg(!sdb_check(make.path, &result, &diag), "store %llu: %s",
		      (unsigned long long)watch.nr_points, diag_show(&diag));
	ck_assert_msg(
		!expected_differs(&make.expected, make.path, &watch.in_flight, text, sizeof(text)),
		"store %llu: %s", (unsigned long long)watch.nr_points, text);
	watch.nr_looks++;
	if (result.nr_stale > watch.nr_stale_max)
		watch.nr_stale_max = result.nr_stale;
	if (result.nr_pages_free > watch.nr_free_max)
		watch.nr_free_max = result.nr_pages_free;
	reopen_copy();
}

static void add_watched(struct sdb *db, uint64_t key, uint64_t nr_samples)
{
	watch.in_flight = (struct expected_add){key, nr_samples, 0};
	watch.armed = true;
	ck_assert_int_eq(sdb_add(db, key, nr_samples), 0);
	watch.armed = false;
	expected_add(&make.expected, key, nr_samples, 0);
}

START_TEST(a_kill_at_any_store_of_narrow_growth_leaves_every_sample_counted_once)
{
	struct sdb *db = make_sdb_open(&make);

	watch.every = 3;
	for (uint64_t i = 0; i < 1800; i++)
		add_watched(db, i % 3 ? make_sdb_key(&make, KEYS_RANDOM, i) : i % 100, 1);
	sdb_close(db);
	make_sdb_verify(&make);
	ck_assert_uint_gt(watch.nr_stale_max, 0); /* a split was examined */
	ck_assert_uint_gt(watch.nr_free_max, 0);
	ck_assert_uint_gt(watch.nr_reopened, 50);
}
END_TEST

START_TEST(a_kill_at_any_store_of_wide_growth_leaves_every_sample_counted_once)
{
	struct sdb *db = make_sdb_open(&make);

	watch.every = 3;
	for (uint64_t i = 0; i < 900; i++)
		add_watched(db, make_sdb_key(&make, KEYS_NODES, i) << 8, 1 + i % 2);
	add_watched(db, 5, SDB_NARROW_MAX);
	add_watched(db, 5, 2); /* from narrow to wide */
	sdb_close(db);
	make_sdb_verify(&make);
	ck_assert_uint_gt(watch.nr_stale_max, 0);
}
END_TEST

/* Returns a key whose place begins with the 10 bits that choose one entry of a new directory. */
static uint64_t key_of_one_entry(bool wide)
{
	for (;;) {
		const uint64_t key = make_sdb_random(&make) >> (wide ? 4 : 24);

		if (sdb_place(sdb_mix(key)) >> 22 == 0x155)
			return key;
	}
}

START_TEST(a_kill_at_any_store_of_doubling_leaves_every_sample_counted_once)
{
	struct sdb *db = make_sdb_open(&make);
	const int nr_keys = _i ? 700 : 1300;

	watch.every = 23;
	for (int i = 0; i < nr_keys; i++)
		add_watched(db, key_of_one_entry(_i), 1);
	ck_assert_uint_gt((_i ? sdb_header(db)->wide : sdb_header(db)->narrow).directory & 0xff,
			  SDB_DIRECTORY_LOG2_MIN);
	sdb_close(db);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(a_kill_at_any_store_of_a_weighted_add_leaves_no_weight_without_samples)
{
	struct sdb_image image;
	struct sdb *db;

	make.identity.flags = OPROF_SDB_WEIGHTED;
	db = make_sdb_open(&make);
	for (uint64_t i = 0; i < 300; i++) {
		watch.in_flight = (struct expected_add){i % 200, 1, 0};
		watch.armed = true;
		ck_assert_int_eq(sdb_add_weighted(db, i % 200, 1, 10), 0);
		watch.armed = false;
		expected_add(&make.expected, i % 200, 1, 0);
		ck_assert_int_eq(sdb_image_load(make.path, &image, NULL), 0);
		ck_assert_uint_eq(image.weight, 10 * image.nr_samples);
		sdb_image_deinit(&image);
	}
	sdb_close(db);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(keys_that_fall_together_by_design_are_refused_at_last_and_harm_no_others)
{
	struct sdb *db = make_sdb_open(&make);
	uint64_t inverse = 1;
	int error = 0;

	/* Inverts the mixing, so that the places of all keys have the same 24 bits. */
	for (uint64_t i = 0; i < 2000 && !error; i++) {
		uint64_t mixed = 0x1234560000000000ULL + (i * 0x9e3779b97f4a7c15ULL >> 24);

		mixed ^= mixed >> 32;
		for (inverse = 1; inverse * 0xd1b54a32d192ed03ULL != 1;)
			inverse *= 2 - inverse * 0xd1b54a32d192ed03ULL;
		mixed *= inverse;
		mixed ^= mixed >> 32;
		for (inverse = 1; inverse * 0x9e6c63d0876a9a47ULL != 1;)
			inverse *= 2 - inverse * 0x9e6c63d0876a9a47ULL;
		mixed *= inverse;
		mixed ^= mixed >> 32;
		ck_assert_uint_eq(sdb_mix(mixed) >> 40, 0x123456);
		error = sdb_add(db, mixed, 1);
		if (!error)
			expected_add(&make.expected, mixed, 1, 0);
	}
	ck_assert_int_eq(error, -EFBIG);
	for (uint64_t i = 0; i < 3000; i++)
		make_sdb_add(&make, db, i * 64, 1);
	sdb_close(db);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(pages_freed_by_splits_are_used_again)
{
	struct sdb *db = make_sdb_open(&make);
	struct sdb_check_result result;

	for (uint64_t i = 0; i < 100000; i++)
		ck_assert_int_eq(sdb_add(db, i * 4, 1), 0);
	sdb_close(db);
	ck_assert_int_eq(sdb_check(make.path, &result, NULL), 0);
	ck_assert_uint_le(result.nr_pages_free, 2);
	ck_assert_uint_eq(result.nr_stale, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sdb_split");
	TCase *tests = tcase_create("growth");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests,
		       a_kill_at_any_store_of_narrow_growth_leaves_every_sample_counted_once);
	tcase_add_test(tests, a_kill_at_any_store_of_wide_growth_leaves_every_sample_counted_once);
	tcase_add_loop_test(tests, a_kill_at_any_store_of_doubling_leaves_every_sample_counted_once,
			    0, 2);
	tcase_add_test(tests,
		       a_kill_at_any_store_of_a_weighted_add_leaves_no_weight_without_samples);
	tcase_add_test(tests,
		       keys_that_fall_together_by_design_are_refused_at_last_and_harm_no_others);
	tcase_add_test(tests, pages_freed_by_splits_are_used_again);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
