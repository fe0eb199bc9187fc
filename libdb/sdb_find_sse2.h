/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variant of sdb_find.h for x86-64, which always has SSE2. Only sdb_find.h includes this
 * header.
 */
#ifndef LIBDB_SDB_FIND_SSE2_H
#define LIBDB_SDB_FIND_SSE2_H

#include "libdb/sdb_format.h"

#include <emmintrin.h>

/* Loads four slots and splits them into their high and their low 32 bits. */
static inline void sdb_halves(const uint64_t *slot, __m128i *high, __m128i *low)
{
	const __m128 a = _mm_castsi128_ps(_mm_load_si128((const __m128i *)(const void *)slot));
	const __m128 b = _mm_castsi128_ps(_mm_load_si128((const __m128i *)(const void *)slot + 1));

	low[0] = _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
	high[0] = _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
}

/* Returns 32 bits for each of four slots. All 32 are set if the slot has the key or is empty. */
static inline __m128i sdb_match_four(const uint64_t *slot, __m128i key_high, __m128i key_low)
{
	__m128i high, low, same, empty;

	sdb_halves(slot, &high, &low);
	same = _mm_and_si128(
		_mm_cmpeq_epi32(high, key_high),
		_mm_cmpeq_epi32(_mm_srli_epi32(low, OPROF_SDB_NARROW_COUNT_BITS), key_low));
	empty = _mm_cmpeq_epi32(_mm_or_si128(high, low), _mm_setzero_si128());
	return _mm_or_si128(same, empty);
}

static inline unsigned int sdb_find_narrow(const uint64_t *home, const uint64_t *other,
					   uint64_t key)
{
	const __m128i high = _mm_set1_epi32((int)(uint32_t)(key >> 8));
	const __m128i low = _mm_set1_epi32((int)(key & 0xff));
	const __m128i a = _mm_packs_epi32(sdb_match_four(home, high, low),
					  sdb_match_four(home + 4, high, low));
	const __m128i b = _mm_packs_epi32(sdb_match_four(other, high, low),
					  sdb_match_four(other + 4, high, low));
	const unsigned int found = (unsigned int)_mm_movemask_epi8(_mm_packs_epi16(a, b));

	return (unsigned int)__builtin_ctz(found | 1u << SDB_PAIR_NARROW);
}

/*
 * Sets all bits of the result's low half if the slot has this key, and all bits of the result's
 * high half if the slot's value is 0.
 */
static inline __m128i sdb_match_one(const struct sdb_wide_slot *slot, __m128i key)
{
	const __m128i same =
		_mm_cmpeq_epi32(_mm_load_si128((const __m128i *)(const void *)slot), key);

	return _mm_and_si128(same, _mm_shuffle_epi32(same, _MM_SHUFFLE(2, 3, 0, 1)));
}

/* Returns four bits for each slot of a line. If any of the four is set, the slot matches. */
static inline unsigned int sdb_match_line(const struct sdb_wide_slot *line, __m128i key)
{
	const __m128i a = _mm_packs_epi32(sdb_match_one(line, key), sdb_match_one(line + 1, key));
	const __m128i b =
		_mm_packs_epi32(sdb_match_one(line + 2, key), sdb_match_one(line + 3, key));

	return (unsigned int)_mm_movemask_epi8(_mm_packs_epi16(a, b));
}

static inline unsigned int sdb_find_wide(const struct sdb_wide_slot *home,
					 const struct sdb_wide_slot *other, uint64_t key)
{
	const __m128i wanted = _mm_set_epi64x(0, (long long)key);
	const uint64_t found = sdb_match_line(home, wanted) |
			       (uint64_t)sdb_match_line(other, wanted) << 16 | 1ULL << 32;

	return (unsigned int)__builtin_ctzll(found) / 4;
}

#endif
