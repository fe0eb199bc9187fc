// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/sdb_find.h"
#include "libdb/sdb_find_any.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static struct make_sdb make;

static void setup(void)
{
	make_sdb_init(&make);
}

static void teardown(void)
{
	make_sdb_deinit(&make);
}

static struct sdb_entry entry_of(const char *path, uint64_t key)
{
	struct sdb_entry found = {0};
	struct sdb_image image;

	ck_assert_int_eq(sdb_image_load(path, &image, NULL), 0);
	for (size_t i = 0; i < image.nr_entries; i++) {
		if (image.entries[i].key == key)
			found = image.entries[i];
	}
	sdb_image_deinit(&image);
	return found;
}

START_TEST(every_pattern_of_keys_is_counted_exactly)
{
	struct sdb *db = make_sdb_open(&make);

	for (uint64_t i = 0; i < 60000; i++) {
		uint64_t key = make_sdb_key(&make, (enum key_pattern)_i, i % 40000);

		make_sdb_add(&make, db, key, 1 + i % 3);
	}
	make_sdb_verify(&make); /* while it is open */
	sdb_close(db);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(every_pattern_of_keys_takes_about_the_same_room)
{
	const unsigned int bytes_max = _i == KEYS_NODES ? 29 : 15;
	struct sdb *db = make_sdb_open(&make);
	struct sdb_check_result result;
	struct stat status;

	for (uint64_t i = 0; i < 50000; i++)
		make_sdb_add(&make, db, make_sdb_key(&make, (enum key_pattern)_i, i), 1);
	sdb_close(db);
	ck_assert_int_eq(sdb_check(make.path, &result, NULL), 0);
	ck_assert_uint_le(result.longest_probe, 2 * SDB_PROBE_PAIRS);
	ck_assert_int_eq(stat(make.path, &status), 0);
	ck_assert_uint_le((uint64_t)status.st_size, bytes_max * result.nr_keys);
}
END_TEST

START_TEST(disk_per_key_does_not_swing_with_the_number_of_keys)
{
	struct sdb *db = make_sdb_open(&make);
	uint64_t nr_keys = 0;

	for (uint64_t nr = 20000; nr < 90000; nr += nr / 8) {
		struct sdb_check_result result;

		for (; nr_keys < nr; nr_keys++)
			ck_assert_int_eq(sdb_add(db, nr_keys * 4, 1), 0);
		ck_assert_int_eq(sdb_check(make.path, &result, NULL), 0);
		ck_assert_uint_gt(result.nr_pages_used * 4096, 11 * nr_keys);
		ck_assert_uint_lt(result.nr_pages_used * 4096, 13 * nr_keys);
	}
	sdb_close(db);
}
END_TEST

START_TEST(a_count_that_outgrows_its_narrow_slot_goes_on_in_a_wide_one)
{
	struct sdb *db = make_sdb_open(&make);

	make_sdb_add(&make, db, 77, SDB_NARROW_MAX - 1);
	for (int i = 0; i < 5; i++)
		make_sdb_add(&make, db, 77, 1);
	make_sdb_add(&make, db, 78, SDB_NARROW_MAX);
	make_sdb_add(&make, db, 79, SDB_NARROW_MAX + 1ULL);
	make_sdb_add(&make, db, 80, 1ULL << 60);
	sdb_close(db);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(the_largest_and_smallest_keys_of_both_tables_are_kept)
{
	struct sdb *db = make_sdb_open(&make);

	make_sdb_add(&make, db, 0, 1);
	make_sdb_add(&make, db, 0, SDB_NARROW_MAX); /* key 0 now also in the wide table */
	make_sdb_add(&make, db, SDB_NARROW_KEY_END - 1, 2);
	make_sdb_add(&make, db, SDB_NARROW_KEY_END, 3);
	make_sdb_add(&make, db, UINT64_MAX, 4);
	sdb_close(db);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(a_sum_beyond_64_bits_stays_at_the_largest)
{
	struct sdb *db = make_sdb_open(&make);

	ck_assert_int_eq(sdb_add(db, 5, UINT64_MAX - 1), 0);
	ck_assert_int_eq(sdb_add(db, 5, SDB_NARROW_MAX + 1ULL), 0);
	sdb_close(db);
	ck_assert_uint_eq(entry_of(make.path, 5).nr_samples, UINT64_MAX);
}
END_TEST

START_TEST(weight_is_kept_beside_samples)
{
	struct sdb *db;

	make.identity.flags = OPROF_SDB_WEIGHTED;
	db = make_sdb_open(&make);
	for (uint64_t i = 0; i < 5000; i++) {
		ck_assert_int_eq(sdb_add_weighted(db, i % 2500, 1, 1000 + i), 0);
		expected_add(&make.expected, i % 2500, 1, 0);
	}
	make_sdb_verify(&make);
	sdb_close(db);
	ck_assert_uint_eq(entry_of(make.path, 17).weight, 1017 + 1000 + 2517);
	ck_assert_uint_eq(entry_of(make.path, 17).nr_samples, 2);
}
END_TEST

START_TEST(without_stored_weight_it_is_samples_times_period)
{
	struct sdb *db = make_sdb_open(&make);

	make_sdb_add(&make, db, 1, 7);
	sdb_close(db);
	ck_assert_uint_eq(entry_of(make.path, 1).weight, 7000);
}
END_TEST

START_TEST(under_a_frequency_weight_is_samples)
{
	struct sdb *db;

	make.identity.flags = OPROF_SDB_FREQUENCY;
	db = make_sdb_open(&make);
	make_sdb_add(&make, db, 1, 7);
	sdb_close(db);
	ck_assert_uint_eq(entry_of(make.path, 1).weight, 7);
}
END_TEST

/* Fills random pairs of lines in the way that tables do. */
static void fill_lines(uint64_t *lines, uint32_t words, uint64_t *keys)
{
	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t nr = (uint32_t)(make_sdb_random(&make) % (8 / words + 1));

		for (uint32_t i = 0; i < 8 / words; i++) {
			uint64_t *slot = &lines[half * 8 + i * words];
			const uint64_t key = make_sdb_random(&make) % 5 << (i * 8 % 33);

			slot[0] = i < nr ? key << (words == 1 ? 24 : 0) : 0;
			slot[words - 1] |= i < nr ? 1 + make_sdb_random(&make) % 3 : 0;
			keys[half * 8 + i] = key;
		}
	}
}

START_TEST(both_ways_to_look_at_lines_agree)
{
	uint64_t lines[16] __attribute__((aligned(64))), keys[16] = {0};

	for (int round = 0; round < 20000; round++) {
		uint64_t key;

		fill_lines(lines, 1, keys);
		key = keys[make_sdb_random(&make) % 16];
		ck_assert_uint_eq(sdb_find_narrow(lines, lines + 8, key),
				  sdb_find_narrow_any(lines, lines + 8, key));
		fill_lines(lines, 2, keys);
		key = keys[make_sdb_random(&make) % 16];
		ck_assert_uint_eq(sdb_find_wide((struct sdb_wide_slot *)lines,
						(struct sdb_wide_slot *)(lines + 8), key),
				  sdb_find_wide_any((struct sdb_wide_slot *)lines,
						    (struct sdb_wide_slot *)(lines + 8), key));
	}
}
END_TEST

START_TEST(places_ascend_with_the_mixed_key_and_fill_their_range)
{
	uint64_t last = 0;

	for (uint64_t u = 0; u < 1ULL << 32; u += 4001) {
		const uint64_t place = sdb_place(u << 32);

		ck_assert_uint_ge(place, last);
		ck_assert_uint_lt(place, 1ULL << 32);
		last = place;
	}
	ck_assert_uint_eq(sdb_place(0), 0);
	ck_assert_uint_eq(sdb_place(UINT64_MAX), UINT32_MAX);
}
END_TEST

/* A header so long that the root page has its own page, of which only the lower half is used. */
START_TEST(a_root_page_of_its_own_is_left_when_all_its_keys_are_in_one_half)
{
	char app_path[3400];
	struct sdb *db;

	memset(app_path, 'a', sizeof(app_path) - 1);
	app_path[sizeof(app_path) - 1] = '\0';
	make.identity.app_path = app_path;
	make.random = (uint64_t)_i;
	db = make_sdb_open(&make);
	for (int i = 0; i < 700; i++) {
		uint64_t key;

		do
			key = make_sdb_key(&make, KEYS_RANDOM, 0);
		while (sdb_place(sdb_mix(key)) >> 31);
		make_sdb_add(&make, db, key, 1);
	}
	sdb_close(db);
	make_sdb_verify(&make);
	sdb_close(make_sdb_open(&make));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sdb_table");
	TCase *tests = tcase_create("add");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, every_pattern_of_keys_is_counted_exactly, 0, NR_PATTERNS);
	tcase_add_loop_test(tests, every_pattern_of_keys_takes_about_the_same_room, 0, NR_PATTERNS);
	tcase_add_test(tests, disk_per_key_does_not_swing_with_the_number_of_keys);
	tcase_add_test(tests, a_count_that_outgrows_its_narrow_slot_goes_on_in_a_wide_one);
	tcase_add_test(tests, the_largest_and_smallest_keys_of_both_tables_are_kept);
	tcase_add_test(tests, a_sum_beyond_64_bits_stays_at_the_largest);
	tcase_add_test(tests, weight_is_kept_beside_samples);
	tcase_add_test(tests, without_stored_weight_it_is_samples_times_period);
	tcase_add_test(tests, under_a_frequency_weight_is_samples);
	tcase_add_test(tests, both_ways_to_look_at_lines_agree);
	tcase_add_loop_test(tests, a_root_page_of_its_own_is_left_when_all_its_keys_are_in_one_half,
			    0, 20);
	tcase_add_test(tests, places_ascend_with_the_mixed_key_and_fill_their_range);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
