// SPDX-License-Identifier: GPL-2.0-or-later
/* Handles the events by which threads begin and end, and finds their processes. */
#include "pp/trace/trace_states_internal.h"

#include <errno.h>
#include <string.h>

/* Values of lttng_statedump_process_state. */
#define STATUS_ZOMBIE 4
#define STATUS_WAIT   5
#define TYPE_KERNEL   1

/*
 * Stores whether a new task is a thread. The fork event, which follows, does not contain the task's
 * flags.
 */
void trace_states_new_task(struct cpu *cpu, const struct ctf_record *record,
			   const struct trace_rule *rule)
{
	cpu->new_tid = (int32_t)trace_rule_number(record, rule, NEW_TASK_TID);
	cpu->new_is_thread = trace_rule_number(record, rule, NEW_TASK_FLAGS) & NEW_TASK_IS_THREAD;
}

/* Begins a new life of tid. Returns the thread's index, or NONE if out of memory. */
static uint32_t begin_thread(struct trace_states *states, int32_t tid, int32_t parent_tid,
			     uint64_t now)
{
	const uint32_t parent = threads_find(&states->threads, parent_tid);
	uint32_t child = NONE;

	if (parent != NONE)
		child = threads_add(&states->threads, tid, THREAD_READY, now);
	if (child == NONE)
		return NONE;
	thread_at(states, child)->told.is_kernel = thread_at(states, parent)->told.is_kernel;
	/* The new thread is returning from the system call that created it. */
	thread_at(states, child)->mode = MODE_SYSCALL;
	return child;
}

int trace_states_fork(struct trace_states *states, const struct cpu *cpu,
		      const struct ctf_record *record, const struct trace_rule *rule)
{
	const int32_t tid = (int32_t)trace_rule_number(record, rule, FORK_CHILD);
	const int32_t parent_tid = (int32_t)trace_rule_number(record, rule, FORK_PARENT);
	uint32_t child = threads_living(&states->threads, tid), parent;

	if (child == NONE || !thread_at(states, child)->is_told)
		child = begin_thread(states, tid, parent_tid, record->time);
	parent = threads_find(&states->threads, parent_tid);
	if (child == NONE || parent == NONE)
		return -ENOMEM;
	thread_at(states, child)->is_told = false;
	name_thread(states, child, value(record, rule, FORK_COMM));
	if (cpu->new_tid != tid)
		return 0;
	if (!cpu->new_is_thread)
		threads_set_process(&states->threads, child, child);
	else if (thread_at(states, parent)->told.process != TRACE_NO_PROCESS)
		threads_set_process(&states->threads, child,
				    thread_at(states, parent)->told.process);
	return 0;
}

int trace_states_exec(struct trace_states *states, const struct ctf_record *record,
		      const struct trace_rule *rule)
{
	const uint32_t index =
		threads_find(&states->threads, (int32_t)trace_rule_number(record, rule, EXEC_TID));
	struct ctf_value file = *value(record, rule, EXEC_FILE);

	if (index == NONE)
		return -ENOMEM;
	for (uint32_t i = file.nr; i; i--)
		if (file.bytes[i - 1] == '/') {
			file.bytes += i;
			file.nr -= i;
			break;
		}
	if (file.nr > 15)
		file.nr = 15; /* length of a thread's name in the kernel */
	name_thread(states, index, &file);
	/* After an exec, the thread is its process's only thread, and has the process's number. */
	if (thread_at(states, index)->told.process == TRACE_NO_PROCESS)
		threads_set_process(&states->threads, index, index);
	return 0;
}

/* Handles the exit event. The thread still runs until its last switch, which reports it as dead. */
int trace_states_exit(struct trace_states *states, const struct ctf_record *record,
		      const struct trace_rule *rule)
{
	const uint32_t index =
		threads_find(&states->threads, (int32_t)trace_rule_number(record, rule, 0));

	if (index == NONE)
		return -ENOMEM;
	thread_at(states, index)->mode = MODE_SYSCALL;
	thread_at(states, index)->is_ending = true;
	return 0;
}

/* If a CPU's stream has a fork event of the task, oprof_task_begin precedes the fork event. */
static int act_task_begin(struct trace_states *states, const struct ctf_record *record,
			  const struct trace_rule *rule)
{
	const int32_t tid = (int32_t)trace_rule_number(record, rule, TASK_TID);
	const int32_t pid = (int32_t)trace_rule_number(record, rule, TASK_PID);
	const int32_t parent_tid = (int32_t)trace_rule_number(record, rule, TASK_PARENT);
	const uint32_t before = threads_living(&states->threads, tid);
	uint32_t child, first, parent;

	if (before != NONE) {
		end_wait(thread_at(states, before), record->time);
		thread_at(states, before)->told.has_ended = true;
	}
	child = begin_thread(states, tid, parent_tid, record->time);
	first = child == NONE ? NONE : threads_find(&states->threads, pid);
	parent = threads_living(&states->threads, parent_tid);
	if (first == NONE)
		return -ENOMEM;
	threads_set_process(&states->threads, first, first);
	threads_set_process(&states->threads, child, first);
	thread_at(states, child)->is_told = true;
	if (parent != NONE)
		threads_name(&states->threads, child,
			     (const uint8_t *)thread_at(states, parent)->told.name,
			     (uint32_t)strlen(thread_at(states, parent)->told.name));
	return 0;
}

/* The end of an unknown thread is ignored. */
static int act_task_end(struct trace_states *states, const struct ctf_record *record,
			const struct trace_rule *rule)
{
	const int32_t tid = (int32_t)trace_rule_number(record, rule, TASK_TID);

	return threads_living(&states->threads, tid) == NONE
		       ? 0
		       : trace_states_exit(states, record, rule);
}

int trace_states_state(struct trace_states *states, const struct ctf_record *record,
		       const struct trace_rule *rule)
{
	const uint32_t index =
		threads_find(&states->threads, (int32_t)trace_rule_number(record, rule, STATE_TID));
	const int64_t call = trace_rule_number(record, rule, STATE_SYSCALL);
	const uint32_t first =
		index == NONE ? NONE
			      : threads_find(&states->threads,
					     (int32_t)trace_rule_number(record, rule, STATE_PID));
	struct thread *thread;

	if (first == NONE)
		return -ENOMEM;
	threads_set_process(&states->threads, first, first);
	threads_set_process(&states->threads, index, first);
	thread = thread_at(states, index);
	thread->told.is_kernel = trace_rule_number(record, rule, STATE_TYPE) == TYPE_KERNEL;
	name_thread(states, index, value(record, rule, STATE_NAME));
	if (trace_rule_number(record, rule, STATE_STATUS) == STATUS_WAIT &&
	    thread->waits == THREAD_UNKNOWN)
		thread->waits = THREAD_SLEEPING;
	if (call >= 0 && thread->mode == MODE_UNKNOWN)
		thread->mode = MODE_SYSCALL;
	return 0;
}

int trace_states_beside(struct trace_states *states, const struct ctf_record *record,
			const struct trace_rule *rule)
{
	switch (rule->action) {
	case ACT_STATE:
		return trace_states_state(states, record, rule);
	case ACT_TASK_BEGIN:
		return act_task_begin(states, record, rule);
	case ACT_TASK_EXEC:
		return trace_states_exec(states, record, rule);
	case ACT_TASK_END:
		return act_task_end(states, record, rule);
	default:
		return 0;
	}
}
