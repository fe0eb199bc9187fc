// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_pids.h"

#include "tests/fixture/failing_calls.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>

#define IS_THREAD 0x00010000

#define INTEGER(field_name)                                                                        \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = 64, .is_signed = true     \
	}
static const struct ctf_field fork_fields[] = {INTEGER("parent_tid"), INTEGER("child_tid"),
					       INTEGER("child_comm")};
static const struct ctf_field state_fields[] = {INTEGER("tid"),	   INTEGER("pid"),
						INTEGER("name"),   INTEGER("type"),
						INTEGER("status"), INTEGER("syscall")};
static const struct ctf_field exec_fields[] = {INTEGER("tid"), INTEGER("filename")};
static const struct ctf_field new_fields[] = {INTEGER("pid"), INTEGER("clone_flags")};

static const struct ctf_field begin_fields[] = {INTEGER("tid"), INTEGER("pid"),
						INTEGER("parent_tid")};

enum { FORK, STATE, EXEC, NEW_TASK, TASK_BEGIN, NR_EVENTS };
#define EVENT(event_name, of)                                                                      \
	{                                                                                          \
		.name = (event_name), .nr_fields = sizeof(of) / sizeof((of)[0]), .fields = (of)    \
	}
static const struct ctf_event events[NR_EVENTS] = {
	[FORK] = EVENT("sched_process_fork", fork_fields),
	[STATE] = EVENT("lttng_statedump_process_state", state_fields),
	[EXEC] = EVENT("sched_process_exec", exec_fields),
	[NEW_TASK] = EVENT("task_newtask", new_fields),
	[TASK_BEGIN] = EVENT("oprof_task_begin", begin_fields),
};
static const struct ctf_trace trace = {.nr_events = NR_EVENTS, .events = events};

static struct trace_pids *pids;

static void setup(void)
{
	ck_assert_int_eq(trace_pids_create(&pids, &trace), 0);
}

static void teardown(void)
{
	trace_pids_destroy(pids);
}

static void take(unsigned int cpu, unsigned int event, uint64_t time, int64_t first, int64_t second)
{
	const struct oprof_packet_header packet = {.cpu_id = cpu};
	const struct ctf_value values[6] = {{.number = (uint64_t)first},
					    {.number = (uint64_t)second}};
	const struct ctf_record record = {
		.event = &events[event], .values = values, .time = time, .packet = &packet};

	ck_assert_int_eq(trace_pids_take(pids, &record), 0);
}

START_TEST(who_was_there_is_of_the_process_that_the_state_tells)
{
	take(0, STATE, 1000, 7, 7);
	take(0, STATE, 1000, 8, 7);
	ck_assert_int_eq(trace_pids_at(pids, 8, 2000), 7);
	ck_assert_int_eq(trace_pids_at(pids, 7, 2000), 7);
	ck_assert_int_eq(trace_pids_at(pids, 8, 10), 7); /* also before the state record */
	ck_assert_int_eq(trace_pids_at(pids, 9, 2000), TRACE_PID_UNKNOWN);
	ck_assert_int_eq(trace_pids_at(pids, 0, 2000), TRACE_PID_UNKNOWN);
	ck_assert_int_eq(trace_pids_at(pids, -1, 2000), TRACE_PID_UNKNOWN);
}
END_TEST

START_TEST(a_new_thread_is_of_its_parents_process_and_a_new_process_of_its_own)
{
	take(0, STATE, 1000, 7, 7);
	take(0, STATE, 1000, 8, 7);
	take(1, NEW_TASK, 1100, 20, IS_THREAD);
	take(2, NEW_TASK, 1101, 30, 0); /* on another CPU, in between */
	take(1, FORK, 1102, 8, 20);
	take(2, FORK, 1103, 8, 30);
	ck_assert_int_eq(trace_pids_at(pids, 20, 1200), 7);
	ck_assert_int_eq(trace_pids_at(pids, 30, 1200), 30);
}
END_TEST

START_TEST(a_new_task_of_a_stream_without_a_cpu_is_no_lack_of_memory)
{
	take(0, STATE, 1000, 7, 7);
	take(OPROF_PACKET_NO_CPU, NEW_TASK, 1100, 20, IS_THREAD);
	take(OPROF_PACKET_NO_CPU, FORK, 1101, 7, 20);
	ck_assert_int_eq(trace_pids_at(pids, 20, 1200), TRACE_PID_UNKNOWN);
}
END_TEST

