// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/cursor.h"

#include "tests/fixture/run_suite.h"

#include <check.h>

#define IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

static struct cursor cursor_of(const uint8_t *bytes, size_t nr_bytes, bool is_little)
{
	return (struct cursor){
		.at = bytes, .end = bytes + nr_bytes, .swapped = is_little != IS_LITTLE};
}

static const uint8_t ascending[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};

START_TEST(numbers_of_either_byte_order_are_read)
{
	struct cursor little = cursor_of(ascending, sizeof(ascending), true);
	struct cursor big = cursor_of(ascending, sizeof(ascending), false);

	ck_assert_uint_eq(cursor_u8(&little), 1);
	ck_assert_uint_eq(cursor_u16(&little), 0x0302);
	ck_assert_uint_eq(cursor_u24(&little), 0x060504);
	ck_assert_uint_eq(cursor_u32(&little), 0x0a090807);
	ck_assert_uint_eq(cursor_u64(&little), 0x1211100f0e0d0c0b);
	ck_assert_uint_eq(cursor_u8(&big), 1);
	ck_assert_uint_eq(cursor_u16(&big), 0x0203);
	ck_assert_uint_eq(cursor_u24(&big), 0x040506);
	ck_assert_uint_eq(cursor_u32(&big), 0x0708090a);
	ck_assert_uint_eq(cursor_u64(&big), 0x0b0c0d0e0f101112);
	ck_assert_uint_eq(cursor_left(&little), 0);
	ck_assert_uint_eq(cursor_left(&big), 0);
	ck_assert(!little.failed && !big.failed);
}
END_TEST

START_TEST(a_number_has_1_2_4_or_8_bytes)
{
	struct cursor cursor = cursor_of(ascending, sizeof(ascending), true);

	ck_assert_uint_eq(cursor_number(&cursor, 1), 1);
	ck_assert_uint_eq(cursor_number(&cursor, 2), 0x0302);
	ck_assert_uint_eq(cursor_number(&cursor, 4), 0x07060504);
	ck_assert_uint_eq(cursor_number(&cursor, 8), 0x0f0e0d0c0b0a0908);
	ck_assert(!cursor.failed);
	ck_assert_uint_eq(cursor_number(&cursor, 3), 0);
	ck_assert(cursor.failed);
	ck_assert_uint_eq(cursor_left(&cursor), 0);
}
END_TEST

START_TEST(what_is_taken_or_skipped_lies_within)
{
	struct cursor cursor = cursor_of(ascending, sizeof(ascending), true);

	ck_assert_ptr_eq(cursor_take(&cursor, 4), ascending);
	cursor_skip(&cursor, 4);
	ck_assert_ptr_eq(cursor.at, ascending + 8);
	ck_assert_ptr_eq(cursor_take(&cursor, 0), ascending + 8);
	ck_assert_ptr_null(cursor_take(&cursor, 11));
	ck_assert(cursor.failed);
	cursor = cursor_of(ascending, sizeof(ascending), true);
	cursor_skip(&cursor, UINT64_MAX);
	ck_assert(cursor.failed);
	ck_assert_ptr_eq(cursor.at, cursor.end);
}
END_TEST

START_TEST(a_read_beyond_the_end_is_zero_and_fails_all_that_follow)
{
	for (unsigned int nr_bytes = 1; nr_bytes <= 8; nr_bytes *= 2) {
		struct cursor cursor = cursor_of(ascending, nr_bytes - 1, false);

		ck_assert_uint_eq(cursor_number(&cursor, nr_bytes), 0);
		ck_assert(cursor.failed);
		ck_assert_uint_eq(cursor_left(&cursor), 0);
		ck_assert_uint_eq(cursor_u8(&cursor), 0);
		ck_assert_str_eq(cursor_text(&cursor), "");
		ck_assert(cursor.failed);
	}
}
END_TEST

START_TEST(leb128_is_read)
{
	static const uint8_t bytes[] = {0x00, 0x7f, 0xe5, 0x8e, 0x26, 0x7f, 0x80, 0x7f, 0x3f};
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), true);

	ck_assert_uint_eq(cursor_uleb(&cursor), 0);
	ck_assert_uint_eq(cursor_uleb(&cursor), 127);
	ck_assert_uint_eq(cursor_uleb(&cursor), 624485);
	ck_assert_int_eq(cursor_sleb(&cursor), -1);
	ck_assert_int_eq(cursor_sleb(&cursor), -128);
	ck_assert_int_eq(cursor_sleb(&cursor), 63);
	ck_assert(!cursor.failed);
}
END_TEST

START_TEST(leb128_of_more_than_64_bits_loses_those)
{
	static const uint8_t bytes[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
	/* Only bit 70 is set. */
	static const uint8_t far[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
				      0x80, 0x80, 0x80, 0x80, 0x01};
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), true);

	ck_assert_uint_eq(cursor_uleb(&cursor), UINT64_MAX);
	ck_assert_uint_eq(cursor_left(&cursor), 0);
	cursor = cursor_of(bytes, sizeof(bytes), true);
	ck_assert_int_eq(cursor_sleb(&cursor), -1);
	ck_assert(!cursor.failed);
	cursor = cursor_of(far, sizeof(far), true);
	ck_assert_uint_eq(cursor_uleb(&cursor), 0);
	cursor = cursor_of(far, sizeof(far), true);
	ck_assert_int_eq(cursor_sleb(&cursor), 0);
	ck_assert(!cursor.failed);
}
END_TEST

START_TEST(leb128_that_is_cut_fails)
{
	static const uint8_t bytes[] = {0x85, 0x80};
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), true);

	ck_assert_uint_eq(cursor_uleb(&cursor), 5);
	ck_assert(cursor.failed);
}
END_TEST

START_TEST(texts_end_within)
{
	static const uint8_t bytes[] = {'o', 'n', 'e', '\0', '\0', 't', 'w', 'o'};
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), true);
	struct cursor nothing = {0};

	ck_assert_str_eq(cursor_text(&cursor), "one");
	ck_assert_str_eq(cursor_text(&cursor), "");
	ck_assert(!cursor.failed);
	ck_assert_str_eq(cursor_text(&cursor), "");
	ck_assert(cursor.failed);
	ck_assert_uint_eq(cursor_left(&cursor), 0);
	ck_assert_str_eq(cursor_text(&nothing), "");
	ck_assert(nothing.failed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cursor");
	TCase *tc = tcase_create("cursor");

	tcase_add_test(tc, numbers_of_either_byte_order_are_read);
	tcase_add_test(tc, a_number_has_1_2_4_or_8_bytes);
	tcase_add_test(tc, what_is_taken_or_skipped_lies_within);
	tcase_add_test(tc, a_read_beyond_the_end_is_zero_and_fails_all_that_follow);
	tcase_add_test(tc, leb128_is_read);
	tcase_add_test(tc, leb128_of_more_than_64_bits_loses_those);
	tcase_add_test(tc, leb128_that_is_cut_fails);
	tcase_add_test(tc, texts_end_within);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
