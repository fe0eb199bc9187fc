/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose samples are coming: the last CONTEXT of each CPU and level that was
 * read, with the references that it holds, until the next one comes. Or until
 * nothing more can come of it: each pass begins with making writers write it
 * anew, and its flush waits for those that are at it. An idle CPU is not
 * interrupted for that; it has one pass more. Hence no reference outlives the
 * second pass after the one that read it. The worker alone.
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
	u64 read_in; /* pass */
	/* By context_resolve(): in which pass (0: none yet), for that one only. */
	u64 resolved_in;
	int error;
	struct generation *generation;
	struct oprof_task task;
};

/* want_switches: keep who was before, too. 0 or -ENOMEM. May sleep. */
int context_open(bool want_switches);
/* Lets go of all. */
void context_close(void);

/* A CONTEXT entry was read: its references are ours now, those of the one before are let go. */
void context_enter(int cpu, const struct entry_context *entry, u64 pass);

/* NULL: the one of that id was lost, or comes too late. */
struct context *context_find(int cpu, u32 level, u32 id);

/* Fill in generation and task. 0; -ESRCH: the process is not known; -ENOMEM; -ENOSPC. */
int context_resolve(struct context *context, u64 pass);

/* Who ran on a CPU under that id of level TASK, of the last two. tgid 0: nobody known. */
bool context_task(int cpu, u32 id, u64 pass, struct oprof_task *task);

/*
 * When all that a CPU wrote until the pass's flush is read: let go of what passes before read;
 * waited: the flush waited for the CPU.
 */
void context_tend(int cpu, u64 pass, bool waited);

/* References of any kind that are held. */
unsigned int context_nr_held(void);

#endif
