// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_channel.h"

#include "ctf/reader.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define NR_CPUS	  3
#define EVENT_ID  5
#define SUB_BYTES 4096

static const struct ctf_field fields[] = {
	{.name = "number", .kind = CTF_FIELD_INTEGER, .bits = 64, .base = 10},
	{.name = "text", .kind = CTF_FIELD_STRING},
};
static const struct ctf_event event = {
	.id = EVENT_ID, .name = "some", .alignment = 1, .nr_fields = 2, .fields = fields};
static const uint32_t streams[] = {0};
static const struct ctf_trace trace = {
	.uuid = {9, 8, 7},
	.clock = {.name = "monotonic", .description = "", .freq_hz = 1000000000},
	.nr_streams = 1,
	.streams = streams,
	.nr_events = 1,
	.events = &event};

static struct trace_channel *channel;
static struct ctf_writer *writer;
static struct diag diag;
static struct trace_channel_written written;

static void open_writer(const char *folder)
{
	ck_assert_msg(!ctf_writer_open(&writer, folder, &trace, &diag), "%s", diag_show(&diag));
}

static void create(enum ring_mode mode, uint32_t nr_sub_buffers)
{
	struct trace_channel_config config = {.mode = mode,
					      .sub_buffer_bytes = SUB_BYTES,
					      .nr_sub_buffers = nr_sub_buffers,
					      .nr_cpus = NR_CPUS};

	memcpy(config.uuid, trace.uuid, sizeof(config.uuid));
	ck_assert_msg(!trace_channel_create(&channel, &config, &diag), "%s", diag_show(&diag));
	if (mode == RING_DISCARD)
		trace_channel_write_to(channel, writer);
}

static bool fill(uint8_t *payload, uint64_t number)
{
	if (!payload)
		return false;
	memcpy(payload, &number, 8);
	memcpy(payload + 8, "abc", 4);
	trace_channel_commit(channel);
	return true;
}

static bool put(unsigned int cpu, uint64_t time, uint64_t number)
{
	return fill(trace_channel_reserve(channel, cpu, EVENT_ID, time, 8 + 4), number);
}

static void close_all(void)
{
	ck_assert_msg(!ctf_writer_close(writer, &diag), "%s", diag_show(&diag));
	writer = NULL;
}

/* The content of a folder by CPU. */
struct found {
	uint64_t nr, first, last, lost, lost_before, overwritten, seq_first;
	bool in_order; /* numbers are consecutive */
};

static void read_folder(const char *folder, struct found found[NR_CPUS])
{
	struct ctf_reader *reader;
	struct ctf_record record;
	uint64_t time = 0;
	int more;

	memset(found, 0, NR_CPUS * sizeof(*found));
	ck_assert_msg(!ctf_reader_open(&reader, folder, &diag), "%s", diag_show(&diag));
	while ((more = ctf_reader_next(reader, &record, &diag)) > 0) {
		struct found *of = &found[record.packet->cpu_id];

		ck_assert_uint_ge(record.time, time);
		time = record.time;
		if (!of->nr++) {
			of->first = record.values[0].number;
			of->in_order = true;
		} else {
			of->in_order &= record.values[0].number == of->last + 1;
		}
		of->last = record.values[0].number;
		ck_assert_uint_eq(record.values[1].nr, 3);
	}
	ck_assert_msg(!more, "%s", diag_show(&diag));
	for (unsigned int i = 0; i < ctf_reader_nr_streams(reader); i++) {
		const struct ctf_stream *stream = ctf_reader_stream(reader, i);
		const struct ctf_stream_counts counts = ctf_stream_counts(stream);
		const unsigned int cpu =
			(unsigned int)atoi(strchr(ctf_stream_name(stream), '_') + 1);

		found[cpu].lost = counts.lost;
		found[cpu].lost_before = counts.lost_before;
		found[cpu].seq_first = counts.seq_first;
		found[cpu].overwritten = counts.lost_overwritten;
		ck_assert_uint_eq(counts.lost_damaged + counts.lost_cut + counts.nr_disordered, 0);
	}
	ctf_reader_close(reader);
}

