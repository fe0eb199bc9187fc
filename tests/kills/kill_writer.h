/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer that will be killed: a process that writes records to a ring in shared memory, with
 * nested signal handlers, and notes each acknowledged commit in the same memory. kill_check.h
 * compares the packets with these notes.
 */
#ifndef TESTS_KILL_WRITER_H
#define TESTS_KILL_WRITER_H

#include "ring/ring_write.h"

#include <sys/types.h>

#define KILL_LEVELS   (RING_DEPTH_MAX + 2u) /* levels of nesting: more than the ring tracks */
#define KILL_HEIR     KILL_LEVELS	    /* the writer after the ring's repair */
#define KILL_CONTEXTS (KILL_LEVELS + 1u)
#define KILL_LOG      512u /* records of one context */
#define KILL_PACKETS  32768u
#define KILL_MEMORY   (1u << 18) /* the largest ring of a test */

#define KILL_EVENT_ALIGNED_4 1u /* plus the context */
#define KILL_EVENT_CANCELLED 12u
#define KILL_EVENT_ALIGNED_8 13u
#define KILL_EVENT_EXTENDED  100u

/* The begin of a record's payload; length bytes of a pattern follow. */
struct kill_record {
	uint32_t context;
	uint32_t number;
	uint32_t length;
};

/*
 * A guard of this test, as those of ring/guards.h: the state KILL_ADDING. Without it, a context
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
	bool cancels; /* the record in progress is cancelled */
	uint32_t nr_acknowledged;
	uint32_t nr_cancelled;
	uint32_t nr_behind;  /* records that deeper levels acknowledged since this one reserved */
	uint32_t nr_flushes; /* since this level began its reserve */
	uint32_t nr_fails;   /* failures of its cmpxchg */
	uint32_t nr_turns;   /* turns of its reserve loop */
	uint32_t nr_between; /* reservations of other levels and flushes since it began */
	uint32_t packets[KILL_LOG]; /* the packet of each record */
};

/* What the packets contained. */
struct kill_found {
	uint8_t nr[KILL_CONTEXTS][KILL_LOG]; /* how often each record was found */
	uint32_t next[KILL_CONTEXTS];
	uint8_t packets[KILL_PACKETS];
	uint32_t next_packet;
	uint32_t nr_records;
	uint32_t nr_padding;
	uint64_t time_end;
	uint64_t lost_by[OPROF_NR_LOST];
	char problem[160]; /* the first problem */
};

/* The random choices for the life and death of one writer. */
struct kill_plan {
	struct ring_config config;
	uint64_t random;
	bool aimed;	    /* dies at a step; else killed from outside */
	const char *target; /* count only steps in this function; NULL: any */
	uint32_t countdown; /* steps until it dies */
	uint32_t max_level;
	uint32_t nested_one_in;	   /* one step in this many sends a signal; 0: none does */
	uint32_t after_add_one_in; /* a signal between one add in this many and its note; 0: none */
	uint32_t flush_one_in;
	uint32_t read_one_in;
	bool flushes_itself;	  /* as a thread that ends does */
	uint32_t finalises_after; /* the writer finalises after so many records; 0: never */
	bool timer;
	bool reads_beside; /* the parent reads while the writer lives */
	bool flushes_beside;
};

/* All memory that parent and writer share. */
struct kill_shared {
	struct kill_plan plan;
	struct ring ring; /* the writer's view */
	struct ring_reader reader;
	uint32_t packet;		 /* the newest packet with a record */
	uint32_t level;			 /* the current level */
	uint64_t lost_by[OPROF_NR_LOST]; /* by the errors of reserve */
	const char *died_in;
	const char *repair_died_in; /* function in which a repair was killed; NULL: none */
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

/* Writes until it is killed. Runs in a process of its own. */
_Noreturn void kill_writer_live(void);

/* Writes one record from this context. Returns 0 or the error of the reserve. */
int kill_write(uint32_t context);

/* From now on each step counts down and may do what the plan says. */
void kill_arm(const struct kill_plan *plan);
void kill_disarm(void);

/* A flush, and reads, while the writer lives. */
void kill_flush(void);
void kill_read(uint32_t nr_packets);

uint32_t kill_random_below(uint32_t end);

#endif
