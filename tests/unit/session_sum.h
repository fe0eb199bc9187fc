/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session's folder holds, by the rule of epochs (oprof/slice.h): for tests. */
#ifndef TESTS_UNIT_SESSION_SUM_H
#define TESTS_UNIT_SESSION_SUM_H

#include <stddef.h>
#include <stdint.h>

struct session_sum {
	uint64_t nr_samples, nr_idle; /* that count: live and in slices */
	uint64_t live_samples;	      /* of them, in live files, idle ones too */
	size_t nr_live_files, nr_slices;
	size_t nr_damaged; /* files that cannot be read or fail their check; first_damage says why
			    */
	char first_damage[4096 + 1024];
};

/* Every file is verified (sdb_check, slice_check). 0 or -errno. */
int session_sum(struct session_sum *sum, const char *session_path);

#endif