START_TEST(every_record_of_every_cpu_is_in_the_folder)
{
	struct found found[NR_CPUS];

	open_writer("trace");
	create(RING_DISCARD, 2);
	for (uint64_t i = 0; i < 10000; i++)
		ck_assert(put(i % 2 ? 2 : 0, 1000 + 7 * i, i / 2));
	ck_assert_int_eq(trace_channel_drain(channel, true, 1000000, &diag), 0);
	ck_assert_uint_eq(trace_channel_counts(channel).nr_records, 10000);
	ck_assert_uint_eq(trace_channel_counts(channel).lost, 0);
	trace_channel_destroy(channel);
	close_all();
	read_folder("trace", found);
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu += 2) {
		ck_assert_uint_eq(found[cpu].nr, 5000);
		ck_assert_uint_eq(found[cpu].first, 0);
		ck_assert_uint_eq(found[cpu].lost, 0);
		ck_assert(found[cpu].in_order);
	}
	ck_assert_uint_eq(found[1].nr, 0);
}
END_TEST

START_TEST(what_was_lost_before_is_told_to_the_record_even_behind_the_last)
{
	struct found found[NR_CPUS];

	open_writer("trace");
	create(RING_DISCARD, 2);
	trace_channel_lose(channel, 0, 5);
	ck_assert(put(0, 100, 0));
	trace_channel_lose(channel, 0, 3);
	trace_channel_lose(channel, 1, 40);
	ck_assert_int_eq(trace_channel_drain(channel, true, 1000, &diag), 0);
	ck_assert_uint_eq(trace_channel_counts(channel).lost, 48);
	trace_channel_destroy(channel);
	close_all();
	read_folder("trace", found);
	ck_assert_uint_eq(found[0].lost, 8);
	ck_assert_uint_eq(found[0].nr, 1);
	ck_assert_uint_eq(found[1].lost, 40);
	ck_assert_uint_eq(found[1].nr, 0);
}
END_TEST

START_TEST(a_record_that_comes_late_does_not_go_back_in_time)
{
	struct found found[NR_CPUS];

	open_writer("trace");
	create(RING_DISCARD, 2);
	ck_assert(put(0, 100, 0));
	ck_assert(put(0, 90, 1));
	ck_assert(put(0, 100, 2));
	ck_assert_uint_eq(trace_channel_counts(channel).nr_late, 1);
	ck_assert_int_eq(trace_channel_drain(channel, true, 95, &diag), 0);
	trace_channel_destroy(channel);
	close_all();
	read_folder("trace", found);
	ck_assert_uint_eq(found[0].nr, 3);
	ck_assert(found[0].in_order);
}
END_TEST

START_TEST(a_flush_hands_over_all_that_was_written_and_moves_no_stamp)
{
	struct found found[NR_CPUS];

	open_writer("trace");
	create(RING_DISCARD, 2);
	ck_assert(put(0, 100, 0));
	ck_assert(put(2, 500, 0));
	ck_assert_uint_eq(trace_channel_time(channel, 0), 100);
	ck_assert_uint_eq(trace_channel_time(channel, 1), 0);
	for (int again = 0; again < 3; again++)
		ck_assert_int_eq(trace_channel_flush(channel, &diag), 0);
	read_folder("trace", found);
	ck_assert_uint_eq(found[0].nr + found[2].nr, 2);
	/* Earlier than the flush and than records of other CPUs. */
	ck_assert(put(0, 101, 1));
	ck_assert(put(2, 500, 1));
	ck_assert_uint_eq(trace_channel_counts(channel).nr_late, 0);
	ck_assert_int_eq(trace_channel_drain(channel, true, 1000, &diag), 0);
	trace_channel_destroy(channel);
	close_all();
	read_folder("trace", found);
	ck_assert_uint_eq(found[0].nr, 2);
	ck_assert_uint_eq(found[2].nr, 2);
	ck_assert(found[0].in_order && found[2].in_order);
}
END_TEST

