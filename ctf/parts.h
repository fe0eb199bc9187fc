/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside ctf/: the packets of a stream by their headers (ctf/packets.h), over
 * all files it has: one, or in a trace in chunks one in each chunk. One of them
 * is open at a time.
 */
#ifndef CTF_PARTS_H
#define CTF_PARTS_H

#include "ctf/packets.h"
#include "ctf/stream.h"

struct ctf_parts;

/* A packet: of which file, by the number of its chunk in the place, and which there. */
struct ctf_position {
	unsigned int part;
	uint64_t number;
};

/*
 * Of stream name; metadata, place, name and nr_long_bytes are the caller's, and stay. A chunk
 * without it is passed over, as one that cannot be read. Of a trace that is not
 * in chunks: -errno, and *fault as ctf_file_open's.
 */
int ctf_parts_open(struct ctf_parts **parts, const struct ctf_metadata *metadata,
		   const struct ctf_place *place, const char *name, uint64_t *nr_long_bytes,
		   const char **fault);
void ctf_parts_close(struct ctf_parts *parts); /* NULL: nothing */

/* The first packet that ends at time or later; behind all where none does. -ENOMEM, -EIO. */
int ctf_parts_find(struct ctf_parts *parts, uint64_t time, struct ctf_position *at);

/* -ENOENT: it is behind all. -ENOMEM, -EIO. */
int ctf_parts_get(struct ctf_parts *parts, const struct ctf_position *at,
		  struct ctf_packet_place *place);

/* Go to the packet before. -ENOENT: there is none. -ENOMEM, -EIO. */
int ctf_parts_back(struct ctf_parts *parts, struct ctf_position *at,
		   struct ctf_packet_place *place);

#endif
