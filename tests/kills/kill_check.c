// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/kills/kill_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The position of the decoder in a packet. */
struct cursor {
	struct oprof_packet_header header;
	const uint8_t *data;
	uint32_t at;
	uint32_t end;
	uint64_t time;
	uint32_t nr_records;
	uint32_t packet; /* its number */
};

void kill_problem(const char *format, ...)
{
	char *problem = kill_shared->found.problem;
	va_list arguments;

	if (*problem)
		return;
	va_start(arguments, format);
	(void)vsnprintf(problem, sizeof(kill_shared->found.problem), format, arguments);
	va_end(arguments);
}

static uint32_t word_at(const struct cursor *cursor, uint32_t at)
{
	uint32_t word;

	memcpy(&word, cursor->data + at, sizeof(word));
	return word;
}

/* ---- the packet header ---- */

static void check_losses(const struct oprof_packet_header *header)
{
	struct kill_found *found = &kill_shared->found;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < OPROF_NR_LOST; i++) {
		if (header->lost_by[i] < found->lost_by[i])
			kill_problem("lost_by[%u] shrinks from %lu to %lu", i,
				     (unsigned long)found->lost_by[i],
				     (unsigned long)header->lost_by[i]);
		found->lost_by[i] = header->lost_by[i];
		sum += header->lost_by[i];
	}
	if (sum != header->lost)
		kill_problem("lost is not the sum of lost_by");
}

static void check_sizes(const struct oprof_packet_header *header)
{
	uint64_t bits = (uint64_t)kill_shared->plan.config.sub_buffer_bytes * 8;

	if (header->magic != OPROF_PACKET_MAGIC || header->stream_id != 7)
		kill_problem("no packet: magic 0x%x, stream %u", header->magic, header->stream_id);
	if (header->packet_bits != bits || header->content_bits > bits ||
	    header->content_bits < sizeof(*header) * 8 || header->content_bits % 8)
		kill_problem("content of %lu bits", (unsigned long)header->content_bits);
}

/* By the reader's counts: all packets before this one were read or overwritten. */
static void check_number(struct cursor *cursor)
{
	struct kill_found *found = &kill_shared->found;
	const struct ring_reader *reader = &kill_shared->reader;
	uint64_t mask = (ring_word)((ring_word)-1 >> kill_shared->ring.sub_order);
	uint64_t number = reader->nr_read + reader->nr_overwritten + reader->nr_gone;

	if (cursor->header.seq != (number & mask) || number < found->next_packet ||
	    number >= KILL_PACKETS) {
		kill_problem("packet %lu, behind %lu", (unsigned long)cursor->header.seq,
			     (unsigned long)number);
		return;
	}
	cursor->packet = (uint32_t)number;
	found->packets[number] = 1;
	found->next_packet = cursor->packet + 1;
}

static bool begin_packet(struct cursor *cursor, const uint8_t *data)
{
	struct kill_found *found = &kill_shared->found;

	memset(cursor, 0, sizeof(*cursor));
	cursor->data = data;
	memcpy(&cursor->header, data, sizeof(cursor->header));
	check_sizes(&cursor->header);
	if (*found->problem)
		return false;
	check_number(cursor);
	check_losses(&cursor->header);
	if (cursor->header.time_begin < found->time_end ||
	    cursor->header.time_end < cursor->header.time_begin)
		kill_problem("packet %u: times %lu to %lu behind %lu", cursor->packet,
			     (unsigned long)cursor->header.time_begin,
			     (unsigned long)cursor->header.time_end,
			     (unsigned long)found->time_end);
	found->time_end = cursor->header.time_end;
	cursor->time = cursor->header.time_begin;
	cursor->at = sizeof(cursor->header);
	cursor->end = (uint32_t)(cursor->header.content_bits / 8);
	return true;
}

/* ---- records ---- */

/* Decodes the record header at the cursor; returns its event. */
static uint32_t next_header(struct cursor *cursor)
{
	const uint64_t span = 1ull << OPROF_RECORD_TIME_BITS;
	uint32_t word = word_at(cursor, cursor->at), event = word & 31;
	uint64_t time = word >> OPROF_RECORD_ID_BITS;

	cursor->at += OPROF_RECORD_COMPACT_BYTES;
	if (event != OPROF_EVENT_ESCAPE) {
		time |= cursor->time & ~(span - 1);
		time += time < cursor->time ? span : 0;
	} else if (cursor->at + 12 > cursor->end) {
		kill_problem("packet %u: a header at %u of %u", cursor->packet, cursor->at,
			     cursor->end);
		return 0;
	} else {
		event = word_at(cursor, cursor->at);
		memcpy(&time, cursor->data + cursor->at + 4, sizeof(time));
		cursor->at += 12;
	}
	if (time < cursor->time || time > cursor->header.time_end)
		kill_problem("packet %u at %u: time %lu, before %lu, end %lu", cursor->packet,
			     cursor->at, (unsigned long)time, (unsigned long)cursor->time,
			     (unsigned long)cursor->header.time_end);
	cursor->time = time;
	return event;
}

