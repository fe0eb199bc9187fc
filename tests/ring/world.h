/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring and a journal of every record that was requested, with its result, so that the packets
 * that the reader gets can be checked against it. A violated invariant fails the run
 * (steps_fail()):
 *
 *  - a record that is read was committed, is complete, in its own packet, with its own stamp, and
 * is read once; a packet holds all records committed in it
 *  - P1 to P5 of doc/packets.md
 *  - a packet that a reader holds does not change
 *  - a refusal is counted by its reason, and at one of the refused writer's own steps there was no
 * room
 *  - at the end each acknowledged record was read, or lies in a packet that was counted as
 * overwritten (or as gone with a reader that died)
 */
#ifndef TESTS_RING_WORLD_H
#define TESTS_RING_WORLD_H

#include "ring/ring.h"
#include "tests/ring/steps.h"

/* The shape of the next ring: sub-buffers of 256 bytes, of which 136 hold records. */
struct world_shape {
	enum ring_mode mode;
	uint32_t nr_sub_buffers;
	ring_word start; /* position up to which the ring has already run, a multiple of 256 */
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

void world_begin(void); /* begin of a plan */
void world_end(void); /* end of a plan: repairs, finalises, reads all packets and checks the sums */

/* Writes one record, with steps within its payload. Returns 0 or the error of the reserve. */
int world_write(uint32_t event_id, uint32_t payload_bytes);
int world_write_cancelled(uint32_t event_id, uint32_t payload_bytes);

/* Writes until a packet is delivered or a record is refused. */
void world_fill_packet(void);

/* Reads at most nr_max packets and returns their number. world_end() reads the remaining ones. */
unsigned int world_read(unsigned int nr_max);

/* Takes all packets that a snapshot finds and puts them back. Returns their number. */
unsigned int world_snapshot(void);

void world_flush(void);
void world_finalise(void);

/* Attaches another view of the same memory. */
void world_attach(struct ring *ring);
/* Replaces the reader, which has died, by a new one. */
void world_reader_restart(void);

/* Numbers of records, or packets, by what happened to them. */
unsigned int world_nr_acknowledged(void);
unsigned int world_nr_read(void);
unsigned int world_nr_packets_read(void);
uint64_t world_nr_overwritten(void);

#endif
