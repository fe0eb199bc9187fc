/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a trace folder (oprof_sample, doc/trace-folder.md), and what
 * tells whose they are, as a recording that perf_file.h reads: from there on
 * they go the way of all others.
 */
#ifndef DAEMON_IMPORT_TRACE_H
#define DAEMON_IMPORT_TRACE_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether folder looks like a trace, and not like a session. */
bool import_trace_is(const char *folder);

/* Some four million mappings: a trace of few bytes, compressed, may tell of any number. */
#define IMPORT_TRACE_KEPT_BYTES ((uint64_t)512 << 20)

struct import_trace {
	uint64_t from_ns, to_ns; /* samples from there up to there, since the trace's begin; to_ns
				    0: to its end */
	const char *threads;	 /* only samples of these: numbers with commas between; NULL: all */
	/* Of mappings kept in memory; 0: IMPORT_TRACE_KEPT_BYTES. */
	uint64_t kept_bytes_max;
	/* Told: */
	uint64_t nr_samples;  /* in that time */
	uint64_t lost_events; /* of all kinds, when it was recorded */
	uint64_t nr_damaged;  /* places in the folder */
	uint64_t nr_unkept;   /* mappings left out, for there were too many */
};

/*
 * Write the recording to a file without a name, below TMPDIR or /tmp: its
 * descriptor, or -errno with diag: -ENODATA, there are no samples;
 * -EINVAL, threads; -EINTR
 * (import_interrupt.h). What is damaged is left out and counted.
 */
int import_trace_convert(struct import_trace *trace, const char *folder, struct diag *diag);

#endif
