/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The task that samples belong to: for each CPU and level the last CONTEXT
 * entry that was read, with its references. The references are kept until the
 * next CONTEXT entry is read, or until no sample can refer to the kept one:
 * each pass begins by making writers write new contexts, and its flush waits
 * for active writers. An idle CPU is not interrupted for this; its contexts are
 * kept for one more pass. Hence no reference outlives the second pass after the
 * one that read it. For the worker only.
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
	/*
	 * Set by context_resolve(), and valid only in the pass with number
	 * resolved_in (0: not set yet).
	 */
	u64 resolved_in;
	int error;
	struct generation *generation;
	struct oprof_task task;
};

/* If want_switches, each CPU's preceding task is also kept. Returns 0 or -ENOMEM. May sleep. */
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
 * Finds the task with this id among a CPU's last two contexts of level
 * TASK. Returns false if neither has this id. If the task is found but its
 * process is unknown, *task has tgid 0 and generation 1.
 */
bool context_task(int cpu, u32 id, u64 pass, struct oprof_task *task);

/*
 * To be called when everything that a CPU wrote up to the pass's flush has
 * been read. Drops the references of contexts that earlier passes read. waited:
 * whether the flush waited for the CPU.
 */
void context_tend(int cpu, u64 pass, bool waited);

/* Returns the number of contexts whose references are held. */
unsigned int context_nr_held(void);

#endif
