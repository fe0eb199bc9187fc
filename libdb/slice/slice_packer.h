/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making one frame of a slice: raw bytes in, one zstd frame in memory out. */
#ifndef LIBDB_SLICE_PACKER_H
#define LIBDB_SLICE_PACKER_H

#include "libdb/slice/slice_buffer.h"

#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

struct slice_packer {
	struct slice_buffer raw;    /* not packed yet */
	struct slice_buffer packed; /* the frame so far */
	uint64_t nr_raw_bytes;	    /* taken so far, raw too */
	ZSTD_CCtx *stream;	    /* NULL: all is still in raw */
};

/* Where nr_bytes may be put; *error where it returns NULL. */
uint8_t *slice_packer_reserve(struct slice_packer *packer, size_t nr_bytes, int *error);
void slice_packer_commit(struct slice_packer *packer, size_t nr_bytes);

/*
 * The frame is whole: in packed, empty if nothing was put. *small is made
 * when it is NULL; it serves for any number of frames, the caller frees it.
 */
int slice_packer_end(struct slice_packer *packer, ZSTD_CCtx **small);

void slice_packer_deinit(struct slice_packer *packer);

#endif
