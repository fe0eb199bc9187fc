// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/storm/walk.h"

#include <linux/align.h>
#include <linux/string.h>

#include "oprof/packet.h"

/* Returns the end of a padding record, which is a string; NULL: it is not terminated. */
static const u8 *behind_string(const u8 *at, const u8 *end)
{
	const u8 *nul = memchr(at, 0, (size_t)(end - at));

	return nul ? nul + 1 : NULL;
}

/* Returns the end of a record; NULL: it is damaged. */
static const u8 *walk_record(struct record_reader *readers, const u8 *packet, const u8 *at,
			     const u8 *end)
{
	u32 head, id, bytes;

	at = packet + ALIGN((size_t)(at - packet), OPROF_RECORD_HEADER_ALIGN);
	if (end - at < OPROF_RECORD_COMPACT_BYTES)
		return NULL;
	memcpy(&head, at, sizeof(head));
	id = head & ((1u << OPROF_RECORD_ID_BITS) - 1);
	if (id == OPROF_EVENT_ESCAPE) {
		if (end - at < OPROF_RECORD_EXTENDED_BYTES)
			return NULL;
		memcpy(&id, at + sizeof(head), sizeof(id));
		at += OPROF_RECORD_EXTENDED_BYTES;
	} else {
		at += OPROF_RECORD_COMPACT_BYTES;
	}
	if (id == OPROF_EVENT_PADDING_EMPTY)
		return at;
	if (id == OPROF_EVENT_PADDING)
		return behind_string(at, end);
	at = packet + ALIGN((size_t)(at - packet), 8);
	if (id >= RECORD_NR_CONTEXTS || at >= end)
		return NULL;
	bytes = record_check(&readers[id], id, at, (size_t)(end - at));
	return bytes ? at + bytes : NULL;
}

void walk_packet(struct record_reader readers[RECORD_NR_CONTEXTS], const u8 *packet,
		 u32 sub_buffer_bytes)
{
	const struct oprof_packet_header *header = (const struct oprof_packet_header *)packet;
	u64 content = header->content_bits / 8, nr_before = 0, nr_after = 0;
	const u8 *at = packet + sizeof(*header), *end = packet + content;
	unsigned int i;

	if (header->magic != OPROF_PACKET_MAGIC || content > sub_buffer_bytes ||
	    content < sizeof(*header)) {
		readers[RECORD_TASK].nr_torn++;
		return;
	}
	for (i = 0; i < RECORD_NR_CONTEXTS; i++)
		nr_before += readers[i].nr_read + readers[i].nr_torn;
	while (at && at < end)
		at = walk_record(readers, packet, at, end);
	for (i = 0; i < RECORD_NR_CONTEXTS; i++)
		nr_after += readers[i].nr_read + readers[i].nr_torn;
	if (!at || nr_after - nr_before != header->nr_records)
		readers[RECORD_TASK].nr_torn++;
}
