/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's tasks at one moment: the threads that exist, their processes and names, and the
 * code that each process has mapped. The module's caller first passes all running tasks, then each
 * change in the order of time.
 *
 * Elsewhere: reading records of changes and deciding how long to keep them (trace_mappings.c).
 */
#ifndef DAEMON_TRACE_TASKS_H
#define DAEMON_TRACE_TASKS_H

#include "daemon/trace/trace_record.h"
#include "daemon/trace/trace_state.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Limit of the number of mappings of a process. When it is reached, the oldest mapping except the
 * program's own is removed.
 */
#define TRACE_TASKS_MAPPINGS_MAX 4096u

struct trace_tasks;

int trace_tasks_create(struct trace_tasks **tasks);  /* returns 0 or -ENOMEM */
void trace_tasks_destroy(struct trace_tasks *tasks); /* NULL: does nothing */

/*
 * Returns a sink that receives the running tasks (from trace_state_read). To be used before the
 * first call of trace_tasks_take.
 */
struct trace_state_sink *trace_tasks_sink(struct trace_tasks *tasks);

/* Applies a change: the record of a mapping of a file, or of a task. */
void trace_tasks_take(struct trace_tasks *tasks, const struct trace_perf_record *record);

/*
 * Returns the number of tasks and mappings that were lost because memory was short or a process had
 * too many mappings.
 */
uint64_t trace_tasks_lost(const struct trace_tasks *tasks);

/*
 * Passes all tasks to sink, process by process. The status of threads is unknown. Returns 0 or
 * -ENOMEM.
 */
int trace_tasks_tell(const struct trace_tasks *tasks, struct trace_state_sink *sink);

/*
 * Writes all tasks to a channel, as trace_state_dump does for the tasks in /proc. Returns 0 or
 * -ENOMEM.
 */
int trace_tasks_dump(const struct trace_tasks *tasks, struct trace_channel *channel,
		     const struct trace_state_config *config, struct trace_state_counts *counts);

#endif
