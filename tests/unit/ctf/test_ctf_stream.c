// SPDX-License-Identifier: GPL-2.0-or-later
/* Damaged and odd streams: stream.c, record.c, window.c. */
#include "ctf/packets.h"
#include "ctf/stream.h"
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

#define BYTES 256

static struct ctf_metadata metadata;
static struct make_packet packet;
static struct ctf_stream *stream;
static struct diag diag;
static struct ctf_place place;
static int out_fd;
static uint64_t now, seq;

static void setup(void)
{
	char *text;
	size_t nr_bytes;

	test_folder_setup();
	ck_assert_int_eq(ctf_metadata_format(&made_trace, &text, &nr_bytes, &diag), 0);
	ck_assert_int_eq(ctf_metadata_parse(&metadata, "m", text, nr_bytes, &diag), 0);
	free(text);
	place = (struct ctf_place){.folder_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
				   .folder = "."};
	out_fd = open("s", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(place.folder_fd, 0);
	ck_assert_int_ge(out_fd, 0);
	now = 1000;
	seq = 0;
	ck_assert_int_eq(ctf_stream_create(&stream, &metadata, &place, "s", NULL), 0);
}

static void teardown(void)
{
	ctf_stream_destroy(stream);
	ctf_metadata_deinit(&metadata);
	close(place.folder_fd);
	close(out_fd);
	test_folder_teardown();
}

/* ---- streams ---- */

static void begin(void)
{
	make_packet_begin(&packet, made_trace.uuid, 0, seq++, now, BYTES);
}

static void end(void)
{
	now += 1000;
	make_packet_end(&packet, now);
}

static void put(void)
{
	ck_assert_int_eq(write(out_fd, packet.bytes, packet.nr_bytes), (ssize_t)packet.nr_bytes);
}

static bool add(uint32_t id, uint64_t after, unsigned int alignment, const char *payload,
		size_t nr_bytes)
{
	return make_packet_add(&packet, id, now + after, alignment, payload, nr_bytes);
}

/* Writes a packet of two records without fields. */
static void put_sound(void)
{
	begin();
	ck_assert(add(0, 1, 1, "", 0) && add(0, 2, 1, "", 0));
	end();
	put();
}

/* ---- results ---- */

struct seen {
	unsigned int nr_records, nr_errors;
	int error;	/* the first error */
	char text[512]; /* its text */
};

static struct seen read_all(void)
{
	struct seen seen = {0};
	struct ctf_record record;
	uint64_t time = 0;
	int result;

	while ((result = ctf_stream_next(stream, &record, &diag))) {
		if (result < 0 && !seen.nr_errors++) {
			seen.error = result;
			(void)snprintf(seen.text, sizeof(seen.text), "%s", diag_show(&diag));
		}
		if (result < 0)
			continue;
		ck_assert_uint_ge(record.time, time);
		time = record.time;
		seen.nr_records++;
	}
	ck_assert_int_eq(ctf_stream_next(stream, &record, &diag), 0);
	return seen;
}

/* Expects one error with that text and nr_records records. */
static struct ctf_stream_counts told(const char *text, unsigned int nr_records)
{
	const struct seen seen = read_all();

	ck_assert_msg(seen.nr_errors == 1, "%u errors, the first: %s", seen.nr_errors, seen.text);
	ck_assert_int_eq(seen.error, -EBADMSG);
	ck_assert_msg(strstr(seen.text, text), "%s", seen.text);
	ck_assert_uint_eq(seen.nr_records, nr_records);
	return ctf_stream_counts(stream);
}

START_TEST(an_empty_file_is_a_stream_of_nothing)
{
	ck_assert_uint_eq(read_all().nr_errors, 0);
	ck_assert_uint_eq(ctf_stream_counts(stream).nr_packets, 0);
}
END_TEST

START_TEST(a_file_that_is_away_is_told)
{
	ck_assert_int_eq(unlink("s"), 0);
	ck_assert_int_eq(read_all().error, -ENOENT);
}
END_TEST

START_TEST(a_damaged_header_costs_its_packet_and_is_no_gap)
{
	struct ctf_stream_counts counts;

	put_sound();
	begin();
	end();
	packet.bytes[2] ^= 1;
	put();
	put_sound();
	counts = told("packet 1, from byte 256: no packet begins here", 4);
	ck_assert_uint_eq(counts.lost_damaged, 1);
	ck_assert_uint_eq(counts.lost_overwritten, 0);
	ck_assert_uint_eq(counts.nr_packets, 2);
}
END_TEST

START_TEST(a_first_packet_that_is_damaged_does_not_hide_the_others)
{
	begin();
	end();
	packet.bytes[48] ^= 1; /* packet_bits */
	put();
	put_sound();
	put_sound();
	ck_assert_uint_eq(told("packet 0, from byte 0: packet_size", 4).lost_damaged, 1);
}
END_TEST

START_TEST(bytes_missing_in_the_middle_cost_what_they_touch)
{
	put_sound();
	begin();
	end();
	ck_assert_int_eq(write(out_fd, packet.bytes, 128), 128); /* its second half is missing */
	put_sound();
	put_sound();
	/*
	 * The content of the half packet is complete, but the bytes that are missing after it
	 * damage the next packet.
	 */
	ck_assert_uint_eq(told("packet 2, from byte 512", 4).lost_damaged, 1);
}
END_TEST

START_TEST(a_file_that_ends_within_a_packet_is_read_up_to_it)
{
	put_sound();
	put_sound();
	for (int left = BYTES - 1; left; left -= left > 130 || left < 110 ? 9 : 1) {
		struct ctf_stream_counts counts;

		if (left < 0)
			break;
		ck_assert_int_eq(ftruncate(out_fd, BYTES + left), 0);
		ctf_stream_destroy(stream);
		ck_assert_int_eq(ctf_stream_create(&stream, &metadata, &place, "s", NULL), 0);
		counts = told("packet 1, from byte 256: the file ends within the packet", 2);
		ck_assert_uint_eq(counts.lost_cut, 1);
		ck_assert_uint_eq(counts.lost_damaged, 0);
	}
}
END_TEST

static void open_file(struct ctf_file *file, const char *name)
{
	const char *fault;

	ck_assert_int_eq(ctf_file_open(file, place.folder_fd, name, NULL, &fault), 0);
}

/* Expects nr packets, which are numbered before any is requested; the last one has last_bytes. */
static void check_packets(struct ctf_packets *packets, uint64_t nr, uint64_t last_bytes)
{
	struct ctf_packet_place last;

	ck_assert_uint_eq(ctf_packets_nr(packets), nr);
	ck_assert(!ctf_packets_is_partial(packets));
	ck_assert_int_eq(ctf_packets_get(packets, nr, &last), -ENOENT);
	ck_assert_int_eq(ctf_packets_get(packets, nr - 1, &last), 0);
	ck_assert_uint_eq(last.nr_bytes, last_bytes);
}

/*
 * Packet sizes are computed from the first and the last packet, unless the last one is damaged or
 * differs.
 */
START_TEST(a_last_packet_that_is_damaged_or_of_another_size_has_all_looked_at)
{
	struct ctf_packets *sound, *damaged, *other;
	struct ctf_file file, file_damaged, file_other;
	uint8_t bytes[4 * BYTES];
	int result;

	for (int i = 0; i < 4; i++)
		put_sound();
	ck_assert_int_eq(pread(out_fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	memset(bytes + (size_t)3 * BYTES, 0, BYTES);
	ck_assert_int_eq(file_replace("damaged", bytes, sizeof(bytes), 0600), 0);
	make_packet_begin(&packet, made_trace.uuid, 0, seq, now, (size_t)2 * BYTES);
	end();
	memcpy(bytes + (size_t)3 * BYTES, bytes, BYTES);
	memcpy(bytes, packet.bytes, (size_t)2 * BYTES);
	ck_assert_int_eq(file_replace("other", bytes, sizeof(bytes), 0600), 0);
	open_file(&file, "s");
	open_file(&file_damaged, "damaged");
	open_file(&file_other, "other");
	/* No call in between: a stale value of the previous call may still be on the stack. */
	result = ctf_packets_open(&sound, &metadata, &file);
	result |= ctf_packets_open(&damaged, &metadata, &file_damaged);
	result |= ctf_packets_open(&other, &metadata, &file_other);
	ck_assert_int_eq(result, 0);
	check_packets(sound, 4, BYTES);
	check_packets(damaged, 3, BYTES);
	check_packets(other, 3, BYTES);
	ctf_packets_close(sound);
	ctf_packets_close(damaged);
	ctf_packets_close(other);
	ctf_file_close(&file);
	ctf_file_close(&file_damaged);
	ctf_file_close(&file_other);
	ck_assert_int_eq(file.fd, -1); /* no file is open */
}
END_TEST

START_TEST(a_record_that_is_not_described_costs_the_rest_of_its_packet)
{
	begin();
	ck_assert(add(0, 1, 1, "", 0) && add(5, 2, 1, "", 0) && add(0, 3, 1, "", 0));
	end();
	put();
	put_sound();
	ck_assert_uint_eq(told("packet 0, from byte 0: a record belongs to an event that is not "
			       "described (at byte 124)",
			       3)
				  .lost_damaged,
			  1);
}
END_TEST

START_TEST(a_stream_that_is_not_described_is_told)
{
	begin();
	packet.header.stream_id = 1;
	end();
	put();
	put_sound();
	told("to a stream that the metadata does not describe", 2);
}
END_TEST

START_TEST(a_packet_of_another_stream_is_told)
{
	put_sound();
	begin();
	packet.header.stream_id = 7;
	end();
	put();
	put_sound();
	told("to a different stream than the previous packet", 4);
}
END_TEST

START_TEST(a_record_beyond_the_content_is_not_read)
{
	begin();
	ck_assert(add(0, 1, 1, "", 0) && add(28, 2, 8, "12345678", 8));
	end();
	packet.header.content_bits -= 8;
	make_packet_set_header(&packet);
	put();
	put_sound();
	told("extends beyond the packet's content", 3);
}
END_TEST

START_TEST(an_extended_header_beyond_the_content_is_not_read)
{
	begin();
	ck_assert(add(0, 1, 1, "", 0) && add(0xffffffff, 2, 1, "", 0));
	end();
	packet.header.content_bits -= 64; /* without the record that has its time */
	make_packet_set_header(&packet);
	put();
	put_sound();
	ck_assert_uint_eq(told("extends beyond the packet's content", 3).nr_packets, 2);
}
END_TEST

START_TEST(content_behind_the_last_record_is_none)
{
	begin();
	ck_assert(add(32, 1, 1, "1", 1));
	end();
	packet.header.content_bits += 3 * 8; /* up to a multiple of 4 */
	make_packet_set_header(&packet);
	put();
	put_sound();
	told("extends beyond the packet's content", 3);
}
END_TEST

START_TEST(a_sequence_beyond_the_content_is_not_read)
{
	static const char arrays[] = "aaaabbbbcccc\xff" /* 255 bytes */;

	begin();
	ck_assert(add(4, 1, 2, arrays, sizeof(arrays) - 1));
	end();
	put();
	put_sound();
	told("extends beyond the packet's content", 2);
}
END_TEST

START_TEST(a_string_without_end_is_not_read)
{
	begin();
	ck_assert(add(3, 1, 1, "abc", 3));
	end();
	put();
	begin();
	ck_assert(add(30, 1, 1, "abc", 3)); /* as padding */
	end();
	packet.header.nr_records = 0;
	make_packet_set_header(&packet);
	put();
	put_sound();
	ck_assert_uint_eq(read_all().nr_errors, 2);
	ck_assert_uint_eq(ctf_stream_counts(stream).lost_damaged, 2);
	ck_assert_uint_eq(ctf_stream_counts(stream).nr_records, 2);
}
END_TEST

START_TEST(stamps_that_go_back_cost_the_rest_of_their_packet)
{
	begin();
	ck_assert(add(0, 5, 1, "", 0) && add(32, 0, 1, "x", 1)); /* extended, with the whole time */
	end();
	put();
	put_sound();
	told("older than the previous record", 3);
}
END_TEST

START_TEST(stamps_behind_the_packets_end_cost_the_rest_of_it)
{
	begin();
	ck_assert(add(0, 5, 1, "", 0) && add(0, 1001, 1, "", 0));
	end();
	put();
	put_sound();
	told("newer than the end", 3);
}
END_TEST

START_TEST(a_wrong_number_of_records_is_told)
{
	put_sound();
	begin();
	ck_assert(add(0, 1, 1, "", 0));
	end();
	packet.header.nr_records = 2;
	make_packet_set_header(&packet);
	put();
	put_sound();
	told("number of records differs", 5);
}
END_TEST

START_TEST(an_unknown_number_of_records_is_none)
{
	begin();
	ck_assert(add(0, 1, 1, "", 0));
	packet.header.nr_records = OPROF_PACKET_NR_UNKNOWN;
	end();
	put();
	ck_assert_uint_eq(read_all().nr_errors, 0);
}
END_TEST

/* A wrong end is noticed at the next packet, which is sound and must be read. */
START_TEST(packets_that_overlap_are_told_and_read)
{
	put_sound();
	now -= 500;
	put_sound();
	ck_assert_uint_eq(
		told("packet 1, from byte 256: it begins before the previous packet ends", 4)
			.nr_disordered,
		1);
}
END_TEST

START_TEST(a_packet_before_the_last_record_is_skipped)
{
	put_sound();
	now = 10;
	put_sound();
	now = 100000;
	put_sound();
	ck_assert_uint_eq(told("before the last record", 4).lost_damaged, 1);
}
END_TEST

START_TEST(losses_that_shrink_are_told)
{
	begin();
	packet.header.lost_by[2] = 7;
	end();
	put();
	put_sound();
	told("number of lost records is less", 2);
}
END_TEST

START_TEST(gaps_in_seq_are_overwritten_packets)
{
	seq = 100;
	put_sound();
	seq += 3;
	put_sound();
	put_sound();
	seq++;
	put_sound();
	ck_assert_uint_eq(read_all().nr_errors, 0);
	ck_assert_uint_eq(ctf_stream_counts(stream).lost_overwritten, 4);
	ck_assert_uint_eq(ctf_stream_counts(stream).seq_first, 100);
	ck_assert_uint_eq(ctf_stream_counts(stream).seq_last, 107);
}
END_TEST

START_TEST(seq_that_goes_back_is_told)
{
	seq = 5;
	put_sound();
	seq = 5;
	put_sound();
	ck_assert_uint_eq(told("packet_seq_num does not grow", 4).lost_overwritten, 0);
}
END_TEST

START_TEST(zeros_and_noise_are_one_fault_and_end)
{
	static char noise[100000];

	put_sound();
	if (_i)
		memset(noise, 0xc1, sizeof(noise));
	ck_assert_int_eq(write(out_fd, noise, sizeof(noise)), sizeof(noise));
	ck_assert_uint_eq(told("no packet begins here", 2).lost_damaged, 1);
}
END_TEST

/* The header claims a terabyte that the file does not have. */
START_TEST(a_packet_larger_than_its_file_costs_no_memory)
{
	begin();
	end();
	packet.header.packet_bits = (uint64_t)1 << 43;
	packet.header.content_bits = packet.header.packet_bits;
	make_packet_set_header(&packet);
	put();
	put_sound();
	told("the file ends within the packet", 2);
}
END_TEST

START_TEST(a_hole_of_a_terabyte_is_no_record)
{
	begin();
	ck_assert(add(3, 1, 1, "abc", 3)); /* a string that continues into the hole of zeros */
	end();
	packet.header.packet_bits = (uint64_t)1 << 43;
	make_packet_set_header(&packet);
	put();
	ck_assert_int_eq(ftruncate(out_fd, (off_t)1 << 40), 0);
	told("extends beyond", 0);
}
END_TEST

START_TEST(a_packet_behind_a_hole_of_a_terabyte_is_found)
{
	put_sound();
	ck_assert_int_ge(lseek(out_fd, (off_t)1 << 40, SEEK_SET), 0);
	put_sound();
	told("packet 1, from byte 256: no packet", 4);
}
END_TEST

START_TEST(a_hole_of_a_terabyte_at_the_end_is_not_searched)
{
	put_sound();
	ck_assert_int_eq(ftruncate(out_fd, (off_t)1 << 40), 0);
	told("packet 1, from byte 256: no packet", 2);
}
END_TEST

/*
 * A record of a damaged packet may itself contain a packet, for example bytes of another trace
 * file.
 */
START_TEST(a_packet_within_a_damaged_packet_is_none)
{
	static uint8_t large[4 * BYTES];

	begin();
	ck_assert(add(0, 1, 1, "", 0));
	end();
	packet.header.packet_bits = sizeof(large) * 8;
	make_packet_set_header(&packet);
	memcpy(large, packet.bytes, BYTES);
	ck_assert_int_eq(write(out_fd, large, sizeof(large)), sizeof(large));
	memcpy(large + 2 * BYTES, packet.bytes, BYTES);
	large[0] ^= 1;
	ck_assert_int_eq(write(out_fd, large, sizeof(large)), sizeof(large));
	large[0] ^= 1;
	memset(large + 2 * BYTES, 0, BYTES);
	begin();
	end();
	packet.header.packet_bits = sizeof(large) * 8;
	packet.header.seq++;
	make_packet_set_header(&packet);
	memcpy(large, packet.bytes, BYTES);
	ck_assert_int_eq(write(out_fd, large, sizeof(large)), sizeof(large));
	ck_assert_uint_eq(told("packet 1, from byte 1024: no packet", 1).nr_packets, 2);
}
END_TEST

/* Returns the bytes that this process has read from files; 0: unknown on this system. */
static uint64_t nr_bytes_read(void)
{
	FILE *from = fopen("/proc/self/io", "r");
	uint64_t nr = 0;

	if (from && fscanf(from, "rchar: %" SCNu64, &nr) != 1)
		nr = 0;
	if (from)
		(void)fclose(from);
	return nr;
}

/* False headers follow a packet that claims that the next one is far away. */
START_TEST(a_file_of_false_headers_is_not_read_over_and_over)
{
	const unsigned int nr = 4096, nr_each = 128, far = 1 << 20;
	const uint64_t before = nr_bytes_read();
	struct seen seen;

	begin();
	end();
	packet.header.packet_bits = far * 8;
	make_packet_set_header(&packet);
	put();
	ck_assert_int_eq(lseek(out_fd, far, SEEK_SET), far);
	packet.header.time_end = packet.header.time_begin - 1;
	make_packet_set_header(&packet);
	for (unsigned int i = 0; i < nr; i++)
		ck_assert_int_eq(write(out_fd, packet.bytes, nr_each), nr_each);
	ck_assert_int_eq(ftruncate(out_fd, 4 * far), 0); /* a hole instead of the next packet */
	seen = read_all();
	ck_assert_msg(strstr(seen.text, "it ends before it begins"), "%s", seen.text);
	ck_assert_uint_eq(seen.nr_errors, nr);
	ck_assert_uint_le(nr_bytes_read() - before, 16 * nr_each * nr);
}
END_TEST

/* Records and padding cross the end of the window and are longer than it. */
START_TEST(long_strings_are_read_whole)
{
	const size_t nr_bytes = 1 << 20, nr_first = 200000, nr_padding = 300000;
	uint8_t *bytes = calloc(1, nr_bytes);
	struct oprof_packet_header header = {
		.magic = 0xc1fc1fc1, .time_end = 10, .packet_bits = nr_bytes * 8, .nr_records = 2};
	size_t at = 120;
	struct ctf_record record;

	memcpy(header.uuid, made_trace.uuid, 16);
	bytes[at] = 3; /* id and time 0 */
	memset(bytes + at + 4, 'x', nr_first);
	at += 4 + nr_first + 1 + 4; /* its number */
	memcpy(bytes + at, "second", 7);
	at = (at + 7 + 3) & ~(size_t)3;
	bytes[at] = 30;
	memset(bytes + at + 4, 'p', nr_padding);
	at = (at + 4 + nr_padding + 1 + 3) & ~(size_t)3;
	bytes[at] = 0;
	header.content_bits = (at + 4) * 8;
	memcpy(bytes, &header, sizeof(header));
	ck_assert_int_eq(write(out_fd, bytes, nr_bytes), (ssize_t)nr_bytes);
	ck_assert_int_eq(ctf_stream_next(stream, &record, &diag), 1);
	ck_assert_uint_eq(record.values[0].nr, nr_first);
	ck_assert_mem_eq(record.values[0].bytes, bytes + 124, nr_first + 1);
	ck_assert_str_eq((const char *)record.values[2].bytes, "second");
	for (unsigned int i = 0; i <= 2; i += 2) /* only integers have a number */
		ck_assert_uint_eq(record.values[i].number, 0);
	ck_assert_int_eq(ctf_stream_next(stream, &record, &diag), 1);
	ck_assert_int_eq(ctf_stream_next(stream, &record, &diag), 0);
	ck_assert_uint_eq(ctf_stream_counts(stream).nr_padding, 1);
	free(bytes);
}
END_TEST

/* A cancelled slot may be as long as a sub-buffer; a record of that length is refused. */
START_TEST(padding_longer_than_any_record_is_gone_over)
{
	const size_t nr_bytes = 1 << 25, nr_string = nr_bytes - 120 - 4 - 1;
	uint8_t *bytes = calloc(1, nr_bytes);
	struct oprof_packet_header header = {.magic = 0xc1fc1fc1,
					     .time_end = 10,
					     .content_bits = nr_bytes * 8,
					     .packet_bits = nr_bytes * 8};
	uint32_t word;

	memcpy(header.uuid, made_trace.uuid, 16);
	for (header.seq = 0; header.seq < 2; header.seq++) {
		memcpy(bytes, &header, sizeof(header));
		word = header.seq ? 3 | 10 << 5 : 30;
		memcpy(bytes + 120, &word, sizeof(word));
		memset(bytes + 124, 'x', nr_string);
		ck_assert_int_eq(write(out_fd, bytes, nr_bytes), (ssize_t)nr_bytes);
		header.time_begin = header.time_end;
	}
	told("packet 1, from byte 33554432: a record is longer than the maximum", 0);
	ck_assert_uint_eq(ctf_stream_counts(stream).nr_padding, 1);
	free(bytes);
}
END_TEST

START_TEST(a_file_that_is_cut_while_it_is_read_is_told)
{
	struct ctf_record record;
	unsigned int nr = 0, nr_errors = 0;
	int result;

	for (int i = 0; i < 2000; i++)
		put_sound();
	ck_assert_int_eq(ctf_stream_next(stream, &record, &diag), 1);
	ck_assert_int_eq(ftruncate(out_fd, 1000), 0);
	while ((result = ctf_stream_next(stream, &record, &diag))) {
		nr += result > 0;
		nr_errors += result < 0;
		if (result < 0)
			ck_assert_msg(strstr(diag.text, "became shorter"), "%s", diag.text);
	}
	ck_assert_uint_lt(nr, 2000);
	ck_assert_uint_eq(nr_errors, 1);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("ctf_stream");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_empty_file_is_a_stream_of_nothing);
	tcase_add_test(tc, a_file_that_is_away_is_told);
	tcase_add_test(tc, a_damaged_header_costs_its_packet_and_is_no_gap);
	tcase_add_test(tc, a_first_packet_that_is_damaged_does_not_hide_the_others);
	tcase_add_test(tc, bytes_missing_in_the_middle_cost_what_they_touch);
	tcase_add_test(tc, a_file_that_ends_within_a_packet_is_read_up_to_it);
	tcase_add_test(tc, a_last_packet_that_is_damaged_or_of_another_size_has_all_looked_at);
	tcase_add_test(tc, a_record_that_is_not_described_costs_the_rest_of_its_packet);
	tcase_add_test(tc, a_stream_that_is_not_described_is_told);
	tcase_add_test(tc, a_packet_of_another_stream_is_told);
	tcase_add_test(tc, a_record_beyond_the_content_is_not_read);
	tcase_add_test(tc, an_extended_header_beyond_the_content_is_not_read);
	tcase_add_test(tc, content_behind_the_last_record_is_none);
	tcase_add_test(tc, a_sequence_beyond_the_content_is_not_read);
	tcase_add_test(tc, a_string_without_end_is_not_read);
	tcase_add_test(tc, stamps_that_go_back_cost_the_rest_of_their_packet);
	tcase_add_test(tc, stamps_behind_the_packets_end_cost_the_rest_of_it);
	tcase_add_test(tc, a_wrong_number_of_records_is_told);
	tcase_add_test(tc, an_unknown_number_of_records_is_none);
	tcase_add_test(tc, packets_that_overlap_are_told_and_read);
	tcase_add_test(tc, a_packet_before_the_last_record_is_skipped);
	tcase_add_test(tc, losses_that_shrink_are_told);
	tcase_add_test(tc, gaps_in_seq_are_overwritten_packets);
	tcase_add_test(tc, seq_that_goes_back_is_told);
	tcase_add_loop_test(tc, zeros_and_noise_are_one_fault_and_end, 0, 2);
	tcase_add_test(tc, a_packet_larger_than_its_file_costs_no_memory);
	tcase_add_test(tc, a_hole_of_a_terabyte_is_no_record);
	tcase_add_test(tc, a_packet_behind_a_hole_of_a_terabyte_is_found);
	tcase_add_test(tc, a_hole_of_a_terabyte_at_the_end_is_not_searched);
	tcase_add_test(tc, a_packet_within_a_damaged_packet_is_none);
	tcase_add_test(tc, a_file_of_false_headers_is_not_read_over_and_over);
	tcase_add_test(tc, long_strings_are_read_whole);
	tcase_add_test(tc, padding_longer_than_any_record_is_gone_over);
	tcase_add_test(tc, a_file_that_is_cut_while_it_is_read_is_told);
	return test_run(tc);
}
