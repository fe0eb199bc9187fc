/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose events are kept: sets of numbers, and comparisons of fields. Probes ask, from any context;
 * a filter does not change once a session has it (trace_filter_set.h).
 */
#ifndef KMOD_TRACE_FILTER_H
#define KMOD_TRACE_FILTER_H

#include "kmod/trace/trace_session.h"

struct task_struct;

struct trace_ids {
	u32 nr;
	u64 ids[]; /* in order */
};

struct session_filter {
	struct trace_ids *sets[OPROF_KTRACE_BY_TREE]; /* NULL: no matter */
	const struct trace_tree *tree;		      /* the same */
};

/* Either of the tasks (other may be NULL) is in the session's filter. */
bool trace_filter_passes(const struct trace_session *session, struct task_struct *task,
			 struct task_struct *other);

/* The number at the comparison's offset behind from, which is there. */
bool trace_compares(const struct oprof_ktrace_compare *compare, const void *from);
/* A comparison that a call may ask for, of a number within so many bytes. */
bool trace_is_comparison(const struct oprof_ktrace_compare *compare, u32 bytes);

#endif
