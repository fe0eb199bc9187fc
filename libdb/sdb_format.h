/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arithmetic that determines where a key is stored, shared by the writer, the reader and the
 * checker (layout: oprof/sample_file.h). All of it is part of the format, so a change here
 * requires a new OPROF_SDB_VERSION (doc/sample-file.md).
 */
#ifndef LIBDB_SDB_FORMAT_H
#define LIBDB_SDB_FORMAT_H

#include "oprof/sample_file.h"

#include <stdint.h>

#define SDB_PAGE_BYTES	       OPROF_SDB_PAGE_BYTES
#define SDB_LINE_BYTES	       64u
#define SDB_PAGE_LINES	       (SDB_PAGE_BYTES / SDB_LINE_BYTES)
#define SDB_LINE_NARROW	       (SDB_LINE_BYTES / 8u) /* slots per line */
#define SDB_LINE_WIDE	       (SDB_LINE_BYTES / 16u)
#define SDB_ROOT_SLOTS_MIN     64u /* minimum number of slots of a root in the header's page */
#define SDB_PAIR_NARROW	       (2 * SDB_LINE_NARROW)
#define SDB_PAIR_WIDE	       (2 * SDB_LINE_WIDE)
#define SDB_PROBE_PAIRS	       10u /* number of pairs of lines that are searched */
#define SDB_ENTRIES_PER_PAGE   (SDB_PAGE_BYTES / 4u)
#define SDB_DIRECTORY_LOG2_MIN 10u /* a directory fills at least one page */
#define SDB_DIRECTORY_LOG2_MAX 31u
#define SDB_HEADER_BYTES_MAX   (8u * SDB_PAGE_BYTES)
#define SDB_NARROW_MAX	       ((1u << OPROF_SDB_NARROW_COUNT_BITS) - 1)
#define SDB_NARROW_KEY_END     (1ULL << OPROF_SDB_NARROW_KEY_BITS)

/* A slot of the wide and weight tables. If value is 0, the slot is empty. */
struct sdb_wide_slot {
	uint64_t key;
	uint64_t value;
};

/*
 * Hashes a key: multiplies and xor-shifts twice, so that every bit of the key affects every bit of
 * the hash that is used. Thus look-ups of aligned keys, of sequential keys and of (parent,
 * function) keys take the same time.
 */
static inline uint64_t sdb_mix(uint64_t key)
{
	key ^= key >> 32;
	key *= 0x9e6c63d0876a9a47ULL;
	key ^= key >> 32;
	key *= 0xd1b54a32d192ed03ULL;
	return key ^ key >> 32;
}

/*
 * Returns the place of a key in its table, 0 <= place < 2^32; its top bits are the index in the
 * directory. The distribution is deliberately not uniform: u + u(1 - u)/3 packs the keys twice as
 * densely at the end as at the start, so that at any time some pages have just been split, others
 * are nearly full, and the rest is in between. With a uniform distribution, all pages would split
 * at nearly the same time, and disk space per key would vary between 8.4 and 17 bytes.
 */
static inline uint64_t sdb_place(uint64_t mixed)
{
	const uint64_t u = mixed >> 32;

	return u + (uint32_t)(u * ((1ULL << 32) - u) >> 32) / 3;
}

/*
 * The sequence of lines in which a key may be stored, in a page of nr_lines lines: its home line,
 * the other line of the same pair, then the lines of further pairs, in total at most
 * SDB_PROBE_PAIRS pairs. In a page without a header, the stride from pair to pair differs between
 * keys, so that full pairs do not cluster.
 */
struct sdb_probe {
	uint32_t line;	 /* searched first; then the other line of the pair, line ^ 1 */
	uint32_t stride; /* in lines; an odd number of pairs, so that every pair is reached */
	uint32_t nr_lines;
};

static inline struct sdb_probe sdb_probe_begin(uint64_t mixed, uint32_t nr_lines)
{
	const uint32_t low = (uint32_t)mixed;
	struct sdb_probe probe = {
		.line = (uint32_t)((uint64_t)low * nr_lines >> 32),
		.stride = nr_lines == SDB_PAGE_LINES ? (low & (SDB_PAGE_LINES - 4)) | 2 : 2,
		.nr_lines = nr_lines,
	};

	return probe;
}

static inline void sdb_probe_next(struct sdb_probe *probe)
{
	probe->line += probe->stride;
	if (probe->line >= probe->nr_lines)
		probe->line -= probe->nr_lines;
}

/* Returns the number of pairs to search. nr_lines is even. */
static inline uint32_t sdb_probe_limit(uint32_t nr_lines)
{
	return nr_lines / 2 < SDB_PROBE_PAIRS ? nr_lines / 2 : SDB_PROBE_PAIRS;
}

/* Returns the number of lines, always even, of a page whose slots begin at start_bytes. */
static inline uint32_t sdb_page_lines(uint32_t start_bytes)
{
	return (SDB_PAGE_BYTES - start_bytes) / SDB_LINE_BYTES & ~1u;
}

static inline uint32_t sdb_directory_page(uint64_t directory)
{
	return (uint32_t)(directory >> 8);
}

static inline uint32_t sdb_directory_log2(uint64_t directory)
{
	return (uint32_t)(directory & 0xff);
}

/*
 * Returns the greatest valid size of a directory. With evenly distributed hashes, about 4 entries
 * per page are needed. The limit bounds the cost of reading a small damaged file. It also prevents
 * an attacker from choosing colliding keys so that directories fill the disk.
 */
static inline uint64_t sdb_directory_entries_max(uint64_t nr_pages)
{
	return 64 * nr_pages + 4096;
}

static inline uint32_t sdb_directory_pages(uint32_t log2)
{
	return log2 <= SDB_DIRECTORY_LOG2_MIN ? 1u : 1u << (log2 - SDB_DIRECTORY_LOG2_MIN);
}

/* Computes the page, and the offset in it, at which the narrow table's root begins. */
static inline void sdb_narrow_root(uint32_t header_bytes, uint32_t *page, uint32_t *start_bytes)
{
	const uint32_t start = header_bytes % SDB_PAGE_BYTES;

	*page = header_bytes / SDB_PAGE_BYTES;
	*start_bytes = start;
	if (SDB_PAGE_BYTES - start < SDB_ROOT_SLOTS_MIN * 8) {
		++*page;
		*start_bytes = 0;
	}
}

/* Returns the number of the first page after the header and the narrow table's root. */
static inline uint32_t sdb_page_first(uint32_t header_bytes)
{
	uint32_t page, start_bytes;

	sdb_narrow_root(header_bytes, &page, &start_bytes);
	return page + 1;
}

#endif
