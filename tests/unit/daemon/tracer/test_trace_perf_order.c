// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a ring whose records the test wrote: order and losses. */
#include "daemon/tracer/trace_perf_internal.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_PAGES   64u
#define NR_RECORDS 3000u
#define ID	   100u

struct made_record {
	struct perf_event_header header;
	uint64_t id, time;
	uint32_t raw_bytes, nr;
};

static const struct trace_perf_event event = {.name = "event", .kind = TRACE_RECORD_TRACEPOINT};

static struct {
	uint64_t time[NR_RECORDS];
	uint32_t nr[NR_RECORDS];
	size_t nr_records;
	uint64_t nr_lost;
} seen;

static void take(struct trace_perf_sink *sink, const struct trace_perf_record *record)
{
	(void)sink;
	ck_assert_uint_lt(seen.nr_records, NR_RECORDS);
	ck_assert_uint_eq(record->cpu, 0);
	ck_assert_uint_eq(record->event, 0);
	ck_assert_uint_eq(record->nr_bytes, sizeof(seen.nr[0]));
	memcpy(&seen.nr[seen.nr_records], record->raw, sizeof(seen.nr[0]));
	seen.time[seen.nr_records++] = record->time;
}

static void lose(struct trace_perf_sink *sink, unsigned int cpu, uint64_t nr)
{
	(void)sink;
	ck_assert_uint_eq(cpu, 0);
	seen.nr_lost += nr;
}

static struct trace_perf_sink sink = {.record = take, .lost = lose};
static struct event_id id = {.id = ID};
static int no_fd = -1;
static struct trace_perf_cpu cpu;
static struct trace_perf perf;

static void setup(void)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	const int fd = memfd_create("ring", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)((NR_PAGES + 1) * page_bytes)), 0);
	cpu = (struct trace_perf_cpu){.fds = &no_fd};
	ck_assert_int_eq(perf_ring_open(&cpu.ring, fd, NR_PAGES), 0);
	ck_assert_int_eq(close(fd), 0);
	perf = (struct trace_perf){.config = {.events = &event, .nr_events = 1, .sink = &sink},
				   .watch.nr_cpus = 1,
				   .cpus = &cpu,
				   .ids = &id,
				   .nr_ids = 1,
				   .bytes = malloc(NR_PAGES * page_bytes)};
	ck_assert_ptr_nonnull(perf.bytes);
	memset(&seen, 0, sizeof(seen));
}

static void teardown(void)
{
	perf_ring_close(&cpu.ring);
	free(perf.bytes);
	free(perf.notes);
}

static struct made_record record_of(uint64_t time, uint32_t nr)
{
	return (struct made_record){
		.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(struct made_record)},
		.id = ID,
		.time = time,
		.raw_bytes = sizeof(nr),
		.nr = nr};
}

/* Write a record as the kernel does; all of it must fit without wrapping. */
static void put(const void *record, size_t nr_bytes)
{
	struct perf_event_mmap_page *page = cpu.ring.page;

	ck_assert_uint_le(page->data_head + nr_bytes, cpu.ring.data_bytes);
	memcpy((uint8_t *)page + cpu.ring.mapped_bytes - cpu.ring.data_bytes + page->data_head,
	       record, nr_bytes);
	page->data_head += nr_bytes;
}

static void put_record(struct made_record record)
{
	put(&record, sizeof(record));
}

START_TEST(records_whose_times_all_fall_come_in_order_of_time)
{
	for (uint32_t i = 0; i < NR_RECORDS; i++)
		put_record(record_of(1000000 - i, i));
	ck_assert_int_eq(trace_perf_read(&perf, false), 0);
	ck_assert_uint_eq(seen.nr_records, NR_RECORDS);
	for (uint32_t i = 0; i < NR_RECORDS; i++) {
		ck_assert_uint_eq(seen.nr[i], NR_RECORDS - 1 - i);
		ck_assert_uint_eq(seen.time[i], 1000000 - seen.nr[i]);
	}
	ck_assert_uint_eq(trace_perf_counts(&perf).nr_records, NR_RECORDS);
	ck_assert_uint_eq(seen.nr_lost, 0);
}
END_TEST

START_TEST(records_of_one_time_stay_as_they_came_also_where_others_fall)
{
	for (uint32_t i = 0; i < NR_RECORDS; i++)
		put_record(record_of(1000000 - i / 100, i));
	ck_assert_int_eq(trace_perf_read(&perf, false), 0);
	ck_assert_uint_eq(seen.nr_records, NR_RECORDS);
	for (uint32_t i = 0; i < NR_RECORDS; i++)
		ck_assert_uint_eq(seen.nr[i], (NR_RECORDS / 100 - 1 - i / 100) * 100 + i % 100);
}
END_TEST

START_TEST(a_record_that_an_interrupt_came_between_is_put_where_it_belongs)
{
	static const uint64_t times[] = {10, 12, 11, 11, 9, 13};
	static const uint32_t order[] = {4, 0, 2, 3, 1, 5};

	for (uint32_t i = 0; i < 6; i++)
		put_record(record_of(times[i], i));
	ck_assert_int_eq(trace_perf_read(&perf, false), 0);
	ck_assert_uint_eq(seen.nr_records, 6);
	ck_assert_mem_eq(seen.nr, order, sizeof(order));
}
END_TEST

START_TEST(each_damaged_record_is_counted_and_the_others_come)
{
	struct made_record bad = record_of(3, 3);
	const struct perf_event_header empty = {.type = PERF_RECORD_SAMPLE, .size = sizeof(empty)};

	put_record(record_of(2, 2));
	bad.id = ID + 1;
	put_record(bad);
	bad = record_of(4, 4);
	bad.raw_bytes = sizeof(bad.nr) + 1;
	put_record(bad);
	put(&empty, sizeof(empty));
	bad = record_of(5, 5);
	bad.header.type = PERF_RECORD_COMM;
	put_record(bad);
	put_record(record_of(1, 1));
	ck_assert_int_eq(trace_perf_read(&perf, false), 0);
	ck_assert_uint_eq(seen.nr_records, 2);
	ck_assert_uint_eq(seen.nr[0], 1);
	ck_assert_uint_eq(seen.nr[1], 2);
	ck_assert_uint_eq(seen.nr_lost, 4);
	ck_assert_uint_eq(trace_perf_counts(&perf).bad_records, 4);
	ck_assert_uint_eq(trace_perf_counts(&perf).nr_records, 2);
}
END_TEST

START_TEST(what_stands_before_a_size_that_makes_no_sense_comes)
{
	struct made_record bad = record_of(2, 2);

	put_record(record_of(1, 1));
	bad.header.size = 12;
	put_record(bad);
	ck_assert_int_eq(trace_perf_read(&perf, false), -EBADMSG);
	ck_assert_uint_eq(seen.nr_records, 1);
	ck_assert_uint_eq(trace_perf_counts(&perf).ring_errors, 1);
	put_record(record_of(3, 3));
	ck_assert_int_eq(trace_perf_read(&perf, false), 0);
	ck_assert_uint_eq(seen.nr_records, 2);
	ck_assert_uint_eq(seen.nr[1], 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_perf_order");
	TCase *tests = tcase_create("trace_perf_order");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, records_whose_times_all_fall_come_in_order_of_time);
	tcase_add_test(tests, records_of_one_time_stay_as_they_came_also_where_others_fall);
	tcase_add_test(tests, a_record_that_an_interrupt_came_between_is_put_where_it_belongs);
	tcase_add_test(tests, each_damaged_record_is_counted_and_the_others_come);
	tcase_add_test(tests, what_stands_before_a_size_that_makes_no_sense_comes);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
