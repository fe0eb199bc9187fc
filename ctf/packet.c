// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/packet.h"

#include <stdbool.h>
#include <string.h>

/*
 * Returns whether header->lost is the sum of header->lost_by. In a header of a later version,
 * which is longer and may have more reasons, the sum of the known reasons may be less.
 */
static bool lost_adds_up(const struct oprof_packet_header *header, unsigned int header_bytes)
{
	uint64_t left = header->lost;

	for (int i = 0; i < OPROF_NR_LOST; i++) {
		if (header->lost_by[i] > left)
			return false;
		left -= header->lost_by[i];
	}
	return !left || header_bytes > sizeof(*header);
}

const char *ctf_packet_fault(const struct oprof_packet_header *header, const uint8_t *uuid,
			     unsigned int header_bytes)
{
	const uint64_t bits = header->packet_bits;

	if (header->magic != OPROF_PACKET_MAGIC)
		return "no packet begins here: its magic is wrong";
	if (memcmp(header->uuid, uuid, sizeof(header->uuid)))
		return "it belongs to another trace: the uuid differs";
	if (bits & (bits - 1) || bits < (uint64_t)header_bytes * 8 || bits > (uint64_t)1 << 62)
		return "packet_size is not a power of two, or is less than the header's size";
	if (header->content_bits > bits || header->content_bits < (uint64_t)header_bytes * 8 ||
	    header->content_bits % 8)
		return "content_size is not a whole number of bytes between the header's size and "
		       "packet_size";
	if (header->time_end < header->time_begin)
		return "it ends before it begins";
	if (!lost_adds_up(header, header_bytes))
		return "events_discarded is not the sum of the losses by reason";
	return NULL;
}

const char *ctf_packet_order_fault(const struct oprof_packet_header *before,
				   const struct oprof_packet_header *header)
{
	if (header->stream_id != before->stream_id)
		return "it belongs to a different stream than the previous packet";
	if (header->packet_bits != before->packet_bits)
		return "packet_size differs from the previous packet's packet_size";
	if (header->time_begin < before->time_end)
		return "it begins before the previous packet ends";
	if (header->seq <= before->seq)
		return "packet_seq_num does not grow";
	for (int i = 0; i < OPROF_NR_LOST; i++)
		if (header->lost_by[i] < before->lost_by[i])
			return "a number of lost records is less than in the previous packet";
	return NULL;
}
