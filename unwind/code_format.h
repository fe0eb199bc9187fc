/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format of a code table (doc/code-table.md), used by the code that writes, checks and
 * searches tables. A table is in the machine's own byte order. Each change of the format requires a
 * new CODE_FORMAT_VERSION; tables of older versions are then built again.
 *
 *	struct code_format_header
 *	rows		nr_rows words of 64 bits: code_format_row
 *	buckets		nr_buckets + 1; the last one only marks the end of the stream
 *	saved		nr_saved words of 16 bits, to which rows refer: where registers are saved
 *	stream		nr_stream bytes: the entries, bucket by bucket; each entry states a key and
 *			the row that is valid from this key on
 */
#ifndef UNWIND_CODE_FORMAT_H
#define UNWIND_CODE_FORMAT_H

#include "unwind/code_table.h"

#include <stdbool.h>
#include <string.h>

#define CODE_FORMAT_MAGIC      "OPCODE\n" /* 8 bytes, including the NUL */
#define CODE_FORMAT_VERSION    1u
#define CODE_FORMAT_BYTE_ORDER 0x01020304u

struct code_format_header {
	char magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint32_t header_bytes;
	uint8_t machine;      /* enum code_machine */
	uint8_t bucket_shift; /* size of a bucket: 1 << bucket_shift bytes of code */
	uint8_t unit_shift;   /* unit of the stream's steps: 1 << unit_shift bytes of code */
	uint8_t reserved;
	uint64_t nr_bytes;     /* size of the file */
	uint64_t sum;	       /* code_format_sum of the file, computed with sum = 0 */
	uint32_t first_bucket; /* key >> bucket_shift of the first bucket */
	uint32_t nr_buckets;
	uint32_t nr_rows;   /* number of rows; row 0 means that there is no function */
	uint32_t start_row; /* the row that CODE_FORMAT_START sets */
	uint32_t nr_saved;
	uint32_t nr_stream;
	uint32_t nr_functions, nr_entries, nr_functions_lost;
	uint32_t reserved2;
	uint64_t code_bytes, hard_bytes;
};

#define CODE_FORMAT_BUCKET_SHIFT 10

/* The state at the beginning of a bucket (a range of code). */
struct code_format_bucket {
	uint32_t stream;   /* index in the stream of the bucket's first byte */
	uint32_t function; /* first key of the current function */
	uint32_t row;	   /* the current row */
};

/*
 * An entry of the stream consists of a step and a code. The step is one byte: the distance, in
 * units, from the preceding entry or, for a bucket's first entry, from the beginning of the bucket.
 * The code states which row is valid from there on.
 */
#define CODE_FORMAT_STEP_MAX 254u
/* A step with this value only adds CODE_FORMAT_STEP_MAX to the distance. No code follows it. */
#define CODE_FORMAT_FAR 255u

enum code_format_code {
	CODE_FORMAT_GAP,       /* row 0: a function ends, and no other begins */
	CODE_FORMAT_START,     /* a function begins; its first row is start_row */
	CODE_FORMAT_START_ROW, /* a function begins; the code of its row follows (WIDE or above) */
	CODE_FORMAT_WIDE,      /* the number of the row follows: 3 bytes, least significant first */
	CODE_FORMAT_ROWS,      /* row 1; higher codes, up to 255, are rows 2, 3, ... */
};
#define CODE_FORMAT_ROW_MAX   0xffffffu
#define CODE_FORMAT_SAVED_MAX 0xffffffu

/*
 * A row is a 64-bit word: cfa in bits 0-2, cfa_register in bits 3-7, the index of its words in the
 * array `saved` in bits 8-31, cfa_offset in bits 32-63. With CODE_CFA_DEREF and _INDEX, cfa_offset
 * is in bits 32-47 and cfa_add in bits 48-63.
 *
 * The words of a row in `saved` are: a mask of the slots with CODE_RULE_CFA; a mask of the slots
 * with other rules, except SAME; for each slot in the first mask, its value in units of 8 bytes;
 * for each slot in the second mask, its rule in bits 0-2 and its value in bits 3-15 (for RULE_FP
 * in units of 8 bytes).
 */
static inline uint8_t code_format_cfa(uint64_t row)
{
	return row & 7;
}

