/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside ctf/: the packets of a stream's file by their headers, in any order,
 * without what is in them. As long as all are of one size, which is the rule,
 * nothing but the headers that are asked for is read; else all of them, once.
 */
#ifndef CTF_PACKETS_H
#define CTF_PACKETS_H

#include "ctf/file.h"
#include "ctf/metadata.h"

#include <stdbool.h>
#include <stdint.h>

struct ctf_packets;

struct ctf_packet_place {
	uint64_t offset, nr_bytes; /* in the file; with its padding */
	uint64_t time_begin, time_end;
};

/* Of the open file, which is the caller's as metadata is. -EBADMSG: compressed, and damaged;
 * -ENOMEM, -EIO. */
int ctf_packets_open(struct ctf_packets **packets, const struct ctf_metadata *metadata,
		     const struct ctf_file *file);
void ctf_packets_close(struct ctf_packets *packets); /* NULL: nothing */

/* How many there are, as far as is known: some may turn out to be none. */
uint64_t ctf_packets_nr(const struct ctf_packets *packets);

/*
 * Not all of a compressed file has been looked through (CTF_PACKED_SEARCH_BYTES_MAX,
 * CTF_PACKED_NR_PACKETS_MAX): who reads on from the last packet comes to the rest, or is told.
 */
bool ctf_packets_is_partial(const struct ctf_packets *packets);

/*
 * The number, from 0, of the first packet that ends at time or later; that of
 * all where none does. Damaged ones, and one that the file ends within, have
 * no number. -ENOMEM, -EIO.
 */
int ctf_packets_find(struct ctf_packets *packets, uint64_t time, uint64_t *number);

/* Packet number: 0; -ENOENT: there are not so many. -ENOMEM, -EIO. */
int ctf_packets_get(struct ctf_packets *packets, uint64_t number, struct ctf_packet_place *place);

#endif
