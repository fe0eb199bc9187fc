/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the samples of a trace folder (oprof_sample, doc/trace-folder.md), and the events that
 * describe their processes, to a recording that perf_file.h reads. The recording is then imported
 * like any other.
 */
#ifndef DAEMON_IMPORT_TRACE_H
#define DAEMON_IMPORT_TRACE_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns whether folder looks like a trace rather than a session. */
bool import_trace_is(const char *folder);

/*
 * Room for about four million mappings. The limit is needed because a small compressed trace may
 * contain any number of mappings.
 */
#define IMPORT_TRACE_KEPT_BYTES ((uint64_t)512 << 20)

struct import_trace {
	/*
	 * Time range of the samples to use, counted from the beginning of the trace; to_ns 0: to
	 * its end.
	 */
	uint64_t from_ns, to_ns;
	const char *threads; /* use only these threads: numbers separated by commas; NULL: all */
	/* Limit of the memory for mappings; 0: IMPORT_TRACE_KEPT_BYTES. */
	uint64_t kept_bytes_max;
	/* Results: */
	uint64_t nr_samples;  /* samples in the time range, of the chosen threads */
	uint64_t lost_events; /* events of all kinds that were lost while recording */
	uint64_t nr_damaged;  /* damaged parts of the folder */
	uint64_t nr_unkept;   /* mappings that were left out because of the limit */
};

/*
 * Writes the recording to a file without a name, below TMPDIR or /tmp. Damaged parts are left out
 * and counted. Returns the file's descriptor, or -errno with diag: -ENODATA: there are no samples;
 * -EINVAL: invalid threads; -EINTR (import_interrupt.h).
 */
int import_trace_convert(struct import_trace *trace, const char *folder, struct diag *diag);

#endif
