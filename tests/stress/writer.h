/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer thread of the stress test and the signal handlers that interrupt
 * it: level 0 is the thread; the handler of level n masks the signals of
 * levels up to n, so that levels nest strictly, and the last one, which no
 * level masks, is the NMI. Each level is a context with counts of its own.
 */
#ifndef STRESS_WRITER_H
#define STRESS_WRITER_H

#include "tests/stress/pattern.h"

#include <pthread.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STRESS_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define STRESS_THREAD_SANITIZER 1
#endif

/* Room for the records of each packet to be told; sparse. A writer stops short of it. */
#define STRESS_NR_PACKETS_MAX (4u << 20)

struct stress_level {
	uint64_t random;
	uint32_t number; /* of the next record: used up by a commit only */
	uint64_t nr_attempted, nr_committed, nr_cancelled, nr_nested_commits;
	uint64_t refused[OPROF_NR_LOST];
	uint64_t retries, retries_max;
	/* More retries than interrupts and flushes that came between. */
	uint64_t nr_unexplained_retries;
	/* Signals that came while a handler of this level or of a higher one was running. */
	uint64_t nr_out_of_order;
	uint32_t deepest;    /* writers between reserve and commit, this one included */
	uint32_t nr_handled; /* atomic: handlers of this level that ran */
	uint32_t nr_sent;    /* of the storm thread's */
};

/* What the threads round one ring share. */
struct stress_writer {
	struct ring ring; /* the writer's own view */
	struct ring_config config;
	void *memory;
	size_t memory_bytes;
	uint32_t index;
	uint32_t nr_levels;
	struct stress_level levels[STRESS_NR_LEVELS_MAX];
	uint32_t inside;		 /* writers now between reserve and commit */
	uint32_t deepest;		 /* atomic: of all levels, for who waits for it */
	uint16_t *nr_records_of_packets; /* atomic: by the packets' numbers */
	pthread_t thread;
	bool finalised_live; /* while it writes; else when it has ended */

	/* Flags and counts that threads tell each other: atomic. */
	uint32_t stop;		  /* level 0 is to end */
	uint32_t is_done;	  /* it has, and waits for storm_is_over */
	uint32_t storm_is_over;	  /* it may exit */
	uint32_t no_flush;	  /* the writer pauses */
	uint32_t nr_flushes;	  /* begun */
	uint32_t nr_flushes_done; /* ended */
	uint32_t has_gap;	  /* the reader saw a header extended for its time */
};

int stress_writer_start(struct stress_writer *writer, uint64_t seed);

/* This thread is interrupted now and then at its steps (port_stress.h). */
void stress_steps_begin(uint64_t seed);

/* Of its ring, begun as yet. */
ring_word stress_nr_packets(const struct stress_writer *writer);

/* The signal of a level, from 1. */
int stress_signal(uint32_t level);

/* Handlers for all levels; for the whole process, once. */
int stress_signals_init(uint32_t nr_levels);

/* One turn of a storm: what is not under way is sent. How many were. */
uint32_t stress_storm(struct stress_writer *writer);

#endif
