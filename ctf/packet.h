/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks packet headers (doc/packets.md), both before writing and when reading them. */
#ifndef CTF_PACKET_H
#define CTF_PACKET_H

#include "oprof/packet.h"

#include <stdint.h>

/*
 * Checks a header of header_bytes bytes in a trace with this uuid. Returns a text that describes a
 * fault, or NULL if the header is valid. The sizes in a valid header agree with each other; the
 * caller must only check whether the file contains the whole packet.
 */
const char *ctf_packet_fault(const struct oprof_packet_header *header, const uint8_t *uuid,
			     unsigned int header_bytes);

/*
 * Checks a header against `before`, the header of the stream's preceding packet. Returns a text
 * that describes a fault in the order of packets, or NULL if there is none.
 */
const char *ctf_packet_order_fault(const struct oprof_packet_header *before,
				   const struct oprof_packet_header *header);

#endif
