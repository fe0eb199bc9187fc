/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace in chunks (doc/trace-folder.md). This module decides when the next chunk begins. A child
 * process with the lowest priority writes closed chunks to disk, compresses them if configured, and
 * removes the oldest chunks. The daemon can therefore continue to read its rings while the disk is
 * slow.
 */
#ifndef DAEMON_TRACE_CHUNKS_H
#define DAEMON_TRACE_CHUNKS_H

#include "ctf/writer.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TRACE_CHUNKS_KEEP_MIN 2u

/* If all members are 0, the trace has no chunks. */
struct trace_chunks_config {
	uint64_t max_bytes;   /* a chunk that reaches this size is closed; 0: no limit */
	uint64_t max_seconds; /* a chunk that reaches this age is closed; 0: no limit */
	/* number of chunks to keep, including the one being written; 0: all */
	uint32_t nr_keep;
	bool compress;
};

struct trace_chunks {
	struct trace_chunks_config config;
	const char *folder;	   /* for messages; folder and writer are borrowed */
	int folder_fd;		   /* the folder; -errno: it could not be opened */
	struct ctf_writer *writer; /* NULL: no chunks */
	uint32_t written;	   /* number of the chunk being written */
	uint64_t begin_ns;	   /* CLOCK_MONOTONIC: when this chunk began */
	/*
	 * If the last attempt to make a chunk failed, earliest time of the next attempt; otherwise
	 * 0.
	 */
	uint64_t retry_ns;
	bool wants_room;       /* a chunk could not be made, and no chunk has been removed since */
	uint64_t nr_unwritten; /* packets not written to disk, at the last check */

	uint32_t first; /* number of the oldest chunk on disk */
	/*
	 * All chunks with lower numbers are finished: they are on disk and, if configured,
	 * compressed.
	 */
	uint32_t next_done;
	pid_t pid;   /* pid of the child; 0: no child runs */
	int told_fd; /* pipe from which the child's report is read; valid if pid is not 0 */
	/* the values that first and next_done will have if the child succeeds */
	uint32_t to_first, to_next_done;
	unsigned int remove_tries, finish_tries; /* consecutive failures with one chunk */
	uint64_t again_ns;  /* no child is started before this time, because the last one failed */
	uint64_t nr_failed; /* chunks that could not be compressed or removed */
};

/*
 * Parses "SIZE" with suffix K, M or G, "SECONDS", or both separated by a comma, into *config.
 * Returns 0, -EINVAL or -ENOMEM. Fills diag on errors.
 */
int trace_chunks_parse(const char *text, struct trace_chunks_config *config, struct diag *diag);

/* Checks that the options can be combined. Returns 0, or -EINVAL. Fills diag on errors. */
int trace_chunks_check(const struct trace_chunks_config *config, struct diag *diag);

static inline bool trace_chunks_wanted(const struct trace_chunks_config *config)
{
	return config->max_bytes || config->max_seconds;
}

void trace_chunks_init(struct trace_chunks *chunks, const struct trace_chunks_config *config,
		       const char *folder, struct ctf_writer *writer, uint64_t now_ns);

/*
 * Makes the trace's folder. If config requests chunks, initializes *chunks; otherwise *chunks must
 * be zeroed before the call, and is not changed. Returns the same as ctf_writer_open.
 */
int trace_chunks_open(struct trace_chunks *chunks, struct ctf_writer **writer,
		      const struct trace_chunks_config *config, const char *folder,
		      const struct ctf_trace *trace, uint64_t now_ns, struct diag *diag);

/* Returns whether the chunk being written has reached a limit. */
bool trace_chunks_are_due(const struct trace_chunks *chunks, uint64_t now_ns);

/*
 * Begins the next chunk. Returns true if later packets are written to the new chunk. After an
 * error, which is logged, returns false: packets are written to the old chunk, and another attempt
 * is due a second later.
 */
bool trace_chunks_next(struct trace_chunks *chunks, uint64_t now_ns);

/*
 * Starts a child that works on closed chunks; does not wait for it. To be called regularly. A
 * failure is logged, and the work is retried some seconds later; after three failures the chunk is
 * left unchanged and counted. If nr_keep limits the number of chunks and the disk is full, the
 * oldest chunk is removed early.
 */
void trace_chunks_tidy(struct trace_chunks *chunks);

/*
 * To be called when the writer is closed. Also finishes the last chunk. Waits up to 20 s for the
 * child. If the child needs longer, this is logged, and the child continues alone.
 */
void trace_chunks_end(struct trace_chunks *chunks);

#endif
