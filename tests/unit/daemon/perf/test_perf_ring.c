// SPDX-License-Identifier: GPL-2.0-or-later
/* The ring over memory of the test's own; the test plays the kernel's part. */
#include "daemon/perf/perf_ring.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#define DATA_BYTES 4096

static struct perf_event_mmap_page page;
static uint8_t data[DATA_BYTES];
static struct perf_ring ring;
static uint8_t out[DATA_BYTES];

static void setup(void)
{
	memset(&page, 0, sizeof(page));
	memset(data, 0, sizeof(data));
	ring.page = &page;
	ring.data = data;
	ring.data_bytes = DATA_BYTES;
}

/* The kernel writes nr_bytes bytes with values counting up from first. */
static void kernel_write(uint8_t first, size_t nr_bytes)
{
	uint64_t head = page.data_head;

	for (size_t i = 0; i < nr_bytes; i++)
		data[(head + i) % DATA_BYTES] = (uint8_t)(first + i);
	__atomic_store_n(&page.data_head, head + nr_bytes, __ATOMIC_RELEASE);
}

static size_t used(void)
{
	size_t nr_bytes;

	ck_assert_int_eq(perf_ring_used(&ring, &nr_bytes), 0);
	return nr_bytes;
}

START_TEST(an_empty_ring_has_nothing_to_read)
{
	ck_assert_uint_eq(used(), 0);
}
END_TEST

START_TEST(what_is_taken_is_given_back)
{
	kernel_write(1, 100);
	ck_assert_uint_eq(used(), 100);
	perf_ring_take(&ring, out, 40);
	ck_assert_uint_eq(page.data_tail, 40);
	ck_assert_uint_eq(used(), 60);
	perf_ring_take(&ring, out + 40, 60);
	ck_assert_uint_eq(used(), 0);
	for (unsigned int i = 0; i < 100; i++)
		ck_assert_uint_eq(out[i], i + 1);
}
END_TEST

START_TEST(what_lies_round_the_end_comes_out_in_one_piece)
{
	for (int round = 0; round < 50; round++) {
		uint8_t first = (uint8_t)round;

		kernel_write(first, 1000);
		ck_assert_uint_eq(used(), 1000);
		perf_ring_take(&ring, out, 1000);
		for (unsigned int i = 0; i < 1000; i++)
			ck_assert_uint_eq(out[i], (uint8_t)(first + i));
	}
}
END_TEST

START_TEST(a_full_ring_is_read_whole)
{
	kernel_write(0, 1234);
	perf_ring_take(&ring, out, 1234);
	kernel_write(5, DATA_BYTES);
	ck_assert_uint_eq(used(), DATA_BYTES);
	perf_ring_take(&ring, out, DATA_BYTES);
	for (unsigned int i = 0; i < DATA_BYTES; i++)
		ck_assert_uint_eq(out[i], (uint8_t)(5 + i));
}
END_TEST

START_TEST(positions_work_on_where_64_bits_wrap)
{
	page.data_head = page.data_tail = UINT64_MAX - 7;
	kernel_write(9, 64);
	ck_assert_uint_eq(used(), 64);
	perf_ring_take(&ring, out, 64);
	ck_assert_uint_eq(out[0], 9);
	ck_assert_uint_eq(out[63], 9 + 63);
	ck_assert_uint_eq(used(), 0);
}
END_TEST

START_TEST(positions_that_make_no_sense_are_refused_and_skipped)
{
	size_t nr_bytes = 1;

	page.data_head = DATA_BYTES + 1;
	ck_assert_int_eq(perf_ring_used(&ring, &nr_bytes), -EBADMSG);
	ck_assert_uint_eq(nr_bytes, 0);
	ck_assert_uint_eq(used(), 0);
	page.data_head = 5; /* below the tail */
	ck_assert_int_eq(perf_ring_used(&ring, &nr_bytes), -EBADMSG);
	ck_assert_uint_eq(used(), 0);
}
END_TEST

START_TEST(a_ring_is_tight_when_the_largest_record_may_not_have_fitted)
{
	ck_assert(perf_ring_tight(&ring, 0)); /* smaller than the largest record */
	ring.data_bytes = 1 << 18;
	ck_assert(!perf_ring_tight(&ring, 0));
	ck_assert(!perf_ring_tight(&ring, (1 << 18) - PERF_RING_RECORD_MAX - 1));
	ck_assert(perf_ring_tight(&ring, (1 << 18) - PERF_RING_RECORD_MAX));
	ck_assert(perf_ring_tight(&ring, 1 << 18));
}
END_TEST

START_TEST(a_descriptor_that_is_no_event_has_no_ring)
{
	struct perf_ring none = {0};

	ck_assert_int_lt(perf_ring_open(&none, -1, 8), 0);
	ck_assert_ptr_null(none.page);
	perf_ring_close(&none);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_ring");
	TCase *tests = tcase_create("perf_ring");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, an_empty_ring_has_nothing_to_read);
	tcase_add_test(tests, what_is_taken_is_given_back);
	tcase_add_test(tests, what_lies_round_the_end_comes_out_in_one_piece);
	tcase_add_test(tests, a_full_ring_is_read_whole);
	tcase_add_test(tests, positions_work_on_where_64_bits_wrap);
	tcase_add_test(tests, positions_that_make_no_sense_are_refused_and_skipped);
	tcase_add_test(tests, a_ring_is_tight_when_the_largest_record_may_not_have_fitted);
	tcase_add_test(tests, a_descriptor_that_is_no_event_has_no_ring);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
