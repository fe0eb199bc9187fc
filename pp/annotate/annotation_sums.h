/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of things that are as many as they turn out to be: a row of a
 * profile's columns each.
 */
#ifndef PP_ANNOTATION_SUMS_H
#define PP_ANNOTATION_SUMS_H

#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* nr_columns each. shares is counts where all are samples. */
struct annotation_sums {
	uint64_t *counts, *shares;
	size_t nr, room; /* things */
};

/* Things are as many as their sums: room for one more, zeroed. Its index, or SIZE_MAX: no memory.
 */
size_t annotation_sums_add(struct annotation_sums *sums, const struct profile *profile);
/* Add what from has to thing i; sums that overflow stay at the top. */
void annotation_sums_count(struct annotation_sums *sums, const struct profile *profile, size_t i,
			   const uint64_t *counts, const uint64_t *shares);
void annotation_sums_deinit(struct annotation_sums *sums);

/*
 * The array of things beside sums, grown as they did; things are nr_bytes
 * each. NULL: no memory, and array is as it was.
 */
void *annotation_grow(void *array, const struct annotation_sums *sums, size_t nr_bytes);

#endif
