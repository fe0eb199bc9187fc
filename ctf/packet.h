/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of packet headers (doc/packets.md), used before writing and when reading them. */
#ifndef CTF_PACKET_H
#define CTF_PACKET_H

#include "oprof/packet.h"

#include <stdint.h>

/*
 * Returns the fault of a header of header_bytes, in a trace with this uuid, as a text; NULL: the
 * header is valid. The content and packet sizes of a valid header can be trusted; the file may
 * still be shorter.
 */
const char *ctf_packet_fault(const struct oprof_packet_header *header, const uint8_t *uuid,
			     unsigned int header_bytes);

/*
 * Returns the fault of header as the successor of `before`, the preceding packet of its stream;
 * NULL: no fault.
 */
const char *ctf_packet_order_fault(const struct oprof_packet_header *before,
				   const struct oprof_packet_header *header);

#endif
