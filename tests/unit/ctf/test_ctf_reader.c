// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/packed.h"
#include "ctf/reader.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

static struct made_trace made;
static struct ctf_reader *reader;
static struct diag diag;

static void setup(void)
{
	test_folder_setup();
}

static void teardown(void)
{
	ctf_reader_close(reader);
	reader = NULL;
	make_trace_deinit(&made);
	memset(&made, 0, sizeof(made));
	test_folder_teardown();
}

static void open_trace(void)
{
	int error = ctf_reader_open(&reader, "trace", &diag);

	ck_assert_msg(!error, "%s", error ? diag_show(&diag) : "");
}

/* ---- the expected records ---- */

static uint64_t load(const uint8_t *bytes, unsigned int bits, bool is_signed)
{
	uint64_t value = 0;

	memcpy(&value, bytes, bits / 8);
	if (is_signed && bits < 64 && value >> (bits - 1))
		value |= ~UINT64_C(0) << bits;
	return value;
}

static bool is_elements(const struct ctf_field *field, const struct ctf_value *value,
			const uint8_t *at)
{
	const uint64_t nr = field->kind == CTF_FIELD_SEQUENCE
				    ? load(at - field->length_bits / 8, field->length_bits, false)
				    : field->nr;

	for (uint32_t i = 0; i < value->nr && value->nr == nr; i++)
		if (ctf_value_element(field, value, i) !=
		    load(at + (size_t)i * (field->bits / 8), field->bits, field->is_signed))
			return false;
	return value->nr == nr;
}

static bool is_value(const struct ctf_field *field, const struct ctf_value *value,
		     const uint8_t *at)
{
	switch (field->kind) {
	case CTF_FIELD_INTEGER:
		return value->number == load(at, field->bits, field->is_signed);
	case CTF_FIELD_TEXT:
		return value->nr == strnlen((const char *)at, field->nr) &&
		       !memcmp(value->bytes, at, field->nr);
	case CTF_FIELD_STRING:
		return value->nr == strlen((const char *)at) &&
		       !memcmp(value->bytes, at, value->nr + (size_t)1);
	default:
		return is_elements(field, value, at);
	}
}

/* Uses few assertions of Check, because each writes to a file. */
static void check_record(const struct ctf_record *record, const struct made_record *want)
{
	const struct ctf_event *event = record->event;

	ck_assert_uint_eq(record->time, want->time);
	ck_assert_str_eq(event->name, want->event->name);
	ck_assert(event->id == want->event->id && event->nr_fields == want->event->nr_fields);
	for (unsigned int i = 0; i < event->nr_fields; i++)
		if (!is_value(&event->fields[i], &record->values[i],
			      want->payload + want->starts[i]))
			ck_abort_msg("%s.%s differs", event->name, event->fields[i].name);
}

static unsigned int find_made(const char *name)
{
	unsigned int i = 0;

	while (i < MADE_NR_STREAMS && strcmp(made.streams[i].name, name))
		i++;
	ck_assert_uint_lt(i, MADE_NR_STREAMS);
	return i;
}

static void check_counts(void)
{
	for (unsigned int i = 0; i < ctf_reader_nr_streams(reader); i++) {
		const struct ctf_stream *stream = ctf_reader_stream(reader, i);
		const struct made_stream *want = &made.streams[find_made(ctf_stream_name(stream))];
		const struct ctf_stream_counts counts = ctf_stream_counts(stream);

		ck_assert_uint_eq(counts.nr_packets, want->nr_packets);
		ck_assert_uint_eq(counts.nr_records, want->nr_records);
		ck_assert_uint_eq(counts.nr_padding, want->nr_padding);
		ck_assert_uint_eq(counts.lost_overwritten, want->lost_overwritten);
		ck_assert_uint_eq(counts.lost_before, want->lost_before);
		for (int j = 0; want->nr_packets && j < OPROF_NR_LOST; j++)
			ck_assert_uint_eq(counts.lost_by[j], want->lost_by[j]);
		ck_assert_uint_eq(counts.lost_damaged + counts.lost_cut + counts.nr_disordered, 0);
	}
}

