// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/sdb_sort.h"

#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* With more bits there are fewer passes, but the buckets would exceed the L1 cache. */
#define DIGIT_BITS 8u
#define NR_BUCKETS (1u << DIGIT_BITS)
#define FEW_SLOTS  256

int sdb_slots_reserve(struct sdb_slots *slots, size_t nr)
{
	return array_reserve_bytes(&slots->words, &slots->room, slots->nr_slots, nr,
				   slots->wide ? 16 : 8);
}

void sdb_slots_deinit(struct sdb_slots *slots)
{
	free(slots->words);
}

/* Compares keys. In both kinds of slot, the highest bits of the first word are the key. */
static int compare_first_words(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Returns the bits in which the first words of the slots differ. */
static inline uint64_t varying_bits(const struct sdb_slots *slots, size_t nr_words)
{
	uint64_t varying = 0;

	for (size_t i = 0; i < slots->nr_slots; i++)
		varying |= slots->words[i * nr_words] ^ slots->words[0];
	return varying;
}

/*
 * Sorts stably by one digit: the DIGIT_BITS bits of the first words whose lowest bit has number
 * `shift`.
 */
static inline void sort_digit(const uint64_t *from, uint64_t *to, size_t nr_slots, size_t nr_words,
			      unsigned int shift)
{
	size_t begins[NR_BUCKETS] = {0};
	size_t begin = 0;

	for (size_t i = 0; i < nr_slots; i++)
		begins[from[i * nr_words] >> shift & (NR_BUCKETS - 1)]++;
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		const size_t nr = begins[i];

		begins[i] = begin;
		begin += nr;
	}
	for (size_t i = 0; i < nr_slots; i++) {
		const uint64_t *slot = &from[i * nr_words];
		uint64_t *where = &to[begins[*slot >> shift & (NR_BUCKETS - 1)]++ * nr_words];

		where[0] = slot[0];
		if (nr_words == 2)
			where[1] = slot[1];
	}
}

/*
 * Radix sort that begins with the lowest digit and uses only bits that differ, so small or aligned
 * keys need fewer passes. Returns the array with the sorted slots: slots->words or `other`.
 */
static inline uint64_t *sort_digits(const struct sdb_slots *slots, uint64_t *other, size_t nr_words,
				    uint64_t varying)
{
	uint64_t *from = slots->words, *to = other;
	unsigned int shift = 0;

	while (shift < 64 && varying >> shift) {
		uint64_t *sorted = to;

		shift += (unsigned int)__builtin_ctzll(varying >> shift);
		sort_digit(from, to, slots->nr_slots, nr_words, shift);
		shift += DIGIT_BITS;
		to = from;
		from = sorted;
	}
	return from;
}

int sdb_slots_sort(struct sdb_slots *slots)
{
	const size_t slot_bytes = slots->wide ? 16 : 8;
	uint64_t varying, *other, *sorted;

	if (slots->nr_slots <= FEW_SLOTS) {
		if (slots->nr_slots)
			qsort(slots->words, slots->nr_slots, slot_bytes, compare_first_words);
		return 0;
	}
	varying = slots->wide ? varying_bits(slots, 2)
			      : varying_bits(slots, 1) >> OPROF_SDB_NARROW_COUNT_BITS
								  << OPROF_SDB_NARROW_COUNT_BITS;
	if (!varying)
		return 0;
	other = malloc(slots->nr_slots * slot_bytes);
	if (!other)
		return -ENOMEM;
	/* Both calls are inlined, each with a constant number of words. */
	sorted = slots->wide ? sort_digits(slots, other, 2, varying)
			     : sort_digits(slots, other, 1, varying);
	if (sorted == other) {
		free(slots->words);
		slots->words = other;
		slots->room = slots->nr_slots;
	} else {
		free(other);
	}
	return 0;
}
