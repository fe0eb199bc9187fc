/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf_state.c (maps, tasks) and perf_sample.c (samples) share. */
#ifndef DAEMON_PERF_STATE_INTERNAL_H
#define DAEMON_PERF_STATE_INTERNAL_H

#include "daemon/cgroup_names.h"
#include "daemon/code_space.h"
#include "daemon/image_keep.h"
#include "daemon/kernel_load.h"
#include "daemon/kernel_map.h"
#include "daemon/perf_state.h"
#include "daemon/record_writer.h"
#include "daemon/region.h"
#include "daemon/task.h"
#include "daemon/vdso.h"

struct perf_state_counters {
	uint64_t mmap_records, comm_records, fork_records, exit_records;
	uint64_t cgroup_records, ksymbol_records;
	uint64_t unknown_mmaps;	 /* of processes that nothing is known of */
	uint64_t old_records;	 /* older than what is known by a scan or newer records */
	uint64_t renewed_spaces; /* overgrown, read anew */
	uint64_t scanned_processes;
	uint64_t switch_records;
	uint64_t unknown_switches; /* not told: of tasks that nothing certain is known of */
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
	const char *proc_path, *sys_path;
	unsigned int nr_cpus;
	bool kernel, want_cgroup, want_switches;
	struct record_writer writer;
	struct image_table images;
	struct image_alias_table aliases;
	struct image_keep keep;
	struct vdso vdso;
	struct region_maker regions;
	struct task_table tasks;
	struct kernel_map kernel_map;
	struct cgroup_names cgroups;
	struct code_spaces code;
	struct image_entry *vsyscall;
	struct image_entry *jit;		  /* functions that programs made, by name */
	struct image_entry *made[KERNEL_MADE_NR]; /* those that the kernel made */
	struct cpu_task *last_tasks;		  /* by CPU */
	uint64_t now_ns;			  /* of the item being applied */
	uint64_t doubt_from_ns, doubt_until_ns;	  /* perf_state_doubt; until 0: nothing was lost */
	struct switch_gap gap;
	void (*between)(void *context);
	void *between_context;
	struct perf_state_counters counters;
};

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

/* Kernel code went: say so, if it was ever told. For kernel_map.h. */
void perf_sample_tell_gone(const struct kernel_range *range, void *state);

#endif