START_TEST(every_record_is_read_as_it_was_written_in_order_of_time)
{
	size_t nr_read[MADE_NR_STREAMS] = {0};
	uint64_t time = 0, nr_full = 0, nr_empty = 0, nr_extended = 0;
	struct ctf_record record;
	int result;

	make_trace(&made, "trace", (uint64_t)_i + 1, 40);
	open_trace();
	ck_assert_uint_eq(ctf_reader_nr_streams(reader), MADE_NR_STREAMS);
	while ((result = ctf_reader_next(reader, &record, &diag)) == 1) {
		const unsigned int stream = find_made(ctf_stream_name(record.stream));

		ck_assert_uint_ge(record.time, time);
		time = record.time;
		ck_assert_uint_eq(record.packet->cpu_id, made.streams[stream].cpu);
		ck_assert_uint_lt(nr_read[stream], made.streams[stream].nr_records);
		check_record(&record, &made.streams[stream].records[nr_read[stream]++]);
	}
	ck_assert_int_eq(result, 0);
	ck_assert_int_eq(ctf_reader_next(reader, &record, &diag), 0);
	for (unsigned int i = 0; i < MADE_NR_STREAMS; i++) {
		ck_assert_uint_eq(nr_read[i], made.streams[i].nr_records);
		nr_full += made.streams[i].nr_full;
		nr_empty += made.streams[i].nr_empty;
		nr_extended += made.streams[i].nr_extended;
	}
	check_counts();
	/* The random input must have contained the difficult cases. */
	ck_assert_uint_gt(nr_full, 0);
	ck_assert_uint_gt(nr_empty, 0);
	ck_assert_uint_gt(nr_extended, 0);
}
END_TEST

START_TEST(what_metadata_says_is_found_again)
{
	const struct ctf_trace *trace;

	make_trace(&made, "trace", 1, 1);
	open_trace();
	trace = ctf_reader_trace(reader);
	ck_assert_mem_eq(trace->uuid, made_trace.uuid, 16);
	ck_assert_str_eq(trace->clock.name, "monotonic");
	ck_assert_str_eq(trace->clock.description, made_trace.clock.description);
	ck_assert_int_eq(trace->clock.offset_s, 1700000000);
	ck_assert_uint_eq(trace->clock.offset, 123456789);
	ck_assert_uint_eq(trace->nr_envs, made_trace.nr_envs);
	ck_assert_str_eq(trace->envs[1].text, "kernel");
	ck_assert_int_eq(trace->envs[4].number, 13);
	ck_assert_uint_eq(trace->nr_events, made_trace.nr_events);
}
END_TEST

/* ---- folders ---- */

static void refused(const char *folder, int error, const char *said)
{
	ck_assert_int_eq(ctf_reader_open(&reader, folder, &diag), error);
	ck_assert_msg(strstr(diag_show(&diag), said), "%s", diag_show(&diag));
}

START_TEST(a_folder_that_is_none_is_refused)
{
	refused("nowhere", -ENOENT, "nowhere");
	ck_assert_int_eq(mkdir("empty", 0700), 0);
	refused("empty", -ENOENT, "not a trace folder");
	ck_assert_int_eq(mkdir("empty/metadata", 0700), 0);
	refused("empty", -EINVAL, "metadata");
	ck_assert_int_eq(rmdir("empty/metadata"), 0);
	ck_assert_int_eq(mkfifo("empty/metadata", 0600), 0);
	refused("empty", -EINVAL, "metadata cannot be read: not a regular file");
	ck_assert_int_eq(unlink("empty/metadata"), 0);
	ck_assert_int_eq(symlink("/dev/zero", "empty/metadata"), 0);
	refused("empty", -ELOOP, "symbolic links are not followed");
}
END_TEST

START_TEST(metadata_that_is_too_large_is_refused)
{
	make_trace(&made, "trace", 1, 1);
	ck_assert_int_eq(truncate("trace/metadata", (off_t)CTF_METADATA_BYTES_MAX + 1), 0);
	refused("trace", -EFBIG, "metadata");
}
END_TEST

