/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events of a trace are wanted: by time, event, CPU, process, thread and field. */
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
	char *text; /* a pattern, for texts */
	bool is_number;
	int64_t number;
};

/* Zeroed lets all through; each thing that is said keeps some out. */
struct trace_filter {
	char **events; /* patterns: one has to fit the event's name */
	size_t nr_events;
	char **threads; /* numbers, or patterns of names: one has to fit who ran */
	size_t nr_threads;
	int32_t *pids; /* who ran has to be of one of these processes */
	size_t nr_pids;
	struct trace_condition *conditions; /* all have to hold */
	size_t nr_conditions;
	bool has_cpu;
	uint64_t cpu;
	uint64_t from_ns, to_ns; /* since the trace's begin; to_ns 0: to its end */
};

void trace_filter_deinit(struct trace_filter *filter);

/* Each adds what text says. 0; -EINVAL and diag; -ENOMEM. */
int trace_filter_events(struct trace_filter *filter, const char *text, struct diag *diag);
int trace_filter_threads(struct trace_filter *filter, const char *text, struct diag *diag);
int trace_filter_pids(struct trace_filter *filter, const char *text, struct diag *diag);
int trace_filter_cpu(struct trace_filter *filter, const char *text, struct diag *diag);
/* "FIELD=VALUE", with != < > <= >= */
int trace_filter_condition(struct trace_filter *filter, const char *text, struct diag *diag);

/* Whether the thread is one of those that are wanted. */
bool trace_filter_lets_thread(const struct trace_filter *filter, int32_t tid, const char *name);
/* Whether the process is; below 0: not known, which is none of them. */
bool trace_filter_lets_process(const struct trace_filter *filter, int32_t pid);

/* But for the processes, which a record does not tell. */
bool trace_filter_lets(const struct trace_filter *filter, const struct ctf_record *record,
		       uint64_t begin, const struct trace_runner *who);

#endif
