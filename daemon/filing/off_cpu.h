/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From SWITCH records to samples of the event off-cpu: one for each stretch
 * that a task was not on a CPU, of its nanoseconds, told when it comes back
 * (and, of long ones, when off_cpu_settle asks). Stands between a source and
 * who takes its records: hands all on but switches.
 *
 * Only what was seen is told: a task counts from the first time that it is
 * seen to leave a CPU. Where switches were lost, stretches are told up to the
 * loss, and from its end on those of tasks that prove to be off still: they
 * come, or all CPUs have told since who left them.
 */
#ifndef DAEMON_OFF_CPU_H
#define DAEMON_OFF_CPU_H

#include "daemon/system/node_hash.h"
#include "daemon/source.h"

/* More tasks than kernels have by default; each takes about 100 bytes. */
#define OFF_CPU_TASKS_MAX (1u << 18)

struct off_cpu {
	struct record_sink sink;  /* give this to the source; first, see off_cpu_record */
	struct record_sink *next; /* borrowed */
	uint16_t event;		  /* index of off-cpu */
	struct oprof_task task;	  /* in force, with its head; head 0: none yet */
	struct oprof_cpu cpu;
	struct oprof_task told_task; /* the same, as next knows it */
	struct oprof_cpu told_cpu;
	bool comes; /* the next TASK comes on the CPU, at switch_ns */
	uint64_t switch_ns;
	uint64_t nr_losses;  /* of switches; stretches not known to reach across the last are unsure
			      */
	uint64_t resumed_ns; /* first switch behind the last loss; 0: none yet */
	uint64_t settled_ns;
	uint64_t *cpu_losses; /* by CPU: 1 + losses before its last switch; 0: none was seen */
	uint32_t nr_cpus;     /* that cpu_losses has room for */
	uint32_t nr_cpus_seen,
		nr_cpus_resumed; /* CPUs of switches: ever, and since the last loss */
	bool (*lives)(int32_t tgid, int32_t tid); /* whether there is such a task now */
	struct node_hash waits;			  /* tasks that are off CPU, by tid */
	struct off_cpu_wait *spare;		  /* a list */
	uint64_t nr_seen; /* samples handed on, and those of LOST records made here */
};

/* 0 or -ENOMEM. */
int off_cpu_init(struct off_cpu *off_cpu, struct record_sink *next, uint16_t event);
void off_cpu_deinit(struct off_cpu *off_cpu);

/*
 * Tell what has passed up to until_ns of stretches that have not ended: all
 * switches up to then must have been given (source_ops.drain with
 * SOURCE_DRAIN_ALL, begun at until_ns or later).
 */
void off_cpu_settle(struct off_cpu *off_cpu, uint64_t until_ns);

#endif
