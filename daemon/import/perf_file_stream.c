// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * There are two windows: one on the bytes of the file, and one on the content of compressed
 * records. perf compresses its records as one zstd stream, and cuts this stream at arbitrary
 * positions into compressed records. An incomplete record at the end of a window is therefore kept,
 * and the content of the next compressed record is appended to it.
 */
#include "daemon/import/perf_file_stream.h"

#include "lib/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WINDOW_BYTES ((size_t)1 << 20)
/*
 * Limit of the content of a compressed record, plus the incomplete record that was kept before it.
 */
#define UNPACKED_MAX ((size_t)64 << 20)
#define HEADER_BYTES sizeof(struct perf_event_header)

struct window {
	uint8_t *bytes; /* aligned by malloc */
	size_t next, end, room;
};

struct perf_file_stream {
	struct perf_file *file;
	struct window raw, unpacked;
	uint64_t position;  /* position in the file of the next byte to read */
	ZSTD_DStream *zstd; /* NULL: no compressed record was read yet */
	/*
	 * Copy of a record that is not aligned, because the size of an earlier record is not a
	 * multiple of 8.
	 */
	_Alignas(8) uint8_t aligned[UINT16_MAX];
};

int perf_file_stream_create(struct perf_file_stream **stream, struct perf_file *file)
{
	struct perf_file_stream *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->file = file;
	made->raw.bytes = malloc(WINDOW_BYTES);
	made->raw.room = WINDOW_BYTES;
	made->position = file->data_offset;
	if (!made->raw.bytes) {
		free(made);
		return -ENOMEM;
	}
	*stream = made;
	return 0;
}

void perf_file_stream_destroy(struct perf_file_stream *stream)
{
	if (!stream)
		return;
	ZSTD_freeDStream(stream->zstd);
	free(stream->raw.bytes);
	free(stream->unpacked.bytes);
	free(stream);
}

int perf_file_rewind(struct perf_file *file)
{
	struct perf_file_stream *stream = file->stream;

	stream->raw.next = stream->raw.end = 0;
	stream->unpacked.next = stream->unpacked.end = 0;
	stream->position = file->data_offset;
	ZSTD_freeDStream(stream->zstd);
	stream->zstd = NULL;
	return 0;
}

static int cut(const struct perf_file_stream *stream, const char *what, struct diag *diag)
{
	return diag_set_at(
		diag, -EILSEQ, stream->file->path, 0,
		"%s before byte %llu; the rest is not imported", what,
		(unsigned long long)(stream->position - (stream->raw.end - stream->raw.next)));
}

/* Moves the bytes that are still to be read to the front of the window. */
static void window_shift(struct window *window)
{
	if (!window->next)
		return;
	memmove(window->bytes, window->bytes + window->next, window->end - window->next);
	window->end -= window->next;
	window->next = 0;
}

static size_t window_left(const struct window *window)
{
	return window->end - window->next;
}

/*
 * Reads until the raw window has nr bytes. Returns 0; -ENODATA at the end of the file; -EILSEQ if
 * the file is cut; or the -errno of reading.
 */
static int raw_fill(struct perf_file_stream *stream, size_t nr, struct diag *diag)
{
	struct window *raw = &stream->raw;
	uint64_t left = stream->file->data_offset + stream->file->data_bytes - stream->position;
	size_t wanted;
	ssize_t got;

	if (raw->end - raw->next >= nr)
		return 0;
	window_shift(raw);
	wanted = left < raw->room - raw->end ? (size_t)left : raw->room - raw->end;
	got = file_pread_all(stream->file->fd, raw->bytes + raw->end, wanted,
			     (off_t)stream->position);
	if (got < 0)
		return diag_set_at(diag, (int)got, stream->file->path, 0, "cannot be read: %s",
				   strerror((int)-got));
	raw->end += (size_t)got;
	stream->position += (uint64_t)got;
	if (raw->end >= nr)
		return 0;
	if (raw->end)
		return cut(stream, "it is truncated: a record is incomplete", diag);
	return stream->file->is_cut
		       ? cut(stream, "it is truncated: its header announces more data", diag)
		       : -ENODATA;
}

/* Skips bytes that follow a record but are not part of it. */
static int raw_skip(struct perf_file_stream *stream, uint64_t nr_bytes, struct diag *diag)
{
	struct window *raw = &stream->raw;
	uint64_t left = stream->file->data_offset + stream->file->data_bytes - stream->position;
	size_t here = raw->end - raw->next;

	if (nr_bytes <= here) {
		raw->next += nr_bytes;
		return 0;
	}
	if (nr_bytes - here > left)
		return cut(stream, "it is truncated: a record's data are incomplete", diag);
	raw->next = raw->end = 0;
	stream->position += nr_bytes - here;
	return 0;
}

/*
 * Returns the size of the record that begins at the window's next byte, from 8 bytes to 64 KB; 0:
 * the size is invalid. The sizes of records that perf itself writes need not be multiples of 8.
 */
static size_t record_bytes(const struct window *window)
{
	struct perf_event_header header;

	memcpy(&header, window->bytes + window->next, sizeof(header));
	return header.size < sizeof(header) ||
			       (header.type < PERF_FILE_HEADER_ATTR && header.size % 8)
		       ? 0
		       : header.size;
}

/* Returns the next record of the window, aligned; it is valid until the next call. */
static const struct perf_event_header *take_record(struct perf_file_stream *stream,
						   struct window *window, size_t nr_bytes)
{
	const void *record = window->bytes + window->next;

	if (window->next % 8)
		record = memcpy(stream->aligned, record, nr_bytes);
	window->next += nr_bytes;
	return record;
}