START_TEST(a_fork_that_does_not_tell_which_it_is_leaves_it_unknown_until_an_exec)
{
	take(0, STATE, 1000, 7, 7);
	take(0, FORK, 1100, 7, 20);
	ck_assert_int_eq(trace_pids_at(pids, 20, 1200), TRACE_PID_UNKNOWN);
	take(0, EXEC, 1300, 20, 0);
	ck_assert_int_eq(trace_pids_at(pids, 20, 1400), 20);
}
END_TEST

START_TEST(a_number_used_again_is_of_another_process_from_then_on)
{
	take(0, STATE, 1000, 7, 7);
	take(0, STATE, 1000, 8, 7);
	take(0, STATE, 1000, 9, 9);
	take(0, NEW_TASK, 2000, 8, IS_THREAD);
	take(0, FORK, 2001, 9, 8);
	take(0, STATE, 3000, 8, 9); /* each chunk of a rotated folder repeats it */
	ck_assert_int_eq(trace_pids_at(pids, 8, 1500), 7);
	ck_assert_int_eq(trace_pids_at(pids, 8, 2500), 9);
	ck_assert_int_eq(trace_pids_at(pids, 8, 3500), 9);
	take(0, STATE, 4000, 8, 10); /* the thread's fork was lost */
	ck_assert_int_eq(trace_pids_at(pids, 8, 3500), 9);
	ck_assert_int_eq(trace_pids_at(pids, 8, 4500), 10);
}
END_TEST

/* As in a flight recorder's snapshots. */
START_TEST(a_begin_that_is_told_beside_the_cpus_and_its_fork_are_one)
{
	take(0, STATE, 1000, 7, 7);
	take(OPROF_PACKET_NO_CPU, TASK_BEGIN, 1100, 20, 7);
	take(0, FORK, 1101, 7, 20);
	ck_assert_int_eq(trace_pids_at(pids, 20, 1200), 7);
	take(0, FORK, 1300, 7, 20); /* a second fork */
	ck_assert_int_eq(trace_pids_at(pids, 20, 1400), TRACE_PID_UNKNOWN);
}
END_TEST

START_TEST(many_threads_are_all_known)
{
	for (int tid = 1; tid < 20000; tid++)
		take(0, STATE, 1000, tid, tid / 10 + 1);
	for (int tid = 1; tid < 20000; tid++)
		ck_assert_int_eq(trace_pids_at(pids, tid, 2000), tid / 10 + 1);
}
END_TEST

START_TEST(without_memory_nothing_is_made)
{
	struct trace_pids *made;
	unsigned long nr_failed = 0;

	for (unsigned long nth = 1;; nth++) {
		int error, has_failed;

		made = NULL;
		failing_begin(FAILING_MEMORY, nth, 0);
		error = trace_pids_create(&made, &trace);
		has_failed = failing_end();
		if (!has_failed) {
			ck_assert_int_eq(error, 0);
			break;
		}
		nr_failed++;
		ck_assert_int_eq(error, -ENOMEM);
		ck_assert_ptr_null(made);
	}
	trace_pids_destroy(made);
	ck_assert_uint_eq(nr_failed, 3); /* the object, its rules, its slots */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_pids");
	TCase *tests = tcase_create("trace_pids");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, who_was_there_is_of_the_process_that_the_state_tells);
	tcase_add_test(tests, a_new_thread_is_of_its_parents_process_and_a_new_process_of_its_own);
	tcase_add_test(tests, a_new_task_of_a_stream_without_a_cpu_is_no_lack_of_memory);
	tcase_add_test(tests,
		       a_fork_that_does_not_tell_which_it_is_leaves_it_unknown_until_an_exec);
	tcase_add_test(tests, a_number_used_again_is_of_another_process_from_then_on);
	tcase_add_test(tests, a_begin_that_is_told_beside_the_cpus_and_its_fork_are_one);
	tcase_add_test(tests, many_threads_are_all_known);
	tcase_add_test(tests, without_memory_nothing_is_made);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
