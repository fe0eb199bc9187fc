/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of a code table (doc/code-table.md), for those who write, check
 * and search it. A cache in the machine's own byte order: a change to this is
 * a new CODE_FORMAT_VERSION, and older tables are built again.
 *
 *	struct code_format_header
 *	rows		nr_rows words of 64 bits: code_format_row
 *	buckets		nr_buckets + 1: the last only ends the stream of the one before
 *	saved		nr_saved words of 16 bits: which registers a row finds where
 *	stream		nr_stream bytes: where rows begin, bucket by bucket
 */
#ifndef UNWIND_CODE_FORMAT_H
#define UNWIND_CODE_FORMAT_H

#include "unwind/code_table.h"

#include <stdbool.h>
#include <string.h>

#define CODE_FORMAT_MAGIC      "OPCODE\n" /* 8 bytes with its NUL */
#define CODE_FORMAT_VERSION    1u
#define CODE_FORMAT_BYTE_ORDER 0x01020304u

struct code_format_header {
	char magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint32_t header_bytes;
	uint8_t machine;      /* enum code_machine */
	uint8_t bucket_shift; /* a bucket is 1 << bucket_shift bytes of code */
	uint8_t unit_shift;   /* steps of the stream are in units of 1 << unit_shift bytes */
	uint8_t reserved;
	uint64_t nr_bytes;     /* of the file */
	uint64_t sum;	       /* code_format_sum, of the file with this field 0 */
	uint32_t first_bucket; /* key >> bucket_shift of the first */
	uint32_t nr_buckets;
	uint32_t nr_rows;   /* row 0: no function is there */
	uint32_t start_row; /* what CODE_FORMAT_START stands for */
	uint32_t nr_saved;
	uint32_t nr_stream;
	uint32_t nr_functions, nr_entries, nr_functions_lost;
	uint32_t reserved2;
	uint64_t code_bytes, hard_bytes;
};

#define CODE_FORMAT_BUCKET_SHIFT 10

/* The stretch of code that a bucket is for, as it begins. */
struct code_format_bucket {
	uint32_t stream;   /* first byte of its part of the stream */
	uint32_t function; /* key where the function in force began */
	uint32_t row;	   /* in force */
};

/*
 * An entry of the stream is a step (a byte: units from the entry before, or
 * from the bucket's begin) and a code: the row that begins there.
 */
#define CODE_FORMAT_STEP_MAX 254u
#define CODE_FORMAT_FAR	     255u /* instead of a step: go on by STEP_MAX units; no code follows */

enum code_format_code {
	CODE_FORMAT_GAP,       /* row 0: the function ends, none begins */
	CODE_FORMAT_START,     /* a function begins, with start_row */
	CODE_FORMAT_START_ROW, /* a function begins; its row's code follows, from WIDE on */
	CODE_FORMAT_WIDE,      /* the row's number follows, 3 bytes, the lowest first */
	CODE_FORMAT_ROWS,      /* the code of row 1; so on to 255 */
};
#define CODE_FORMAT_ROW_MAX   0xffffffu
#define CODE_FORMAT_SAVED_MAX 0xffffffu

/*
 * A row: cfa in bits 0-2, cfa_register 3-7, 8-31 the index of its words in
 * saved, 32-63 cfa_offset; of CODE_CFA_DEREF and _INDEX cfa_offset in 32-47,
 * cfa_add in 48-63.
 *
 * Its words in saved: a bit for each slot at CFA + value; a bit for each slot
 * with another rule than SAME; the values of the first, in units of 8 bytes;
 * of the second, rule in bits 0-2, value in 3-15, RULE_FP's in units of 8 bytes.
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

/* Has it cfa_add, too? */
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

/* The size of a file of that header. */
static inline uint64_t code_format_bytes(const struct code_format_header *header)
{
	return sizeof(*header) + header->nr_rows * (uint64_t)sizeof(uint64_t) +
	       (header->nr_buckets + (uint64_t)1) * sizeof(struct code_format_bucket) +
	       header->nr_saved * (uint64_t)sizeof(uint16_t) + header->nr_stream;
}

/* Of the whole file, its sum taken as 0; any length. */
uint64_t code_format_sum(const void *bytes, size_t nr_bytes);

struct code_table {
	const struct code_format_header *header;
	const uint64_t *rows;
	const struct code_format_bucket *buckets;
	const uint16_t *saved;
	const uint8_t *stream;
};

/* What is in force at a key. */
struct code_format_place {
	uint32_t function; /* void where row is 0 */
	uint32_t row;
};

/* Go through a bucket's part of a checked stream, to offset units behind its begin. */
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

/* False: no function holds key. */
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
