// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each call that can fail does so, once or from then on, while a trace is written and read: the
 * error must be reported, nothing may leak, and the files must hold complete packets.
 */
#include "ctf/chunk.h"
#include "ctf/packed.h"
#include "ctf/reader.h"
#include "ctf/writer.h"
#include "lib/file.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BYTES	   512
#define NR_PACKETS 5

static struct make_packet packet;
static struct diag diag;

static unsigned int nr_fds(void)
{
	unsigned int nr = 0;
	DIR *dir = opendir("/proc/self/fd");

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		nr++;
	(void)closedir(dir);
	return nr;
}

struct outcome {
	int error; /* of opening */
	int nr;	   /* packets written */
	int close_error;
	struct ctf_writer_counts counts;
};

/* Runs between failing_begin() and failing_end(): Check itself must not make calls here. */
static struct outcome write_trace(void)
{
	struct outcome outcome = {0};
	struct ctf_writer *writer;
	unsigned int file;

	outcome.error = ctf_writer_open(&writer, "trace", &made_trace, &diag);
	if (outcome.error)
		return outcome;
	outcome.error = ctf_writer_add_file(writer, "channel_0", 0, &file, &diag);
	for (uint64_t i = 0; !outcome.error && i < NR_PACKETS; i++) {
		make_packet_begin(&packet, made_trace.uuid, 0, i, i * 100, BYTES);
		(void)make_packet_add(&packet, 0, i * 100, 1, "", 0);
		make_packet_end(&packet, i * 100);
		outcome.nr += !ctf_writer_append(writer, file, packet.bytes, BYTES, &diag);
	}
	outcome.counts = ctf_writer_counts(writer);
	outcome.close_error = ctf_writer_close(writer, &diag);
	return outcome;
}

static void check_outcome(const struct outcome *outcome, bool has_failed)
{
	const bool is_whole = !outcome->error && !outcome->close_error && outcome->nr == NR_PACKETS;

	ck_assert(has_failed == !is_whole);
	ck_assert_uint_eq(outcome->counts.nr_packets, (unsigned int)outcome->nr);
	if (!outcome->error)
		ck_assert_uint_eq(outcome->counts.lost_unwritten_packets,
				  (unsigned int)(NR_PACKETS - outcome->nr));
}

/* Returns the number of records read and counts the errors. */
static int read_trace(unsigned int *nr_errors)
{
	struct ctf_reader *reader;
	struct ctf_record record;
	int nr = 0;
	int error = ctf_reader_open(&reader, "trace", &diag);

	*nr_errors = 0;
	if (error)
		return error;
	while ((error = ctf_reader_next(reader, &record, &diag))) {
		nr += error > 0;
		*nr_errors += error < 0;
	}
	ctf_reader_close(reader);
	return nr;
}

static void write_once(enum failing_kind kind, unsigned long nth, int all, bool *has_failed)
{
	const unsigned int nr_before = nr_fds();
	struct outcome outcome;
	unsigned int nr_errors;

	failing_begin(kind, nth, all);
	outcome = write_trace();
	*has_failed = failing_end();
	check_outcome(&outcome, *has_failed);
	ck_assert_uint_eq(nr_fds(), nr_before);
	if (!outcome.error)
		ck_assert_msg(read_trace(&nr_errors) == outcome.nr && !nr_errors, "%s",
			      diag_show(&diag));
	else /* either no folder, or a complete folder without packets */
		ck_assert(access("trace", F_OK) || read_trace(&nr_errors) == 0);
	(void)file_remove_tree("trace");
}

START_TEST(a_writer_tells_whatever_fails_and_keeps_whole_packets)
{
	const enum failing_kind kind = (enum failing_kind)_i;

	for (int all = 0; all < 2; all++) {
		bool has_failed = true;

		for (unsigned long nth = 1; has_failed; nth++)
			write_once(kind, nth, all, &has_failed);
	}
}
END_TEST

/* The calls sync the stream, the metadata and the folder. */
START_TEST(a_closed_trace_is_on_the_disk)
{
	for (unsigned long nth = 1; nth <= 4; nth++) {
		struct outcome outcome;

		failing_begin(FAILING_SYNC, nth, 0);
		outcome = write_trace();
		ck_assert_int_eq(failing_end(), nth <= 3);
		ck_assert_int_eq(outcome.close_error, nth <= 3 ? -EIO : 0);
		if (nth <= 3)
			ck_assert_msg(strstr(diag.text, "cannot write all of the trace to disk"),
				      "%s", diag.text);
		(void)file_remove_tree("trace");
		diag_clear(&diag);
	}
}
END_TEST

