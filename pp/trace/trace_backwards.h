/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a trace from its end, in stretches of time: the newest stretch first, each in order of
 * time. Only what is wanted is read: the newest records of a large folder cost a few packets.
 */
#ifndef PP_TRACE_BACKWARDS_H
#define PP_TRACE_BACKWARDS_H

#include "ctf/reader.h"
#include "pp/trace/trace_who.h"

/* take and end return 0; 1 to end the reading; or -errno, which ends the reading, too. */
struct trace_backwards {
	/* The next record of a stretch, in order of time. */
	int (*take)(void *context, const struct ctf_record *record, const struct trace_runner *who);
	/* A stretch is complete; the next one precedes it in time. */
	int (*end)(void *context);
	/* A place is damaged; may be called twice for one place. NULL: not reported. */
	void (*damage)(void *context, const struct diag *diag);
	void *context;
};

/*
 * Reads records with from <= time < to (0 and UINT64_MAX: all), in the reader's unit of time. The
 * running thread of a CPU is known from its switches among these and later records; without any,
 * it is unknown. Returns 0 or -errno.
 */
int trace_backwards(struct ctf_reader *reader, struct trace_who *who, uint64_t from, uint64_t to,
		    const struct trace_backwards *wanted);

#endif
