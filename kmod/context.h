/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For each CPU and level, keeps the last CONTEXT entry that the worker read:
 * the task to which the next samples belong. The entry has references (address
 * space and pid). The worker drops these references when it reads the next
 * CONTEXT entry of that CPU and level. It drops them earlier if no sample can
 * refer to the entry any more. To ensure this, each pass begins by requesting a
 * new CONTEXT entry from all writers, and the pass's flush waits until no
 * writer is inside a sample. After the flush, no sample refers to entries of
 * earlier passes. The flush does not interrupt idle CPUs, so their entries are
 * kept for one more pass. If pass N read an entry, pass N + 2 drops the entry's
 * references at the latest. Only the worker may call these functions.
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

/*
 * Allocates the contexts of all CPUs. If want_switches is set, each CPU's
 * preceding task is kept, too. Returns 0 or -ENOMEM. May sleep.
 */
int context_open(bool want_switches);
/* Drops all references. */
void context_close(void);

/*
 * Makes this CONTEXT entry the CPU's current entry: takes over its references
 * and drops the references of the preceding entry.
 */
void context_enter(int cpu, const struct entry_context *entry, u64 pass);

/* Finds the CPU's context with this id. Returns NULL if it was lost or has been replaced. */
struct context *context_find(int cpu, u32 level, u32 id);

/*
 * Fills in context->generation and context->task. Returns 0; -ESRCH: the
 * process is unknown; -ENOMEM; -ENOSPC.
 */
int context_resolve(struct context *context, u64 pass);

/*
 * Finds the task with this id among a CPU's last two contexts of level
 * TASK. Returns false if neither has this id. If the task is found but its
 * process is unknown, *task has tgid 0 and generation 1.
 */
bool context_task(int cpu, u32 id, u64 pass, struct oprof_task *task);

/*
 * To be called when everything that a CPU wrote up to the pass's flush has
 * been read. Drops the references of contexts that earlier passes read.
 * `waited` states whether the flush waited for the CPU.
 */
void context_tend(int cpu, u64 pass, bool waited);

/* Returns the number of contexts whose references are held. */
unsigned int context_nr_held(void);

#endif
