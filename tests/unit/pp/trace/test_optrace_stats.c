// SPDX-License-Identifier: GPL-2.0-or-later
/* optrace stats: its command line, and the totals that it reports for a trace folder. */
#include "pp/trace/optrace_read.h"

#include "ctf/reader.h"
#include "ctf/writer.h"
#include "lib/file.h"
#include "lib/log.h"
#include "tests/fixture/catch_stdout.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_CPUS	     2
#define PACKET_BYTES 512

static struct make_packet packet;
static struct ctf_writer *writer;
static struct diag diag;
static unsigned int files[NR_CPUS];
static char *out, *err;

/* Replaces the function of optrace-read, which has a main() of its own. */
int optrace_read_open(struct ctf_reader **reader, const char *folder, struct diag *why)
{
	return ctf_reader_open(reader, folder, why);
}

unsigned int optrace_read_tell_chunks(const struct ctf_reader *reader)
{
	return ctf_reader_nr_bad_chunks(reader);
}

static void setup(void)
{
	test_folder_setup();
	out = err = NULL;
	ck_assert_int_eq(log_open("log"), 0);
	ck_assert_msg(!ctf_writer_open(&writer, "trace", &made_trace, &diag), "%s",
		      diag_show(&diag));
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_0", 0, &files[0], &diag), 0);
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_1", 0, &files[1], &diag), 0);
}

static void teardown(void)
{
	free(out);
	free(err);
	test_folder_teardown();
}

/* Append a packet of three records a microsecond apart; nr_lost records were lost up to its end. */
static void append(unsigned int cpu, uint64_t seq, uint64_t time, uint64_t nr_lost)
{
	make_packet_begin(&packet, made_trace.uuid, cpu, seq, time, PACKET_BYTES);
	for (unsigned int i = 0; i < 3; i++)
		ck_assert(make_packet_add(&packet, 0, time + 1000 * i, 1, "", 0));
	packet.header.lost_by[1] = nr_lost;
	make_packet_end(&packet, time + 2000);
	ck_assert_msg(!ctf_writer_append(writer, files[cpu], packet.bytes, packet.nr_bytes, &diag),
		      "%s", diag_show(&diag));
}

static void close_trace(void)
{
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
}

/* Returns its result with up to two arguments; its output is in out and err. */
static int stats(const char *first, const char *second)
{
	const char *argv[] = {"optrace", first, second, NULL};
	int error;

	ck_assert_int_eq(truncate("log", 0), 0);
	free(out);
	free(err);
	err = NULL;
	catch_stdout_begin();
	error = optrace_stats(second ? 3 : first ? 2 : 1, argv);
	out = catch_stdout_end();
	ck_assert_int_eq(file_read_text("log", 1 << 20, &err, NULL), 0);
	return error;
}

static void expect(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "\"%s\" lacks \"%s\"", text, part);
}

START_TEST(a_trace_without_losses_is_told_without_a_warning)
{
	append(0, 0, 1000000, 0);
	append(1, 0, 1001000, 0);
	close_trace();
	ck_assert_int_eq(stats("--json", "trace"), 0);
	expect(out, "\"window_ns\":3000,");
	expect(out, "\"records\":6,");
	expect(out, "\"lost_events\":0,\n \"lost_packets\":0,\n \"damaged\":0,\n");
	ck_assert_str_eq(err, "");
	ck_assert_int_eq(stats("trace", NULL), 0);
	ck_assert_str_ne(out, "");
	ck_assert_str_eq(err, "");
	/* Without an argument: the folder that optrace record makes. */
	ck_assert_int_eq(rename("trace", OPTRACE_FOLDER), 0);
	ck_assert_int_eq(stats(NULL, NULL), 0);
	ck_assert_str_eq(err, "");
}
END_TEST

/* Losses before a CPU's first packet do not count, unless it is the ring's first. */
START_TEST(losses_are_told_in_sum_over_all_cpus)
{
	append(0, 0, 1000000, 5);
	append(0, 3, 1100000, 7);  /* two are missing */
	append(0, 4, 1200000, 10); /* none is missing */
	append(1, 6, 1000000, 100);
	append(1, 10, 1300000, 120); /* three are missing */
	close_trace();
	ck_assert_int_eq(stats("--json", "trace"), 0);
	expect(out, "\"records\":15,");
	expect(out, "\"lost_events\":30,\n \"lost_packets\":5,\n \"damaged\":0,\n");
	expect(err, " 30 events and 5 packets were lost ");
	ck_assert_ptr_null(strstr(err, "damaged"));
}
END_TEST

