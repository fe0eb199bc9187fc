// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/slice_unpacker.h"

#include "lib/file.h"

#include <stdlib.h>
#include <string.h>
#include <zstd_errors.h>

#define RAW_BYTES    (64u << 10) /* window of a stream */
#define PACKED_BYTES (32u << 10)

/*
 * The first bytes of a zstd frame. The bytes are checked, since libzstd also accepts older formats
 * and skippable frames.
 */
static const uint8_t frame_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
#define FRAME_CHECKSUM 0x04 /* flag in the byte after the magic */

void slice_unpacker_init(struct slice_unpacker *unpacker, const struct oprof_slice_frame *frame)
{
	memset(unpacker, 0, sizeof(*unpacker));
	unpacker->frame = *frame;
	unpacker->nr_raw_left = frame->nr_raw_bytes;
	unpacker->ended = !frame->nr_bytes;
}

void slice_unpacker_deinit(struct slice_unpacker *unpacker)
{
	free(unpacker->raw);
	free(unpacker->packed);
	(void)ZSTD_freeDCtx(unpacker->stream);
	memset(unpacker, 0, sizeof(*unpacker));
}

static int read_packed(struct slice_unpacker *unpacker, int fd, uint8_t *to, size_t nr_bytes)
{
	ssize_t nr = file_pread_all(fd, to, nr_bytes,
				    (off_t)(unpacker->frame.offset + unpacker->nr_read));

	if (nr < 0)
		return (int)nr;
	if ((size_t)nr != nr_bytes)
		return -EILSEQ;
	unpacker->nr_read += nr_bytes;
	return 0;
}

static bool begins_frame(const uint8_t *bytes, size_t nr_bytes)
{
	return nr_bytes > sizeof(frame_magic) &&
	       memcmp(bytes, frame_magic, sizeof(frame_magic)) == 0 &&
	       bytes[sizeof(frame_magic)] & FRAME_CHECKSUM;
}

/* ---- a small frame: in one call ---- */

static bool is_small(const struct slice_unpacker *unpacker)
{
	return unpacker->frame.nr_raw_bytes <= SLICE_SMALL_BYTES &&
	       unpacker->frame.nr_bytes <= 2 * SLICE_SMALL_BYTES;
}

static int unpack_whole(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx *context,
			uint8_t *packed)
{
	const size_t nr_bytes = (size_t)unpacker->frame.nr_bytes;
	const size_t nr_raw = (size_t)unpacker->frame.nr_raw_bytes;
	int error = read_packed(unpacker, fd, packed, nr_bytes);

	if (error)
		return error;
	if (!begins_frame(packed, nr_bytes) ||
	    ZSTD_findFrameCompressedSize(packed, nr_bytes) != nr_bytes ||
	    ZSTD_decompressDCtx(context, unpacker->raw, nr_raw, packed, nr_bytes) != nr_raw)
		return -EILSEQ;
	unpacker->next = unpacker->raw;
	unpacker->end = unpacker->raw + nr_raw;
	unpacker->nr_raw_left = 0;
	unpacker->ended = true;
	return 0;
}

static int fill_small(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small)
{
	uint8_t *packed = malloc((size_t)unpacker->frame.nr_bytes);
	int error = -ENOMEM;

	if (!*small)
		*small = ZSTD_createDCtx();
	unpacker->raw = malloc((size_t)unpacker->frame.nr_raw_bytes);
	if (packed && *small && unpacker->raw)
		error = unpack_whole(unpacker, fd, *small, packed);
	free(packed);
	if (error) {
		free(unpacker->raw);
		unpacker->raw = NULL;
	}
	return error;
}

/* ---- a stream ---- */

static int stream_begin(struct slice_unpacker *unpacker, size_t room)
{
	unpacker->raw = malloc(room);
	unpacker->packed = malloc(PACKED_BYTES);
	unpacker->stream = ZSTD_createDCtx();
	if (!unpacker->raw || !unpacker->packed || !unpacker->stream ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(unpacker->stream, ZSTD_d_windowLogMax,
						SLICE_WINDOW_LOG)))
		return -ENOMEM;
	unpacker->room = room;
	unpacker->next = unpacker->end = unpacker->raw;
	unpacker->in.src = unpacker->packed;
	return 0;
}

