// SPDX-License-Identifier: GPL-2.0-or-later
/* optrace events on a trace whose times are near the end of the 64-bit range. */
#include "pp/trace/optrace_read.h"

#include "ctf/reader.h"
#include "ctf/writer.h"
#include "lib/log.h"
#include "tests/fixture/catch_stdout.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"

#include <stdlib.h>
#include <string.h>

#define PACKET_BYTES 512
#define BEGIN	     (UINT64_MAX - 10000) /* ns: one second later is past the range */

static char *out;

/* Replaces the function of optrace-read, which has a main() of its own. */
int optrace_read_open(struct ctf_reader **reader, const char *folder, struct diag *why)
{
	return ctf_reader_open(reader, folder, why);
}

unsigned int optrace_read_tell_chunks(const struct ctf_reader *reader)
{
	return ctf_reader_nr_bad_chunks(reader);
}

/* Makes a trace of three events: at its begin, one and two microseconds later. */
static void setup(void)
{
	static struct make_packet packet;
	struct ctf_writer *writer;
	unsigned int file;
	struct diag diag;

	test_folder_setup();
	out = NULL;
	ck_assert_int_eq(log_open("log"), 0);
	ck_assert_int_eq(ctf_writer_open(&writer, "trace", &made_trace, &diag), 0);
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_0", 0, &file, &diag), 0);
	make_packet_begin(&packet, made_trace.uuid, 0, 0, BEGIN, PACKET_BYTES);
	for (unsigned int i = 0; i < 3; i++)
		ck_assert(make_packet_add(&packet, 0, BEGIN + 1000 * i, 1, "", 0));
	make_packet_end(&packet, BEGIN + 2000);
	ck_assert_int_eq(ctf_writer_append(writer, file, packet.bytes, packet.nr_bytes, &diag), 0);
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
}

static void teardown(void)
{
	free(out);
	test_folder_teardown();
}

/* Returns how many events `optrace events` shows with these options; NULL: no option. */
static unsigned int nr_events(const char *first, const char *second)
{
	const char *argv[] = {"optrace", "trace", first, second, NULL};
	unsigned int nr = 0;
	int error;

	free(out);
	catch_stdout_begin();
	error = optrace_events(second ? 4 : first ? 3 : 2, argv);
	out = catch_stdout_end();
	ck_assert_int_eq(error, 0);
	for (const char *c = out; *c; c++)
		nr += *c == '\n';
	return nr;
}

START_TEST(an_end_past_the_range_of_times_is_the_end_of_the_trace)
{
	ck_assert_uint_eq(nr_events(NULL, NULL), 3);
	ck_assert_uint_eq(nr_events("--to=1", NULL), 3);
	ck_assert_uint_eq(nr_events("--to=1", "--reverse"), 3);
	ck_assert_uint_eq(nr_events("--to=1", "--last=2"), 2);
	ck_assert_uint_eq(nr_events("--to=0.000001", "--reverse"), 1);
}
END_TEST

START_TEST(a_begin_past_the_range_of_times_is_after_all_events)
{
	ck_assert_uint_eq(nr_events("--from=1", NULL), 0);
	ck_assert_uint_eq(nr_events("--from=1", "--reverse"), 0);
	ck_assert_uint_eq(nr_events("--from=1", "--last=2"), 0);
	ck_assert_uint_eq(nr_events("--from=0.000001", "--reverse"), 2);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("optrace_events");

	log_init("optrace", LOG_LEVEL_INFO);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_end_past_the_range_of_times_is_the_end_of_the_trace);
	tcase_add_test(tc, a_begin_past_the_range_of_times_is_after_all_events);
	return test_run(tc);
}