START_TEST(a_record_longer_than_a_packet_is_lost_and_counted)
{
	struct found found[NR_CPUS];

	open_writer("trace");
	create(RING_DISCARD, 2);
	ck_assert_ptr_null(trace_channel_reserve(channel, 0, EVENT_ID, 5, SUB_BYTES));
	ck_assert_ptr_null(trace_channel_reserve(channel, NR_CPUS, EVENT_ID, 5, 8));
	ck_assert(put(0, 100, 0));
	ck_assert_uint_eq(trace_channel_counts(channel).lost, 2);
	ck_assert_int_eq(trace_channel_drain(channel, true, 1000, &diag), 0);
	trace_channel_destroy(channel);
	close_all();
	read_folder("trace", found);
	ck_assert_uint_eq(found[0].nr, 1);
	ck_assert_uint_eq(found[0].lost, 1);
}
END_TEST

/* ---- flight recorder ---- */

START_TEST(a_snapshot_holds_the_last_laps_and_recording_goes_on)
{
	struct found found[NR_CPUS], later[NR_CPUS];
	uint64_t i = 0;

	create(RING_OVERWRITE, 4);
	while (i < 100000)
		ck_assert(put(1, 1000 + i, i)), i++;
	open_writer("first");
	ck_assert_int_eq(trace_channel_snapshot(channel, writer, 1000 + i, &written, &diag), 0);
	close_all();
	while (i < 100010)
		ck_assert(put(1, 1000 + i, i)), i++;
	open_writer("second");
	ck_assert_int_eq(trace_channel_snapshot(channel, writer, 1000 + i, &written, &diag), 0);
	close_all();
	ck_assert_uint_eq(trace_channel_counts(channel).lost, 0);
	trace_channel_destroy(channel);
	read_folder("first", found);
	read_folder("second", later);
	ck_assert_uint_eq(found[1].last, 99999);
	ck_assert(found[1].in_order);
	/* At least three whole sub-buffers, with records of 16 bytes. */
	ck_assert_uint_ge(found[1].nr, (uint64_t)2 * (SUB_BYTES - 120) / 16);
	ck_assert_uint_eq(later[1].last, 100009);
	ck_assert(later[1].in_order);
	ck_assert_uint_gt(later[1].nr, 10);
	ck_assert_uint_eq(found[1].overwritten, 0);
}
END_TEST

static void put_state(uint64_t time, uint64_t number)
{
	ck_assert(fill(trace_channel_state_reserve(channel, EVENT_ID, time, 8 + 4), number));
}

START_TEST(the_state_stands_before_all_of_its_cpu_however_late_it_is_told)
{
	struct found found[NR_CPUS];

	open_writer("trace");
	create(RING_DISCARD, 4);
	ck_assert_int_eq(trace_channel_state_begin(channel, writer), 0);
	for (uint64_t i = 0; i < 600; i++) {
		put_state(50, i);
		if (i % 3 == 0)
			ck_assert(put(0, 100 + i, 600 + i / 3));
		if (i % 50 == 0)
			ck_assert_int_eq(trace_channel_drain(channel, false, 0, &diag), 0);
	}
	trace_channel_state_end(channel);
	ck_assert_ptr_null(trace_channel_state_reserve(channel, EVENT_ID, 50, 12));
	for (uint64_t i = 800; i < 5000; i++)
		ck_assert(put(0, 1000 + i, i));
	ck_assert_int_eq(trace_channel_drain(channel, true, 10000, &diag), 0);
	ck_assert_uint_eq(trace_channel_counts(channel).nr_late, 0);
	trace_channel_destroy(channel);
	close_all();
	read_folder("trace", found);
	ck_assert_uint_eq(found[0].nr, 5000);
	ck_assert(found[0].in_order);
	ck_assert_uint_eq(found[0].lost, 0);
	ck_assert_uint_eq(found[0].overwritten, 0);
}
END_TEST

START_TEST(a_loss_in_the_state_is_told_by_all_that_follow)
{
	struct found found[NR_CPUS];

	open_writer("trace");
	create(RING_DISCARD, 2);
	ck_assert_int_eq(trace_channel_state_begin(channel, writer), 0);
	put_state(50, 0);
	ck_assert_ptr_null(trace_channel_state_reserve(channel, EVENT_ID, 50, SUB_BYTES));
	trace_channel_state_end(channel);
	ck_assert(put(0, 100, 1));
	trace_channel_lose(channel, 0, 3);
	ck_assert_int_eq(trace_channel_drain(channel, true, 1000, &diag), 0);
	trace_channel_destroy(channel);
	close_all();
	read_folder("trace", found);
	ck_assert_uint_eq(found[0].nr, 2);
	ck_assert_uint_eq(found[0].lost, 4);
}
END_TEST

