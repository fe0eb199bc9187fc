// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "tests/ring/packet_check.h"
#include "tests/ring/steps.h"
#include "tests/ring/world.h"
#undef memcpy
#undef memset

/* A decoded record of a packet. */
struct record {
	uint32_t event_id;
	uint64_t time;
	uint64_t end; /* offset in the packet */
};

void journal_reset(struct journal *journal)
{
	journal->nr_entries = 0;
	journal->nr_read = 0;
}

struct journal_entry *journal_add(struct journal *journal, uint32_t event_id,
				  uint32_t payload_bytes)
{
	struct journal_entry *entry = &journal->entries[journal->nr_entries];

	steps_require(journal->nr_entries < JOURNAL_MAX, "too many records for the journal");
	journal->nr_entries++;
	*entry = (struct journal_entry){
		.event_id = event_id,
		.payload_bytes = payload_bytes,
	};
	return entry;
}

uint8_t journal_pattern(const struct journal *journal, const struct journal_entry *entry,
			uint32_t index)
{
	uint32_t number = (uint32_t)(entry - journal->entries);

	if (index < 4)
		return (uint8_t)(number >> 8 * index);
	return (uint8_t)(number * 31 + index * 7 + 5);
}

unsigned int journal_nr(const struct journal *journal, enum journal_state state)
{
	unsigned int i, nr = 0;

	for (i = 0; i < journal->nr_entries; i++)
		nr += journal->entries[i].state == state;
	return nr;
}

void journal_balance(const struct journal *journal, uint64_t kept, unsigned int nr_gone,
		     bool may_be_overwritten)
{
	uint64_t gone = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < journal->nr_entries; i++) {
		const struct journal_entry *entry = &journal->entries[i];

		if (entry->state != JOURNAL_ACKNOWLEDGED || entry->nr_read)
			continue;
		if (may_be_overwritten && entry->packet < kept)
			continue;
		if (nr_gone && entry->packet != gone) {
			gone = entry->packet;
			nr_gone--;
		}
		steps_require(entry->packet == gone,
			      "record %u of packet %llu was acknowledged and is not there", i,
			      (unsigned long long)entry->packet);
	}
}

/* ---- a packet ---- */

void stream_check_init(struct stream_check *check, struct journal *journal,
		       const struct ring_config *config, uint32_t cpu_id, ring_word start)
{
	memset(check, 0, sizeof(*check));
	check->journal = journal;
	check->config = config;
	check->cpu_id = cpu_id;
	check->start = start;
}

void stream_check_snapshot(struct stream_check *check)
{
	check->has_previous = false;
}

static void check_header(const struct stream_check *check, const struct oprof_packet_header *header,
			 uint64_t number)
{
	uint64_t sum = 0;
	unsigned int i;

	steps_require(header->magic == OPROF_PACKET_MAGIC, "a packet without its header");
	steps_require(!memcmp(header->uuid, check->config->uuid, 16) &&
			      header->stream_id == check->config->stream_id &&
			      header->cpu_id == check->cpu_id,
		      "a header of another ring");
	steps_require(header->packet_bits == (uint64_t)check->config->sub_buffer_bytes * 8,
		      "P5: packet_bits is %llu", (unsigned long long)header->packet_bits);
	steps_require(header->content_bits <= header->packet_bits &&
			      header->content_bits % 8 == 0 &&
			      header->content_bits >= sizeof(*header) * 8,
		      "P4: content_bits is %llu", (unsigned long long)header->content_bits);
	steps_require(header->seq ==
			      (ring_word)(check->start + number * check->config->sub_buffer_bytes) /
				      check->config->sub_buffer_bytes,
		      "packet %llu in the place of %llu", (unsigned long long)header->seq,
		      (unsigned long long)number);
	for (i = 0; i < OPROF_NR_LOST; i++)
		sum += header->lost_by[i];
	steps_require(sum == header->lost, "P3: lost is not the sum");
	steps_require(header->time_begin <= header->time_end, "P1: a packet ends before it begins");
}

static void check_order(const struct oprof_packet_header *last,
			const struct oprof_packet_header *header)
{
	unsigned int i;

	steps_require(last->time_end <= header->time_begin,
		      "P1: packets overlap in time: %llu, then %llu",
		      (unsigned long long)last->time_end, (unsigned long long)header->time_begin);
	for (i = 0; i < OPROF_NR_LOST; i++)
		steps_require(last->lost_by[i] <= header->lost_by[i],
			      "P3: lost for reason %u shrinks from %llu to %llu", i,
			      (unsigned long long)last->lost_by[i],
			      (unsigned long long)header->lost_by[i]);
}

static uint32_t word_at(const uint8_t *data, uint64_t offset)
{
	uint32_t word;

	memcpy(&word, data + offset, sizeof(word));
	return word;
}

static void read_record_header(const uint8_t *data, uint64_t content, uint64_t offset,
			       uint64_t last_time, struct record *record)
{
	const uint32_t mask = (1u << OPROF_RECORD_TIME_BITS) - 1;
	uint32_t word;

	steps_require(offset + 4 <= content, "P4: half a record");
	word = word_at(data, offset);
	record->event_id = word & 31;
	record->time = last_time + (((word >> OPROF_RECORD_ID_BITS) - (uint32_t)last_time) & mask);
	record->end = offset + 4;
	if (record->event_id != OPROF_EVENT_ESCAPE)
		return;
	steps_require(offset + 16 <= content, "P4: half a record");
	record->event_id = word_at(data, offset + 4);
	record->time = word_at(data, offset + 8) | (uint64_t)word_at(data, offset + 12) << 32;
	record->end = offset + 16;
}

