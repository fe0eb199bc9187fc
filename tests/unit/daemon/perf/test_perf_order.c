// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_order.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <malloc.h>
#include <string.h>

static struct perf_order order;
static uint32_t rings[4];
static uint64_t given[64000];
static size_t nr_given;

static void setup(void)
{
	perf_order_init(&order);
	nr_given = 0;
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(perf_order_add_ring(&order, 0, &rings[i]), 0);
}

static void teardown(void)
{
	perf_order_deinit(&order);
}

/* A record's content is its time, so that the output can be compared with the input. */
static void put(unsigned int ring, uint64_t time_ns)
{
	uint64_t *record = perf_order_reserve(&order, sizeof(*record));

	ck_assert_ptr_nonnull(record);
	*record = time_ns;
	perf_order_commit(&order, sizeof(*record));
	ck_assert_int_eq(perf_order_add(&order, rings[ring], record, time_ns), 0);
}

static void give(void *context, const struct perf_key *key)
{
	uint64_t record;

	(void)context;
	memcpy(&record, key->record, sizeof(record));
	ck_assert_uint_eq(record, key->time_ns);
	given[nr_given++] = record;
}

static void round_at(uint64_t begin_ns)
{
	perf_order_round(&order, begin_ns, give, NULL);
}

static void assert_given(size_t nr, const uint64_t *times)
{
	ck_assert_uint_eq(nr_given, nr);
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_eq(given[i], times[i]);
}

START_TEST(a_record_waits_until_all_rings_have_been_read_past_it)
{
	put(0, 10);
	put(1, 20);
	round_at(100); /* there is no earlier round */
	ck_assert_uint_eq(nr_given, 0);
	round_at(200); /* newest times of the last round: 10, 20, and 100 for idle rings */
	assert_given(1, (const uint64_t[]){10});
	round_at(300);
	assert_given(2, (const uint64_t[]){10, 20});
}
END_TEST

START_TEST(rings_read_one_after_the_other_come_out_by_time)
{
	static const uint64_t times[] = {5, 6, 7, 8, 9, 10, 11, 12};

	put(0, 5);
	put(0, 8);
	put(0, 11);
	put(1, 6);
	put(1, 7);
	put(1, 12);
	put(3, 9);
	put(3, 10);
	perf_order_flush(&order, UINT64_MAX, give, NULL);
	assert_given(8, times);
	ck_assert_uint_eq(order.nr_late, 0);
}
END_TEST

START_TEST(a_record_out_of_order_within_its_ring_is_sorted_in_the_next_round)
{
	put(0, 50);
	round_at(60);
	put(0, 45); /* an interrupt came between taking the time and writing */
	put(0, 70);
	round_at(80);
	round_at(90);
	assert_given(3, (const uint64_t[]){45, 50, 70});
	ck_assert_uint_eq(order.nr_late, 0);
}
END_TEST

START_TEST(a_record_behind_the_watermark_goes_out_at_once_and_counts_late)
{
	put(0, 50);
	round_at(60);
	round_at(70);
	round_at(80);
	ck_assert_uint_eq(nr_given, 1);
	put(1, 40);
	round_at(90);
	assert_given(2, (const uint64_t[]){50, 40});
	ck_assert_uint_eq(order.nr_late, 1);
}
END_TEST

START_TEST(equal_times_keep_the_order_of_rings)
{
	const void *first, *second;

	put(0, 30);
	put(1, 30);
	first = order.keys[0].record;
	second = order.keys[1].record;
	put(2, 10);
	perf_order_flush(&order, 20, give, NULL);
	assert_given(1, (const uint64_t[]){10});
	ck_assert_ptr_eq(order.keys[0].record, first);
	ck_assert_ptr_eq(order.keys[1].record, second);
}
END_TEST

START_TEST(a_closed_ring_holds_nothing_back_and_may_open_again)
{
	put(0, 10);
	put(1, 500);
	round_at(20);
	perf_order_close_ring(&order, rings[0]);
	put(1, 600);
	round_at(700);
	ck_assert_uint_eq(nr_given, 1); /* rings 2 and 3 were idle at 20 */
	round_at(800);
	assert_given(3, (const uint64_t[]){10, 500, 600});
	perf_order_open_ring(&order, rings[0], 850);
	put(1, 900);
	round_at(1000);
	ck_assert_uint_eq(nr_given, 3);
}
END_TEST

START_TEST(a_time_from_the_future_does_not_push_the_watermark_past_the_round)
{
	for (unsigned int i = 0; i < 4; i++)
		put(i, UINT64_MAX - 1);
	round_at(100);
	put(0, 150);
	round_at(200);
	ck_assert_uint_eq(order.watermark_ns, 200);
	ck_assert_uint_eq(nr_given, 1);
	perf_order_flush(&order, UINT64_MAX, give, NULL);
	ck_assert_uint_eq(nr_given, 5);
}
END_TEST

/* Rings that fill at random and are read in turn: all records come out in order, none late. */
START_TEST(random_rings_come_out_whole_and_in_order)
{
	uint64_t now_ns = 1000;
	uint64_t pending[4][64];
	size_t nr_pending[4] = {0};
	size_t nr_put = 0;

	srand(7);
	for (int round = 0; round < 300; round++) {
		uint64_t begin_ns = ++now_ns;

		for (unsigned int i = 0; i < 4; i++) {
			/* Records that any CPU writes before this ring is read. */
			for (int k = rand() % 40; k; k--) {
				unsigned int ring = (unsigned int)rand() % 4;

				if (nr_pending[ring] < 64)
					pending[ring][nr_pending[ring]++] = ++now_ns;
			}
			for (size_t k = 0; k < nr_pending[i]; k++, nr_put++)
				put(i, pending[i][k]);
			nr_pending[i] = 0;
		}
		round_at(begin_ns);
	}
	perf_order_flush(&order, UINT64_MAX, give, NULL);
	ck_assert_uint_eq(nr_given, nr_put);
	for (size_t i = 1; i < nr_given; i++)
		ck_assert_uint_lt(given[i - 1], given[i]);
	ck_assert_uint_eq(order.nr_late, 0);
}
END_TEST

