/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats an event of a trace as a line of text, or as a JSON object on one line. */
#ifndef PP_TRACE_LINE_H
#define PP_TRACE_LINE_H

#include "ctf/stream.h"
#include "pp/trace/trace_who.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line, which grows as needed. A zeroed struct is empty. */
struct trace_line {
	char *bytes; /* not terminated */
	size_t nr_bytes, room;
	bool no_memory; /* the line is incomplete */
};

void trace_line_deinit(struct trace_line *line);

/*
 * Formats an event as text, in columns: seconds since begin, CPU, tid and name of the thread, event
 * and fields. Replaces the previous line. Example:
 *
 * "    0.000123456   1    1234 bash            sched_switch: prev_comm = \"bash\", ...\n"
 */
void trace_line_text(struct trace_line *line, const struct ctf_record *record, uint64_t begin,
		     const struct trace_runner *who);

/* {"time_ns":123456,"cpu":1,"tid":1234,"name":"bash","event":"sched_switch","fields":{...}} */
void trace_line_json(struct trace_line *line, const struct ctf_record *record, uint64_t begin,
		     const struct trace_runner *who);

#endif
