// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/run_suite.h"
#include "pp/base/protobuf.h"

#include <check.h>
#include <string.h>

static struct protobuf buffer;

static void teardown(void)
{
	protobuf_deinit(&buffer);
}

static void assert_bytes(const void *bytes, size_t nr_bytes)
{
	ck_assert(!buffer.failed);
	ck_assert_uint_eq(buffer.nr_bytes, nr_bytes);
	ck_assert_mem_eq(buffer.bytes, bytes, nr_bytes);
}

/* The example of the format's documentation: field 1 is 150. */
START_TEST(a_number_is_its_key_and_seven_bits_a_byte)
{
	protobuf_number(&buffer, 1, 150);
	assert_bytes("\x08\x96\x01", 3);
}
END_TEST

START_TEST(the_largest_number_takes_ten_bytes)
{
	protobuf_number(&buffer, 2, UINT64_MAX);
	assert_bytes("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
}
END_TEST

START_TEST(a_number_of_zero_is_left_out)
{
	protobuf_number(&buffer, 1, 0);
	ck_assert_uint_eq(buffer.nr_bytes, 0);
}
END_TEST

START_TEST(a_text_has_its_length_before_it_and_may_be_empty)
{
	protobuf_text(&buffer, 2, "testing");
	protobuf_text(&buffer, 2, "");
	assert_bytes("\x12\x07testing\x12\x00", 11);
}
END_TEST

START_TEST(a_message_is_a_field_of_another)
{
	struct protobuf inner = {0};

	protobuf_number(&inner, 1, 150);
	protobuf_message(&buffer, 3, &inner);
	protobuf_deinit(&inner);
	assert_bytes("\x1a\x03\x08\x96\x01", 5);
}
END_TEST

START_TEST(packed_numbers_are_one_field_with_zeros)
{
	const uint64_t values[] = {3, 270, 0};

	protobuf_numbers(&buffer, 4, values, 3);
	assert_bytes("\x22\x04\x03\x8e\x02\x00", 6);
}
END_TEST

START_TEST(a_buffer_grows_and_is_used_again)
{
	static char text[100000];

	memset(text, 'x', sizeof(text) - 1);
	protobuf_text(&buffer, 1, text);
	ck_assert_uint_eq(buffer.nr_bytes, 1 + 3 + sizeof(text) - 1);
	protobuf_clear(&buffer);
	protobuf_number(&buffer, 1, 1);
	assert_bytes("\x08\x01", 2);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("protobuf");
	TCase *tests = tcase_create("protobuf");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_add_test(tests, a_number_is_its_key_and_seven_bits_a_byte);
	tcase_add_test(tests, the_largest_number_takes_ten_bytes);
	tcase_add_test(tests, a_number_of_zero_is_left_out);
	tcase_add_test(tests, a_text_has_its_length_before_it_and_may_be_empty);
	tcase_add_test(tests, a_message_is_a_field_of_another);
	tcase_add_test(tests, packed_numbers_are_one_field_with_zeros);
	tcase_add_test(tests, a_buffer_grows_and_is_used_again);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
