/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace in chunks (doc/trace-folder.md): when the next one begins, and what
 * becomes of those before. Closed ones are brought to disk, compressed if so
 * wished, and the oldest removed, by a child process with the lowest priority,
 * so that the daemon goes on emptying its rings while the disk is slow.
 */
#ifndef DAEMON_TRACE_CHUNKS_H
#define DAEMON_TRACE_CHUNKS_H

#include "ctf/writer.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TRACE_CHUNKS_KEEP_MIN 2u

/* All 0: no chunks. */
struct trace_chunks_config {
	uint64_t max_bytes;   /* a chunk that has so many gets no more; 0: no bound */
	uint64_t max_seconds; /* likewise */
	uint32_t nr_keep;     /* chunks, the one being written among them; 0: all */
	bool compress;
};

struct trace_chunks {
	struct trace_chunks_config config;
	const char *folder;	   /* borrowed, as writer */
	struct ctf_writer *writer; /* NULL: there are no chunks */
	uint32_t written;	   /* number of the chunk being written */
	uint64_t begin_ns;	   /* when it began, CLOCK_MONOTONIC */
	uint64_t retry_ns;	   /* not before: the disk had no room for the next */

	uint32_t first;			 /* the oldest that is there */
	uint32_t next_done;		 /* those before are done with: on disk, compressed */
	pid_t pid;			 /* of the child; 0: none runs */
	uint32_t to_first, to_next_done; /* what they are when it ends */
	uint64_t nr_failed;		 /* times it could not do all of it */
};

/*
 * "SIZE", with K, M or G behind it, "SECONDS", or both with a comma between,
 * into *config. -EINVAL and diag.
 */
int trace_chunks_parse(const char *text, struct trace_chunks_config *config, struct diag *diag);

/* Whether they make sense together. -EINVAL and diag. */
int trace_chunks_check(const struct trace_chunks_config *config, struct diag *diag);

static inline bool trace_chunks_wanted(const struct trace_chunks_config *config)
{
	return config->max_bytes || config->max_seconds;
}

void trace_chunks_init(struct trace_chunks *chunks, const struct trace_chunks_config *config,
		       const char *folder, struct ctf_writer *writer, uint64_t now_ns);

/* Make the folder, in chunks where config wants them: else chunks stays zeroed. As ctf_writer_open.
 */
int trace_chunks_open(struct trace_chunks *chunks, struct ctf_writer **writer,
		      const struct trace_chunks_config *config, const char *folder,
		      const struct ctf_trace *trace, uint64_t now_ns, struct diag *diag);

/* Whether the chunk being written has all that it may have: the next is due. */
bool trace_chunks_are_due(const struct trace_chunks *chunks, uint64_t now_ns);

/* From now on packets go to the next one. -errno: they go where they went, and it stays due later.
 */
int trace_chunks_next(struct trace_chunks *chunks, uint64_t now_ns, struct diag *diag);

/* See to those that are closed: once in a while. Never waits. */
void trace_chunks_tidy(struct trace_chunks *chunks);

/*
 * The writer is closed: the last one, too. What takes longer than some seconds
 * is left to the child.
 */
void trace_chunks_end(struct trace_chunks *chunks);

#endif
