/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From SWITCH records to samples of the event off-cpu. A stretch is a time that a task was not on
 * a CPU. When the task comes back, the stretch becomes a sample whose weight is its nanoseconds;
 * off_cpu_settle() makes a sample of what has passed of the stretches that have not ended.
 *
 * Stands between a source and the sink of its records, and passes on all records but switches.
 *
 * What holds:
 *
 *	once	of no task is a nanosecond reported twice: a stretch's since_ns only grows
 *	seen	a stretch begins where a task is seen to leave a CPU, and at no earlier time
 *	sure	nothing is reported of a time in which the task may have run unseen. After a loss
 *		of switches a stretch is unsure, and waits for a proof that its task was off
 *	counted	a stretch, or a piece of one, that is known of but not reported is in a LOST record
 *		(but not where sampling was off: a SWITCHES_LOST of no records)
 */
#ifndef DAEMON_OFF_CPU_H
#define DAEMON_OFF_CPU_H

#include "daemon/system/node_hash.h"
#include "daemon/source.h"

#include <stddef.h>

/* More tasks than kernels have by default; each takes about 100 bytes. */
#define OFF_CPU_TASKS_MAX (1u << 18)

/* The latest loss of switches, and what has been seen since then. */
struct off_cpu_loss {
	uint64_t nr;	     /* the loss's number, from 1; 0: there was none */
	uint64_t resumed_ns; /* the first switch after it; 0: none yet */
	uint64_t *cpus;	     /* by CPU: 1 + nr at its last switch; 0: it never had one */
	uint32_t nr_cpus;    /* that cpus has room for */
	uint32_t nr_seen;    /* CPUs that ever had a switch */
	uint32_t nr_resumed; /* of these, with a switch since the loss */
	bool overflow;	     /* a CPU had no room: nr_seen is not all of them */
};

struct off_cpu {
	struct record_sink sink;  /* give this to the source; first, see off_cpu_record */
	struct record_sink *next; /* borrowed */
	uint16_t event;		  /* index of off-cpu */

	/* Context of the source's records. head.type PAD: no task yet, or one of a dead program. */
	struct oprof_task task;
	struct oprof_cpu cpu;
	/* Context that next has: sent before a record whose context is another. */
	struct oprof_task next_task;
	struct oprof_cpu next_cpu;

	bool switching; /* after a SWITCH, at switch_ns: the next TASK comes on the CPU */
	uint64_t switch_ns;
	struct node_hash stretches;    /* that have not ended, by the task's tid */
	struct off_cpu_stretch *spare; /* memory for stretches to come: a list */
	uint64_t settled_ns;	       /* the latest settling */
	struct off_cpu_loss loss;
	bool (*lives)(int32_t tgid, int32_t tid); /* whether there is such a task now */
	uint64_t nr_seen; /* samples made here, and those of LOST records made here */
};
_Static_assert(offsetof(struct off_cpu, sink) == 0, "its functions cast sink");

/* 0 or -ENOMEM. */
int off_cpu_init(struct off_cpu *off_cpu, struct record_sink *next, uint16_t event);
void off_cpu_deinit(struct off_cpu *off_cpu);

/*
 * Report what has passed up to until_ns of stretches that have not ended. All switches up to
 * until_ns must have been given (source_ops.drain with SOURCE_DRAIN_ALL, begun at until_ns or
 * later).
 */
void off_cpu_settle(struct off_cpu *off_cpu, uint64_t until_ns);

#endif
