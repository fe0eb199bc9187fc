// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/make_trace.h"

#include "ctf/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL(array)    .nr_##array = sizeof(array) / sizeof((array)[0]), .array = (array)
#define LABELS(array) .nr_labels = sizeof(array) / sizeof((array)[0]), .labels = (array)
#define FIELDS(array) .nr_fields = sizeof(array) / sizeof((array)[0]), .fields = (array)
#define INTEGER(text, nr_bits, sign)                                                               \
	{                                                                                          \
		.name = (text), .kind = CTF_FIELD_INTEGER, .bits = (nr_bits), .base = 10,          \
		.is_signed = (sign)                                                                \
	}
#define TEXT(text, length)                                                                         \
	{                                                                                          \
		.name = (text), .kind = CTF_FIELD_TEXT, .bits = 8, .base = 10, .nr = (length)      \
	}
#define STRING(text)                                                                               \
	{                                                                                          \
		.name = (text), .kind = CTF_FIELD_STRING, .bits = 8, .base = 10                    \
	}
#define ARRAY(text, length, nr_bits, in_base)                                                      \
	{                                                                                          \
		.name = (text), .kind = CTF_FIELD_ARRAY, .bits = (nr_bits), .base = (in_base),     \
		.nr = (length)                                                                     \
	}
#define SEQUENCE(text, nr_length_bits, nr_bits, sign)                                              \
	{                                                                                          \
		.name = (text), .kind = CTF_FIELD_SEQUENCE, .bits = (nr_bits), .base = 10,         \
		.is_signed = (sign), .length_bits = (nr_length_bits)                               \
	}

static const struct ctf_label modes[] = {{"low \"1\"", -2}, {"none", 0}, {"up\\down", 1}};
static const struct ctf_label states[] = {{"zero", 0}, {"three", 3}, {"all", 255}};

static const struct ctf_field switch_fields[] = {
	TEXT("prev_comm", 16),		INTEGER("prev_tid", 32, true),
	INTEGER("prev_prio", 32, true), INTEGER("prev_state", 64, true),
	TEXT("next_comm", 16),		INTEGER("next_tid", 32, true),
	INTEGER("next_prio", 32, true)};
static const struct ctf_field integer_fields[] = {
	INTEGER("u8", 8, false),
	INTEGER("u16", 16, false),
	INTEGER("u32", 32, false),
	INTEGER("u64", 64, false),
	INTEGER("int", 8, true), /* the language's own words as names */
	INTEGER("event", 16, true),
	INTEGER("_under", 32, true),
	INTEGER("s64", 64, true),
	{.name = "hex8", .bits = 8, .base = 16},
	{.name = "hex64", .bits = 64, .base = 16},
	{.name = "signed_hex16", .bits = 16, .base = 16, .is_signed = true},
	{.name = "mode", .bits = 8, .base = 10, .is_signed = true, LABELS(modes)},
	{.name = "state", .bits = 32, .base = 10, LABELS(states)}};
static const struct ctf_field string_fields[] = {STRING("filename"), INTEGER("tid", 32, true),
						 STRING("second")};
static const struct ctf_field array_fields[] = {
	ARRAY("three", 3, 32, 16), SEQUENCE("bytes", 8, 8, false), SEQUENCE("stack", 16, 64, false),
	ARRAY("one", 1, 8, 10), SEQUENCE("signed", 32, 16, true)};
static const struct ctf_field byte_fields[] = {INTEGER("a", 8, false)};
static const struct ctf_field ret_fields[] = {INTEGER("ret", 64, true)};

static const struct ctf_event events[] = {
	{.id = 0, .name = "syscall_entry_getppid", .alignment = 1},
	{.id = 1, .name = "sched_switch", .alignment = 4, FIELDS(switch_fields)},
	{.id = 2, .name = "integers", .alignment = 8, FIELDS(integer_fields)},
	{.id = 3, .name = "strings", .alignment = 1, FIELDS(string_fields)},
	{.id = 4, .name = "arrays", .alignment = 2, FIELDS(array_fields)},
	{.id = 28, .name = "syscall_exit_getppid", .alignment = 8, FIELDS(ret_fields)},
	{.id = 32, .name = "first extended", .alignment = 1, FIELDS(byte_fields)},
	{.id = 100000, .name = "a:\"quoted\" \\name", .alignment = 8, FIELDS(array_fields)},
	{.id = 0xffffffff, .name = "last", .alignment = 1},
	{.id = 0, .stream_id = 7, .name = "other stream's", .alignment = 2, FIELDS(byte_fields)},
	{.id = 40, .stream_id = 7, .name = "extended there", .alignment = 8, FIELDS(ret_fields)},
};
#define NR_EVENTS	  (sizeof(events) / sizeof(events[0]))
#define NR_EVENTS_STREAM0 (NR_EVENTS - 2)

