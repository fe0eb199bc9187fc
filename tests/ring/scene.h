/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One small ring and who comes to it, under the scheduler of steps.h: a writer
 * with a list of records, an interrupt with another, a reader, a flusher. A
 * ledger knows each record; what was read is held against it at the end.
 */
#ifndef TESTS_RING_SCENE_H
#define TESTS_RING_SCENE_H

#include "ring/ring_write.h"
#include "tests/ring/steps.h"

#define SCENE_SUB_BUFFER RING_SUB_BUFFER_MIN
/* Payload of a record that fills a fresh sub-buffer. */
#define SCENE_WHOLE                                                                                \
	(SCENE_SUB_BUFFER - (uint32_t)sizeof(struct oprof_packet_header) -                         \
	 OPROF_RECORD_COMPACT_BYTES)
#define SCENE_TOO_BIG (SCENE_WHOLE + 1)
#define SCENE_RECORDS 8u

enum scene_reads {
	SCENE_CONSUMES, /* what is next, to the end of its turns */
	SCENE_KEEPS,	/* a snapshot: takes, looks, puts back */
	SCENE_ABANDONS, /* dies with a packet, and is another one then */
};

struct scene {
	enum ring_mode mode;
	uint32_t nr_sub_buffers;
	uint32_t before[SCENE_RECORDS]; /* payloads written, and read if reads_before, by the judge
					 */
	uint32_t writes[SCENE_RECORDS]; /* by the writer; 0 ends the list */
	uint32_t interrupts[SCENE_RECORDS]; /* by scene_interrupt() */
	bool reads_before;
	/* Before each record of the writer, and behind interrupts, all is read: it is never
	 * refused. */
	bool drains;
	bool cancels;	/* the writer gives its slots up */
	bool finalises; /* the flusher does */
	/* At its end the writer, as a timer on its CPU, flushes what was long open. */
	bool flushes;
	enum scene_reads reads;
	unsigned int nr_reads; /* turns of the reader */
	unsigned int may_lose; /* bits of enum oprof_ring_lost: nothing else may be */
	unsigned int nr_after; /* records written after repair, by another thread */
};

/* What the next runs are of; the plan's begin and end, and its contexts. */
void scene_set(const struct scene *scene, struct steps_plan *plan);

/* To be called as an interrupt, or by a point. */
void scene_interrupt(void);
void scene_flush(void);
void scene_read_all(void);

/* The ring of the last run. */
struct ring *scene_ring(void);
struct ring_reader *scene_reader(void);

/* A record of so many bytes of payload, as the one who runs now; 0 or -errno. */
int scene_write(uint32_t bytes);

#endif
