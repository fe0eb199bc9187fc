/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace folder: first the metadata, then packets, unchanged, each to the end of its
 * stream's file. The folder stays readable if the writer is killed at any instruction: at most the
 * last packet of each file is incomplete. A writer may be used by one thread at a time.
 *
 * Packet headers are checked here; the records in packets are not.
 */
#ifndef CTF_WRITER_H
#define CTF_WRITER_H

#include "ctf/ctf.h"
#include "oprof/packet.h"

struct ctf_writer;

struct ctf_writer_counts {
	uint64_t nr_packets, nr_bytes;	 /* written */
	uint64_t nr_records;		 /* in written packets whose header gives a number */
	uint64_t lost_refused_packets;	 /* packets whose headers had a fault */
	uint64_t lost_unwritten_packets; /* packets not written: the disk was full, or failed */
	uint64_t lost_unwritten_records; /* in unwritten packets whose header gives a number */

	uint32_t chunk;		 /* number of the current chunk; 0: the trace has no chunks */
	uint64_t nr_chunk_bytes; /* part of nr_bytes that is in the current chunk */
};

/*
 * Creates folder and the metadata of trace, which the caller may free afterwards. An empty folder
 * may already exist; its parent must exist. Returns 0; -EINVAL: trace is not valid; -ENOTEMPTY:
 * folder is not empty; -EBUSY: another writer has locked folder; or another -errno. After an error,
 * everything that was created is removed again. The folder is locked (flock) until the writer is
 * closed.
 */
int ctf_writer_open(struct ctf_writer **writer, const char *folder, const struct ctf_trace *trace,
		    struct diag *diag);

/* As ctf_writer_open, for a trace in chunks. Creates the first chunk and writes to it. */
int ctf_writer_open_chunks(struct ctf_writer **writer, const char *folder,
			   const struct ctf_trace *trace, struct diag *diag);

/*
 * Ends the current chunk and starts a new one, to which packets go from now on. The ended chunk
 * does not change any more, but it is not synced to disk. After an error, packets still go to the
 * current chunk. Only for a trace in chunks.
 */
int ctf_writer_next_chunk(struct ctf_writer *writer, struct diag *diag);

/*
 * Adds a stream's file; stream_id must be one of trace->streams. name is channel_0 or similar,
 * without
 * "/" and without a leading ".". *file becomes the file's number, valid in all chunks. Returns 0;
 * -EINVAL: a wrong name or stream; -EEXIST: the file exists; or another -errno.
 */
int ctf_writer_add_file(struct ctf_writer *writer, const char *name, uint32_t stream_id,
			unsigned int *file, struct diag *diag);

/*
 * Appends one whole packet. The packet's memory may change concurrently (a program's own ring): the
 * header that is written is the copy that was checked. Returns 0; -EBADMSG: the header has a fault,
 * and the packet is refused; another -errno: the packet is not written, and its bytes are removed
 * from the file; if this fails, the next packet overwrites them. Both cases are counted, and later
 * packets may succeed: readers see the gap in seq.
 */
int ctf_writer_append(struct ctf_writer *writer, unsigned int file, const void *packet,
		      size_t nr_bytes, struct diag *diag);

/*
 * As ctf_writer_append, but splices the packet from from_fd to the file without copying it. header
 * is the packet's header and must not change. After an error, a part of the packet may already have
 * been read from from_fd. -EOPNOTSUPP: the file system does not support splice; nothing is written
 * or counted; use ctf_writer_append.
 */
int ctf_writer_move(struct ctf_writer *writer, unsigned int file,
		    const struct oprof_packet_header *header, int from_fd, size_t nr_bytes,
		    struct diag *diag);

struct ctf_writer_counts ctf_writer_counts(const struct ctf_writer *writer);

/*
 * Frees writer, and removes what it created: its files and, if it created the folder, the folder.
 * Of a trace in chunks, only the last chunk is removed, and the folder only if that was the first.
 */
void ctf_writer_discard(struct ctf_writer *writer);

/* Syncs all files to disk and frees writer. Returns 0 or the first error. NULL: does nothing. */
int ctf_writer_close(struct ctf_writer *writer, struct diag *diag);

#endif
