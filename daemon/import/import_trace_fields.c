// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/import_trace_fields.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER '#'
#define TEXT   '"'
#define LIST   '['

/*
 * The fields of each event are in the order of their enum. The first character of a field's name is
 * the kind of the field.
 */
static const struct {
	const char *name;
	enum import_kind kind;
	const char *fields[IMPORT_NR_FIELDS];
} known[] = {
	{"oprof_sample",
	 IMPORT_SAMPLE,
	 {"#tid", "#pid", "#period", "#ip", "[callchain_kernel", "[callchain_user"}},
	{"oprof_mapping", IMPORT_MAPPING, {"#pid", "#start", "#end", "#offset", "\"path"}},
	{"oprof_statedump_mapping",
	 IMPORT_STATE_MAPPING,
	 {"#pid", "#start", "#end", "#offset", "\"path"}},
	{"lttng_statedump_process_state", IMPORT_STATE, {"#tid", "#pid", "#type", "\"name"}},
	{"task_newtask", IMPORT_NEW_TASK, {"#pid", "#clone_flags"}},
	{"sched_process_fork", IMPORT_FORK, {"#parent_tid", "#child_tid"}},
	{"sched_process_exec", IMPORT_EXEC, {"#tid", "\"filename"}},
	{"sched_process_exit", IMPORT_EXIT, {"#tid"}},
	{"oprof_task_begin", IMPORT_TASK_BEGIN, {"#tid", "#pid", "#parent_tid", "#parent_pid"}},
	{"oprof_task_exec", IMPORT_TASK_EXEC, {"#tid", "\"name"}},
	{"oprof_task_end", IMPORT_EXIT, {"#tid"}},
};
#define NR_KNOWN (sizeof(known) / sizeof(known[0]))

static char kind_of(const struct ctf_field *field)
{
	switch (field->kind) {
	case CTF_FIELD_INTEGER:
		return NUMBER;
	case CTF_FIELD_TEXT:
	case CTF_FIELD_STRING:
		return TEXT;
	default:
		return LIST;
	}
}

static bool find(const struct ctf_event *event, const char *wanted, uint32_t *index)
{
	for (*index = 0; *index < event->nr_fields; ++*index)
		if (!strcmp(event->fields[*index].name, wanted + 1))
			return kind_of(&event->fields[*index]) == *wanted;
	return false;
}

static struct import_fields fields_of(const struct ctf_event *event)
{
	struct import_fields fields = {.kind = IMPORT_NOTHING};

	for (size_t i = 0; i < NR_KNOWN; i++) {
		if (strcmp(known[i].name, event->name) != 0)
			continue;
		for (unsigned int nr = 0; nr < IMPORT_NR_FIELDS && known[i].fields[nr]; nr++)
			if (!find(event, known[i].fields[nr], &fields.fields[nr]))
				return (struct import_fields){.kind = IMPORT_NOTHING};
		fields.kind = known[i].kind;
	}
	return fields;
}

struct import_fields *import_fields_make(const struct ctf_trace *trace)
{
	struct import_fields *fields = calloc(trace->nr_events + (size_t)1, sizeof(*fields));

	for (unsigned int i = 0; fields && i < trace->nr_events; i++)
		fields[i] = fields_of(&trace->events[i]);
	return fields;
}
