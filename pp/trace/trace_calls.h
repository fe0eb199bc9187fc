/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls of a trace by name: how many began, how many failed, and how long they took. */
#ifndef PP_TRACE_CALLS_H
#define PP_TRACE_CALLS_H

#include "pp/trace/trace_rules.h"
#include "pp/trace/trace_distribution.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_call {
	const char *name; /* points into the trace; not NUL-terminated */
	size_t nr_name;
	uint64_t nr;	    /* calls begun */
	uint64_t nr_errors; /* calls that returned -1 to -4095 */
	/*
	 * Times of calls that ended, including the part of a call before the window. Calls during
	 * which events were lost are excluded, because begin and end may belong to different calls.
	 */
	struct trace_distribution ns;
	uint64_t nr_unsure; /* calls that ended but are excluded from ns */
};

struct trace_calls {
	struct trace_call *calls;
	size_t nr;
};

/*
 * Makes an entry for each name of a system call in the trace. The array `rules` has one rule for
 * each event of the trace. In the rules of system calls, sets the member `call` to the index of the
 * call's entry. Returns 0 or -ENOMEM.
 */
int trace_calls_init(struct trace_calls *calls, const struct ctf_trace *trace,
		     struct trace_rule *rules);
void trace_calls_deinit(struct trace_calls *calls);
/* Returns whether a call with this name began or ended in the window. */
bool trace_call_is_used(const struct trace_call *call);
/* Resets all counts to 0. */
void trace_calls_clear(struct trace_calls *calls);

#endif
