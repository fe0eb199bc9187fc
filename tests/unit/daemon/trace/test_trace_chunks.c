// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_chunks.h"

#include "ctf/chunk.h"
#include "ctf/reader.h"
#include "lib/file.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES	 512
#define SECOND	 UINT64_C(1000000000)
#define IN_CHUNK 4 /* packets */

static struct make_packet packet;
static struct ctf_writer *writer;
static struct trace_chunks chunks;
static struct diag diag;
static unsigned int file;
static uint64_t seq;

static void begin(const struct trace_chunks_config *config)
{
	seq = 0;
	ck_assert_int_eq(ctf_writer_open_chunks(&writer, "trace", &made_trace, &diag), 0);
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_0", 0, &file, &diag), 0);
	trace_chunks_init(&chunks, config, "trace", writer, SECOND);
}

static void append(void)
{
	make_packet_begin(&packet, made_trace.uuid, 0, seq, 10 * seq, BYTES);
	ck_assert(make_packet_add(&packet, 0, 10 * seq, 1, "", 0));
	make_packet_end(&packet, 10 * seq++);
	ck_assert_int_eq(ctf_writer_append(writer, file, packet.bytes, BYTES, &diag), 0);
}

static void write_chunks(unsigned int nr, void (*after)(void))
{
	for (unsigned int i = 0; i < nr; i++) {
		while (!trace_chunks_are_due(&chunks, SECOND))
			append();
		ck_assert(trace_chunks_next(&chunks, SECOND));
		after();
	}
}

static void tidy(void)
{
	trace_chunks_tidy(&chunks);
}

/* Until the child has ended and no other is needed. */
static void tidy_all(void)
{
	do {
		trace_chunks_tidy(&chunks);
		(void)sched_yield();
	} while (chunks.pid);
	ck_assert_uint_eq(chunks.nr_failed, 0);
}

static void end(void)
{
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	trace_chunks_end(&chunks);
	ck_assert_int_eq(chunks.pid, 0);
	ck_assert_uint_eq(chunks.nr_failed, 0);
}

static bool exists(unsigned int chunk, const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "trace/%08u/%s", chunk, name);
	return !access(path, F_OK);
}

static uint64_t nr_records(void)
{
	struct ctf_reader *reader;
	struct ctf_record record;
	uint64_t nr = 0;
	int result;

	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	while ((result = ctf_reader_next(reader, &record, &diag)))
		ck_assert_msg(result > 0 && ++nr, "%s", diag_show(&diag));
	ck_assert_uint_eq(ctf_stream_counts(ctf_reader_stream(reader, 0)).lost_overwritten, 0);
	ctf_reader_close(reader);
	return nr;
}

