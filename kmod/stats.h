/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Named counters of a run, for each CPU: the files of stats/ (doc/kmod.md).
 * Each counter has one writer: its CPU, in any context (STATS_BY_CPU), or the
 * sync worker, which counts for all CPUs (STATS_BY_WORKER).
 *
 * When the worker has read everything: seen = stored + the sum of lost_*.
 */
#ifndef KMOD_STATS_H
#define KMOD_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/local.h>

/* X(name): counters that the CPU increments. All except the last five count samples. */
#define STATS_BY_CPU(X)                                                                            \
	X(seen)	  /* samples taken */                                                              \
	X(in_nmi) /* samples in an NMI; in_interrupt and in_task have the other samples */         \
	X(in_interrupt)                                                                            \
	X(in_task)                                                                                 \
	X(user) /* samples that interrupted a program; `kernel` has the other samples */           \
	X(kernel)                                                                                  \
	X(lost_full) /* no room in the ring; the next two counters: other losses of the ring       \
		      */                                                                           \
	X(lost_nested)                                                                             \
	X(lost_too_big)                                                                            \
	X(lost_references) /* too many address spaces and processes are held */                    \
	X(lost_stopped)	   /* samples after the end of the run */                                  \
	X(contexts)	   /* recorded changes of task or address space */                         \
	X(switches)	   /* task switches recorded */                                            \
	X(switches_lost)                                                                           \
	X(unmaps)      /* unmappings recorded */                                                   \
	X(unmaps_lost) /* unmappings not recorded, because no record was free */

/* X(name): counters that the sync worker increments. */
#define STATS_BY_WORKER(X)                                                                         \
	X(stored)	      /* samples in the event buffer */                                    \
	X(lost_context)	      /* the context's record was lost or out of order */                  \
	X(lost_no_task)	      /* the process had been reaped and had no generation */              \
	X(lost_no_mapping)    /* nothing was mapped at the address */                              \
	X(lost_unmapped)      /* the mapping at the address was removed without a record */        \
	X(lost_locked)	      /* the program held the mmap lock for too long */                    \
	X(lost_memory)	      /* out of memory for the image or the process */                     \
	X(lost_buffer)	      /* the event buffer had no room */                                   \
	X(lost_damaged)	      /* samples in a packet that could not be read */                     \
	X(unmaps_used)	      /* samples resolved by records of removed mappings */                \
	X(references_taken)   /* references to address spaces that were taken */                   \
	X(references_dropped) /* references to address spaces that were dropped */                 \
	X(switches_dropped)   /* recorded switches that could not be reported */                   \
	X(passes)	      /* passes of the worker */                                           \
	X(kicks)	      /* passes requested by an exit or a filling ring */                  \
	X(throttled)	      /* times that perf began to throttle a counter */                    \
	X(counters_failed)    /* counters that lost their place in the PMU */                      \
	X(counters_remade)                                                                         \
	X(images) /* reported */                                                                   \
	X(images_released)                                                                         \
	X(processes) /* reported */                                                                \
	X(processes_ended)                                                                         \
	X(modules) /* loads and unloads reported */                                                \
	X(modules_lost)

#define STATS_ENUM(name) STATS_##name,
enum stats_counter { STATS_BY_CPU(STATS_ENUM) STATS_BY_WORKER(STATS_ENUM) STATS_NR };

struct stats_cpu {
	local_t values[STATS_NR];
};

DECLARE_PER_CPU(struct stats_cpu, stats_cpus);

extern const char *const stats_names[STATS_NR];

/* Increments a counter of the current CPU. Preemption must be off; callable from NMI. */
static inline void stats_inc_nmi(enum stats_counter counter)
{
	local_inc(&this_cpu_ptr(&stats_cpus)->values[counter]);
}

/* Adds to a counter of STATS_BY_WORKER. Only the sync worker may call this function. */
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

u64 stats_sum(enum stats_counter counter); /* the sum over all possible CPUs */
void stats_reset(void);			   /* requires that there are no writers */

#endif
