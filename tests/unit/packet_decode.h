/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the records of a packet by doc/packets.md alone, without the ring's
 * code, and checks what it meets on the way: the header's sizes and sums, P1
 * and P4. For tests; what it is given may be damaged.
 */
#ifndef TESTS_PACKET_DECODE_H
#define TESTS_PACKET_DECODE_H

#include "oprof/packet.h"

#include <stdbool.h>
#include <stddef.h>

/* What the decoder does not know of events. */
struct packet_layout {
	/* Alignment of the event's payload: 1, 2, 4 or 8. */
	uint32_t (*align)(void *context, uint32_t event_id);
	/* Its length; more than room, the bytes up to the content's end: damaged. */
	uint32_t (*bytes)(void *context, uint32_t event_id, const uint8_t *payload, uint32_t room);
	void *context;
};

struct packet_record {
	uint32_t event_id;
	uint64_t time;
	const uint8_t *payload;
	uint32_t payload_bytes;
	uint32_t offset; /* of the record's header, from the packet's begin */
	bool is_extended;
	bool is_padding;
};

struct packet_decoder {
	struct oprof_packet_header header;
	const uint8_t *data;
	uint32_t content_bytes;
	uint32_t offset;     /* of what is read next */
	uint32_t nr_records; /* so far, padding records not among them */
	uint32_t nr_padding;
	uint64_t time; /* of the record before, or time_begin */
	const struct packet_layout *layout;
};

/*
 * Of a sub-buffer of nr_bytes. -EBADMSG: not the header of a packet of that
 * size. layout is kept.
 */
int packet_decode_begin(struct packet_decoder *decoder, const void *data, size_t nr_bytes,
			const struct packet_layout *layout);

/* 1: *record is the next one; 0: there are no more, and all adds up; -EBADMSG. */
int packet_decode_next(struct packet_decoder *decoder, struct packet_record *record);

#endif
