// SPDX-License-Identifier: GPL-2.0-or-later
/* Damaged files: the damage must be named, and no function may crash or read out of bounds. */
#include "libdb/sdb_format.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct make_sdb make;
static uint8_t *bytes; /* a sound file with all three tables, two of them with directories */
static size_t nr_bytes;

static void setup(void)
{
	struct sdb *db;

	make_sdb_init(&make);
	make.identity.flags = OPROF_SDB_WEIGHTED;
	db = make_sdb_open(&make);
	for (uint64_t i = 0; i < 3000; i++)
		ck_assert_int_eq(sdb_add(db, i * 16, 1), 0);
	for (uint64_t i = 0; i < 700; i++)
		ck_assert_int_eq(sdb_add_weighted(db, (i + 1) << 41, 1, 5), 0);
	for (uint64_t i = 0; i < 50; i++)
		ck_assert_int_eq(sdb_add_weighted(db, i * 16, 1, 5), 0);
	sdb_close(db);
	bytes = make_sdb_read(make.path, &nr_bytes);
}

static void teardown(void)
{
	free(bytes);
	make_sdb_deinit(&make);
}

static struct oprof_sdb_header *header(void)
{
	return (struct oprof_sdb_header *)(void *)bytes;
}

static uint32_t *directory(const struct oprof_sdb_table *table)
{
	return (uint32_t *)(void *)(bytes + (size_t)(table->directory >> 8) * 4096);
}

static uint64_t *page(uint32_t number)
{
	return (uint64_t *)(void *)(bytes + (size_t)number * 4096);
}

/* Uses the file in every way while sanitizers watch. */
static void use_file(void)
{
	struct sdb_image image;
	struct sdb *db;

	if (!sdb_image_load(make.path, &image, NULL))
		sdb_image_deinit(&image);
	if (sdb_open(&db, make.path, &make.identity, NULL))
		return;
	for (uint64_t i = 0; i < 400; i++) {
		(void)sdb_add(db, i * 48, 1);
		(void)sdb_add_weighted(db, i << 42, 1, 1);
	}
	sdb_close(db);
}

static void check_says(int error, const char *says)
{
	struct sdb_check_result result;
	struct diag diag;

	make_sdb_write(make.path, bytes, nr_bytes);
	diag_clear(&diag);
	ck_assert_int_eq(sdb_check(make.path, &result, &diag), error);
	ck_assert_str_eq(diag.file, make.path);
	ck_assert_msg(strstr(diag.text, says), "\"%s\" lacks \"%s\"", diag.text, says);
	use_file();
}

START_TEST(a_sound_file_passes_and_is_told)
{
	struct sdb_check_result result;

	ck_assert_int_eq(sdb_check(make.path, &result, NULL), 0);
	ck_assert_uint_eq(result.nr_keys, 3700);
	ck_assert_uint_eq(result.nr_samples, 3750);
	ck_assert_uint_eq(result.nr_stale, 0);
	ck_assert_uint_ge(result.longest_probe, 1);
	ck_assert_uint_eq((result.nr_pages_used + result.nr_pages_free), header()->nr_pages);
}
END_TEST

START_TEST(wrong_fields_of_the_header_are_named)
{
	struct oprof_sdb_header sound = *header();

	header()->magic[0] ^= 1;
	check_says(-EINVAL, "not a sample file");
	*header() = sound;
	header()->version = 2;
	check_says(-EPROTONOSUPPORT, "version 2");
	*header() = sound;
	header()->byte_order = 0x04030201;
	check_says(-EPROTONOSUPPORT, "byte order");
	*header() = sound;
	header()->byte_order = 1;
	check_says(-EILSEQ, "byte order");
	*header() = sound;
	header()->flags |= 32; /* a flag of a later version that readers must understand */
	check_says(-EPROTONOSUPPORT, "flags 0x20");
	*header() = sound;
	header()->image.nr_build_id = 21;
	check_says(-EILSEQ, "the build-id has 21");
	*header() = sound;
	header()->page_bytes = 8192;
	check_says(-EILSEQ, "8192");
	*header() = sound;
	header()->header_bytes += 8;
	check_says(-EILSEQ, "own size");
	*header() = sound;
	header()->header_bytes = 1u << 31;
	check_says(-EILSEQ, "own size");
	*header() = sound;
	header()->nr_pages = UINT64_MAX;
	check_says(-EILSEQ, "pages, but the file has");
	*header() = sound;
	header()->nr_pages = 0;
	check_says(-EILSEQ, "pages, but the file has");
}
END_TEST

START_TEST(strings_outside_the_header_are_named)
{
	struct oprof_sdb_header sound = *header();

	header()->event.offset = header()->header_bytes;
	check_says(-EILSEQ, "event");
	*header() = sound;
	header()->host.nr_bytes = UINT32_MAX;
	check_says(-EILSEQ, "host");
	*header() = sound;
	header()->app_path.offset = UINT32_MAX;
	check_says(-EILSEQ, "application's path");
	*header() = sound;
	header()->image_path.offset = 8; /* inside the struct */
	check_says(-EILSEQ, "image's path");
	*header() = sound;
	bytes[header()->cpu_type.offset] = 0;
	check_says(-EILSEQ, "NUL in cpu type");
}
END_TEST

