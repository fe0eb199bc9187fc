/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing array of slots that were read from a file, and a function that sorts them by key. */
#ifndef LIBDB_SDB_SORT_H
#define LIBDB_SDB_SORT_H

#include "oprof/sample_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Slots with the layout of the file: one word each or, if `wide` is set, two words (key and
 * value).
 */
struct sdb_slots {
	uint64_t *words; /* malloc'ed */
	size_t nr_slots;
	size_t room; /* in slots */
	bool wide;
};

/* Ensures that nr more slots can be appended. Returns 0 or -ENOMEM. */
int sdb_slots_reserve(struct sdb_slots *slots, size_t nr);

/* Sorts the slots by ascending key. Returns 0, or -ENOMEM with the order unchanged. */
int sdb_slots_sort(struct sdb_slots *slots);

void sdb_slots_deinit(struct sdb_slots *slots);

static inline uint64_t sdb_slots_key(const struct sdb_slots *slots, size_t i)
{
	return slots->wide ? slots->words[2 * i] : slots->words[i] >> OPROF_SDB_NARROW_COUNT_BITS;
}

static inline uint64_t sdb_slots_value(const struct sdb_slots *slots, size_t i)
{
	return slots->wide ? slots->words[2 * i + 1]
			   : slots->words[i] & ((1u << OPROF_SDB_NARROW_COUNT_BITS) - 1);
}

#endif
