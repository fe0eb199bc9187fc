// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_line.h"

#include "lib/number.h"
#include "pp/trace/trace_filter.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INTEGER(field_name, nr_bits, in_base, signed_too)                                          \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = (nr_bits),                \
		.base = (in_base), .is_signed = (signed_too)                                       \
	}

static const struct ctf_label labels[] = {{"WAIT", 5}, {"RUN", 6}};
static const struct ctf_field fields[] = {
	INTEGER("tid", 32, 10, true),
	INTEGER("address", 64, 16, false),
	{.name = "name", .kind = CTF_FIELD_TEXT, .bits = 8, .nr = 16},
	{.name = "status",
	 .kind = CTF_FIELD_INTEGER,
	 .bits = 32,
	 .base = 10,
	 .labels = labels,
	 .nr_labels = 2},
	{.name = "list", .kind = CTF_FIELD_SEQUENCE, .bits = 16, .base = 10, .length_bits = 16},
	INTEGER("big", 64, 10, false),
};
static const struct ctf_event event = {.name = "some_event", .nr_fields = 6, .fields = fields};
static const struct ctf_event bare = {.name = "bare"};
static const uint8_t list[] = {1, 0, 0xff, 0xff};
static const struct oprof_packet_header packet = {.cpu_id = 3};

static struct ctf_value values[6];
static struct ctf_record record;
static struct trace_runner who;
static struct trace_line line;
static struct trace_filter filter;
static struct diag diag;

static void setup(void)
{
	values[0] = (struct ctf_value){.number = (uint64_t)-7};
	values[1] = (struct ctf_value){.number = 0x7fff0000beef};
	values[2] = (struct ctf_value){.bytes = (const uint8_t *)"pro\"gram", .nr = 8};
	values[3] = (struct ctf_value){.number = 5};
	values[4] = (struct ctf_value){.bytes = list, .nr = 2};
	values[5] = (struct ctf_value){.number = UINT64_MAX};
	record = (struct ctf_record){
		.event = &event, .values = values, .time = 5000000123, .packet = &packet};
	who = (struct trace_runner){.tid = 42, .name = "bash"};
	line = (struct trace_line){0};
	filter = (struct trace_filter){0};
}

static void teardown(void)
{
	trace_line_deinit(&line);
	trace_filter_deinit(&filter);
}

static const char *shown(void)
{
	static char text[1024];

	ck_assert(!line.no_memory);
	ck_assert_uint_lt(line.nr_bytes, sizeof(text));
	memcpy(text, line.bytes, line.nr_bytes);
	text[line.nr_bytes] = '\0';
	return text;
}

START_TEST(a_line_of_text_tells_all)
{
	trace_line_text(&line, &record, 1000000000, &who);
	ck_assert_str_eq(shown(),
			 "    4.000000123   3      42 bash            some_event: tid = -7, "
			 "address = 0x7fff0000beef, name = \"pro\\\"gram\", status = WAIT, "
			 "list = [1, 65535], big = 18446744073709551615\n");
}
END_TEST

START_TEST(a_line_of_json_is_an_object)
{
	trace_line_json(&line, &record, 1000000000, &who);
	ck_assert_str_eq(shown(),
			 "{\"time_ns\":4000000123,\"cpu\":3,\"tid\":42,\"name\":\"bash\","
			 "\"event\":\"some_event\",\"fields\":{\"tid\":-7,"
			 "\"address\":\"0x7fff0000beef\",\"name\":\"pro\\\"gram\","
			 "\"status\":\"WAIT\",\"list\":[1,65535],\"big\":18446744073709551615}}\n");
}
END_TEST

START_TEST(who_is_not_known_is_told_so)
{
	who = (struct trace_runner){.tid = TRACE_WHO_UNKNOWN};
	record.event = &bare;
	trace_line_text(&line, &record, record.time, &who);
	ck_assert_str_eq(shown(), "    0.000000000   3       ? ?               bare\n");
	trace_line_json(&line, &record, record.time, &who);
	ck_assert_str_eq(shown(), "{\"time_ns\":0,\"cpu\":3,\"tid\":null,\"name\":\"\","
				  "\"event\":\"bare\",\"fields\":{}}\n");
}
END_TEST

