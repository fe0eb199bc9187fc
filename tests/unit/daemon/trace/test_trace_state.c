// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_state.h"

#include "ctf/reader.h"
#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define FIRST_ID 40
#define TIME	 5000
/* Fields 5 to 8 and 10 to 38, of which none is read. */
#define SKIP_4	"0 0 0 -1"
#define SKIP_29 "0 0 0 0 0 0 0 0 20 0 1 0 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17"

static struct ctf_event events[TRACE_STATE_NR_EVENTS];
static const uint32_t streams[] = {0};
static struct ctf_trace trace = {
	.uuid = {4, 5, 6},
	.clock = {.name = "monotonic", .description = "", .freq_hz = 1000000000},
	.nr_streams = 1,
	.streams = streams,
	.nr_events = TRACE_STATE_NR_EVENTS,
	.events = events};
static struct diag diag;
static struct trace_state_counts counts;

static void put(const char *path, const char *text)
{
	ck_assert_int_eq(file_make_parent_dirs(path, 0755), 0);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0644), 0);
}

static bool is_later, is_among; /* among: its packets are CPU 0's */
static uint64_t state_time = TIME;
static uint64_t last_record; /* of CPU 0, in a packet of its own before the dump; 0: none */

static void put_record(struct trace_channel *channel, uint64_t time)
{
	ck_assert_ptr_nonnull(trace_channel_reserve(channel, 0, FIRST_ID, time, 0));
	trace_channel_commit(channel);
	ck_assert_int_eq(trace_channel_flush(channel, &diag), 0);
}

/* Write the state of proc to the trace "trace". */
static int dump(void)
{
	struct trace_channel_config config = {
		.mode = RING_DISCARD, .sub_buffer_bytes = 4096, .nr_sub_buffers = 2, .nr_cpus = 1};
	struct trace_channel *channel;
	const struct trace_state_config how = {.proc_path = "proc",
					       .first_id = FIRST_ID,
					       .time = state_time,
					       .in_front = !is_among,
					       .is_later = is_later};
	struct ctf_writer *writer;
	int error;

	trace_state_events(events, FIRST_ID, 0);
	memcpy(config.uuid, trace.uuid, sizeof(config.uuid));
	ck_assert_msg(!ctf_writer_open(&writer, "trace", &trace, &diag), "%s", diag_show(&diag));
	ck_assert_int_eq(trace_channel_create(&channel, &config, &diag), 0);
	trace_channel_write_to(channel, writer);
	if (last_record)
		put_record(channel, last_record);
	if (!is_among)
		ck_assert_int_eq(trace_channel_state_begin(channel, writer), 0);
	error = trace_state_dump(channel, &how, &counts);
	trace_channel_state_end(channel);
	ck_assert_int_eq(trace_channel_drain(channel, true, 2 * TIME, &diag), 0);
	trace_channel_destroy(channel);
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	return error;
}

/* "NAME(value, ...)" of each event except the first and the last. */
static const char *told(void)
{
	static char text[4096];
	struct ctf_reader *reader;
	struct ctf_record record;
	FILE *stream = fmemopen(text, sizeof(text), "w");
	unsigned int nr = 0;
	int more;

	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	while ((more = ctf_reader_next(reader, &record, &diag)) > 0) {
		ck_assert_uint_ge(record.time, is_among ? TIME : TIME - TRACE_STATE_TIME_ROOM);
		ck_assert_uint_le(record.time, is_among ? TIME + TRACE_STATE_TIME_ROOM : TIME);
		if (!nr++)
			ck_assert_str_eq(record.event->name, "lttng_statedump_start");
		if (!record.event->nr_fields)
			continue;
		(void)fprintf(stream, "%s:", strrchr(record.event->name, '_') + 1);
		for (unsigned int i = 0; i < record.event->nr_fields; i++) {
			const struct ctf_value *value = &record.values[i];

			if (record.event->fields[i].kind != CTF_FIELD_INTEGER)
				(void)fprintf(stream, " %.*s", (int)value->nr,
					      (const char *)value->bytes);
			else
				(void)fprintf(stream, " %lld", (long long)value->number);
		}
		(void)fputc('\n', stream);
	}
	ck_assert_msg(!more, "%s", diag_show(&diag));
	ck_assert_uint_eq(trace_state_nr_records(&counts), nr);
	ctf_reader_close(reader);
	(void)fclose(stream);
	return text;
}

