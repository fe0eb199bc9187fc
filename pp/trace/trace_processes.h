/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the threads of each process did, together. */
#ifndef PP_TRACE_PROCESSES_H
#define PP_TRACE_PROCESSES_H

#include "pp/trace/trace_states.h"

struct trace_process {
	int32_t pid;	  /* -1: all threads of which it is not known whose they are */
	const char *name; /* its first thread's; the states' */
	bool is_kernel;
	uint64_t nr_threads;
	uint64_t ns[NR_THREAD_STATES];
	uint64_t nr_switches, nr_syscalls, nr_errors, nr_wakeups;
	struct trace_distribution wakeups;
};

struct trace_processes {
	struct trace_process *processes;
	size_t nr;
};

/* Of the chosen threads of ended states, a number used again apart. -ENOMEM. */
int trace_processes_init(struct trace_processes *processes, const struct trace_states *states);
void trace_processes_deinit(struct trace_processes *processes);

#endif
