/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer that will be killed: a process that writes records to a ring in
 * shared memory, with signal handlers that nest, and acknowledges each commit
 * there. What the packets hold is compared with that (kill_check.h).
 */
#ifndef TESTS_KILL_WRITER_H
#define TESTS_KILL_WRITER_H

#include "ring/ring_write.h"

#include <sys/types.h>

#define KILL_LEVELS   (RING_DEPTH_MAX + 2u) /* of nesting: more than the ring keeps account of */
#define KILL_HEIR     KILL_LEVELS	    /* who writes when the ring is repaired */
#define KILL_CONTEXTS (KILL_LEVELS + 1u)
#define KILL_LOG      512u /* records of one context */
#define KILL_PACKETS  32768u
#define KILL_MEMORY   (1u << 18) /* the largest ring of a test */

#define KILL_EVENT_ALIGNED_4 1u /* and the context */
#define KILL_EVENT_CANCELLED 12u
#define KILL_EVENT_ALIGNED_8 13u
#define KILL_EVENT_EXTENDED  100u

/* Of a record; then length bytes of a pattern. */
struct kill_record {
	uint32_t context;
	uint32_t number;
	uint32_t length;
};

/*
 * The test's own guard, as those of ring/guards.h: the state KILL_ADDING. Without it a context
 * whose bytes are committed, and whose packet may be delivered, still counts as open.
 */
#ifndef KILL_GUARD_ADDING
#define KILL_GUARD_ADDING 1
#endif

/*
 * A context is KILL_ADDING from the last step before its add to committed until it has noted the
 * add. A signal may arrive between the add and the note, and the records of its handler may close
 * the packet, which is then delivered. So repair may or may not cover the slot.
 */
enum kill_state {
	KILL_IDLE,
	KILL_ATTEMPT,
	KILL_RESERVED,
	KILL_COMMITTING,
	KILL_ADDING,
	KILL_COMMITTED,
};

/* A level of nesting (0: the thread itself), or the heir. */
struct kill_context {
	enum kill_state state;
	bool cancels; /* what is in flight now */
	uint32_t nr_acknowledged;
	uint32_t nr_cancelled;
	uint32_t nr_behind;  /* records of deeper levels acknowledged since this one reserved */
	uint32_t nr_flushes; /* since this one began its reserve */
	uint32_t nr_fails;   /* of its cmpxchg */
	uint32_t nr_turns;   /* of its reserve loop */
	uint32_t nr_between; /* reservations of others and flushes since it began */
	uint32_t packets[KILL_LOG]; /* which one each record lies in */
};

/* What was found in packets. */
struct kill_found {
	uint8_t nr[KILL_CONTEXTS][KILL_LOG]; /* times each record was found */
	uint32_t next[KILL_CONTEXTS];
	uint8_t packets[KILL_PACKETS];
	uint32_t next_packet;
	uint32_t nr_records;
	uint32_t nr_padding;
	uint64_t time_end;
	uint64_t lost_by[OPROF_NR_LOST];
	char problem[160]; /* the first */
};

/* How one writer lives and dies: all by lot. */
struct kill_plan {
	struct ring_config config;
	uint64_t random;
	bool aimed;	    /* dies at a step; else killed from outside */
	const char *target; /* only steps in this function; NULL: any */
	uint32_t countdown; /* steps until it dies */
	uint32_t max_level;
	uint32_t nested_one_in;	   /* a signal at one step of so many; 0: none */
	uint32_t after_add_one_in; /* a signal between one add of so many and its note; 0: none */
	uint32_t flush_one_in;
	uint32_t read_one_in;
	bool flushes_itself;	  /* as a thread that ends does */
	uint32_t finalises_after; /* so many records, itself; 0: not */
	bool timer;
	bool reads_beside; /* the parent, while the writer lives */
	bool flushes_beside;
};

/* All that parent and writer share. */
struct kill_shared {
	struct kill_plan plan;
	struct ring ring; /* the writer's view */
	struct ring_reader reader;
	uint32_t packet;		 /* the newest one that a record lies in */
	uint32_t level;			 /* now */
	uint64_t lost_by[OPROF_NR_LOST]; /* as reserve told */
	const char *died_in;
	const char *repair_died_in; /* where that was killed, too */
	bool repairs;
	uint64_t nr_steps;
	uint64_t nr_reserves;
	uint64_t nr_tried_again;
	uint32_t max_fails;
	uint32_t max_turns;
	uint32_t max_between;
	struct kill_context contexts[KILL_CONTEXTS];
	struct kill_found found;
	uint8_t memory[KILL_MEMORY] __attribute__((aligned(4096)));
};

extern struct kill_shared *kill_shared;

/* Until it is killed. In a process of its own. */
_Noreturn void kill_writer_live(void);

/* Write one record as this context. 0, or the reserve's error. */
int kill_write(uint32_t context);

/* From now on each step counts down and may do what the plan says. */
void kill_arm(const struct kill_plan *plan);
void kill_disarm(void);

/* A flush, a reader beside the writer. */
void kill_flush(void);
void kill_read(uint32_t nr_packets);

uint32_t kill_random_below(uint32_t end);

#endif
