/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples for an array of elements that grows: each element has one row of the profile's
 * columns.
 */
#ifndef PP_ANNOTATION_SUMS_H
#define PP_ANNOTATION_SUMS_H

#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* nr_columns for each element. shares equals counts if all shares are samples. */
struct annotation_sums {
	uint64_t *counts, *shares;
	size_t nr, room; /* elements */
};

/* Adds an element with zeroed sums. Returns its index, or SIZE_MAX without memory. */
size_t annotation_sums_add(struct annotation_sums *sums, const struct profile *profile);
/* Adds counts and shares to element i. Sums that overflow stay at the maximum. */
void annotation_sums_count(struct annotation_sums *sums, const struct profile *profile, size_t i,
			   const uint64_t *counts, const uint64_t *shares);
void annotation_sums_deinit(struct annotation_sums *sums);

/*
 * Grows an array of elements parallel to sums, after annotation_sums_add; nr_bytes each. NULL:
 * no memory, array unchanged.
 */
void *annotation_grow(void *array, const struct annotation_sums *sums, size_t nr_bytes);

#endif
