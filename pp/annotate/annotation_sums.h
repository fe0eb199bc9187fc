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

/* nr_columns numbers for each element. shares is counts if all shares are samples. */
struct annotation_sums {
	uint64_t *counts, *shares;
	size_t nr, room; /* elements */
};

/* Adds an element with zeroed sums. Returns its index, or SIZE_MAX if out of memory. */
size_t annotation_sums_add(struct annotation_sums *sums, const struct profile *profile);
/* Adds counts and shares to element i. Sums that overflow stay at the maximum. */
void annotation_sums_count(struct annotation_sums *sums, const struct profile *profile, size_t i,
			   const uint64_t *counts, const uint64_t *shares);
void annotation_sums_deinit(struct annotation_sums *sums);

/*
 * Call after annotation_sums_add(): grows an array that has an element of nr_bytes for each
 * element of sums. Returns the new array; NULL: out of memory, and array is unchanged.
 */
void *annotation_grow(void *array, const struct annotation_sums *sums, size_t nr_bytes);

#endif
