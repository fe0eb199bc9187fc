/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf_state.c (maps, tasks) and perf_sample.c (samples) share. */
#ifndef DAEMON_PERF_STATE_INTERNAL_H
#define DAEMON_PERF_STATE_INTERNAL_H

#include "daemon/perf_source/perf_state.h"
#include "daemon/places/places.h"
#include "daemon/places/task.h"

struct perf_state_counters {
	uint64_t mmap_records, comm_records, fork_records, exit_records;
	uint64_t cgroup_records, ksymbol_records;
	uint64_t unknown_mmaps;	 /* of processes that nothing is known of */
	uint64_t old_records;	 /* older than what is known by a scan or newer records */
	uint64_t renewed_spaces; /* overgrown, read anew */
	uint64_t scanned_processes;
	uint64_t switch_records;
	uint64_t unknown_switches; /* not told: of tasks that nothing certain is known of */
	/* Walks of the user's stack: to the outermost frame, to the end of the copy, or stuck. */
	uint64_t chains_whole, chains_truncated, chains_broken;
	uint64_t frames_walked, frames_by_pointer; /* the latter for want of a table */
};

/* A stretch of time of which not all switches are known. */
struct switch_gap {
	uint64_t from_ns, until_ns; /* until 0: there is none */
	uint64_t nr_records;	    /* lost in it, as far as not told */
	bool told;
};

/* Who ran on a CPU last. The image is told only when a sample needs it. */
struct cpu_task {
	int32_t tgid, tid;
	uint64_t generation;	 /* 0: not known */
	struct image_entry *app; /* a reference, or NULL */
};

struct perf_state {
	unsigned int nr_cpus;
	bool want_cgroup, want_switches;
	struct places places;
	struct task_table tasks;
	struct cpu_task *last_tasks;		/* by CPU */
	uint64_t now_ns;			/* of the item being applied */
	uint64_t doubt_from_ns, doubt_until_ns; /* perf_state_doubt; until 0: nothing was lost */
	struct switch_gap gap;
	void (*between)(void *context);
	void *between_context;
	unsigned int chain_depth;
	int tables_wait_ms;	      /* of walks for code tables; 0: they don't */
	const struct perf_regs *regs; /* NULL: stacks are not walked */
	uint64_t *callers;	      /* a walk's addresses; room for chain_depth */
	struct perf_state_counters counters;
};

/* perf_unwind.c: add the user's frames to the sample being made. process: NULL: not known. */
void perf_unwind_apply(struct perf_state *state, struct process *process,
		       const struct perf_item *item, enum oprof_mode mode);
/* A table of the code of mapping, which process maps at address, if its time has come. */
void perf_unwind_want(struct perf_state *state, const struct process *process,
		      struct image_entry *image, uint64_t address);

/* The user's frame at address as a caller of the sample being made. */
void perf_sample_add_user(struct perf_state *state, struct process *process, uint64_t time_ns,
			  uint64_t address);
/* process, then its parents: who may have what it maps. pids[KEEPER_PIDS]. */
void perf_sample_pids(struct perf_state *state, const struct process *process, int32_t *pids);

/* The sample becomes a SAMPLE or a LOST record. */
void perf_sample_apply(struct perf_state *state, const struct perf_item *item);

/* perf_switch.c: a CPU goes from one task to another. */
void perf_switch_apply(struct perf_state *state, const struct perf_item *item);

/* Side-band was lost since what is known of the process was learnt. */
bool perf_sample_is_doubtful(const struct perf_state *state, const struct process *process,
			     uint64_t time_ns);

/* process, in its thread tid, runs on cpu. */
void perf_sample_note_task(struct perf_state *state, uint32_t cpu, const struct process *process,
			   int32_t tid);

#endif
