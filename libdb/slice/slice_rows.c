// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/slice_rows.h"

#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_ROWS_MAX (UINT32_MAX / 4)

static uint64_t hash_bytes(const uint8_t *bytes, size_t nr_bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < nr_bytes; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return index_table_hash(hash, nr_bytes);
}

struct wanted_row {
	const void *bytes;
	size_t nr_bytes;
};

static bool same_row(uint32_t index, const void *key, void *context)
{
	const struct slice_rows *rows = context;
	const struct slice_row *row = &rows->rows[index];
	const struct wanted_row *wanted = key;

	return row->nr_bytes == wanted->nr_bytes &&
	       memcmp(rows->bytes.bytes + row->offset, wanted->bytes, wanted->nr_bytes) == 0;
}

int64_t slice_rows_put(struct slice_rows *rows, const void *bytes, size_t nr_bytes)
{
	const struct wanted_row wanted = {bytes, nr_bytes};
	const uint64_t hash = hash_bytes(bytes, nr_bytes);
	const uint32_t row = index_table_find(&rows->table, hash, same_row, &wanted, rows);

	if (row != INDEX_TABLE_NONE)
		return row;
	if (rows->nr_rows == NR_ROWS_MAX ||
	    array_reserve(&rows->rows, &rows->nr_rows_room, rows->nr_rows, 1) ||
	    !slice_buffer_reserve(&rows->bytes, nr_bytes) ||
	    index_table_put(&rows->table, hash, (uint32_t)rows->nr_rows))
		return -ENOMEM;
	rows->rows[rows->nr_rows] = (struct slice_row){rows->bytes.nr_bytes, nr_bytes};
	(void)slice_buffer_add(&rows->bytes, bytes, nr_bytes); /* room was reserved above */
	return (int64_t)rows->nr_rows++;
}

void slice_rows_deinit(struct slice_rows *rows)
{
	slice_buffer_deinit(&rows->bytes);
	free(rows->rows);
	index_table_deinit(&rows->table);
	memset(rows, 0, sizeof(*rows));
}