START_TEST(texts_are_sizes_and_seconds)
{
	static const char *const wrong[] = {
		"",	   "0",	  "x",	 "1X",	"10,20", "1M,2M",
		"1M,",	   ",1M", "0K",	 "-1",	"1 M",	 "1M,0",
		"1M,60,2", "M",	  "1.5", "60s", "1e9M",	 "99999999999999999999",
		"0x10"};
	struct trace_chunks_config config = {.nr_keep = 7};

	ck_assert_int_eq(trace_chunks_parse("100M", &config, &diag), 0);
	ck_assert(config.max_bytes == 100 << 20 && !config.max_seconds && config.nr_keep == 7);
	ck_assert_int_eq(trace_chunks_parse("60", &config, &diag), 0);
	ck_assert(!config.max_bytes && config.max_seconds == 60);
	ck_assert_int_eq(trace_chunks_parse("60,4K", &config, &diag), 0);
	ck_assert(config.max_bytes == 4096 && config.max_seconds == 60);
	ck_assert_int_eq(trace_chunks_parse("1G,1", &config, &diag), 0);
	ck_assert(config.max_bytes == 1 << 30 && config.max_seconds == 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(trace_chunks_parse(wrong[i], &config, &diag), -EINVAL);
		ck_assert_ptr_nonnull(strstr(diag_show(&diag), "100M,60"));
	}
	ck_assert(config.max_bytes == 1 << 30 && config.max_seconds == 1);
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
	static const struct trace_chunks_config right[] = {
		{0}, {.max_bytes = 1}, {.max_seconds = 1, .nr_keep = 2, .compress = true}};
	static const struct trace_chunks_config wrong[] = {
		{.nr_keep = 3}, {.compress = true}, {.max_bytes = 1, .nr_keep = 1}};

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		ck_assert_int_eq(trace_chunks_check(&right[i], &diag), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_int_eq(trace_chunks_check(&wrong[i], &diag), -EINVAL);
}
END_TEST

START_TEST(the_next_is_due_by_size_or_by_time)
{
	begin(&(struct trace_chunks_config){.max_bytes = 2 * BYTES, .max_seconds = 3});
	ck_assert(!trace_chunks_are_due(&chunks, SECOND));
	ck_assert(!trace_chunks_are_due(&chunks, 4 * SECOND - 1));
	ck_assert(trace_chunks_are_due(&chunks, 4 * SECOND));
	append();
	ck_assert(!trace_chunks_are_due(&chunks, SECOND));
	append();
	ck_assert(trace_chunks_are_due(&chunks, SECOND));
	ck_assert(trace_chunks_next(&chunks, 5 * SECOND));
	ck_assert(!trace_chunks_are_due(&chunks, 8 * SECOND - 1));
	ck_assert(trace_chunks_are_due(&chunks, 8 * SECOND));
	end();
}
END_TEST

START_TEST(one_that_cannot_be_made_is_due_again_later)
{
	begin(&(struct trace_chunks_config){.max_seconds = 1});
	ck_assert_int_eq(file_replace("trace/00000002", "x", 1, 0600), 0);
	ck_assert(!trace_chunks_next(&chunks, 2 * SECOND));
	ck_assert(!trace_chunks_are_due(&chunks, 3 * SECOND - 1));
	ck_assert(trace_chunks_are_due(&chunks, 3 * SECOND));
	ck_assert_int_eq(unlink("trace/00000002"), 0);
	ck_assert(trace_chunks_next(&chunks, 3 * SECOND));
	end();
}
END_TEST

static void wait_child(void)
{
	do {
		trace_chunks_tidy(&chunks);
		(void)sched_yield();
	} while (chunks.pid);
}

START_TEST(the_oldest_are_removed)
{
	begin(&(struct trace_chunks_config){.max_bytes = IN_CHUNK * BYTES, .nr_keep = 3});
	write_chunks(2, tidy_all);
	ck_assert(exists(1, "metadata") && exists(3, "metadata"));
	write_chunks(5, tidy_all);
	ck_assert(!exists(5, "") && exists(6, "channel_0") && exists(7, "channel_0") &&
		  exists(8, "metadata"));
	write_chunks(20, tidy);
	end();
	ck_assert(!exists(25, "") && exists(26, "channel_0"));
	ck_assert_uint_eq(nr_records(), 2 * IN_CHUNK);
	ck_assert_int_eq(system("test -z \"$(ls -A trace | grep removed)\""), 0);
}
END_TEST

START_TEST(where_the_next_cannot_be_made_the_oldest_makes_room)
{
	begin(&(struct trace_chunks_config){.max_bytes = IN_CHUNK * BYTES, .nr_keep = 50});
	write_chunks(3, tidy_all);
	ck_assert_int_eq(file_replace("trace/00000005", "x", 1, 0600), 0);
	ck_assert(!trace_chunks_next(&chunks, SECOND));
	wait_child();
	ck_assert(!exists(1, "") && exists(2, "metadata"));
	ck_assert_int_eq(unlink("trace/00000005"), 0);
	ck_assert(trace_chunks_next(&chunks, 3 * SECOND));
	wait_child();
	ck_assert(exists(2, "metadata"));
	end();
}
END_TEST

START_TEST(closed_ones_are_compressed_and_at_the_end_the_last)
{
	begin(&(struct trace_chunks_config){.max_bytes = IN_CHUNK * BYTES, .compress = true});
	write_chunks(3, tidy_all);
	for (unsigned int i = 1; i <= 3; i++)
		ck_assert(exists(i, "channel_0.zst") && !exists(i, "channel_0"));
	append();
	ck_assert(exists(4, "channel_0"));
	ck_assert_uint_eq(nr_records(), 3 * IN_CHUNK + 1);
	write_chunks(5, tidy);
	append();
	end();
	for (unsigned int i = 1; i <= 9; i++)
		ck_assert(exists(i, "channel_0.zst") && !exists(i, "channel_0") &&
			  exists(i, "metadata"));
	ck_assert_uint_eq(nr_records(), 8 * IN_CHUNK + 1);
}
END_TEST

/* Put a folder at the compressed file's path. */
static void be_in_the_way(unsigned int chunk)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "trace/%08u/channel_0.zst", chunk);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "trace/%08u/channel_0.zst/file", chunk);
	ck_assert_int_eq(file_replace(path, "", 0, 0600), 0);
}

static void nothing(void)
{
}

START_TEST(one_that_cannot_be_compressed_is_tried_again_then_left)
{
	begin(&(struct trace_chunks_config){.max_bytes = IN_CHUNK * BYTES, .compress = true});
	write_chunks(3, nothing);
	be_in_the_way(2);
	for (unsigned int tries = 1; tries < 3; tries++) {
		wait_child();
		ck_assert_uint_eq(chunks.nr_failed, 0);
		ck_assert_uint_eq(chunks.next_done, 2);
		ck_assert_uint_gt(chunks.again_ns, 0);
		wait_child(); /* it is not yet time */
		ck_assert_uint_eq(chunks.finish_tries, tries);
		chunks.again_ns = 0;
	}
	wait_child();
	ck_assert_uint_eq(chunks.nr_failed, 1);
	ck_assert_uint_eq(chunks.next_done, 3);
	ck_assert(exists(1, "channel_0.zst") && !exists(1, "channel_0"));
	ck_assert(exists(2, "channel_0"));
	chunks.again_ns = 0;
	wait_child();
	ck_assert(exists(3, "channel_0.zst") && !exists(3, "channel_0"));
	ck_assert_uint_eq(chunks.nr_failed, 1);
	ck_assert_int_eq(file_remove_tree("trace/00000002/channel_0.zst"), 0);
	ck_assert_uint_eq(nr_records(), 3 * IN_CHUNK);
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	trace_chunks_end(&chunks);
}
END_TEST

