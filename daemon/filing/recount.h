/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session holds, live files and slices, by reading them all: after
 * damage and kills, when the counters no longer tell it.
 */
#ifndef DAEMON_RECOUNT_H
#define DAEMON_RECOUNT_H

#include <stdint.h>

struct recount {
	uint64_t stored; /* samples, without those of idle CPUs */
	uint64_t idle;
	uint64_t weight; /* of the stored ones */
	uint64_t stacks; /* of the stored ones: in call trees */
};

/*
 * Sum up the session at session_path; its files may be open for writing by
 * this process. What is damaged holds nothing. 0, or -errno: *sums untouched.
 */
int recount_session(const char *session_path, struct recount *sums);

/* The slice at path alone, added to *sums. 0, or -errno of slice_open. */
int recount_slice(const char *path, struct recount *sums);

#endif
