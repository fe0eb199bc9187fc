/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace folders for tests: random records of events of every kind, written by
 * ctf/writer.h, and what a reader must find in them.
 */
#ifndef TESTS_UNIT_MAKE_TRACE_H
#define TESTS_UNIT_MAKE_TRACE_H

#include "ctf/ctf.h"
#include "tests/unit/make_packet.h"

#define MADE_NR_STREAMS	  5
#define MADE_PAYLOAD_MAX  1500
#define MADE_PACKET_BYTES 4096

struct made_record {
	const struct ctf_event *event;
	uint64_t time;
	uint16_t starts[16]; /* of each field's value, a sequence's behind its length */
	size_t nr_bytes;
	uint8_t *payload;
};

struct made_stream {
	char name[32];
	unsigned int file; /* the writer's number */
	uint32_t cpu, stream_id;
	uint64_t time, seq, lost_by[OPROF_NR_LOST];
	struct made_record *records;
	size_t nr_records;
	uint64_t nr_packets, nr_padding, nr_extended, nr_empty, nr_full;
	uint64_t lost_before, lost_overwritten;
};

struct made_trace {
	uint64_t random;
	/*
	 * No text or string is empty: of an empty one babeltrace2 2.0.4 shows
	 * what the field held in the record before.
	 */
	bool no_empty_text;
	struct made_stream streams[MADE_NR_STREAMS];
};

/* Its events: all kinds of fields, alignments and headers. */
extern const struct ctf_trace made_trace;

/* Write one to folder, with nr_packets in each stream. The caller zeroes trace first. */
void make_trace(struct made_trace *trace, const char *folder, uint64_t seed,
		unsigned int nr_packets);
void make_trace_deinit(struct made_trace *trace);

/* The next random number below nr. */
uint64_t make_random(struct made_trace *trace, uint64_t nr);

#endif
