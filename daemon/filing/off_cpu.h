/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes samples of the event off-cpu from SWITCH records. A stretch is a time interval in which a
 * task was not on a CPU. When the task gets a CPU again, the stretch becomes a sample whose weight
 * is its nanoseconds; off_cpu_settle() reports as a sample the elapsed part of each stretch that
 * has not ended.
 *
 * off_cpu stands between a source and the sink of its records, and passes on all records except
 * switches.
 *
 * Invariants:
 *
 *	once	no nanosecond of a task is reported twice: a stretch's since_ns only grows
 *	seen	a stretch begins at the recorded time at which a task leaves a CPU, never earlier
 *	sure	no time is reported in which the task may have run unrecorded. After a loss of
 *		switches a stretch is unsure until it is proved that its task was off CPU
 *	counted	a stretch, or a part of one, that is known but not reported is in a LOST record
 *		(except after a SWITCHES_LOST of no records: sampling was off)
 */
#ifndef DAEMON_OFF_CPU_H
#define DAEMON_OFF_CPU_H

#include "daemon/system/node_hash.h"
#include "daemon/source.h"

#include <stddef.h>

/* More tasks than kernels allow by default; each takes about 100 bytes. */
#define OFF_CPU_TASKS_MAX (1u << 18)

/* The latest loss of switches, and the switches recorded since then. */
struct off_cpu_loss {
	uint64_t nr;	     /* number of this loss, from 1; 0: no loss yet */
	uint64_t resumed_ns; /* time of the first switch after it; 0: none yet */
	uint64_t *cpus;	     /* by CPU: 1 + nr at its last switch; 0: no switch ever */
	uint32_t nr_cpus;    /* room of cpus */
	uint32_t nr_seen;    /* CPUs that have had a switch */
	uint32_t nr_resumed; /* CPUs of nr_seen that have had a switch since the loss */
	bool overflow;	     /* no room for a CPU: nr_seen is incomplete */
};

struct off_cpu {
	struct record_sink sink;  /* for the source; first member: off_cpu_record casts it */
	struct record_sink *next; /* borrowed */
	uint16_t event;		  /* index of off-cpu */

	/*
	 * Context of the source's records. head.type PAD: no task yet, or its program was
	 * released.
	 */
	struct oprof_task task;
	struct oprof_cpu cpu;
	/* Context last sent to next. Another context is sent before the first record with it. */
	struct oprof_task next_task;
	struct oprof_cpu next_cpu;

	bool switching; /* a SWITCH at switch_ns was read; the next TASK gets the CPU */
	uint64_t switch_ns;
	struct node_hash stretches;    /* stretches that have not ended, by the task's tid */
	struct off_cpu_stretch *spare; /* list of free memory for stretches */
	uint64_t settled_ns;	       /* time of the latest settling */
	struct off_cpu_loss loss;
	bool (*lives)(int32_t tgid, int32_t tid); /* whether the task exists now */
	uint64_t nr_seen; /* samples made here, and those counted in LOST records made here */
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
