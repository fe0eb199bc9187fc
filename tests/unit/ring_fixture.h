/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring in memory of its exact size, a writer of records that can be told
 * apart, and a reader that checks every byte of them.
 *
 * An event's id says how its payload looks: bits 0 and 1 its alignment (1, 2,
 * 4, 8), bit 2: it has none. A payload is a word of 16 bits that tells its
 * length, the record's number (32 bits), and bytes made of that number.
 */
#ifndef TESTS_RING_FIXTURE_H
#define TESTS_RING_FIXTURE_H

#include "ring/ring_write.h"
#include "tests/unit/packet_decode.h"

#define RECORD_BYTES_MIN 6u

#define EVENT_BYTES   0u /* aligned to 1 */
#define EVENT_PAIRS   1u
#define EVENT_WORDS   2u
#define EVENT_LONGS   3u
#define EVENT_NOTHING 4u
#define EVENT_FAR     64u /* aligned to 1, too large for a compact header */
#define PACKET_HEADER ((uint32_t)sizeof(struct oprof_packet_header))

struct ring_fixture {
	struct ring_config config;
	struct ring ring;
	struct ring_reader reader;
	void *memory;
	ring_word base;	      /* where the ring begins */
	uint32_t nr_written;  /* the number of the next record */
	ring_word sub_buffer; /* bytes */
	ring_word lap;
};

/* What a test reads of one packet. */
struct packet_sum {
	struct oprof_packet_header header;
	uint32_t nr_records;
	uint32_t nr_padding;
	uint32_t first; /* number of the first record that has one */
	uint32_t last;
};

extern uint64_t test_clock_ns;
extern void (*test_clock_hook)(void *);
extern void *test_clock_context;

/* Positions begin at 0, or a lap before they wrap. The clock begins at 1000 and stands still. */
enum fixture_base { FROM_ZERO, BEFORE_WRAP, NR_BASES };

void fixture_init(struct ring_fixture *fixture, enum ring_mode mode, uint32_t sub_buffer_bytes,
		  uint32_t nr_sub_buffers, enum fixture_base base);
void fixture_deinit(struct ring_fixture *fixture);

/* The position of the n-th packet from the beginning. */
ring_word fixture_packet(const struct ring_fixture *fixture, unsigned int n);

/* As ring_reserve(). */
int fixture_reserve(struct ring_fixture *fixture, uint32_t event_id, uint32_t payload_bytes,
		    struct ring_slot *slot);

/* Fill a slot with the next record; it is not committed. */
void fixture_fill(struct ring_fixture *fixture, const struct ring_slot *slot);

/* Reserve, fill, commit: 0 or as ring_reserve(). */
int fixture_write(struct ring_fixture *fixture, uint32_t event_id, uint32_t payload_bytes);

/* A record that fills the sub-buffer, fresh or open, to its very end. */
int fixture_write_rest(struct ring_fixture *fixture);

/* n packets of one record each, a whole sub-buffer long. All must succeed. */
void fixture_write_packets(struct ring_fixture *fixture, unsigned int n);

/* Bytes of the open packet, its header included. */
uint32_t fixture_open_bytes(const struct ring_fixture *fixture);

/* Walk a packet; every record must be whole. The test fails if the packet is not sound. */
void fixture_sum_packet(const struct ring_packet *packet, const struct ring_fixture *fixture,
			struct packet_sum *sum);

/* ring_next(), sum, put. The test fails if there is none. */
void fixture_read(struct ring_fixture *fixture, struct packet_sum *sum);

extern const struct packet_layout fixture_layout;

#endif
