// SPDX-License-Identifier: GPL-2.0-or-later
/* Metadata written and parsed: metadata.c, metadata_parse.c, parser.c, parser_event.c. */
#include "ctf/metadata.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t nr_bytes;
static struct ctf_metadata metadata;
static struct diag diag;

static void setup(void)
{
	ck_assert_int_eq(ctf_metadata_format(&made_trace, &text, &nr_bytes, &diag), 0);
}

static void teardown(void)
{
	free(text);
	ctf_metadata_deinit(&metadata);
}

static int parse(const char *from)
{
	return ctf_metadata_parse(&metadata, "here", from, strlen(from), &diag);
}

/* Returns the text with the first occurrence of old replaced by new. */
static char *changed(const char *old, const char *new)
{
	const char *at = strstr(text, old);
	char *made = malloc(nr_bytes + strlen(new) + 1);

	ck_assert_ptr_nonnull(made);
	ck_assert_msg(at, "no %s", old);
	(void)snprintf(made, nr_bytes + strlen(new) + 1, "%.*s%s%s", (int)(at - text), text, new,
		       at + strlen(old));
	return made;
}

static unsigned int line_of(const char *what)
{
	const char *at = strstr(text, what);
	unsigned int line = 1;

	for (const char *next = text; next < at; next++)
		line += *next == '\n';
	return line;
}

/* Replaces old by new: the reader must report the error and its line. */
static void refused(const char *old, const char *new, const char *said)
{
	char *made = changed(old, new);

	ck_assert_msg(parse(made) == -EINVAL, "%s", new);
	ck_assert_msg(strstr(diag.text, said), "%s", diag_show(&diag));
	ck_assert_str_eq(diag.file, "here");
	if (diag.line) {
		ck_assert_uint_ge(diag.line, line_of(old));
		ck_assert_uint_le(diag.line, line_of(old) + 40);
	}
	free(made);
}

START_TEST(what_is_written_is_read)
{
	char *again;
	size_t nr_again;

	ck_assert_msg(!parse(text), "%s", diag_show(&diag));
	ck_assert_uint_eq(metadata.layout.nr_bytes, 120);
	ck_assert_int_eq(ctf_metadata_format(&metadata.trace, &again, &nr_again, &diag), 0);
	/* The streams and events of made_trace are already in order. */
	ck_assert_str_eq(again, text);
	free(again);
}
END_TEST

START_TEST(it_begins_as_ctf_wants)
{
	ck_assert(!strncmp(text, "/* CTF 1.8 */", 13));
	ck_assert_int_eq(parse(text + 1), -EINVAL);
	ck_assert_int_eq(parse(""), -EINVAL);
	ck_assert_uint_eq(diag.line, 1);
	ck_assert_int_eq(parse("/* CTF 1.8 */"), -EINVAL);
}
END_TEST

START_TEST(a_text_that_is_cut_anywhere_is_refused)
{
	for (size_t nr = 0; nr + 1 < nr_bytes; nr += 7) {
		const int error = ctf_metadata_parse(&metadata, "here", text, nr, &diag);

		/* A text cut after a complete event is a trace with fewer events. */
		if (!error) {
			ck_assert_uint_lt(metadata.trace.nr_events, made_trace.nr_events + 1);
			ck_assert(!strncmp(text + nr, "\n\nevent", 7) ||
				  !strncmp(text + nr, "\nevent", 6) ||
				  !strncmp(text + nr, "event", 5) ||
				  !strncmp(text + nr, "\n\nstream", 8) ||
				  !strncmp(text + nr, "\nstream", 7) ||
				  !strncmp(text + nr, "stream", 6) || nr + 3 > nr_bytes);
			ctf_metadata_deinit(&metadata);
		}
	}
}
END_TEST