START_TEST(threads_and_their_states_are_told)
{
	put("proc/7/task/7/stat", "7 (main) S 1 " SKIP_4 " 0 " SKIP_29 " 3 0\n");
	put("proc/7/task/7/syscall", "202 0x1 0x2\n");
	put("proc/7/task/9/stat", "9 (other) R 1 " SKIP_4 " 0 " SKIP_29 " 1 0\n");
	put("proc/7/task/10/stat", "10 (reads) S 1 " SKIP_4 " 0 " SKIP_29 " 2 0\n");
	put("proc/7/task/10/syscall", "0 0x3 0x4\n"); /* 0 is a valid call number */
	put("proc/7/task/11/stat", "11 (faults) S 1 " SKIP_4 " 0 " SKIP_29 " 2 0\n");
	put("proc/7/task/11/syscall", "-1 0x3 0x4\n"); /* sleeps, but not in a system call */
	put("proc/7/maps", "");
	put("proc/2/task/2/stat", "2 (kthreadd) S 0 " SKIP_4 " 2129984 " SKIP_29 " 0 0\n");
	put("proc/2/maps", "");
	ck_assert_int_eq(dump(), 0);
	ck_assert_uint_eq(counts.nr_threads, 5);
	ck_assert_uint_eq(counts.lost, 0);
	/* Fields: tid pid ppid name type mode submode status cpu syscall. */
	ck_assert_str_eq(told(), "state: 2 2 0 kthreadd 1 0 0 5 0 -1\n"
				 "state: 7 7 1 main 0 2 0 5 3 202\n"
				 "state: 9 7 1 other 0 0 0 2 1 -1\n"
				 "state: 10 7 1 reads 0 2 0 5 2 0\n"
				 "state: 11 7 1 faults 0 0 0 5 2 -1\n");
}
END_TEST

START_TEST(what_has_no_memory_is_lost_all_of_it)
{
	const struct trace_channel_config config = {
		.mode = RING_DISCARD, .sub_buffer_bytes = 4096, .nr_sub_buffers = 2, .nr_cpus = 1};
	const struct trace_state_thread thread = trace_state_thread(1, 1, 0);
	const struct trace_state_config how = {.first_id = FIRST_ID, .time = TIME};
	struct trace_state_dump to;
	struct trace_channel *channel;
	struct rlimit before, none;

	ck_assert_int_eq(trace_channel_create(&channel, &config, &diag), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
	none = (struct rlimit){4096, before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &none), 0);
	trace_state_dump_begin(&to, channel, &how, &counts);
	to.sink.thread(&to.sink, &thread);
	trace_state_dump_end(&to);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
	trace_channel_destroy(channel);
	ck_assert_uint_eq(counts.lost, 3);
	ck_assert_uint_eq(trace_state_nr_records(&counts), 0);
}
END_TEST

START_TEST(a_name_may_hold_anything_and_is_cut)
{
	put("proc/7/task/7/stat", "7 (a) R 5 (b) c) Z 1 " SKIP_4 " 0 " SKIP_29 " 0 0\n");
	put("proc/7/task/8/stat", "8 (0123456789abcdefghij) X 1 " SKIP_4 " 0 " SKIP_29 " 0 0\n");
	ck_assert_int_eq(dump(), 0);
	ck_assert_str_eq(told(), "state: 7 7 1 a) R 5 (b) c 0 0 0 4 0 -1\n"
				 "state: 8 7 1 0123456789abcde 0 0 0 7 0 -1\n");
}
END_TEST

static bool stop(void *nr_calls)
{
	++*(unsigned int *)nr_calls;
	return false;
}

static void count_thread(struct trace_state_sink *sink, const struct trace_state_thread *thread)
{
	(void)sink;
	counts.nr_threads += thread->tid != 0;
}

START_TEST(a_reading_that_is_cancelled_stops)
{
	struct trace_state_sink sink = {.thread = count_thread};
	unsigned int nr_calls = 0;
	const struct trace_state_config how = {
		.proc_path = "proc", .turn = stop, .context = &nr_calls};
	char path[64], text[128];

	for (int pid = 1; pid <= 100; pid++) {
		(void)snprintf(path, sizeof(path), "proc/%d/task/%d/stat", pid, pid);
		(void)snprintf(text, sizeof(text), "%d (a) R 1 " SKIP_4 " 0 " SKIP_29 " 0 0\n",
			       pid);
		put(path, text);
	}
	counts = (struct trace_state_counts){0};
	ck_assert_int_eq(trace_state_read(&sink, &how), -ECANCELED);
	ck_assert_uint_eq(nr_calls, 1);
	ck_assert_uint_lt(counts.nr_threads, 100);
}
END_TEST

