// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_rules.h"

#include <string.h>

#define CALL_ENTRY "syscall_entry_"
#define CALL_EXIT  "syscall_exit_"
#define VECTORS	   "irq_vectors_"
#define ENTRY	   "_entry"
#define EXIT	   "_exit"

/*
 * The names of an event's fields are in the order of the enum for this event in trace_rules.h. "?"
 * marks an optional field.
 */
static const struct known_event {
	const char *name; /* may contain one "*", which stands for at least one character */
	enum trace_action action;
	const char *fields[TRACE_RULE_ARGS];
} known[] = {
	{"sched_switch",
	 ACT_SWITCH,
	 {"prev_tid", "prev_state", "next_tid", "next_comm", "prev_comm"}},
	{"sched_waking", ACT_WAKING, {"tid"}},
	{"sched_wakeup", ACT_WAKEUP, {"tid"}},
	{"sched_wakeup_new", ACT_WAKEUP, {"tid"}},
	{"task_newtask", ACT_NEW_TASK, {"pid", "clone_flags"}},
	{"sched_process_fork", ACT_FORK, {"parent_tid", "child_tid", "child_comm"}},
	{"sched_process_exec", ACT_EXEC, {"tid", "filename"}},
	{"sched_process_exit", ACT_EXIT, {"tid"}},
	{"irq_handler_entry", ACT_IRQ_ENTRY, {"?irq", "?name"}},
	{"irq_handler_exit", ACT_IRQ_EXIT, {"?irq"}},
	{"irq_softirq_entry", ACT_SOFTIRQ_ENTRY, {"?vec"}},
	{"irq_softirq_exit", ACT_SOFTIRQ_EXIT, {"?vec"}},
	{VECTORS "*" ENTRY, ACT_VECTOR_ENTRY, {"vector"}},
	{VECTORS "*" EXIT, ACT_VECTOR_EXIT, {"vector"}},
	{"block_rq_complete", ACT_BLOCK_DONE, {NULL}},
	{CALL_ENTRY "*", ACT_SYSCALL_ENTRY, {NULL}},
	{CALL_EXIT "*", ACT_SYSCALL_EXIT, {"?ret"}},
	{"lttng_statedump_process_state",
	 ACT_STATE,
	 {"tid", "pid", "name", "type", "status", "syscall"}},
	{"oprof_task_begin", ACT_TASK_BEGIN, {"tid", "pid", "parent_tid"}},
	{"oprof_task_exec", ACT_TASK_EXEC, {"tid", "name"}},
	{"oprof_task_end", ACT_TASK_END, {"tid"}},
};
#define NR_KNOWN (sizeof(known) / sizeof(known[0]))

static bool is_named(const struct known_event *of, const char *name)
{
	const char *star = strchr(of->name, '*');
	const size_t nr_front = star ? (size_t)(star - of->name) : 0;
	const size_t nr_back = star ? strlen(star + 1) : 0;
	const size_t nr_bytes = strlen(name);

	if (!star)
		return !strcmp(of->name, name);
	return nr_bytes > nr_front + nr_back && !strncmp(of->name, name, nr_front) &&
	       !strcmp(star + 1, name + nr_bytes - nr_back);
}

static uint32_t field_of(const struct ctf_event *event, const char *name)
{
	for (unsigned int i = 0; i < event->nr_fields; i++)
		if (!strcmp(event->fields[i].name, name))
			return i;
	return TRACE_RULE_NONE;
}

struct trace_rule trace_rule_of(const struct ctf_event *event)
{
	for (size_t i = 0; i < NR_KNOWN; i++) {
		struct trace_rule rule = {.action = known[i].action};

		if (!is_named(&known[i], event->name))
			continue;
		for (unsigned int nr = 0; nr < TRACE_RULE_ARGS && known[i].fields[nr]; nr++) {
			const char *name = known[i].fields[nr];

			rule.fields[nr] = field_of(event, name + (*name == '?'));
			if (rule.fields[nr] == TRACE_RULE_NONE && *name != '?')
				return (struct trace_rule){.action = ACT_NOTHING};
		}
		return rule;
	}
	return (struct trace_rule){.action = ACT_NOTHING};
}

const char *trace_rule_name(const struct trace_rule *rule, const struct ctf_event *event,
			    size_t *nr_bytes)
{
	const char *name = event->name;

	*nr_bytes = strlen(name);
	switch (rule->action) {
	case ACT_SYSCALL_ENTRY:
		name += strlen(CALL_ENTRY);
		break;
	case ACT_SYSCALL_EXIT:
		name += strlen(CALL_EXIT);
		break;
	case ACT_VECTOR_ENTRY:
		name += strlen(VECTORS);
		*nr_bytes -= strlen(ENTRY);
		break;
	case ACT_VECTOR_EXIT:
		name += strlen(VECTORS);
		*nr_bytes -= strlen(EXIT);
		break;
	default:
		break;
	}
	*nr_bytes -= (size_t)(name - event->name);
	return name;
}
