/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a stream of bytes to a file, compressed in gzip format. The output depends only on
 * the bytes.
 */
#ifndef PP_GZIP_WRITER_H
#define PP_GZIP_WRITER_H

#include <stddef.h>
#include <stdio.h>

struct gzip_writer;

/* Returns 0 or -ENOMEM. `out` must outlive the writer. */
int gzip_writer_create(struct gzip_writer **writer, FILE *out);
/* A write error sets the error indicator of the stream. */
void gzip_writer_add(struct gzip_writer *writer, const void *bytes, size_t nr_bytes);
/* Writes the remaining output, then frees the writer. */
void gzip_writer_end(struct gzip_writer *writer);

#endif
