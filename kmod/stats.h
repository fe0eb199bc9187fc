/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of a run by name, of each CPU: the files of stats/ (doc/kmod.md).
 * Each has one writer: the CPU in whatever context (STATS_BY_CPU), or the
 * sync worker, for whichever CPU's samples (STATS_BY_WORKER).
 *
 * When the worker has read all: seen = stored + the sum of lost_*.
 */
#ifndef KMOD_STATS_H
#define KMOD_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/local.h>

/* X(name): by the CPU. Samples but for the last five. */
#define STATS_BY_CPU(X)                                                                            \
	X(seen)	  /* samples taken */                                                              \
	X(in_nmi) /* of those: in which context */                                                 \
	X(in_interrupt)                                                                            \
	X(in_task)                                                                                 \
	X(user) /* of those: what was interrupted */                                               \
	X(kernel)                                                                                  \
	X(lost_full) /* the CPU's ring had no room: the ring's three reasons */                    \
	X(lost_nested)                                                                             \
	X(lost_too_big)                                                                            \
	X(lost_references) /* too many address spaces and processes are held */                    \
	X(lost_stopped)	   /* came after the run had ended */                                      \
	X(contexts)	   /* changes of task or address space that were recorded */               \
	X(switches)	   /* task switches recorded */                                            \
	X(switches_lost)                                                                           \
	X(unmaps)      /* unmappings recorded */                                                   \
	X(unmaps_lost) /* no room to: samples of before are lost_unmapped */

/* X(name): by the sync worker. */
#define STATS_BY_WORKER(X)                                                                         \
	X(stored)	      /* samples in the event buffer */                                    \
	X(lost_context)	      /* its context's record was lost or out of order */                  \
	X(lost_no_task)	      /* its process had no pid any more, and none was known */            \
	X(lost_no_mapping)    /* nothing was mapped where it was */                                \
	X(lost_unmapped)      /* what was mapped there was unmapped, and that was not recorded */  \
	X(lost_locked)	      /* its program kept the mmap lock for too long */                    \
	X(lost_memory)	      /* no memory for the image or process */                             \
	X(lost_buffer)	      /* the event buffer had no room */                                   \
	X(lost_damaged)	      /* a packet that can't be read */                                    \
	X(unmaps_used)	      /* samples resolved by a mapping that was gone */                    \
	X(references_taken)   /* address spaces held ... */                                        \
	X(references_dropped) /* ... and let go */                                                 \
	X(switches_dropped)   /* that were recorded, and can't be told */                          \
	X(passes)	      /* of the worker */                                                  \
	X(kicks)	      /* passes that an exit or a filling ring asked for */                \
	X(throttled)	      /* times that perf held a counter back */                            \
	X(counters_failed)    /* counters that the PMU took from us */                             \
	X(counters_remade)                                                                         \
	X(images) /* told */                                                                       \
	X(images_released)                                                                         \
	X(processes) /* told */                                                                    \
	X(processes_ended)                                                                         \
	X(modules) /* loads and unloads told */                                                    \
	X(modules_lost)

#define STATS_ENUM(name) STATS_##name,
enum stats_counter { STATS_BY_CPU(STATS_ENUM) STATS_BY_WORKER(STATS_ENUM) STATS_NR };

struct stats_cpu {
	local_t values[STATS_NR];
};

DECLARE_PER_CPU(struct stats_cpu, stats_cpus);

extern const char *const stats_names[STATS_NR];

/* On this CPU, preemption off; callable from NMI. */
static inline void stats_inc_nmi(enum stats_counter counter)
{
	local_inc(&this_cpu_ptr(&stats_cpus)->values[counter]);
}

/* The sync worker alone. */
static inline void stats_add(int cpu, enum stats_counter counter, u64 number)
{
	local_t *value = &per_cpu_ptr(&stats_cpus, cpu)->values[counter];

	local_set(value, local_read(value) + (long)number);
}

static inline void stats_set(int cpu, enum stats_counter counter, u64 number)
{
	local_set(&per_cpu_ptr(&stats_cpus, cpu)->values[counter], (long)number);
}

static inline u64 stats_get(int cpu, enum stats_counter counter)
{
	return (u64)local_read(&per_cpu_ptr(&stats_cpus, cpu)->values[counter]);
}

u64 stats_sum(enum stats_counter counter); /* over all possible CPUs */
void stats_reset(void);			   /* nobody counts */

#endif
