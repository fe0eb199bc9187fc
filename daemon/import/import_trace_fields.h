/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to import_trace: which events of a trace import_trace uses, and their fields. */
#ifndef DAEMON_IMPORT_TRACE_FIELDS_H
#define DAEMON_IMPORT_TRACE_FIELDS_H

#include "ctf/ctf.h"
#include "ctf/stream.h"

#include <stdint.h>

#define IMPORT_NR_FIELDS 6u

enum import_kind {
	IMPORT_NOTHING,
	IMPORT_SAMPLE,
	IMPORT_MAPPING,
	IMPORT_STATE_MAPPING,
	IMPORT_STATE,
	IMPORT_NEW_TASK,
	IMPORT_FORK,
	IMPORT_EXEC,
	IMPORT_EXIT,
	IMPORT_TASK_BEGIN,
	IMPORT_TASK_EXEC,
};

enum { SAMPLE_TID, SAMPLE_PID, SAMPLE_PERIOD, SAMPLE_IP, SAMPLE_KERNEL, SAMPLE_USER };
enum { MAPPING_PID, MAPPING_START, MAPPING_END, MAPPING_OFFSET, MAPPING_PATH };
enum { STATE_TID, STATE_PID, STATE_TYPE, STATE_NAME };
#define STATE_TYPE_KERNEL 1
enum { NEW_TASK_TID, NEW_TASK_FLAGS };
enum { FORK_PARENT, FORK_CHILD };
enum { EXEC_TID, EXEC_FILE };
enum { EXIT_TID };
enum { TASK_TID, TASK_PID, TASK_PARENT_TID, TASK_PARENT_PID };
enum { TASK_NAME = 1 }; /* index of the second field of IMPORT_TASK_EXEC */

/* The kind of an event, and the indices of its fields in the order of the enums above. */
struct import_fields {
	enum import_kind kind;
	uint32_t fields[IMPORT_NR_FIELDS];
};

/*
 * Returns an array with one element per event, allocated by malloc; NULL if out of memory. An event
 * that lacks a field, or has a field of another kind, becomes IMPORT_NOTHING.
 */
struct import_fields *import_fields_make(const struct ctf_trace *trace);

static inline const struct ctf_value *import_field(const struct ctf_record *record,
						   const struct import_fields *fields,
						   unsigned int i)
{
	return &record->values[fields->fields[i]];
}

static inline uint64_t import_number(const struct ctf_record *record,
				     const struct import_fields *fields, unsigned int i)
{
	return import_field(record, fields, i)->number;
}

#endif
