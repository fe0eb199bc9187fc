// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_tasks.h"

#include "daemon/system/node_hash.h"
#include "lib/array.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * A child process shares the mappings of its parent. nr_owners: number of processes that have the
 * mapping.
 */
struct traced_mapping {
	unsigned int nr_owners;
	uint64_t start, end, offset;
	char path[];
};

struct traced_task {
	int32_t tid;
	/*
	 * Set only for the first task of a process, which is kept while other tasks of the process
	 * run.
	 */
	bool has_ended;
	char name[TRACE_STATE_NAME_BYTES];
	struct traced_process *process;
	struct node node; /* by tid */
	/* list of the process's tasks; *link points to this task */
	struct traced_task *next, **link;
};

/* The first task, whose tid is the process's pid, exists until the process is removed. */
struct traced_process {
	int32_t pid, ppid;
	bool is_kernel;
	struct traced_task *tasks;	  /* the first task is the head of the list */
	struct traced_mapping **mappings; /* the newest last */
	size_t nr_mappings, room;
	/* List of all processes; *link points to this process. */
	struct traced_process *next, **link;
};

struct trace_tasks {
	struct trace_state_sink sink; /* must be first */
	struct node_hash by_tid;
	struct traced_process *processes;
	uint64_t lost;
};
_Static_assert(offsetof(struct trace_tasks, sink) == 0, "its functions cast sink");

/* ---- tasks by number ---- */

/*
 * hash_number() never returns the same hash for two numbers, so the first node with the hash is the
 * task's.
 */
static struct traced_task *find_task(const struct trace_tasks *tasks, int32_t tid)
{
	struct node *node = node_hash_first(&tasks->by_tid, hash_number((uint32_t)tid));

	return node ? node_owner(node, struct traced_task, node) : NULL;
}

static struct traced_process *find_process(const struct trace_tasks *tasks, int32_t pid)
{
	struct traced_task *first = find_task(tasks, pid);

	return first && first->process->pid == pid ? first->process : NULL;
}

static void remove_task(struct trace_tasks *tasks, struct traced_task *task)
{
	node_hash_remove(&tasks->by_tid, &task->node);
	*task->link = task->next;
	if (task->next)
		task->next->link = task->link;
	free(task);
}

static void set_name(struct traced_task *task, const char *name)
{
	memset(task->name, 0, sizeof(task->name));
	memcpy(task->name, name, strnlen(name, sizeof(task->name) - 1));
}

/* Adds a task after the process's first one. */
static struct traced_task *add_to_process(struct trace_tasks *tasks, struct traced_process *process,
					  int32_t tid, const char *name)
{
	struct traced_task *task = calloc(1, sizeof(*task)), **link;

	if (!task) {
		tasks->lost++;
		return NULL;
	}
	link = process->tasks ? &process->tasks->next : &process->tasks;
	*task = (struct traced_task){.tid = tid, .process = process, .next = *link, .link = link};
	set_name(task, name);
	if (task->next)
		task->next->link = &task->next;
	*link = task;
	node_hash_add(&tasks->by_tid, &task->node, hash_number((uint32_t)tid));
	return task;
}

/* ---- mappings of a process ---- */

static void put_mapping(struct traced_mapping *mapping)
{
	if (!--mapping->nr_owners)
		free(mapping);
}

static void forget_mappings(struct traced_process *process)
{
	for (size_t i = 0; i < process->nr_mappings; i++)
		put_mapping(process->mappings[i]);
	free(process->mappings);
	process->mappings = NULL;
	process->nr_mappings = process->room = 0;
}

static void inherit(struct trace_tasks *tasks, struct traced_process *process,
		    const struct traced_process *parent)
{
	if (!parent->nr_mappings)
		return;
	if (array_reserve_bytes(&process->mappings, &process->room, process->nr_mappings,
				parent->nr_mappings, sizeof(struct traced_mapping *))) {
		tasks->lost += parent->nr_mappings;
		return;
	}
	for (size_t i = 0; i < parent->nr_mappings; i++) {
		parent->mappings[i]->nr_owners++;
		process->mappings[process->nr_mappings++] = parent->mappings[i];
	}
}

/*
 * Removes mappings that a new one covers completely. If the new mapping covers an old one only
 * partly, both are kept; in the common part the newer one is valid.
 */
static void remove_covered(struct traced_process *process, uint64_t start, uint64_t end)
{
	size_t nr = 0;

	for (size_t i = 0; i < process->nr_mappings; i++) {
		struct traced_mapping *mapping = process->mappings[i];

		if (mapping->start >= start && mapping->end <= end)
			put_mapping(mapping);
		else
			process->mappings[nr++] = mapping;
	}
	process->nr_mappings = nr;
}

/*
 * Removes a mapping if the process has reached the limit. The kernel does not report when memory is
 * unmapped, so programs that map code at ever new addresses reach the limit.
 */
static void make_room(struct trace_tasks *tasks, struct traced_process *process)
{
	if (process->nr_mappings < TRACE_TASKS_MAPPINGS_MAX)
		return;
	put_mapping(process->mappings[1]);
	process->nr_mappings--;
	memmove(process->mappings + 1, process->mappings + 2,
		(process->nr_mappings - 1) * sizeof(struct traced_mapping *));
	tasks->lost++;
}

