// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/make_packet.h"

#include <string.h>

void make_packet_begin(struct make_packet *packet, const uint8_t uuid[16], uint32_t cpu,
		       uint64_t seq, uint64_t time_begin, size_t nr_bytes)
{
	memset(packet, 0, offsetof(struct make_packet, bytes));
	memset(packet->bytes, 0xa5, nr_bytes); /* what lies behind the content means nothing */
	packet->header.magic = 0xc1fc1fc1;
	memcpy(packet->header.uuid, uuid, 16);
	packet->header.cpu_id = cpu;
	packet->header.seq = seq;
	packet->header.time_begin = time_begin;
	packet->nr_bytes = nr_bytes;
	packet->nr_used = 120;
	packet->time = time_begin;
}

static void put(struct make_packet *packet, const void *bytes, size_t nr_bytes)
{
	memcpy(packet->bytes + packet->nr_used, bytes, nr_bytes);
	packet->nr_used += nr_bytes;
}

static void put_header(struct make_packet *packet, uint32_t id, uint64_t time, bool is_extended)
{
	if (!is_extended) {
		const uint32_t word = id | (uint32_t)(time & 0x7ffffff) << 5;

		put(packet, &word, 4);
	} else {
		const uint32_t escape = 31;

		put(packet, &escape, 4);
		put(packet, &id, 4);
		put(packet, &time, 8);
		packet->nr_extended++;
	}
	packet->time = time;
}

static size_t round_up(size_t nr, size_t alignment)
{
	return (nr + alignment - 1) / alignment * alignment;
}

bool make_packet_add(struct make_packet *packet, uint32_t id, uint64_t time, unsigned int alignment,
		     const void *payload, size_t nr_bytes)
{
	const size_t start = round_up(packet->nr_used, 4);
	const bool is_extended = id > 30 || time - packet->time >= 1U << 27;
	const size_t at = round_up(start + (is_extended ? 16 : 4), alignment);

	if (at + nr_bytes > packet->nr_bytes)
		return false;
	packet->nr_used = start;
	put_header(packet, id, time, is_extended);
	packet->nr_used = at;
	put(packet, payload, nr_bytes);
	packet->header.nr_records++;
	return true;
}

bool make_packet_pad(struct make_packet *packet, uint64_t time, size_t nr_bytes)
{
	static const char covered[16] = "................";
	const size_t start = round_up(packet->nr_used, 4);
	const bool is_extended = nr_bytes >= 16; /* as a slot that needed it had */
	size_t left = nr_bytes - (is_extended ? 16 : 4);

	if (start + nr_bytes > packet->nr_bytes ||
	    (!is_extended && time - packet->time >= 1U << 27))
		return false;
	packet->nr_used = start;
	put_header(packet, left ? 30 : 29, time, is_extended);
	for (; left > 16; left -= 16)
		put(packet, covered, 16);
	if (left) {
		put(packet, covered, left - 1);
		put(packet, "", 1);
	}
	return true;
}

void make_packet_set_header(struct make_packet *packet)
{
	memcpy(packet->bytes, &packet->header, 120);
}

void make_packet_end(struct make_packet *packet, uint64_t time_end)
{
	packet->header.time_end = time_end;
	packet->header.content_bits = packet->nr_used * 8;
	packet->header.packet_bits = packet->nr_bytes * 8;
	packet->header.lost = 0;
	for (int i = 0; i < OPROF_NR_LOST; i++)
		packet->header.lost += packet->header.lost_by[i];
	make_packet_set_header(packet);
}
