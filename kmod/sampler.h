/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sample path: from an interrupt to entries in this CPU's ring.
 *
 * Who may run against whom: sampler_sample_nmi() and sampler_switch() on their
 * own CPU, nested as levels nest; the sync worker reads and renews from
 * anywhere; open and close while nobody samples (counters, timers and probes
 * are gone, and synchronised with).
 */
#ifndef KMOD_SAMPLER_H
#define KMOD_SAMPLER_H

#include <linux/ptrace.h>
#include <linux/sched.h>

#include "kmod/entry.h"
#include "kmod/settings.h"
#include "ring/ring.h"

/*
 * Contexts of one CPU whose references the worker has not let go of, at most:
 * more are lost (lost_references). It is kicked when there are half as many.
 */
#define SAMPLER_REFERENCES_MAX 4096

/* Rings of all possible CPUs, in discard mode. 0, -ENOMEM, -EINVAL. May sleep. */
int sampler_open(const struct settings *settings);
void sampler_close(void);

/* A sample of counter event that stands for period events. Preemption off; callable from NMI. */
void sampler_sample_nmi(unsigned int event, u64 period, struct pt_regs *regs);

/* This CPU goes from prev to next; interrupts off. */
void sampler_switch(struct task_struct *prev, struct task_struct *next, bool preempted);

/* ---- for the sync worker ---- */

/*
 * Close the packet being written on a CPU, if there is anything in it, so
 * that it can be read: by an interrupt there, or from here while it is
 * offline. cpus_read_lock is held. False: there was nothing. May sleep.
 */
bool sampler_flush(int cpu);

/* The one reader of a CPU's ring. */
struct ring_reader *sampler_reader(int cpu);

/* So many of its CONTEXT entries are done with, their references (if any) let go of. */
void sampler_references_dropped(int cpu, unsigned int number);

/* From now on each level of each CPU writes a new context before its next sample. */
void sampler_renew(void);

/*
 * Was it sampled in this pass or the one before? May say yes of others, never
 * no of one that was. Any context. The worker turns the page each pass, before
 * it renews: those sampled on are then seen anew.
 */
bool sampler_has_seen_mm(const struct mm_struct *mm);
bool sampler_has_seen_process(const struct pid *process);
void sampler_turn_seen(void);

#endif
