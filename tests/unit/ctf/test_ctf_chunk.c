// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/chunk.h"
#include "ctf/packed.h"
#include "ctf/reader.h"
#include "ctf/writer.h"
#include "lib/file.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES	  512
#define NR_FILES  2
#define NR_CHUNKS 4
#define IN_CHUNK  5 /* packets of each file */
#define ALL	  (NR_FILES * NR_CHUNKS * IN_CHUNK)

static struct make_packet packet;
static struct ctf_writer *writer;
static struct diag diag;
static unsigned int files[NR_FILES];
static uint64_t seq[NR_FILES], now;

static void open_chunks(void)
{
	ck_assert_msg(!ctf_writer_open_chunks(&writer, "trace", &made_trace, &diag), "%s",
		      diag_show(&diag));
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_0", 0, &files[0], &diag), 0);
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_1", 0, &files[1], &diag), 0);
}

/* Appends a packet of three records to file i. */
static int append(unsigned int i)
{
	make_packet_begin(&packet, made_trace.uuid, i, seq[i], now, BYTES);
	for (unsigned int j = 0; j < 3; j++)
		ck_assert(make_packet_add(&packet, 0, now++, 1, "", 0));
	make_packet_end(&packet, now);
	seq[i]++;
	return ctf_writer_append(writer, files[i], packet.bytes, packet.nr_bytes, &diag);
}

static void fill_chunk(void)
{
	for (unsigned int i = 0; i < NR_FILES * IN_CHUNK; i++)
		ck_assert_msg(!append(i % NR_FILES), "%s", diag_show(&diag));
}

static void next_chunk(void)
{
	ck_assert_msg(!ctf_writer_next_chunk(writer, &diag), "%s", diag_show(&diag));
}

static void close_writer(void)
{
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	writer = NULL;
}

static void setup(void)
{
	test_folder_setup();
	memset(seq, 0, sizeof(seq));
	now = 1000;
	open_chunks();
	for (unsigned int i = 0; i < NR_CHUNKS; i++) {
		if (i)
			next_chunk();
		fill_chunk();
	}
}

static void teardown(void)
{
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	writer = NULL;
	test_folder_teardown();
}

struct found {
	uint64_t nr_packets, nr_records, lost_overwritten;
	unsigned int nr_streams;
};

static struct found read_on(struct ctf_reader *reader)
{
	struct ctf_record record;
	struct found found = {.nr_streams = ctf_reader_nr_streams(reader)};
	uint64_t time = 0;
	int result;

	while ((result = ctf_reader_next(reader, &record, &diag)) > 0) {
		ck_assert_uint_ge(record.time, time);
		time = record.time;
	}
	ck_assert_msg(!result, "%s", diag_show(&diag));
	for (unsigned int i = 0; i < found.nr_streams; i++) {
		const struct ctf_stream_counts counts =
			ctf_stream_counts(ctf_reader_stream(reader, i));

		ck_assert_uint_eq(counts.lost_damaged + counts.lost_cut + counts.nr_disordered, 0);
		found.nr_packets += counts.nr_packets;
		found.nr_records += counts.nr_records;
		found.lost_overwritten += counts.lost_overwritten;
	}
	ctf_reader_close(reader);
	return found;
}

static struct found read_folder(const char *folder)
{
	struct ctf_reader *reader;

	ck_assert_msg(!ctf_reader_open(&reader, folder, &diag), "%s", diag_show(&diag));
	return read_on(reader);
}

static void remove_chunk(unsigned int number)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "trace/%08u", number);
	ck_assert_int_eq(file_remove_tree(path), 0);
}

START_TEST(a_chunk_s_name_is_its_number)
{
	static const char *const none[] = {"",		"0",	     "00000000", "0000001",
					   "000000001", "0000000a",  "-0000001", "00000001.old",
					   "channel_0", "+00000001", " 0000001"};
	char name[CTF_CHUNK_NAME_BYTES];

	for (uint32_t number = 1; number <= CTF_CHUNK_NR_MAX; number = number * 7 + 1) {
		ctf_chunk_name(number, name);
		ck_assert_uint_eq(ctf_chunk_number(name), number);
	}
	ctf_chunk_name(42, name);
	ck_assert_str_eq(name, "00000042");
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ck_assert_uint_eq(ctf_chunk_number(none[i]), 0);
}
END_TEST

