// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_feed.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/perf_encode.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU)

enum { RING_SIDE, RING_SAMPLES };

static struct perf_ids ids;
static struct perf_feed *feed;
static struct perf_layout layouts[2];
static uint64_t record[PERF_ENCODE_BYTES_MAX / 8];
static struct perf_item applied[64];
static size_t nr_applied, nr_early;
static uint64_t lost[OPROF_LOST_NR];
static struct oprof_throttle throttles[8];
static size_t nr_throttles;

static void test_apply(struct perf_consumer *consumer, const struct perf_item *item)
{
	(void)consumer;
	ck_assert_uint_lt(nr_applied, 64);
	applied[nr_applied++] = *item;
}

static void test_record(struct record_sink *sink, const struct oprof_record *out)
{
	const void *whole = out;

	(void)sink;
	if (out->type == OPROF_RECORD_LOST) {
		const struct oprof_lost_record *it = whole;

		ck_assert_uint_eq(out->size_bytes, sizeof(*it));
		lost[it->reason] += it->nr_samples;
	} else if (out->type == OPROF_RECORD_THROTTLE) {
		ck_assert_uint_eq(out->size_bytes, sizeof(struct oprof_throttle));
		memcpy(&throttles[nr_throttles++], whole, sizeof(struct oprof_throttle));
	}
}

static void test_early(struct perf_consumer *at, const struct perf_item *item)
{
	(void)at;
	ck_assert_uint_eq(item->type, PERF_RECORD_MMAP2);
	ck_assert_str_eq(item->u.mmap.path, "/x");
	nr_early++;
}

static struct perf_consumer consumer = {.apply = test_apply, .early = test_early};
static struct record_sink sink = {test_record};

static void setup(void)
{
	uint32_t ring;

	nr_applied = 0;
	nr_early = 0;
	nr_throttles = 0;
	memset(lost, 0, sizeof(lost));
	perf_ids_init(&ids);
	ck_assert_int_eq(perf_ids_add(&ids, 5, 0), 0);
	ids.periods[0] = 1;
	ck_assert_int_eq(perf_feed_create(&feed, &consumer, &sink), 0);
	for (int i = 0; i < 2; i++) {
		layouts[i].sample_type = SAMPLE_TYPE;
		layouts[i].side_band = i == RING_SIDE;
		layouts[i].ids = &ids;
		ck_assert_int_eq(perf_feed_add_ring(feed, &layouts[i], 0, &ring), 0);
		ck_assert_uint_eq(ring, (uint32_t)i);
	}
}

static void teardown(void)
{
	perf_feed_destroy(feed);
	perf_ids_deinit(&ids);
}

static size_t make(uint32_t type, uint64_t time_ns)
{
	struct perf_item item = {.type = type, .time_ns = time_ns, .pid = 1, .tid = 1};

	if (type == PERF_RECORD_COMM)
		item.u.comm.name = "x";
	else if (type == PERF_RECORD_MMAP2)
		item.u.mmap = (__typeof__(item.u.mmap)){.path = "/x", .nr_bytes = 4096};
	else if (type != PERF_RECORD_SAMPLE)
		item.u.lost.nr = 16;
	return perf_encode(&layouts[0], 5, &item, record);
}

static void put(uint32_t ring, uint32_t type, uint64_t time_ns)
{
	size_t nr_bytes = make(type, time_ns);

	ck_assert_int_eq(perf_feed_bytes(feed, ring, record, nr_bytes), 0);
}

static void flush(void)
{
	perf_feed_flush(feed, UINT64_MAX);
}

static uint64_t seen_is_applied_and_lost(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr_applied; i++)
		sum += applied[i].type == PERF_RECORD_SAMPLE;
	for (size_t i = 0; i < OPROF_LOST_NR; i++)
		sum += lost[i];
	ck_assert_uint_eq(perf_feed_counters(feed)->seen, sum);
	return sum;
}

