/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes samples of the event off-cpu from SWITCH records. A stretch is a time interval in which a
 * task was not on a CPU. When the task gets a CPU again, the stretch becomes a sample, whose weight
 * is the length of the stretch in nanoseconds. off_cpu_settle() reports the elapsed part of each
 * stretch that has not ended, also as a sample.
 *
 * The source passes its records to off_cpu, which passes all of them except switches to the sink
 * `next`.
 *
 * Invariants:
 *
 *	once	no nanosecond of a task is reported twice: a stretch's since_ns only grows
 *	seen	a stretch begins at the recorded time at which a task leaves a CPU, never earlier
 *	sure	no time is reported in which the task may have run without a record. After a loss
 *		of switches a stretch is unsure until it is proved that its task was off CPU
 *	counted	if a known stretch or a part of it is not reported, a LOST record counts it. The
 *		exception is a SWITCHES_LOST with 0 records, which means that the source was off
 */
#ifndef DAEMON_OFF_CPU_H
#define DAEMON_OFF_CPU_H

#include "daemon/system/node_hash.h"
#include "daemon/source.h"

#include <stddef.h>

/*
 * Maximum number of stretches. Each task has at most one, and kernels allow fewer tasks by default.
 * A stretch takes about 100 bytes.
 */
#define OFF_CPU_TASKS_MAX (1u << 18)

/* The latest loss of switches, and the switches recorded since then. */
struct off_cpu_loss {
	uint64_t nr;	     /* number of this loss, from 1; 0: no loss yet */
	uint64_t resumed_ns; /* time of the first switch after this loss; 0: no switch yet */
	/* Indexed by CPU: 1 + the value of nr at the CPU's last switch; 0: no switch yet. */
	uint64_t *cpus;
	uint32_t nr_cpus;    /* room of cpus */
	uint32_t nr_seen;    /* number of CPUs that have had a switch */
	uint32_t nr_resumed; /* number of CPUs that have had a switch since the loss */
	bool overflow;	     /* there was no room for a CPU, so nr_seen is too low */
};

struct off_cpu {
	/*
	 * The source calls this sink. The sink is the first member, because off_cpu_record() casts
	 * the sink's address to struct off_cpu *.
	 */
	struct record_sink sink;
	struct record_sink *next; /* borrowed */
	uint16_t event;		  /* index of the event off-cpu */

	/*
	 * Context of the source's records. If task.head.type is OPROF_RECORD_PAD, no task is known:
	 * none was named yet, or its program was released.
	 */
	struct oprof_task task;
	struct oprof_cpu cpu;
	/*
	 * The context that was last sent to `next`. If a record has another context, that context
	 * is sent first.
	 */
	struct oprof_task next_task;
	struct oprof_cpu next_cpu;

	/* A SWITCH at switch_ns was read; the next TASK names the task that gets the CPU. */
	bool switching;
	uint64_t switch_ns;
	struct node_hash stretches;    /* indexed by tid: stretches that have not ended */
	struct off_cpu_stretch *spare; /* list of free memory for stretches */
	uint64_t settled_ns;	       /* time up to which off_cpu_settle() was last called */
	struct off_cpu_loss loss;
	bool (*lives)(int32_t tgid, int32_t tid); /* whether the task exists now */
	uint64_t nr_seen; /* samples made by this module, plus the samples in its LOST records */
};
_Static_assert(offsetof(struct off_cpu, sink) == 0, "its functions cast sink");

/* Returns 0 or -ENOMEM. */
int off_cpu_init(struct off_cpu *off_cpu, struct record_sink *next, uint16_t event);
void off_cpu_deinit(struct off_cpu *off_cpu);

/*
 * Reports the parts up to until_ns of stretches that have not ended. All switches up to until_ns
 * must have been passed in (source_ops.drain with SOURCE_DRAIN_ALL, begun at until_ns or later).
 */
void off_cpu_settle(struct off_cpu *off_cpu, uint64_t until_ns);

#endif
