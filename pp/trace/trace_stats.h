/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows times of CPUs, processes and threads, system calls, interrupts and wake-ups, as tables or
 * JSON.
 */
#ifndef PP_TRACE_STATS_H
#define PP_TRACE_STATS_H

#include "pp/trace/trace_states.h"

#include <stdio.h>

/* Totals of all records that were read. */
struct trace_sums {
	uint64_t from_ns; /* beginning of the window, counted from the trace's beginning */
	uint64_t window_ns;
	uint64_t nr_records;		    /* in the window */
	uint64_t lost_events, lost_packets; /* lost during recording: events, overwritten packets */
	uint64_t nr_damaged;		    /* damaged places in the folder */
};

/* Tables, in display order. */
enum trace_table {
	TRACE_TABLE_CPUS = 1 << 0,
	TRACE_TABLE_PROCESSES = 1 << 1,
	TRACE_TABLE_THREADS = 1 << 2,
	TRACE_TABLE_CALLS = 1 << 3,
	TRACE_TABLE_INTERRUPTS = 1 << 4,
	TRACE_TABLE_WAKEUPS = 1 << 5,
	TRACE_TABLES_ALL = (1 << 6) - 1
};

struct trace_stats_choice {
	unsigned int tables; /* flags of enum trace_table */
	/*
	 * Maximum number of rows of each table, except the table of CPUs. The rows with the largest
	 * times are shown. 0: all rows.
	 */
	size_t nr_rows;
	bool histograms; /* also show each row's histogram, below the row */
};

/* Call after trace_states_end(). Returns 0 or -ENOMEM. */
int trace_stats_show(const struct trace_states *states, const struct trace_sums *sums,
		     const struct trace_stats_choice *choice, FILE *out);

/*
 * Writes everything as JSON: {"version": 2, "window_ns", "from_ns", "records", "lost_events",
 * "lost_packets", "damaged", "block_events", "cpus": [...], "processes": [...], "threads": [...],
 * "calls": [...], "interrupts": [...], "wakeups": DISTRIBUTION}. A DISTRIBUTION is {"nr", "sum_ns",
 * "min_ns", "mean_ns", "p50_ns", "p99_ns", "max_ns", "histogram": [[from_ns, nr], ...]}. In the
 * histogram, nr is the number of times that were at least from_ns (0, 2, 4, 8, ...) and below the
 * next of these numbers. Returns 0 or -ENOMEM.
 */
int trace_stats_show_json(const struct trace_states *states, const struct trace_sums *sums,
			  FILE *out);

#endif
