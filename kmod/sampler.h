/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sample path: from an interrupt to entries in this CPU's ring.
 *
 * Concurrency: sampler_sample_nmi() and sampler_switch() write only to the
 * ring of the CPU on which they run, and interrupt each other as the levels
 * allow (kmod/entry.h). The sync worker, on any CPU, reads the rings and calls
 * sampler_renew(). sampler_open() and sampler_close() require that there are
 * no writers: counters, timers and probes must have been removed, and their
 * running handlers must have returned.
 */
#ifndef KMOD_SAMPLER_H
#define KMOD_SAMPLER_H

#include <linux/ptrace.h>
#include <linux/sched.h>

#include "kmod/entry.h"
#include "kmod/settings.h"
#include "ring/ring.h"

/*
 * Maximum number of contexts per CPU whose references the worker has not
 * dropped yet. Further contexts are lost, and their samples are counted as
 * lost_references. At half of this number the CPU kicks the worker.
 */
#define SAMPLER_REFERENCES_MAX 4096

/*
 * Creates the rings of all possible CPUs, in discard mode. Returns 0, -ENOMEM,
 * -EINVAL. May sleep.
 */
int sampler_open(const struct settings *settings);
void sampler_close(void);

/*
 * Records a sample that stands for `period` events of counter number `event`.
 * Preemption must be off; callable from NMI.
 */
void sampler_sample_nmi(unsigned int event, u64 period, struct pt_regs *regs);

/* Records that this CPU switches from prev to next. Interrupts must be off. */
void sampler_switch(struct task_struct *prev, struct task_struct *next, bool preempted);

/* ---- for the sync worker ---- */

/*
 * Closes the packet being written on a CPU, if it is not empty, so that it can
 * be read. This is done by an interrupt on that CPU, or, if that CPU is
 * offline, on the caller's CPU. cpus_read_lock must be held. Returns whether
 * there was a packet. May sleep.
 */
bool sampler_flush(int cpu);

/* Returns the one reader of a CPU's ring. */
struct ring_reader *sampler_reader(int cpu);

/*
 * Must be called after the references of `number` CONTEXT entries of a CPU
 * were dropped. Entries without references are counted, too.
 */
void sampler_references_dropped(int cpu, unsigned int number);

/* Makes each level of each CPU write a new context before its next sample. */
void sampler_renew(void);

/*
 * These functions return whether mm or process was sampled in this pass or the
 * preceding one. If mm or process was sampled, the result is always true; if
 * not, the result may still be true. Callable from any context. In each pass,
 * the worker first calls sampler_turn_seen() and then renews the contexts, so
 * that everything that is sampled after the renewal is marked again.
 */
bool sampler_has_seen_mm(const struct mm_struct *mm);
bool sampler_has_seen_process(const struct pid *process);
void sampler_turn_seen(void);

#endif
