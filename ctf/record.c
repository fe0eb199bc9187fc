// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/record.h"

#include <errno.h>
#include <string.h>

#define TIME_MASK      (((uint64_t)1 << OPROF_RECORD_TIME_BITS) - 1)
#define STRING_STEP    4096u
#define PADDING_RECORD 2

/* ---- events by id ---- */

void ctf_event_index_init(struct ctf_event_index *index, const struct ctf_trace *trace,
			  uint32_t stream_id)
{
	unsigned int first = 0;

	memset(index, 0, sizeof(*index));
	while (first < trace->nr_events && trace->events[first].stream_id != stream_id)
		first++;
	index->events = trace->events + first;
	while (first + index->nr_events < trace->nr_events &&
	       index->events[index->nr_events].stream_id == stream_id) {
		const struct ctf_event *event = &index->events[index->nr_events++];

		if (event->id <= OPROF_EVENT_COMPACT_MAX)
			index->compact[event->id] = event;
	}
}

static const struct ctf_event *find_event(const struct ctf_event_index *index, uint32_t id)
{
	unsigned int low = 0, high = index->nr_events;

	if (id <= OPROF_EVENT_COMPACT_MAX)
		return index->compact[id];
	while (low < high) {
		const unsigned int middle = low + (high - low) / 2;

		if (index->events[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < index->nr_events && index->events[low].id == id ? &index->events[low] : NULL;
}

/* ---- bytes ---- */

static int refuse(struct ctf_cursor *cursor, const char *fault)
{
	cursor->fault = fault;
	return -EBADMSG;
}

/*
 * Handles an error of the window. If the file was truncated, this is recorded as a fault of the
 * packet.
 */
static int refuse_window(struct ctf_cursor *cursor, int error)
{
	return error == -ENODATA ? refuse(cursor, "the file became shorter while it was read")
				 : error;
}

/*
 * Ensures that the window has all bytes from offset `keep` to the end of the nr bytes at `offset`.
 */
static int need(struct ctf_cursor *cursor, uint64_t keep, uint64_t offset, uint64_t nr)
{
	int error;

	if (offset > cursor->end || nr > cursor->end - offset)
		return refuse(cursor, "a record extends beyond the packet's content");
	if (offset + nr - keep > CTF_RECORD_BYTES_MAX)
		return refuse(cursor, "a record is longer than the maximum");
	error = ctf_window_need(cursor->window, keep, offset + nr);
	return error ? refuse_window(cursor, error) : 0;
}

static uint64_t load(const uint8_t *bytes, unsigned int bits)
{
	uint64_t value = 0;

	memcpy(&value, bytes, bits / 8);
	return value;
}

static uint64_t load_integer(const struct ctf_field *field, const uint8_t *bytes)
{
	const uint64_t value = load(bytes, field->bits);
	const uint64_t sign = (uint64_t)1 << (field->bits - 1);

	return field->is_signed ? (value ^ sign) - sign : value;
}

uint64_t ctf_value_element(const struct ctf_field *field, const struct ctf_value *value, uint32_t i)
{
	return load_integer(field, value->bytes + (size_t)i * (field->bits / 8));
}

/* Rounds `offset` up to a multiple of `alignment`, counted from `base`, the start of the packet. */
static uint64_t align_up(uint64_t offset, uint64_t base, unsigned int alignment)
{
	return base + ((offset - base + alignment - 1) & ~(uint64_t)(alignment - 1));
}

/*
 * Finds the length of the string at `offset`, without its NUL. The bytes from offset `keep` stay in
 * the window; if keep is UINT64_MAX, all bytes may leave the window, even those of the string.
 */
static int measure_string(struct ctf_cursor *cursor, uint64_t keep, uint64_t offset,
			  uint64_t *length)
{
	const uint64_t start = offset;

	while (offset < cursor->end) {
		const uint64_t left = cursor->end - offset;
		const uint64_t nr = left < STRING_STEP ? left : STRING_STEP;
		int error = need(cursor, keep == UINT64_MAX ? offset : keep, offset, nr);
		const uint8_t *nul;

		if (error)
			return error;
		nul = memchr(ctf_window_at(cursor->window, offset), '\0', (size_t)nr);
		if (nul) {
			*length = offset - start +
				  (uint64_t)(nul - ctf_window_at(cursor->window, offset));
			return 0;
		}
		offset += nr;
	}
	return refuse(cursor, "a string extends beyond the packet's content");
}

/* ---- header ---- */

static int take_time(struct ctf_cursor *cursor, uint64_t time)
{
	if (time < cursor->time)
		return refuse(cursor, "a record is older than the previous record");
	if (time > cursor->time_end)
		return refuse(cursor, "a record is newer than the end of its packet");
	cursor->time = time;
	return 0;
}

/* Decodes the id and time in the record's header, and sets *offset to the end of the header. */
static int take_header(struct ctf_cursor *cursor, uint64_t start, uint64_t *offset)
{
	int error = need(cursor, start, start, OPROF_RECORD_COMPACT_BYTES);
	uint32_t word;
	uint64_t time;

	if (error)
		return error;
	word = (uint32_t)load(ctf_window_at(cursor->window, start), 32);
	cursor->id = word & ((1U << OPROF_RECORD_ID_BITS) - 1);
	*offset = start + OPROF_RECORD_COMPACT_BYTES;
	if (cursor->id != OPROF_EVENT_ESCAPE) {
		time = (cursor->time & ~TIME_MASK) | word >> OPROF_RECORD_ID_BITS;
		return take_time(cursor, time < cursor->time ? time + TIME_MASK + 1 : time);
	}
	error = need(cursor, start, start, OPROF_RECORD_EXTENDED_BYTES);
	if (error)
		return error;
	cursor->id = (uint32_t)load(ctf_window_at(cursor->window, start + 4), 32);
	time = load(ctf_window_at(cursor->window, start + 8), 64);
	*offset = start + OPROF_RECORD_EXTENDED_BYTES;
	return take_time(cursor, time);
}

/* ---- payload ---- */

/*
 * Loads a sequence. Since the window may move until all fields are loaded, value->number is first
 * set to the sequence's offset from the start of the record.
 */
static int take_sequence(struct ctf_cursor *cursor, const struct ctf_field *field, uint64_t start,
			 uint64_t *offset, struct ctf_value *value)
{
	int error = need(cursor, start, *offset, field->length_bits / 8);

	if (error)
		return error;
	value->nr = (uint32_t)load(ctf_window_at(cursor->window, *offset), field->length_bits);
	*offset += field->length_bits / 8;
	value->number = *offset - start;
	error = need(cursor, start, *offset, (uint64_t)value->nr * (field->bits / 8));
	*offset += (uint64_t)value->nr * (field->bits / 8);
	return error;
}

static int take_string(struct ctf_cursor *cursor, uint64_t start, uint64_t *offset,
		       struct ctf_value *value)
{
	uint64_t length = 0;
	int error = measure_string(cursor, start, *offset, &length);

	value->number = *offset - start;
	value->nr = (uint32_t)length; /* at most CTF_RECORD_BYTES_MAX */
	*offset += length + 1;
	return error;
}

static int take_field(struct ctf_cursor *cursor, const struct ctf_field *field, uint64_t start,
		      uint64_t *offset, struct ctf_value *value)
{
	uint64_t nr_bytes = field->bits / 8;
	int error;

	if (field->kind == CTF_FIELD_SEQUENCE)
		return take_sequence(cursor, field, start, offset, value);
	if (field->kind == CTF_FIELD_STRING)
		return take_string(cursor, start, offset, value);
	if (field->kind == CTF_FIELD_TEXT)
		nr_bytes = field->nr;
	else if (field->kind == CTF_FIELD_ARRAY)
		nr_bytes *= field->nr;
	value->number = *offset - start;
	value->nr = field->nr;
	error = need(cursor, start, *offset, nr_bytes);
	*offset += nr_bytes;
	return error;
}

/*
 * Replaces the offset in value->number by the value itself. The whole record must be in the
 * window.
 */
static void show_value(const struct ctf_field *field, const uint8_t *record,
		       struct ctf_value *value)
{
	value->bytes = record + value->number;
	value->number = 0;
	if (field->kind == CTF_FIELD_INTEGER)
		value->number = load_integer(field, value->bytes);
	else if (field->kind == CTF_FIELD_TEXT)
		value->nr = (uint32_t)strnlen((const char *)value->bytes, field->nr);
}

static int take_payload(struct ctf_cursor *cursor, const struct ctf_event *event, uint64_t start,
			uint64_t *offset, struct ctf_value *values)
{
	*offset = align_up(*offset, cursor->packet_start, event->alignment);
	for (unsigned int i = 0; i < event->nr_fields; i++) {
		int error = take_field(cursor, &event->fields[i], start, offset, &values[i]);

		if (error)
			return error;
	}
	for (unsigned int i = 0; i < event->nr_fields; i++)
		show_value(&event->fields[i], ctf_window_at(cursor->window, start), &values[i]);
	return 0;
}

/*
 * Skips the payload of a padding record: a string that may be as long as a packet and is not kept
 * in memory.
 */
static int take_padding(struct ctf_cursor *cursor, uint64_t *offset)
{
	uint64_t length = 0;
	int error = 0;

	if (cursor->id == OPROF_EVENT_PADDING) {
		error = measure_string(cursor, UINT64_MAX, *offset, &length);
		*offset += length + 1;
	}
	return error;
}

int ctf_record_take(struct ctf_cursor *cursor, const struct ctf_event **event,
		    struct ctf_value values[CTF_NR_FIELDS_MAX])
{
	const uint64_t start =
		align_up(cursor->next, cursor->packet_start, OPROF_RECORD_HEADER_ALIGN);
	uint64_t offset = start;
	int result = 1;
	int error;

	if (cursor->next == cursor->end)
		return 0;
	error = take_header(cursor, start, &offset);
	if (error)
		return error;
	if (cursor->id == OPROF_EVENT_PADDING || cursor->id == OPROF_EVENT_PADDING_EMPTY) {
		error = take_padding(cursor, &offset);
		result = PADDING_RECORD;
	} else {
		*event = find_event(cursor->index, cursor->id);
		error = *event ? take_payload(cursor, *event, start, &offset, values)
			       : refuse(cursor,
					"a record belongs to an event that is not described");
	}
	if (error)
		return error;
	cursor->next = offset;
	return result;
}
