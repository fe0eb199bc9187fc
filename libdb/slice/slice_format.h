/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Definitions shared by the writer and the reader of slices (doc/slice.md): encoding of numbers,
 * limits, and the stored properties of a section. A change here needs a new OPROF_SLICE_VERSION.
 */
#ifndef LIBDB_SLICE_FORMAT_H
#define LIBDB_SLICE_FORMAT_H

#include "lib/saturate.h"
#include "libdb/slice/slice.h"
#include "oprof/stack_file.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers are LEB128: 7 bits per byte, least significant first, in the fewest bytes. */
#define SLICE_NUMBER_BYTES_MAX 10u

/*
 * A frame may decompress to at most SLICE_RATIO_MAX times its size, plus SLICE_RAW_FREE_BYTES: this
 * bounds the cost of a small hostile file. The writer ensures it (slice_packer.c); real keys and
 * tables stay far below.
 */
#define SLICE_RATIO_MAX	     32u
#define SLICE_RAW_FREE_BYTES (1u << 20)

/* Log2 of the window: the decompressed bytes that a reader of a stream must keep. */
#define SLICE_WINDOW_LOG 21

/* Frames with at most this many raw bytes are packed and unpacked in one call. */
#define SLICE_SMALL_BYTES (128u << 10)

/* Section flags that are stored, and the flags among them that distinguish sections. */
#define SLICE_SECTION_FLAGS                                                                        \
	(OPROF_SDB_WEIGHTED | OPROF_SDB_FREQUENCY | OPROF_SDB_HOLED | OPROF_SDB_KEEP_KERNEL)
#define SLICE_SECTION_FLAGS_TELL (OPROF_SDB_FREQUENCY | OPROF_SDB_KEEP_KERNEL)
/* Flags that distinguish roots of call trees; _BY_IMAGE never occurs in sections. */
#define SLICE_ROOT_FLAGS_TELL (SLICE_SECTION_FLAGS_TELL | OPROF_STACK_BY_IMAGE)

static inline uint8_t *slice_put_number(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

/* Maps small numbers of either sign to small unsigned numbers. */
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

/* Returns the maximum of raw bytes that a frame of nr_bytes may have. */
static inline uint64_t slice_raw_bytes_max(uint64_t nr_bytes)
{
	return saturate_sum(slice_multiply_capped(nr_bytes, SLICE_RATIO_MAX), SLICE_RAW_FREE_BYTES);
}

/* Returns the weight of a key in a section that stores no weights. */
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

/* Compares by image: path, identity, kind and start. */
int slice_section_compare_images(const struct slice_section *a, const struct slice_section *b);
/* Compares by application, event and separation. */
int slice_section_compare_rest(const struct slice_section *a, const struct slice_section *b);

/* ---- slice_header.c ---- */

/* Converts a header between file and machine byte order, in either direction. */
void slice_header_swap(struct oprof_slice_header *header);

/* Returns the checksum of a header in file byte order. */
uint64_t slice_header_checksum(const struct oprof_slice_header *header);

/*
 * Reads and checks the header of the slice open at fd: frames must follow each other to the end of
 * the file and have plausible raw sizes. Errors as slice_open.
 */
int slice_header_load(int fd, const char *path, struct oprof_slice_header *header,
		      struct diag *diag);

#endif