START_TEST(tables_outside_the_file_are_named)
{
	struct oprof_sdb_header sound = *header();

	header()->narrow.directory = UINT64_MAX;
	check_says(-EILSEQ, "narrow table");
	*header() = sound;
	header()->narrow.directory = (header()->nr_pages << 8) | 10;
	check_says(-EILSEQ, "directory of the narrow table");
	*header() = sound;
	header()->narrow.directory |= 31;
	check_says(-EILSEQ, "2^31");
	*header() = sound;
	header()->wide.directory = 10; /* at page 0 */
	check_says(-EILSEQ, "wide table");
	*header() = sound;
	header()->weight.directory = 0;
	header()->weight.root_page = (uint32_t)header()->nr_pages;
	check_says(-EILSEQ, "root page");
	*header() = sound;
	header()->narrow.root_page = 1;
	check_says(-EILSEQ, "root page");
}
END_TEST

START_TEST(entries_outside_the_file_are_named)
{
	uint32_t *entries = directory(&header()->narrow);

	entries[700] = (uint32_t)header()->nr_pages;
	check_says(-EILSEQ, "narrow directory");
	entries[700] = 0; /* the header's page */
	check_says(-EILSEQ, "narrow directory");
}
END_TEST

START_TEST(pages_with_two_uses_are_named)
{
	uint32_t *narrow = directory(&header()->narrow);
	uint32_t *wide = directory(&header()->wide);
	const uint32_t sound = narrow[500];

	wide[0] = sound;
	check_says(-EILSEQ, "is used twice");
	narrow[500] = narrow[0] == sound ? narrow[1023] : narrow[0];
	check_says(-EILSEQ, "is used twice");
	narrow[500] = (uint32_t)(header()->narrow.directory >> 8);
	check_says(-EILSEQ, "is used twice");
}
END_TEST

/* Returns the last used slot of a line in the first page of the narrow directory. */
static uint64_t *used_slot(void)
{
	uint64_t *slots = page(directory(&header()->narrow)[0]);

	for (uint32_t i = 0; i < 511; i++) {
		if (slots[i] && (i % 8 == 7 || !slots[i + 1]))
			return &slots[i];
	}
	ck_abort_msg("no slot is used");
}

START_TEST(slots_out_of_reach_are_named)
{
	uint64_t *slot = used_slot();

	*slot ^= 1ULL << 45; /* now another key */
	check_says(-EILSEQ, "cannot be found");
}
END_TEST

START_TEST(a_gap_in_a_line_is_named)
{
	uint64_t *slots = page(directory(&header()->narrow)[0]);

	for (uint32_t line = 0; line < 64; line++) {
		if (slots[8 * line + 1]) {
			slots[8 * line] = 0;
			check_says(-EILSEQ, "is empty");
			return;
		}
	}
	ck_abort_msg("no line with two");
}
END_TEST

START_TEST(a_key_twice_in_a_page_is_named)
{
	uint64_t *slots = page(directory(&header()->narrow)[0]);

	for (uint32_t line = 0; line < 64; line++) {
		if (slots[8 * line] && slots[8 * line + 1]) {
			slots[8 * line + 1] = slots[8 * line];
			check_says(-EILSEQ, "have the same key");
			return;
		}
	}
	ck_abort_msg("no line with two");
}
END_TEST

START_TEST(a_key_without_samples_is_named)
{
	uint64_t *slot = used_slot();

	*slot &= ~(uint64_t)SDB_NARROW_MAX;
	check_says(-EILSEQ, "without samples");
}
END_TEST

START_TEST(cut_files_are_refused_wherever_they_are_cut)
{
	const size_t whole = nr_bytes;

	for (nr_bytes = 1; nr_bytes < header()->nr_pages * 4096; nr_bytes += 509) {
		struct sdb_check_result result;
		struct diag diag;

		make_sdb_write(make.path, bytes, nr_bytes);
		ck_assert_int_ne(sdb_check(make.path, &result, &diag), 0);
		use_file();
	}
	nr_bytes = whole;
}
END_TEST

START_TEST(flipped_bits_crash_nobody)
{
	for (int round = 0; round < 400; round++) {
		const size_t byte =
			make_sdb_random(&make) %
			(round % 2 ? sizeof(struct oprof_sdb_header) : header()->nr_pages * 4096);
		const uint8_t sound = bytes[byte];
		struct sdb_check_result result;

		bytes[byte] = (uint8_t)(sound ^ 1u << make_sdb_random(&make) % 8);
		make_sdb_write(make.path, bytes, nr_bytes);
		(void)sdb_check(make.path, &result, NULL);
		use_file();
		bytes[byte] = sound;
	}
}
END_TEST

static void add_slot_tests(TCase *tests)
{
	tcase_add_test(tests, slots_out_of_reach_are_named);
	tcase_add_test(tests, a_gap_in_a_line_is_named);
	tcase_add_test(tests, a_key_twice_in_a_page_is_named);
	tcase_add_test(tests, a_key_without_samples_is_named);
	tcase_add_test(tests, cut_files_are_refused_wherever_they_are_cut);
	tcase_add_test(tests, flipped_bits_crash_nobody);
}

int main(void)
{
	Suite *suite = suite_create("sdb_check");
	TCase *tests = tcase_create("damage");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_sound_file_passes_and_is_told);
	tcase_add_test(tests, wrong_fields_of_the_header_are_named);
	tcase_add_test(tests, strings_outside_the_header_are_named);
	tcase_add_test(tests, tables_outside_the_file_are_named);
	tcase_add_test(tests, entries_outside_the_file_are_named);
	tcase_add_test(tests, pages_with_two_uses_are_named);
	add_slot_tests(tests);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
