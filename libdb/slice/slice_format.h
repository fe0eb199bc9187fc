/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What writer and reader of slices must agree on (doc/slice.md): numbers,
 * bounds, and what a section stores. A change here is a new OPROF_SLICE_VERSION.
 */
#ifndef LIBDB_SLICE_FORMAT_H
#define LIBDB_SLICE_FORMAT_H

#include "lib/saturate.h"
#include "libdb/slice/slice.h"
#include "oprof/stack_file.h"

#include <stdbool.h>
#include <stdint.h>

/* LEB128: 7 bits a byte, the least significant first, without needless bytes. */
#define SLICE_NUMBER_BYTES_MAX 10u

/*
 * A frame holds no more raw bytes than so many times its own, and these for
 * nothing: what a small hostile file can cost its reader is bounded. Writers
 * see to it (slice_packer.c); real keys and tables are far from it.
 */
#define SLICE_RATIO_MAX	     32u
#define SLICE_RAW_FREE_BYTES (1u << 20)

/* A reader keeps no more than this of what it has decompressed. */
#define SLICE_WINDOW_LOG 21

/* Frames of no more raw bytes are packed, and unpacked, in one go. */
#define SLICE_SMALL_BYTES (128u << 10)

/* Flags of sections that are stored, and those that tell sections apart. */
#define SLICE_SECTION_FLAGS                                                                        \
	(OPROF_SDB_WEIGHTED | OPROF_SDB_FREQUENCY | OPROF_SDB_HOLED | OPROF_SDB_KEEP_KERNEL)
#define SLICE_SECTION_FLAGS_TELL (OPROF_SDB_FREQUENCY | OPROF_SDB_KEEP_KERNEL)
/* Those that tell roots of stacks apart; sections never have the others. */
#define SLICE_ROOT_FLAGS_TELL (SLICE_SECTION_FLAGS_TELL | OPROF_STACK_BY_IMAGE)

static inline uint8_t *slice_put_number(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

/* Small numbers of either sign as small numbers. */
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

/* Most raw bytes of a frame of nr_bytes. */
static inline uint64_t slice_raw_bytes_max(uint64_t nr_bytes)
{
	return saturate_sum(slice_multiply_capped(nr_bytes, SLICE_RATIO_MAX), SLICE_RAW_FREE_BYTES);
}

/* What the weight of a key is where the section stores none. */
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

/* ---- slice_section.c: what slice_section_compare is made of ---- */

/* By image, its identity, kind and start. */
int slice_section_compare_images(const struct slice_section *a, const struct slice_section *b);
/* By application, event and separation. */
int slice_section_compare_rest(const struct slice_section *a, const struct slice_section *b);

/* ---- slice_header.c ---- */

/* Bytes of the file to the struct of this machine, and the other way: its own inverse. */
void slice_header_swap(struct oprof_slice_header *header);

/* Of a header as it is in the file. */
uint64_t slice_header_checksum(const struct oprof_slice_header *header);

/*
 * Read and check the header of the slice that fd is: frames one behind the
 * other, of plausible raw sizes, to the end of the file. As slice_open.
 */
int slice_header_load(int fd, const char *path, struct oprof_slice_header *header,
		      struct diag *diag);

#endif
