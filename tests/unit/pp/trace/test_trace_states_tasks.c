// SPDX-License-Identifier: GPL-2.0-or-later
/* The use that trace_states makes of task records outside the CPUs' streams. */
#include "pp/trace/trace_states.h"

#include "pp/trace/trace_processes.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN 1000
#define INTEGER(field_name)                                                                        \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = 64, .is_signed = true     \
	}
#define TEXT(field_name)                                                                           \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_TEXT, .bits = 8, .nr = 16                  \
	}

static const struct ctf_field switch_fields[] = {TEXT("prev_comm"), INTEGER("prev_tid"),
						 INTEGER("prev_state"), TEXT("next_comm"),
						 INTEGER("next_tid")};
static const struct ctf_field tid_fields[] = {INTEGER("tid")};
static const struct ctf_field fork_fields[] = {INTEGER("parent_tid"), INTEGER("child_tid"),
					       TEXT("child_comm")};
static const struct ctf_field state_fields[] = {INTEGER("tid"),	   INTEGER("pid"),
						TEXT("name"),	   INTEGER("type"),
						INTEGER("status"), INTEGER("syscall")};
static const struct ctf_field begin_fields[] = {INTEGER("tid"), INTEGER("pid"),
						INTEGER("parent_tid")};
static const struct ctf_field name_fields[] = {INTEGER("tid"), TEXT("name")};

enum { SWITCH, FORK, EXIT, STATE, TASK_BEGIN, TASK_EXEC, TASK_END, NR_EVENTS };
#define EVENT(event_name, of)                                                                      \
	{                                                                                          \
		.name = (event_name), .nr_fields = sizeof(of) / sizeof((of)[0]), .fields = (of)    \
	}
static const struct ctf_event events[NR_EVENTS] = {
	[SWITCH] = EVENT("sched_switch", switch_fields),
	[FORK] = EVENT("sched_process_fork", fork_fields),
	[EXIT] = EVENT("sched_process_exit", tid_fields),
	[STATE] = EVENT("lttng_statedump_process_state", state_fields),
	[TASK_BEGIN] = EVENT("oprof_task_begin", begin_fields),
	[TASK_EXEC] = EVENT("oprof_task_exec", name_fields),
	[TASK_END] = EVENT("oprof_task_end", tid_fields),
};
static const struct ctf_trace trace = {.nr_events = NR_EVENTS, .events = events};

static struct trace_states *states;
#define BESIDE 4			      /* not a CPU's stream */
static struct oprof_packet_header packets[5]; /* the last packet of each CPU */

static void setup(void)
{
	memset(packets, 0, sizeof(packets));
	for (unsigned int i = 0; i < 4; i++)
		packets[i] = (struct oprof_packet_header){.cpu_id = i, .time_end = 1000000};
	packets[BESIDE].cpu_id = OPROF_PACKET_NO_CPU;
	ck_assert_int_eq(trace_states_create(&states, &trace, BEGIN), 0);
}

static void teardown(void)
{
	trace_states_destroy(states);
}

static void take(unsigned int cpu, unsigned int event, uint64_t time,
		 const struct ctf_value *values)
{
	const struct ctf_record record = {
		.event = &events[event], .values = values, .time = time, .packet = &packets[cpu]};

	ck_assert_int_eq(trace_states_take(states, &record), 0);
}

static struct ctf_value text(const char *of)
{
	return (struct ctf_value){.bytes = (const uint8_t *)of, .nr = (uint32_t)strlen(of)};
}

static struct ctf_value number(int64_t of)
{
	return (struct ctf_value){.number = (uint64_t)of};
}

static void sched(unsigned int cpu, uint64_t time, int prev, int state, int next)
{
	const struct ctf_value values[] = {text("p"), number(prev), number(state), text("n"),
					   number(next)};

	take(cpu, SWITCH, time, values);
}

static void one(unsigned int cpu, unsigned int event, uint64_t time, int64_t of)
{
	const struct ctf_value values[] = {number(of), text("disk")};

	take(cpu, event, time, values);
}

static void dumped(int tid, int type, int status, int call)
{
	const struct ctf_value values[] = {number(tid),	 number(tid),	 text("name"),
					   number(type), number(status), number(call)};

	take(0, STATE, BEGIN, values);
}

static const struct trace_thread *thread(int tid)
{
	const struct trace_thread *found = NULL;

	for (size_t i = 0; i < trace_states_nr_threads(states); i++)
		if (trace_states_thread(states, i)->tid == tid)
			found = trace_states_thread(states, i); /* its last life */
	ck_assert_msg(found != NULL, "no thread %d", tid);
	return found;
}

/* Check that the CPU's states add up to the window. */
static void tiles(unsigned int cpu, uint64_t window)
{
	const struct trace_cpu_times *times = trace_states_cpu(states, cpu);
	uint64_t sum = 0;

	for (unsigned int i = 0; i < NR_CPU_STATES; i++)
		sum += times->ns[i];
	ck_assert_uint_eq(sum, window);
}

static void task_begins(uint64_t time, int tid, int pid, int parent)
{
	const struct ctf_value values[] = {number(tid), number(pid), number(parent)};

	take(BESIDE, TASK_BEGIN, time, values);
}

