/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each CPU and each thread did, by the events of a trace: states that
 * follow on each other without a gap, so that their times add up to the
 * window, to the nanosecond. What is not known is a state of its own.
 *
 * Fed with the records of all CPUs in order of time. Knows the names of
 * events that doc/man/optrace.1 tells, and passes over others.
 *
 * Not for: reading folders (ctf/), showing (trace_stats.h).
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

/* Of a CPU. */
enum cpu_state {
	CPU_UNKNOWN, /* before the first event that tells */
	CPU_LOST,    /* events were lost meanwhile */
	CPU_IDLE,
	CPU_USER,
	CPU_SYSCALL,
	CPU_KERNEL,  /* a kernel thread */
	CPU_RUNNING, /* a program; whether in a system call is not known */
	CPU_SOFTIRQ,
	CPU_IRQ,
	NR_CPU_STATES
};

/* Of a thread. Interrupts that come while it runs are not its own doing, and told apart. */
enum thread_state {
	THREAD_UNKNOWN,
	THREAD_USER,
	THREAD_SYSCALL,
	THREAD_KERNEL,
	THREAD_RUNNING,		/* in user mode or in a system call: it is not known */
	THREAD_INTERRUPTED,	/* by interrupts and soft interrupts */
	THREAD_READY,		/* waits for a CPU */
	THREAD_DISK,		/* uninterruptible, and woken by a block request's end */
	THREAD_UNINTERRUPTIBLE, /* for something else, or nothing says for what */
	THREAD_SLEEPING,	/* waits for others, or for a time */
	THREAD_STOPPED,
	NR_THREAD_STATES
};

#define TRACE_NO_PROCESS UINT32_MAX

struct trace_thread {
	int32_t tid, pid; /* pid -1: not known */
	uint32_t process; /* index of the process's first thread; TRACE_NO_PROCESS: not known */
	char name[17];
	bool is_kernel, has_ended;
	bool is_before; /* it ended before the window */
	bool is_chosen; /* by trace_states_choose, by one of its names */
	uint64_t ns[NR_THREAD_STATES];
	uint64_t nr_switches; /* that it came to run */
	uint64_t nr_syscalls, nr_wakeups;
	uint64_t nr_errors; /* of its system calls */
	/* From being woken to running, each time that it ran then and nothing was lost. */
	struct trace_distribution wakeups;
};

struct trace_cpu_times {
	uint64_t ns[NR_CPU_STATES];
	uint64_t nr_switches, nr_irqs, nr_softirqs;
};

struct trace_states;

/* Of a trace that is described so; the window begins at begin. -ENOMEM. */
int trace_states_create(struct trace_states **states, const struct ctf_trace *trace,
			uint64_t begin);
void trace_states_destroy(struct trace_states *states); /* NULL: nothing */

/* The next record; not before the one before. 0 or -ENOMEM. */
int trace_states_take(struct trace_states *states, const struct ctf_record *record);

/*
 * The window begins here, not before the last record: what came before only tells how things
 * stood.
 */
void trace_states_begin(struct trace_states *states, uint64_t begin);

/* Whether the thread is one of those that are asked for; name may be "", pid -1: not known. */
typedef bool trace_chooser(const void *context, int32_t pid, int32_t tid, const char *name);
/*
 * Before the first record: system calls, wake-ups to running and interrupts only of these, or
 * while these ran; threads are told with is_chosen, and CPUs as ever. NULL: all.
 */
void trace_states_choose(struct trace_states *states, trace_chooser *chooser, const void *context);

/* The window ends there; then the sums may be asked for. */
void trace_states_end(struct trace_states *states, uint64_t end);

/* One more than the highest CPU that had a record. */
unsigned int trace_states_nr_cpus(const struct trace_states *states);
/* NULL: no record came from it. */
const struct trace_cpu_times *trace_states_cpu(const struct trace_states *states, unsigned int cpu);

/* All threads that an event named, in the order in which they were. */
size_t trace_states_nr_threads(const struct trace_states *states);
const struct trace_thread *trace_states_thread(const struct trace_states *states, size_t i);

/* By name, and by nothing. Those with nr 0 and ns.nr 0 did not come. */
const struct trace_calls *trace_states_calls(const struct trace_states *states);
const struct trace_interrupts *trace_states_interrupts(const struct trace_states *states);
/* Of all threads, as of each. */
const struct trace_distribution *trace_states_wakeups(const struct trace_states *states);

/* Else THREAD_DISK can't be told from THREAD_UNINTERRUPTIBLE. */
bool trace_states_has_block_events(const struct trace_states *states);

#endif