START_TEST(a_trace_in_chunks_reads_as_if_there_were_none)
{
	const struct found found = read_folder("trace");

	ck_assert_uint_eq(found.nr_streams, NR_FILES);
	ck_assert_uint_eq(found.nr_packets, ALL);
	ck_assert_uint_eq(found.nr_records, 3 * ALL);
	ck_assert_uint_eq(found.lost_overwritten, 0);
	ck_assert(ctf_chunk_is_trace("trace"));
	ck_assert(!ctf_chunk_is_trace("."));
	ck_assert(!ctf_chunk_is_trace("nothing"));
}
END_TEST

START_TEST(each_chunk_is_a_trace)
{
	uint64_t sum = 0;

	for (unsigned int i = 1; i <= NR_CHUNKS; i++) {
		char path[32];

		(void)snprintf(path, sizeof(path), "trace/%08u", i);
		sum += read_folder(path).nr_records;
		ck_assert(ctf_chunk_is_trace(path));
	}
	ck_assert_uint_eq(sum, 3 * ALL);
}
END_TEST

START_TEST(a_stream_that_a_chunk_lacks_goes_on_behind_it)
{
	next_chunk();
	ck_assert_int_eq(append(1), 0);
	ck_assert_int_ne(access("trace/00000005/channel_0", F_OK), 0);
	next_chunk();
	ck_assert_int_eq(append(0), 0);
	next_chunk(); /* empty: the recording ends */
	ck_assert_uint_eq(read_folder("trace/00000007").nr_streams, 0);
	ck_assert_uint_eq(read_folder("trace").nr_packets, ALL + 2);
}
END_TEST

START_TEST(packets_follow_on_those_of_the_chunk_before)
{
	next_chunk();
	seq[0] = 3;
	ck_assert_int_eq(append(0), -EBADMSG);
	seq[0] = IN_CHUNK * NR_CHUNKS;
	now = 1000;
	ck_assert_int_eq(append(0), -EBADMSG);
	ck_assert_uint_eq(ctf_writer_counts(writer).lost_refused_packets, 2);
}
END_TEST

START_TEST(chunks_that_were_removed_are_a_gap)
{
	remove_chunk(2);
	ck_assert_uint_eq(read_folder("trace").lost_overwritten, NR_FILES * IN_CHUNK);
	remove_chunk(1); /* the oldest: earlier packets are unknown */
	ck_assert_uint_eq(read_folder("trace").lost_overwritten, 0);
	ck_assert_uint_eq(read_folder("trace").nr_packets, ALL / 2);
}
END_TEST

START_TEST(a_chunk_that_goes_while_it_is_read_is_a_gap)
{
	struct ctf_record record;
	struct ctf_reader *reader;
	struct found found;

	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	ck_assert_int_eq(ctf_reader_next(reader, &record, &diag), 1);
	remove_chunk(1); /* already open */
	remove_chunk(3);
	found = read_on(reader);
	ck_assert_uint_eq(found.nr_packets, ALL - NR_FILES * IN_CHUNK);
	ck_assert_uint_eq(found.lost_overwritten, NR_FILES * IN_CHUNK);
}
END_TEST

START_TEST(a_chunk_that_is_compressed_while_it_is_read_is_read)
{
	struct ctf_record record;
	struct ctf_reader *reader;

	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	ck_assert_int_eq(ctf_reader_next(reader, &record, &diag), 1);
	ck_assert_int_eq(ctf_packed_make_all("trace/00000001", true, &diag), 0);
	ck_assert_int_eq(ctf_packed_make_all("trace/00000003", true, &diag), 0);
	ck_assert_int_eq(access("trace/00000003/channel_1.zst", F_OK), 0);
	ck_assert_int_ne(access("trace/00000003/channel_1", F_OK), 0);
	ck_assert_uint_eq(read_on(reader).nr_packets, ALL);
	ck_assert_uint_eq(read_folder("trace").nr_records, 3 * ALL);
	ck_assert_uint_eq(read_folder("trace/00000003").nr_records, 3 * ALL / NR_CHUNKS);
}
END_TEST

