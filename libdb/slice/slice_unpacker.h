/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading one frame of a slice: zstd in a file to raw bytes, a window at a
 * time. Nothing of the file is trusted: what does not decompress, is longer
 * or shorter than the header says, or fails its checksum is -EILSEQ.
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
	const uint8_t *next, *end; /* raw bytes to be taken */
	uint8_t *raw;		   /* they are in here */
	size_t room;
	uint64_t nr_raw_left; /* not in raw yet */

	struct oprof_slice_frame frame;
	ZSTD_DCtx *stream; /* NULL: small, or not begun */
	uint8_t *packed;   /* of a stream, read and not yet decompressed */
	ZSTD_inBuffer in;
	uint64_t nr_read; /* bytes of the frame */
	bool ended;	  /* the frame's end was met */
};

/* frame is as slice_header_load has checked it. Nothing is read yet. */
void slice_unpacker_init(struct slice_unpacker *unpacker, const struct oprof_slice_frame *frame);
void slice_unpacker_deinit(struct slice_unpacker *unpacker);

/*
 * More bytes behind those that are left: after this there are
 * SLICE_NUMBER_BYTES_MAX or all. *small serves small frames, and is made
 * when it is NULL; the caller frees it. 0, -EILSEQ, -ENOMEM, -errno.
 */
int slice_unpacker_fill(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small);

/* All of the frame, however long, from next to end; nothing was taken yet. */
int slice_unpacker_fill_all(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small);

/* All was taken, and the frame is whole? 0 or -EILSEQ. */
int slice_unpacker_end(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small);

/* Have a whole number from next on, if the frame does. */
static inline int slice_unpacker_need(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small)
{
	if (unpacker->end - unpacker->next >= (ptrdiff_t)SLICE_NUMBER_BYTES_MAX ||
	    !unpacker->nr_raw_left)
		return 0;
	return slice_unpacker_fill(unpacker, fd, small);
}

/*
 * A number from *next, before end. Refused (-EILSEQ): one that is cut, does
 * not fit 64 bits, or has needless bytes.
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
