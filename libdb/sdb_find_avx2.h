/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For sdb_find.h only: x86-64 that has AVX2, asked for when a file is opened. */
#ifndef LIBDB_SDB_FIND_AVX2_H
#define LIBDB_SDB_FIND_AVX2_H

#include "libdb/sdb_format.h"

#include <immintrin.h>

#define SDB_AVX2 __attribute__((target("avx2,bmi")))

/* All ones in each of four slots that holds the key or is empty. */
static inline SDB_AVX2 __m256i sdb_match_four_avx2(const uint64_t *slot, __m256i key)
{
	const __m256i four = _mm256_load_si256((const __m256i *)(const void *)slot);

	return _mm256_or_si256(
		_mm256_cmpeq_epi64(_mm256_srli_epi64(four, OPROF_SDB_NARROW_COUNT_BITS), key),
		_mm256_cmpeq_epi64(four, _mm256_setzero_si256()));
}

static inline SDB_AVX2 unsigned int sdb_find_narrow_avx2(const uint64_t *home,
							 const uint64_t *other, uint64_t key)
{
	const __m256i wanted = _mm256_set1_epi64x((long long)key);
	/* Packing goes by halves of a register: this puts them in order again. */
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	const __m256i a = _mm256_packs_epi32(sdb_match_four_avx2(home, wanted),
					     sdb_match_four_avx2(home + 4, wanted));
	const __m256i b = _mm256_packs_epi32(sdb_match_four_avx2(other, wanted),
					     sdb_match_four_avx2(other + 4, wanted));
	const __m256i found = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(a, b), order);
	const uint64_t bits = (uint32_t)_mm256_movemask_epi8(found); /* two for each slot */

	return (unsigned int)__builtin_ctzll(bits | 1ULL << 32) / 2;
}

/* Two bits for each of two slots: the key is its key; its value is 0. */
static inline SDB_AVX2 unsigned int sdb_match_two_avx2(const struct sdb_wide_slot *slot,
						       __m256i wanted)
{
	const __m256i two = _mm256_load_si256((const __m256i *)(const void *)slot);

	return (unsigned int)_mm256_movemask_pd(
		_mm256_castsi256_pd(_mm256_cmpeq_epi64(two, wanted)));
}

static inline SDB_AVX2 unsigned int sdb_find_wide_avx2(const struct sdb_wide_slot *home,
						       const struct sdb_wide_slot *other,
						       uint64_t key)
{
	const __m256i wanted = _mm256_setr_epi64x((long long)key, 0, (long long)key, 0);
	const unsigned int found = sdb_match_two_avx2(home, wanted) |
				   sdb_match_two_avx2(home + 2, wanted) << 4 |
				   sdb_match_two_avx2(other, wanted) << 8 |
				   sdb_match_two_avx2(other + 2, wanted) << 12;

	return (unsigned int)__builtin_ctz(found | 1u << 16) / 2;
}

#endif