static void skip_padding(struct cursor *cursor, uint32_t event)
{
	const uint8_t *end;

	kill_shared->found.nr_padding++;
	if (event == OPROF_EVENT_PADDING_EMPTY)
		return;
	end = memchr(cursor->data + cursor->at, 0, cursor->end - cursor->at);
	if (!end)
		kill_problem("packet %u: a padding record without an end", cursor->packet);
	else
		cursor->at = (uint32_t)(end + 1 - cursor->data);
}

/* Returns the context of an event, and the alignment of its payload. */
static uint32_t context_of(uint32_t event, uint32_t *align)
{
	*align = 4;
	if (event >= KILL_EVENT_EXTENDED && event < KILL_EVENT_EXTENDED + 4 * KILL_CONTEXTS) {
		*align = 1u << ((event - KILL_EVENT_EXTENDED) & 3);
		return (event - KILL_EVENT_EXTENDED) / 4;
	}
	if (event >= KILL_EVENT_ALIGNED_8 && event < KILL_EVENT_ALIGNED_8 + KILL_CONTEXTS) {
		*align = 8;
		return event - KILL_EVENT_ALIGNED_8;
	}
	if (event >= KILL_EVENT_ALIGNED_4 && event < KILL_EVENT_ALIGNED_4 + KILL_CONTEXTS)
		return event - KILL_EVENT_ALIGNED_4;
	kill_problem("event %u", event);
	return KILL_CONTEXTS;
}

static void check_pattern(const struct cursor *cursor, const struct kill_record *record)
{
	for (uint32_t i = 0; i < record->length; i++) {
		if (cursor->data[cursor->at + i] !=
		    kill_pattern(record->context, record->number, i)) {
			kill_problem("packet %u: record %u of context %u is torn at %u of %u",
				     cursor->packet, record->number, record->context, i,
				     record->length);
			return;
		}
	}
}

static void count_record(const struct cursor *cursor, const struct kill_record *record)
{
	struct kill_found *found = &kill_shared->found;
	const struct kill_context *context = &kill_shared->contexts[record->context];

	if (record->number < found->next[record->context])
		kill_problem("record %u of context %u comes after %u", record->number,
			     record->context, found->next[record->context]);
	if (context->packets[record->number] != cursor->packet)
		kill_problem("record %u of context %u: in packet %u instead of %u", record->number,
			     record->context, cursor->packet, context->packets[record->number]);
	found->next[record->context] = record->number + 1;
	found->nr[record->context][record->number]++;
	found->nr_records++;
}

static void next_record(struct cursor *cursor, uint32_t event)
{
	struct kill_record record;
	uint32_t align, context = context_of(event, &align);

	cursor->nr_records++;
	cursor->at = (cursor->at + align - 1) & ~(align - 1);
	if (context >= KILL_CONTEXTS || cursor->at + sizeof(record) > cursor->end) {
		kill_problem("packet %u: a record at %u of %u", cursor->packet, cursor->at,
			     cursor->end);
		return;
	}
	memcpy(&record, cursor->data + cursor->at, sizeof(record));
	cursor->at += (uint32_t)sizeof(record);
	if (record.context != context || record.number >= KILL_LOG ||
	    record.length > cursor->end - cursor->at) {
		kill_problem("packet %u: record of event %u is of context %u, number %u, length %u",
			     cursor->packet, event, record.context, record.number, record.length);
		return;
	}
	check_pattern(cursor, &record);
	count_record(cursor, &record);
	cursor->at += record.length;
}

static void check_packet(const uint8_t *data)
{
	struct cursor cursor;

	if (!begin_packet(&cursor, data))
		return;
	while (cursor.at < cursor.end && !*kill_shared->found.problem) {
		uint32_t event;

		cursor.at = (cursor.at + 3) & ~3u;
		if (cursor.at + OPROF_RECORD_COMPACT_BYTES > cursor.end) {
			kill_problem("packet %u: %u bytes left", cursor.packet,
				     cursor.end - cursor.at);
			return;
		}
		event = next_header(&cursor);
		if (event == OPROF_EVENT_PADDING || event == OPROF_EVENT_PADDING_EMPTY)
			skip_padding(&cursor, event);
		else
			next_record(&cursor, event);
	}
	if (cursor.header.nr_records != OPROF_PACKET_NR_UNKNOWN &&
	    cursor.header.nr_records != cursor.nr_records)
		kill_problem("packet %u: holds %u records, tells %u", cursor.packet,
			     cursor.nr_records, cursor.header.nr_records);
}

int kill_check_next(bool writer_lives)
{
	struct ring_reader *reader = &kill_shared->reader;
	struct ring_packet packet;
	int error = ring_next(reader, &packet);

	if (error)
		return error;
	/*
	 * Put the packet back as a snapshot does and take it again; a writer may have reclaimed it
	 * since.
	 */
	if (!kill_random_below(8)) {
		ring_put_keep(reader, &packet);
		error = ring_next(reader, &packet);
		if (error && !writer_lives)
			kill_problem("a packet that was kept: error %d", error);
		if (error)
			return error;
	}
	check_packet(packet.data);
	ring_put(reader, &packet);
	return *kill_shared->found.problem ? -EBADMSG : 0;
}

