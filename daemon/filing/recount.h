/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the samples of a session by reading all its live files and slices. Used after damage and
 * kills, when the counters may be wrong.
 */
#ifndef DAEMON_RECOUNT_H
#define DAEMON_RECOUNT_H

#include <stdint.h>

struct recount {
	uint64_t stored; /* samples, except those of idle CPUs */
	uint64_t idle;
	uint64_t weight; /* weight of the stored samples */
	uint64_t stacks; /* stored samples whose stacks are in call trees */
};

/*
 * Computes the sums of the session at session_path, whose files this process may have open for
 * writing. Damaged files count as empty. Returns 0; or -errno, with *sums unchanged.
 */
int recount_session(const char *session_path, struct recount *sums);

/* Adds the slice at path to *sums. Returns 0, or -errno of slice_open. */
int recount_slice(const char *path, struct recount *sums);

#endif