START_TEST(of_a_file_and_what_is_compressed_of_it_one_is_read)
{
	ck_assert_int_eq(link("trace/00000002/channel_0", "kept"), 0);
	ck_assert_int_eq(ctf_packed_make_all("trace/00000002", true, &diag), 0);
	ck_assert_int_eq(link("kept", "trace/00000002/channel_0"), 0);
	ck_assert_uint_eq(read_folder("trace").nr_records, 3 * ALL);
	ck_assert_uint_eq(read_folder("trace/00000002").nr_streams, NR_FILES);
}
END_TEST

START_TEST(without_room_for_a_chunk_packets_go_where_they_went)
{
	ck_assert_int_eq(file_replace("trace/00000005", "x", 1, 0600), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_lt(ctf_writer_next_chunk(writer, &diag), 0);
		ck_assert_ptr_nonnull(strstr(diag_show(&diag), "cannot begin a new chunk"));
		ck_assert_int_eq(append(0), 0);
	}
	ck_assert_uint_eq(ctf_writer_counts(writer).chunk, NR_CHUNKS);
	ck_assert_int_eq(unlink("trace/00000005"), 0);
	next_chunk();
	ck_assert_int_eq(append(0), 0);
	ck_assert_uint_eq(read_folder("trace").nr_packets, ALL + 4);
}
END_TEST

START_TEST(what_is_half_made_or_half_removed_is_no_chunk)
{
	ck_assert_int_eq(mkdir("trace/.00000009", 0700), 0);
	ck_assert_int_eq(rename("trace/00000001", "trace/.00000001.removed"), 0);
	ck_assert_uint_eq(read_folder("trace").nr_packets, ALL - NR_FILES * IN_CHUNK);
}
END_TEST

static void make_file(const char *path, const char *text)
{
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0600), 0);
}

START_TEST(a_damaged_newest_chunk_does_not_hide_the_others)
{
	struct ctf_reader *reader;
	uint32_t *numbers;
	unsigned int nr;
	char path[64];
	const int fd = open("trace", O_RDONLY | O_DIRECTORY);

	ck_assert_int_eq(ctf_chunk_list(fd, &numbers, &nr), 0);
	(void)close(fd);
	(void)snprintf(path, sizeof(path), "trace/%08u/metadata", numbers[nr - 1]);
	free(numbers);
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	ck_assert_uint_eq(ctf_reader_nr_bad_chunks(reader), 1);
	ck_assert_uint_eq(read_on(reader).nr_packets, ALL);
}
END_TEST

START_TEST(what_stands_beside_chunks_by_a_number_hides_none)
{
	struct ctf_reader *reader;

	make_file("trace/00000097", "a file");
	ck_assert_int_eq(symlink("00000001", "trace/00000098"), 0);
	ck_assert_int_eq(mkdir("trace/00000099", 0700), 0);
	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	ck_assert_uint_eq(ctf_reader_nr_bad_chunks(reader), 1);
	ck_assert_uint_eq(read_on(reader).nr_packets, ALL);
}
END_TEST

START_TEST(where_no_chunk_can_be_read_the_newest_says_why)
{
	struct ctf_reader *reader;

	ck_assert_int_eq(mkdir("bad", 0700), 0);
	ck_assert_int_eq(mkdir("bad/00000001", 0700), 0);
	ck_assert_int_eq(mkdir("bad/00000002", 0700), 0);
	make_file("bad/00000001/metadata", "");
	make_file("bad/00000002/metadata", "/* CTF 1.8 */\nnonsense");
	ck_assert_int_lt(ctf_reader_open(&reader, "bad", &diag), 0);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "bad/00000002/metadata"));
}
END_TEST

/* This is checked before a folder is moved or removed. */
START_TEST(a_folder_of_something_else_is_no_trace)
{
	ck_assert_int_eq(mkdir("other", 0700), 0);
	make_file("other/metadata", "of something else");
	ck_assert(!ctf_chunk_is_trace("other"));
	make_file("other/20261123", "a file");
	ck_assert(!ctf_chunk_is_trace("other"));
	ck_assert_int_eq(mkdir("other/20261124", 0700), 0);
	ck_assert(!ctf_chunk_is_trace("other"));
	make_file("other/20261124/metadata", "/* CTF 2 */");
	ck_assert(!ctf_chunk_is_trace("other"));
	make_file("other/20261124/metadata", "/* CTF 1.8 */");
	ck_assert(ctf_chunk_is_trace("other"));
}
END_TEST