START_TEST(texts_break_no_line_and_no_document)
{
	values[2] = (struct ctf_value){.bytes = (const uint8_t *)"a\nb\xff\xc3\xa4\\", .nr = 7};
	strcpy(who.name, "x\ny");
	trace_line_text(&line, &record, 0, &who);
	ck_assert_ptr_nonnull(strstr(shown(), "name = \"a\\u000ab\xef\xbf\xbd\xc3\xa4\\\\\""));
	ck_assert_ptr_eq(strchr(shown(), '\n'), shown() + strlen(shown()) - 1);
	/* The field ends within a character. */
	values[2].nr = 5;
	trace_line_json(&line, &record, 0, &who);
	ck_assert_ptr_nonnull(strstr(shown(), "\"a\\u000ab\xef\xbf\xbd\xef\xbf\xbd\""));
}
END_TEST

START_TEST(texts_and_names_cannot_command_the_terminal)
{
	static const char text[] = "a\u202eb\xc2\x9b"
				   "c\u061c";

	values[2] = (struct ctf_value){.bytes = (const uint8_t *)text, .nr = sizeof(text) - 1};
	strcpy(who.name, "x\u202ey\x9b"
			 "z");
	trace_line_text(&line, &record, 0, &who);
	ck_assert_ptr_nonnull(strstr(shown(), "name = \"a\\u202eb\\u009bc\\u061c\""));
	ck_assert_ptr_nonnull(strstr(shown(), " x?y?z           some_event"));
	trace_line_json(&line, &record, 0, &who);
	ck_assert_ptr_nonnull(strstr(shown(), "\"a\\u202eb\\u009bc\\u061c\""));
}
END_TEST

START_TEST(names_of_the_description_cannot_command_the_terminal)
{
	static const struct ctf_label hostile_labels[] = {{"\033[2J", 5}};
	static const struct ctf_field hostile_fields[] = {{.name = "st\u202eatus",
							   .kind = CTF_FIELD_INTEGER,
							   .bits = 32,
							   .base = 10,
							   .labels = hostile_labels,
							   .nr_labels = 1}};
	static const struct ctf_event hostile = {
		.name = "ev\033]0;ent", .nr_fields = 1, .fields = hostile_fields};

	record.event = &hostile;
	values[0] = (struct ctf_value){.number = 5};
	trace_line_text(&line, &record, 0, &who);
	ck_assert_ptr_nonnull(strstr(shown(), " ev?]0;ent: st?atus = ?[2J\n"));
}
END_TEST

START_TEST(a_long_text_is_whole)
{
	char *text = malloc(100000);

	memset(text, 'x', 100000);
	values[2] = (struct ctf_value){.bytes = (const uint8_t *)text, .nr = 100000};
	trace_line_text(&line, &record, 0, &who);
	ck_assert_uint_gt(line.nr_bytes, 100000);
	ck_assert_int_eq(line.bytes[line.nr_bytes - 1], '\n');
	free(text);
}
END_TEST

/* ---- filters ---- */

static bool lets(void)
{
	return trace_filter_lets(&filter, &record, 1000000000, &who);
}

/* Returns whether the condition alone lets the record through. */
static bool holds(const char *condition)
{
	const int error = trace_filter_condition(&filter, condition, &diag);
	bool through;

	ck_assert_msg(!error, "%s", diag_show(&diag));
	through = lets();
	trace_filter_deinit(&filter);
	return through;
}