START_TEST(packets_alone_that_are_lost_are_warned_of)
{
	append(0, 0, 1000000, 0);
	append(0, 2, 1100000, 0);
	close_trace();
	ck_assert_int_eq(stats("trace", NULL), 0);
	expect(err, " 0 events and 1 packet were lost ");
}
END_TEST

START_TEST(each_damaged_packet_is_told)
{
	int fd;

	for (unsigned int i = 0; i < NR_CPUS; i++)
		for (unsigned int j = 0; j < 4; j++)
			append(i, j, 1000000 + 10000 * j, 0);
	close_trace();
	fd = open("trace/channel_1", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, "x", 1, 0), 1);
	ck_assert_int_eq(pwrite(fd, "x", 1, 2 * PACKET_BYTES), 1);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(stats("--json", "trace"), 0);
	expect(out, "\"records\":18,");
	expect(out, "\"lost_events\":0,\n \"lost_packets\":0,\n \"damaged\":2,\n");
	expect(err, "channel_1: packet 0, from byte 0: "); /* only the first one in words */
	expect(err, " the trace is damaged or truncated in 2 places\n");
	ck_assert_ptr_null(strstr(err, " lost "));
}
END_TEST

START_TEST(a_file_that_ends_within_a_packet_is_damaged_in_one_place)
{
	append(0, 0, 1000000, 0);
	append(0, 1, 1100000, 0);
	append(1, 0, 1000000, 0);
	close_trace();
	ck_assert_int_eq(truncate("trace/channel_0", 2 * PACKET_BYTES - 1), 0);
	ck_assert_int_eq(stats("--json", "trace"), 0);
	expect(out, "\"records\":6,");
	expect(out, "\"damaged\":1,\n");
	expect(err, "channel_0: packet 1, from byte 512: ");
	expect(err, " the trace is damaged or truncated in 1 place\n");
	ck_assert_ptr_null(strstr(err, " lost "));
}
END_TEST

START_TEST(command_lines_that_make_no_sense_are_refused)
{
	static const struct {
		const char *first, *second;
		int error;
		const char *text;
	} cases[] = {
		{"--nonsense", "trace", -EINVAL, "--nonsense: unknown option; see optrace stats"},
		{"trace", "--rows", -EINVAL, "--rows: missing argument; see optrace stats --help"},
		{"--rows=few", "trace", -EINVAL, "--rows=few: give a number"},
		{"trace", "other", -EINVAL, "only one trace can be read: give trace or other"},
		{"--from=0.2", "--to=0.2", -EINVAL, "--to must be later than --from"},
		{"--from=1", "trace", -ENODATA, "trace ends before --from"},
		{"nowhere", NULL, -ENOENT, "nowhere"},
	};

	append(0, 0, 1000000, 0);
	close_trace();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(stats(cases[i].first, cases[i].second), cases[i].error);
		expect(err, cases[i].text);
		ck_assert_str_eq(out, "");
	}
	ck_assert_int_eq(stats("--version", "--nonsense"), 0);
	expect(out, "optrace (oprof) ");
	ck_assert_int_eq(stats("--help", NULL), 0);
	expect(out, "optrace stats [options] [FOLDER]");
	ck_assert_str_eq(err, "");
}
END_TEST

START_TEST(a_trace_without_a_record_has_no_statistics)
{
	close_trace();
	ck_assert_int_eq(stats("trace", NULL), -ENODATA);
	expect(err, "trace contains no events");
}
END_TEST

/* Times near the end of the 64-bit range: one second after the trace's begin is past the range. */
START_TEST(a_window_past_the_range_of_times_ends_with_the_trace)
{
	append(0, 0, UINT64_MAX - 10000, 0);
	close_trace();
	ck_assert_int_eq(rename("trace", OPTRACE_FOLDER), 0);
	ck_assert_int_eq(stats("--json", "--to=1"), 0);
	expect(out, "\"window_ns\":2000,");
	expect(out, "\"records\":3,");
	ck_assert_int_eq(stats("--json", "--from=1"), -ENODATA);
	expect(err, " ends before --from");
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("optrace_stats");

	log_init("optrace", LOG_LEVEL_INFO);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_trace_without_losses_is_told_without_a_warning);
	tcase_add_test(tc, losses_are_told_in_sum_over_all_cpus);
	tcase_add_test(tc, packets_alone_that_are_lost_are_warned_of);
	tcase_add_test(tc, each_damaged_packet_is_told);
	tcase_add_test(tc, a_file_that_ends_within_a_packet_is_damaged_in_one_place);
	tcase_add_test(tc, command_lines_that_make_no_sense_are_refused);
	tcase_add_test(tc, a_trace_without_a_record_has_no_statistics);
	tcase_add_test(tc, a_window_past_the_range_of_times_ends_with_the_trace);
	return test_run(tc);
}
