/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of samples for the elements of a growing array: each element has one sum for each column of
 * the profile.
 */
#ifndef PP_ANNOTATION_SUMS_H
#define PP_ANNOTATION_SUMS_H

#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Both arrays have nr_columns numbers for each element. If all shares measure samples, not weight
 * or time, both pointers are the same.
 */
struct annotation_sums {
	uint64_t *counts, *shares;
	size_t nr, room; /* elements */
};

/* Adds an element whose sums are 0. Returns its index, or SIZE_MAX if out of memory. */
size_t annotation_sums_add(struct annotation_sums *sums, const struct profile *profile);
/* Adds counts and shares to element i. Sums that overflow stay at the maximum. */
void annotation_sums_count(struct annotation_sums *sums, const struct profile *profile, size_t i,
			   const uint64_t *counts, const uint64_t *shares);
void annotation_sums_deinit(struct annotation_sums *sums);

/*
 * Enlarges a parallel array, which has an element of nr_bytes bytes for each element of `sums`.
 * Call this function after each annotation_sums_add(). Returns the array, reallocated if necessary.
 * If out of memory, returns NULL and leaves `array` unchanged.
 */
void *annotation_grow(void *array, const struct annotation_sums *sums, size_t nr_bytes);

#endif
