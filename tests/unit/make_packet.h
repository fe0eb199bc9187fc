/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets for tests of their readers and writers, made from
 * include/oprof/packet.h alone: shares no code with ctf/ or ring/.
 */
#ifndef TESTS_UNIT_MAKE_PACKET_H
#define TESTS_UNIT_MAKE_PACKET_H

#include "oprof/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAKE_PACKET_BYTES_MAX 65536

struct make_packet {
	struct oprof_packet_header header;
	size_t nr_bytes, nr_used;
	uint64_t time; /* of the last record */
	unsigned int nr_extended;
	_Alignas(8) uint8_t bytes[MAKE_PACKET_BYTES_MAX];
};

/* One of nr_bytes, a power of two; the caller may change header until its end. */
void make_packet_begin(struct make_packet *packet, const uint8_t uuid[16], uint32_t cpu,
		       uint64_t seq, uint64_t time_begin, size_t nr_bytes);
/* Whether it fits. */
bool make_packet_add(struct make_packet *packet, uint32_t id, uint64_t time, unsigned int alignment,
		     const void *payload, size_t nr_bytes);
/* A padding record over a slot of so many bytes, 4 or from 5. */
bool make_packet_pad(struct make_packet *packet, uint64_t time, size_t nr_bytes);
/* Header, sums and padding: then bytes may be written. */
void make_packet_end(struct make_packet *packet, uint64_t time_end);
/* Put a changed header into the finished packet. */
void make_packet_set_header(struct make_packet *packet);

#endif