/* Entries that are not files must be reported once each, and the streams must be read. */
START_TEST(links_and_pipes_among_the_streams_are_told_and_the_rest_is_read)
{
	struct ctf_record record;
	uint64_t nr_records = 0, nr_errors = 0;
	int result;

	make_trace(&made, "trace", 1, 3);
	ck_assert_int_eq(symlink("channel_0", "trace/a_link"), 0);
	ck_assert_int_eq(mkfifo("trace/z_pipe", 0600), 0);
	ck_assert_int_eq(mkdir("trace/index", 0700), 0);
	ck_assert_int_eq(symlink("channel_0", "trace/.hidden"), 0);
	open_trace();
	ck_assert_uint_eq(ctf_reader_nr_streams(reader), MADE_NR_STREAMS + 2);
	while ((result = ctf_reader_next(reader, &record, &diag))) {
		nr_records += result == 1;
		nr_errors += result < 0;
		if (result < 0)
			ck_assert_msg(result == (strstr(diag.file, "a_link") ? -ELOOP : -EINVAL),
				      "%s", diag_show(&diag));
	}
	ck_assert_uint_eq(nr_errors, 2);
	ck_assert_uint_eq(nr_records, made.streams[0].nr_records + made.streams[1].nr_records +
					      made.streams[2].nr_records +
					      made.streams[3].nr_records);
}
END_TEST

/* Makes a stream with one record of nearly 16 MiB that takes almost no disk space. */
static void make_sparse(unsigned int i)
{
	const uint64_t nr_bytes = UINT64_C(1) << 24;
	const uint32_t nr_elements = (uint32_t)((nr_bytes - 4096) / 2), word = 4;
	struct oprof_packet_header header = {.magic = 0xc1fc1fc1,
					     .content_bits = (nr_bytes - 4096 + 144) * 8,
					     .packet_bits = nr_bytes * 8,
					     .nr_records = 1};
	uint8_t bytes[144] = {0};
	char path[32];
	FILE *to;

	memcpy(header.uuid, made_trace.uuid, sizeof(header.uuid));
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + 120, &word, 4); /* lengths of arrays */
	memcpy(bytes + 140, &nr_elements, 4);
	(void)snprintf(path, sizeof(path), "trace/channel_%02u", i);
	to = fopen(path, "w");
	ck_assert_ptr_nonnull(to);
	ck_assert_uint_eq(fwrite(bytes, 1, 144, to), 144);
	ck_assert_int_eq(fclose(to), 0);
	ck_assert_int_eq(truncate(path, (off_t)nr_bytes), 0);
}

/* All records must be in memory at once, to be returned in order of time. */
START_TEST(long_records_of_many_streams_have_a_bound_together)
{
	struct ctf_record record;
	unsigned int nr_records = 0, nr_errors = 0;
	int result;

	make_trace(&made, "trace", 1, 0);
	for (unsigned int i = 10; i < 30; i++)
		make_sparse(i);
	open_trace();
	while ((result = ctf_reader_next(reader, &record, &diag))) {
		ck_assert_msg(result == 1 || result == -ENOMEM, "%s", diag_show(&diag));
		nr_records += result == 1;
		nr_errors += result < 0;
		if (result == 1)
			ck_assert_uint_gt(record.values[4].nr, 8000000);
	}
	ck_assert_uint_eq(nr_records, 16);
	ck_assert_uint_eq(nr_errors, 4);
}
END_TEST

START_TEST(records_of_one_time_come_in_order_of_their_files)
{
	struct ctf_record record;
	uint64_t time = 0;
	char name[64] = "";

	make_trace(&made, "trace", 3, 60);
	ck_assert_int_eq(link("trace/channel_1", "trace/channel_11"), 0); /* same times */
	open_trace();
	while (ctf_reader_next(reader, &record, &diag) == 1) {
		if (record.time == time)
			ck_assert_int_le(strcmp(name, ctf_stream_name(record.stream)), 0);
		time = record.time;
		(void)snprintf(name, sizeof(name), "%s", ctf_stream_name(record.stream));
	}
	ck_assert_uint_gt(time, 0);
}
END_TEST

