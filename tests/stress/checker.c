// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/stress/checker.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define NR_TOLD_MAX 10u

/* The decoding of one packet. */
struct walk {
	struct stress_checker *checker;
	struct stress_numbers *numbers;
	struct oprof_packet_header header;
	const uint8_t *data;
	uint64_t offset, end;
	uint64_t time; /* of the previous record */
	uint64_t nr_records, nr_padding, nr_extended, nr_gap_headers, nr_overwritten;
};

/* The header of a record, decoded. */
struct head {
	uint32_t id;
	uint64_t time;
	uint64_t payload; /* offset after the header */
	bool is_extended;
};

static void tell(const struct stress_checker *checker, const char *what, const char *format,
		 va_list arguments)
{
	const struct stress_sums *sums = &checker->sums;

	if (sums->torn + sums->unexplained > NR_TOLD_MAX)
		return;
	(void)fprintf(stderr, "ring %u: %s: ", checker->writer->index, what);
	(void)vfprintf(stderr, format, arguments);
	(void)fputc('\n', stderr);
}

void stress_unexplained(struct stress_checker *checker, const char *format, ...)
{
	va_list arguments;

	checker->sums.unexplained++;
	va_start(arguments, format);
	tell(checker, "unexplained", format, arguments);
	va_end(arguments);
}

/* Counts damage. Always returns false: the rest of the packet cannot be read. */
__attribute__((format(printf, 2, 3))) static bool torn(struct walk *walk, const char *format, ...)
{
	va_list arguments;

	walk->checker->sums.torn++;
	va_start(arguments, format);
	tell(walk->checker, "torn", format, arguments);
	va_end(arguments);
	(void)fprintf(stderr, "  packet %" PRIu64 ", offset %" PRIu64 " of %" PRIu64 "\n",
		      walk->header.seq, walk->offset, walk->end);
	return false;
}

/* ---- a packet's header ---- */

static bool check_header(struct walk *walk, const struct ring_packet *packet)
{
	const struct ring *ring = &walk->checker->writer->ring;
	const struct oprof_packet_header *header = &walk->header;
	uint64_t sum = 0, number = packet->position >> ring->sub_order;
	unsigned int i;

	for (i = 0; i < OPROF_NR_LOST; i++)
		sum += header->lost_by[i];
	if (header->magic != OPROF_PACKET_MAGIC || memcmp(header->uuid, ring->uuid, 16) != 0 ||
	    header->stream_id != ring->stream_id || header->cpu_id != ring->cpu_id)
		return torn(walk, "not a header of this ring");
	if (header->packet_bits != ((uint64_t)ring->sub_mask + 1) * 8 || header->content_bits % 8 ||
	    header->content_bits > header->packet_bits ||
	    header->content_bits < sizeof(*header) * 8)
		return torn(walk, "content %" PRIu64 " of %" PRIu64 " bits", header->content_bits,
			    header->packet_bits);
	if (header->seq != number)
		return torn(walk, "packet %" PRIu64 " where %" PRIu64 " was asked for", header->seq,
			    number);
	if (header->time_end < header->time_begin)
		return torn(walk, "the packet ends before it begins");
	if (header->lost != sum)
		return torn(walk, "lost %" PRIu64 ", by reasons %" PRIu64, header->lost, sum);
	return true;
}

/* P1 to P3 of doc/packets.md, between packets. */
static bool check_order(struct walk *walk)
{
	const struct oprof_packet_header *last = &walk->checker->last, *header = &walk->header;
	unsigned int i;

	if (!last->magic)
		return true;
	if (header->time_begin < last->time_end)
		return torn(walk, "times: begins at %" PRIu64 ", packet %" PRIu64 " ended %" PRIu64,
			    header->time_begin, last->seq, last->time_end);
	if (header->seq <= last->seq)
		return torn(walk, "behind packet %" PRIu64, last->seq);
	for (i = 0; i < OPROF_NR_LOST; i++) {
		if (header->lost_by[i] < last->lost_by[i])
			return torn(walk, "lost[%u] shrinks from %" PRIu64 " to %" PRIu64, i,
				    last->lost_by[i], header->lost_by[i]);
	}
	return true;
}

/* ---- records ---- */

