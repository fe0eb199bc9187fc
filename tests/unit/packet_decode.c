// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/packet_decode.h"

#include <errno.h>
#include <string.h>

static uint32_t align_up(uint32_t offset, uint32_t align)
{
	return (offset + align - 1) & ~(align - 1);
}

static uint32_t word_at(const struct packet_decoder *decoder, uint32_t offset)
{
	uint32_t word;

	memcpy(&word, decoder->data + offset, sizeof(word));
	return word;
}

static bool losses_add_up(const struct oprof_packet_header *header)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < OPROF_NR_LOST; i++)
		sum += header->lost_by[i];
	return sum == header->lost;
}

int packet_decode_begin(struct packet_decoder *decoder, const void *data, size_t nr_bytes,
			const struct packet_layout *layout)
{
	struct oprof_packet_header *header = &decoder->header;

	memset(decoder, 0, sizeof(*decoder));
	if (nr_bytes < sizeof(*header))
		return -EBADMSG;
	memcpy(header, data, sizeof(*header));
	if (header->magic != OPROF_PACKET_MAGIC || header->packet_bits != (uint64_t)nr_bytes * 8 ||
	    header->content_bits % 8 || header->content_bits > header->packet_bits ||
	    header->content_bits < sizeof(*header) * 8 || header->time_begin > header->time_end ||
	    !losses_add_up(header))
		return -EBADMSG;
	decoder->data = data;
	decoder->content_bytes = (uint32_t)(header->content_bits / 8);
	decoder->offset = sizeof(*header);
	decoder->time = header->time_begin;
	decoder->layout = layout;
	return 0;
}

/* The record's id and time; the offset moves behind its header. */
static int read_header(struct packet_decoder *decoder, struct packet_record *record)
{
	const uint64_t low_mask = ((uint64_t)1 << OPROF_RECORD_TIME_BITS) - 1;
	uint32_t room = decoder->content_bytes - decoder->offset, word;
	uint64_t low;

	if (room < OPROF_RECORD_COMPACT_BYTES)
		return -EBADMSG;
	word = word_at(decoder, decoder->offset);
	record->offset = decoder->offset;
	record->event_id = word & ((1u << OPROF_RECORD_ID_BITS) - 1);
	record->is_extended = record->event_id == OPROF_EVENT_ESCAPE;
	if (record->is_extended) {
		if (room < OPROF_RECORD_EXTENDED_BYTES || word != OPROF_EVENT_ESCAPE)
			return -EBADMSG;
		record->event_id = word_at(decoder, decoder->offset + 4);
		record->time = word_at(decoder, decoder->offset + 8) |
			       (uint64_t)word_at(decoder, decoder->offset + 12) << 32;
		decoder->offset += OPROF_RECORD_EXTENDED_BYTES;
		return 0;
	}
	low = word >> OPROF_RECORD_ID_BITS;
	record->time = decoder->time + ((low - decoder->time) & low_mask);
	decoder->offset += OPROF_RECORD_COMPACT_BYTES;
	return 0;
}

static int read_padding(struct packet_decoder *decoder, struct packet_record *record)
{
	uint32_t room = decoder->content_bytes - decoder->offset;
	const uint8_t *end;

	record->is_padding = true;
	decoder->nr_padding++;
	if (record->event_id == OPROF_EVENT_PADDING_EMPTY)
		return 0;
	end = memchr(record->payload, 0, room);
	if (!end)
		return -EBADMSG;
	record->payload_bytes = (uint32_t)(end + 1 - record->payload);
	return 0;
}

static int read_payload(struct packet_decoder *decoder, struct packet_record *record)
{
	const struct packet_layout *layout = decoder->layout;
	uint32_t begin =
		align_up(decoder->offset, layout->align(layout->context, record->event_id));
	uint32_t room;

	if (begin > decoder->content_bytes)
		return -EBADMSG;
	decoder->offset = begin;
	decoder->nr_records++;
	room = decoder->content_bytes - begin;
	record->payload = decoder->data + begin;
	record->payload_bytes =
		layout->bytes(layout->context, record->event_id, record->payload, room);
	return record->payload_bytes > room ? -EBADMSG : 0;
}

/* At the content's end: do the header's numbers agree with what was read? */
static int end_of_records(const struct packet_decoder *decoder)
{
	const struct oprof_packet_header *header = &decoder->header;

	if (decoder->time > header->time_end)
		return -EBADMSG;
	if (header->nr_records != OPROF_PACKET_NR_UNKNOWN &&
	    header->nr_records != decoder->nr_records)
		return -EBADMSG;
	return 0;
}

int packet_decode_next(struct packet_decoder *decoder, struct packet_record *record)
{
	int error;

	if (decoder->offset == decoder->content_bytes)
		return end_of_records(decoder);
	memset(record, 0, sizeof(*record));
	decoder->offset = align_up(decoder->offset, OPROF_RECORD_HEADER_ALIGN);
	if (decoder->offset >= decoder->content_bytes)
		return -EBADMSG;
	error = read_header(decoder, record);
	if (error)
		return error;
	record->payload = decoder->data + decoder->offset;
	if (record->event_id == OPROF_EVENT_PADDING ||
	    record->event_id == OPROF_EVENT_PADDING_EMPTY)
		error = read_padding(decoder, record);
	else
		error = read_payload(decoder, record);
	if (error || record->time < decoder->time || record->time > decoder->header.time_end)
		return -EBADMSG;
	decoder->time = record->time;
	decoder->offset += record->payload_bytes;
	return 1;
}
