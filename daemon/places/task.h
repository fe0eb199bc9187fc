/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes and their threads, as records and scans of /proc tell them.
 *
 * A process has a generation, the number of its life: a pid used again gets
 * another. All is applied in the order of the records' times. A scan of
 * /proc tells a process's state at a time that the records may not have
 * reached yet, so it waits beside the process until the first item of its
 * time or later asks for the process: older items still see the older state.
 *
 * After its last thread's exit a process stays for a while, for samples of
 * its last instructions and for late ones.
 */
#ifndef DAEMON_TASK_H
#define DAEMON_TASK_H

#include "daemon/jit/code_space.h"
#include "daemon/system/node_hash.h"
#include "daemon/image/space.h"

#include <stdbool.h>

/* What a scan found. */
struct process_scan {
	uint64_t begin_ns;	 /* just before the first file was opened */
	uint64_t end_ns;	 /* just after the last was read */
	uint64_t start_ticks;	 /* of the process; tells two lives of a pid apart */
	struct space *space;	 /* a reference; NULL: could not be read */
	struct image_entry *app; /* a reference; NULL: kernel thread, or not known */
	int32_t *tids;
	size_t nr_tids;
};

void process_scan_destroy(struct process_scan *scan); /* NULL is fine */

struct process;

/* A thread: only there to know when the last one of its process is gone. */
struct task {
	struct node node; /* by tid */
	int32_t tid;
	struct process *process;
	struct task *next, *previous; /* of the process */
};

struct process {
	struct node node; /* by tgid */
	int32_t tgid;
	bool exited;
	bool app_wanted;      /* the next file mapped is what was exec'd */
	bool forked;	      /* of a parent whose code was not asked for since */
	int32_t parent_tgid;  /* who forked it; 0: not known */
	uint64_t generation;  /* 0: only a scan knows it, of a time that has not come */
	uint64_t start_ticks; /* 0: not known */
	uint64_t scanned_ns;  /* begin of the scan that the state comes from; 0: records */
	uint64_t since_ns;    /* space holds from here on; older samples are not its own */
	uint64_t ground_ns;   /* of the exec or scan that all that is known goes back to */
	struct space *space;  /* NULL: not known */
	struct image_entry *app;
	uint64_t cgroup;	/* where it was last known to be; 0: not known */
	uint64_t cgroup_due_ns; /* to be looked for again, if a record does not tell before */
	/* Images of its memory without a file that samples named, a reference each. */
	struct image_entry **regions;
	uint32_t nr_regions;
	struct code_space *code; /* functions it made, by name; NULL: none known */
	struct task *tasks;
	struct process_scan *scan;	 /* waits for its time */
	uint64_t exited_ns;		 /* when exited */
	struct process *before, *behind; /* in the queue of the exited */
};

struct task_table {
	struct node_hash processes, tasks;
	uint64_t last_generation;
	struct process *first_exited, *last_exited;
	size_t nr_exited;
	size_t nr_spaces;
	uint64_t lost_memory; /* changes that could not be kept */
};

/* The generation of task 0, the idle task. */
#define TASK_IDLE_GENERATION 1u

int task_table_init(struct task_table *table); /* 0 or -ENOMEM */
void task_table_deinit(struct task_table *table);

/* The process that had tgid at time_ns, exited ones included; NULL: none known. */
struct process *task_table_find(struct task_table *table, int32_t tgid, uint64_t time_ns);

/* What the process is known by is newer than time_ns: an item of then says nothing new. */
bool process_is_newer(const struct process *process, uint64_t time_ns);

/* parent_tgid made tid in tgid: a thread if the two are the same, else a process. */
void task_table_fork(struct task_table *table, int32_t tgid, int32_t tid, int32_t parent_tgid,
		     uint64_t time_ns);

/* tgid runs another program from time_ns on, in an empty space; its other threads are gone. */
void task_table_exec(struct task_table *table, int32_t tgid, uint64_t time_ns);

/* It was in cgroup at time_ns, and may be for a while. */
void process_in_cgroup(struct process *process, uint64_t cgroup, uint64_t time_ns);

/* The image of the process's own memory lives as long as its program. 0 or -ENOMEM. */
int process_keep_region(struct process *process, struct image_entry *region);

/* tid is a living thread of process, as far as records and scans told. */
bool task_table_lives(const struct task_table *table, const struct process *process, int32_t tid);

void task_table_exit(struct task_table *table, int32_t tgid, int32_t tid, uint64_t time_ns);

/* Keep what a scan found (its owner from now on) for its time. 0 or -ENOMEM. */
int task_table_scanned(struct task_table *table, int32_t tgid, struct process_scan *scan);

/*
 * All processes of the machine were listed by a scan that began at begin_ns:
 * others that were there before it are gone, whatever the records say.
 */
void task_table_end_unlisted(struct task_table *table, uint64_t begin_ns);

/* Free processes whose exit is long before now_ns. */
void task_table_reap(struct task_table *table, uint64_t now_ns);

#endif
