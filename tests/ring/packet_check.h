/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of all records that were asked for, and a reading of packets
 * that holds them against it. Written from doc/packets.md, not from the ring.
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
	uint32_t payload_bytes; /* 0, or at least 4: its number comes first */
	uint64_t time;
	uint64_t packet;
	unsigned int nr_read;
	unsigned int seen_in; /* number of the look at a packet */
};

#define JOURNAL_MAX 4096u

struct journal {
	struct journal_entry entries[JOURNAL_MAX];
	unsigned int nr_entries;
	unsigned int nr_read; /* records that the reader consumed */
};

void journal_reset(struct journal *journal);
struct journal_entry *journal_add(struct journal *journal, uint32_t event_id,
				  uint32_t payload_bytes);
uint8_t journal_pattern(const struct journal *journal, const struct journal_entry *entry,
			uint32_t index);
unsigned int journal_nr(const struct journal *journal, enum journal_state state);

/*
 * Was each acknowledged record read? Those of packets before kept may have been overwritten, if
 * any was; and so many packets may have gone with a reader that died.
 */
void journal_balance(const struct journal *journal, uint64_t kept, unsigned int nr_gone,
		     bool may_be_overwritten);

/* The packets of a ring as one reader gets them. */
struct stream_check {
	struct journal *journal;
	const struct ring_config *config;
	uint32_t cpu_id;
	ring_word start;		     /* of packet 0 */
	struct oprof_packet_header last;     /* of the reader's packets */
	struct oprof_packet_header previous; /* of this snapshot's */
	bool has_last, has_previous;
	unsigned int nr_looks;
	unsigned int nr_may_repeat; /* readers that died: their packet may come again */
};

void stream_check_init(struct stream_check *check, struct journal *journal,
		       const struct ring_config *config, uint32_t cpu_id, ring_word start);

/* A snapshot begins. */
void stream_check_snapshot(struct stream_check *check);

/* number: of the packet, from start on. consumes: else a snapshot's. */
void stream_check_packet(struct stream_check *check, const uint8_t *data, uint64_t number,
			 bool consumes);

#endif
