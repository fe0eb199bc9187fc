/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread ran on each CPU when an event of a trace came: by its switches and execs. */
#ifndef PP_TRACE_WHO_H
#define PP_TRACE_WHO_H

#include "ctf/ctf.h"
#include "ctf/stream.h"

#include <stdbool.h>
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

/*
 * How it is known from within a trace, as if all before had been read: from a record on that
 * known->by lets, of each stream. False: all has to be read. context is who, which stays.
 */
bool trace_who_known(const struct trace_who *who, struct ctf_known *known);

/*
 * For records from within a trace: look at all of a stretch of it, and then
 * trace_who_at knows from its first record on who ran: by the first switch of
 * each CPU, or where it has none in the stretch by who ran first in the
 * stretch looked at before, which has to be the one behind it. After an exec
 * the name of before is not known. trace_who_begin_look: how it goes on. 0 or
 * -ENOMEM.
 */
void trace_who_begin_look(struct trace_who *who);
int trace_who_look(struct trace_who *who, const struct ctf_record *record);
void trace_who_end_look(struct trace_who *who);

/* Who runs now, as the records so far tell, is who ran first in the stretch behind. */
void trace_who_is_behind(struct trace_who *who);

#endif