static void add_mapping(struct trace_tasks *tasks, struct traced_process *process,
			const struct trace_state_mapping *from)
{
	const size_t nr_path = strlen(from->path) + 1;
	struct traced_mapping *mapping = malloc(sizeof(*mapping) + nr_path);

	remove_covered(process, from->start, from->end);
	make_room(tasks, process);
	if (!mapping ||
	    array_reserve_bytes(&process->mappings, &process->room, process->nr_mappings, 1,
				sizeof(struct traced_mapping *))) {
		free(mapping);
		tasks->lost++;
		return;
	}
	*mapping = (struct traced_mapping){
		.nr_owners = 1, .start = from->start, .end = from->end, .offset = from->offset};
	memcpy(mapping->path, from->path, nr_path);
	process->mappings[process->nr_mappings++] = mapping;
}

/* ---- processes ---- */

static void remove_process(struct trace_tasks *tasks, struct traced_process *process)
{
	struct traced_task *next;

	for (struct traced_task *task = process->tasks; task; task = next) {
		next = task->next;
		remove_task(tasks, task);
	}
	forget_mappings(process);
	*process->link = process->next;
	if (process->next)
		process->next->link = process->link;
	free(process);
}

/*
 * Ends a task. Also called if a new task has the same number as this task, because the record of
 * this task's end was then lost.
 */
static void end_task(struct trace_tasks *tasks, struct traced_task *task)
{
	struct traced_process *process = task->process;

	if (task == process->tasks)
		task->has_ended = true;
	else
		remove_task(tasks, task);
	if (process->tasks->has_ended && !process->tasks->next)
		remove_process(tasks, process);
}

static struct traced_process *add_process(struct trace_tasks *tasks, int32_t pid, int32_t ppid,
					  const char *name)
{
	struct traced_process *process = calloc(1, sizeof(*process));
	struct traced_task *other;

	if (!process) {
		tasks->lost++;
		return NULL;
	}
	*process = (struct traced_process){.pid = pid, .ppid = ppid};
	/* A thread of another process had this number before. */
	while ((other = find_task(tasks, pid)))
		end_task(tasks, other);
	if (!add_to_process(tasks, process, pid, name)) {
		free(process);
		return NULL;
	}
	process->next = tasks->processes;
	process->link = &tasks->processes;
	if (process->next)
		process->next->link = &process->next;
	tasks->processes = process;
	return process;
}

static struct traced_process *need_process(struct trace_tasks *tasks, int32_t pid)
{
	struct traced_process *process = find_process(tasks, pid);

	return process ? process : add_process(tasks, pid, 0, "");
}

/* Returns the task. If no such task of this process is known, adds it. */
static struct traced_task *need_task(struct trace_tasks *tasks, int32_t pid, int32_t tid,
				     const char *name)
{
	struct traced_process *process = need_process(tasks, pid);
	struct traced_task *task = process ? find_task(tasks, tid) : NULL;

	if (task && task->process != process) {
		if (task->process->pid == tid)
			remove_process(tasks, task->process);
		else
			end_task(tasks, task);
		task = NULL;
	}
	return task || !process ? task : add_to_process(tasks, process, tid, name);
}

/* ---- records taken ---- */

static void take_thread(struct trace_state_sink *sink, const struct trace_state_thread *thread)
{
	struct trace_tasks *tasks = (struct trace_tasks *)(void *)sink;
	struct traced_task *task = need_task(tasks, thread->pid, thread->tid, thread->name);

	if (!task)
		return;
	set_name(task, thread->name);
	task->process->ppid = thread->ppid;
	task->process->is_kernel = thread->type == TRACE_STATE_KERNEL;
}

static void take_mapping(struct trace_state_sink *sink, const struct trace_state_mapping *mapping)
{
	struct trace_tasks *tasks = (struct trace_tasks *)(void *)sink;
	struct traced_process *process = need_process(tasks, mapping->pid);

	if (process)
		add_mapping(tasks, process, mapping);
}

static void begin_process(struct trace_tasks *tasks, const struct trace_perf_record *record,
			  const char *name)
{
	struct traced_process *before = find_process(tasks, record->pid), *process;
	const struct traced_process *parent = find_process(tasks, record->ppid);

	/*
	 * The process is already known from /proc, but its parent had ended before /proc was read.
	 * This record is therefore older than the reading of /proc.
	 */
	if (before && !parent) {
		before->ppid = record->ppid;
		return;
	}
	if (before)
		remove_process(tasks, before);
	process = add_process(tasks, record->pid, record->ppid, name);
	parent = find_process(tasks, record->ppid);
	if (!process || !parent)
		return;
	process->is_kernel = parent->is_kernel;
	inherit(tasks, process, parent);
}

static void begin_task(struct trace_tasks *tasks, const struct trace_perf_record *record)
{
	const struct traced_task *parent = find_task(tasks, record->ptid);
	char name[TRACE_STATE_NAME_BYTES] = "";
	struct traced_task *task;

	if (parent)
		memcpy(name, parent->name, sizeof(name));
	if (record->tid == record->pid) {
		begin_process(tasks, record, name);
		return;
	}
	task = need_task(tasks, record->pid, record->tid, name);
	if (task)
		set_name(task, name);
}

