/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The task that samples belong to: for each CPU and level the last CONTEXT
 * entry that was read, with its references. The references are kept until the
 * next CONTEXT entry is read, or until no sample can refer to this one: each pass begins by making
 * writers write new contexts, and its flush waits for writers at work. An idle
 * CPU is not interrupted for this; its contexts are kept for one more pass.
 * Hence no reference outlives the second pass after the one that read it. For
 * the worker only.
 */
#ifndef KMOD_CONTEXT_H
#define KMOD_CONTEXT_H

#include <linux/types.h>

#include "kmod/entry.h"
#include "oprof/record.h"

struct generation;

struct context {
	struct entry_context entry;
	bool known;
	u64 read_in; /* pass number */
	/* Set by context_resolve(), and valid only in pass resolved_in (0: none yet). */
	u64 resolved_in;
	int error;
	struct generation *generation;
	struct oprof_task task;
};

/* want_switches: also keep each CPU's preceding task. Returns 0 or -ENOMEM. May sleep. */
int context_open(bool want_switches);
/* Drops all references. */
void context_close(void);

/* Takes over the references of a CONTEXT entry that was read; drops those of the preceding one. */
void context_enter(int cpu, const struct entry_context *entry, u64 pass);

/* Returns NULL if the context with this id was lost or has been replaced. */
struct context *context_find(int cpu, u32 level, u32 id);

/* Fills in generation and task. Returns 0; -ESRCH: the process is unknown; -ENOMEM; -ENOSPC. */
int context_resolve(struct context *context, u64 pass);

/*
 * Finds the task with this id among a CPU's last two contexts of level TASK.
 * False: neither has this id. tgid 0: the task is unknown.
 */
bool context_task(int cpu, u32 id, u64 pass, struct oprof_task *task);

/*
 * Call it when all that a CPU wrote up to the pass's flush has been read. Drops
 * what earlier passes read. waited: the flush waited for the CPU.
 */
void context_tend(int cpu, u64 pass, bool waited);

/* Returns the number of contexts whose references are held. */
unsigned int context_nr_held(void);

#endif