/* Writes each packet to a chunk of its own if one can be created, compressed if possible. */
static int write_chunks(struct ctf_writer_counts *counts)
{
	struct ctf_writer *writer;
	unsigned int file;
	int error = ctf_writer_open_chunks(&writer, "trace", &made_trace, &diag);

	*counts = (struct ctf_writer_counts){0};
	if (error)
		return error;
	error = ctf_writer_add_file(writer, "channel_0", 0, &file, &diag);
	for (uint64_t i = 0; !error && i < NR_PACKETS; i++) {
		make_packet_begin(&packet, made_trace.uuid, 0, i, i * 100, BYTES);
		(void)make_packet_add(&packet, 0, i * 100, 1, "", 0);
		make_packet_end(&packet, i * 100);
		(void)ctf_writer_append(writer, file, packet.bytes, BYTES, &diag);
		(void)ctf_writer_next_chunk(writer, &diag);
	}
	*counts = ctf_writer_counts(writer);
	(void)ctf_writer_close(writer, &diag);
	for (uint32_t i = 1; i <= counts->chunk; i++) {
		char path[32] = "trace/";

		ctf_chunk_name(i, path + strlen(path));
		(void)ctf_packed_make_all(path, true, &diag);
	}
	return error;
}

START_TEST(chunks_hold_all_that_was_written_whatever_fails)
{
	const enum failing_kind kind = (enum failing_kind)_i;
	const unsigned int nr_before = nr_fds();
	bool has_failed = true;

	for (unsigned long nth = 1; has_failed; nth++) {
		struct ctf_writer_counts counts;
		unsigned int nr_errors;
		int error, nr;

		failing_begin(kind, nth, nth % 3 == 0);
		error = write_chunks(&counts);
		has_failed = failing_end();
		ck_assert_uint_eq(nr_fds(), nr_before);
		ck_assert(has_failed || counts.chunk == NR_PACKETS + 1);
		if (!error) {
			nr = read_trace(&nr_errors);
			ck_assert_msg(nr == (int)counts.nr_packets && !nr_errors, "%s",
				      diag_show(&diag));
			ck_assert_uint_eq(counts.nr_packets + counts.lost_unwritten_packets,
					  NR_PACKETS);
		}
		(void)file_remove_tree("trace");
	}
}
END_TEST

START_TEST(a_reader_of_compressed_chunks_tells_whatever_fails)
{
	const enum failing_kind kind = (enum failing_kind)_i;
	const unsigned int nr_before = nr_fds();
	struct ctf_writer_counts counts;
	bool has_failed = true;

	ck_assert_int_eq(write_chunks(&counts), 0);
	for (unsigned long nth = 1; has_failed; nth++) {
		unsigned int nr_errors;
		int nr;

		failing_begin(kind, nth, (int)(nth % 2));
		nr = read_trace(&nr_errors);
		has_failed = failing_end();
		ck_assert(has_failed ? nr < 0 || nr_errors : nr == NR_PACKETS);
		ck_assert_uint_eq(nr_fds(), nr_before);
	}
}
END_TEST

START_TEST(a_reader_tells_whatever_fails)
{
	const enum failing_kind kind = (enum failing_kind)_i;
	const unsigned int nr_before = nr_fds();
	const struct outcome outcome = write_trace();
	bool has_failed = true;

	check_outcome(&outcome, false);
	for (unsigned long nth = 1; has_failed; nth++) {
		unsigned int nr_errors;
		int nr;

		failing_begin(kind, nth, (int)(nth % 2));
		nr = read_trace(&nr_errors);
		has_failed = failing_end();
		ck_assert(has_failed ? nr < 0 || nr_errors : nr == NR_PACKETS);
		ck_assert_uint_eq(nr_fds(), nr_before);
	}
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("ctf_fault");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_loop_test(tc, a_writer_tells_whatever_fails_and_keeps_whole_packets, 0,
			    FAILING_NR_KINDS);
	tcase_add_test(tc, a_closed_trace_is_on_the_disk);
	tcase_add_loop_test(tc, chunks_hold_all_that_was_written_whatever_fails, 0,
			    FAILING_NR_KINDS);
	tcase_add_loop_test(tc, a_reader_of_compressed_chunks_tells_whatever_fails, 0,
			    FAILING_NR_KINDS);
	tcase_add_loop_test(tc, a_reader_tells_whatever_fails, 0, FAILING_NR_KINDS);
	return test_run(tc);
}
