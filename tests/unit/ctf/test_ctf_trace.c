// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/ctf.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

static struct ctf_trace trace;
static struct ctf_event event;
static struct ctf_field fields[3];
static struct diag diag;

/* A sound trace with one event of two fields. Tests damage one property of it. */
static void setup(void)
{
	trace = made_trace;
	fields[0] = (struct ctf_field){.name = "a", .bits = 8, .base = 10};
	fields[1] = (struct ctf_field){
		.name = "b", .kind = CTF_FIELD_SEQUENCE, .bits = 64, .base = 16, .length_bits = 16};
	event = (struct ctf_event){
		.id = 3, .name = "e", .alignment = 4, .nr_fields = 2, .fields = fields};
	trace.nr_events = 1;
	trace.events = &event;
}

static void refused(const char *said)
{
	ck_assert_int_eq(ctf_trace_check(&trace, &diag), -EINVAL);
	ck_assert_msg(strstr(diag.text, said), "%s", diag.text);
}

START_TEST(a_sound_description_is_taken)
{
	ck_assert_int_eq(ctf_trace_check(&trace, &diag), 0);
	ck_assert_int_eq(ctf_trace_check(&made_trace, &diag), 0);
}
END_TEST

START_TEST(names_are_identifiers)
{
	char name[CTF_NAME_BYTES_MAX + 2];

	ck_assert(ctf_is_identifier("_a9"));
	ck_assert(!ctf_is_identifier(""));
	ck_assert(!ctf_is_identifier("9a"));
	ck_assert(!ctf_is_identifier("a-b"));
	ck_assert(!ctf_is_identifier("\xc3\xa9"));
	memset(name, 'a', sizeof(name));
	name[CTF_NAME_BYTES_MAX + 1] = '\0';
	ck_assert(!ctf_is_identifier(name));
	name[CTF_NAME_BYTES_MAX] = '\0';
	ck_assert(ctf_is_identifier(name));
	fields[0].name = "a b";
	refused("\"a b\" is not a valid name of a field");
}
END_TEST

START_TEST(keywords_name_fields_but_not_the_clock_or_things_in_the_environment)
{
	const struct ctf_env env = {"stream", "x", 0};

	fields[0].name = "event";
	ck_assert_int_eq(ctf_trace_check(&trace, &diag), 0);
	trace.envs = &env;
	trace.nr_envs = 1;
	refused("stream");
	trace.nr_envs = 0;
	trace.clock.name = "clock";
	refused("clock");
}
END_TEST

START_TEST(ids_of_padding_and_escape_are_taken)
{
	for (event.id = 29; event.id < 32; event.id++)
		refused("is reserved");
	ck_assert_int_eq(ctf_trace_check(&trace, &diag), 0); /* 32 */
	event.id = 28;
	ck_assert_int_eq(ctf_trace_check(&trace, &diag), 0);
}
END_TEST

START_TEST(no_name_or_id_is_there_twice)
{
	struct ctf_event twice[2] = {event, event};
	const uint32_t streams[] = {7, 0, 7};
	const struct ctf_env envs[] = {{"a", "x", 0}, {"a", NULL, 1}};

	trace.events = twice;
	trace.nr_events = 2;
	refused("two events with id 3");
	twice[1].stream_id = 7;
	ck_assert_int_eq(ctf_trace_check(&trace, &diag), 0);
	fields[0].name = "b";
	refused("two fields named b");
	fields[0].name = "_b_length"; /* name under which the sequence's length is written */
	refused("two fields named _b_length");
	trace.nr_events = 0;
	trace.streams = streams;
	trace.nr_streams = 3;
	refused("stream 7 is described twice");
	trace.nr_streams = 2;
	trace.envs = envs;
	trace.nr_envs = 2;
	refused("a is given twice");
}
END_TEST

/* After the ids of the second trace, memory may still hold ids of the first trace. */
START_TEST(a_trace_of_the_last_events_of_another_is_sound)
{
	struct ctf_event events[6];
	int error;

	for (unsigned int i = 0; i < 6; i++) {
		events[i] = event;
		events[i].id = i;
	}
	trace.events = events;
	trace.nr_events = 6;
	error = ctf_trace_check(&trace, &diag); /* no call in between that may use the memory */
	trace.events = events + 1;
	trace.nr_events = 5;
	error |= ctf_trace_check(&trace, &diag);
	ck_assert_msg(!error, "%s", diag.text);
}
END_TEST

