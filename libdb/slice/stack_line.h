/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of the hash table in stack_index.h, which is one cache line. All slots of the line are
 * compared together, without a branch for each slot: a processor could not predict the matching
 * slot, and would have to wait for memory.
 */
#ifndef LIBDB_STACK_LINE_H
#define LIBDB_STACK_LINE_H

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define STACK_LINE_SLOTS 8u

/* The slots of a line are filled from its start. */
struct stack_line {
	uint32_t hashes[STACK_LINE_SLOTS];
	uint32_t numbers[STACK_LINE_SLOTS]; /* 0: empty */
};

#ifdef __SSE2__

/* Returns a bit mask of the elements of words that equal `word`. */
static inline uint32_t stack_words_same(const uint32_t *words, uint32_t word)
{
	const __m128i *at = (const __m128i *)(const void *)words;
	const __m128i sought = _mm_set1_epi32((int)word);
	const __m128i low = _mm_cmpeq_epi32(_mm_load_si128(at), sought);
	const __m128i high = _mm_cmpeq_epi32(_mm_load_si128(at + 1), sought);
	const __m128i both = _mm_packs_epi32(low, high);

	return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(both, both)) & 0xff;
}

#else

static inline uint32_t stack_words_same(const uint32_t *words, uint32_t word)
{
	uint32_t same = 0;

	for (uint32_t i = 0; i < STACK_LINE_SLOTS; i++)
		same |= (uint32_t)(words[i] == word) << i;
	return same;
}

#endif

/* Returns a bit mask of the slots that have this hash. The mask may include empty slots. */
static inline uint32_t stack_line_same(const struct stack_line *line, uint32_t hash)
{
	return stack_words_same(line->hashes, hash);
}

/* Returns the first empty slot. The line must not be full. */
static inline uint32_t stack_line_free(const struct stack_line *line)
{
	return (uint32_t)__builtin_ctz(stack_words_same(line->numbers, 0));
}

static inline int stack_line_is_full(const struct stack_line *line)
{
	return line->numbers[STACK_LINE_SLOTS - 1] != 0;
}

#endif
