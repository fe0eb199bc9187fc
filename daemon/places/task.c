// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/places/task.h"

#include <errno.h>
#include <stdlib.h>

/* Limits of the time for which exited processes are kept, and of their number. */
#define EXITED_NS  1000000000u
#define EXITED_MAX 4096u

/*
 * A process can appear in /proc just before the kernel writes its FORK record: a scan and a FORK
 * record within this time describe the same process, because no pid is used twice so soon.
 */
#define BIRTH_NS 50000000u

/*
 * Interval of reading the cgroup of a process again. No record reports that a process moves to
 * another cgroup.
 */
#define CGROUP_NS UINT64_C(60000000000)

int task_table_init(struct task_table *table)
{
	*table = (struct task_table){.last_generation = TASK_IDLE_GENERATION};
	if (node_hash_init(&table->processes))
		return -ENOMEM;
	if (node_hash_init(&table->tasks)) {
		node_hash_deinit(&table->processes);
		return -ENOMEM;
	}
	return 0;
}

void process_scan_destroy(struct process_scan *scan)
{
	if (!scan)
		return;
	space_put(scan->space);
	image_put(scan->app);
	free(scan->tids);
	free(scan);
}

/* ---- threads ---- */

static struct task *task_find(const struct task_table *table, int32_t tid)
{
	uint64_t hash = hash_number((uint32_t)tid);
	struct node *node = node_hash_first(&table->tasks, hash);

	for (; node; node = node_hash_next(node)) {
		struct task *task = node_owner(node, struct task, node);

		if (task->tid == tid)
			return task;
	}
	return NULL;
}

static void task_unlink(struct task *task)
{
	if (task->next)
		task->next->previous = task->previous;
	if (task->previous)
		task->previous->next = task->next;
	else
		task->process->tasks = task->next;
}

static void task_destroy(struct task_table *table, struct task *task)
{
	task_unlink(task);
	node_hash_remove(&table->tasks, &task->node);
	free(task);
}

/* Makes tid a thread of process. If tid was a thread of another process, removes it there. */
static void task_add(struct task_table *table, struct process *process, int32_t tid)
{
	struct task *task = task_find(table, tid);

	if (task) {
		task_unlink(task);
	} else {
		task = calloc(1, sizeof(*task));
		if (!task) {
			table->lost_memory++;
			return;
		}
		task->tid = tid;
		node_hash_add(&table->tasks, &task->node, hash_number((uint32_t)tid));
	}
	task->process = process;
	task->next = process->tasks;
	task->previous = NULL;
	if (task->next)
		task->next->previous = task;
	process->tasks = task;
}

static void tasks_clear(struct task_table *table, struct process *process)
{
	struct task *next;

	for (struct task *task = process->tasks; task; task = next) {
		next = task->next;
		node_hash_remove(&table->tasks, &task->node);
		free(task);
	}
	process->tasks = NULL;
}

/* ---- processes ---- */

static struct process *process_find(const struct task_table *table, int32_t tgid)
{
	uint64_t hash = hash_number((uint32_t)tgid);
	struct node *node = node_hash_first(&table->processes, hash);

	for (; node; node = node_hash_next(node)) {
		struct process *process = node_owner(node, struct process, node);

		if (process->tgid == tgid)
			return process;
	}
	return NULL;
}

static void exited_remove(struct task_table *table, struct process *process)
{
	if (!process->exited)
		return;
	*(process->before ? &process->before->behind : &table->first_exited) = process->behind;
	*(process->behind ? &process->behind->before : &table->last_exited) = process->before;
	process->before = NULL;
	process->behind = NULL;
	process->exited = false;
	table->nr_exited--;
}

static void exited_add(struct task_table *table, struct process *process, uint64_t time_ns)
{
	process->exited = true;
	process->exited_ns = time_ns;
	process->before = table->last_exited;
	process->behind = NULL;
	*(process->before ? &process->before->behind : &table->first_exited) = process;
	table->last_exited = process;
	table->nr_exited++;
}

bool process_is_newer(const struct process *process, uint64_t time_ns)
{
	return time_ns < (process->scanned_ns ? process->scanned_ns : process->since_ns);
}

static void regions_clear(struct process *process)
{
	for (uint32_t i = 0; i < process->nr_regions; i++)
		image_put(process->regions[i]);
	free(process->regions);
	process->regions = NULL;
	process->nr_regions = 0;
}

void process_in_cgroup(struct process *process, uint64_t cgroup, uint64_t time_ns)
{
	process->cgroup = cgroup;
	process->cgroup_due_ns = time_ns + CGROUP_NS;
}

int process_keep_region(struct process *process, struct image_entry *region)
{
	uint32_t nr = process->nr_regions;

	if (!(nr & (nr - 1))) {
		struct image_entry **regions = reallocarray(
			process->regions, nr ? 2 * (size_t)nr : 1, sizeof(struct image_entry *));

		if (!regions)
			return -ENOMEM;
		process->regions = regions;
	}
	process->regions[process->nr_regions++] = image_get(region);
	return 0;
}

