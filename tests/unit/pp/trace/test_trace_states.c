// SPDX-License-Identifier: GPL-2.0-or-later
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
static const struct ctf_field number_fields[] = {INTEGER("number")};
static const struct ctf_field ret_fields[] = {INTEGER("ret")};
static const struct ctf_field irq_fields[] = {INTEGER("irq"), TEXT("name")};
static const struct ctf_field vec_fields[] = {INTEGER("vec")};
static const struct ctf_field vector_fields[] = {INTEGER("vector")};
static const struct ctf_field exec_fields[] = {INTEGER("tid"), TEXT("filename")};
static const struct ctf_field new_fields[] = {INTEGER("pid"), INTEGER("clone_flags")};

enum {
	SWITCH,
	WAKEUP,
	WAKING,
	FORK,
	EXIT,
	STATE,
	ENTRY_READ,
	EXIT_READ,
	ENTRY_WRITE,
	NEW_TASK,
	EXEC,
	TIMER_ENTRY,
	TIMER_EXIT,
	IRQ_ENTRY,
	IRQ_EXIT,
	SOFTIRQ_ENTRY,
	SOFTIRQ_EXIT,
	BLOCK_DONE,
	OTHER,
	NR_EVENTS
};
#define EVENT(event_name, of)                                                                      \
	{                                                                                          \
		.name = (event_name), .nr_fields = sizeof(of) / sizeof((of)[0]), .fields = (of)    \
	}
static const struct ctf_event events[NR_EVENTS] = {
	[SWITCH] = EVENT("sched_switch", switch_fields),
	[WAKEUP] = EVENT("sched_wakeup", tid_fields),
	[WAKING] = EVENT("sched_waking", tid_fields),
	[FORK] = EVENT("sched_process_fork", fork_fields),
	[EXIT] = EVENT("sched_process_exit", tid_fields),
	[STATE] = EVENT("lttng_statedump_process_state", state_fields),
	[ENTRY_READ] = EVENT("syscall_entry_read", number_fields),
	[EXIT_READ] = EVENT("syscall_exit_read", ret_fields),
	[ENTRY_WRITE] = EVENT("syscall_entry_write", number_fields),
	[NEW_TASK] = EVENT("task_newtask", new_fields),
	[EXEC] = EVENT("sched_process_exec", exec_fields),
	[TIMER_ENTRY] = EVENT("irq_vectors_local_timer_entry", vector_fields),
	[TIMER_EXIT] = EVENT("irq_vectors_local_timer_exit", vector_fields),
	[IRQ_ENTRY] = EVENT("irq_handler_entry", irq_fields),
	[IRQ_EXIT] = EVENT("irq_handler_exit", irq_fields),
	[SOFTIRQ_ENTRY] = EVENT("irq_softirq_entry", vec_fields),
	[SOFTIRQ_EXIT] = EVENT("irq_softirq_exit", vec_fields),
	[BLOCK_DONE] = EVENT("block_rq_complete", number_fields),
	[OTHER] = EVENT("sched_process_exec", number_fields), /* without its fields: ignored */
};
static const struct ctf_trace trace = {.nr_events = NR_EVENTS, .events = events};

static struct trace_states *states;
#define BESIDE 4			      /* not a CPU's stream */
static struct oprof_packet_header packets[4]; /* the last packet of each CPU */