START_TEST(a_trace_in_chunks_is_busy_while_it_is_written)
{
	struct ctf_writer *other;

	ck_assert_int_eq(ctf_writer_open(&other, "trace", &made_trace, &diag), -EBUSY);
	close_writer();
	ck_assert_int_eq(ctf_writer_open_chunks(&other, "trace", &made_trace, &diag), -ENOTEMPTY);
}
END_TEST

START_TEST(a_packet_that_is_cut_costs_nothing_behind_it)
{
	struct ctf_reader *reader;
	struct ctf_record record;
	uint64_t nr = 0;
	int result, nr_errors = 0;

	ck_assert_int_eq(truncate("trace/00000002/channel_0", (off_t)IN_CHUNK * BYTES - 100), 0);
	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	while ((result = ctf_reader_next(reader, &record, &diag))) {
		nr += result > 0;
		if (result < 0)
			ck_assert_msg(strstr(diag_show(&diag), "trace/00000002/channel_0") &&
					      !nr_errors++,
				      "%s", diag_show(&diag));
	}
	ck_assert_uint_eq(nr, 3 * (ALL - 1));
	ck_assert_uint_eq(ctf_stream_counts(ctf_reader_stream(reader, 0)).lost_cut, 1);
	ctf_reader_close(reader);
}
END_TEST

/*
 * Expects the packets that end at that time or later: chunks have IN_CHUNK * NR_FILES packets of 3
 * ticks each.
 */
START_TEST(a_time_is_found_in_any_chunk)
{
	struct ctf_reader *reader;
	struct ctf_record record;

	ck_assert_int_eq(ctf_packed_make_all("trace/00000002", true, &diag), 0);
	if (_i)
		remove_chunk(3);
	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	srand48(_i);
	for (unsigned int i = 0; i < 300; i++) {
		const uint64_t time = 990 + (uint64_t)lrand48() % (3 * ALL + 20);
		uint64_t nr = 0, nr_expected = 0;

		ck_assert_int_eq(ctf_reader_seek(reader, time, &diag), 0);
		while (ctf_reader_next(reader, &record, &diag) == 1)
			nr++;
		for (uint64_t j = 0; j < ALL; j++) {
			const bool is_gone = _i && j / (NR_FILES * IN_CHUNK) == 2;

			nr_expected += !is_gone && 1003 + 3 * j >= time ? 3 : 0;
		}
		ck_assert_uint_eq(nr, nr_expected);
	}
	ctf_reader_close(reader);
}
END_TEST

/* Returns the errors of all that is read from here on. */
static unsigned int count_errors(struct ctf_reader *reader)
{
	struct ctf_record record;
	unsigned int nr_errors = 0;
	int result;

	while ((result = ctf_reader_next(reader, &record, &diag)))
		nr_errors += result < 0;
	return nr_errors;
}

static void make_unreadable(unsigned int chunk, bool is_link)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "trace/%08u/channel_0", chunk);
	if (is_link) {
		ck_assert_int_eq(unlink(path), 0);
		ck_assert_int_eq(symlink("nowhere", path), 0);
	} else {
		make_file(path, "no packet");
	}
}

/* The file of one stream in chunk _i, or in all chunks, cannot be read. */
START_TEST(a_seek_reports_each_chunk_that_cannot_be_read)
{
	const unsigned int first = _i ? (unsigned int)_i : 1, last = _i ? first : NR_CHUNKS;
	const uint64_t end = now - UINT64_C(3) * NR_FILES * IN_CHUNK * (NR_CHUNKS - last);
	struct ctf_reader *reader;

	for (unsigned int i = first; i <= last; i++)
		make_unreadable(i, i % 2 == 1);
	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	ck_assert_uint_eq(count_errors(reader), last - first + 1);
	for (uint64_t time = 990; time < end; time++) {
		ck_assert_int_eq(ctf_reader_seek(reader, time, &diag), 0);
		ck_assert_uint_eq(count_errors(reader), last - first + 1);
	}
	if (last < NR_CHUNKS) {
		ck_assert_int_eq(ctf_reader_seek(reader, end, &diag), 0);
		ck_assert_uint_eq(count_errors(reader), 0);
	}
	ctf_reader_close(reader);
}
END_TEST

