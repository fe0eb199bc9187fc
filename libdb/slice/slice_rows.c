// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/slice_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_ROWS_MIN 64u
#define NR_ROWS_MAX (UINT32_MAX / 4)

static uint64_t hash_bytes(const uint8_t *bytes, size_t nr_bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < nr_bytes; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 29;
}

/* The bucket that the row is in, or would be. */
static uint32_t *bucket_find(const struct slice_rows *rows, uint64_t hash, const void *bytes,
			     size_t nr_bytes)
{
	const size_t mask = 2 * rows->nr_rows_room - 1;
	size_t i = (size_t)hash & mask;

	for (; rows->buckets[i]; i = (i + 1) & mask) {
		const struct slice_row *row = &rows->rows[rows->buckets[i] - 1];

		if (row->hash == hash && row->nr_bytes == nr_bytes &&
		    memcmp(rows->bytes.bytes + row->offset, bytes, nr_bytes) == 0)
			break;
	}
	return &rows->buckets[i];
}

static int rows_grow(struct slice_rows *rows)
{
	const size_t room = rows->nr_rows_room ? 2 * rows->nr_rows_room : NR_ROWS_MIN;
	uint32_t *buckets = room <= NR_ROWS_MAX ? calloc(2 * room, sizeof(*buckets)) : NULL;
	struct slice_row *bigger = buckets ? realloc(rows->rows, room * sizeof(*rows->rows)) : NULL;

	if (!bigger) {
		free(buckets);
		return -ENOMEM;
	}
	free(rows->buckets);
	rows->buckets = buckets;
	rows->rows = bigger;
	rows->nr_rows_room = room;
	for (size_t row = 0; row < rows->nr_rows; row++) {
		size_t i = (size_t)bigger[row].hash & (2 * room - 1);

		while (buckets[i])
			i = (i + 1) & (2 * room - 1);
		buckets[i] = (uint32_t)row + 1;
	}
	return 0;
}

int64_t slice_rows_put(struct slice_rows *rows, const void *bytes, size_t nr_bytes)
{
	const uint64_t hash = hash_bytes(bytes, nr_bytes);
	uint32_t *bucket;

	if (rows->nr_rows == rows->nr_rows_room && rows_grow(rows))
		return -ENOMEM;
	bucket = bucket_find(rows, hash, bytes, nr_bytes);
	if (*bucket)
		return *bucket - 1;
	if (slice_buffer_add(&rows->bytes, bytes, nr_bytes))
		return -ENOMEM;
	rows->rows[rows->nr_rows++] =
		(struct slice_row){hash, rows->bytes.nr_bytes - nr_bytes, nr_bytes};
	*bucket = (uint32_t)rows->nr_rows;
	return *bucket - 1;
}

void slice_rows_deinit(struct slice_rows *rows)
{
	slice_buffer_deinit(&rows->bytes);
	free(rows->rows);
	free(rows->buckets);
	memset(rows, 0, sizeof(*rows));
}