START_TEST(mappings_of_code_are_told_and_no_others)
{
	put("proc/7/task/7/stat", "7 (main) R 1 " SKIP_4 " 0 " SKIP_29 " 0 0\n");
	put("proc/7/maps", "55d000-55e000 r--p 00000000 fe:00 11  /usr/bin/a b\n"
			   "55e000-55f000 r-xp 00001000 fe:00 11  /usr/bin/a b\n"
			   "7f0000-7f1000 rwxp 00000000 00:00 0 \n"
			   "7ffd00-7ffd01 r-xp 00000000 00:00 0   [vdso]\n"
			   "nonsense /x\n"
			   "7f2000-7f3000 r-xp 00003000 fe:00 12  /usr/lib/c.so (deleted)\n");
	ck_assert_int_eq(dump(), 0);
	ck_assert_uint_eq(counts.nr_mappings, 2);
	ck_assert_str_eq(told(), "state: 7 7 1 main 0 0 0 2 0 -1\n"
				 "mapping: 7 5627904 5632000 4096 /usr/bin/a b\n"
				 "mapping: 7 8331264 8335360 12288 /usr/lib/c.so (deleted)\n");
}
END_TEST

START_TEST(what_is_gone_or_unreadable_is_left_out)
{
	put("proc/7/task/7/stat", "7 main R");
	put("proc/8/comm", "x");
	put("proc/self", "x");
	ck_assert_int_eq(dump(), 0);
	ck_assert_uint_eq(counts.nr_threads, 0);
	ck_assert_str_eq(told(), "");
	ck_assert_int_eq(file_remove_tree("proc"), 0);
	ck_assert_int_eq(file_remove_tree("trace"), 0);
	ck_assert_int_eq(dump(), -ENOENT);
}
END_TEST

/*
 * Packets that begin at `full`, where a state in front has no later time, may begin alike. Returns
 * the number of packets.
 */
static unsigned int check_begins(uint64_t full)
{
	struct ctf_reader *reader;
	struct ctf_record record;
	unsigned int nr = 0;
	uint64_t seq = 0, begin = 0;

	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	while (ctf_reader_next(reader, &record, &diag) > 0) {
		if (nr && record.packet->seq == seq)
			continue;
		if (nr && begin == full)
			ck_assert_uint_eq(record.packet->time_begin, full);
		else if (nr)
			ck_assert_uint_gt(record.packet->time_begin, begin);
		ck_assert_uint_eq(record.time, record.packet->time_begin);
		seq = record.packet->seq;
		begin = record.packet->time_begin;
		nr++;
	}
	ctf_reader_close(reader);
	return nr;
}

static void put_large_state(void)
{
	char maps[64 * 1024];
	size_t at = 0;

	for (unsigned int i = 0; i < 500; i++)
		at += (size_t)snprintf(maps + at, sizeof(maps) - at,
				       "%x000-%x000 r-xp 00000000 fe:00 1 /usr/lib/lib%u.so\n",
				       0x1000 + i, 0x1001 + i, i);
	put("proc/7/task/7/stat", "7 (main) R 1 " SKIP_4 " 0 " SKIP_29 " 0 0\n");
	put("proc/7/maps", maps);
}

START_TEST(no_two_packets_of_a_large_state_begin_at_the_same_time)
{
	put_large_state();
	is_among = _i;
	ck_assert_int_eq(dump(), 0);
	ck_assert_uint_eq(counts.nr_mappings, 500);
	ck_assert_uint_ge(check_begins(UINT64_MAX), 5);
}
END_TEST

/* The clock is so young that the state has fewer times than packets. */
START_TEST(packets_without_room_in_front_begin_at_the_moment_of_the_state)
{
	put_large_state();
	state_time = 2;
	ck_assert_int_eq(dump(), 0);
	ck_assert_uint_eq(counts.nr_mappings, 500);
	ck_assert_uint_ge(check_begins(state_time), 5);
}
END_TEST

/* The last packet before the dump has one record, made at the time that was given or after it. */
START_TEST(a_state_among_records_begins_after_the_packet_before)
{
	put("proc/7/task/7/stat", "7 (main) R 1 " SKIP_4 " 0 " SKIP_29 " 0 0\n");
	put("proc/7/maps", "");
	is_among = true;
	last_record = TIME + (uint64_t)_i;
	ck_assert_int_eq(dump(), 0);
	ck_assert_uint_eq(check_begins(UINT64_MAX), 2);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_state");

	tcase_add_checked_fixture(tests, test_folder_setup, test_folder_teardown);
	tcase_add_test(tests, threads_and_their_states_are_told);
	tcase_add_test(tests, what_has_no_memory_is_lost_all_of_it);
	tcase_add_test(tests, a_name_may_hold_anything_and_is_cut);
	tcase_add_test(tests, a_reading_that_is_cancelled_stops);
	tcase_add_test(tests, mappings_of_code_are_told_and_no_others);
	tcase_add_test(tests, what_is_gone_or_unreadable_is_left_out);
	tcase_add_loop_test(tests, no_two_packets_of_a_large_state_begin_at_the_same_time, 0, 2);
	tcase_add_test(tests, packets_without_room_in_front_begin_at_the_moment_of_the_state);
	tcase_add_loop_test(tests, a_state_among_records_begins_after_the_packet_before, 0, 2);
	return test_run(tests);
}
