// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/stress/pattern.h"

static const struct {
	uint8_t payload_bytes;
	uint8_t align;
} short_compact[3] = {{0, 1}, {3, 2}, {8, 8}};

uint64_t stress_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

bool stress_event_understand(uint32_t id, struct stress_event *event)
{
	uint32_t rest;

	*event = (struct stress_event){0};
	if (id < STRESS_ID_SHORT ||
	    (id >= STRESS_ID_FULL_FAR && id < STRESS_ID_FULL_FAR + STRESS_NR_ALIGN_ORDERS)) {
		event->is_full = true;
		event->align = 1u << (id & 3);
		return true;
	}
	if (id < STRESS_ID_SHORT + STRESS_NR_SHORT_COMPACT) {
		rest = id - STRESS_ID_SHORT;
		event->level = rest / 3;
		event->payload_bytes = short_compact[rest % 3].payload_bytes;
		event->align = short_compact[rest % 3].align;
		return true;
	}
	if (id < STRESS_ID_SHORT_FAR || id >= STRESS_ID_SHORT_FAR + STRESS_NR_SHORT_FAR)
		return false;
	rest = id - STRESS_ID_SHORT_FAR;
	event->align = 1u << (rest & 3);
	event->payload_bytes = rest / 4 % (STRESS_SHORT_MAX + 1);
	event->level = rest / 4 / (STRESS_SHORT_MAX + 1);
	return event->payload_bytes || event->align == 1;
}

/* ---- choosing ---- */

uint32_t stress_payload_max(uint32_t event_id, uint32_t align, uint32_t sub_buffer_bytes)
{
	uint32_t header = event_id > OPROF_EVENT_COMPACT_MAX ? OPROF_RECORD_EXTENDED_BYTES
							     : OPROF_RECORD_COMPACT_BYTES;

	header += (uint32_t)sizeof(struct oprof_packet_header);
	return sub_buffer_bytes - ((header + align - 1) & ~(align - 1));
}

static void choose_short(struct ring_request *request, uint32_t level, uint64_t *random)
{
	uint64_t bits = stress_random(random);
	uint32_t order = bits >> 8 & 3, which = (uint32_t)(bits >> 16) % 3;

	if ((bits & 1) && 3 * level + which < STRESS_NR_SHORT_COMPACT) {
		request->event_id = STRESS_ID_SHORT + 3 * level + which;
		request->payload_bytes = short_compact[which].payload_bytes;
		request->align = short_compact[which].align;
		return;
	}
	request->payload_bytes = (uint32_t)(bits >> 16) % (STRESS_SHORT_MAX + 1);
	if (!request->payload_bytes)
		order = 0;
	request->align = 1u << order;
	request->event_id = STRESS_ID_SHORT_FAR +
			    (level * (STRESS_SHORT_MAX + 1) + request->payload_bytes) * 4 + order;
}

/* Longer than a sub-buffer: by one byte, or as long as a request can express. */
static uint32_t choose_too_big(uint32_t max, uint64_t *random)
{
	uint64_t bits = stress_random(random);

	switch (bits & 3) {
	case 0:
		return max + 1;
	case 1:
		return 0xffffffffu - (uint32_t)(bits >> 8 & 0xff);
	default:
		return max + 1 + (uint32_t)(bits >> 8) % (3 * max);
	}
}

static void choose_full(struct ring_request *request, uint32_t sub_buffer_bytes, uint64_t *random)
{
	uint64_t bits = stress_random(random);
	uint32_t order = bits & 3, more = (uint32_t)(bits >> 32);
	uint32_t max;

	request->align = 1u << order;
	request->event_id = (bits & 4 ? STRESS_ID_FULL_FAR : STRESS_ID_FULL) + order;
	max = stress_payload_max(request->event_id, request->align, sub_buffer_bytes);
	switch (bits >> 8 & 31) {
	case 0:
	case 1:
		request->payload_bytes = max; /* fills a sub-buffer to its last byte */
		break;
	case 2:
		request->payload_bytes = max - more % 9;
		break;
	case 3:
		request->payload_bytes = choose_too_big(max, random);
		break;
	case 4:
	case 5:
		request->payload_bytes =
			STRESS_FULL_FIELD_BYTES + more % (max - STRESS_FULL_FIELD_BYTES + 1);
		break;
	default:
		request->payload_bytes = STRESS_FULL_FIELD_BYTES + more % 61;
		break;
	}
}

void stress_request_choose(struct ring_request *request, uint32_t level, uint32_t sub_buffer_bytes,
			   uint64_t *random)
{
	if (stress_random(random) % 3)
		choose_full(request, sub_buffer_bytes, random);
	else
		choose_short(request, level, random);
}

/* ---- payloads ---- */

static uint8_t full_byte(const struct stress_record *record, uint32_t i)
{
	uint32_t mixed = record->number * 0x9e3779b1u + record->level * 0x85ebca6bu +
			 record->ring * 0xc2b2ae35u;

	return (uint8_t)((mixed >> (i & 3) * 8) + i);
}

static uint8_t short_byte(uint32_t level, uint32_t number, uint32_t i)
{
	return (uint8_t)(number * 31 + level * 7 + i);
}

static void full_fields(uint8_t *fields, const struct stress_record *record, uint32_t payload_bytes)
{
	uint32_t context = record->ring << 8 | record->level;
	uint32_t length = payload_bytes - STRESS_FULL_FIELD_BYTES;

	memcpy(fields, &context, 4);
	memcpy(fields + 4, &record->number, 4);
	memcpy(fields + 8, &record->time, 8);
	memcpy(fields + 16, &length, 4);
}

void stress_fill(uint8_t *payload, const struct ring_request *request,
		 const struct stress_record *record, uint32_t from, uint32_t to)
{
	struct stress_event event;
	uint32_t i;

	if (!stress_event_understand(request->event_id, &event))
		return;
	for (i = from; i < to && !event.is_full; i++)
		payload[i] = short_byte(record->level, record->number, i);
	if (!event.is_full)
		return;
	if (!from)
		full_fields(payload, record, request->payload_bytes);
	for (i = from < STRESS_FULL_FIELD_BYTES ? STRESS_FULL_FIELD_BYTES : from; i < to; i++)
		payload[i] = full_byte(record, i);
}

struct stress_record stress_full_read(const uint8_t *payload, uint64_t *payload_bytes)
{
	struct stress_record record;
	uint32_t context, length;

	memcpy(&context, payload, 4);
	memcpy(&record.number, payload + 4, 4);
	memcpy(&record.time, payload + 8, 8);
	memcpy(&length, payload + 16, 4);
	record.ring = context >> 8;
	record.level = context & 0xff;
	*payload_bytes = (uint64_t)length + STRESS_FULL_FIELD_BYTES;
	return record;
}

bool stress_full_is_right(const uint8_t *payload, uint32_t payload_bytes,
			  const struct stress_record *record)
{
	uint32_t i;

	for (i = STRESS_FULL_FIELD_BYTES; i < payload_bytes; i++) {
		if (payload[i] != full_byte(record, i))
			return false;
	}
	return true;
}

bool stress_short_is_right(const uint8_t *payload, const struct stress_event *event,
			   uint32_t number)
{
	uint32_t i;

	for (i = 0; i < event->payload_bytes; i++) {
		if (payload[i] != short_byte(event->level, number, i))
			return false;
	}
	return true;
}
