/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which events a session records, by sets of task numbers and by
 * comparisons of fields. Probes call these functions from any context. A
 * filter that probes use is never changed, only replaced (trace_filter_set.h).
 */
#ifndef KMOD_TRACE_FILTER_H
#define KMOD_TRACE_FILTER_H

#include "kmod/trace/trace_session.h"

struct task_struct;

struct trace_ids {
	u32 nr;
	u64 ids[]; /* sorted */
};

struct session_filter {
	struct trace_ids *sets[OPROF_KTRACE_BY_TREE]; /* NULL: every number passes */
	const struct trace_tree *tree;		      /* NULL: every thread passes */
};

/* Returns whether `task` or `other` (which may be NULL) passes the session's filter. */
bool trace_filter_passes(const struct trace_session *session, struct task_struct *task,
			 struct task_struct *other);

/*
 * Returns whether the number at compare->offset in the record `from` satisfies
 * compare. The record must be long enough for this number.
 */
bool trace_compares(const struct oprof_ktrace_compare *compare, const void *from);
/*
 * Returns whether compare is valid and its number lies within the first
 * `bytes` bytes of a record.
 */
bool trace_is_comparison(const struct oprof_ktrace_compare *compare, u32 bytes);

#endif
