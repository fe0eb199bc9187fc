/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the packets of one stream file by their headers, without reading their records. Normally
 * all packets have the same size, and only the requested headers are read. Otherwise all headers
 * are read once. Only ctf/ uses this header.
 */
#ifndef CTF_PACKETS_H
#define CTF_PACKETS_H

#include "ctf/file.h"
#include "ctf/metadata.h"

#include <stdbool.h>
#include <stdint.h>

struct ctf_packets;

struct ctf_packet_place {
	uint64_t offset, nr_bytes; /* offset in the file; size, including the padding */
	uint64_t time_begin, time_end;
};

/*
 * Opens the packets of an open file. The caller owns file and metadata, which must exist until
 * packets are closed. Returns 0; -EBADMSG: the file is compressed and damaged; -ENOMEM, -EIO.
 */
int ctf_packets_open(struct ctf_packets **packets, const struct ctf_metadata *metadata,
		     const struct ctf_file *file);
void ctf_packets_close(struct ctf_packets *packets); /* NULL: does nothing */

/* Returns the number of packets known so far. Later calls may find that some are damaged. */
uint64_t ctf_packets_nr(const struct ctf_packets *packets);

/*
 * Returns whether a limit (CTF_PACKED_SEARCH_BYTES_MAX, CTF_PACKED_NR_PACKETS_MAX) ended the
 * search of a compressed file, so that packets may be unknown. A reader that begins at the last
 * known packet and continues in the stream gets the unknown packets or an error.
 */
bool ctf_packets_is_partial(const struct ctf_packets *packets);

/*
 * Finds the first packet that ends at `time` or later, and sets *number to its number, counted
 * from 0. If there is none, *number is ctf_packets_nr() or, if the search was partial, the number
 * of the last known packet. Damaged packets, and a packet that is incomplete at the end of the
 * file, are not numbered. Returns 0; -EBADMSG: the file is compressed and damaged; -ENOMEM, -EIO.
 */
int ctf_packets_find(struct ctf_packets *packets, uint64_t time, uint64_t *number);

/*
 * Finds the packet with this number. Returns 0; -ENOENT: the file has fewer packets; -EBADMSG: the
 * file is compressed and damaged; -ENOMEM, -EIO.
 */
int ctf_packets_get(struct ctf_packets *packets, uint64_t number, struct ctf_packet_place *place);

#endif
