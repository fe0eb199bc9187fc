/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes and their threads, from records and from scans of /proc.
 *
 * Each life of a process has a generation: a pid that is used again gets a new generation. All
 * changes are applied in the order of the records' times. A scan of /proc gives a process's state
 * at a time that the records may not have reached yet. The scan is therefore stored with the
 * process. It is applied when task_table_find() is called for this process with the scan's time or
 * a later one; calls with an earlier time still find the earlier state.
 *
 * A process is kept for a while after the exit of its last thread, because samples of it may still
 * arrive.
 */
#ifndef DAEMON_TASK_H
#define DAEMON_TASK_H

#include "daemon/jit/code_space.h"
#include "daemon/system/node_hash.h"
#include "daemon/image/space.h"

#include <stdbool.h>

/* The result of a scan. */
struct process_scan {
	uint64_t begin_ns;	 /* time just before the first file was opened */
	uint64_t end_ns;	 /* time just after the last file was read */
	uint64_t start_ticks;	 /* start time of the process; distinguishes two lives of a pid */
	struct space *space;	 /* a reference; NULL: the mappings could not be read */
	bool unread;		 /* the mappings could not be read in time */
	struct image_entry *app; /* a reference; NULL: kernel thread, or not known */
	int32_t *tids;
	size_t nr_tids;
};

void process_scan_destroy(struct process_scan *scan); /* NULL is allowed */

struct process;

/* A thread; needed only to know when the last thread of its process ends. */
struct task {
	struct node node; /* by tid */
	int32_t tid;
	struct process *process;
	struct task *next, *previous; /* in the list of the process's threads */
};

struct process {
	struct node node; /* by tgid */
	int32_t tgid;
	bool exited;
	bool app_wanted; /* the next file mapped is the program that was exec'd */
	/*
	 * The process has inherited its parent's code, has not exec'd, and its ancestors' files
	 * were not read yet.
	 */
	bool forked;
	int32_t parent_tgid;  /* tgid of the process that forked this process; 0: not known */
	uint64_t generation;  /* 0: the process is known only from a stored scan */
	uint64_t start_ticks; /* 0: not known */
	/* start time of the scan that provided the state; 0: records provided it */
	uint64_t scanned_ns;
	uint64_t found_ns;   /* start time of the last scan that was applied; 0: none */
	uint64_t since_ns;   /* space is valid from this time on, and not used for older samples */
	uint64_t ground_ns;  /* time of the exec or scan on which all known mappings are based */
	struct space *space; /* NULL: not known */
	/*
	 * The last scan of the process, or of the process that forked it, could not read the
	 * mappings in time, so mappings may be missing until the next scan or exec.
	 */
	bool unread;
	struct image_entry *app;
	uint64_t cgroup; /* the last known cgroup; 0: not known */
	/* time at which the cgroup is read again, unless a record reports it before */
	uint64_t cgroup_due_ns;
	/*
	 * The images of anonymous regions of the process in which samples were taken, with a
	 * reference to each.
	 */
	struct image_entry **regions;
	uint32_t nr_regions;
	/* functions that the process generated, by name; NULL: none known */
	struct code_space *code;
	struct task *tasks;
	struct process_scan *scan; /* a scan that is stored until its time is reached */
	uint64_t exited_ns;	   /* valid if exited */
	/*
	 * neighbours in the queue of exited processes, whose members are in the order of their
	 * exits
	 */
	struct process *before, *behind;
};

struct task_table {
	struct node_hash processes, tasks;
	uint64_t last_generation;
	struct process *first_exited, *last_exited;
	size_t nr_exited;
	size_t nr_spaces;
	uint64_t lost_memory; /* changes lost because memory was short */
};

/* The generation of task 0, the idle task. */
#define TASK_IDLE_GENERATION 1u

int task_table_init(struct task_table *table); /* 0 or -ENOMEM */
void task_table_deinit(struct task_table *table);

/* Returns the process that had tgid at time_ns, also if it has exited; NULL: not known. */
struct process *task_table_find(struct task_table *table, int32_t tgid, uint64_t time_ns);

/*
 * Returns whether the state of the process is newer than time_ns, so that an item of this time must
 * not change it.
 */
bool process_is_newer(const struct process *process, uint64_t time_ns);

/*
 * To be called when parent_tgid created tid in tgid: a thread, if parent_tgid and tgid are equal,
 * otherwise a process.
 */
void task_table_fork(struct task_table *table, int32_t tgid, int32_t tid, int32_t parent_tgid,
		     uint64_t time_ns);

/*
 * To be called when tgid exec'd at time_ns. The process gets an empty address space, and its other
 * threads have ended.
 */
void task_table_exec(struct task_table *table, int32_t tgid, uint64_t time_ns);

/*
 * To be called when the process was found in cgroup at time_ns. The process is assumed to stay in
 * this cgroup for the next minute.
 */
void process_in_cgroup(struct process *process, uint64_t cgroup, uint64_t time_ns);

/*
 * Keeps the image of an anonymous region of the process until the process ends or execs. Returns 0
 * or -ENOMEM.
 */
int process_keep_region(struct process *process, struct image_entry *region);

/* Returns whether tid is a living thread of process, according to records and scans. */
bool task_table_lives(const struct task_table *table, const struct process *process, int32_t tid);

void task_table_exit(struct task_table *table, int32_t tgid, int32_t tid, uint64_t time_ns);

/*
 * Stores the result of a scan until its time is reached; takes ownership of scan. Returns 0 or
 * -ENOMEM.
 */
int task_table_scanned(struct task_table *table, int32_t tgid, struct process_scan *scan);

/*
 * To be called when a scan that began at begin_ns has listed all processes of the machine. Ends all
 * other processes that existed before begin_ns, even if no record reports their exit.
 */
void task_table_end_unlisted(struct task_table *table, uint64_t begin_ns);

/* Frees processes that exited long before now_ns. */
void task_table_reap(struct task_table *table, uint64_t now_ns);

#endif
