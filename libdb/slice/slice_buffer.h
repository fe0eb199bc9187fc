/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing array of bytes. */
#ifndef LIBDB_SLICE_BUFFER_H
#define LIBDB_SLICE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct slice_buffer {
	uint8_t *bytes; /* malloc'ed; NULL if room is 0 */
	size_t nr_bytes;
	size_t room;
};

/*
 * Makes room for nr_bytes more bytes and returns the address of this room, or NULL if out of
 * memory. The caller writes there and then adds the number of written bytes to buffer->nr_bytes.
 */
uint8_t *slice_buffer_reserve(struct slice_buffer *buffer, size_t nr_bytes);

/* These functions append bytes, or a number in LEB128. They return 0 or -ENOMEM. */
int slice_buffer_add(struct slice_buffer *buffer, const void *bytes, size_t nr_bytes);
int slice_buffer_add_number(struct slice_buffer *buffer, uint64_t value);

void slice_buffer_deinit(struct slice_buffer *buffer);

#endif
