/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads one frame of a slice: decompresses the frame from a file, one window at a time. The file is
 * not trusted. The result is -EILSEQ if the frame cannot be decompressed, is longer or shorter than
 * the header states, or has a wrong checksum.
 */
#ifndef LIBDB_SLICE_UNPACKER_H
#define LIBDB_SLICE_UNPACKER_H

#include "libdb/slice/slice_format.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

struct slice_unpacker {
	const uint8_t *next, *end; /* raw bytes that the caller has not taken yet */
	uint8_t *raw;		   /* the memory that contains these bytes */
	size_t room;
	uint64_t nr_raw_left; /* raw bytes that are not yet decompressed */

	struct oprof_slice_frame frame;
	ZSTD_DCtx *stream; /* NULL: the frame is small, or reading has not begun */
	uint8_t *packed;   /* only for a stream: bytes read but not yet decompressed */
	ZSTD_inBuffer in;
	uint64_t nr_read; /* bytes of the frame that were read from the file */
	bool ended;	  /* the end of the frame was reached */
};

/* Prepares to read a frame, which slice_header_load must have checked. Does not read yet. */
void slice_unpacker_init(struct slice_unpacker *unpacker, const struct oprof_slice_frame *frame);
void slice_unpacker_deinit(struct slice_unpacker *unpacker);

/*
 * Appends raw bytes to the bytes that the caller has not taken yet. After that at least
 * SLICE_NUMBER_BYTES_MAX bytes are available, or all remaining bytes of the frame. *small is a zstd
 * context for small frames; it is created if it is NULL, and the caller frees it. Returns 0,
 * -EILSEQ, -ENOMEM, or -errno.
 */
int slice_unpacker_fill(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small);

/*
 * Like slice_unpacker_fill, but fills in the whole frame. To be called before any bytes are taken.
 */
int slice_unpacker_fill_all(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small);

/* Returns 0 if all bytes were taken and the frame is complete, else -EILSEQ or another error. */
int slice_unpacker_end(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small);

/*
 * Ensures that a whole number is available at unpacker->next, unless the frame has no more
 * numbers.
 */
static inline int slice_unpacker_need(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small)
{
	if (unpacker->end - unpacker->next >= (ptrdiff_t)SLICE_NUMBER_BYTES_MAX ||
	    !unpacker->nr_raw_left)
		return 0;
	return slice_unpacker_fill(unpacker, fd, small);
}

/*
 * Reads the number at *next and moves *next after it. Returns 0, or -EILSEQ if the bytes end
 * inside the number, or if the number has more than 64 bits or more bytes than necessary.
 */
static inline int slice_get_number(const uint8_t **next, const uint8_t *end, uint64_t *value)
{
	const uint8_t *at = *next;
	uint64_t sum = 0;
	unsigned int shift = 0;

	if (at < end && *at < 0x80) {
		*value = *at;
		*next = at + 1;
		return 0;
	}
	for (; at < end && shift < 64; shift += 7) {
		const uint64_t bits = *at & 0x7f;

		sum |= bits << shift;
		if (shift == 63 && bits > 1)
			break;
		if (*at++ < 0x80) {
			*value = sum;
			*next = at;
			return bits || !shift ? 0 : -EILSEQ;
		}
	}
	return -EILSEQ;
}

#endif