static int stream_read(struct slice_unpacker *unpacker, int fd)
{
	const uint64_t left = unpacker->frame.nr_bytes - unpacker->nr_read;
	const bool first = !unpacker->nr_read;
	const size_t nr_bytes = left < PACKED_BYTES ? (size_t)left : PACKED_BYTES;
	int error = read_packed(unpacker, fd, unpacker->packed, nr_bytes);

	if (error)
		return error;
	unpacker->in.size = nr_bytes;
	unpacker->in.pos = 0;
	return first && !begins_frame(unpacker->packed, nr_bytes) ? -EILSEQ : 0;
}

/* Calls zstd once, which decompresses into *out as many bytes as are available and fit. */
static int stream_step(struct slice_unpacker *unpacker, int fd, ZSTD_outBuffer *out)
{
	const size_t out_before = out->pos;
	size_t left;
	int error;

	if (unpacker->in.pos == unpacker->in.size && unpacker->nr_read < unpacker->frame.nr_bytes) {
		error = stream_read(unpacker, fd);
		if (error)
			return error;
	}
	left = ZSTD_decompressStream(unpacker->stream, out, &unpacker->in);
	if (ZSTD_isError(left))
		return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? -ENOMEM : -EILSEQ;
	if (!left) {
		unpacker->ended = true;
		return unpacker->in.pos < unpacker->in.size ||
				       unpacker->nr_read < unpacker->frame.nr_bytes
			       ? -EILSEQ
			       : 0;
	}
	/* All bytes of the frame were read, but zstd expects more. */
	return out->pos == out_before && unpacker->in.pos == unpacker->in.size &&
			       unpacker->nr_read == unpacker->frame.nr_bytes
		       ? -EILSEQ
		       : 0;
}

static int stream_fill(struct slice_unpacker *unpacker, int fd)
{
	const size_t kept = (size_t)(unpacker->end - unpacker->next);
	size_t room = unpacker->room - kept;
	ZSTD_outBuffer out;
	int error = 0;

	if (kept)
		memmove(unpacker->raw, unpacker->next, kept);
	if (room > unpacker->nr_raw_left)
		room = (size_t)unpacker->nr_raw_left;
	out = (ZSTD_outBuffer){unpacker->raw + kept, room, 0};
	while (out.pos < out.size && !error)
		error = unpacker->ended ? -EILSEQ : stream_step(unpacker, fd, &out);
	unpacker->next = unpacker->raw;
	unpacker->end = unpacker->raw + kept + out.pos;
	unpacker->nr_raw_left -= out.pos;
	return error;
}

/* ---- frames of any size ---- */

int slice_unpacker_fill(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small)
{
	int error = 0;

	if (!unpacker->nr_raw_left)
		return 0;
	if (!unpacker->raw && is_small(unpacker))
		return fill_small(unpacker, fd, small);
	if (!unpacker->raw)
		error = stream_begin(unpacker, RAW_BYTES);
	return error ? error : stream_fill(unpacker, fd);
}

int slice_unpacker_fill_all(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small)
{
	int error;

	if (!unpacker->nr_raw_left)
		return 0;
	if (is_small(unpacker))
		return fill_small(unpacker, fd, small);
	error = stream_begin(unpacker, (size_t)unpacker->nr_raw_left);
	return error ? error : stream_fill(unpacker, fd);
}

int slice_unpacker_end(struct slice_unpacker *unpacker, int fd, ZSTD_DCtx **small)
{
	uint8_t nothing;
	ZSTD_outBuffer out = {&nothing, 0, 0};
	int error = 0;

	if (unpacker->nr_raw_left && unpacker->next == unpacker->end)
		error = slice_unpacker_fill(unpacker, fd, small);
	if (error || unpacker->next != unpacker->end || unpacker->nr_raw_left)
		return error ? error : -EILSEQ;
	/* zstd checks the checksum only when it reads past the last raw byte. */
	while (!unpacker->ended && !error)
		error = stream_step(unpacker, fd, &out);
	return error;
}