static bool decode_head(struct walk *walk, struct head *head)
{
	const uint64_t low = (1ull << OPROF_RECORD_TIME_BITS) - 1;
	uint32_t word;

	walk->offset = (walk->offset + 3) & ~3ull;
	if (walk->end - walk->offset < 4 || walk->offset > walk->end)
		return torn(walk, "half a record");
	memcpy(&word, walk->data + walk->offset, 4);
	head->id = word & 31;
	head->is_extended = head->id == OPROF_EVENT_ESCAPE;
	head->payload = walk->offset + 4;
	head->time = (walk->time & ~low) | word >> OPROF_RECORD_ID_BITS;
	if (head->time < walk->time)
		head->time += low + 1;
	if (!head->is_extended)
		return true;
	if (walk->end - walk->offset < OPROF_RECORD_EXTENDED_BYTES)
		return torn(walk, "half an extended header");
	memcpy(&head->id, walk->data + walk->offset + 4, 4);
	memcpy(&head->time, walk->data + walk->offset + 8, 8);
	head->payload = walk->offset + OPROF_RECORD_EXTENDED_BYTES;
	return true;
}

static bool check_padding(struct walk *walk, const struct head *head)
{
	const uint8_t *nul = NULL;

	walk->nr_padding++;
	walk->offset = head->payload;
	if (head->id == OPROF_EVENT_PADDING_EMPTY)
		return true;
	if (walk->offset < walk->end)
		nul = memchr(walk->data + walk->offset, 0, walk->end - walk->offset);
	if (!nul)
		return torn(walk, "padding without an end");
	walk->offset = (uint64_t)(nul - walk->data) + 1;
	return true;
}

static bool check_short(struct walk *walk, const uint8_t *payload, const struct stress_event *event)
{
	struct stress_numbers *numbers;

	if (event->level >= walk->checker->writer->nr_levels)
		return torn(walk, "a short record of level %u", event->level);
	numbers = &walk->numbers[event->level];
	if (numbers->has_gap) {
		numbers->nr_short++;
		return true;
	}
	if (!stress_short_is_right(payload, event, numbers->next))
		return torn(walk, "a short record of level %u, number %u", event->level,
			    numbers->next);
	numbers->next++;
	return true;
}

/* The number of a full record gives the number of records before it. */
static bool check_number(struct walk *walk, const struct stress_record *record)
{
	struct stress_numbers *numbers = &walk->numbers[record->level];
	uint32_t first = record->number - (numbers->has_gap ? numbers->nr_short : 0);
	int32_t more = (int32_t)(first - numbers->next);

	if (more < 0 || (more && !numbers->has_gap))
		stress_unexplained(walk->checker,
				   "packet %" PRIu64 ": level %u: number %u, expected %u%s",
				   walk->header.seq, record->level, first, numbers->next,
				   numbers->has_gap ? " or more" : "");
	else
		walk->nr_overwritten += (uint32_t)more;
	*numbers = (struct stress_numbers){.next = record->number + 1};
	return true;
}

static bool check_full(struct walk *walk, const uint8_t *payload, const struct head *head)
{
	const struct stress_writer *writer = walk->checker->writer;
	struct stress_record record;
	uint64_t bytes;

	if (walk->end - walk->offset < STRESS_FULL_FIELD_BYTES)
		return torn(walk, "half a full record");
	record = stress_full_read(payload, &bytes);
	if (bytes > walk->end - walk->offset)
		return torn(walk, "a record of %" PRIu64 " bytes", bytes);
	if (record.ring != writer->index || record.level >= writer->nr_levels)
		return torn(walk, "a record of ring %u, level %u", record.ring, record.level);
	if (record.time != head->time)
		return torn(walk, "stamp %" PRIu64 ", its header says %" PRIu64, record.time,
			    head->time);
	if (!stress_full_is_right(payload, (uint32_t)bytes, &record))
		return torn(walk, "the pattern of level %u, number %u", record.level,
			    record.number);
	walk->offset += bytes;
	return check_number(walk, &record);
}

static bool check_payload(struct walk *walk, const struct head *head)
{
	struct stress_event event;
	const uint8_t *payload;

	if (!stress_event_understand(head->id, &event))
		return torn(walk, "no event has id %u", head->id);
	walk->nr_records++;
	if (head->is_extended && head->id <= OPROF_EVENT_COMPACT_MAX)
		walk->nr_gap_headers++;
	walk->offset = (head->payload + event.align - 1) & ~((uint64_t)event.align - 1);
	if (walk->offset > walk->end || walk->end - walk->offset < event.payload_bytes)
		return torn(walk, "event %u leads out of the packet", head->id);
	payload = walk->data + walk->offset;
	if (event.is_full)
		return check_full(walk, payload, head);
	walk->offset += event.payload_bytes;
	return check_short(walk, payload, &event);
}

