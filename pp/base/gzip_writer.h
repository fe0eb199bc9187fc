/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream of bytes, compressed into a file as gzip does. The same bytes give the same file. */
#ifndef PP_GZIP_WRITER_H
#define PP_GZIP_WRITER_H

#include <stddef.h>
#include <stdio.h>

struct gzip_writer;

int gzip_writer_create(struct gzip_writer **writer, FILE *out); /* 0 or -ENOMEM; out is borrowed */
/* Errors of out stay in it. */
void gzip_writer_add(struct gzip_writer *writer, const void *bytes, size_t nr_bytes);
/* What is still to come out; then it is gone. */
void gzip_writer_end(struct gzip_writer *writer);

#endif
