/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the packets of a stream by their headers (ctf/packets.h) in all its files: one file or, in
 * a trace in chunks, one file per chunk. Each file is a part of the stream, and only one part is
 * open at a time. Only ctf/ uses this header.
 */
#ifndef CTF_PARTS_H
#define CTF_PARTS_H

#include "ctf/packets.h"
#include "ctf/stream.h"

struct ctf_parts;

/*
 * The position of a packet: its part (index of the chunk in place->chunks), and its number in this
 * part.
 */
struct ctf_position {
	unsigned int part;
	uint64_t number;
};

/*
 * Opens the parts of the stream `name`. The caller owns metadata, place, name and nr_long_bytes,
 * which must exist until the parts are closed. A chunk in which the stream's file is missing or
 * cannot be read has no positions. In a trace without chunks, such a file is an error: -errno is
 * returned, and *fault is set as by ctf_file_open, or is NULL.
 */
int ctf_parts_open(struct ctf_parts **parts, const struct ctf_metadata *metadata,
		   const struct ctf_place *place, const char *name, uint64_t *nr_long_bytes,
		   const char **fault);
void ctf_parts_close(struct ctf_parts *parts); /* NULL: does nothing */

/*
 * Sets *at to the first packet that ends at `time` or later, or to the end of all packets if there
 * is none. This function, ctf_parts_get and ctf_parts_back return 0; -EBADMSG: the file is
 * compressed and damaged; -ENOMEM, -EIO.
 */
int ctf_parts_find(struct ctf_parts *parts, uint64_t time, struct ctf_position *at);

/*
 * Examines the parts directly before at->part, back to the next readable part. Returns the earliest
 * of them that cannot be read. Returns at->part if there is none, or if packets of at->part precede
 * *at.
 */
unsigned int ctf_parts_first_unreadable(const struct ctf_parts *parts,
					const struct ctf_position *at);

/* Finds the packet at position *at. -ENOENT: there is no packet at this position. */
int ctf_parts_get(struct ctf_parts *parts, const struct ctf_position *at,
		  struct ctf_packet_place *place);

/* Moves *at to the preceding packet. -ENOENT: there is no preceding packet. */
int ctf_parts_back(struct ctf_parts *parts, struct ctf_position *at,
		   struct ctf_packet_place *place);

#endif