START_TEST(what_was_in_the_way_for_a_while_costs_nothing)
{
	begin(&(struct trace_chunks_config){.max_bytes = IN_CHUNK * BYTES, .compress = true});
	write_chunks(2, nothing);
	be_in_the_way(1);
	wait_child();
	ck_assert_uint_eq(chunks.next_done, 1);
	ck_assert_int_eq(file_remove_tree("trace/00000001/channel_0.zst"), 0);
	chunks.again_ns = 0;
	tidy_all();
	for (unsigned int i = 1; i <= 2; i++)
		ck_assert(exists(i, "channel_0.zst") && !exists(i, "channel_0"));
	end();
}
END_TEST

/* A folder cannot be renamed onto a mount point. */
START_TEST(one_that_cannot_be_removed_is_left_though_others_are_closed_meanwhile)
{
	begin(&(struct trace_chunks_config){
		.max_bytes = IN_CHUNK * BYTES, .compress = true, .nr_keep = 2});
	write_chunks(1, nothing);
	wait_child();
	ck_assert_int_eq(mkdir("trace/.00000001.removed", 0700), 0);
	ck_assert_int_eq(mount("none", "trace/.00000001.removed", "tmpfs", 0, NULL), 0);
	for (unsigned int tries = 1; tries <= 3; tries++) {
		ck_assert_uint_eq(chunks.nr_failed, 0);
		write_chunks(1, nothing);
		chunks.again_ns = 0;
		wait_child();
	}
	ck_assert_uint_eq(chunks.nr_failed, 1);
	ck_assert(exists(1, "metadata"));
	chunks.again_ns = 0;
	wait_child();
	ck_assert(!exists(2, "") && !exists(3, "") && exists(4, "metadata"));
	ck_assert_int_eq(umount("trace/.00000001.removed"), 0);
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	trace_chunks_end(&chunks);
}
END_TEST

START_TEST(a_child_that_is_killed_is_begun_again)
{
	begin(&(struct trace_chunks_config){.max_bytes = IN_CHUNK * BYTES, .compress = true});
	write_chunks(2, nothing);
	trace_chunks_tidy(&chunks);
	ck_assert_int_gt(chunks.pid, 0);
	(void)kill(chunks.pid, SIGKILL);
	wait_child();
	chunks.again_ns = 0;
	tidy_all();
	for (unsigned int i = 1; i <= 2; i++)
		ck_assert(exists(i, "channel_0.zst") && !exists(i, "channel_0"));
	end();
}
END_TEST

START_TEST(a_child_keeps_nothing_of_ours_open)
{
	struct ctf_writer *other;
	int fds[2];
	char byte;

	begin(&(struct trace_chunks_config){.max_bytes = IN_CHUNK * BYTES, .compress = true});
	ck_assert_int_eq(pipe(fds), 0);
	write_chunks(1, tidy);
	ck_assert_int_eq(close(fds[1]), 0);
	ck_assert_int_eq(read(fds[0], &byte, 1), 0); /* otherwise only the child's end closes it */
	ck_assert_int_eq(close(fds[0]), 0);
	end();
	ck_assert_int_eq(ctf_writer_open(&other, "trace", &made_trace, &diag), -ENOTEMPTY);
}
END_TEST

START_TEST(a_trace_without_chunks_has_nothing_to_do)
{
	struct trace_chunks none = {0};

	ck_assert(!trace_chunks_are_due(&none, UINT64_MAX));
	trace_chunks_tidy(&none);
	trace_chunks_end(&none);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_chunks");

	tcase_add_checked_fixture(tests, test_folder_setup, test_folder_teardown);
	tcase_add_test(tests, texts_are_sizes_and_seconds);
	tcase_add_test(tests, what_makes_no_sense_is_refused);
	tcase_add_test(tests, the_next_is_due_by_size_or_by_time);
	tcase_add_test(tests, one_that_cannot_be_made_is_due_again_later);
	tcase_add_test(tests, the_oldest_are_removed);
	tcase_add_test(tests, where_the_next_cannot_be_made_the_oldest_makes_room);
	tcase_add_test(tests, closed_ones_are_compressed_and_at_the_end_the_last);
	tcase_add_test(tests, one_that_cannot_be_compressed_is_tried_again_then_left);
	tcase_add_test(tests, what_was_in_the_way_for_a_while_costs_nothing);
	if (!geteuid())
		tcase_add_test(
			tests,
			one_that_cannot_be_removed_is_left_though_others_are_closed_meanwhile);
	tcase_add_test(tests, a_child_that_is_killed_is_begun_again);
	tcase_add_test(tests, a_child_keeps_nothing_of_ours_open);
	tcase_add_test(tests, a_trace_without_chunks_has_nothing_to_do);
	return test_run(tests);
}
