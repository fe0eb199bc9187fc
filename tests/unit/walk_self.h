/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that walks its own stack wherever a timer's signals find it, and
 * compares with what libgcc's unwinder makes of it. Stands alone, so that it
 * can be built for another machine (tests/e2e/test_stack_walk_arm64.sh).
 */
#ifndef TESTS_UNIT_WALK_SELF_H
#define TESTS_UNIT_WALK_SELF_H

#include <stddef.h>
#include <stdint.h>

struct walk_self {
	size_t nr_signals;   /* walked */
	size_t nr_callers;   /* of all walks */
	size_t nr_deepest;   /* callers of a walk */
	size_t nr_whole;     /* walks that ended so */
	size_t nr_different; /* with another caller than libgcc finds */
	size_t nr_short;     /* libgcc finds more callers */
	size_t nr_lost;	     /* libgcc does not get to where the signal was */
};

/* Work, and be interrupted nr_signals times. */
void walk_self_run(size_t nr_signals, struct walk_self *counts);

#endif
