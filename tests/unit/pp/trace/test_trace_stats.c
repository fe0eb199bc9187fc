// SPDX-License-Identifier: GPL-2.0-or-later
/* The report of a trace's calls: rows, and bars under them. */
#include "pp/trace/trace_stats.h"

#include "tests/fixture/test_folder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER(field_name)                                                                         \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = 64, .is_signed = true     \
	}

static const struct ctf_field entry_fields[] = {NUMBER("number")};
static const struct ctf_field exit_fields[] = {NUMBER("ret")};
#define TEXT(field_name)                                                                           \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_TEXT, .bits = 8, .nr = 16                  \
	}
static const struct ctf_field switch_fields[] = {TEXT("prev_comm"), NUMBER("prev_tid"),
						 NUMBER("prev_state"), TEXT("next_comm"),
						 NUMBER("next_tid")};

enum { SWITCH, READ, READ_END, WRITE, WRITE_END, NR_EVENTS };
static const struct ctf_event events[NR_EVENTS] = {
	[SWITCH] = {.name = "sched_switch", .nr_fields = 5, .fields = switch_fields},
	[READ] = {.name = "syscall_entry_read", .nr_fields = 1, .fields = entry_fields},
	[READ_END] = {.name = "syscall_exit_read", .nr_fields = 1, .fields = exit_fields},
	[WRITE] = {.name = "syscall_entry_write", .nr_fields = 1, .fields = entry_fields},
	[WRITE_END] = {.name = "syscall_exit_write", .nr_fields = 1, .fields = exit_fields},
};
static const struct ctf_trace trace = {.nr_events = NR_EVENTS, .events = events};

static struct oprof_packet_header packet;
static struct trace_states *states;
static uint64_t now;
static int prev_tid, next_tid;
static char *shown;

static void take(unsigned int event)
{
	static const uint8_t name[] = {'n'};
	const struct ctf_value values[] = {[0] = {.bytes = name, .nr = event == SWITCH},
					   [1] = {.number = (uint64_t)prev_tid},
					   [3] = {.bytes = name, .nr = 1},
					   [4] = {.number = next_tid}};
	const struct ctf_record record = {
		.event = &events[event], .values = values, .time = now, .packet = &packet};

	ck_assert_int_eq(trace_states_take(states, &record), 0);
}

static void setup(void)
{
	packet = (struct oprof_packet_header){.time_end = UINT64_MAX};
	now = 0;
	prev_tid = 0;
	next_tid = 7;
	shown = NULL;
	ck_assert_int_eq(trace_states_create(&states, &trace, now), 0);
	take(SWITCH);
}

static void teardown(void)
{
	free(shown);
	trace_states_destroy(states);
}

static void call(unsigned int event, uint64_t ns)
{
	take(event);
	now += ns;
	take(event + 1);
}

/* Takes a record of which only the returned value matters. */
static void take_return(unsigned int event, int64_t returned)
{
	const struct ctf_value values[] = {{.number = (uint64_t)returned}};
	const struct ctf_record record = {
		.event = &events[event], .values = values, .time = now, .packet = &packet};

	ck_assert_int_eq(trace_states_take(states, &record), 0);
}

static void show_choice(const struct trace_stats_choice *choice, uint64_t from_ns)
{
	const struct trace_sums sums = {.window_ns = now, .from_ns = from_ns};
	size_t nr_bytes;
	FILE *out = open_memstream(&shown, &nr_bytes);

	ck_assert_ptr_nonnull(out);
	trace_states_end(states, now);
	ck_assert_int_eq(trace_stats_show(states, &sums, choice, out), 0);
	ck_assert_int_eq(fclose(out), 0);
}

static void show(size_t nr_rows, bool histograms, uint64_t from_ns)
{
	const struct trace_stats_choice choice = {
		.tables = TRACE_TABLE_CALLS, .nr_rows = nr_rows, .histograms = histograms};

	show_choice(&choice, from_ns);
}

static void assert_shown(const char *lines)
{
	ck_assert_msg(strstr(shown, lines), "not there: %s\nbut: %s", lines, shown);
}

#define BAR_40 "########################################"

