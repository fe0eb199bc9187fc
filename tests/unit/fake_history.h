/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profiler with a source and a clock that a test sets by hand, in the
 * working folder: for tests of a session's history.
 */
#ifndef TESTS_UNIT_FAKE_HISTORY_H
#define TESTS_UNIT_FAKE_HISTORY_H

#include "daemon/profiler.h"
#include "daemon/recount.h"
#include "tests/unit/fake_source.h"

#define SECOND_NS INT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define HOUR_NS	  (60 * MINUTE_NS)
#define DAY_NS	  (24 * HOUR_NS)

/* A Monday, 00:00:30 UTC, in 2023. */
#define FAKE_START_NS ((2809 * INT64_C(7) - 3) * DAY_NS + 30 * SECOND_NS)

extern struct moment fake_now;
extern struct session fake_session;
extern struct profiler fake_profiler;
extern struct history_config fake_config; /* budget, step: set before opening */
extern unsigned int fake_chain_depth;	  /* likewise; 0: samples have no callers */

/* In a test's folder: the clock at its start, an empty log, images 1 (a file) and 2 (kernel). */
void fake_history_setup(void);
void fake_history_teardown(void);

/* A daemon's start and end; killed: without giving up the lock. */
void fake_history_open(void);
void fake_history_close(void);
void fake_history_killed(void);

/* Time passes, by both clocks; by CLOCK_REALTIME alone. */
void fake_pass(int64_t ns);
void fake_step(int64_t ns);

/* nr samples, at offsets of their own from offset on, then a round; children are waited for. */
void fake_samples(unsigned int nr, uint64_t offset);
void fake_round(void);

/* A minute with nr samples. */
void fake_minute(unsigned int nr, uint64_t offset);

const struct history *fake_history(void);
uint64_t fake_counter(unsigned int counter);

uint64_t fake_stacks_lost(void); /* for any reason */

/* The invariants of doc/session.md, by reading all files. */
void fake_history_conserved(void);

#endif
