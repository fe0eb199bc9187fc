/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes behind one another in memory that grows. */
#ifndef LIBDB_SLICE_BUFFER_H
#define LIBDB_SLICE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct slice_buffer {
	uint8_t *bytes; /* malloc'ed; NULL while room is 0 */
	size_t nr_bytes;
	size_t room;
};

/* Where nr_bytes more may be written; they count once nr_bytes is raised. NULL: no memory. */
uint8_t *slice_buffer_reserve(struct slice_buffer *buffer, size_t nr_bytes);

/* 0 or -ENOMEM. */
int slice_buffer_add(struct slice_buffer *buffer, const void *bytes, size_t nr_bytes);
int slice_buffer_add_number(struct slice_buffer *buffer, uint64_t value);

void slice_buffer_deinit(struct slice_buffer *buffer);

#endif