START_TEST(fields_of_a_later_version_are_stepped_over)
{
	char *made = changed("uint64_t lost_killed;",
			     "uint64_t lost_killed;\n\t\tuint16_t lost_later[2];\n");

	ck_assert_int_eq(parse(made), -EINVAL); /* one of two streams only */
	ck_assert_msg(strstr(diag.text, "differ"), "%s", diag_show(&diag));
	free(made);
	made = changed("uint32_t stream_id;", "uint32_t stream_id;\n\t\tuint64_t later;");
	ck_assert_msg(!parse(made), "%s", diag_show(&diag));
	ck_assert_uint_eq(metadata.layout.nr_bytes, 128);
	free(made);
}
END_TEST

/* The last of oprof's own types is only for the headers of records. */
START_TEST(fields_may_have_the_type_that_is_described_last)
{
	char *made = changed("\nevent {", "\ntypealias integer { size = 32; signed = true; } := "
					  "later_t;\nevent {");
	char *type = strstr(made, "int32_t _prev_tid");

	ck_assert_ptr_nonnull(type);
	memcpy(type, "later_t", 7);
	ck_assert_msg(!parse(made), "%s", diag_show(&diag));
	ck_assert_uint_eq(metadata.trace.events[1].fields[1].bits, 32);
	ck_assert(metadata.trace.events[1].fields[1].is_signed);
	free(made);
}
END_TEST

static const struct {
	const char *old, *new, *said;
} faults[] = {
	{"minor = 8", "minor = 9", "version of CTF is not 1.8"},
	{"byte_order = le", "byte_order = be", "expected le, found \"be\""},
	{"uuid = \"1234", "uuid = \"x234", "uuid"},
	{"packet.header :=", "packet.nothing :=", "expected header"},
	{"typealias integer", "typealias floating_point", "expected integer"},
	{"size = 8;", "size = 65;", "too large"},
	{"size = 8;", "width = 8;", "unknown property"},
	{"base = 10;", "base = 8;", "known base"},
	{":= uint16_t", ":= uint8_t", "twice"},
	{"encoding = UTF8", "encoding = ASCII", "UTF8"},
	{"size = 27;", "size = 26;", "type uint27_clock_t of the record header differs"},
	{"map = clock.monotonic", "map = clock.other", "name of a clock"},
	{"uint32_t magic;", "uint32_t _magic;", "have no field magic"},
	{"uint64_t packet_seq_num;", "uint32_t packet_seq_num;", "size or sign"},
	{"uint64_t events_discarded;", "", "have no field events_discarded"},
	{"uint64_t lost_full;", "uint64_t lost_full;uint64_t lost_full;", "twice"},
	{"uint64_clock_t timestamp_begin", "uint64_t timestamp_begin", "size or sign"},
	{"uint32_t magic;", "uint8_t first; uint32_t magic;", "first field"},
	{"uint32_t stream_id;", "uint64_t many[4096]; uint32_t stream_id;", "too long"},
	{"compact = 0 ... 30", "compact = 0 ... 29", "record header"},
	{"align(32)", "align(8)", "record header"},
	{"freq = 1000000000", "freq = 0", "frequency"},
	{"offset = 123456789", "offset = 1000000000", "offset"},
	{"name = monotonic", "name = \"monotonic\"", "a name"},
	{"clock {", "clock { freq = 1; };\nclock {", "no name"},
	{"env {", "env { a = b; ", "a number"},
	{"env {", "env { hostname = 1; ", "twice"},
	{"stream {", "stream { id = 0; };\nstream {", "event.header"},
	{"\tid = 1;", "\tid = 2;", "two events with id 2"},
	{"\tid = 1;", "\tid = 4294967296;", "too large"},
	{"\tid = 1;", "\tid = 31;", "reserved"},
	{"id = 0;\n\tstream_id = 7;", "id = 0;\n\tstream_id = 8;", "there is no stream 8"},
	{"name = \"sched_switch\"", "name = sched_switch", "a quoted string"},
	{"name = \"sched_switch\"", "name = \"\\z\"", "escape"},
	{"name = \"sched_switch\";", "", "no name"},
	{"utf8_t _prev_comm[16]", "utf8_t _prev_comm", "length of a text"},
	{"utf8_t _prev_comm[16]", "utf8_t _prev_comm[0]", "unknown kind or size"},
	{"utf8_t _prev_comm[16]", "utf8_t _prev_comm[4294967296]", "too large"},
	{"int32_t _prev_tid", "int32_t prev_tid", "does not begin with _"},
	{"int32_t _prev_tid", "int33_t _prev_tid", "integer type"},
	{"int32_t _prev_tid", "uint5_t _prev_tid", "packed integers"},
	{"int32_t _prev_tid", "uint64_clock_t _prev_tid", "packed integers"},
	{"int32_t _prev_tid", "struct { } _prev_tid", "integer type"},
	{"_prev_prio", "_prev_tid", "two fields named prev_tid"},
	{"uint8_t __bytes_length", "int8_t __bytes_length", "a sequence must directly follow"},
	{"uint8_t __bytes_length", "hex8_t __bytes_length", "a sequence must directly follow"},
	{"uint8_t __bytes_length", "uint8_t __other_length", "a sequence must directly follow"},
	{"__bytes_length ]", "_three ]", "a sequence must directly follow"},
	{"align(64)", "align(63)", "not a whole number of bytes"},
	{"align(64)", "align(24)", "alignment cannot be 3"},
	{"= -2, \"none\"", "= -129, \"none\"", "unknown kind or size"},
	{"string _covered", "uint8_t _covered", "padding"},
	{"fields :=", "fields =", "expected :="},
	{"event {", "callsite {", "typealias, trace"},
	{"event {", "event { loglevel = 3; ", "unknown property"},
	{"trace {", "\001", "\"?\""},
};

