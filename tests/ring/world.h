/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring and what is known of it: each record that was asked for, with what
 * became of it, so that what the reader gets can be held against it. All of
 * it fails the run (steps_fail()) where an invariant is broken:
 *
 *  - a record that is read was committed, is whole, in its packet, with its
 *    stamp, and is read once; a packet holds all that was committed in it
 *  - P1 to P5 of doc/packets.md
 *  - a packet that is held does not change
 *  - a refusal is counted by its reason, and there was no room at one of the
 *    refused writer's own steps at least
 *  - at the end: each acknowledged record was read, or lies in a packet that
 *    was counted as overwritten (or gone with a reader that died)
 */
#ifndef TESTS_RING_WORLD_H
#define TESTS_RING_WORLD_H

#include "ring/ring.h"
#include "tests/ring/steps.h"

/* The next ring: sub-buffers of 256 bytes, of which 136 are for records. */
struct world_shape {
	enum ring_mode mode;
	uint32_t nr_sub_buffers;
	ring_word start; /* it has run up to this position, a multiple of 256 */
};

extern struct world_shape world_shape;
extern struct ring world_ring; /* the writers' view */
extern struct ring_reader world_reader;

enum {
	WORLD_ID = 4,		/* alignment of payloads: 1 << (id & 3) */
	WORLD_ID_EXTENDED = 36, /* the same, with an extended header */
	WORLD_ID_EMPTY = 28,	/* no payload */
	WORLD_ID_EMPTY_EXTENDED = 100
};

void world_begin(void); /* of a plan */
void world_end(void);	/* of a plan: repair, finalise, read all, and balance */

/* One record, written with stops in the midst of its payload: 0 or the error. */
int world_write(uint32_t event_id, uint32_t payload_bytes);
int world_write_cancelled(uint32_t event_id, uint32_t payload_bytes);

/* Write until a packet is delivered, or a record is refused. */
void world_fill_packet(void);

/* Packets that are left out by read are read at the end. Returns how many there were. */
unsigned int world_read(unsigned int nr_max);

/* All packets that a snapshot finds, given back as they were. Returns how many there were. */
unsigned int world_snapshot(void);

void world_flush(void);
void world_finalise(void);

/* For other views of the same memory. */
void world_attach(struct ring *ring);
/* The reader has died: another one begins. */
void world_reader_restart(void);

/* How many records, by what became of them. */
unsigned int world_nr_acknowledged(void);
unsigned int world_nr_read(void);
unsigned int world_nr_packets_read(void);
uint64_t world_nr_overwritten(void);

#endif