/* Reads the same trace with a clock of 2.5 GHz. */
START_TEST(times_are_ns_where_they_are_asked_for)
{
	uint64_t *ticks, nr = 0, i = 0;
	struct ctf_record record;
	int result;

	make_trace(&made, "trace", 11, 20);
	ck_assert_int_eq(system("sed -i 's/freq = 1000000000/freq = 2500000000/' trace/metadata"),
			 0);
	ticks = calloc(100000, sizeof(*ticks));
	open_trace();
	ck_assert_uint_eq(ctf_reader_trace(reader)->clock.freq_hz, 2500000000);
	while (ctf_reader_next(reader, &record, &diag) == 1 && nr < 100000)
		ticks[nr++] = record.time;
	ck_assert_uint_gt(nr, 100);
	ctf_reader_close(reader);
	open_trace();
	ctf_reader_use_ns(reader);
	while ((result = ctf_reader_next(reader, &record, &diag)) == 1) {
		ck_assert_uint_eq(record.time, (uint64_t)((unsigned __int128)ticks[i++] * 2 / 5));
		ck_assert_uint_le(record.packet->time_begin, record.time);
		ck_assert_uint_ge(record.packet->time_end, record.time);
	}
	ck_assert_int_eq(result, 0);
	ck_assert_uint_eq(i, nr);
	/* Seek to the packet that contains a time, or the next one. */
	for (i = 0; i < nr; i += 37) {
		const uint64_t ns = (uint64_t)((unsigned __int128)ticks[i] * 2 / 5);
		bool is_found = false;

		ck_assert_int_eq(ctf_reader_seek(reader, ns, &diag), 0);
		while (!is_found && ctf_reader_next(reader, &record, &diag) == 1)
			is_found = record.time == ns;
		ck_assert(is_found);
	}
	free(ticks);
}
END_TEST

/* ---- seeking ---- */

#define NR_SEEK_RECORDS (1u << 18)

/*
 * The identity of a record by time, event and stream. A seek also reads earlier records if they
 * make a later one known.
 */
struct seen {
	uint64_t time;
	uint32_t event, stream;
};
static struct seen whole[NR_SEEK_RECORDS], part[NR_SEEK_RECORDS];

static size_t read_seen(struct seen *seen)
{
	struct ctf_record record;
	size_t nr = 0;
	int result;

	while ((result = ctf_reader_next(reader, &record, &diag)) == 1) {
		ck_assert_uint_lt(nr, NR_SEEK_RECORDS);
		seen[nr++] = (struct seen){record.time, record.event->id,
					   find_made(ctf_stream_name(record.stream))};
	}
	ck_assert_int_eq(result, 0);
	return nr;
}

static uint64_t nr_entered(void)
{
	uint64_t nr = 0;

	for (unsigned int i = 0; i < ctf_reader_nr_streams(reader); i++)
		nr += ctf_stream_nr_entered(ctf_reader_stream(reader, i));
	return nr;
}

static bool is_of_event(const void *context, const struct ctf_record *record)
{
	return record->event->id == *(const uint32_t *)context;
}

/* Counts the records of a stream and event before time. */
static size_t count_known(const struct seen *seen, size_t nr, uint32_t stream, uint32_t event,
			  uint64_t time)
{
	size_t nr_known = 0;

	for (size_t i = 0; i < nr && seen[i].time < time; i++)
		nr_known += seen[i].stream == stream && seen[i].event == event;
	return nr_known;
}

static void check_part(size_t nr_whole, size_t nr_part, uint64_t time, uint32_t event)
{
	size_t nr = 0;

	/*
	 * The part ends as the whole does; before it are only the records that make others known.
	 */
	while (nr < nr_whole && whole[nr_whole - nr - 1].time >= time)
		nr++;
	ck_assert_uint_ge(nr_part, nr);
	ck_assert(nr_part == nr || part[nr_part - nr - 1].time < time);
	for (size_t i = 1; i <= nr; i++)
		ck_assert(part[nr_part - i].time == whole[nr_whole - i].time &&
			  part[nr_part - i].event == whole[nr_whole - i].event &&
			  part[nr_part - i].stream == whole[nr_whole - i].stream);
	for (uint32_t stream = 0; stream < MADE_NR_STREAMS; stream++)
		ck_assert_int_eq(count_known(part, nr_part, stream, event, time) > 0,
				 count_known(whole, nr_whole, stream, event, time) > 0);
}

