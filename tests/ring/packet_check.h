/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A journal of all requested records, and a decoder that checks packets against it. It is written
 * from doc/packets.md and shares no code with the ring.
 */
#ifndef TESTS_RING_PACKET_CHECK_H
#define TESTS_RING_PACKET_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include "oprof/packet.h"
#include "ring/ring.h"

enum journal_state {
	JOURNAL_RESERVING,
	JOURNAL_REFUSED,
	JOURNAL_RESERVED,
	JOURNAL_CANCELLED,
	JOURNAL_COMMITTING,
	JOURNAL_ACKNOWLEDGED,
};

struct journal_entry {
	enum journal_state state;
	uint32_t event_id;
	uint32_t payload_bytes; /* 0, or at least 4: the payload begins with its number */
	uint64_t time;
	uint64_t packet;
	unsigned int nr_read;
	unsigned int seen_in; /* number of the last check of a packet that found the record */
};

#define JOURNAL_MAX 4096u

struct journal {
	struct journal_entry entries[JOURNAL_MAX];
	unsigned int nr_entries;
	unsigned int nr_read; /* how often the reader consumed it */
};

void journal_reset(struct journal *journal);
struct journal_entry *journal_add(struct journal *journal, uint32_t event_id,
				  uint32_t payload_bytes);
uint8_t journal_pattern(const struct journal *journal, const struct journal_entry *entry,
			uint32_t index);
unsigned int journal_nr(const struct journal *journal, enum journal_state state);

/*
 * Checks that each acknowledged record was read. If may_be_overwritten, records of packets before
 * kept may be missing; nr_gone packets may have gone with a reader that died.
 */
void journal_balance(const struct journal *journal, uint64_t kept, unsigned int nr_gone,
		     bool may_be_overwritten);

/* The packets of a ring in the order in which one reader gets them. */
struct stream_check {
	struct journal *journal;
	const struct ring_config *config;
	uint32_t cpu_id;
	ring_word start;		     /* position of packet 0 */
	struct oprof_packet_header last;     /* the last packet consumed */
	struct oprof_packet_header previous; /* the previous packet of this snapshot */
	bool has_last, has_previous;
	unsigned int nr_looks;
	unsigned int nr_may_repeat; /* number of readers that died: their packets may be delivered
				       again */
};

void stream_check_init(struct stream_check *check, struct journal *journal,
		       const struct ring_config *config, uint32_t cpu_id, ring_word start);

/* Begins a snapshot. */
void stream_check_snapshot(struct stream_check *check);

/* Checks a packet. number: of the packet, counted from start. consumes: false for a snapshot. */
void stream_check_packet(struct stream_check *check, const uint8_t *data, uint64_t number,
			 bool consumes);

#endif
