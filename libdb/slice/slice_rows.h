/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of rows, which are numbered from 0. A row is a sequence of bytes. Equal rows are stored
 * only once. The set is used to build the tables of a slice.
 */
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
	struct slice_buffer bytes; /* the bytes of all rows, in order */
	struct slice_row *rows;
	size_t nr_rows, nr_rows_room;
	struct index_table table;
};

/* Returns the number of the row with these bytes, which is added if it is new; or -ENOMEM. */
int64_t slice_rows_put(struct slice_rows *rows, const void *bytes, size_t nr_bytes);

void slice_rows_deinit(struct slice_rows *rows);

#endif
