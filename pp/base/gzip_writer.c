// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/gzip_writer.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#define CHUNK_BYTES (64u << 10)
#define WINDOW_BITS (15 + 16) /* with a gzip header */
#define MEMORY	    8	      /* zlib's default */

struct gzip_writer {
	FILE *out;
	z_stream stream;
	uint8_t chunk[CHUNK_BYTES];
};

int gzip_writer_create(struct gzip_writer **writer, FILE *out)
{
	struct gzip_writer *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->out = out;
	if (deflateInit2(&made->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(made);
		return -ENOMEM;
	}
	*writer = made;
	return 0;
}

static void pump(struct gzip_writer *writer, int flush)
{
	int result;

	do {
		writer->stream.next_out = writer->chunk;
		writer->stream.avail_out = CHUNK_BYTES;
		result = deflate(&writer->stream, flush);
		(void)fwrite(writer->chunk, 1, CHUNK_BYTES - writer->stream.avail_out, writer->out);
	} while (result == Z_OK && !writer->stream.avail_out);
}

void gzip_writer_add(struct gzip_writer *writer, const void *bytes, size_t nr_bytes)
{
	const uint8_t *from = bytes;

	while (nr_bytes) {
		size_t nr = nr_bytes < CHUNK_BYTES ? nr_bytes : CHUNK_BYTES;

		writer->stream.next_in = (Bytef *)(uintptr_t)from;
		writer->stream.avail_in = (uInt)nr;
		pump(writer, Z_NO_FLUSH);
		from += nr;
		nr_bytes -= nr;
	}
}

void gzip_writer_end(struct gzip_writer *writer)
{
	pump(writer, Z_FINISH);
	(void)deflateEnd(&writer->stream);
	free(writer);
}
