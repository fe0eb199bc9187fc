/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of untrusted numbers from files. A sum that would overflow stays at 2^64 - 1. */
#ifndef LIB_SATURATE_H
#define LIB_SATURATE_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t saturate_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_expect(__builtin_add_overflow(a, b, &sum), 0) ? UINT64_MAX : sum;
}

static inline void saturate_add(uint64_t *to, uint64_t nr)
{
	*to = saturate_sum(*to, nr);
}

/* Adds from[i] to the sum to[i], for all i below nr. */
static inline void saturate_add_each(uint64_t *to, const uint64_t *from, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		saturate_add(&to[i], from[i]);
}

/* Returns the sum of nr numbers. */
static inline uint64_t saturate_total(const uint64_t *from, size_t nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		saturate_add(&sum, from[i]);
	return sum;
}

#endif
