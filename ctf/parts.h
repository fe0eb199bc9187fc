/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside ctf/: finds the packets of a stream by their headers (ctf/packets.h), in all its files:
 * one file or, in a trace in chunks, one file per chunk. Each file is a part; only one part is open
 * at a time.
 */
#ifndef CTF_PARTS_H
#define CTF_PARTS_H

#include "ctf/packets.h"
#include "ctf/stream.h"

struct ctf_parts;

/* The position of a packet: its part (index in the place's chunks), and its number in the part. */
struct ctf_position {
	unsigned int part;
	uint64_t number;
};

/*
 * Opens the parts of stream name. The caller keeps metadata, place, name and nr_long_bytes, which
 * must outlive parts. A chunk whose file is missing or cannot be read is left out of all positions.
 * In a trace without chunks this is an error: returns -errno, and *fault is as from ctf_file_open,
 * or NULL.
 */
int ctf_parts_open(struct ctf_parts **parts, const struct ctf_metadata *metadata,
		   const struct ctf_place *place, const char *name, uint64_t *nr_long_bytes,
		   const char **fault);
void ctf_parts_close(struct ctf_parts *parts); /* NULL: does nothing */

/*
 * Finds the first packet that ends at time or later; if there is none, *at is after all packets.
 * This function, ctf_parts_get and ctf_parts_back return 0; -EBADMSG: the file is compressed and
 * damaged; -ENOMEM, -EIO.
 */
int ctf_parts_find(struct ctf_parts *parts, uint64_t time, struct ctf_position *at);

/*
 * Examines the parts between *at and the last readable part before it. Returns the first of them
 * that cannot be read; at->part if there is none, or if *at is not the first packet of its part.
 */
unsigned int ctf_parts_first_unreadable(const struct ctf_parts *parts,
					const struct ctf_position *at);

/* Finds the packet at a position. -ENOENT: no packet is there. */
int ctf_parts_get(struct ctf_parts *parts, const struct ctf_position *at,
		  struct ctf_packet_place *place);

/* Moves *at to the preceding packet. -ENOENT: no packet precedes. */
int ctf_parts_back(struct ctf_parts *parts, struct ctf_position *at,
		   struct ctf_packet_place *place);

#endif
