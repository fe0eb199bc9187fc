/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold of packets' headers (doc/packets.md), before they are written and when read. */
#ifndef CTF_PACKET_H
#define CTF_PACKET_H

#include "oprof/packet.h"

#include <stdint.h>

/*
 * What is wrong with a header of header_bytes in a trace of that uuid, by
 * itself; NULL: nothing. Content and sizes may be believed then, as far as
 * there are so many bytes.
 */
const char *ctf_packet_fault(const struct oprof_packet_header *header, const uint8_t *uuid,
			     unsigned int header_bytes);

/* What is wrong with it behind the packet before it in the same stream; NULL: nothing. */
const char *ctf_packet_order_fault(const struct oprof_packet_header *before,
				   const struct oprof_packet_header *header);

#endif