/* The last power of each unit, and the first one of the next. */
static const struct {
	unsigned int power;
	const char *line;
} powers[] = {
	{0, "\n             0 ns          1 " BAR_40 "\n"},
	{1, "\n             2 ns          1 " BAR_40 "\n"},
	{9, "\n           512 ns          1 " BAR_40 "\n"},
	{10, "\n           1.0 us          1 " BAR_40 "\n"},
	{19, "\n         524.3 us          1 " BAR_40 "\n"},
	{20, "\n           1.0 ms          1 " BAR_40 "\n"},
	{29, "\n         536.9 ms          1 " BAR_40 "\n"},
	{30, "\n           1.1 s           1 " BAR_40 "\n"},
	{40, "\n        1099.5 s           1 " BAR_40 "\n"},
};

START_TEST(a_bar_begins_at_its_power_of_two_in_the_unit_that_fits)
{
	call(READ, UINT64_C(1) << powers[_i].power);
	show(0, true, 0);
	assert_shown(powers[_i].line);
	ck_assert_int_eq(*(strstr(shown, powers[_i].line) + strlen(powers[_i].line)), '\0');
}
END_TEST

START_TEST(bars_are_as_long_as_their_share_of_the_longest_and_gaps_are_shown)
{
	for (unsigned int i = 0; i < 100; i++)
		call(READ, 16);
	for (unsigned int i = 0; i < 50; i++)
		call(READ, 32);
	call(READ, 128);
	show(0, true, 0);
	assert_shown("\n            16 ns        100 " BAR_40 "\n"
		     "            32 ns         50 ####################\n"
		     "            64 ns          0 \n"
		     "           128 ns          1 #\n");
}
END_TEST

START_TEST(bars_are_shown_only_when_they_are_asked_for)
{
	call(READ, 16);
	show(0, false, 0);
	ck_assert_ptr_null(strchr(shown, '#'));
}
END_TEST

static const struct {
	size_t nr_rows;
	bool has_read;
} rows[] = {{0, true}, {1, false}, {2, true}, {3, true}};

START_TEST(rows_with_the_most_time_come_first_up_to_the_number_that_is_asked_for)
{
	const char *first, *second;

	call(READ, 100);
	call(WRITE, 101);
	show(rows[_i].nr_rows, false, 0);
	first = strstr(shown, "\nwrite  ");
	second = strstr(shown, "\nread  ");
	ck_assert_ptr_nonnull(first);
	ck_assert_int_eq(second != NULL, rows[_i].has_read);
	ck_assert(!second || first < second);
}
END_TEST

START_TEST(the_window_is_told_with_where_it_begins)
{
	call(READ, UINT64_C(1500000001));
	show(0, false, 0);
	ck_assert(!strncmp(shown, "1.500000001 s\n", 14));
	free(shown);
	show(0, false, 1);
	ck_assert(!strncmp(shown, "1.500000001 s, from 0.000000001 s on\n", 37));
}
END_TEST

static void show_json(void)
{
	const struct trace_sums sums = {.window_ns = now};
	size_t nr_bytes;
	FILE *out = open_memstream(&shown, &nr_bytes);

	ck_assert_ptr_nonnull(out);
	trace_states_end(states, now);
	ck_assert_int_eq(trace_stats_show_json(states, &sums, out), 0);
	ck_assert_int_eq(fclose(out), 0);
}

static void assert_once(const char *part)
{
	const char *first = strstr(shown, part);

	ck_assert_msg(first && !strstr(first + 1, part), "not there once: %s\nbut: %s", part,
		      shown);
}

/*
 * The first and last elements of each array; CPU 1 has no record. The threads' process is unknown.
 */