static void check_seeks(void)
{
	const size_t nr_whole = read_seen(whole);

	ck_assert_uint_gt(nr_whole, 1000);
	for (size_t i = 0; i < nr_whole; i += nr_whole / 50) {
		/* A rare event, and one that does not exist. */
		const uint32_t event = i % 3 ? whole[(i * 7) % nr_whole].event : 12345678;
		const struct ctf_known known = {.by = is_of_event, .context = &event};
		const uint64_t time = whole[i].time + i % 2;

		ctf_reader_seek_known(reader, time, &known);
		check_part(nr_whole, read_seen(part), time, event);
	}
}

START_TEST(reading_from_where_a_reader_knows_is_as_reading_all)
{
	make_trace(&made, "trace", 17, 40);
	if (_i)
		ck_assert_int_eq(ctf_packed_make_all("trace", true, &diag), 0);
	open_trace();
	check_seeks();
}
END_TEST

static bool is_any(const void *context, const struct ctf_record *record)
{
	return !context && record;
}

START_TEST(the_last_moments_cost_a_few_packets_of_each_stream)
{
	const struct ctf_known known = {.by = is_any};
	uint64_t all, time;
	size_t nr;

	make_trace(&made, "trace", 17, 200);
	if (_i)
		ck_assert_int_eq(ctf_packed_make_all("trace", true, &diag), 0);
	open_trace();
	nr = read_seen(whole);
	all = nr_entered();
	time = whole[nr - 2].time;
	ck_assert_uint_gt(all, 500);
	ctf_reader_seek_known(reader, time, &known);
	check_part(nr, read_seen(part), time, whole[0].event);
	/* Each packet is examined and then read, and one more without a record. */
	ck_assert_uint_le(nr_entered() - all, (uint64_t)MADE_NR_STREAMS * 8);
}
END_TEST

START_TEST(a_stream_that_cannot_be_read_is_told_behind_a_seek_too)
{
	const struct ctf_known known = {.by = is_any};
	struct ctf_record record;
	unsigned int nr_errors = 0, nr_records = 0;
	int result;

	make_trace(&made, "trace", 17, 20);
	ck_assert_int_eq(symlink("channel_1", "trace/channel_9"), 0);
	open_trace();
	ctf_reader_seek_known(reader, 1, &known);
	while ((result = ctf_reader_next(reader, &record, &diag))) {
		nr_errors += result < 0;
		nr_records += result > 0;
	}
	ck_assert_uint_eq(nr_errors, 1);
	ck_assert_uint_gt(nr_records, 100);
}
END_TEST

/* ---- compressed zeros ---- */

#define NR_ZERO_FRAMES 20000u /* of 4 MiB each: 80 GB in a file of about 3 MB */

