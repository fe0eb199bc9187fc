/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One small ring and its users, under the scheduler of steps.h: a writer with a list of records, an
 * interrupt with another list, a reader, a flusher. A ledger lists every record; at the end the
 * packets that were read are compared with it.
 */
#ifndef TESTS_RING_SCENE_H
#define TESTS_RING_SCENE_H

#include "ring/ring_write.h"
#include "tests/ring/steps.h"

#define SCENE_SUB_BUFFER RING_SUB_BUFFER_MIN
/* Payload bytes of a record that fills a fresh sub-buffer. */
#define SCENE_WHOLE                                                                                \
	(SCENE_SUB_BUFFER - (uint32_t)sizeof(struct oprof_packet_header) -                         \
	 OPROF_RECORD_COMPACT_BYTES)
#define SCENE_TOO_BIG (SCENE_WHOLE + 1)
#define SCENE_RECORDS 8u

enum scene_reads {
	SCENE_CONSUMES, /* takes the next packets until its turns are used up */
	SCENE_KEEPS,	/* a snapshot: takes, checks, puts back */
	SCENE_ABANDONS, /* dies with a packet, then a new reader continues */
};

struct scene {
	enum ring_mode mode;
	uint32_t nr_sub_buffers;
	uint32_t before[SCENE_RECORDS];	    /* payloads that the judge writes first, and reads if
					       reads_before */
	uint32_t writes[SCENE_RECORDS];	    /* payloads of the writer; 0 ends the list */
	uint32_t interrupts[SCENE_RECORDS]; /* payloads of scene_interrupt() */
	bool reads_before;
	/*
	 * Before each record of the writer and after interrupts all packets are read, so that no
	 * record is ever refused.
	 */
	bool drains;
	bool cancels;	/* the writer cancels its slots */
	bool finalises; /* the flusher finalises */
	/*
	 * At its end the writer flushes as a timer on its CPU does when a packet was open for long.
	 */
	bool flushes;
	enum scene_reads reads;
	unsigned int nr_reads; /* turns of the reader */
	unsigned int may_lose; /* the allowed losses: bits of enum oprof_ring_lost */
	unsigned int nr_after; /* records that another thread writes after repair */
};

/* Sets the scene of the next runs, and the begin, end and contexts of the plan. */
void scene_set(const struct scene *scene, struct steps_plan *plan);

/* For use as an interrupt or by a point of a plan. */
void scene_interrupt(void);
void scene_flush(void);
void scene_read_all(void);

/* The ring, and the reader, of the last run. */
struct ring *scene_ring(void);
struct ring_reader *scene_reader(void);

/* Writes a record with a payload of bytes from the running context. Returns 0 or -errno. */
int scene_write(uint32_t bytes);

#endif
