/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of the machine's tasks at one moment: who lives, in which
 * process, under which name, and which code each process has mapped. It is
 * told once what runs, then what became of that, in order of time.
 *
 * Not for: how these records come, and until when they are kept (trace_mappings.c).
 */
#ifndef DAEMON_TRACE_TASKS_H
#define DAEMON_TRACE_TASKS_H

#include "daemon/trace/trace_record.h"
#include "daemon/trace/trace_state.h"

#include <stddef.h>
#include <stdint.h>

/* Of a process; of more the oldest goes, but for the program's. */
#define TRACE_TASKS_MAPPINGS_MAX 4096u

struct trace_tasks;

int trace_tasks_create(struct trace_tasks **tasks);  /* -ENOMEM */
void trace_tasks_destroy(struct trace_tasks *tasks); /* NULL: nothing */

/* What runs is to be told here (trace_state_read), before anything else. */
struct trace_state_sink *trace_tasks_sink(struct trace_tasks *tasks);

/* What became of it: a mapping of a file, or a task's record. */
void trace_tasks_take(struct trace_tasks *tasks, const struct trace_perf_record *record);

/* Tasks and mappings that are not known, for want of memory or room. */
uint64_t trace_tasks_lost(const struct trace_tasks *tasks);

/* All of it, by process. What the threads do is not known. -ENOMEM. */
int trace_tasks_tell(const struct trace_tasks *tasks, struct trace_state_sink *sink);

/* The same to a channel, as trace_state_dump does with what /proc has. -ENOMEM. */
int trace_tasks_dump(const struct trace_tasks *tasks, struct trace_channel *channel,
		     const struct trace_state_config *config, struct trace_state_counts *counts);

#endif
