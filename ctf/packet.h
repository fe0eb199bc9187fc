/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of packet headers (doc/packets.md), used before writing and when reading them. */
#ifndef CTF_PACKET_H
#define CTF_PACKET_H

#include "oprof/packet.h"

#include <stdint.h>

/*
 * Returns what is wrong with one header of header_bytes, in a trace with this
 * uuid, or NULL. After NULL its content and packet sizes can be trusted, but
 * not that the file has as many bytes.
 */
const char *ctf_packet_fault(const struct oprof_packet_header *header, const uint8_t *uuid,
			     unsigned int header_bytes);

/* Returns what is wrong with header if `before` is the preceding packet of its stream, or NULL. */
const char *ctf_packet_order_fault(const struct oprof_packet_header *before,
				   const struct oprof_packet_header *header);

#endif
