/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selects the tasks whose events are kept, by sets of numbers, and compares
 * fields. Probes call it from any context. A filter does not change once it is
 * set (trace_filter_set.h).
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

/* Whether one of the tasks (other may be NULL) passes the session's filter. */
bool trace_filter_passes(const struct trace_session *session, struct task_struct *task,
			 struct task_struct *other);

/* Whether the number at compare->offset from `from`, which must be readable, fulfils compare. */
bool trace_compares(const struct oprof_ktrace_compare *compare, const void *from);
/* Whether a call may ask for this comparison, with a number within the first `bytes` bytes. */
bool trace_is_comparison(const struct oprof_ktrace_compare *compare, u32 bytes);

#endif
