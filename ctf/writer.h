/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace folder: metadata first, at once, then packets as they are, to
 * the end of their stream's file. After a kill at any instruction the folder
 * is readable; of each file at most the last packet is not whole. For one
 * thread at a time.
 *
 * Not for what packets hold: their headers are checked, their records not.
 */
#ifndef CTF_WRITER_H
#define CTF_WRITER_H

#include "ctf/ctf.h"
#include "oprof/packet.h"

struct ctf_writer;

struct ctf_writer_counts {
	uint64_t nr_packets, nr_bytes;	 /* written */
	uint64_t nr_records;		 /* in these, as far as they tell */
	uint64_t lost_refused_packets;	 /* a fault in their header */
	uint64_t lost_unwritten_packets; /* the disk was full, or failed */
	uint64_t lost_unwritten_records; /* in these, as far as they tell */

	uint32_t chunk;		 /* the one being written; 0: the trace has none */
	uint64_t nr_chunk_bytes; /* of nr_bytes, in it */
};

/*
 * Make folder (an empty one may be there; its parent must), and metadata of
 * trace, which is not kept. -EINVAL: the description; -ENOTEMPTY: something
 * is there; -EBUSY: another writer is; -errno. After an error nothing of ours
 * is left. The folder is locked (flock) until the writer is closed.
 */
int ctf_writer_open(struct ctf_writer **writer, const char *folder, const struct ctf_trace *trace,
		    struct diag *diag);

/*
 * The same, of a trace in chunks, of which this makes the first: files and
 * packets go there.
 */
int ctf_writer_open_chunks(struct ctf_writer **writer, const char *folder,
			   const struct ctf_trace *trace, struct diag *diag);

/*
 * From now on packets go to a new chunk; the one before is as it stays, but not
 * brought to disk. After an error all is as it was, and packets go where they
 * went. Only of a trace in chunks.
 */
int ctf_writer_next_chunk(struct ctf_writer *writer, struct diag *diag);

/*
 * A stream's file, of a kind described: name it channel_0 or so, without "/"
 * and not beginning with ".". *file is its number, in all chunks. -EEXIST: there
 * is such one.
 */
int ctf_writer_add_file(struct ctf_writer *writer, const char *name, uint32_t stream_id,
			unsigned int *file, struct diag *diag);

/*
 * Append one whole packet. It may change meanwhile (a program's own memory):
 * its header is written as it was checked. -EBADMSG: a fault there, refused;
 * other -errno: not written, and nothing of it is left in the file (if even
 * that fails, the next packet takes its place). Both are counted, and later
 * ones may well be written: the gap in seq tells readers.
 */
int ctf_writer_append(struct ctf_writer *writer, unsigned int file, const void *packet,
		      size_t nr_bytes, struct diag *diag);

/*
 * The same of a packet in a descriptor that can be spliced from, header being
 * its header, which stays as it is: its bytes go there without being copied.
 * All is taken from from_fd that will be, also after an error. -EOPNOTSUPP: this
 * file system does not take it: nothing is written or counted, append it.
 */
int ctf_writer_move(struct ctf_writer *writer, unsigned int file,
		    const struct oprof_packet_header *header, int from_fd, size_t nr_bytes,
		    struct diag *diag);

struct ctf_writer_counts ctf_writer_counts(const struct ctf_writer *writer);

/* Remove what the writer has made, and free it. Only of a trace that is not in chunks. */
void ctf_writer_discard(struct ctf_writer *writer);

/* To the disk itself, and free writer; the first error. NULL: nothing. */
int ctf_writer_close(struct ctf_writer *writer, struct diag *diag);

#endif