START_TEST(conditions_compare_numbers_texts_and_labels)
{
	ck_assert(holds("tid=-7"));
	ck_assert(!holds("tid=7"));
	ck_assert(holds("tid!=7"));
	ck_assert(holds("tid<0"));
	ck_assert(holds("tid<=-7"));
	ck_assert(!holds("tid>-7"));
	ck_assert(holds("tid>=-7"));
	ck_assert(holds("address=0x7fff0000beef"));
	ck_assert(holds("big>1"));
	ck_assert(!holds("big<1"));
	ck_assert(!holds("big=-1"));
	ck_assert(holds("name=pro*"));
	ck_assert(!holds("name!=pro*"));
	ck_assert(!holds("name=gram"));
	ck_assert(holds("status=WAIT"));
	ck_assert(holds("status=5"));
	ck_assert(holds("status!=RUN"));
	ck_assert(!holds("nothing=1"));
	ck_assert(!holds("list=1"));
}
END_TEST

START_TEST(processes_are_chosen_by_number)
{
	ck_assert(trace_filter_lets_process(&filter, -1));
	ck_assert_int_eq(trace_filter_pids(&filter, "7,2147483647", &diag), 0);
	ck_assert(trace_filter_lets_process(&filter, 7));
	ck_assert(trace_filter_lets_process(&filter, INT32_MAX));
	ck_assert(!trace_filter_lets_process(&filter, 8));
	ck_assert(!trace_filter_lets_process(&filter, -1));
	ck_assert_int_eq(trace_filter_pids(&filter, "7,", &diag), -EINVAL);
	ck_assert_int_eq(trace_filter_pids(&filter, "make", &diag), -EINVAL);
	ck_assert_int_eq(trace_filter_pids(&filter, "0", &diag), -EINVAL);
	ck_assert_int_eq(trace_filter_pids(&filter, "2147483648", &diag), -EINVAL);
	ck_assert_str_eq(diag_show(&diag), "--pid=2147483648: give process numbers, separated by "
					   "commas");
}
END_TEST

START_TEST(events_threads_cpus_and_times_are_chosen)
{
	ck_assert(lets());
	ck_assert_int_eq(trace_filter_events(&filter, "other,some_*", &diag), 0);
	ck_assert(lets());
	ck_assert_int_eq(trace_filter_threads(&filter, "7,ba*", &diag), 0);
	ck_assert(lets());
	ck_assert_int_eq(trace_filter_cpu(&filter, "3", &diag), 0);
	ck_assert(lets());
	ck_assert_int_eq(number_parse_seconds("--from", "4.000000123", &filter.from_ns, &diag), 0);
	ck_assert_int_eq(number_parse_seconds("--to", "4.000000124", &filter.to_ns, &diag), 0);
	ck_assert(lets());
	filter.to_ns--;
	ck_assert(!lets());
	filter.to_ns = 0;
	filter.from_ns++;
	ck_assert(!lets());
	trace_filter_deinit(&filter);
	ck_assert_int_eq(trace_filter_threads(&filter, "42", &diag), 0);
	ck_assert(lets());
	who.tid = 43;
	ck_assert(!lets());
}
END_TEST

START_TEST(seconds_are_read_to_the_nanosecond)
{
	uint64_t ns;

	ck_assert_int_eq(number_parse_seconds("--to", "1.5", &ns, &diag), 0);
	ck_assert_uint_eq(ns, 1500000000);
	ck_assert_int_eq(number_parse_seconds("--to", "20", &ns, &diag), 0);
	ck_assert_uint_eq(ns, 20000000000);
	ck_assert_int_eq(number_parse_seconds("--to", ".000000001", &ns, &diag), 0);
	ck_assert_uint_eq(ns, 1);
	ck_assert_int_eq(number_parse_seconds("--to", "", &ns, &diag), -EINVAL);
	ck_assert_int_eq(number_parse_seconds("--to", "1.", &ns, &diag), -EINVAL);
	ck_assert_int_eq(number_parse_seconds("--to", "-1", &ns, &diag), -EINVAL);
	ck_assert_int_eq(number_parse_seconds("--to", "1.0000000001", &ns, &diag), -EINVAL);
	ck_assert_int_eq(number_parse_seconds("--to", "0x10", &ns, &diag), -EINVAL);
	ck_assert_int_eq(number_parse_seconds("--to", "0x10.5", &ns, &diag), -EINVAL);
	ck_assert_int_eq(number_parse_seconds("--to", "1x", &ns, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "--to=1x"));
}
END_TEST

