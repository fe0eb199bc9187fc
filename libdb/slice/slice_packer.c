// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compresses frames. A small frame is compressed by one call, with zstd tables that fit its size:
 * most slices are small, and the tables of a stream would be larger than the data.
 */
#include "libdb/slice/slice_packer.h"

#include "libdb/slice/slice_format.h"

#include <errno.h>
#include <stdbool.h>

/*
 * Higher levels do not compress keys better, since the distances between keys look random. See
 * bench/bench_slice.c.
 */
#define PACK_LEVEL 3

/*
 * The raw bytes of a frame should not exceed this limit: SQUEEZE_RATIO times the frame's size, plus
 * SQUEEZE_FREE. While they exceed the limit, further raw bytes are flushed in pieces of
 * SQUEEZE_PIECE bytes. Each piece has a block header, and these headers make the frame longer.
 */
#define SQUEEZE_RATIO (SLICE_RATIO_MAX / 2)
#define SQUEEZE_FREE  (SLICE_RAW_FREE_BYTES / 2)
#define SQUEEZE_PIECE 64u

static int context_make(ZSTD_CCtx **context)
{
	ZSTD_CCtx *made = ZSTD_createCCtx();

	if (!made)
		return -ENOMEM;
	if (ZSTD_isError(ZSTD_CCtx_setParameter(made, ZSTD_c_compressionLevel, PACK_LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(made, ZSTD_c_checksumFlag, 1))) {
		(void)ZSTD_freeCCtx(made);
		return -ENOMEM;
	}
	*context = made;
	return 0;
}

/* Creates a stream. The size of its window determines how much memory readers need. */
static int stream_make(struct slice_packer *packer)
{
	int error = context_make(&packer->stream);

	if (!error && ZSTD_isError(ZSTD_CCtx_setParameter(packer->stream, ZSTD_c_windowLog,
							  SLICE_WINDOW_LOG)))
		error = -ENOMEM;
	return error;
}

/* Returns 0 or -ENOMEM. With valid input, zstd can fail only if it is out of memory. */
static int stream_put(struct slice_packer *packer, ZSTD_inBuffer *in, ZSTD_EndDirective directive)
{
	size_t left;

	do {
		uint8_t *to = slice_buffer_reserve(&packer->packed, ZSTD_CStreamOutSize());
		ZSTD_outBuffer out = {to, ZSTD_CStreamOutSize(), 0};

		if (!to)
			return -ENOMEM;
		left = ZSTD_compressStream2(packer->stream, &out, in, directive);
		if (ZSTD_isError(left))
			return -ENOMEM;
		packer->packed.nr_bytes += out.pos;
	} while (in->pos < in->size || (directive != ZSTD_e_continue && left));
	return 0;
}

static bool is_squeezed(const struct slice_packer *packer)
{
	return packer->nr_raw_bytes >
	       SQUEEZE_FREE + (uint64_t)SQUEEZE_RATIO * packer->packed.nr_bytes;
}

static int squeeze_out(struct slice_packer *packer, ZSTD_inBuffer *in)
{
	const size_t nr_bytes = in->size;
	int error = 0;

	while (in->pos < nr_bytes && !error) {
		in->size = nr_bytes - in->pos > SQUEEZE_PIECE ? in->pos + SQUEEZE_PIECE : nr_bytes;
		error = stream_put(packer, in, ZSTD_e_flush);
	}
	return error;
}

/* Compresses the bytes in packer->raw into the stream. */
static int pack_raw(struct slice_packer *packer)
{
	ZSTD_inBuffer in = {packer->raw.bytes, packer->raw.nr_bytes, 0};
	int error = packer->stream ? 0 : stream_make(packer);

	if (!error)
		error = is_squeezed(packer) ? squeeze_out(packer, &in)
					    : stream_put(packer, &in, ZSTD_e_continue);
	packer->raw.nr_bytes = 0;
	return error;
}

uint8_t *slice_packer_reserve(struct slice_packer *packer, size_t nr_bytes, int *error)
{
	uint8_t *to;

	*error = 0;
	if (packer->raw.nr_bytes && packer->raw.nr_bytes + nr_bytes > SLICE_SMALL_BYTES)
		*error = pack_raw(packer);
	to = *error ? NULL : slice_buffer_reserve(&packer->raw, nr_bytes);
	if (!to && !*error)
		*error = -ENOMEM;
	return to;
}

void slice_packer_commit(struct slice_packer *packer, size_t nr_bytes)
{
	packer->raw.nr_bytes += nr_bytes;
	packer->nr_raw_bytes += nr_bytes;
}

static int pack_small(struct slice_packer *packer, ZSTD_CCtx **small)
{
	const size_t room = ZSTD_compressBound(packer->raw.nr_bytes);
	uint8_t *to = slice_buffer_reserve(&packer->packed, room);
	size_t nr_bytes;
	int error = *small ? 0 : context_make(small);

	if (!to || error)
		return -ENOMEM;
	nr_bytes = ZSTD_compress2(*small, to, room, packer->raw.bytes, packer->raw.nr_bytes);
	if (ZSTD_isError(nr_bytes))
		return -ENOMEM;
	packer->packed.nr_bytes += nr_bytes;
	return 0;
}

int slice_packer_end(struct slice_packer *packer, ZSTD_CCtx **small)
{
	ZSTD_inBuffer in = {NULL, 0, 0};
	int error = 0;

	if (!packer->nr_raw_bytes)
		return 0;
	if (!packer->stream && packer->raw.nr_bytes <= SLICE_SMALL_BYTES)
		return pack_small(packer, small);
	if (packer->raw.nr_bytes)
		error = pack_raw(packer);
	return error ? error : stream_put(packer, &in, ZSTD_e_end);
}

void slice_packer_deinit(struct slice_packer *packer)
{
	slice_buffer_deinit(&packer->raw);
	slice_buffer_deinit(&packer->packed);
	(void)ZSTD_freeCCtx(packer->stream);
	packer->stream = NULL;
}