static const struct ctf_env envs[] = {
	{"hostname", "made", 0},   {"domain", "kernel", 0},    {"tracer_name", "lttng-modules", 0},
	{"tracer_major", NULL, 2}, {"tracer_minor", NULL, 13}, {"tracer_patchlevel", NULL, 0}};
static const uint32_t streams[] = {0, 7};

const struct ctf_trace made_trace = {
	.uuid = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0x4d, 0xef, 0x81, 0x23, 1, 2, 3, 4, 5, 6},
	.clock = {.name = "monotonic",
		  .description = "a test's clock",
		  .has_uuid = true,
		  .uuid = {9, 8, 7},
		  .freq_hz = 1000000000,
		  .offset_s = 1700000000,
		  .offset = 123456789},
	ALL(envs),
	ALL(streams),
	ALL(events)};

uint64_t make_random(struct made_trace *trace, uint64_t nr)
{
	trace->random ^= trace->random << 13;
	trace->random ^= trace->random >> 7;
	trace->random ^= trace->random << 17;
	return trace->random % nr;
}

static void must(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "make_trace: %s\n", what);
	abort();
}

/* ---- payloads ---- */

static void put_random(struct made_trace *trace, struct made_record *record, size_t nr)
{
	/* Often the least and the greatest, where signs and masks matter. */
	static const uint8_t often[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe};
	const bool is_edge = make_random(trace, 2);
	const uint8_t edge = often[make_random(trace, sizeof(often))];

	for (size_t i = 0; i < nr; i++)
		record->payload[record->nr_bytes++] =
			is_edge ? edge : (uint8_t)make_random(trace, 256);
}

static void put_letters(struct made_trace *trace, struct made_record *record, size_t nr)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz/_-0123456789 \"\\";

	while (nr--)
		record->payload[record->nr_bytes++] =
			(uint8_t)letters[make_random(trace, sizeof(letters) - 1)];
}

static void put_field(struct made_trace *trace, struct made_record *record,
		      const struct ctf_field *field, unsigned int i)
{
	uint32_t nr = (uint32_t)make_random(trace, make_random(trace, 8) ? 6 : 40);

	if (field->kind == CTF_FIELD_SEQUENCE) {
		memcpy(record->payload + record->nr_bytes, &nr, field->length_bits / 8);
		record->nr_bytes += field->length_bits / 8;
	}
	record->starts[i] = (uint16_t)record->nr_bytes;
	if (field->kind == CTF_FIELD_INTEGER) {
		if (field->nr_labels && make_random(trace, 2)) {
			const struct ctf_label *label =
				&field->labels[make_random(trace, field->nr_labels)];

			memcpy(record->payload + record->nr_bytes, &label->value, field->bits / 8);
			record->nr_bytes += field->bits / 8;
		} else {
			put_random(trace, record, field->bits / 8);
		}
	} else if (field->kind == CTF_FIELD_TEXT) {
		put_letters(trace, record, field->nr);
		if (make_random(trace, 4))
			record->payload[record->nr_bytes - 1 -
					make_random(trace, field->nr - trace->no_empty_text)] = 0;
	} else if (field->kind == CTF_FIELD_STRING) {
		put_letters(trace, record, nr * 3 + trace->no_empty_text);
		record->payload[record->nr_bytes++] = 0;
	} else if (field->kind == CTF_FIELD_ARRAY) {
		put_random(trace, record, field->nr * (field->bits / 8));
	} else {
		put_random(trace, record, nr * (field->bits / 8));
	}
}

/* Into a record of the stream's list, which does not count yet. */
static struct made_record *draw_record(struct made_trace *trace, struct made_stream *stream,
				       uint64_t time)
{
	struct made_record *record;
	size_t first = stream->stream_id ? NR_EVENTS_STREAM0 : 0;
	size_t nr = stream->stream_id ? NR_EVENTS - NR_EVENTS_STREAM0 : NR_EVENTS_STREAM0;

	stream->records =
		realloc(stream->records, (stream->nr_records + 1) * sizeof(stream->records[0]));
	must(stream->records, "memory");
	record = &stream->records[stream->nr_records];
	*record = (struct made_record){.event = &events[first + make_random(trace, nr)],
				       .time = time,
				       .payload = malloc(MADE_PAYLOAD_MAX)};
	must(record->payload, "memory");
	for (unsigned int i = 0; i < record->event->nr_fields; i++)
		put_field(trace, record, &record->event->fields[i], i);
	must(record->nr_bytes <= MADE_PAYLOAD_MAX, "a payload of its size");
	return record;
}

/* ---- packets ---- */

static uint64_t draw_time(struct made_trace *trace, uint64_t time)
{
	switch (make_random(trace, 40)) {
	case 0:
		return time + (1U << 27) - 1; /* the last compact one */
	case 1:
		return time + (1U << 27); /* the first that is not */
	case 2:
		return time + ((uint64_t)1 << 33) + make_random(trace, 1000);
	case 3:
		return time;
	default:
		return time + make_random(trace, 100000);
	}
}