START_TEST(blocks_are_used_again)
{
	size_t nr_blocks = 0;

	for (uint64_t round = 0; round < 200; round++) {
		for (uint64_t i = 0; i < 50; i++) {
			uint8_t *record = perf_order_reserve(&order, 60000);

			ck_assert_ptr_nonnull(record);
			memset(record, 0, 60000);
			memcpy(record, &(uint64_t){1000 * round + i}, 8);
			perf_order_commit(&order, 60000);
			ck_assert_int_eq(perf_order_add(&order, rings[0], record, 1000 * round + i),
					 0);
		}
		round_at(1000 * round + 999);
		nr_given = 0;
		if (round == 10)
			nr_blocks = order.nr_blocks;
	}
	ck_assert_uint_eq(order.nr_blocks, nr_blocks);
}
END_TEST

START_TEST(a_storm_on_many_cpus_does_not_stay_in_memory)
{
	const size_t nr_bytes = (size_t)1 << 20;
	size_t kept_bytes = 0;
	uint32_t ring;

	for (size_t i = 0; i < 64; i++)
		ck_assert_int_eq(perf_order_add_ring(&order, 0, &ring), 0);
	for (uint64_t i = 0; i < 64; i++) {
		uint64_t *record = perf_order_reserve(&order, nr_bytes);

		ck_assert_ptr_nonnull(record);
		*record = i + 1;
		perf_order_commit(&order, nr_bytes);
		ck_assert_int_eq(perf_order_add(&order, rings[i % 4], record, i + 1), 0);
	}
	perf_order_flush(&order, UINT64_MAX, give, NULL);
	ck_assert_uint_eq(nr_given, 64);
	for (size_t i = 0; i < order.nr_blocks; i++)
		kept_bytes += order.blocks[i].bytes ? order.blocks[i].room_bytes : 0;
	ck_assert_uint_gt(kept_bytes, 0);
	ck_assert_uint_le(kept_bytes, 4 << 20);
}
END_TEST

START_TEST(each_ring_has_room_of_its_own)
{
	uint32_t ring;

	for (size_t nr = 5; nr < 200; nr++) {
		ck_assert_int_eq(perf_order_add_ring(&order, 0, &ring), 0);
		ck_assert_uint_eq(ring, nr - 1);
		ck_assert_uint_eq(order.nr_rings, nr);
		ck_assert_uint_ge(malloc_usable_size(order.rings), nr * sizeof(*order.rings));
	}
}
END_TEST

START_TEST(without_memory_a_ring_is_not_added_and_the_others_go_on)
{
	uint32_t ring = 77;
	int error;

	failing_begin(FAILING_MEMORY, 1, 1);
	error = perf_order_add_ring(&order, 0, &ring);
	ck_assert(failing_end());
	ck_assert_int_eq(error, -ENOMEM);
	ck_assert_uint_eq(ring, 77);
	ck_assert_uint_eq(order.nr_rings, 4);
	put(3, 10);
	put(0, 20);
	perf_order_flush(&order, UINT64_MAX, give, NULL);
	assert_given(2, (const uint64_t[]){10, 20});
}
END_TEST

START_TEST(without_memory_a_reservation_fails_and_the_next_one_succeeds)
{
	unsigned long nth = 1;
	bool failed = true;

	for (; failed; nth++) {
		uint64_t *record;

		perf_order_deinit(&order);
		setup();
		failing_begin(FAILING_MEMORY, nth, 0);
		record = perf_order_reserve(&order, sizeof(*record));
		failed = failing_end();
		ck_assert(!record == failed);
		put(0, nth);
		perf_order_flush(&order, UINT64_MAX, give, NULL);
		assert_given(1, (const uint64_t[]){nth});
	}
	ck_assert_uint_gt(nth, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_order");
	TCase *tests = tcase_create("perf_order");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_record_waits_until_all_rings_have_been_read_past_it);
	tcase_add_test(tests, rings_read_one_after_the_other_come_out_by_time);
	tcase_add_test(tests, a_record_out_of_order_within_its_ring_is_sorted_in_the_next_round);
	tcase_add_test(tests, a_record_behind_the_watermark_goes_out_at_once_and_counts_late);
	tcase_add_test(tests, equal_times_keep_the_order_of_rings);
	tcase_add_test(tests, a_closed_ring_holds_nothing_back_and_may_open_again);
	tcase_add_test(tests, a_time_from_the_future_does_not_push_the_watermark_past_the_round);
	tcase_add_test(tests, random_rings_come_out_whole_and_in_order);
	tcase_add_test(tests, blocks_are_used_again);
	tcase_add_test(tests, a_storm_on_many_cpus_does_not_stay_in_memory);
	tcase_add_test(tests, each_ring_has_room_of_its_own);
	tcase_add_test(tests, without_memory_a_ring_is_not_added_and_the_others_go_on);
	tcase_add_test(tests, without_memory_a_reservation_fails_and_the_next_one_succeeds);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
