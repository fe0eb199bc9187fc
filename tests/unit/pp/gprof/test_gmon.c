// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/run_suite.h"
#include "pp/gprof/gmon.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *bytes;
static size_t nr_bytes;
static FILE *out;

static const struct gmon_target wide = {.wide = true};
static const struct gmon_target narrow_big = {.big_endian = true};

static void setup(void)
{
	out = open_memstream(&bytes, &nr_bytes);
	ck_assert_ptr_nonnull(out);
}

static void teardown(void)
{
	ck_assert_int_eq(fclose(out), 0);
	free(bytes);
	bytes = NULL;
}

static void assert_written(const void *expected, size_t nr)
{
	ck_assert_int_eq(fflush(out), 0);
	ck_assert_uint_eq(nr_bytes, nr);
	ck_assert_mem_eq(bytes, expected, nr);
}

START_TEST(a_header_has_a_cookie_and_a_version)
{
	gmon_write_header(out, &narrow_big);
	assert_written("gmon\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0", 20);
}
END_TEST

START_TEST(a_histogram_is_in_the_words_of_its_binary)
{
	const uint64_t counts[] = {1, 0x203};
	const struct gmon_histogram histogram = {
		.start = 0x1000, .end = 0x1004, .counts = counts, .rate = 1000, .unit = "seconds"};
	size_t nr_records;

	ck_assert_int_eq(gmon_write_histogram(out, &wide, &histogram, &nr_records), 0);
	ck_assert_uint_eq(nr_records, 1);
	assert_written("\0\0\x10\0\0\0\0\0\0\4\x10\0\0\0\0\0\0\2\0\0\0\xe8\3\0\0"
		       "seconds\0\0\0\0\0\0\0\0s\1\0\3\2",
		       1 + 8 + 8 + 4 + 4 + 15 + 1 + 4);
}
END_TEST

START_TEST(what_16_bits_do_not_hold_comes_again)
{
	const uint64_t counts[] = {65535, 65536, 200000};
	const struct gmon_histogram histogram = {
		.start = 0, .end = 6, .counts = counts, .rate = 1, .unit = "x"};
	const size_t record = 1 + 4 + 4 + 4 + 4 + 15 + 1 + 3 * 2;
	uint64_t sums[3] = {0};
	size_t nr_records;

	ck_assert_int_eq(gmon_write_histogram(out, &narrow_big, &histogram, &nr_records), 0);
	ck_assert_uint_eq(nr_records, 4);
	ck_assert_int_eq(fflush(out), 0);
	ck_assert_uint_eq(nr_bytes, 4 * record);
	for (size_t i = 0; i < nr_records; i++)
		for (size_t j = 0; j < 3; j++) {
			const uint8_t *bin = (const uint8_t *)bytes + (i + 1) * record - 6 + 2 * j;

			sums[j] += (uint64_t)bin[0] << 8 | bin[1];
		}
	for (size_t j = 0; j < 3; j++)
		ck_assert_uint_eq(sums[j], counts[j]);
}
END_TEST

START_TEST(an_arc_is_two_addresses_and_a_count_that_may_come_again)
{
	ck_assert_int_eq(gmon_write_arc(out, &narrow_big, 0x10, 0x20, (1ull << 31) + 4), 0);
	assert_written("\1\0\0\0\x10\0\0\0\x20\x7f\xff\xff\xff"
		       "\1\0\0\0\x10\0\0\0\x20\0\0\0\5",
		       26);
}
END_TEST

START_TEST(addresses_that_do_not_fit_are_refused)
{
	const uint64_t count = 1;
	const struct gmon_histogram histogram = {.start = UINT64_C(1) << 32,
						 .end = (UINT64_C(1) << 32) + 2,
						 .counts = &count,
						 .unit = ""};
	size_t nr_records;

	ck_assert_int_eq(gmon_write_histogram(out, &narrow_big, &histogram, &nr_records), -ERANGE);
	ck_assert_int_eq(gmon_write_arc(out, &narrow_big, 1, UINT64_C(1) << 32, 1), -ERANGE);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("gmon");
	TCase *tests = tcase_create("gmon");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_header_has_a_cookie_and_a_version);
	tcase_add_test(tests, a_histogram_is_in_the_words_of_its_binary);
	tcase_add_test(tests, what_16_bits_do_not_hold_comes_again);
	tcase_add_test(tests, an_arc_is_two_addresses_and_a_count_that_may_come_again);
	tcase_add_test(tests, addresses_that_do_not_fit_are_refused);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
