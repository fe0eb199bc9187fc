/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace, inside: what both kinds of tracer have (tracer_perf.c: by perf_event_open; trace_kmod.c:
 * by the kernel module), and the functions in which they differ. tracer.c chooses the kind, and
 * has the functions that they share.
 */
#ifndef DAEMON_TRACER_INTERNAL_H
#define DAEMON_TRACER_INTERNAL_H

#include "ctf/writer.h"
#include "daemon/trace/trace_describe.h"
#include "daemon/trace/trace_memory.h"
#include "daemon/tracer/trace_mappings.h"
#include "daemon/tracer/tracer.h"

#include <stddef.h>

#define TRACER_STREAM 0u /* of all packets */

/* A kind of tracer. Functions without a comment do what tracer.h says of tracer_NAME. */
struct tracer_ops {
	size_t nr_bytes; /* of its struct, whose first member is a struct tracer */

	/*
	 * Open everything, record nothing yet; config's source does not matter. -EOPNOTSUPP:
	 * something chosen that only the other kind has; -ENOENT: no module that traces is loaded;
	 * -EPERM, -EACCES: not by this user; -errno; diag. After an error close is called.
	 */
	int (*open)(struct tracer *tracer, struct diag *diag);
	/* Free what open made. The members of struct tracer are gone by then: not to be used. */
	void (*close)(struct tracer *tracer);
	int (*start)(struct tracer *tracer, struct diag *diag);
	int (*round)(struct tracer *tracer, struct diag *diag);
	int (*poll_fd)(const struct tracer *tracer);
	int (*stop)(struct tracer *tracer, struct diag *diag);
	int (*follow_cpus)(struct tracer *tracer, struct diag *diag);
	int (*flush)(struct tracer *tracer, struct diag *diag);
	/*
	 * To a folder that is made, all parts, also behind one that fails; the first error. taken
	 * is zeroed. Its nr_records are those taken from memory, written or not; nr_unwritten,
	 * nr_packets and nr_bytes stay zero.
	 */
	int (*snapshot)(struct tracer *tracer, struct ctf_writer *writer,
			struct tracer_snapshot *taken, struct diag *diag);
	void (*lend)(struct tracer *tracer, bool lends); /* NULL: a child has all by itself */
	struct tracer_held (*held)(struct tracer *tracer);
	unsigned int (*nr_cpus)(const struct tracer *tracer); /* recorded now */
	unsigned int (*nr_events)(const struct tracer *tracer);
	/* Without what the writer, the mappings, the chunks and the trigger count; with nr_state.
	 */
	struct tracer_counts (*counts)(const struct tracer *tracer);
};

extern const struct tracer_ops tracer_perf_ops, trace_kmod_ops;

struct tracer {
	const struct tracer_ops *ops;
	struct tracer_config config; /* the sizes of the buffers are chosen */

	struct ctf_trace trace; /* what the folder's metadata says */
	struct trace_describe machine;
	uint32_t stream;

	struct ctf_writer *writer;	 /* NULL: a flight recorder */
	struct trace_chunks chunks;	 /* zeroed: the trace has none */
	struct trace_mappings *mappings; /* NULL: nothing needs them */
	const char *cause;		 /* of the trigger, not taken yet; NULL: none */
	uint64_t nr_state;		 /* records of the state in the folder */
	uint64_t begin_ns;		 /* of recording, CLOCK_MONOTONIC */
};

/* The trace's description, but for its clock and its events. -EIO and diag. */
int tracer_describe(struct tracer *tracer, struct diag *diag);

/* Make the folder, if one is wanted: last, so that nothing is made of a trace that cannot be. */
int tracer_open_folder(struct tracer *tracer, struct diag *diag);

/* Keep a condition's text until tracer_take_cause; the first counts. NULL: none. */
void tracer_note_cause(struct tracer *tracer, const char *cause);

struct trace_memory tracer_memory(const struct tracer_config *config);

#endif
