/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds, for each event of a trace, the action that trace_states and trace_pids take, and the
 * fields that they use.
 */
#ifndef PP_TRACE_RULES_H
#define PP_TRACE_RULES_H

#include "ctf/ctf.h"
#include "ctf/stream.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_RULE_ARGS 7u
#define TRACE_RULE_NONE UINT32_MAX

enum trace_action {
	ACT_NOTHING,
	ACT_SWITCH,
	ACT_WAKING,
	ACT_WAKEUP,
	ACT_NEW_TASK,
	ACT_FORK,
	ACT_EXEC,
	ACT_EXIT,
	ACT_IRQ_ENTRY,
	ACT_IRQ_EXIT,
	ACT_SOFTIRQ_ENTRY,
	ACT_SOFTIRQ_EXIT,
	ACT_VECTOR_ENTRY,
	ACT_VECTOR_EXIT,
	ACT_SYSCALL_ENTRY,
	ACT_SYSCALL_EXIT,
	ACT_BLOCK_DONE,
	ACT_STATE,
	/*
	 * Begin, exec and end of a task, from the stream that belongs to no CPU. If a CPU's stream
	 * also has an event for the same change, the CPU's event comes later.
	 */
	ACT_TASK_BEGIN,
	ACT_TASK_EXEC,
	ACT_TASK_END,
};

/* An event's action, and the indexes of the fields that the action uses. */
struct trace_rule {
	enum trace_action action;
	/*
	 * Indexes of the event's fields, in the order of the enums below; TRACE_RULE_NONE: no such
	 * field.
	 */
	uint32_t fields[TRACE_RULE_ARGS];
	uint32_t call; /* index of the system call in struct trace_calls; set by the caller */
};

enum { SWITCH_PREV, SWITCH_STATE, SWITCH_NEXT, SWITCH_NEXT_COMM, SWITCH_PREV_COMM };
enum { NEW_TASK_TID, NEW_TASK_FLAGS };
#define NEW_TASK_IS_THREAD 0x00010000 /* bit of the field NEW_TASK_FLAGS: CLONE_THREAD */
enum { FORK_PARENT, FORK_CHILD, FORK_COMM };
enum { EXEC_TID, EXEC_FILE };
enum { TASK_TID, TASK_PID, TASK_PARENT };
enum { STATE_TID, STATE_PID, STATE_NAME, STATE_TYPE, STATE_STATUS, STATE_SYSCALL };
enum { IRQ_NUMBER, IRQ_NAME };
enum { SYSCALL_RETURN };

/* Returns the rule for an event; the action is ACT_NOTHING if a required field is missing. */
struct trace_rule trace_rule_of(const struct ctf_event *event);

/* Returns the name of the system call or vector (irq_vectors) of an event, and its length. */
const char *trace_rule_name(const struct trace_rule *rule, const struct ctf_event *event,
			    size_t *nr_bytes);

/* Returns the value of the rule's field i; -1 if the event lacks the field. */
static inline int64_t trace_rule_number(const struct ctf_record *record,
					const struct trace_rule *rule, unsigned int i)
{
	return rule->fields[i] == TRACE_RULE_NONE ? -1
						  : (int64_t)record->values[rule->fields[i]].number;
}

#endif
