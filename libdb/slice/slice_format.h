/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Definitions shared by the writer and the reader of slices (doc/slice.md): the encoding of
 * numbers, limits, and the properties of a section that are stored. A change here requires a new
 * OPROF_SLICE_VERSION.
 */
#ifndef LIBDB_SLICE_FORMAT_H
#define LIBDB_SLICE_FORMAT_H

#include "lib/saturate.h"
#include "libdb/slice/slice.h"
#include "oprof/stack_file.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Numbers are encoded as LEB128: 7 bits per byte, least significant bits first, in as few bytes as
 * possible.
 */
#define SLICE_NUMBER_BYTES_MAX 10u

/*
 * A frame may decompress to at most SLICE_RATIO_MAX times its size, plus SLICE_RAW_FREE_BYTES:
 * this limits the cost of a small hostile file. slice_packer.c ensures that slices stay within
 * this limit. Real keys and tables are far below the limit.
 */
#define SLICE_RATIO_MAX	     32u
#define SLICE_RAW_FREE_BYTES (1u << 20)

/* Log2 of the window: the decompressed bytes that a reader of a stream must keep. */
#define SLICE_WINDOW_LOG 21

/* Frames with at most this many raw bytes are compressed and decompressed by one call. */
#define SLICE_SMALL_BYTES (128u << 10)

/* Slices store these flags of a section. */
#define SLICE_SECTION_FLAGS                                                                        \
	(OPROF_SDB_WEIGHTED | OPROF_SDB_FREQUENCY | OPROF_SDB_HOLED | OPROF_SDB_KEEP_KERNEL)
/* Those of the stored flags that distinguish sections. */
#define SLICE_SECTION_FLAGS_TELL (OPROF_SDB_FREQUENCY | OPROF_SDB_KEEP_KERNEL)
/* The flags that distinguish roots of call trees. Sections never have OPROF_STACK_BY_IMAGE. */
#define SLICE_ROOT_FLAGS_TELL (SLICE_SECTION_FLAGS_TELL | OPROF_STACK_BY_IMAGE)

static inline uint8_t *slice_put_number(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

/* Maps numbers with small absolute values, positive or negative, to small unsigned numbers. */
static inline uint64_t slice_fold_sign(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t slice_unfold_sign(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

static inline uint64_t slice_multiply_capped(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Returns the maximum number of raw bytes of a frame that has nr_bytes bytes. */
static inline uint64_t slice_raw_bytes_max(uint64_t nr_bytes)
{
	return saturate_sum(slice_multiply_capped(nr_bytes, SLICE_RATIO_MAX), SLICE_RAW_FREE_BYTES);
}

/* Returns the weight of nr_samples samples of one key in a section that stores no weights. */
static inline uint64_t slice_plain_weight(const struct slice_section *section, uint64_t nr_samples)
{
	return section->flags & OPROF_SDB_FREQUENCY
		       ? nr_samples
		       : slice_multiply_capped(nr_samples, section->period_or_hz);
}

static inline bool slice_section_is_idle(const struct slice_section *section)
{
	return section->image_kind == OPROF_IMAGE_IDLE;
}

/* ---- slice_section.c: the two parts of slice_section_compare ---- */

/* Compares only the images: path, identity, kind and start. */
int slice_section_compare_images(const struct slice_section *a, const struct slice_section *b);
/* Compares only application, event and separation. */
int slice_section_compare_rest(const struct slice_section *a, const struct slice_section *b);

/* ---- slice_header.c ---- */

/* Converts a header from file to machine byte order or back. */
void slice_header_swap(struct oprof_slice_header *header);

/* Returns the checksum of a header that is in file byte order. */
uint64_t slice_header_checksum(const struct oprof_slice_header *header);

/*
 * Reads and checks the header of the slice open at fd: the frames must be adjacent up to the end
 * of the file and have plausible raw sizes. Errors as slice_open.
 */
int slice_header_load(int fd, const char *path, struct oprof_slice_header *header,
		      struct diag *diag);

#endif
