/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer thread of the stress test and the signal handlers that interrupt it. Level 0 is the
 * thread. The handler of level n masks the signals of levels up to n, so that levels nest strictly.
 * The highest level, which no other level masks, simulates the NMI. Each level is a context with
 * its own counts.
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

/*
 * Number of packets whose records are counted; the array is sparse. A writer stops before that
 * many.
 */
#define STRESS_NR_PACKETS_MAX (4u << 20)

struct stress_level {
	uint64_t random;
	uint32_t number; /* of the next record; only a commit uses it up */
	uint64_t nr_attempted, nr_committed, nr_cancelled, nr_nested_commits;
	uint64_t refused[OPROF_NR_LOST];
	uint64_t retries, retries_max;
	/* More retries than interrupts and flushes that came between. */
	uint64_t nr_unexplained_retries;
	/* Signals that came while a handler of this level or of a higher one was running. */
	uint64_t nr_out_of_order;
	uint32_t deepest;    /* most writers between reserve and commit, this one included */
	uint32_t nr_handled; /* atomic: handlers of this level that ran */
	uint32_t nr_sent;    /* by the storm thread */
};

/* Shared by all threads that use one ring. */
struct stress_writer {
	struct ring ring; /* the writer's own view */
	struct ring_config config;
	void *memory;
	size_t memory_bytes;
	uint32_t index;
	uint32_t nr_levels;
	struct stress_level levels[STRESS_NR_LEVELS_MAX];
	uint32_t inside;		 /* writers now between reserve and commit */
	uint32_t deepest;		 /* atomic: maximum over all levels, for waiting threads */
	uint16_t *nr_records_of_packets; /* atomic; indexed by packet number */
	pthread_t thread;
	bool finalised_live; /* finalised while the writer writes; else after its end */
	/* Losses that were counted before the call that finalised the ring. */
	uint64_t lost_before[OPROF_NR_LOST];

	/* Atomic flags and counts for communication between threads. */
	uint32_t stop;		  /* level 0 must end */
	uint32_t is_done;	  /* it has ended, and waits for storm_is_over */
	uint32_t storm_is_over;	  /* the thread may exit */
	uint32_t no_flush;	  /* the writer pauses */
	uint32_t nr_flushes;	  /* flushes begun */
	uint32_t nr_flushes_done; /* flushes ended */
	uint32_t has_gap;	  /* the reader found a header extended for its time */
};

int stress_writer_start(struct stress_writer *writer, uint64_t seed);

/* From now on this thread is interrupted now and then at its steps (port_stress.h). */
void stress_steps_begin(uint64_t seed);

/* Number of packets begun in the writer's ring so far. */
ring_word stress_nr_packets(const struct stress_writer *writer);

/* Returns the signal of a level, counted from 1. */
int stress_signal(uint32_t level);

/* Installs the handlers of all levels; once for the whole process. */
int stress_signals_init(uint32_t nr_levels);

/*
 * Makes one turn of a storm: sends the signals that are not already under way. Returns how many
 * were sent.
 */
uint32_t stress_storm(struct stress_writer *writer);

#endif
