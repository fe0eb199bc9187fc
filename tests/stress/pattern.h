/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The content of the stress test's records, by which each is distinguished from all others. A full
 * record holds its context, number, stamp and length, then a pattern computed from these. A short
 * record of 0 to 8 bytes holds only the pattern; its number is one more than that of the previous
 * record of its context.
 *
 * A context is one level of one writer thread: the thread itself, or one of the signal handlers
 * that nest on it.
 */
#ifndef STRESS_PATTERN_H
#define STRESS_PATTERN_H

#include "ring/ring_write.h"

#define STRESS_NR_LEVELS_MAX	10u
#define STRESS_SHORT_MAX	8u
#define STRESS_NR_ALIGN_ORDERS	4u
#define STRESS_FULL_FIELD_BYTES 20u /* context, number, stamp, length; packed */

/* Event ids. */
#define STRESS_ID_FULL		0u /* + order of the alignment */
#define STRESS_ID_SHORT		4u /* + 3 x level + variant: see pattern.c */
#define STRESS_NR_SHORT_COMPACT 24u
#define STRESS_ID_FULL_FAR	100u
#define STRESS_ID_SHORT_FAR	200u /* + (9 x level + bytes) x 4 + order */
#define STRESS_NR_SHORT_FAR	(STRESS_NR_LEVELS_MAX * (STRESS_SHORT_MAX + 1) * 4)

/* The meaning of an event id. */
struct stress_event {
	bool is_full;
	uint32_t level;		/* of a short record */
	uint32_t payload_bytes; /* of a short record */
	uint32_t align;
};

/* The fields of a record. */
struct stress_record {
	uint32_t ring;
	uint32_t level;
	uint32_t number;
	uint64_t time;
};

uint64_t stress_random(uint64_t *state);

/* Decodes an event id. Returns false if there is no such event. */
bool stress_event_understand(uint32_t id, struct stress_event *event);

/* Chooses a record of random size, alignment and header; some are too big on purpose. */
void stress_request_choose(struct ring_request *request, uint32_t level, uint32_t sub_buffer_bytes,
			   uint64_t *random);

/* Returns the largest payload that fits into a sub-buffer. */
uint32_t stress_payload_max(uint32_t event_id, uint32_t align, uint32_t sub_buffer_bytes);

void stress_fill(uint8_t *payload, const struct ring_request *request,
		 const struct stress_record *record, uint32_t from, uint32_t to);

/* Returns the fields of a full record, and the payload's length that they give. */
struct stress_record stress_full_read(const uint8_t *payload, uint64_t *payload_bytes);

/* Returns whether the payload is that of such a record. */
bool stress_full_is_right(const uint8_t *payload, uint32_t payload_bytes,
			  const struct stress_record *record);
bool stress_short_is_right(const uint8_t *payload, const struct stress_event *event,
			   uint32_t number);

#endif