START_TEST(what_is_held_is_that_of_all_cpus)
{
	const uint64_t late = 1000000; /* later than all records */
	struct trace_channel_held held;

	create(RING_OVERWRITE, 4);
	held = trace_channel_held(channel, 7);
	ck_assert_uint_eq(held.begin, 7);
	ck_assert_uint_eq(held.whole, 7);
	for (unsigned int cpu = NR_CPUS; cpu-- > 0;) {
		const uint64_t nr_bytes = trace_channel_held(channel, 7).nr_bytes;
		const uint64_t first = 1000 * (cpu + 1);

		ck_assert(put(cpu, first, 0));
		held = trace_channel_held(channel, 7);
		ck_assert_uint_gt(held.nr_bytes, nr_bytes);
		/* Its first packet is still open. */
		ck_assert_uint_eq(held.begin, 7);
		/* More than one sub-buffer, and fewer than all of them. */
		for (uint64_t i = 1; i < 400; i++)
			ck_assert(put(cpu, first + i, i));
		ck_assert_uint_eq(trace_channel_held(channel, late).begin, first);
	}
	/* Only this CPU overwrites: since held.whole, the rings hold all records. */
	for (uint64_t i = 0; i < 100000; i++)
		ck_assert(put(NR_CPUS - 1, 5000 + i, i));
	held = trace_channel_held(channel, 7);
	ck_assert_uint_gt(held.whole, 5000);
}
END_TEST

START_TEST(each_snapshot_has_a_state_of_its_own_in_front)
{
	struct found found[NR_CPUS];
	uint64_t nr = 100000;

	create(RING_OVERWRITE, 4);
	for (uint64_t i = 0; i < nr; i++)
		ck_assert(put(0, 1000 + i, i));
	for (unsigned int turn = 0; turn < 3; turn++) {
		const struct trace_channel_held held = trace_channel_held(channel, 7);
		const char *folder = turn == 0 ? "a" : turn == 1 ? "b" : "c";

		ck_assert_uint_gt(held.begin, 1000);
		ck_assert_uint_eq(held.begin, held.whole);
		open_writer(folder);
		ck_assert_int_eq(trace_channel_state_begin(channel, writer), 0);
		/* The state's number precedes the oldest record's (records are of 16 bytes). */
		put_state(held.begin, held.begin - 1000 - 1);
		trace_channel_state_end(channel);
		ck_assert_int_eq(
			trace_channel_snapshot(channel, writer, 1000 + nr, &written, &diag), 0);
		close_all();
		read_folder(folder, found);
		ck_assert_uint_eq(found[0].nr, written.nr_records + 1);
		ck_assert_uint_eq(found[0].last, nr - 1);
		ck_assert(found[0].in_order);
		ck_assert_uint_eq(found[0].overwritten, 0);
		ck_assert(put(0, 1000 + nr, nr));
		nr++;
	}
	trace_channel_destroy(channel);
}
END_TEST

START_TEST(a_snapshot_tells_what_was_lost_in_its_stretch_and_no_more)
{
	struct found found[NR_CPUS];

	create(RING_OVERWRITE, 4);
	trace_channel_lose(channel, 0, 1000);
	for (uint64_t i = 0; i < 100000; i++)
		ck_assert(put(0, 1000 + i, i));
	trace_channel_lose(channel, 0, 5);
	open_writer("trace");
	trace_channel_hold(channel, 200000);
	ck_assert_int_eq(trace_channel_state_begin(channel, writer), 0);
	put_state(trace_channel_held(channel, 0).begin, 0);
	ck_assert_ptr_null(trace_channel_state_reserve(channel, EVENT_ID, 50, SUB_BYTES));
	trace_channel_state_end(channel);
	ck_assert_int_eq(trace_channel_snapshot(channel, writer, 200000, &written, &diag), 0);
	close_all();
	trace_channel_destroy(channel);
	read_folder("trace", found);
	ck_assert_uint_eq(written.lost, 5); /* the state's own losses are in its first packet */
	ck_assert_uint_eq(found[0].lost - found[0].lost_before, 5);
	ck_assert_uint_gt(found[0].seq_first, 0);
}
END_TEST

