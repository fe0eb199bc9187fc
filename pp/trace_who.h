/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread ran on each CPU when an event of a trace came: by its switches. */
#ifndef PP_TRACE_WHO_H
#define PP_TRACE_WHO_H

#include "ctf/ctf.h"
#include "ctf/stream.h"

#include <stdint.h>

#define TRACE_WHO_UNKNOWN (-1)

struct trace_runner {
	int32_t tid;   /* TRACE_WHO_UNKNOWN: before the first switch of the CPU */
	char name[17]; /* empty: not known */
};

struct trace_who;

int trace_who_create(struct trace_who **who, const struct ctf_trace *trace); /* -ENOMEM */
void trace_who_destroy(struct trace_who *who);				     /* NULL: nothing */

/*
 * Who ran when this record came, the next in order of time: a switch is by who
 * leaves. Good until the next call. NULL: no memory.
 */
const struct trace_runner *trace_who_at(struct trace_who *who, const struct ctf_record *record);

#endif
