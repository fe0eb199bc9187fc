/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is found in the packets of a killed writer's ring, against what it
 * acknowledged: each packet by the invariants of doc/packets.md, each record
 * by its pattern and number.
 */
#ifndef TESTS_KILL_CHECK_H
#define TESTS_KILL_CHECK_H

#include "tests/kills/kill_writer.h"

static inline uint8_t kill_pattern(uint32_t context, uint32_t number, uint32_t at)
{
	return (uint8_t)(context * 37 + number * 11 + at * 5 + 1);
}

/* The first is kept, in what is shared. */
void kill_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Read the next packet and check it. ring_next()'s errors. */
int kill_check_next(bool writer_lives);

/*
 * All is read: are all acknowledged records there once, and is all else
 * accounted for? nr_killed: slots that repair covered.
 */
void kill_check_all(uint32_t nr_killed);

/* Slots that were reserved, and not committed, at the writer's death. */
uint32_t kill_nr_open(void);

/* Levels whose commit was under way, or not begun: each may be found or not. */
uint32_t kill_nr_in_flight(void);

#endif