static void task_ends(uint64_t time, int tid)
{
	const struct ctf_value values[] = {number(tid)};

	take(BESIDE, TASK_END, time, values);
}

/* As in a snapshot, for tasks whose events its rings no longer hold. */
START_TEST(who_began_and_ended_beside_the_cpus_has_a_name_and_a_process)
{
	const struct ctf_value program[] = {number(8), text("program")};

	dumped(7, 0, 5, -1);
	task_begins(1100, 8, 8, 7);
	ck_assert_str_eq(thread(8)->name, "name");
	task_begins(1110, 9, 8, 8);
	take(BESIDE, TASK_EXEC, 1120, program);
	task_ends(1130, 9);
	task_ends(1140, 50); /* an unknown thread */
	task_begins(1200, 8, 8, 7);
	trace_states_end(states, 1300);
	ck_assert_uint_eq(trace_states_nr_threads(states), 4);
	ck_assert_str_eq(trace_states_thread(states, 1)->name, "program");
	ck_assert(trace_states_thread(states, 1)->has_ended);
	ck_assert_uint_eq(trace_states_thread(states, 1)->ns[THREAD_READY], 100);
	ck_assert_int_eq(thread(9)->pid, 8);
	ck_assert_str_eq(thread(8)->name, "name");
	ck_assert_int_eq(thread(8)->pid, 8);
}
END_TEST

START_TEST(a_begin_that_its_cpu_tells_too_is_one)
{
	const struct ctf_value child[] = {number(7), number(8), text("child")};

	dumped(7, 0, 5, -1);
	sched(0, 1000, 0, 0, 7);
	task_begins(1009, 8, 7, 7);
	take(0, FORK, 1010, child);
	sched(0, 1050, 7, 1, 8);
	one(0, EXIT, 1060, 8);
	task_ends(1065, 8);
	sched(0, 1070, 8, 32, 0);
	take(0, FORK, 1100, child); /* without a record in the other stream */
	trace_states_end(states, 1200);
	ck_assert_uint_eq(trace_states_nr_threads(states), 3);
	ck_assert_int_eq(trace_states_thread(states, 1)->pid, 7); /* a thread of process 7 */
	ck_assert_uint_eq(trace_states_thread(states, 1)->ns[THREAD_SYSCALL], 20);
	ck_assert(trace_states_thread(states, 1)->has_ended);
	tiles(0, 200);
}
END_TEST

/* After its exit, it waits for a lock to give back its memory: observed on a busy machine. */
START_TEST(who_waits_after_its_exit_is_who_comes_again)
{
	dumped(7, 0, 5, -1);
	sched(0, 1010, 0, 0, 7);
	one(0, EXIT, 1020, 7);
	task_ends(1021, 7);
	sched(0, 1030, 7, 2, 0);
	sched(1, 1040, 0, 0, 7);
	sched(1, 1050, 7, 0, 0);
	sched(1, 1060, 0, 0, 7);
	sched(1, 1070, 7, 32, 0);
	trace_states_end(states, 1200);
	ck_assert_uint_eq(trace_states_nr_threads(states), 1);
	ck_assert_int_eq(thread(7)->pid, 7);
	ck_assert(thread(7)->has_ended);
	ck_assert_uint_eq(thread(7)->ns[THREAD_UNINTERRUPTIBLE], 10);
	ck_assert_uint_eq(thread(7)->ns[THREAD_READY], 10);
}
END_TEST

/* A thread ends by sched_process_exit and the switch after it. */
START_TEST(each_state_of_the_dead_ends_a_thread_and_no_other)
{
	static const struct {
		int state;
		bool ends, ends_after_exit;
	} cases[] = {
		{16, true, true},  /* dead */
		{32, true, true},  /* a zombie */
		{64, false, true}, /* dead before 4.14; later, parked, which runs again */
		{0, false, false},   {1, false, false},	  {2, false, false}, {4, false, false},
		{8, false, false},   {128, false, false}, /* to be killed by a signal before 4.14 */
		{130, false, false}, {256, false, false},
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int tid = 7 + (int)i;

		dumped(tid, 0, 5, -1);
		sched(0, 1010 + 10 * i, 0, 0, tid);
		one(0, EXIT, 1012 + 10 * i, tid);
		sched(0, 1014 + 10 * i, tid, cases[i].state, 0);
		ck_assert_int_eq(thread(tid)->has_ended, cases[i].ends_after_exit);
	}
	/* Exits, if any, were before the trace. */
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int tid = 40 + (int)i;

		sched(1, 1010 + 10 * i, 0, 0, tid);
		sched(1, 1014 + 10 * i, tid, cases[i].state, 0);
		ck_assert_int_eq(thread(tid)->has_ended, cases[i].ends);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_states_tasks");
	TCase *tests = tcase_create("trace_states_tasks");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, who_began_and_ended_beside_the_cpus_has_a_name_and_a_process);
	tcase_add_test(tests, a_begin_that_its_cpu_tells_too_is_one);
	tcase_add_test(tests, who_waits_after_its_exit_is_who_comes_again);
	tcase_add_test(tests, each_state_of_the_dead_ends_a_thread_and_no_other);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
