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
	uint64_t retry_ns;	   /* not before: the last could not be made; 0: it was */
	bool wants_room;	   /* since then nothing was removed for it */
	uint64_t nr_unwritten;	   /* packets that the disk had not taken, when last looked */

	uint32_t first;			 /* the oldest that is there */
	uint32_t next_done;		 /* those before are done with: on disk, compressed */
	pid_t pid;			 /* of the child; 0: none runs */
	int told_fd;			 /* what it says at its end; if pid */
	uint32_t to_first, to_next_done; /* what they are when all goes well */
	unsigned int remove_tries, finish_tries; /* of one chunk, in a row, that failed */
	uint64_t again_ns;			 /* no child before: the last one failed */
	uint64_t nr_failed; /* chunks given up: not compressed, or not removed */
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

/*
 * From now on packets go to the next one: true. False: they go where they went, which is logged; a
 * second later it is due again.
 */
bool trace_chunks_next(struct trace_chunks *chunks, uint64_t now_ns);

/*
 * See to those that are closed: once in a while. Never waits. What fails is logged and tried again,
 * three times, some seconds later; then that chunk stays as it is, and is counted. Where old chunks
 * are to go anyway (nr_keep), and the disk is full, the oldest makes room before its time.
 */
void trace_chunks_tidy(struct trace_chunks *chunks);

/*
 * The writer is closed: the last one, too. What takes longer than some seconds
 * is left to the child, which is logged.
 */
void trace_chunks_end(struct trace_chunks *chunks);

#endif