static bool check_record(struct walk *walk)
{
	struct head head = {0};

	if (!decode_head(walk, &head))
		return false;
	if (head.time < walk->time || head.time > walk->header.time_end)
		return torn(walk, "stamp %" PRIu64 " behind %" PRIu64 ", packet's end %" PRIu64,
			    head.time, walk->time, walk->header.time_end);
	walk->time = head.time;
	walk->nr_extended += head.is_extended;
	if (head.id == OPROF_EVENT_PADDING || head.id == OPROF_EVENT_PADDING_EMPTY)
		return check_padding(walk, &head);
	return check_payload(walk, &head);
}

static bool check_records(struct walk *walk)
{
	const struct stress_writer *writer = walk->checker->writer;
	uint64_t nr_written;

	walk->offset = sizeof(walk->header);
	walk->end = walk->header.content_bits / 8;
	walk->time = walk->header.time_begin;
	while (walk->offset < walk->end) {
		if (!check_record(walk))
			return false;
	}
	if (walk->header.nr_records != walk->nr_records)
		return torn(walk, "%" PRIu64 " records, its header says %u", walk->nr_records,
			    walk->header.nr_records);
	if (walk->header.seq >= STRESS_NR_PACKETS_MAX)
		return true;
	nr_written =
		__atomic_load_n(&writer->nr_records_of_packets[walk->header.seq], __ATOMIC_RELAXED);
	if (nr_written != walk->nr_records)
		return torn(walk, "%" PRIu64 " records, %" PRIu64 " were written", walk->nr_records,
			    nr_written);
	return true;
}

/* ---- packets ---- */

static void begin_walk(struct walk *walk, struct stress_checker *checker,
		       struct stress_numbers *numbers, const struct ring_packet *packet)
{
	*walk = (struct walk){.checker = checker, .numbers = numbers, .data = packet->data};
	memcpy(&walk->header, packet->data, sizeof(walk->header));
}

static void set_gap(struct stress_numbers *numbers)
{
	unsigned int i;

	for (i = 0; i < STRESS_NR_LEVELS_MAX; i++) {
		numbers[i].has_gap = true;
		/*
		 * After an earlier gap, the short records up to now were counted as missing without
		 * being identified.
		 */
		numbers[i].next += numbers[i].nr_short;
		numbers[i].nr_short = 0;
	}
}

void stress_check_look(struct stress_checker *checker, const struct ring_packet *packet)
{
	struct stress_numbers numbers[STRESS_NR_LEVELS_MAX] = {0};
	struct walk walk;

	set_gap(numbers);
	begin_walk(&walk, checker, numbers, packet);
	checker->sums.nr_snapshot_packets++;
	if (check_header(&walk, packet))
		(void)check_records(&walk);
}

void stress_check_next(struct stress_checker *checker, const struct ring_packet *packet)
{
	struct stress_sums *sums = &checker->sums;
	uint64_t expected = checker->last.magic ? checker->last.seq + 1 : 0;
	struct walk walk;

	begin_walk(&walk, checker, checker->numbers, packet);
	sums->nr_packets++;
	if (!check_header(&walk, packet) || !check_order(&walk))
		return;
	if (walk.header.seq > expected) {
		sums->nr_overwritten_packets += walk.header.seq - expected;
		set_gap(checker->numbers);
		if (checker->writer->config.mode == RING_DISCARD)
			stress_unexplained(checker, "packet %" PRIu64 " is missing", expected);
	}
	(void)check_records(&walk);
	sums->nr_records += walk.nr_records;
	sums->nr_padding += walk.nr_padding;
	sums->nr_extended += walk.nr_extended;
	sums->nr_gap_headers += walk.nr_gap_headers;
	sums->nr_overwritten_records += walk.nr_overwritten;
	if (walk.nr_gap_headers)
		__atomic_store_n(&checker->writer->has_gap, 1, __ATOMIC_RELAXED);
	if (checker->last.magic) {
		sums->lost_since_first += walk.header.lost - checker->last.lost;
		sums->nr_missing_since_first += walk.header.seq - expected;
	}
	checker->last = walk.header;
}

/* ---- sums ---- */

