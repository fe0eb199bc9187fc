/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the packets of a killed writer's ring with the writer's notes: each packet by the
 * invariants of doc/packets.md, each record by its pattern and number.
 */
#ifndef TESTS_KILL_CHECK_H
#define TESTS_KILL_CHECK_H

#include "tests/kills/kill_writer.h"

static inline uint8_t kill_pattern(uint32_t context, uint32_t number, uint32_t at)
{
	return (uint8_t)(context * 37 + number * 11 + at * 5 + 1);
}

/* Notes a problem; only the first is kept, in shared memory. */
void kill_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads the next packet and checks it. Returns the errors of ring_next(). */
int kill_check_next(bool writer_lives);

/*
 * After all packets are read: checks that each acknowledged record was found once, and that all
 * other content is accounted for. nr_killed: slots that repair covered.
 */
void kill_check_all(uint32_t nr_killed);

/* Number of slots that were reserved and not committed when the writer died. */
uint32_t kill_nr_open(void);

/* Number of levels whose commit was in progress or not begun: their records may be found or not. */
uint32_t kill_nr_in_flight(void);

#endif