START_TEST(what_packets_tell_that_the_disk_did_not_take_is_not_lost_in_a_snapshot)
{
	struct rlimit before, full;

	create(RING_OVERWRITE, 4);
	for (uint64_t i = 0; i < 100000; i++)
		ck_assert(put(0, 1000 + i, i));
	trace_channel_lose(channel, 0, 5);
	open_writer("trace");
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	full = (struct rlimit){SUB_BYTES, before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
	ck_assert_int_eq(trace_channel_snapshot(channel, writer, 200000, &written, &diag), -EFBIG);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	ck_assert_uint_eq(ctf_writer_counts(writer).nr_packets, 1);
	ck_assert_uint_eq(written.lost, 0);
	close_all();
	open_writer("whole");
	ck_assert_int_eq(trace_channel_snapshot(channel, writer, 200000, &written, &diag), 0);
	ck_assert_uint_eq(written.lost, 5);
	close_all();
	trace_channel_destroy(channel);
}
END_TEST

START_TEST(a_snapshot_of_a_ring_that_is_not_full_yet_tells_all_losses)
{
	struct found found[NR_CPUS];

	create(RING_OVERWRITE, 4);
	ck_assert(put(0, 1000, 0));
	ck_assert(put(1, 1000, 0));
	trace_channel_lose(channel, 0, 7);
	trace_channel_lose(channel, 1, 2);
	open_writer("trace");
	trace_channel_hold(channel, 2000);
	ck_assert_int_eq(trace_channel_state_begin(channel, writer), 0);
	put_state(trace_channel_held(channel, 0).begin, 0);
	trace_channel_state_end(channel);
	ck_assert_int_eq(trace_channel_snapshot(channel, writer, 2000, &written, &diag), 0);
	close_all();
	trace_channel_destroy(channel);
	read_folder("trace", found);
	ck_assert_uint_eq(written.lost, 9);
	ck_assert_uint_eq(found[0].lost + found[1].lost, 9);
	ck_assert_uint_eq(found[0].seq_first + found[1].seq_first, 0);
}
END_TEST

START_TEST(a_snapshot_whose_state_has_no_memory_is_as_one_without_a_state)
{
	struct rlimit before, none;
	struct found found[NR_CPUS];
	int error;

	create(RING_OVERWRITE, 4);
	for (uint64_t i = 0; i < 100000; i++)
		ck_assert(put(0, 1000 + i, i));
	open_writer("trace");
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
	none = (struct rlimit){4096, before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &none), 0);
	error = trace_channel_state_begin(channel, writer);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
	ck_assert_int_eq(error, -ENOMEM);
	trace_channel_state_end(channel);
	ck_assert_int_eq(trace_channel_snapshot(channel, writer, 200000, &written, &diag), 0);
	close_all();
	trace_channel_destroy(channel);
	read_folder("trace", found);
	ck_assert_uint_eq(found[0].nr, written.nr_records);
	ck_assert_uint_gt(found[0].seq_first, 0);
}
END_TEST

START_TEST(a_snapshot_holds_each_cpu_from_the_first_to_the_last)
{
	struct found found[NR_CPUS];

	create(RING_OVERWRITE, 4);
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
		for (uint64_t i = 0; i < 10 + cpu; i++)
			ck_assert(put(cpu, 1000 + i, i));
	open_writer("trace");
	ck_assert_int_eq(trace_channel_snapshot(channel, writer, 2000, &written, &diag), 0);
	ck_assert_uint_eq(written.nr_records, 10 + 11 + 12);
	ck_assert_uint_eq(written.lost, 0);
	close_all();
	trace_channel_destroy(channel);
	read_folder("trace", found);
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		ck_assert_uint_eq(found[cpu].nr, 10 + cpu);
		ck_assert(found[cpu].in_order);
	}
}
END_TEST