/*
 * Resets a process whose life has ended. Keeps a stored scan, because it may describe the next
 * process with this pid.
 */
static void process_clear(struct task_table *table, struct process *process)
{
	tasks_clear(table, process);
	exited_remove(table, process);
	space_put(process->space);
	image_put(process->app);
	code_space_destroy(process->code);
	process->space = NULL;
	process->app = NULL;
	process->code = NULL;
	process->generation = 0;
	process->start_ticks = 0;
	process->scanned_ns = 0;
	process->found_ns = 0;
	process->since_ns = 0;
	process->ground_ns = 0;
	process->app_wanted = false;
	process->forked = false;
	process->unread = false;
	regions_clear(process);
	process->parent_tgid = 0;
	process->cgroup = 0;
	process->cgroup_due_ns = 0;
}

static void process_destroy(struct task_table *table, struct process *process)
{
	process_clear(table, process);
	process_scan_destroy(process->scan);
	node_hash_remove(&table->processes, &process->node);
	free(process);
}

static struct process *process_get(struct task_table *table, int32_t tgid)
{
	struct process *process = process_find(table, tgid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process) {
		table->lost_memory++;
		return NULL;
	}
	process->tgid = tgid;
	node_hash_add(&table->processes, &process->node, hash_number((uint32_t)tgid));
	return process;
}

void task_table_deinit(struct task_table *table)
{
	struct node *node;

	while ((node = node_hash_any(&table->processes)))
		process_destroy(table, node_owner(node, struct process, node));
	node_hash_deinit(&table->processes);
	node_hash_deinit(&table->tasks);
}

/* Gives the process the space and the program that the scan found. */
static void program_take(struct process *process, struct process_scan *scan)
{
	/*
	 * If the programs differ, the process has exec'd, and the code that it generated before is
	 * gone.
	 */
	if (process->app != scan->app && !scan->unread) {
		code_space_destroy(process->code);
		process->code = NULL;
		process->forked = false;
	}
	space_put(process->space);
	process->space = scan->space;
	scan->space = NULL;
	if (!scan->unread) {
		image_put(process->app);
		process->app = scan->app;
		process->app_wanted = false;
		scan->app = NULL;
	}
	process->scanned_ns = scan->begin_ns;
	process->since_ns = scan->end_ns;
	process->ground_ns = scan->begin_ns;
}

/*
 * To be called when the time of the stored scan is reached. The process gets the state that was
 * scanned. If the mappings could not be read in time, the process keeps its space and program,
 * unless they are of an earlier life. A process without a space then gets an empty one for later
 * MMAP records.
 */
static void scan_apply(struct task_table *table, struct process *process)
{
	struct process_scan *scan = process->scan;
	bool other_life = process->start_ticks && scan->start_ticks &&
			  process->start_ticks != scan->start_ticks;

	if (process->exited || other_life)
		process_clear(table, process);
	if (!process->generation)
		process->generation = ++table->last_generation;
	process->found_ns = scan->begin_ns;
	process->unread = scan->unread;
	if (scan->unread && !scan->space && !process->space) {
		scan->space = space_create(&table->nr_spaces);
		table->lost_memory += !scan->space;
	}
	if (!scan->unread || !process->space)
		program_take(process, scan);
	process->start_ticks = scan->start_ticks;
	process->scan = NULL;
	tasks_clear(table, process);
	for (size_t i = 0; i < scan->nr_tids; i++)
		task_add(table, process, scan->tids[i]);
	process_scan_destroy(scan);
}

struct process *task_table_find(struct task_table *table, int32_t tgid, uint64_t time_ns)
{
	struct process *process = process_find(table, tgid);

	if (!process)
		return NULL;
	if (process->scan && time_ns >= process->scan->begin_ns)
		scan_apply(table, process);
	return process->generation ? process : NULL;
}

/*
 * Gives the child its parent's cgroup, address space and application. If the parent's space is
 * valid only from a time after the fork, the child gets neither: the parent may have exec'd another
 * program between the fork and that time.
 */
static void inherit(struct process *child, const struct process *parent, uint64_t time_ns)
{
	child->since_ns = time_ns;
	child->ground_ns = parent ? parent->ground_ns : 0;
	if (parent) {
		child->cgroup = parent->cgroup;
		child->cgroup_due_ns = parent->cgroup_due_ns;
		child->unread = parent->unread;
	}
	if (!parent || !parent->space || time_ns < parent->since_ns)
		return;
	child->space = space_get(parent->space);
	child->app = parent->app ? image_get(parent->app) : NULL;
	child->app_wanted = parent->app_wanted;
	child->code = code_space_fork(parent->code);
	child->forked = true;
}

