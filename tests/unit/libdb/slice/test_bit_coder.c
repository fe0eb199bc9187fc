// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bits that are written must read back, in nearly as few bytes as their entropy; other bytes must
 * do no harm.
 */
#include "libdb/slice/bit_coder.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#define NR_BITS	   10000u
#define NR_NUMBERS 3000u

static struct slice_buffer bytes;
static struct bit_coder coder;
static struct bit_model model;
static struct number_model numbers;

static void begin(void)
{
	bit_model_init(&model, 65536 / 2);
	number_model_init(&numbers);
}

static void setup(void)
{
	memset(&bytes, 0, sizeof(bytes));
	begin();
	bit_coder_write(&coder, &bytes);
}

static void teardown(void)
{
	slice_buffer_deinit(&bytes);
}

static void read_again(size_t nr_bytes)
{
	begin();
	bit_coder_read(&coder, bytes.bytes, nr_bytes);
}

static uint32_t by_lot(uint32_t i)
{
	return (uint32_t)(i * UINT64_C(0x9e6c63d0876a9a47) >> 33);
}

/* Returns bit i of a sequence in which one of one_of bits is 1. */
static bool bit_at(uint32_t i, uint32_t one_of)
{
	return by_lot(i) % one_of == 0;
}

static size_t write_bits(uint32_t one_of)
{
	for (uint32_t i = 0; i < NR_BITS; i++)
		ck_assert_int_eq(bit_code(&coder, &model, bit_at(i, one_of)), bit_at(i, one_of));
	bit_coder_finish(&coder);
	ck_assert_int_eq(coder.error, 0);
	return bytes.nr_bytes;
}

static const uint32_t ratios[] = {2, 10, 100, NR_BITS};

START_TEST(bits_that_are_written_are_read_and_all_bytes_with_them)
{
	write_bits(ratios[_i]);
	read_again(bytes.nr_bytes);
	for (uint32_t i = 0; i < NR_BITS; i++)
		ck_assert_int_eq(bit_code(&coder, &model, false), bit_at(i, ratios[_i]));
	ck_assert_int_eq(coder.error, 0);
	ck_assert_ptr_eq(coder.next, coder.end);
}
END_TEST

START_TEST(bits_cost_what_they_are_unexpected)
{
	/*
	 * Shannon's entropy of 10,000 bits with the given share of ones, in bytes, plus a tenth or
	 * some bytes.
	 */
	static const size_t nr_bytes_max[] = {1250 + 125, 586 + 59, 101 + 20, 3 + 20};

	ck_assert_uint_le(write_bits(ratios[_i]), nr_bytes_max[_i]);
}
END_TEST

static uint64_t number_at(uint32_t i)
{
	static const uint64_t some[] = {0,	   1, 2, 3, 7, 8, UINT32_MAX, UINT64_C(1) << 63,
					UINT64_MAX};

	return i < 9 ? some[i] : by_lot(i) >> by_lot(i + 1) % 31;
}

START_TEST(numbers_of_any_size_are_read_as_they_were_written)
{
	for (uint32_t i = 0; i < NR_NUMBERS; i++)
		ck_assert_uint_eq(bit_code_number(&coder, &numbers, number_at(i)), number_at(i));
	bit_coder_finish(&coder);
	read_again(bytes.nr_bytes);
	for (uint32_t i = 0; i < NR_NUMBERS; i++)
		ck_assert_uint_eq(bit_code_number(&coder, &numbers, 0), number_at(i));
	ck_assert_int_eq(coder.error, 0);
	ck_assert_ptr_eq(coder.next, coder.end);
}
END_TEST

START_TEST(numbers_that_are_alike_take_a_bit_each_or_two)
{
	for (uint32_t i = 0; i < NR_NUMBERS; i++) /* their low 4 bits are 0 */
		(void)bit_code_number(&coder, &numbers, UINT64_C(1024) + 16 * (by_lot(i) % 2));
	bit_coder_finish(&coder);
	ck_assert_uint_le(bytes.nr_bytes, NR_NUMBERS / 4);
}
END_TEST

START_TEST(too_few_bytes_are_an_error)
{
	write_bits(3);
	for (size_t nr = 0; nr < bytes.nr_bytes; nr += 7) {
		read_again(nr);
		for (uint32_t i = 0; i < NR_BITS; i++)
			(void)bit_code(&coder, &model, false);
		ck_assert_int_eq(coder.error, -EILSEQ);
	}
}
END_TEST

START_TEST(numbers_end_whatever_the_bytes)
{
	for (uint32_t i = 0; i < NR_NUMBERS; i++)
		ck_assert(slice_buffer_add(&bytes, &(uint8_t){(uint8_t)by_lot(i)}, 1) == 0);
	for (size_t nr = 0; nr < 100; nr++) {
		read_again(nr);
		for (uint32_t i = 0; i < 100; i++)
			(void)bit_code_number(&coder, &numbers, 0);
		ck_assert(coder.next <= coder.end);
	}
	read_again(bytes.nr_bytes);
	for (uint32_t i = 0; i < 100 * NR_NUMBERS && !coder.error; i++)
		(void)bit_code_number(&coder, &numbers, 0);
	ck_assert_int_eq(coder.error, -EILSEQ);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bit_coder");
	TCase *tc = tcase_create("bit_coder");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, bits_that_are_written_are_read_and_all_bytes_with_them, 0, 4);
	tcase_add_loop_test(tc, bits_cost_what_they_are_unexpected, 0, 4);
	tcase_add_test(tc, numbers_of_any_size_are_read_as_they_were_written);
	tcase_add_test(tc, numbers_that_are_alike_take_a_bit_each_or_two);
	tcase_add_test(tc, too_few_bytes_are_an_error);
	tcase_add_test(tc, numbers_end_whatever_the_bytes);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