static void name_task(struct trace_tasks *tasks, const struct trace_perf_record *record)
{
	struct traced_task *task = need_task(tasks, record->pid, record->tid, record->path);

	if (task)
		set_name(task, record->path);
}

static void exec_task(struct trace_tasks *tasks, const struct trace_perf_record *record)
{
	struct traced_process *process = need_process(tasks, record->pid);

	if (!process)
		return;
	for (struct traced_task *task = process->tasks->next, *next; task; task = next) {
		next = task->next;
		remove_task(tasks, task);
	}
	forget_mappings(process);
	process->is_kernel = process->tasks->has_ended = false;
	set_name(process->tasks, record->path);
}

void trace_tasks_take(struct trace_tasks *tasks, const struct trace_perf_record *record)
{
	const struct trace_state_mapping mapping = {.pid = record->pid,
						    .start = record->start,
						    .end = record->end,
						    .offset = record->offset,
						    .path = record->path};
	struct traced_task *task;

	/* In place of the number of a task that has already ended, the kernel writes 0 or -1. */
	if (record->pid <= 0 || (record->kind != TRACE_RECORD_MAPPING && record->tid <= 0))
		return;
	switch (record->kind) {
	case TRACE_RECORD_MAPPING:
		take_mapping(&tasks->sink, &mapping);
		break;
	case TRACE_RECORD_TASK_BEGIN:
		begin_task(tasks, record);
		break;
	case TRACE_RECORD_TASK_NAME:
		name_task(tasks, record);
		break;
	case TRACE_RECORD_TASK_EXEC:
		exec_task(tasks, record);
		break;
	case TRACE_RECORD_TASK_END:
		task = find_task(tasks, record->tid);
		if (task)
			end_task(tasks, task);
		break;
	default:
		break;
	}
}

/* ---- output ---- */

static void tell_process(const struct traced_process *process, struct trace_state_sink *sink)
{
	for (const struct traced_task *task = process->tasks; task; task = task->next) {
		struct trace_state_thread thread =
			trace_state_thread(task->tid, process->pid, process->ppid);

		memcpy(thread.name, task->name, sizeof(thread.name));
		thread.type = process->is_kernel ? TRACE_STATE_KERNEL : TRACE_STATE_USER;
		sink->thread(sink, &thread);
	}
	for (size_t i = 0; i < process->nr_mappings; i++) {
		const struct traced_mapping *mapping = process->mappings[i];
		const struct trace_state_mapping told = {.pid = process->pid,
							 .start = mapping->start,
							 .end = mapping->end,
							 .offset = mapping->offset,
							 .path = mapping->path};

		sink->mapping(sink, &told);
	}
}

static int compare_processes(const void *a, const void *b)
{
	const struct traced_process *first = *(struct traced_process *const *)a;
	const struct traced_process *second = *(struct traced_process *const *)b;

	return first->pid < second->pid ? -1 : first->pid > second->pid;
}

int trace_tasks_tell(const struct trace_tasks *tasks, struct trace_state_sink *sink)
{
	struct traced_process **all =
		calloc(tasks->by_tid.nr_nodes + 1, sizeof(struct traced_process *));
	size_t nr = 0;

	if (!all)
		return -ENOMEM;
	for (struct traced_process *process = tasks->processes; process; process = process->next)
		all[nr++] = process;
	qsort(all, nr, sizeof(struct traced_process *), compare_processes);
	for (size_t i = 0; i < nr; i++)
		tell_process(all[i], sink);
	free(all);
	return 0;
}

int trace_tasks_dump(const struct trace_tasks *tasks, struct trace_channel *channel,
		     const struct trace_state_config *config, struct trace_state_counts *counts)
{
	struct trace_state_dump dump;
	int error;

	trace_state_dump_begin(&dump, channel, config, counts);
	error = trace_tasks_tell(tasks, &dump.sink);
	trace_state_dump_end(&dump);
	return error;
}

uint64_t trace_tasks_lost(const struct trace_tasks *tasks)
{
	return tasks->lost;
}

struct trace_state_sink *trace_tasks_sink(struct trace_tasks *tasks)
{
	return &tasks->sink;
}

/* ---- create, destroy ---- */

int trace_tasks_create(struct trace_tasks **tasks)
{
	struct trace_tasks *made = calloc(1, sizeof(*made));

	*tasks = NULL;
	if (!made || node_hash_init(&made->by_tid)) {
		free(made);
		return -ENOMEM;
	}
	made->sink = (struct trace_state_sink){take_thread, take_mapping};
	*tasks = made;
	return 0;
}

void trace_tasks_destroy(struct trace_tasks *tasks)
{
	struct traced_process *next;

	if (!tasks)
		return;
	for (struct traced_process *process = tasks->processes; process; process = next) {
		next = process->next;
		remove_process(tasks, process);
	}
	node_hash_deinit(&tasks->by_tid);
	free(tasks);
}
