/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compresses raw bytes into one frame of a slice: a zstd frame in memory. */
#ifndef LIBDB_SLICE_PACKER_H
#define LIBDB_SLICE_PACKER_H

#include "libdb/slice/slice_buffer.h"

#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

struct slice_packer {
	struct slice_buffer raw;    /* not yet packed */
	struct slice_buffer packed; /* the frame so far */
	uint64_t nr_raw_bytes;	    /* raw bytes accepted so far, including those in `raw` */
	ZSTD_CCtx *stream;	    /* NULL: all bytes are still in `raw` */
};

/*
 * Returns the address of room for nr_bytes bytes, or NULL with *error set. The caller writes
 * there, and then calls slice_packer_commit with the number of bytes that it has written.
 */
uint8_t *slice_packer_reserve(struct slice_packer *packer, size_t nr_bytes, int *error);
void slice_packer_commit(struct slice_packer *packer, size_t nr_bytes);

/*
 * Completes the frame packer->packed. If no bytes were committed, the frame stays empty. *small is
 * a zstd context for any number of frames; it is created if it is NULL, and the caller frees it.
 * Returns 0 or -ENOMEM.
 */
int slice_packer_end(struct slice_packer *packer, ZSTD_CCtx **small);

void slice_packer_deinit(struct slice_packer *packer);

#endif