START_TEST(json_has_all_cpus_processes_threads_and_calls)
{
	call(READ, 100);
	packet.cpu_id = 2;
	next_tid = 8;
	take(SWITCH);
	call(WRITE, 101);
	show_json();
	assert_once(
		"\n \"cpus\":[\n  {\"cpu\":0,\"idle_ns\":0,\"user_ns\":101,\"syscall_ns\":100,");
	assert_once("},\n  {\"cpu\":2,\"idle_ns\":100,\"user_ns\":0,\"syscall_ns\":101,");
	assert_once("\n \"processes\":[\n  {\"pid\":-1,\"name\":\"\",\"kernel\":false,"
		    "\"threads\":2,\"user_ns\":101,\"syscall_ns\":201,");
	assert_once(",\"unknown_ns\":100,\"switches\":2,\"syscalls\":2,\"errors\":0,\"wakeups\":0,"
		    "\"wakeup\":{\"nr\":0,");
	assert_once("\n \"threads\":[\n  {\"tid\":7,\"pid\":-1,\"name\":\"n\",\"kernel\":false,"
		    "\"ended\":false,\"user_ns\":101,\"syscall_ns\":100,");
	assert_once("},\n  {\"tid\":8,\"pid\":-1,");
	assert_once("\n \"calls\":[\n  {\"name\":\"read\",\"calls\":1,");
	assert_once("},\n  {\"name\":\"write\",\"calls\":1,");
}
END_TEST

/* The call began before the time that is shown, so its time is not known. */
START_TEST(a_call_that_only_failed_is_shown)
{
	now += 10;
	take_return(READ_END, -2);
	if (_i) {
		show_json();
		assert_once("{\"name\":\"read\",\"calls\":0,\"errors\":1,");
	} else {
		show(0, false, 0);
		assert_shown("\nread                              0         1");
	}
}
END_TEST

static bool is_thread_9(const void *context, int32_t pid, int32_t tid, const char *name)
{
	(void)context;
	(void)pid;
	(void)name;
	return tid == 9;
}

/* Its coming to run was lost, so none of its time is known. */
START_TEST(a_thread_of_which_only_its_last_switch_is_known_is_shown)
{
	static const unsigned int tables[] = {TRACE_TABLE_PROCESSES, TRACE_TABLE_THREADS};
	static const char *const lines[] = {"\n       ? not known              1 ",
					    "\n       9 n                      0.000 "};
	const struct trace_stats_choice choice = {.tables = tables[_i]};

	trace_states_destroy(states);
	ck_assert_int_eq(trace_states_create(&states, &trace, now), 0);
	trace_states_choose(states, is_thread_9, NULL);
	take(SWITCH);
	prev_tid = 9;
	next_tid = 0;
	packet.lost = 1;
	packet.seq++;
	now += 10;
	take(SWITCH);
	show_choice(&choice, 0);
	assert_shown(lines[_i]);
}
END_TEST

/* With --from, what ran only before the window has no row. */
START_TEST(a_thread_that_ran_only_before_the_window_is_not_shown)
{
	const struct trace_stats_choice choice = {.tables = TRACE_TABLE_PROCESSES |
							    TRACE_TABLE_THREADS};

	prev_tid = 7;
	next_tid = 0;
	now += 10;
	take(SWITCH);
	now += 10;
	trace_states_begin(states, now);
	prev_tid = 0;
	next_tid = 8;
	take(SWITCH);
	now += 10;
	show_choice(&choice, 20);
	assert_shown("\n       8 n  ");
	ck_assert_ptr_null(strstr(shown, "\n       7 n  "));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_stats");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, a_bar_begins_at_its_power_of_two_in_the_unit_that_fits, 0,
			    sizeof(powers) / sizeof(powers[0]));
	tcase_add_test(tests, bars_are_as_long_as_their_share_of_the_longest_and_gaps_are_shown);
	tcase_add_test(tests, bars_are_shown_only_when_they_are_asked_for);
	tcase_add_loop_test(tests,
			    rows_with_the_most_time_come_first_up_to_the_number_that_is_asked_for,
			    0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(tests, a_call_that_only_failed_is_shown, 0, 2);
	tcase_add_test(tests, a_thread_that_ran_only_before_the_window_is_not_shown);
	tcase_add_loop_test(tests, a_thread_of_which_only_its_last_switch_is_known_is_shown, 0, 2);
	tcase_add_test(tests, json_has_all_cpus_processes_threads_and_calls);
	tcase_add_test(tests, the_window_is_told_with_where_it_begins);
	return test_run(tests);
}