/* Makes trace/NAME.zst: the content of trace/NAME, followed by zeros. */
static void pack_with_zeros(const char *name)
{
	const size_t room = ZSTD_compressBound(CTF_PACKED_FRAME_BYTES_MAX);
	struct ctf_packed_entry entry = {.nr_raw_bytes = CTF_PACKED_FRAME_BYTES_MAX};
	char path[64], packed_path[64];
	uint8_t *raw = calloc(1, CTF_PACKED_FRAME_BYTES_MAX), *packed = malloc(room);
	struct ctf_packed_entry *entries = calloc(NR_ZERO_FRAMES, sizeof(entry));
	struct ctf_packed_begin begin = {CTF_PACKED_SKIPPED_MAGIC,
					 NR_ZERO_FRAMES * (uint32_t)sizeof(entry) +
						 (uint32_t)sizeof(struct ctf_packed_end)};
	const struct ctf_packed_end end = {NR_ZERO_FRAMES, 0, CTF_PACKED_INDEX_MAGIC};
	FILE *file;

	(void)snprintf(path, sizeof(path), "trace/%s", name);
	(void)snprintf(packed_path, sizeof(packed_path), "trace/%s.zst", name);
	ck_assert(raw && packed && entries);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fread(raw, 1, CTF_PACKED_FRAME_BYTES_MAX, file), 4096);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(unlink(path), 0);
	file = fopen(packed_path, "w");
	ck_assert_ptr_nonnull(file);
	for (unsigned int i = 0; i < NR_ZERO_FRAMES; i++) {
		if (i < 2)
			entry.nr_bytes = (uint32_t)ZSTD_compress(packed, room, raw,
								 CTF_PACKED_FRAME_BYTES_MAX, 1);
		memset(raw, 0, i ? 0 : CTF_PACKED_FRAME_BYTES_MAX);
		entries[i] = entry;
		ck_assert_uint_eq(fwrite(packed, 1, entry.nr_bytes, file), entry.nr_bytes);
	}
	ck_assert_uint_eq(fwrite(&begin, sizeof(begin), 1, file), 1);
	ck_assert_uint_eq(fwrite(entries, sizeof(entry), NR_ZERO_FRAMES, file), NR_ZERO_FRAMES);
	ck_assert_uint_eq(fwrite(&end, sizeof(end), 1, file), 1);
	ck_assert_int_eq(fclose(file), 0);
	free(raw);
	free(packed);
	free(entries);
}

/* Returns the number of records read; the unreadable rest must be reported once. */
static size_t read_to_zeros(uint64_t time)
{
	struct ctf_record record;
	unsigned int nr_errors = 0;
	size_t nr = 0;
	int result;

	while ((result = ctf_reader_next(reader, &record, &diag))) {
		nr += result > 0 && record.time >= time;
		if (result > 0)
			continue;
		ck_assert_int_eq(result, -EBADMSG);
		ck_assert_ptr_nonnull(strstr(diag_show(&diag), "trace/channel_1: packet "));
		ck_assert_ptr_nonnull(
			strstr(diag_show(&diag), ": the search for the next packet ended after "));
		nr_errors++;
	}
	ck_assert_uint_eq(nr_errors, 1);
	return nr;
}

START_TEST(zeros_that_are_compressed_cost_no_minutes_and_are_told)
{
	size_t nr, nr_late = 0;
	uint64_t late;

	make_trace(&made, "trace", 5, 20);
	open_trace();
	nr = read_seen(whole);
	ctf_reader_close(reader);
	late = whole[nr - 10].time;
	while (whole[nr - nr_late - 1].time >= late)
		nr_late++;
	pack_with_zeros("channel_1");
	open_trace();
	ck_assert_uint_eq(read_to_zeros(0), nr);
	/* Also seek by the headers of packets, and to a time after all of them. */
	ck_assert_int_eq(ctf_reader_seek(reader, late, &diag), 0);
	ck_assert_uint_eq(read_to_zeros(late), nr_late);
	ck_assert_int_eq(ctf_reader_seek(reader, whole[nr - 1].time + 1000000, &diag), 0);
	ck_assert_uint_eq(read_to_zeros(UINT64_MAX), 0);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("ctf_reader");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, every_record_is_read_as_it_was_written_in_order_of_time, 0, 8);
	tcase_add_test(tc, what_metadata_says_is_found_again);
	tcase_add_test(tc, a_folder_that_is_none_is_refused);
	tcase_add_test(tc, metadata_that_is_too_large_is_refused);
	tcase_add_test(tc, links_and_pipes_among_the_streams_are_told_and_the_rest_is_read);
	tcase_add_test(tc, long_records_of_many_streams_have_a_bound_together);
	tcase_add_test(tc, records_of_one_time_come_in_order_of_their_files);
	tcase_add_test(tc, times_are_ns_where_they_are_asked_for);
	tcase_add_loop_test(tc, reading_from_where_a_reader_knows_is_as_reading_all, 0, 2);
	tcase_add_loop_test(tc, the_last_moments_cost_a_few_packets_of_each_stream, 0, 2);
	tcase_add_test(tc, a_stream_that_cannot_be_read_is_told_behind_a_seek_too);
	tcase_add_test(tc, zeros_that_are_compressed_cost_no_minutes_and_are_told);
	return test_run(tc);
}