static void skip_padding(const uint8_t *data, uint64_t content, struct record *record)
{
	if (record->event_id == OPROF_EVENT_PADDING_EMPTY)
		return;
	while (record->end < content && data[record->end] == '.')
		record->end++;
	steps_require(record->end < content && !data[record->end],
		      "P4: padding that does not end, or shows what lay there");
	record->end++;
}

static struct journal_entry *find_entry(const struct stream_check *check, const uint8_t *data,
					uint64_t content, struct record *record)
{
	struct journal *journal = check->journal;
	unsigned int i;

	if (record->event_id != WORLD_ID_EMPTY && record->event_id != WORLD_ID_EMPTY_EXTENDED) {
		uint64_t align = 1u << (record->event_id & 3);

		record->end = (record->end + align - 1) & ~(align - 1);
		steps_require(record->end + 4 <= content, "P4: half a record");
		i = word_at(data, record->end);
		steps_require(i < journal->nr_entries, "a record that nobody wrote");
		return &journal->entries[i];
	}
	/* Two records may have the same stamp. */
	for (i = 0; i < journal->nr_entries; i++) {
		struct journal_entry *entry = &journal->entries[i];

		if (entry->time == record->time && entry->event_id == record->event_id &&
		    entry->state >= JOURNAL_COMMITTING && entry->seen_in != check->nr_looks)
			return entry;
	}
	steps_fail("a record without payload that nobody committed");
}

static void check_record(struct stream_check *check, const uint8_t *data, uint64_t content,
			 struct record *record, uint64_t number)
{
	struct journal_entry *entry = find_entry(check, data, content, record);
	unsigned int which = (unsigned int)(entry - check->journal->entries);
	uint32_t i;

	steps_require(entry->state >= JOURNAL_COMMITTING, "record %u is read and not committed",
		      which);
	steps_require(entry->seen_in != check->nr_looks, "record %u is twice in a packet", which);
	entry->seen_in = check->nr_looks;
	steps_require(entry->event_id == record->event_id && entry->packet == number &&
			      entry->time == record->time,
		      "record %u has another id, packet or time than it had when it was reserved",
		      which);
	steps_require(record->end + entry->payload_bytes <= content, "P4: half a record");
	for (i = 0; i < entry->payload_bytes; i++)
		steps_require(data[record->end + i] == journal_pattern(check->journal, entry, i),
			      "record %u is torn", which);
	record->end += entry->payload_bytes;
}

/* Requires that the packet holds all records acknowledged in it. */
static void check_complete(struct stream_check *check, uint64_t number, bool consumes)
{
	unsigned int i;

	for (i = 0; i < check->journal->nr_entries; i++) {
		struct journal_entry *entry = &check->journal->entries[i];
		bool is_seen = entry->seen_in == check->nr_looks;

		if (entry->state == JOURNAL_ACKNOWLEDGED && entry->packet == number)
			steps_require(is_seen, "record %u is not in its packet", i);
		if (!is_seen || !consumes)
			continue;
		steps_require(entry->nr_read <= check->nr_may_repeat, "record %u is read twice", i);
		check->journal->nr_read += !entry->nr_read;
		entry->nr_read++;
	}
}

static void check_records(struct stream_check *check, const uint8_t *data,
			  const struct oprof_packet_header *header, uint64_t number)
{
	uint64_t content = header->content_bits / 8, offset = sizeof(*header);
	uint64_t last_time = header->time_begin;
	uint32_t nr_records = 0;

	while (offset < content) {
		struct record record;

		read_record_header(data, content, (offset + 3) & ~3ull, last_time, &record);
		steps_require(record.time >= last_time && record.time <= header->time_end,
			      "P1: a record at %llu, after one at %llu, in a packet up to %llu",
			      (unsigned long long)record.time, (unsigned long long)last_time,
			      (unsigned long long)header->time_end);
		last_time = record.time;
		if (record.event_id == OPROF_EVENT_PADDING ||
		    record.event_id == OPROF_EVENT_PADDING_EMPTY) {
			skip_padding(data, content, &record);
		} else {
			check_record(check, data, content, &record, number);
			nr_records++;
		}
		offset = record.end;
	}
	steps_require(offset == content, "P4: content ends at %llu, the last record at %llu",
		      (unsigned long long)content, (unsigned long long)offset);
	steps_require(header->nr_records == nr_records ||
			      header->nr_records == OPROF_PACKET_NR_UNKNOWN,
		      "%u records in a packet that tells %u", nr_records, header->nr_records);
}

void stream_check_packet(struct stream_check *check, const uint8_t *data, uint64_t number,
			 bool consumes)
{
	struct oprof_packet_header *last = consumes ? &check->last : &check->previous;
	bool *has_last = consumes ? &check->has_last : &check->has_previous;
	struct oprof_packet_header header;

	memcpy(&header, data, sizeof(header));
	check->nr_looks++;
	check_header(check, &header, number);
	check_records(check, data, &header, number);
	check_complete(check, number, consumes);
	if (*has_last && !(consumes && check->nr_may_repeat && last->seq == header.seq))
		check_order(last, &header);
	*last = header;
	*has_last = true;
}
