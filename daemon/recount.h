/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sample files of a session hold, by reading them all: after damage
 * and kills, when the counters no longer tell it.
 */
#ifndef DAEMON_RECOUNT_H
#define DAEMON_RECOUNT_H

#include <stdint.h>

struct recount {
	uint64_t stored; /* samples, without those of idle CPUs */
	uint64_t idle;
	uint64_t weight; /* of the stored ones */
};

/*
 * Sum up the files below session_path; they may be open for writing by this
 * process. One that is damaged holds nothing. 0, or -errno: *sums untouched.
 */
int recount_files(const char *session_path, struct recount *sums);

#endif