START_TEST(what_is_not_as_written_is_refused_with_its_line)
{
	refused(faults[_i].old, faults[_i].new, faults[_i].said);
}
END_TEST

START_TEST(a_description_that_is_not_sound_is_not_written)
{
	struct ctf_trace trace = made_trace;
	char *made = NULL;

	trace.clock.freq_hz = 0;
	ck_assert_int_eq(ctf_metadata_format(&trace, &made, &nr_bytes, &diag), -EINVAL);
	ck_assert_ptr_null(made);
}
END_TEST

START_TEST(numbers_and_texts_of_the_environment_come_back_byte_by_byte)
{
	const struct ctf_env envs[] = {{"least", NULL, INT64_MIN},
				       {"greatest", NULL, INT64_MAX},
				       {"odd", "\"\\\n\t\001\x7f \xc3\xa9?", 0},
				       {"empty", "", 0}};
	struct ctf_trace trace = made_trace;

	free(text);
	trace.envs = envs;
	trace.nr_envs = 4;
	ck_assert_int_eq(ctf_metadata_format(&trace, &text, &nr_bytes, &diag), 0);
	ck_assert_msg(!parse(text), "%s", diag_show(&diag));
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(metadata.trace.envs[i].number, envs[i].number);
	for (int i = 2; i < 4; i++)
		ck_assert_str_eq(metadata.trace.envs[i].text, envs[i].text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ctf_metadata");
	TCase *tc = tcase_create("ctf_metadata");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_is_written_is_read);
	tcase_add_test(tc, it_begins_as_ctf_wants);
	tcase_add_test(tc, a_text_that_is_cut_anywhere_is_refused);
	tcase_add_test(tc, fields_of_a_later_version_are_stepped_over);
	tcase_add_test(tc, fields_may_have_the_type_that_is_described_last);
	tcase_add_loop_test(tc, what_is_not_as_written_is_refused_with_its_line, 0,
			    (int)(sizeof(faults) / sizeof(faults[0])));
	tcase_add_test(tc, a_description_that_is_not_sound_is_not_written);
	tcase_add_test(tc, numbers_and_texts_of_the_environment_come_back_byte_by_byte);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
