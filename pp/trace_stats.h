/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each CPU and each thread did, as a table or as JSON. */
#ifndef PP_TRACE_STATS_H
#define PP_TRACE_STATS_H

#include "pp/trace_states.h"

#include <stdio.h>

/* Of the whole trace. */
struct trace_sums {
	uint64_t window_ns, nr_records;
	uint64_t lost_events, lost_packets; /* when it was recorded; packets: overwritten */
	uint64_t nr_damaged;		    /* places in the folder */
};

/* nr_threads: the first so many, those that ran longest first; 0: all that ran or were woken. */
void trace_stats_show(const struct trace_states *states, const struct trace_sums *sums,
		      size_t nr_threads, FILE *out);

/*
 * The same, all of it: {"version": 1, "window_ns", "records", "lost_events", "lost_packets",
 * "damaged", "cpus": [...], "threads": [...]}.
 */
void trace_stats_show_json(const struct trace_states *states, const struct trace_sums *sums,
			   FILE *out);

#endif
