/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table that maps hashes to numbers of items, for call trees and stack files. The caller
 * stores the items and compares them; the table has only the numbers of the items. A slot has 32
 * bits of the hash, and the number, which is never 0. Therefore most look-ups access one cache
 * line, and growing the table does not access the items.
 *
 * Slots are grouped into lines, each of which is one cache line. The top bits of a hash select a
 * line. If this line is full, the next line that is not full is used. Thus slots are nearly sorted
 * by their hashes, and a growing table reads and writes memory sequentially.
 */
#ifndef LIBDB_STACK_INDEX_H
#define LIBDB_STACK_INDEX_H

#include "libdb/slice/stack_line.h"

#include <stdbool.h>
#include <stdint.h>

struct stack_index {
	struct stack_line *lines;
	uint32_t shift; /* hash >> shift is the index of the hash's line */
	uint32_t mask;	/* number of lines - 1 */
	uint32_t nr_used;
	uint32_t nr_room; /* maximum of nr_used, at which the table must grow */
	void *memory;	  /* malloc'ed, contains lines */
};

/* Frees the memory. A struct stack_index of all zeros is a valid, empty table. */
void stack_index_deinit(struct stack_index *index);

/* Enlarges the table for nr more numbers. Returns 0 or -ENOMEM. */
int stack_index_grow(struct stack_index *index, uint32_t nr);

/* Removes all numbers and keeps the memory. */
void stack_index_empty(struct stack_index *index);

/* Ensures that the next nr calls of stack_index_put have room. Returns 0 or -ENOMEM. */
static inline int stack_index_reserve(struct stack_index *index, uint32_t nr)
{
	return nr <= index->nr_room - index->nr_used ? 0 : stack_index_grow(index, nr);
}

/* Combines `word` with the hash `before`. Each bit of both affects the result. */
static inline uint64_t stack_hash(uint64_t before, uint64_t word)
{
	before = (before ^ word) * UINT64_C(0x9e6c63d0876a9a47);
	return before ^ before >> 32;
}

static inline uint32_t stack_hash_node(uint32_t parent, uint32_t image, uint64_t offset)
{
	const uint64_t hash = stack_hash(stack_hash((uint64_t)parent << 32 | image, 0), offset);

	return (uint32_t)(hash * UINT64_C(0xd1b54a32d192ed03) >> 32);
}

/*
 * Returns the number that was added with this hash and for which same() returns true, or 0 if
 * there is none.
 */
static inline uint32_t stack_index_find(const struct stack_index *index, uint32_t hash,
					bool (*same)(const void *what, uint32_t number),
					const void *what)
{
	const struct stack_line *line;
	uint32_t i = hash >> index->shift;

	if (!index->lines)
		return 0;
	do {
		uint32_t slots;

		line = &index->lines[i];
		for (slots = stack_line_same(line, hash); slots; slots &= slots - 1) {
			const uint32_t number = line->numbers[__builtin_ctz(slots)];

			if (number && same(what, number))
				return number;
		}
		i = (i + 1) & index->mask;
	} while (stack_line_is_full(line));
	return 0;
}

/* Adds a number, which must not be 0. Room must have been reserved. */
static inline void stack_index_put(struct stack_index *index, uint32_t hash, uint32_t number)
{
	uint32_t i = hash >> index->shift, slot;

	while (stack_line_is_full(&index->lines[i]))
		i = (i + 1) & index->mask;
	slot = stack_line_free(&index->lines[i]);
	index->lines[i].hashes[slot] = hash;
	index->lines[i].numbers[slot] = number;
	index->nr_used++;
}

#endif
