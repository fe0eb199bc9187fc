/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of each CPU and each thread over time, from the events of a trace. States follow each
 * other without a gap, so that the sum of their times is exactly the window's length. Unknown time
 * has its own state.
 *
 * Needs the records of all CPUs in order of time. Uses the events that doc/man/optrace.1 lists, and
 * ignores others.
 *
 * ctf/ reads the trace folder; trace_stats.h shows the results.
 */
#ifndef PP_TRACE_STATES_H
#define PP_TRACE_STATES_H

#include "ctf/ctf.h"
#include "ctf/stream.h"
#include "pp/trace/trace_calls.h"
#include "pp/trace/trace_interrupts.h"
#include "pp/trace/trace_distribution.h"

#include <stdbool.h>
#include <stdint.h>

/* States of a CPU. */
enum cpu_state {
	CPU_UNKNOWN, /* a switch is missing, so that the running thread is not known */
	CPU_LOST,    /* events were lost in this time */
	CPU_IDLE,
	CPU_USER,
	CPU_SYSCALL,
	CPU_KERNEL,  /* a kernel thread */
	CPU_RUNNING, /* a program runs; unknown whether in a system call */
	CPU_SOFTIRQ,
	CPU_IRQ,
	NR_CPU_STATES
};

/* States of a thread. While an interrupt runs, the interrupted thread is THREAD_INTERRUPTED. */
enum thread_state {
	THREAD_UNKNOWN,
	THREAD_USER,
	THREAD_SYSCALL,
	THREAD_KERNEL,
	THREAD_RUNNING,		/* in user mode or in a system call: unknown which */
	THREAD_INTERRUPTED,	/* an interrupt or soft interrupt runs */
	THREAD_READY,		/* waits for a CPU */
	THREAD_DISK,		/* waits uninterruptibly; woken by the end of a block request */
	THREAD_UNINTERRUPTIBLE, /* waits uninterruptibly for another or an unknown reason */
	THREAD_SLEEPING,	/* waits for other threads, or for a time */
	THREAD_STOPPED,
	NR_THREAD_STATES
};

#define TRACE_NO_PROCESS UINT32_MAX

struct trace_thread {
	int32_t tid, pid; /* pid -1: not known */
	uint32_t process; /* index of the process's first thread; TRACE_NO_PROCESS: not known */
	char name[17];
	bool is_kernel, has_ended;
	bool is_before; /* ended before the window */
	bool is_seen;	/* ran in the window, possibly for an unknown time */
	bool is_chosen; /* the trace_chooser accepted the thread, with one of its names */
	uint64_t ns[NR_THREAD_STATES];
	uint64_t nr_switches; /* number of times that the thread began to run */
	uint64_t nr_syscalls, nr_wakeups;
	uint64_t nr_errors; /* system calls that returned an error */
	/* Times from being woken to running, if no event was lost in between. */
	struct trace_distribution wakeups;
};

struct trace_cpu_times {
	uint64_t ns[NR_CPU_STATES];
	uint64_t nr_switches, nr_irqs, nr_softirqs;
};

struct trace_states;

/*
 * Creates the states of all CPUs and threads. trace describes the events. The window begins at
 * `begin`. Returns 0 or -ENOMEM.
 */
int trace_states_create(struct trace_states **states, const struct ctf_trace *trace,
			uint64_t begin);
void trace_states_destroy(struct trace_states *states); /* NULL: does nothing */

/* Handles the next record. Records must come in order of time. Returns 0 or -ENOMEM. */
int trace_states_take(struct trace_states *states, const struct ctf_record *record);

/*
 * Begins the window at `begin`, which must not precede the last record handled. Records handled
 * before this call only determine the states at the window's beginning.
 */
void trace_states_begin(struct trace_states *states, uint64_t begin);

/* Returns whether to choose the thread. An unknown name is "", an unknown pid is -1. */
typedef bool trace_chooser(const void *context, int32_t pid, int32_t tid, const char *name);
/*
 * Chooses the threads that `chooser` accepts (NULL: all threads), and sets their is_chosen. Call
 * this function before the first record. Then only the system calls and wake-up times of chosen
 * threads are counted, and only the interrupts during which a chosen thread is the running thread.
 * The choice does not affect the times of CPUs.
 */
void trace_states_choose(struct trace_states *states, trace_chooser *chooser, const void *context);

/* Ends the window. The sums can be read after this call. */
void trace_states_end(struct trace_states *states, uint64_t end);

/* Returns 1 + the highest number of a CPU that had a record. */
unsigned int trace_states_nr_cpus(const struct trace_states *states);
/* Returns the times of a CPU; NULL if the CPU had no record. */
const struct trace_cpu_times *trace_states_cpu(const struct trace_states *states, unsigned int cpu);

/* Threads that at least one event named: their number, and thread i in order of first events. */
size_t trace_states_nr_threads(const struct trace_states *states);
const struct trace_thread *trace_states_thread(const struct trace_states *states, size_t i);

/*
 * These functions return the sums of system calls, sorted by name, and the sums of interrupts, not
 * sorted. If all counts of an entry are 0, the call or interrupt did not occur in the window.
 */
const struct trace_calls *trace_states_calls(const struct trace_states *states);
const struct trace_interrupts *trace_states_interrupts(const struct trace_states *states);
/* Returns the wake-up times of all chosen threads. */
const struct trace_distribution *trace_states_wakeups(const struct trace_states *states);

/* Returns whether THREAD_DISK can be distinguished from THREAD_UNINTERRUPTIBLE. */
bool trace_states_has_block_events(const struct trace_states *states);

#endif
