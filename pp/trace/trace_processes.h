/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums the times and counts of each process's threads. */
#ifndef PP_TRACE_PROCESSES_H
#define PP_TRACE_PROCESSES_H

#include "pp/trace/trace_states.h"

struct trace_process {
	int32_t pid;		 /* -1: sum of all threads whose process is unknown */
	const char *name;	 /* name of the first thread; owned by the states */
	bool is_kernel, is_seen; /* is_seen: a thread of the process ran in the window */
	uint64_t nr_threads;
	uint64_t ns[NR_THREAD_STATES];
	uint64_t nr_switches, nr_syscalls, nr_errors, nr_wakeups;
	struct trace_distribution wakeups;
};

struct trace_processes {
	struct trace_process *processes;
	size_t nr;
};

/*
 * Call after trace_states_end(). Sums the chosen threads, except threads that ended before the
 * window. If the kernel used a process number again, each process has its own entry. Returns 0 or
 * -ENOMEM.
 */
int trace_processes_init(struct trace_processes *processes, const struct trace_states *states);
void trace_processes_deinit(struct trace_processes *processes);

#endif