/* The damaged frame is neither the first nor the last one of its file, which opening reads. */
START_TEST(a_seek_names_the_file_whose_compressed_data_are_damaged)
{
	static const char path[] = "trace/00000004/channel_0.zst";
	const uint64_t begin = now;
	char expected[160];
	struct ctf_reader *reader;
	struct stat stat_of;
	FILE *file;

	while (now - begin < UINT64_C(3) * 4 * CTF_PACKED_FRAME_BYTES / BYTES)
		ck_assert_msg(!append(0), "%s", diag_show(&diag));
	close_writer();
	ck_assert_int_eq(ctf_packed_make_all("trace/00000004", true, &diag), 0);
	ck_assert_int_eq(stat(path, &stat_of), 0);
	file = fopen(path, "r+");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, stat_of.st_size / 2, SEEK_SET), 0);
	ck_assert_uint_eq(fwrite("spoiled", 7, 1, file), 1);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	diag_clear(&diag);
	ck_assert_int_eq(ctf_reader_seek(reader, (begin + now) / 2, &diag), -EBADMSG);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "trace/00000004/channel_0: "));
	(void)snprintf(expected, sizeof(expected),
		       "cannot find the packet that contains time %" PRIu64
		       ": the file's compressed data are damaged",
		       (begin + now) / 2);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), expected));
	ctf_reader_close(reader);
}
END_TEST

/* Reads the packets backwards in time ranges: each packet once, and as many at a time as allowed.
 */
START_TEST(chunks_are_read_backwards)
{
	const unsigned int nr_packets = _i ? ALL - NR_FILES * IN_CHUNK : ALL;
	uint64_t before = UINT64_MAX, begin, nr = 0;
	struct ctf_reader *reader;
	struct ctf_record record;
	unsigned int nr_stretches = 0;

	ck_assert_int_eq(ctf_packed_make_all("trace/00000002", true, &diag), 0);
	if (_i)
		remove_chunk(3);
	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	do {
		ck_assert_int_eq(ctf_reader_stretch(reader, before, 3 * BYTES, &begin), 0);
		ck_assert_uint_lt(begin, before);
		ck_assert_int_eq(ctf_reader_seek(reader, begin, &diag), 0);
		while (ctf_reader_next(reader, &record, &diag) == 1 && record.time < before)
			nr += record.time >= begin;
		before = begin;
		nr_stretches++;
	} while (begin);
	ck_assert_uint_eq(nr, 3 * nr_packets);
	ck_assert_uint_ge(nr_stretches, 9);
	ck_assert_uint_le(nr_stretches, (nr_packets + 2) / 3);
	ctf_reader_close(reader);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("ctf_chunk");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_chunk_s_name_is_its_number);
	tcase_add_test(tc, a_trace_in_chunks_reads_as_if_there_were_none);
	tcase_add_test(tc, each_chunk_is_a_trace);
	tcase_add_test(tc, a_stream_that_a_chunk_lacks_goes_on_behind_it);
	tcase_add_test(tc, packets_follow_on_those_of_the_chunk_before);
	tcase_add_test(tc, chunks_that_were_removed_are_a_gap);
	tcase_add_test(tc, a_chunk_that_goes_while_it_is_read_is_a_gap);
	tcase_add_test(tc, a_chunk_that_is_compressed_while_it_is_read_is_read);
	tcase_add_test(tc, of_a_file_and_what_is_compressed_of_it_one_is_read);
	tcase_add_test(tc, without_room_for_a_chunk_packets_go_where_they_went);
	tcase_add_test(tc, what_is_half_made_or_half_removed_is_no_chunk);
	tcase_add_test(tc, a_damaged_newest_chunk_does_not_hide_the_others);
	tcase_add_test(tc, what_stands_beside_chunks_by_a_number_hides_none);
	tcase_add_test(tc, where_no_chunk_can_be_read_the_newest_says_why);
	tcase_add_test(tc, a_folder_of_something_else_is_no_trace);
	tcase_add_test(tc, a_trace_in_chunks_is_busy_while_it_is_written);
	tcase_add_test(tc, a_packet_that_is_cut_costs_nothing_behind_it);
	tcase_add_loop_test(tc, a_time_is_found_in_any_chunk, 0, 2);
	tcase_add_loop_test(tc, a_seek_reports_each_chunk_that_cannot_be_read, 0, NR_CHUNKS + 1);
	tcase_add_test(tc, a_seek_names_the_file_whose_compressed_data_are_damaged);
	tcase_add_loop_test(tc, chunks_are_read_backwards, 0, 2);
	return test_run(tc);
}