static inline uint8_t code_format_register(uint64_t row)
{
	return row >> 3 & 31;
}

static inline uint32_t code_format_saved(uint64_t row)
{
	return row >> 8 & 0xffffff;
}

/* Returns whether rows with this value of `cfa` have a cfa_add. */
static inline bool code_format_adds(uint8_t cfa)
{
	return cfa == CODE_CFA_DEREF || cfa == CODE_CFA_INDEX;
}

static inline int32_t code_format_offset(uint64_t row)
{
	const bool adds = code_format_adds(code_format_cfa(row));

	return adds ? (int16_t)(row >> 32) : (int32_t)(row >> 32);
}

static inline int32_t code_format_add(uint64_t row)
{
	return code_format_adds(code_format_cfa(row)) ? (int16_t)(row >> 48) : 0;
}

static inline uint8_t code_format_rule(uint16_t word)
{
	return word & 7;
}

static inline int32_t code_format_value(uint16_t word)
{
	return (int16_t)word >> 3;
}

/* Returns the size that a file with this header must have. */
static inline uint64_t code_format_bytes(const struct code_format_header *header)
{
	return sizeof(*header) + header->nr_rows * (uint64_t)sizeof(uint64_t) +
	       (header->nr_buckets + (uint64_t)1) * sizeof(struct code_format_bucket) +
	       header->nr_saved * (uint64_t)sizeof(uint16_t) + header->nr_stream;
}

/*
 * Returns the checksum of a whole file of nr_bytes bytes. The header's field `sum` is treated as
 * 0.
 */
uint64_t code_format_sum(const void *bytes, size_t nr_bytes);

struct code_table {
	const struct code_format_header *header;
	const uint64_t *rows;
	const struct code_format_bucket *buckets;
	const uint16_t *saved;
	const uint8_t *stream;
};

/* The function and the row that are found for a key. */
struct code_format_place {
	uint32_t function; /* first key of the function; undefined if row is 0 */
	uint32_t row;
};

/*
 * Scans a bucket from its beginning up to the position `units`, which is a distance from the
 * beginning of the bucket in units of code. The bucket must have been checked. *place must be the
 * state at the beginning of the bucket, and becomes the state at the end of the scan.
 */
static inline void code_format_scan(const struct code_table *table, uint32_t bucket, uint32_t units,
				    struct code_format_place *place)
{
	const struct code_format_header *header = table->header;
	const uint8_t *at = table->stream + table->buckets[bucket].stream;
	const uint8_t *const end = table->stream + table->buckets[bucket + 1].stream;
	uint32_t position = 0;
	uint32_t function_units = UINT32_MAX;

	while (at < end) {
		uint8_t code;

		if (*at == CODE_FORMAT_FAR) {
			position += CODE_FORMAT_STEP_MAX;
			at++;
			continue;
		}
		position += *at++;
		if (position > units)
			break;
		code = *at++;
		if (code == CODE_FORMAT_START) {
			function_units = position;
			place->row = header->start_row;
			continue;
		}
		if (code == CODE_FORMAT_START_ROW) {
			function_units = position;
			code = *at++;
		}
		if (code >= CODE_FORMAT_ROWS) {
			place->row = code - CODE_FORMAT_ROWS + 1u;
		} else if (code == CODE_FORMAT_WIDE) {
			place->row = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
			at += 3;
		} else {
			place->row = 0;
		}
	}
	if (function_units != UINT32_MAX)
		place->function = ((header->first_bucket + bucket) << header->bucket_shift) +
				  (function_units << header->unit_shift);
}

/* Finds the function and the row at key. Returns false if no function contains key. */
static inline bool code_format_find(const struct code_table *table, uint64_t key,
				    struct code_format_place *place)
{
	const struct code_format_header *header = table->header;
	const uint64_t bucket = (key >> header->bucket_shift) - header->first_bucket;
	const uint32_t within = (uint32_t)key & ((1u << header->bucket_shift) - 1);

	if (bucket >= header->nr_buckets)
		return false;
	place->function = table->buckets[bucket].function;
	place->row = table->buckets[bucket].row;
	code_format_scan(table, (uint32_t)bucket, within >> header->unit_shift, place);
	return place->row != 0;
}

#endif