static void fork_process(struct task_table *table, int32_t tgid, int32_t tid, int32_t parent_tgid,
			 uint64_t time_ns)
{
	const struct process *parent = task_table_find(table, parent_tgid, time_ns);
	struct process *child = task_table_find(table, tgid, time_ns);

	if (child && process_is_newer(child, time_ns))
		return;
	/*
	 * A scan read this process just before its FORK record was written, so the record and the
	 * scan describe the same process.
	 */
	if (child && !child->exited && child->scanned_ns && time_ns - child->scanned_ns < BIRTH_NS)
		return;
	child = process_get(table, tgid);
	if (!child)
		return;
	process_clear(table, child);
	child->generation = ++table->last_generation;
	inherit(child, parent, time_ns);
	child->parent_tgid = parent_tgid;
	task_add(table, child, tid);
}

void task_table_fork(struct task_table *table, int32_t tgid, int32_t tid, int32_t parent_tgid,
		     uint64_t time_ns)
{
	struct process *process;

	task_table_reap(table, time_ns);
	if (tgid != parent_tgid) {
		fork_process(table, tgid, tid, parent_tgid, time_ns);
		return;
	}
	process = task_table_find(table, tgid, time_ns);
	if (process && !process->exited)
		task_add(table, process, tid);
}

void task_table_exec(struct task_table *table, int32_t tgid, uint64_t time_ns)
{
	struct process *process = task_table_find(table, tgid, time_ns);
	struct space *space;

	if (process && process_is_newer(process, time_ns))
		return;
	space = space_create(&table->nr_spaces);
	if (!process)
		process = process_get(table, tgid);
	if (!process || !space) {
		table->lost_memory++;
		/* Discarding the space is better than keeping the space of the earlier program. */
		if (process)
			process_clear(table, process);
		space_put(space);
		return;
	}
	if (process->exited)
		process_clear(table, process);
	if (!process->generation)
		process->generation = ++table->last_generation;
	space_put(process->space);
	image_put(process->app);
	code_space_destroy(process->code);
	process->space = space;
	process->app = NULL;
	process->code = NULL;
	process->forked = false;
	process->unread = false;
	process->app_wanted = true;
	regions_clear(process);
	process->since_ns = time_ns;
	process->ground_ns = time_ns;
	process->scanned_ns = 0;
	/* Read the cgroup now, because service managers move a process before it execs. */
	process->cgroup_due_ns = 0;
	/* All other threads have ended, and the thread that execs gets the leader's tid. */
	tasks_clear(table, process);
	task_add(table, process, tgid);
}

bool task_table_lives(const struct task_table *table, const struct process *process, int32_t tid)
{
	const struct task *task = task_find(table, tid);

	return task && task->process == process;
}

void task_table_exit(struct task_table *table, int32_t tgid, int32_t tid, uint64_t time_ns)
{
	struct process *process = task_table_find(table, tgid, time_ns);
	struct task *task = task_find(table, tid);

	task_table_reap(table, time_ns);
	if (!process || process->exited || !task || task->process != process)
		return;
	task_destroy(table, task);
	if (!process->tasks)
		exited_add(table, process, time_ns);
}

int task_table_scanned(struct task_table *table, int32_t tgid, struct process_scan *scan)
{
	struct process *process = process_get(table, tgid);

	if (!process) {
		process_scan_destroy(scan);
		return -ENOMEM;
	}
	process_scan_destroy(process->scan);
	process->scan = scan;
	return 0;
}

struct unlisted {
	struct task_table *table;
	uint64_t begin_ns;
};

static void end_if_unlisted(struct node *node, void *context)
{
	struct process *process = node_owner(node, struct process, node);
	struct unlisted *unlisted = context;

	/*
	 * Do not end processes that have already exited, that this scan lists, or that later
	 * records or scans report.
	 */
	if (process->exited || (process->scan && process->scan->begin_ns >= unlisted->begin_ns) ||
	    process->found_ns >= unlisted->begin_ns || process->since_ns >= unlisted->begin_ns)
		return;
	/*
	 * First apply an earlier scan that is still stored, because samples that were taken after
	 * that scan may still arrive.
	 */
	if (process->scan)
		scan_apply(unlisted->table, process);
	tasks_clear(unlisted->table, process);
	exited_add(unlisted->table, process, unlisted->begin_ns);
}

void task_table_end_unlisted(struct task_table *table, uint64_t begin_ns)
{
	struct unlisted unlisted = {table, begin_ns};

	node_hash_walk(&table->processes, end_if_unlisted, &unlisted);
}

void task_table_reap(struct task_table *table, uint64_t now_ns)
{
	while (table->first_exited) {
		struct process *process = table->first_exited;

		if (table->nr_exited <= EXITED_MAX && now_ns < process->exited_ns + EXITED_NS)
			break;
		if (process->scan)
			process_clear(table, process);
		else
			process_destroy(table, process);
	}
}