/* ---- compressed records ---- */

static int unpacked_room(struct window *window, size_t more)
{
	size_t room = window->room ? window->room : WINDOW_BYTES;
	uint8_t *bigger;

	while (room < window->end + more)
		room *= 2;
	if (room > UNPACKED_MAX)
		return -EFBIG;
	if (room == window->room)
		return 0;
	bigger = realloc(window->bytes, room);
	if (!bigger)
		return -ENOMEM;
	window->bytes = bigger;
	window->room = room;
	return 0;
}

static int unpack(struct perf_file_stream *stream, const void *bytes, size_t nr_bytes,
		  struct diag *diag)
{
	struct window *window = &stream->unpacked;
	ZSTD_inBuffer in = {bytes, nr_bytes, 0};
	int error = 0;

	window_shift(window);
	if (!stream->zstd)
		stream->zstd = ZSTD_createDStream();
	if (!stream->zstd)
		return diag_set(diag, -ENOMEM, "out of memory");
	for (;;) {
		ZSTD_outBuffer out;
		size_t status;

		error = unpacked_room(window, ZSTD_DStreamOutSize());
		if (error)
			return diag_set_at(diag, error, stream->file->path, 0,
					   "a compressed record is too large");
		out = (ZSTD_outBuffer){window->bytes + window->end, window->room - window->end, 0};
		status = ZSTD_decompressStream(stream->zstd, &out, &in);
		if (ZSTD_isError(status))
			return cut(stream, "a compressed record is damaged", diag);
		window->end += out.pos;
		if (in.pos == in.size && out.pos < out.size)
			return 0;
	}
}

/* Returns the compressed bytes of record; NULL: record is invalid. */
static const uint8_t *compressed_part(const struct perf_event_header *record, size_t *nr_bytes)
{
	const uint8_t *body = (const uint8_t *)(record + 1);
	uint64_t size;

	*nr_bytes = record->size - HEADER_BYTES;
	if (record->type == PERF_FILE_COMPRESSED)
		return body;
	if (record->type != PERF_FILE_COMPRESSED2 || *nr_bytes < sizeof(size))
		return NULL;
	memcpy(&size, body, sizeof(size));
	if (size > *nr_bytes - sizeof(size))
		return NULL;
	*nr_bytes = (size_t)size;
	return body + sizeof(size);
}

/* ---- records ---- */

/*
 * Sets *record to the next complete record of the decompressed window and returns its size. Returns
 * 0 if there is no complete record, or the record is invalid.
 */
static size_t next_unpacked(struct perf_file_stream *stream,
			    const struct perf_event_header **record)
{
	struct window *window = &stream->unpacked;
	size_t nr_bytes;

	if (window->end - window->next < HEADER_BYTES)
		return 0;
	nr_bytes = record_bytes(window);
	if (!nr_bytes || nr_bytes > window->end - window->next)
		return 0;
	*record = take_record(stream, window, nr_bytes);
	return nr_bytes;
}

/*
 * Returns the number of bytes of raw data between record and the next record: AUX data or tracing
 * data. Returns 0 for all other types of records.
 */
static uint64_t bytes_behind(const struct perf_event_header *record)
{
	const uint8_t *body = (const uint8_t *)(record + 1);
	uint64_t nr_bytes = 0;
	uint32_t half = 0;

	if (record->type == PERF_FILE_AUXTRACE && record->size >= HEADER_BYTES + sizeof(nr_bytes)) {
		memcpy(&nr_bytes, body, sizeof(nr_bytes));
	} else if (record->type == PERF_FILE_TRACING_DATA &&
		   record->size >= HEADER_BYTES + sizeof(half)) {
		memcpy(&half, body, sizeof(half));
		nr_bytes = ((uint64_t)half + 7) & ~UINT64_C(7);
	}
	return nr_bytes;
}

/* Returns the next record of the file; NULL after an error, with the reason in *error. */
static const struct perf_event_header *next_raw(struct perf_file_stream *stream, int *error,
						struct diag *diag)
{
	struct window *raw = &stream->raw;
	size_t nr_bytes;

	*error = raw_fill(stream, HEADER_BYTES, diag);
	if (*error)
		return NULL;
	nr_bytes = record_bytes(raw);
	*error = nr_bytes ? raw_fill(stream, nr_bytes, diag)
			  : cut(stream, "a record has an invalid size", diag);
	return *error ? NULL : take_record(stream, raw, nr_bytes);
}

static int unpack_record(struct perf_file_stream *stream, const struct perf_event_header *record,
			 struct diag *diag)
{
	size_t nr_bytes;
	const uint8_t *packed = compressed_part(record, &nr_bytes);

	return packed ? unpack(stream, packed, nr_bytes, diag)
		      : cut(stream, "a compressed record is invalid", diag);
}

int perf_file_next(struct perf_file *file, const struct perf_event_header **record,
		   struct diag *diag)
{
	struct perf_file_stream *stream = file->stream;
	int error = 0;

	while (!error && !next_unpacked(stream, record)) {
		const struct perf_event_header *raw = next_raw(stream, &error, diag);

		if (!raw)
			return error == -ENODATA && window_left(&stream->unpacked)
				       ? cut(stream, "a compressed record is incomplete", diag)
				       : error;
		if (raw->type != PERF_FILE_COMPRESSED && raw->type != PERF_FILE_COMPRESSED2) {
			*record = raw;
			return bytes_behind(raw) ? raw_skip(stream, bytes_behind(raw), diag) : 0;
		}
		error = unpack_record(stream, raw, diag);
	}
	return error;
}
