/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a trace from its end: in stretches of time, the newest first, and each
 * from its begin on. What is read is what is wanted: of a large folder the
 * newest records cost a few packets.
 */
#ifndef PP_TRACE_BACKWARDS_H
#define PP_TRACE_BACKWARDS_H

#include "ctf/reader.h"
#include "pp/trace/trace_who.h"

/* Each 0; 1: enough, no stretch follows; or -errno, which ends it. */
struct trace_backwards {
	/* The next record of a stretch, in order of time. */
	int (*take)(void *context, const struct ctf_record *record, const struct trace_runner *who);
	/* A stretch is complete; the next one is before it. */
	int (*end)(void *context);
	/* A place is damaged; may be told of twice. NULL: it need not be told. */
	void (*damage)(void *context, const struct diag *diag);
	void *context;
};

/*
 * Records from `from' on and before `to', ticks of the trace's clock (0 and
 * UINT64_MAX: all). Who ran is told by the switches of what is read and behind
 * it: not of a CPU that has none from there on. 0 or -errno.
 */
int trace_backwards(struct ctf_reader *reader, struct trace_who *who, uint64_t from, uint64_t to,
		    const struct trace_backwards *wanted);

#endif