START_TEST(side_band_is_applied_before_the_sample_that_needs_it)
{
	put(RING_SAMPLES, PERF_RECORD_SAMPLE, 20);
	put(RING_SIDE, PERF_RECORD_COMM, 10);
	flush();
	ck_assert_uint_eq(nr_applied, 2);
	ck_assert_uint_eq(applied[0].type, PERF_RECORD_COMM);
	ck_assert_uint_eq(applied[1].type, PERF_RECORD_SAMPLE);
	ck_assert_uint_eq(seen_is_applied_and_lost(), 1);
}
END_TEST

START_TEST(maps_are_told_early_and_applied_in_their_time)
{
	put(RING_SIDE, PERF_RECORD_MMAP2, 20);
	ck_assert_uint_eq(nr_early, 1);
	ck_assert_uint_eq(nr_applied, 0);
	put(RING_SIDE, PERF_RECORD_COMM, 10);
	flush();
	ck_assert_uint_eq(nr_early, 1);
	ck_assert_uint_eq(nr_applied, 2);
	ck_assert_uint_eq(applied[1].type, PERF_RECORD_MMAP2);
}
END_TEST

START_TEST(samples_count_as_seen_only_when_they_are_applied)
{
	put(RING_SAMPLES, PERF_RECORD_SAMPLE, 20);
	perf_feed_round(feed, 30);
	ck_assert_uint_eq(perf_feed_counters(feed)->seen, 0);
	perf_feed_round(feed, 40);
	perf_feed_round(feed, 50);
	ck_assert_uint_eq(perf_feed_counters(feed)->seen, 1);
}
END_TEST

START_TEST(a_damaged_sample_is_seen_and_lost)
{
	size_t nr_bytes = make(PERF_RECORD_SAMPLE, 10);
	struct perf_event_header *header = (struct perf_event_header *)record;

	header->size = (uint16_t)(nr_bytes - 8); /* without the field cpu */
	ck_assert_int_eq(perf_feed_bytes(feed, RING_SAMPLES, record, nr_bytes - 8), 0);
	header->size = 24; /* without even a time */
	ck_assert_int_eq(perf_feed_bytes(feed, RING_SAMPLES, record, 24), 0);
	put(RING_SAMPLES, PERF_RECORD_SAMPLE, 30);
	flush();
	ck_assert_uint_eq(lost[OPROF_LOST_BAD_RECORD], 2);
	ck_assert_uint_eq(perf_feed_counters(feed)->bad_records, 2);
	ck_assert_uint_eq(seen_is_applied_and_lost(), 3);
}
END_TEST

START_TEST(a_lost_chunk_of_a_ring_shows_and_the_next_chunk_is_read)
{
	static const uint8_t zeros[64];

	ck_assert_int_eq(perf_feed_bytes(feed, RING_SAMPLES, zeros, sizeof(zeros)), 0);
	ck_assert_int_eq(perf_feed_bytes(feed, RING_SIDE, zeros, 5), 0);
	put(RING_SAMPLES, PERF_RECORD_SAMPLE, 30);
	flush();
	ck_assert_uint_eq(lost[OPROF_LOST_BAD_RECORD], 1);
	ck_assert_uint_eq(perf_feed_counters(feed)->side_band_bad, 1);
	ck_assert_uint_eq(seen_is_applied_and_lost(), 2);
}
END_TEST

START_TEST(unknown_types_are_counted_and_skipped)
{
	put(RING_SIDE, 1234, 10);
	put(RING_SIDE, PERF_RECORD_BPF_EVENT, 11);
	put(RING_SIDE, PERF_RECORD_COMM, 12);
	flush();
	ck_assert_uint_eq(nr_applied, 1);
	ck_assert_uint_eq(perf_feed_counters(feed)->unknown_records, 1);
	ck_assert_uint_eq(perf_feed_counters(feed)->records, 3);
	ck_assert_uint_eq(perf_feed_counters(feed)->bad_records, 0);
}
END_TEST

