/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace folder: first the metadata, then packets. Each packet is appended unchanged to
 * the file of its stream. If the writer is killed at any instruction, the folder stays readable,
 * and at most the last packet of each file is incomplete. Only one thread at a time may use a
 * writer.
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
	uint64_t nr_records;		 /* records in written packets, if known */
	uint64_t lost_refused_packets;	 /* packets refused because of a fault in the header */
	uint64_t lost_unwritten_packets; /* packets not written: disk full or failed */
	uint64_t lost_unwritten_records; /* records in unwritten packets, if known */

	uint32_t chunk;		 /* number of the current chunk; 0: the trace has no chunks */
	uint64_t nr_chunk_bytes; /* bytes of packets in the current chunk */
};

/*
 * Creates a folder and its metadata from `trace`, which the caller may free after the call. The
 * folder may already exist if it is empty; its parent must exist. Returns 0; -EINVAL: the trace is
 * not valid; -ENOTEMPTY: the folder is not empty; -EBUSY: another writer has locked the folder; or
 * another -errno. After an error, all files that were created are removed again. The folder is
 * locked (flock) until the writer is closed.
 */
int ctf_writer_open(struct ctf_writer **writer, const char *folder, const struct ctf_trace *trace,
		    struct diag *diag);

/*
 * Like ctf_writer_open, but for a trace in chunks. Creates the first chunk, to which packets are
 * written.
 */
int ctf_writer_open_chunks(struct ctf_writer **writer, const char *folder,
			   const struct ctf_trace *trace, struct diag *diag);

/*
 * Ends the current chunk and starts a new one, to which all later packets are written. The ended
 * chunk does not change after that, but it is not synced to disk. After an error, packets are
 * still written to the old chunk. Only for a trace in chunks.
 */
int ctf_writer_next_chunk(struct ctf_writer *writer, struct diag *diag);

/*
 * Adds a stream's file; stream_id must be one of trace->streams. name is channel_0 or similar,
 * without "/" and without a leading ".". *file becomes the file's number, which is valid in all
 * chunks. Returns 0; -EINVAL: the name or the stream is not valid; -EEXIST: the file exists; or
 * another -errno.
 */
int ctf_writer_add_file(struct ctf_writer *writer, const char *name, uint32_t stream_id,
			unsigned int *file, struct diag *diag);

/*
 * Appends one whole packet. The packet may be in memory that changes during the call, such as a
 * program's own ring. Therefore the header is copied, and the copy is checked and written. Returns
 * 0. Returns -EBADMSG if the header has a fault; the packet is then refused. Returns another -errno
 * if writing failed; the bytes already written are then removed from the file. If they cannot be
 * removed, the next packet overwrites them. Both kinds of errors are counted, readers see a gap in
 * seq, and later packets can still be written.
 */
int ctf_writer_append(struct ctf_writer *writer, unsigned int file, const void *packet,
		      size_t nr_bytes, struct diag *diag);

/*
 * Like ctf_writer_append, but splices the packet from from_fd to the file without copying it.
 * `header` is the packet's header and must not change. After an error, a part of the packet may
 * already have been read from from_fd. -EOPNOTSUPP: the file system does not support splice;
 * nothing was written or counted, and the caller must use ctf_writer_append.
 */
int ctf_writer_move(struct ctf_writer *writer, unsigned int file,
		    const struct oprof_packet_header *header, int from_fd, size_t nr_bytes,
		    struct diag *diag);

/*
 * Opens the trace's folder again. Returns a close-on-exec descriptor, which does not hold the
 * writer's lock, or -errno.
 */
int ctf_writer_open_folder(const struct ctf_writer *writer);

struct ctf_writer_counts ctf_writer_counts(const struct ctf_writer *writer);

/*
 * Frees writer, and removes the files that it created and, if it created the folder, also the
 * folder. For a trace in chunks, removes only the last chunk; the folder is then removed only if it
 * has no other chunk.
 */
void ctf_writer_discard(struct ctf_writer *writer);

/* Syncs all files to disk and frees writer. Returns 0 or the first error. NULL: does nothing. */
int ctf_writer_close(struct ctf_writer *writer, struct diag *diag);

#endif
