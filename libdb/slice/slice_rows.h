/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of rows of bytes, each stored once, numbered from 0: for building a slice's tables. */
#ifndef LIBDB_SLICE_ROWS_H
#define LIBDB_SLICE_ROWS_H

#include "lib/index_table.h"
#include "libdb/slice/slice_buffer.h"

#include <stddef.h>
#include <stdint.h>

struct slice_row {
	size_t offset; /* in bytes */
	size_t nr_bytes;
};

struct slice_rows {
	struct slice_buffer bytes; /* of all rows, in order */
	struct slice_row *rows;
	size_t nr_rows, nr_rows_room;
	struct index_table table;
};

/* Returns the row's number, or -ENOMEM; adds the row if it is new. */
int64_t slice_rows_put(struct slice_rows *rows, const void *bytes, size_t nr_bytes);

void slice_rows_deinit(struct slice_rows *rows);

#endif
