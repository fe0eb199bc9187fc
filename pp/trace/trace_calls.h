/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls of a trace by name: how many, how they ended, how long they took. */
#ifndef PP_TRACE_CALLS_H
#define PP_TRACE_CALLS_H

#include "pp/trace/trace_rules.h"
#include "pp/trace/trace_distribution.h"

#include <stddef.h>
#include <stdint.h>

struct trace_call {
	const char *name; /* the trace's; not ended by a NUL */
	size_t nr_name;
	uint64_t nr;	    /* begun */
	uint64_t nr_errors; /* ended with -1 to -4095 */
	/*
	 * Those that ended, each with all of its time, which may have begun before the window. Not
	 * those meanwhile events were lost: an end may be another one's.
	 */
	struct trace_distribution ns;
	uint64_t nr_unsure; /* ended, but not in ns for that */
};

struct trace_calls {
	struct trace_call *calls;
	size_t nr;
};

/* One for each name that the trace describes: its rules' numbers become theirs. -ENOMEM. */
int trace_calls_init(struct trace_calls *calls, const struct ctf_trace *trace,
		     struct trace_rule *rules);
void trace_calls_deinit(struct trace_calls *calls);
/* As if none had been made. */
void trace_calls_clear(struct trace_calls *calls);

#endif
