/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by perf_state.c (mappings, tasks), perf_sample.c, perf_switch.c and perf_unwind.c. */
#ifndef DAEMON_PERF_STATE_INTERNAL_H
#define DAEMON_PERF_STATE_INTERNAL_H

#include "daemon/perf_source/perf_state.h"
#include "daemon/places/places.h"
#include "daemon/places/task.h"

struct perf_state_counters {
	uint64_t mmap_records, comm_records, fork_records, exit_records;
	uint64_t cgroup_records, ksymbol_records;
	uint64_t unknown_mmaps; /* mappings of unknown processes */
	/*
	 * records that were ignored, because the scan, fork or exec on which the data of their
	 * process is based is newer
	 */
	uint64_t old_records;
	/* address spaces that had too many old mappings and were read again */
	uint64_t renewed_spaces;
	uint64_t scanned_processes;
	uint64_t switch_records;
	uint64_t unknown_switches; /* switches of tasks whose data is unknown or in doubt */
	/*
	 * Walks of user stacks: complete to the outermost frame, ended by a limit, or broken off.
	 */
	uint64_t chains_whole, chains_truncated, chains_broken;
	/* by_pointer: frames found by frame pointers, without a table */
	uint64_t frames_walked, frames_by_pointer;
};

/* A time range in which some switches are unknown. */
struct switch_gap {
	uint64_t from_ns, until_ns; /* until_ns 0: no gap */
	uint64_t nr_records;	    /* lost records in this gap, not reported yet */
	bool told;
};

/* The last known task of a CPU. Its image is written to the sink only when a sample needs it. */
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
	struct cpu_task *last_tasks; /* by CPU */
	uint64_t now_ns;	     /* time of the item being applied */
	/* the time range in doubt (perf_state_doubt); doubt_until_ns 0: nothing was lost */
	uint64_t doubt_from_ns, doubt_until_ns;
	/*
	 * time at which processes that could not be read in time are read again; 0: there are none
	 */
	uint64_t unread_due_ns;
	struct switch_gap gap;
	void (*between)(void *context);
	void *between_context;
	unsigned int chain_depth;
	/* How long walks wait for code tables; 0: they do not wait. */
	int tables_wait_ms;
	const struct perf_regs *regs; /* NULL: stacks are not walked */
	uint64_t *callers;	      /* addresses found by a walk; room for chain_depth */
	struct perf_state_counters counters;
};

/* perf_unwind.c: adds the user's frames to the current sample. process is NULL if unknown. */
void perf_unwind_apply(struct perf_state *state, struct process *process,
		       const struct perf_item *item, enum oprof_mode mode);
/* Requests the code table of an image that process maps at address, if a request is due. */
void perf_unwind_want(struct perf_state *state, const struct process *process,
		      struct image_entry *image, uint64_t address);

/* Adds the user's frame at address to the current sample, as a caller. */
void perf_sample_add_user(struct perf_state *state, struct process *process, uint64_t time_ns,
			  uint64_t address);
/*
 * Fills pids[KEEPER_PIDS] with process and its ancestors: the image may be accessible through the
 * /proc folders of any of them.
 */
void perf_sample_pids(struct perf_state *state, const struct process *process, int32_t *pids);

/* Writes a SAMPLE or a LOST record. */
void perf_sample_apply(struct perf_state *state, const struct perf_item *item);

/* perf_switch.c: applies the switch of a CPU from one task to another. */
void perf_switch_apply(struct perf_state *state, const struct perf_item *item);

/*
 * Returns whether side-band was lost after the process's data was collected, so that the data is in
 * doubt at time_ns.
 */
bool perf_sample_is_doubtful(const struct perf_state *state, const struct process *process,
			     uint64_t time_ns);

/* Records that thread tid of process is the last known task of cpu. */
void perf_sample_note_task(struct perf_state *state, uint32_t cpu, const struct process *process,
			   int32_t tid);

#endif