static bool add_record(struct made_trace *trace, struct made_stream *stream,
		       struct make_packet *packet)
{
	const uint64_t time = draw_time(trace, packet->time);
	struct made_record *record = draw_record(trace, stream, time);

	if (!make_packet_add(packet, record->event->id, time, record->event->alignment,
			     record->payload, record->nr_bytes)) {
		free(record->payload);
		return false;
	}
	stream->nr_records++;
	return true;
}

/* Up to the last byte, with a padding string. */
static void fill_up(struct made_stream *stream, struct make_packet *packet)
{
	const size_t start = (packet->nr_used + 3) & ~(size_t)3;

	if (start + 4 > packet->nr_bytes)
		return;
	must(make_packet_pad(packet, packet->time, packet->nr_bytes - start), "padding");
	must(packet->nr_used == packet->nr_bytes, "a full packet");
	stream->nr_padding++;
	stream->nr_full++;
}

static void fill_packet(struct made_trace *trace, struct made_stream *stream,
			struct make_packet *packet)
{
	const unsigned int kind = (unsigned int)make_random(trace, 8);
	uint64_t left = kind == 0 ? 0 : kind == 1 ? 1 + make_random(trace, 4) : UINT64_MAX;

	stream->nr_empty += !left;
	while (left && add_record(trace, stream, packet)) {
		left--;
		if (!make_random(trace, 10) &&
		    make_packet_pad(packet, packet->time + make_random(trace, 50),
				    4 + make_random(trace, 40)))
			stream->nr_padding++;
	}
	if (kind > 4)
		fill_up(stream, packet);
}

static void lose(struct made_trace *trace, struct made_stream *stream)
{
	if (!make_random(trace, 3))
		stream->lost_by[make_random(trace, OPROF_NR_LOST)] += 1 + make_random(trace, 90);
	if (!make_random(trace, 4)) {
		const uint64_t nr = 1 + make_random(trace, 5);

		stream->seq += nr;
		if (stream->nr_packets)
			stream->lost_overwritten += nr;
	}
}

static void add_packet(struct made_trace *trace, struct made_stream *stream,
		       struct ctf_writer *writer, struct make_packet *packet)
{
	struct diag diag;

	lose(trace, stream);
	make_packet_begin(packet, made_trace.uuid, stream->cpu, stream->seq++,
			  stream->time + make_random(trace, 1000), MADE_PACKET_BYTES);
	packet->header.stream_id = stream->stream_id;
	fill_packet(trace, stream, packet);
	stream->nr_extended += packet->nr_extended;
	memcpy(packet->header.lost_by, stream->lost_by, sizeof(stream->lost_by));
	if (!make_random(trace, 10))
		packet->header.nr_records = OPROF_PACKET_NR_UNKNOWN;
	stream->time = packet->time + make_random(trace, 2) * make_random(trace, 5000);
	make_packet_end(packet, stream->time);
	if (!stream->nr_packets++)
		stream->lost_before = packet->header.lost;
	must(!ctf_writer_append(writer, stream->file, packet->bytes, packet->nr_bytes, &diag),
	     diag.text);
}

void make_trace(struct made_trace *trace, const char *folder, uint64_t seed,
		unsigned int nr_packets)
{
	static struct make_packet packet;
	struct ctf_writer *writer;
	struct diag diag;

	trace->random = seed * 0x9e3779b97f4a7c15 + 1;
	must(!ctf_writer_open(&writer, folder, &made_trace, &diag), diag.text);
	for (unsigned int i = 0; i < MADE_NR_STREAMS; i++) {
		struct made_stream *stream = &trace->streams[i];

		(void)snprintf(stream->name, sizeof(stream->name), "channel_%u", i);
		stream->cpu = i * 3;
		stream->stream_id = i == 3 ? 7 : 0;
		stream->time = 1000 + make_random(trace, 5000);
		must(!ctf_writer_add_file(writer, stream->name, stream->stream_id, &stream->file,
					  &diag),
		     diag.text);
	}
	for (unsigned int i = 0; i < nr_packets * (MADE_NR_STREAMS - 1); i++)
		add_packet(trace, &trace->streams[i % (MADE_NR_STREAMS - 1)], writer, &packet);
	must(!ctf_writer_close(writer, &diag), diag.text); /* the last stream stays empty */
}

void make_trace_deinit(struct made_trace *trace)
{
	for (unsigned int i = 0; i < MADE_NR_STREAMS; i++) {
		for (size_t j = 0; j < trace->streams[i].nr_records; j++)
			free(trace->streams[i].records[j].payload);
		free(trace->streams[i].records);
	}
}
