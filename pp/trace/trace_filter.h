/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters the events of a trace by time, event, CPU, process, thread and field. */
#ifndef PP_TRACE_FILTER_H
#define PP_TRACE_FILTER_H

#include "ctf/stream.h"
#include "lib/diag.h"
#include "pp/trace/trace_who.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_compare {
	COMPARE_IS,
	COMPARE_IS_NOT,
	COMPARE_BELOW,
	COMPARE_ABOVE,
	COMPARE_AT_MOST,
	COMPARE_AT_LEAST
};

struct trace_condition {
	char *field;
	enum trace_compare compare;
	char *text; /* pattern that the field's text is compared with */
	bool is_number;
	int64_t number;
};

/* A zeroed filter accepts everything; each member that is set rejects some events. */
struct trace_filter {
	char **events; /* patterns: one must match the event's name */
	size_t nr_events;
	char **threads; /* numbers, or patterns of names: one must match the running thread */
	size_t nr_threads;
	int32_t *pids; /* the running thread must belong to one of these processes */
	size_t nr_pids;
	struct trace_condition *conditions; /* all conditions must be true */
	size_t nr_conditions;
	bool has_cpu;
	uint64_t cpu;
	/* Limits of the time since the trace's beginning. If to_ns is 0, no upper limit exists. */
	uint64_t from_ns, to_ns;
};

void trace_filter_deinit(struct trace_filter *filter);

/*
 * These functions add the conditions that `text` describes; trace_filter_cpu() replaces an earlier
 * CPU. They return 0, or -EINVAL or -ENOMEM with diag set.
 */
int trace_filter_events(struct trace_filter *filter, const char *text, struct diag *diag);
int trace_filter_threads(struct trace_filter *filter, const char *text, struct diag *diag);
int trace_filter_pids(struct trace_filter *filter, const char *text, struct diag *diag);
int trace_filter_cpu(struct trace_filter *filter, const char *text, struct diag *diag);
/* `text` is "FIELD=VALUE"; != < > <= >= are also allowed instead of =. */
int trace_filter_condition(struct trace_filter *filter, const char *text, struct diag *diag);

bool trace_filter_lets_thread(const struct trace_filter *filter, int32_t tid, const char *name);
/*
 * Returns whether the filter accepts the process. A negative pid stands for an unknown process,
 * which a filter by process rejects.
 */
bool trace_filter_lets_process(const struct trace_filter *filter, int32_t pid);

/*
 * Returns whether the filter accepts the record. Does not check filter->pids, because a record does
 * not contain its process. `begin` is the time of the trace's beginning.
 */
bool trace_filter_lets(const struct trace_filter *filter, const struct ctf_record *record,
		       uint64_t begin, const struct trace_runner *who);

#endif
