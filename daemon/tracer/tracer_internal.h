/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common part of both kinds of tracer (tracer_perf.c uses perf_event_open, trace_kmod.c the
 * kernel module), and the functions that differ (tracer_ops). tracer.c chooses the kind and
 * contains the shared functions.
 */
#ifndef DAEMON_TRACER_INTERNAL_H
#define DAEMON_TRACER_INTERNAL_H

#include "ctf/writer.h"
#include "daemon/trace/trace_describe.h"
#include "daemon/trace/trace_memory.h"
#include "daemon/tracer/trace_mappings.h"
#include "daemon/tracer/tracer.h"

#include <stddef.h>

#define TRACER_STREAM 0u /* stream id of all packets */

/*
 * A kind of tracer. If a function NAME has no comment here, tracer.h documents it as tracer_NAME.
 */
struct tracer_ops {
	/* size of the struct of this kind, whose first member is a struct tracer */
	size_t nr_bytes;

	/*
	 * Opens everything, but does not record yet. Ignores config's member source. Returns 0;
	 * -EOPNOTSUPP: only the other kind of tracer supports an option or event; -ENOENT: no
	 * module with tracing is loaded; -EPERM, -EACCES: the user lacks the permission; or another
	 * -errno. Fills diag on errors. After an error the caller calls close.
	 */
	int (*open)(struct tracer *tracer, struct diag *diag);
	/*
	 * Frees everything that `open` allocated. writer, chunks and mappings have already been
	 * closed.
	 */
	void (*close)(struct tracer *tracer);
	int (*start)(struct tracer *tracer, struct diag *diag);
	int (*round)(struct tracer *tracer, struct diag *diag);
	int (*poll_fd)(const struct tracer *tracer);
	int (*stop)(struct tracer *tracer, struct diag *diag);
	int (*follow_cpus)(struct tracer *tracer, struct diag *diag);
	int (*flush)(struct tracer *tracer, struct diag *diag);
	/*
	 * Writes all parts to the folder of writer, even if one of them fails. Returns 0 or the
	 * first error. The caller has zeroed *taken. taken->nr_records counts all records taken
	 * from memory, whether written or not; nr_unwritten, nr_packets and nr_bytes stay 0.
	 */
	int (*snapshot)(struct tracer *tracer, struct ctf_writer *writer,
			struct tracer_snapshot *taken, struct diag *diag);
	void (*lend)(struct tracer *tracer, bool lends); /* NULL: a child process shares no rings */
	struct tracer_held (*held)(struct tracer *tracer);
	unsigned int (*nr_cpus)(const struct tracer *tracer); /* recorded at present */
	unsigned int (*nr_events)(const struct tracer *tracer);
	/*
	 * Returns counts. tracer_counts adds the counts of writer, mappings, chunks and trigger.
	 * nr_records includes nr_state.
	 */
	struct tracer_counts (*counts)(const struct tracer *tracer);
};

extern const struct tracer_ops tracer_perf_ops, trace_kmod_ops;

struct tracer {
	const struct tracer_ops *ops;
	/* a copy of the caller's; has the default sizes of buffers if the caller gave none */
	struct tracer_config config;

	struct ctf_trace trace; /* contents of the folder's metadata */
	struct trace_describe machine;
	uint32_t stream;

	struct ctf_writer *writer;	 /* NULL for a flight recorder */
	bool has_old;			 /* an existing trace was moved to folder.old */
	struct trace_chunks chunks;	 /* zeroed: no chunks */
	struct trace_mappings *mappings; /* NULL: mappings are not recorded separately */
	/* text of the first condition that became true and was not yet reported; NULL: none */
	const char *cause;
	uint64_t nr_state; /* records of the state in the folder */
	uint64_t begin_ns; /* time at which recording began, CLOCK_MONOTONIC */
};

/* Fills in the trace's description, except its clock and events. Returns 0, or -EIO and diag. */
int tracer_describe(struct tracer *tracer, struct diag *diag);

/*
 * Calls is_cancelled of tracer_config: returns whether to cancel opening or starting. After
 * tracer_start, always returns false.
 */
bool tracer_is_cancelled(const struct tracer *tracer);

/*
 * Makes the folder, except for a flight recorder. This must be the last step of opening, so that a
 * trace that cannot be recorded leaves no folder.
 */
int tracer_open_folder(struct tracer *tracer, struct diag *diag);

/*
 * Stores a condition's text for tracer_take_cause, unless another text is already stored. Does
 * nothing if cause is NULL.
 */
void tracer_note_cause(struct tracer *tracer, const char *cause);

struct trace_memory tracer_memory(const struct tracer_config *config);

#endif
