// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/packet_walk.h"

#include <linux/errno.h>
#include <linux/string.h>

#include "oprof/kmod.h"
#include "oprof/packet.h"

#define PAYLOAD_ALIGN 8u
#define TIME_SPAN     (1ull << OPROF_RECORD_TIME_BITS)

struct record_header {
	u32 id;
	u32 bytes;
	u64 stamp;
};

int packet_walk_begin(struct packet_walk *walk, const u8 *packet, u32 sub_buffer_bytes)
{
	const struct oprof_packet_header *header = (const void *)packet;

	*walk = (struct packet_walk){.nr_records = 1};
	if (sub_buffer_bytes < sizeof(*header) || header->magic != OPROF_PACKET_MAGIC ||
	    header->packet_bits != (u64)sub_buffer_bytes * 8 || header->content_bits % 8 ||
	    header->content_bits < sizeof(*header) * 8 ||
	    header->content_bits > header->packet_bits)
		return -EBADMSG;
	walk->packet = packet;
	walk->at = packet + sizeof(*header);
	walk->end = packet + header->content_bits / 8;
	walk->stamp = header->time_begin;
	walk->last_stamp = header->time_end;
	walk->nr_records = header->nr_records;
	return 0;
}

u32 packet_walk_nr_records(const struct packet_walk *walk)
{
	return walk->nr_records;
}

static u32 room(const struct packet_walk *walk)
{
	return (u32)(walk->end - walk->at);
}

/* Skips bytes up to a multiple of align, counted from the packet's start. */
static int skip_to(struct packet_walk *walk, u32 align)
{
	u32 offset = (u32)(walk->at - walk->packet);
	u32 gap = -offset & (align - 1);

	if (gap > room(walk))
		return -EBADMSG;
	walk->at += gap;
	return 0;
}

/*
 * A compact stamp has only the low bits. The high bits are the preceding
 * stamp's high bits, or one more if the low bits have wrapped. A stamp that is
 * slightly earlier than the preceding one (ring/port_kernel.h) would therefore
 * get a value that is TIME_SPAN too large. Such a value is later than the
 * packet's end, and the preceding stamp is used instead.
 */
static u64 compact_stamp(const struct packet_walk *walk, u32 word)
{
	u64 low = word >> OPROF_RECORD_ID_BITS;
	u64 stamp = (walk->stamp & ~(TIME_SPAN - 1)) | low;

	if (stamp < walk->stamp)
		stamp += TIME_SPAN;
	return stamp > walk->last_stamp ? walk->stamp : stamp;
}

static int read_header(struct packet_walk *walk, struct record_header *header)
{
	u32 word;

	if (room(walk) < OPROF_RECORD_COMPACT_BYTES)
		return -EBADMSG;
	memcpy(&word, walk->at, sizeof(word));
	header->id = word & ((1u << OPROF_RECORD_ID_BITS) - 1);
	header->bytes = OPROF_RECORD_COMPACT_BYTES;
	if (header->id != OPROF_EVENT_ESCAPE) {
		header->stamp = compact_stamp(walk, word);
		return 0;
	}
	if (room(walk) < OPROF_RECORD_EXTENDED_BYTES)
		return -EBADMSG;
	header->bytes = OPROF_RECORD_EXTENDED_BYTES;
	memcpy(&header->id, walk->at + 4, sizeof(header->id));
	memcpy(&header->stamp, walk->at + 8, sizeof(header->stamp));
	return 0;
}

/* Skips a padding record's string with its NUL. */
static int skip_string(struct packet_walk *walk)
{
	const u8 *nul = memchr(walk->at, 0, room(walk));

	if (!nul)
		return -EBADMSG;
	walk->at = nul + 1;
	return 0;
}

/*
 * Returns the size of the payload at walk->at, which must be aligned. Returns
 * 0 if id is unknown or the payload would exceed the packet.
 */
static u32 payload_bytes(const struct packet_walk *walk, u32 id)
{
	const struct entry_sample *sample = (const void *)walk->at;
	u32 bytes = 0;

	switch (id) {
	case ENTRY_CONTEXT:
		bytes = sizeof(struct entry_context);
		break;
	case ENTRY_SWITCH:
		bytes = sizeof(struct entry_switch);
		break;
	case ENTRY_SAMPLE:
		if (room(walk) < sizeof(*sample) ||
		    (u32)sample->nr_kernel + sample->nr_user > OPROF_KMOD_FRAMES_MAX)
			return 0;
		bytes = (u32)sizeof(*sample) +
			((u32)sample->nr_kernel + sample->nr_user) * (u32)sizeof(sample->chain[0]);
		break;
	default:
		break;
	}
	return bytes <= room(walk) ? bytes : 0;
}

/* Skips padding records. Returns 1 with an entry's header; 0 at the end; -EBADMSG: damaged. */
static int next_entry_header(struct packet_walk *walk, struct record_header *header)
{
	for (;;) {
		/* If fewer bytes than the alignment remain, there is no further record. */
		if (room(walk) < OPROF_RECORD_HEADER_ALIGN)
			return 0;
		if (skip_to(walk, OPROF_RECORD_HEADER_ALIGN))
			return -EBADMSG;
		if (!room(walk))
			return 0;
		if (read_header(walk, header))
			return -EBADMSG;
		walk->stamp = header->stamp;
		walk->at += header->bytes;
		if (header->id == OPROF_EVENT_PADDING_EMPTY)
			continue;
		if (header->id != OPROF_EVENT_PADDING)
			return 1;
		if (skip_string(walk))
			return -EBADMSG;
	}
}

int packet_walk_next(struct packet_walk *walk, enum entry_type *type, const void **payload,
		     u64 *stamp)
{
	struct record_header header;
	int found = next_entry_header(walk, &header);
	u32 bytes;

	if (found <= 0)
		return found;
	if (skip_to(walk, PAYLOAD_ALIGN))
		return -EBADMSG;
	bytes = payload_bytes(walk, header.id);
	if (!bytes)
		return -EBADMSG;
	*type = (enum entry_type)header.id;
	*payload = walk->at;
	*stamp = header.stamp;
	walk->at += bytes;
	return 1;
}