static void must_be(struct stress_checker *checker, const char *what, uint64_t is, uint64_t must)
{
	if (is != must)
		stress_unexplained(checker, "%s: %" PRIu64 ", must be %" PRIu64, what, is, must);
}

/*
 * The losses returned by reserve, counted by the ring and reported by the last packet must agree.
 * Of a ring that was finalised while its writers wrote, the last packet reports at least the losses
 * before that call (G6 of doc/ring.md): the finaliser may have to wait for a CPU within it.
 */
static void check_lost(struct stress_checker *checker)
{
	static const char *const reasons[] = {"lost_full", "lost_nested", "lost_too_big",
					      "lost_stopped", "lost_killed"};
	const struct stress_writer *writer = checker->writer;
	unsigned int reason, i;

	for (reason = 0; reason < OPROF_NR_LOST; reason++) {
		uint64_t refused = 0, told = checker->last.lost_by[reason];
		uint64_t counted = ring_lost(&writer->ring, (enum oprof_ring_lost)reason);

		for (i = 0; i < writer->nr_levels; i++)
			refused += writer->levels[i].refused[reason];
		must_be(checker, reasons[reason], counted, refused);
		if (reason == OPROF_LOST_STOPPED)
			must_be(checker, "lost_stopped of the last packet", told, 0);
		else if (!writer->finalised_live)
			must_be(checker, reasons[reason], told, refused);
		else if (told < writer->lost_before[reason] || told > refused)
			stress_unexplained(checker,
					   "%s of the last packet: %" PRIu64 ", must be %" PRIu64
					   " to %" PRIu64,
					   reasons[reason], told, writer->lost_before[reason],
					   refused);
	}
}

static uint64_t check_levels(struct stress_checker *checker)
{
	const struct stress_writer *writer = checker->writer;
	uint64_t nr_committed = 0, nr_refused = 0, nr_attempted = 0, nr_cancelled = 0;
	unsigned int i, reason;

	for (i = 0; i < writer->nr_levels; i++) {
		const struct stress_level *level = &writer->levels[i];
		const struct stress_record end = {.level = i, .number = level->number};
		struct walk walk = {.checker = checker, .numbers = checker->numbers};

		nr_attempted += level->nr_attempted;
		nr_committed += level->nr_committed;
		nr_cancelled += level->nr_cancelled;
		for (reason = 0; reason < OPROF_NR_LOST; reason++)
			nr_refused += level->refused[reason];
		must_be(checker, "unexplained retries", level->nr_unexplained_retries, 0);
#ifndef STRESS_THREAD_SANITIZER
		must_be(checker, "signals out of order", level->nr_out_of_order, 0);
#endif
		(void)check_number(&walk, &end);
		checker->sums.nr_overwritten_records += walk.nr_overwritten;
	}
	must_be(checker, "attempted", nr_committed + nr_cancelled + nr_refused, nr_attempted);
	if (writer->config.mode == RING_DISCARD)
		must_be(checker, "padding records", checker->sums.nr_padding, nr_cancelled);
	else if (checker->sums.nr_padding > nr_cancelled)
		stress_unexplained(checker, "more padding than was cancelled");
	return nr_committed;
}

void stress_check_sums(struct stress_checker *checker, const struct ring_reader *reader)
{
	const struct stress_writer *writer = checker->writer;
	const struct stress_sums *sums = &checker->sums;
	uint64_t nr_packets = writer->ring.shared->reserved >> writer->ring.sub_order;
	uint64_t nr_committed = check_levels(checker), nr_in_packets = 0, i;

	for (i = 0; i < nr_packets && i < STRESS_NR_PACKETS_MAX; i++)
		nr_in_packets += writer->nr_records_of_packets[i];
	check_lost(checker);
	must_be(checker, "committed", nr_in_packets, nr_committed);
	must_be(checker, "read and overwritten", sums->nr_records + sums->nr_overwritten_records,
		nr_committed);
	must_be(checker, "packets", sums->nr_packets + sums->nr_overwritten_packets, nr_packets);
	must_be(checker, "overwritten packets", reader->nr_overwritten,
		sums->nr_overwritten_packets);
	must_be(checker, "packets read", reader->nr_read, sums->nr_packets);
	must_be(checker, "packets gone", reader->nr_gone, 0);
	must_be(checker, "writers inside", writer->inside, 0);
	must_be(checker, "open slots", writer->ring.shared->depth, 0);
}