static void setup(void)
{
	memset(packets, 0, sizeof(packets));
	for (unsigned int i = 0; i < 4; i++)
		packets[i] = (struct oprof_packet_header){.cpu_id = i, .time_end = 1000000};
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

static const struct trace_call *call(const char *name)
{
	const struct trace_calls *calls = trace_states_calls(states);

	for (size_t i = 0; i < calls->nr; i++)
		if (calls->calls[i].nr_name == strlen(name) &&
		    !strncmp(calls->calls[i].name, name, strlen(name)))
			return &calls->calls[i];
	ck_abort_msg("no call %s", name);
	return NULL;
}

static const struct trace_interrupt *interrupt(enum trace_interrupt_kind kind, int64_t of)
{
	const struct trace_interrupts *interrupts = trace_states_interrupts(states);

	for (size_t i = 0; i < interrupts->nr; i++)
		if (interrupts->interrupts[i].kind == kind &&
		    interrupts->interrupts[i].number == of)
			return &interrupts->interrupts[i];
	ck_abort_msg("no interrupt %d", (int)of);
	return NULL;
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

static uint64_t cpu_ns(unsigned int cpu, enum cpu_state state)
{
	return trace_states_cpu(states, cpu)->ns[state];
}

START_TEST(a_cpu_is_in_one_state_at_a_time_and_all_add_up)
{
	dumped(7, 0, 5, 0);
	sched(0, 1100, 0, 0, 7);	/* 100 idle, known from the switch */
	one(0, EXIT_READ, 1110, 0);	/* 10 in the call that 7 slept in */
	one(0, IRQ_ENTRY, 1150, 0);	/* 40 user */
	one(0, SOFTIRQ_ENTRY, 1155, 0); /* an interrupt takes precedence: 5 + 15 irq */
	one(0, IRQ_EXIT, 1170, 0);
	one(0, SOFTIRQ_EXIT, 1200, 0);	/* 30 softirq */
	one(0, ENTRY_READ, 1230, 0);	/* 30 user */
	sched(0, 1260, 7, 1, 0);	/* 30 syscall */
	trace_states_end(states, 1400); /* 140 idle */
	ck_assert_uint_eq(cpu_ns(0, CPU_UNKNOWN), 0);
	ck_assert_uint_eq(cpu_ns(0, CPU_SYSCALL), 40);
	ck_assert_uint_eq(cpu_ns(0, CPU_USER), 70);
	ck_assert_uint_eq(cpu_ns(0, CPU_IRQ), 20);
	ck_assert_uint_eq(cpu_ns(0, CPU_SOFTIRQ), 30);
	ck_assert_uint_eq(cpu_ns(0, CPU_IDLE), 100 + 140);
	tiles(0, 400);
	ck_assert_uint_eq(thread(7)->ns[THREAD_SLEEPING], 100 + 140);
	ck_assert_uint_eq(thread(7)->ns[THREAD_USER], 70);
	ck_assert_uint_eq(thread(7)->ns[THREAD_SYSCALL], 40);
	ck_assert_uint_eq(thread(7)->ns[THREAD_INTERRUPTED], 50);
	ck_assert_uint_eq(thread(7)->nr_syscalls, 1);
}
END_TEST

START_TEST(what_a_thread_waits_for_is_told_by_how_it_left_and_who_woke_it)
{
	dumped(7, 0, 5, -1);
	sched(0, 1100, 0, 0, 7);
	sched(0, 1200, 7, 2, 0); /* uninterruptible */
	one(1, SOFTIRQ_ENTRY, 1290, 0);
	one(1, BLOCK_DONE, 1295, 0);
	one(1, WAKEUP, 1300, 7); /* 100, waiting for the disk */
	one(1, SOFTIRQ_EXIT, 1305, 0);
	sched(0, 1330, 0, 0, 7); /* 30 ready */
	sched(0, 1400, 7, 2, 0);
	one(1, WAKEUP, 1450, 7); /* 50 uninterruptible, not for the disk */
	sched(0, 1460, 0, 0, 7); /* 10 ready */
	sched(0, 1500, 7, 0, 8); /* preempted */
	sched(0, 1520, 8, 1, 7); /* 20 ready, without a wakeup */
	sched(0, 1600, 7, 4, 0); /* stopped */
	trace_states_end(states, 1700);
	ck_assert_uint_eq(thread(7)->ns[THREAD_DISK], 100);
	ck_assert_uint_eq(thread(7)->ns[THREAD_UNINTERRUPTIBLE], 50);
	ck_assert_uint_eq(thread(7)->ns[THREAD_READY], 30 + 10 + 20);
	ck_assert_uint_eq(thread(7)->ns[THREAD_STOPPED], 100);
	ck_assert_uint_eq(thread(7)->nr_wakeups, 2);
	ck_assert_uint_eq(thread(7)->wakeups.nr, 2);
	ck_assert_uint_eq(thread(7)->wakeups.sum, 40);
	ck_assert_uint_eq(thread(7)->wakeups.min, 10);
	ck_assert_uint_eq(thread(7)->wakeups.max, 30);
	ck_assert_uint_eq(trace_states_wakeups(states)->sum, 40);
	ck_assert_uint_eq(thread(7)->nr_switches, 4);
	/* Its mode is unknown. */
	ck_assert_uint_eq(thread(7)->ns[THREAD_RUNNING], 100 + 70 + 40 + 80);
	tiles(0, 700);
	tiles(1, 700);
}
END_TEST

/* An idle CPU that is to run the thread may itself complete the wakeup; sched_waking names the
 * CPU that began it. */
START_TEST(who_waits_for_a_disk_does_so_whichever_cpu_wakes_it)
{
	sched(0, 1100, 0, 0, 7);
	sched(0, 1200, 7, 2, 0); /* uninterruptible */
	one(0, IRQ_ENTRY, 1290, 36);
	one(0, BLOCK_DONE, 1295, 0);
	one(0, WAKING, 1296, 7);
	one(0, IRQ_EXIT, 1297, 36);
	one(1, WAKEUP, 1300, 7); /* 100, waiting for the disk */
	sched(1, 1330, 0, 0, 7);
	sched(1, 1400, 7, 2, 0);
	one(1, WAKING, 1440, 7);
	one(0, WAKEUP, 1450, 7); /* 50 uninterruptible, not for the disk */
	trace_states_end(states, 1500);
	ck_assert_uint_eq(thread(7)->ns[THREAD_DISK], 100);
	ck_assert_uint_eq(thread(7)->ns[THREAD_UNINTERRUPTIBLE], 50);
	ck_assert_uint_eq(thread(7)->ns[THREAD_READY], 30 + 50);
	ck_assert_uint_eq(thread(7)->nr_wakeups, 2);
	ck_assert_uint_eq(thread(7)->wakeups.nr, 1);
	ck_assert_uint_eq(thread(7)->wakeups.sum, 30);
}
END_TEST

/* As at the beginning of each chunk of a trace. */
START_TEST(a_state_told_again_changes_nothing_that_is_known)
{
	const struct ctf_value again[] = {number(7), number(7), text("name"),
					  number(0), number(5), number(3)};

	dumped(7, 0, 5, -1);
	sched(0, 1100, 0, 0, 7);
	one(0, ENTRY_READ, 1110, 0);
	one(0, EXIT_READ, 1120, 0);
	sched(0, 1200, 7, 2, 0); /* uninterruptible, in user mode */
	take(0, STATE, 1250, again);
	sched(0, 1300, 0, 0, 7);
	trace_states_end(states, 1400);
	ck_assert_uint_eq(thread(7)->ns[THREAD_SLEEPING], 100);
	ck_assert_uint_eq(thread(7)->ns[THREAD_UNINTERRUPTIBLE], 100);
	ck_assert_uint_eq(thread(7)->ns[THREAD_USER], 80 + 100);
	ck_assert_uint_eq(trace_states_nr_threads(states), 1);
	tiles(0, 400);
}
END_TEST

START_TEST(kernel_threads_and_their_children_are_the_kernel_s)
{
	const struct ctf_value child[] = {number(2), number(30), text("worker")};

	dumped(2, 1, 5, -1);
	sched(0, 1000, 0, 0, 2);
	take(0, FORK, 1010, child);
	sched(0, 1020, 2, 1, 30);
	sched(0, 1050, 30, 1, 0);
	trace_states_end(states, 1100);
	ck_assert_uint_eq(cpu_ns(0, CPU_KERNEL), 50);
	ck_assert_uint_eq(thread(30)->ns[THREAD_KERNEL], 30);
	ck_assert_uint_eq(thread(30)->ns[THREAD_READY], 10);
	tiles(0, 100);
}
END_TEST

START_TEST(a_number_used_again_is_another_thread)
{
	const struct ctf_value child[] = {number(7), number(8), text("second")};

	sched(0, 1000, 0, 0, 8);
	one(0, EXIT, 1040, 8);
	sched(0, 1050, 8, 32, 7);
	take(0, FORK, 1200, child);
	sched(0, 1210, 7, 1, 8);
	sched(0, 1240, 8, 1, 0);
	trace_states_end(states, 1300);
	ck_assert_uint_eq(trace_states_nr_threads(states), 3);
	ck_assert(trace_states_thread(states, 0)->has_ended);
	ck_assert_uint_eq(trace_states_thread(states, 0)->ns[THREAD_RUNNING], 40);
	ck_assert_uint_eq(trace_states_thread(states, 0)->ns[THREAD_SYSCALL], 10);
	ck_assert_uint_eq(trace_states_thread(states, 0)->ns[THREAD_SLEEPING], 0);
	ck_assert_uint_eq(thread(8)->ns[THREAD_SYSCALL], 30); /* in the call that created it */
	ck_assert_uint_eq(thread(8)->ns[THREAD_SLEEPING], 60);
	tiles(0, 300);
}
END_TEST

START_TEST(the_first_switch_tells_who_ran_before)
{
	dumped(7, 0, 2, -1);
	dumped(9, 1, 2, -1);
	sched(0, 1100, 7, 1, 0);
	sched(1, 1200, 9, 1, 0);
	trace_states_end(states, 1300);
	ck_assert_uint_eq(cpu_ns(0, CPU_RUNNING), 100);
	ck_assert_uint_eq(cpu_ns(1, CPU_KERNEL), 200);
	ck_assert_uint_eq(thread(7)->ns[THREAD_RUNNING], 100);
	ck_assert_uint_eq(thread(7)->ns[THREAD_SLEEPING], 200);
	ck_assert_uint_eq(thread(7)->ns[THREAD_UNKNOWN], 0);
	ck_assert_uint_eq(thread(9)->ns[THREAD_KERNEL], 200);
	tiles(0, 300);
	tiles(1, 300);
}
END_TEST

START_TEST(time_around_a_missing_switch_is_unknown)
{
	dumped(7, 0, 5, -1);
	dumped(8, 0, 5, -1);
	sched(0, 1100, 0, 0, 7);
	sched(0, 1200, 8, 1, 0); /* no switch to 8 was recorded */
	trace_states_end(states, 1300);
	ck_assert_uint_eq(cpu_ns(0, CPU_UNKNOWN), 100);
	ck_assert_uint_eq(cpu_ns(0, CPU_RUNNING), 0);
	ck_assert_uint_eq(thread(7)->ns[THREAD_UNKNOWN], 200); /* up to the end */
	ck_assert_uint_eq(thread(8)->ns[THREAD_UNKNOWN], 200); /* since its last event */
	ck_assert_uint_eq(thread(8)->ns[THREAD_SLEEPING], 100);
	tiles(0, 300);
}
END_TEST

START_TEST(lost_time_is_a_state_of_its_own)
{
	packets[0].time_end = 1200;
	sched(0, 1100, 0, 0, 7);
	packets[0] = (struct oprof_packet_header){
		.seq = 1, .time_begin = 1200, .time_end = 1500, .lost = 3};
	sched(0, 1300, 9, 1, 0); /* records were lost somewhere in this packet */
	packets[0] = (struct oprof_packet_header){
		.seq = 2, .time_begin = 1500, .time_end = 1800, .lost = 3};
	sched(0, 1600, 0, 0, 7);
	packets[0] = (struct oprof_packet_header){
		.seq = 9, .time_begin = 1900, .time_end = 2500, .lost = 3};
	one(0, WAKEUP, 2000, 7); /* six packets were overwritten */
	trace_states_end(states, 2100);
	ck_assert_uint_eq(cpu_ns(0, CPU_LOST), 400 + 300);
	ck_assert_uint_eq(cpu_ns(0, CPU_UNKNOWN), 0);
	ck_assert_uint_eq(cpu_ns(0, CPU_IDLE), 100 + 100);
	ck_assert_uint_eq(cpu_ns(0, CPU_RUNNING), 200);
	tiles(0, 1100);
	/* Its states in the lost time are unknown. */
	ck_assert_uint_ge(thread(7)->ns[THREAD_UNKNOWN], 300);
}
END_TEST

/* The first packet counts all losses since its ring began. */
START_TEST(what_was_lost_before_the_first_packet_is_no_lost_time_in_it)
{
	packets[0] = (struct oprof_packet_header){.seq = 5, .time_end = 1500, .lost = 3};
	packets[1] = (struct oprof_packet_header){.cpu_id = 1, .time_end = 1500, .lost = 3};
	sched(0, 1100, 0, 0, 7);
	sched(1, 1100, 0, 0, 8); /* the ring's first packet: they were lost in it */
	one(0, WAKEUP, 1400, 7);
	packets[0] = (struct oprof_packet_header){
		.seq = 6, .time_begin = 1500, .time_end = 2000, .lost = 4};
	one(0, WAKEUP, 1600, 7); /* one more was lost since the last record */
	packets[1].seq = 1;
	packets[1].time_end = 2000;
	one(1, WAKEUP, 1600, 8); /* none was */
	trace_states_end(states, 1600);
	ck_assert_uint_eq(cpu_ns(0, CPU_IDLE), 100);
	ck_assert_uint_eq(cpu_ns(0, CPU_RUNNING), 300);
	ck_assert_uint_eq(cpu_ns(0, CPU_LOST), 200);
	ck_assert_uint_eq(cpu_ns(1, CPU_LOST), 500);
	tiles(0, 600);
	tiles(1, 600);
}
END_TEST

START_TEST(events_that_lack_their_fields_are_passed_over)
{
	one(2, OTHER, 1010, 5);
	trace_states_end(states, 1020);
	ck_assert_uint_eq(trace_states_nr_threads(states), 0);
	ck_assert_ptr_null(trace_states_cpu(states, 0));
	ck_assert_uint_eq(cpu_ns(2, CPU_UNKNOWN), 20);
}
END_TEST

/* Whatever the records and their order, each CPU's states fill the window exactly. */
START_TEST(any_records_tile_the_window)
{
	uint64_t time = BEGIN, begin = BEGIN;

	srand48(_i + 1);
	for (unsigned int i = 0; i < 20000; i++) {
		const unsigned int cpu = (unsigned int)lrand48() % 4;
		const unsigned int event = (unsigned int)lrand48() % NR_EVENTS;
		const struct ctf_value values[] = {
			text("a"), number(lrand48() % 40), number(lrand48() % 300),
			text("b"), number(lrand48() % 40), number(1)};
		const struct ctf_value fork[] = {number(lrand48() % 40), number(lrand48() % 60),
						 text("c")};
		const struct ctf_value exec[] = {number(lrand48() % 40), text("e")};
		const struct ctf_value state[] = {number(lrand48() % 40),
						  number(1),
						  text("d"),
						  number(lrand48() % 2),
						  number(lrand48() % 8),
						  number(lrand48() % 3 - 1)};

		time += (uint64_t)lrand48() % 50;
		if (!(lrand48() % 100)) {
			packets[cpu].seq += 1 + (uint64_t)(lrand48() % 20 == 0);
			packets[cpu].lost += (uint64_t)lrand48() % 2;
			packets[cpu].time_begin = time;
			packets[cpu].time_end = time + (uint64_t)lrand48() % 5000;
		}
		if (i == 10000) {
			begin = time;
			trace_states_begin(states, begin);
		}
		if (event == SWITCH)
			take(cpu, event, time, values);
		else if (event == NEW_TASK || event == EXEC)
			take(cpu, event, time, event == EXEC ? exec : fork);
		else if (event == FORK)
			take(cpu, event, time, fork);
		else if (event == STATE)
			take(cpu, event, time, state);
		else
			one(cpu, event, time, lrand48() % 40);
	}
	trace_states_end(states, time + 7);
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		tiles(cpu, time + 7 - begin);
	ck_assert_uint_gt(begin, BEGIN);
}
END_TEST

START_TEST(a_call_is_timed_from_its_begin_to_its_end)
{
	sched(0, 1000, 0, 0, 7);
	one(0, EXIT_READ, 1010, 5); /* its beginning was before the trace */
	one(0, ENTRY_READ, 1020, 0);
	sched(0, 1030, 7, 1, 8);
	one(0, ENTRY_READ, 1040, 0);
	one(0, EXIT_READ, 1047, -4); /* 7 ns, of thread 8, an error */
	sched(0, 1100, 8, 1, 7);
	one(0, EXIT_READ, 1220, 3); /* 200 ns, of thread 7, across another thread's */
	one(0, ENTRY_READ, 1300, 0);
	one(0, EXIT_READ, 1340, -4096); /* 40 ns: an address, not an error */
	one(0, ENTRY_WRITE, 1350, 0);	/* never ends */
	trace_states_end(states, 1400);
	ck_assert_uint_eq(call("read")->nr, 3);
	ck_assert_uint_eq(call("read")->nr_errors, 1);
	ck_assert_uint_eq(call("read")->nr_unsure, 0);
	ck_assert_uint_eq(call("read")->ns.nr, 3);
	ck_assert_uint_eq(call("read")->ns.sum, 7 + 200 + 40);
	ck_assert_uint_eq(call("read")->ns.min, 7);
	ck_assert_uint_eq(call("read")->ns.max, 200);
	ck_assert_uint_eq(call("write")->nr, 1);
	ck_assert_uint_eq(call("write")->ns.nr, 0);
	ck_assert_uint_eq(thread(7)->nr_errors, 0);
	ck_assert_uint_eq(thread(8)->nr_errors, 1);
	ck_assert_uint_eq(thread(7)->nr_syscalls, 3);
}
END_TEST

START_TEST(what_began_before_a_loss_has_no_time)
{
	packets[0].time_end = 1200;
	sched(0, 1000, 0, 0, 7);
	one(0, ENTRY_READ, 1100, 0);
	one(0, WAKEUP, 1110, 9);
	packets[0] = (struct oprof_packet_header){
		.seq = 1, .time_begin = 1200, .time_end = 1300, .lost = 3};
	one(0, EXIT_READ, 1250, 0); /* the end of this call or of a later one */
	sched(0, 1260, 7, 1, 9);
	packets[0] = (struct oprof_packet_header){
		.seq = 2, .time_begin = 1300, .time_end = 2000, .lost = 3};
	one(0, WAKEUP, 1300, 7);
	sched(0, 1350, 9, 1, 7);
	one(0, ENTRY_READ, 1400, 0);
	one(0, EXIT_READ, 1460, 0);
	trace_states_end(states, 1500);
	ck_assert_uint_eq(call("read")->nr, 2);
	ck_assert_uint_eq(call("read")->nr_unsure, 1);
	ck_assert_uint_eq(call("read")->ns.nr, 1);
	ck_assert_uint_eq(call("read")->ns.sum, 60);
	ck_assert_uint_eq(thread(9)->wakeups.nr, 0);
	ck_assert_uint_eq(thread(7)->wakeups.sum, 50);
	ck_assert_uint_eq(trace_states_wakeups(states)->nr, 1);
}
END_TEST

START_TEST(interrupts_are_counted_by_number_and_name)
{
	sched(0, 1000, 0, 0, 7);
	one(0, IRQ_ENTRY, 1010, 36);
	packets[0].seq++;	    /* the next packet follows without a loss */
	one(0, IRQ_EXIT, 1025, 36); /* 15 */
	one(0, SOFTIRQ_ENTRY, 1030, 3);
	one(0, IRQ_ENTRY, 1040, 36); /* 5, within a soft interrupt */
	one(0, IRQ_EXIT, 1045, 36);
	one(0, SOFTIRQ_EXIT, 1050, 3); /* 20, including the 5 */
	one(0, SOFTIRQ_ENTRY, 1060, 9);
	one(0, SOFTIRQ_EXIT, 1062, 9);
	one(0, TIMER_ENTRY, 1070, 236);
	one(0, TIMER_EXIT, 1079, 236);
	one(1, IRQ_EXIT, 1080, 40); /* its beginning was not recorded */
	one(1, IRQ_ENTRY, 1090, 41);
	trace_states_end(states, 1100);
	ck_assert_uint_eq(interrupt(INTERRUPT_DEVICE, 36)->nr, 2);
	ck_assert_uint_eq(interrupt(INTERRUPT_DEVICE, 36)->ns.sum, 20);
	ck_assert_uint_eq(interrupt(INTERRUPT_DEVICE, 36)->ns.max, 15);
	ck_assert_str_eq(interrupt(INTERRUPT_DEVICE, 36)->name, "disk");
	ck_assert_uint_eq(interrupt(INTERRUPT_SOFT, 3)->ns.sum, 20);
	ck_assert_str_eq(interrupt(INTERRUPT_SOFT, 3)->name, "NET_RX");
	ck_assert_str_eq(interrupt(INTERRUPT_SOFT, 9)->name, "RCU");
	ck_assert_uint_eq(interrupt(INTERRUPT_VECTOR, 236)->ns.sum, 9);
	ck_assert_str_eq(interrupt(INTERRUPT_VECTOR, 236)->name, "local_timer");
	ck_assert_uint_eq(interrupt(INTERRUPT_DEVICE, 41)->nr, 1);
	ck_assert_uint_eq(interrupt(INTERRUPT_DEVICE, 41)->ns.nr, 0);
	ck_assert_uint_eq(cpu_ns(0, CPU_IRQ), 15 + 5 + 9);
	ck_assert_uint_eq(cpu_ns(0, CPU_SOFTIRQ), 15 + 2);
	ck_assert_uint_eq(trace_states_cpu(states, 0)->nr_irqs, 3);
	tiles(0, 100);
}
END_TEST

/* The state from before the window counts, its time does not. */
START_TEST(a_window_begins_where_it_is_said_to)
{
	dumped(7, 0, 5, -1);
	sched(0, 1010, 0, 0, 7);
	one(0, EXIT_READ, 1020, 0);
	one(0, IRQ_ENTRY, 1030, 36);
	one(0, IRQ_EXIT, 1050, 36);
	one(0, WAKEUP, 1060, 9);
	one(0, ENTRY_READ, 1080, 0);
	trace_states_begin(states, 1100);
	one(0, EXIT_READ, 1130, -9); /* 30 of its 50 are in the window; the call's time is 50 */
	sched(0, 1150, 7, 1, 9);     /* 20 user */
	sched(0, 1170, 9, 1, 0);
	trace_states_end(states, 1200);
	ck_assert_uint_eq(cpu_ns(0, CPU_SYSCALL), 30);
	ck_assert_uint_eq(cpu_ns(0, CPU_USER), 20);
	ck_assert_uint_eq(cpu_ns(0, CPU_RUNNING), 20);
	ck_assert_uint_eq(cpu_ns(0, CPU_IDLE), 30);
	ck_assert_uint_eq(cpu_ns(0, CPU_IRQ), 0);
	tiles(0, 100);
	ck_assert_uint_eq(trace_states_cpu(states, 0)->nr_irqs, 0);
	ck_assert_uint_eq(trace_states_cpu(states, 0)->nr_switches, 2);
	ck_assert_uint_eq(thread(7)->ns[THREAD_SYSCALL], 30);
	ck_assert_uint_eq(thread(7)->ns[THREAD_USER], 20);
	ck_assert_uint_eq(thread(7)->ns[THREAD_SLEEPING], 50);
	ck_assert_uint_eq(thread(7)->nr_switches, 0);
	ck_assert_uint_eq(thread(9)->ns[THREAD_READY], 50);
	ck_assert_uint_eq(thread(9)->ns[THREAD_RUNNING], 20);
	ck_assert_uint_eq(thread(9)->ns[THREAD_SLEEPING], 30);
	ck_assert_uint_eq(thread(9)->nr_wakeups, 0);
	ck_assert_uint_eq(thread(9)->wakeups.sum, 90);
	ck_assert_uint_eq(call("read")->nr, 0);
	ck_assert_uint_eq(call("read")->nr_errors, 1);
	ck_assert_uint_eq(call("read")->ns.sum, 50);
	ck_assert_uint_eq(interrupt(INTERRUPT_DEVICE, 36)->nr, 0);
	ck_assert_uint_eq(interrupt(INTERRUPT_DEVICE, 36)->ns.nr, 0);
}
END_TEST

START_TEST(who_ended_before_the_window_is_not_of_it)
{
	sched(0, 1010, 0, 0, 7);
	one(0, EXIT, 1020, 7);
	sched(0, 1030, 7, 32, 0);
	trace_states_begin(states, 1100);
	trace_states_end(states, 1200);
	ck_assert(thread(7)->is_before);
	for (unsigned int i = 0; i < NR_THREAD_STATES; i++)
		ck_assert_uint_eq(thread(7)->ns[i], 0);
	ck_assert_uint_eq(cpu_ns(0, CPU_IDLE), 100);
}
END_TEST

static bool is_seven(const void *context, int32_t pid, int32_t tid, const char *name)
{
	(void)context;
	(void)pid;
	(void)name;
	return tid == 7;
}

START_TEST(what_is_asked_of_threads_is_theirs_only)
{
	trace_states_choose(states, is_seven, NULL);
	sched(0, 1000, 0, 0, 7);
	one(0, ENTRY_READ, 1010, 0);
	one(0, EXIT_READ, 1020, 0);
	one(0, IRQ_ENTRY, 1030, 36);
	one(0, IRQ_EXIT, 1034, 36);
	one(0, WAKEUP, 1035, 8);
	sched(0, 1040, 7, 1, 8);
	one(0, ENTRY_READ, 1050, 0);
	one(0, EXIT_READ, 1090, -1);
	one(0, IRQ_ENTRY, 1091, 36);
	one(0, IRQ_EXIT, 1099, 36);
	trace_states_end(states, 1100);
	ck_assert(thread(7)->is_chosen);
	ck_assert(!thread(8)->is_chosen);
	ck_assert_uint_eq(call("read")->ns.sum, 10);
	ck_assert_uint_eq(call("read")->nr_errors, 0);
	ck_assert_uint_eq(interrupt(INTERRUPT_DEVICE, 36)->ns.sum, 4);
	ck_assert_uint_eq(trace_states_wakeups(states)->nr, 0);
	ck_assert_uint_eq(thread(8)->wakeups.sum, 5);
	tiles(0, 100);
}
END_TEST

static void forks(uint64_t time, int parent, int tid, int64_t flags)
{
	const struct ctf_value told[] = {number(tid), number(flags)};
	const struct ctf_value child[] = {number(parent), number(tid), text("child")};

	take(0, NEW_TASK, time, told);
	take(0, FORK, time, child);
}

static const struct trace_process *process(const struct trace_processes *processes, int pid)
{
	for (size_t i = 0; i < processes->nr; i++)
		if (processes->processes[i].pid == pid)
			return &processes->processes[i];
	ck_abort_msg("no process %d", pid);
	return NULL;
}

static bool is_of_seven(const void *context, int32_t pid, int32_t tid, const char *name)
{
	(void)context;
	(void)tid;
	(void)name;
	return pid == 7;
}

START_TEST(what_is_asked_of_a_process_is_its_threads_also_of_those_that_begin_later)
{
	const struct ctf_value made[] = {number(20), number(0x00010000)};
	const struct ctf_value fork[] = {number(7), number(20), text("n")};

	trace_states_choose(states, is_of_seven, NULL);
	dumped(7, 0, 5, 0);
	dumped(8, 0, 5, 0);
	sched(0, 1000, 0, 0, 7);
	take(0, NEW_TASK, 1005, made);
	take(0, FORK, 1006, fork);
	sched(0, 1010, 7, 1, 20);
	one(0, ENTRY_READ, 1020, 0);
	one(0, EXIT_READ, 1030, 0);
	sched(0, 1040, 20, 1, 8);
	one(0, ENTRY_READ, 1050, 0);
	one(0, EXIT_READ, 1090, 0);
	trace_states_end(states, 1100);
	ck_assert(thread(7)->is_chosen);
	ck_assert(thread(20)->is_chosen);
	ck_assert(!thread(8)->is_chosen);
	ck_assert_uint_eq(call("read")->ns.sum, 10);
}
END_TEST

START_TEST(a_process_is_what_its_threads_are)
{
	const struct ctf_value unknown[] = {number(7), number(20), text("child")};
	const struct ctf_value exec[] = {number(20), text("/bin/program")};
	struct trace_processes processes;

	dumped(7, 0, 5, -1);
	sched(0, 1000, 0, 0, 7);
	forks(1010, 7, 8, 0x10100); /* creates a thread */
	forks(1020, 7, 9, 0x100);
	forks(1030, 8, 10, 0x10000); /* creates a thread of the same process */
	take(0, FORK, 1035, unknown);
	sched(0, 1040, 7, 1, 8);
	one(0, ENTRY_READ, 1045, 0);
	one(0, EXIT_READ, 1050, -1);
	sched(0, 1060, 8, 1, 9);
	sched(0, 1100, 9, 1, 20);
	sched(0, 1150, 20, 1, 30);
	trace_states_end(states, 1200);
	ck_assert_int_eq(trace_processes_init(&processes, states), 0);
	ck_assert_uint_eq(process(&processes, 7)->nr_threads, 3);
	ck_assert_uint_eq(process(&processes, 7)->ns[THREAD_RUNNING], 40);
	ck_assert_uint_eq(process(&processes, 7)->ns[THREAD_SYSCALL], 10);
	ck_assert_uint_eq(process(&processes, 7)->ns[THREAD_USER], 10);
	ck_assert_uint_eq(process(&processes, 7)->nr_syscalls, 1);
	ck_assert_uint_eq(process(&processes, 7)->nr_errors, 1);
	ck_assert_uint_eq(process(&processes, 9)->ns[THREAD_SYSCALL], 40);
	ck_assert_uint_eq(process(&processes, -1)->nr_threads, 2); /* threads 20 and 30 */
	trace_processes_deinit(&processes);
	take(0, EXEC, 1200, exec);
	ck_assert_int_eq(thread(20)->pid, 20);
	ck_assert_str_eq(thread(20)->name, "program");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_states");
	TCase *tests = tcase_create("trace_states");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_cpu_is_in_one_state_at_a_time_and_all_add_up);
	tcase_add_test(tests, what_a_thread_waits_for_is_told_by_how_it_left_and_who_woke_it);
	tcase_add_test(tests, who_waits_for_a_disk_does_so_whichever_cpu_wakes_it);
	tcase_add_test(tests, a_state_told_again_changes_nothing_that_is_known);
	tcase_add_test(tests, kernel_threads_and_their_children_are_the_kernel_s);
	tcase_add_test(tests, a_number_used_again_is_another_thread);
	tcase_add_test(tests, the_first_switch_tells_who_ran_before);
	tcase_add_test(tests, time_around_a_missing_switch_is_unknown);
	tcase_add_test(tests, lost_time_is_a_state_of_its_own);
	tcase_add_test(tests, what_was_lost_before_the_first_packet_is_no_lost_time_in_it);
	tcase_add_test(tests, events_that_lack_their_fields_are_passed_over);
	tcase_add_test(tests, a_call_is_timed_from_its_begin_to_its_end);
	tcase_add_test(tests, what_began_before_a_loss_has_no_time);
	tcase_add_test(tests, interrupts_are_counted_by_number_and_name);
	tcase_add_test(tests, a_window_begins_where_it_is_said_to);
	tcase_add_test(tests, who_ended_before_the_window_is_not_of_it);
	tcase_add_test(tests, what_is_asked_of_threads_is_theirs_only);
	tcase_add_test(tests,
		       what_is_asked_of_a_process_is_its_threads_also_of_those_that_begin_later);
	tcase_add_test(tests, a_process_is_what_its_threads_are);
	tcase_add_loop_test(tests, any_records_tile_the_window, 0, 20);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