START_TEST(events_are_of_streams_that_there_are)
{
	event.stream_id = 1;
	refused("there is no stream 1");
	trace.nr_streams = 0;
	refused("1 to");
}
END_TEST

START_TEST(alignments_are_1_2_4_or_8_and_1_without_fields)
{
	for (event.alignment = 0; event.alignment < 20; event.alignment++) {
		const bool is_sound = event.alignment && event.alignment <= 8 &&
				      !(event.alignment & (event.alignment - 1));

		ck_assert_int_eq(ctf_trace_check(&trace, &diag), is_sound ? 0 : -EINVAL);
	}
	event.nr_fields = 0;
	event.alignment = 2;
	refused("alignment");
	event.alignment = 1;
	ck_assert_int_eq(ctf_trace_check(&trace, &diag), 0);
}
END_TEST

START_TEST(fields_are_of_sizes_that_there_are)
{
	fields[0].bits = 24;
	refused("field a");
	fields[0].bits = 64;
	fields[0].base = 8;
	refused("field a");
	fields[0].base = 16;
	fields[1].length_bits = 64;
	refused("field b");
	fields[1].length_bits = 32;
	fields[0].kind = CTF_FIELD_TEXT; /* zero bytes */
	refused("field a");
	fields[0].kind = CTF_FIELD_ARRAY;
	refused("field a");
	fields[0].nr = 1;
	ck_assert_int_eq(ctf_trace_check(&trace, &diag), 0);
	fields[0].kind = CTF_NR_FIELD_KINDS;
	refused("field a");
}
END_TEST

START_TEST(labels_fit_their_integer_and_ascend)
{
	struct ctf_label labels[] = {{"x", -128}, {"y", 127}};

	fields[0].labels = labels;
	fields[0].nr_labels = 2;
	refused("field a"); /* unsigned */
	fields[0].is_signed = true;
	ck_assert_int_eq(ctf_trace_check(&trace, &diag), 0);
	labels[1].value = 128;
	refused("field a");
	labels[1].value = -128;
	refused("field a");
	labels[0].value = INT64_MIN;
	labels[1].value = INT64_MAX;
	fields[0].bits = 64;
	ck_assert_int_eq(ctf_trace_check(&trace, &diag), 0);
	fields[0].kind = CTF_FIELD_STRING;
	refused("field a");
}
END_TEST

START_TEST(a_clock_runs_and_its_offset_is_less_than_a_second)
{
	trace.clock.offset = trace.clock.freq_hz;
	refused("offset");
	trace.clock.freq_hz = 0;
	trace.clock.offset = 0;
	refused("frequency");
}
END_TEST

START_TEST(a_uuid_is_shown_as_usual)
{
	const uint8_t uuid[16] = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0,
				  0,	1,    2,    3,	  4,	0xff, 6,    7};
	char text[CTF_UUID_TEXT];

	ctf_uuid_show(uuid, text);
	ck_assert_str_eq(text, "12345678-9abc-def0-0001-020304ff0607");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ctf_trace");
	TCase *tc = tcase_create("ctf_trace");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_sound_description_is_taken);
	tcase_add_test(tc, names_are_identifiers);
	tcase_add_test(tc, keywords_name_fields_but_not_the_clock_or_things_in_the_environment);
	tcase_add_test(tc, ids_of_padding_and_escape_are_taken);
	tcase_add_test(tc, no_name_or_id_is_there_twice);
	tcase_add_test(tc, a_trace_of_the_last_events_of_another_is_sound);
	tcase_add_test(tc, events_are_of_streams_that_there_are);
	tcase_add_test(tc, alignments_are_1_2_4_or_8_and_1_without_fields);
	tcase_add_test(tc, fields_are_of_sizes_that_there_are);
	tcase_add_test(tc, labels_fit_their_integer_and_ascend);
	tcase_add_test(tc, a_clock_runs_and_its_offset_is_less_than_a_second);
	tcase_add_test(tc, a_uuid_is_shown_as_usual);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