START_TEST(what_is_no_condition_is_refused)
{
	static const char *const bad[] = {"", "tid", "=1", "name<x", "tid!7"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(trace_filter_condition(&filter, bad[i], &diag), -EINVAL);
	ck_assert_int_eq(trace_filter_events(&filter, "a,,b", &diag), -EINVAL);
	ck_assert_int_eq(trace_filter_cpu(&filter, "x", &diag), -EINVAL);
}
END_TEST

/* ---- running threads ---- */

START_TEST(who_runs_is_told_by_switches_and_a_switch_is_its_leaver_s)
{
	static const struct ctf_field of_switch[] = {
		{.name = "prev_comm", .kind = CTF_FIELD_TEXT, .bits = 8, .nr = 16},
		INTEGER("prev_tid", 32, 10, true),
		{.name = "next_comm", .kind = CTF_FIELD_TEXT, .bits = 8, .nr = 16},
		INTEGER("next_tid", 32, 10, true)};
	static const struct ctf_field of_exec[] = {{.name = "filename", .kind = CTF_FIELD_STRING}};
	const struct ctf_event both[] = {
		{.name = "sched_switch", .nr_fields = 4, .fields = of_switch},
		{.name = "bare"},
		{.name = "sched_process_exec", .nr_fields = 1, .fields = of_exec}};
	const struct ctf_trace trace = {.nr_events = 3, .events = both};
	const struct ctf_value file = {.bytes = (const uint8_t *)"/bin/a_program_of_long_name",
				       .nr = 27};
	const struct ctf_value of[] = {{.bytes = (const uint8_t *)"one", .nr = 3},
				       {.number = 1},
				       {.bytes = (const uint8_t *)"two", .nr = 3},
				       {.number = 2}};
	struct ctf_record at = {.event = &both[1], .packet = &packet};
	const struct trace_runner *runner;
	struct trace_who *runs;

	ck_assert_int_eq(trace_who_create(&runs, &trace), 0);
	ck_assert_int_eq(trace_who_at(runs, &at)->tid, TRACE_WHO_UNKNOWN);
	at.event = &both[0];
	at.values = of;
	runner = trace_who_at(runs, &at);
	ck_assert_int_eq(runner->tid, 1);
	ck_assert_str_eq(runner->name, "one");
	at.event = &both[1];
	runner = trace_who_at(runs, &at);
	ck_assert_int_eq(runner->tid, 2);
	ck_assert_str_eq(runner->name, "two");
	at.event = &both[2];
	at.values = &file;
	(void)trace_who_at(runs, &at);
	at.event = &both[1];
	runner = trace_who_at(runs, &at);
	ck_assert_int_eq(runner->tid, 2);
	ck_assert_str_eq(runner->name, "a_program_of_lo");
	trace_who_destroy(runs);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_line");
	TCase *tests = tcase_create("trace_line");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_line_of_text_tells_all);
	tcase_add_test(tests, a_line_of_json_is_an_object);
	tcase_add_test(tests, who_is_not_known_is_told_so);
	tcase_add_test(tests, texts_break_no_line_and_no_document);
	tcase_add_test(tests, texts_and_names_cannot_command_the_terminal);
	tcase_add_test(tests, names_of_the_description_cannot_command_the_terminal);
	tcase_add_test(tests, a_long_text_is_whole);
	tcase_add_test(tests, conditions_compare_numbers_texts_and_labels);
	tcase_add_test(tests, processes_are_chosen_by_number);
	tcase_add_test(tests, events_threads_cpus_and_times_are_chosen);
	tcase_add_test(tests, seconds_are_read_to_the_nanosecond);
	tcase_add_test(tests, what_is_no_condition_is_refused);
	tcase_add_test(tests, who_runs_is_told_by_switches_and_a_switch_is_its_leaver_s);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