/* ---- the sums ---- */

static uint32_t nr_levels_in(enum kill_state from, enum kill_state to)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < KILL_LEVELS; i++) {
		enum kill_state state = kill_shared->contexts[i].state;

		nr += state >= from && state <= to;
	}
	return nr;
}

uint32_t kill_nr_open(void)
{
	return nr_levels_in(KILL_RESERVED, KILL_COMMITTING);
}

uint32_t kill_nr_in_flight(void)
{
	return nr_levels_in(KILL_ATTEMPT, KILL_COMMITTED);
}

/*
 * acknowledged <= recovered <= acknowledged + 1, each record once, except in overwritten packets.
 */
static uint32_t check_context(uint32_t index)
{
	const struct kill_context *context = &kill_shared->contexts[index];
	const struct kill_found *found = &kill_shared->found;
	uint32_t nr_there = 0;

	for (uint32_t i = 0; i < context->nr_acknowledged; i++) {
		bool is_read = found->packets[context->packets[i]];

		nr_there += is_read;
		if (found->nr[index][i] != is_read)
			kill_problem("record %u of context %u, in packet %u: there %u times", i,
				     index, context->packets[i], found->nr[index][i]);
	}
	if (found->next[index] > context->nr_acknowledged + 1 ||
	    (found->next[index] == context->nr_acknowledged + 1 &&
	     (context->state < KILL_COMMITTING || context->cancels)))
		kill_problem("context %u: %u records, %u acknowledged", index, found->next[index],
			     context->nr_acknowledged);
	return nr_there;
}

static void check_packets(void)
{
	const struct kill_found *found = &kill_shared->found;
	const struct ring_reader *reader = &kill_shared->reader;
	uint64_t nr_missing = 0;

	for (uint32_t i = 0; i < found->next_packet; i++)
		nr_missing += !found->packets[i];
	if (nr_missing != reader->nr_overwritten + reader->nr_gone ||
	    (nr_missing && kill_shared->plan.config.mode == RING_DISCARD))
		kill_problem("%lu packets missing, %lu overwritten", (unsigned long)nr_missing,
			     (unsigned long)reader->nr_overwritten);
}

static void check_padding(uint32_t nr_killed)
{
	uint32_t nr_cancelled = 0, nr_under_way = 0;
	const struct kill_found *found = &kill_shared->found;

	for (uint32_t i = 0; i < KILL_CONTEXTS; i++) {
		const struct kill_context *context = &kill_shared->contexts[i];

		nr_cancelled += context->nr_cancelled;
		nr_under_way += context->state >= KILL_COMMITTING && context->cancels;
	}
	/* A slot may be covered and not yet counted. */
	nr_under_way += kill_shared->repair_died_in != NULL;
	if (found->nr_padding > nr_cancelled + nr_killed + nr_under_way ||
	    (found->nr_padding < nr_cancelled + nr_killed &&
	     kill_shared->plan.config.mode == RING_DISCARD))
		kill_problem("%u padding records of %u cancelled and %u killed", found->nr_padding,
			     nr_cancelled, nr_killed);
}

static void check_lost(uint32_t nr_killed)
{
	const struct ring *ring = &kill_shared->reader.ring;

	for (unsigned int i = 0; i < OPROF_NR_LOST; i++) {
		uint64_t lost = ring_lost(ring, (enum oprof_ring_lost)i);
		uint64_t told = i == OPROF_LOST_KILLED ? nr_killed : kill_shared->lost_by[i];

		if (lost < told || lost > told + nr_levels_in(KILL_ATTEMPT, KILL_ATTEMPT))
			kill_problem("lost_by[%u] is %lu, not %lu", i, (unsigned long)lost,
				     (unsigned long)told);
		/* Losses after the end of the ring are not reported. */
		if (kill_shared->found.lost_by[i] != lost && !kill_shared->plan.finalises_after)
			kill_problem("lost_by[%u] is %lu, packets tell %lu", i, (unsigned long)lost,
				     (unsigned long)kill_shared->found.lost_by[i]);
	}
}

void kill_check_all(uint32_t nr_killed)
{
	uint32_t nr_there = 0;

	for (uint32_t i = 0; i < KILL_CONTEXTS; i++)
		nr_there += check_context(i);
	if (kill_shared->found.nr_records < nr_there ||
	    kill_shared->found.nr_records >
		    nr_there + nr_levels_in(KILL_COMMITTING, KILL_COMMITTED))
		kill_problem("%u records of %u acknowledged", kill_shared->found.nr_records,
			     nr_there);
	check_packets();
	check_padding(nr_killed);
	check_lost(nr_killed);
}
