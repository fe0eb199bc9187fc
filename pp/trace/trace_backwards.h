/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a trace backwards, in stretches (intervals of time). The newest stretch is read first.
 * Within a stretch, the records are read in order of time. Only the necessary packets are read: to
 * show the newest records of a large folder, a few packets are enough.
 */
#ifndef PP_TRACE_BACKWARDS_H
#define PP_TRACE_BACKWARDS_H

#include "ctf/reader.h"
#include "pp/trace/trace_who.h"

/*
 * The functions that trace_backwards() calls. take() and end() return 0; 1 to end the reading; or
 * -errno, which also ends the reading.
 */
struct trace_backwards {
	/* Called for each record of a stretch, in order of time. */
	int (*take)(void *context, const struct ctf_record *record, const struct trace_runner *who);
	/* Called at the end of each stretch. The next call of take() is for an earlier stretch. */
	int (*end)(void *context);
	/* Called once or twice for each damaged part. NULL: damage is not reported. */
	void (*damage)(void *context, const struct diag *diag);
	void *context;
};

/*
 * Reads records with from <= time < to (0 and UINT64_MAX: all records), in the reader's unit of
 * time. The thread that runs on a CPU is found from a switch of this CPU among these records or
 * among later ones. If there is no such switch, the thread is unknown. Returns 0 or -errno.
 */
int trace_backwards(struct ctf_reader *reader, struct trace_who *who, uint64_t from, uint64_t to,
		    const struct trace_backwards *wanted);

#endif