START_TEST(side_band_losses_reach_the_consumer_and_the_samples_ring_only_adds_up)
{
	put(RING_SIDE, PERF_RECORD_LOST, 10);
	put(RING_SAMPLES, PERF_RECORD_LOST, 11);
	flush();
	ck_assert_uint_eq(nr_applied, 1);
	ck_assert(applied[0].u.lost.side_band);
	ck_assert_uint_eq(perf_feed_counters(feed)->side_band_lost, 16);
	ck_assert_uint_eq(perf_feed_counters(feed)->ring_lost, 16);
	ck_assert_uint_eq(seen_is_applied_and_lost(), 0);
}
END_TEST

START_TEST(losses_of_the_kernel_and_the_hardware_are_seen_and_lost)
{
	perf_feed_lost(feed, 5, 0, 7);
	perf_feed_lost(feed, 5, 0, 0);
	put(RING_SAMPLES, PERF_RECORD_LOST_SAMPLES, 11);
	flush();
	ck_assert_uint_eq(lost[OPROF_LOST_KERNEL_RING], 7 + 16);
	ck_assert_uint_eq(seen_is_applied_and_lost(), 7 + 16);
}
END_TEST

START_TEST(throttling_becomes_records_that_begin_and_end)
{
	put(RING_SAMPLES, PERF_RECORD_UNTHROTTLE, 30);
	put(RING_SAMPLES, PERF_RECORD_THROTTLE, 20);
	flush();
	ck_assert_uint_eq(nr_throttles, 2);
	ck_assert_uint_eq(throttles[0].head.flags, 1);
	ck_assert_uint_eq(throttles[0].time_ns, 20);
	ck_assert_uint_eq(throttles[0].event, 0);
	ck_assert_uint_eq(throttles[1].head.flags, 0);
	ck_assert_uint_eq(throttles[1].time_ns, 30);
}
END_TEST

START_TEST(fields_that_it_cannot_decode_are_refused_with_the_ring)
{
	struct perf_layout layout = {.sample_type = SAMPLE_TYPE | PERF_SAMPLE_ADDR};
	uint32_t ring;

	ck_assert_int_eq(perf_feed_add_ring(feed, &layout, 0, &ring), -EINVAL);
}
END_TEST

/* The numbers of rings continue without a gap. */
START_TEST(without_memory_a_feed_does_not_add_a_ring)
{
	struct perf_feed *empty;
	unsigned long nth = 1;
	uint32_t ring;
	int error;

	ck_assert_int_eq(perf_feed_create(&empty, &consumer, &sink), 0);
	for (bool reached = true; reached; nth++) {
		failing_begin(FAILING_MEMORY, nth, 0);
		error = perf_feed_add_ring(empty, &layouts[0], 0, &ring);
		reached = failing_end();
		ck_assert_int_eq(error, reached ? -ENOMEM : 0);
	}
	ck_assert_uint_gt(nth, 2);
	ck_assert_uint_eq(ring, 0);
	ck_assert_int_eq(perf_feed_add_ring(empty, &layouts[0], 0, &ring), 0);
	ck_assert_uint_eq(ring, 1);
	perf_feed_destroy(empty);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_feed");
	TCase *tests = tcase_create("perf_feed");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, side_band_is_applied_before_the_sample_that_needs_it);
	tcase_add_test(tests, maps_are_told_early_and_applied_in_their_time);
	tcase_add_test(tests, samples_count_as_seen_only_when_they_are_applied);
	tcase_add_test(tests, a_damaged_sample_is_seen_and_lost);
	tcase_add_test(tests, a_lost_chunk_of_a_ring_shows_and_the_next_chunk_is_read);
	tcase_add_test(tests, unknown_types_are_counted_and_skipped);
	tcase_add_test(tests,
		       side_band_losses_reach_the_consumer_and_the_samples_ring_only_adds_up);
	tcase_add_test(tests, losses_of_the_kernel_and_the_hardware_are_seen_and_lost);
	tcase_add_test(tests, throttling_becomes_records_that_begin_and_end);
	tcase_add_test(tests, fields_that_it_cannot_decode_are_refused_with_the_ring);
	tcase_add_test(tests, without_memory_a_feed_does_not_add_a_ring);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