START_TEST(a_snapshot_of_nothing_is_an_empty_trace)
{
	struct found found[NR_CPUS];

	create(RING_OVERWRITE, 4);
	open_writer("empty");
	ck_assert_int_eq(trace_channel_snapshot(channel, writer, 1000, &written, &diag), 0);
	close_all();
	trace_channel_destroy(channel);
	read_folder("empty", found);
	ck_assert_uint_eq(found[0].nr + found[1].nr + found[2].nr, 0);
}
END_TEST

/* mincore fails with ENOMEM where nothing is mapped. */
static bool is_mapped(const uint8_t *byte)
{
	void *page = (void *)((uintptr_t)byte & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1));
	unsigned char in_core;

	return !mincore(page, 1, &in_core) || errno != ENOMEM;
}

START_TEST(a_channel_that_is_destroyed_gives_back_the_rings_of_all_cpus)
{
	uint8_t *payloads[NR_CPUS];

	create(RING_OVERWRITE, 2);
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		payloads[cpu] = trace_channel_reserve(channel, cpu, EVENT_ID, 1000, 8 + 4);
		ck_assert(fill(payloads[cpu], cpu));
		ck_assert(is_mapped(payloads[cpu]));
	}
	trace_channel_destroy(channel);
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
		ck_assert_msg(!is_mapped(payloads[cpu]), "the ring of CPU %u", cpu);
}
END_TEST

START_TEST(sizes_that_no_ring_has_are_refused)
{
	const uint32_t sizes[][2] = {{4096, 1}, {4097, 2}, {128, 2}, {4096, 3}, {0, 2}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct trace_channel_config config = {.mode = RING_OVERWRITE,
							    .sub_buffer_bytes = sizes[i][0],
							    .nr_sub_buffers = sizes[i][1],
							    .nr_cpus = 1};

		ck_assert_int_eq(trace_channel_create(&channel, &config, &diag), -EINVAL);
		ck_assert_ptr_null(channel);
		ck_assert_ptr_nonnull(strstr(diag_show(&diag), "powers of two"));
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_channel");

	tcase_add_checked_fixture(tests, test_folder_setup, test_folder_teardown);
	tcase_add_test(tests, every_record_of_every_cpu_is_in_the_folder);
	tcase_add_test(tests, what_was_lost_before_is_told_to_the_record_even_behind_the_last);
	tcase_add_test(tests, a_record_that_comes_late_does_not_go_back_in_time);
	tcase_add_test(tests, a_flush_hands_over_all_that_was_written_and_moves_no_stamp);
	tcase_add_test(tests, a_record_longer_than_a_packet_is_lost_and_counted);
	tcase_add_test(tests, a_snapshot_holds_the_last_laps_and_recording_goes_on);
	tcase_add_test(tests, the_state_stands_before_all_of_its_cpu_however_late_it_is_told);
	tcase_add_test(tests, a_loss_in_the_state_is_told_by_all_that_follow);
	tcase_add_test(tests, what_is_held_is_that_of_all_cpus);
	tcase_add_test(tests, each_snapshot_has_a_state_of_its_own_in_front);
	tcase_add_test(tests, a_snapshot_tells_what_was_lost_in_its_stretch_and_no_more);
	tcase_add_test(tests,
		       what_packets_tell_that_the_disk_did_not_take_is_not_lost_in_a_snapshot);
	tcase_add_test(tests, a_snapshot_of_a_ring_that_is_not_full_yet_tells_all_losses);
	tcase_add_test(tests, a_snapshot_whose_state_has_no_memory_is_as_one_without_a_state);
	tcase_add_test(tests, a_snapshot_holds_each_cpu_from_the_first_to_the_last);
	tcase_add_test(tests, a_snapshot_of_nothing_is_an_empty_trace);
	tcase_add_test(tests, a_channel_that_is_destroyed_gives_back_the_rings_of_all_cpus);
	tcase_add_test(tests, sizes_that_no_ring_has_are_refused);
	return test_run(tests);
}
