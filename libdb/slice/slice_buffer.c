// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/slice_buffer.h"

#include "libdb/slice/slice_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_MIN 1024u

uint8_t *slice_buffer_reserve(struct slice_buffer *buffer, size_t nr_bytes)
{
	size_t room = buffer->room ? buffer->room : ROOM_MIN;
	uint8_t *bytes;

	if (nr_bytes > SIZE_MAX / 4 - buffer->nr_bytes)
		return NULL;
	while (room - buffer->nr_bytes < nr_bytes)
		room *= 2;
	if (room > buffer->room) {
		bytes = realloc(buffer->bytes, room);
		if (!bytes)
			return NULL;
		buffer->bytes = bytes;
		buffer->room = room;
	}
	return buffer->bytes + buffer->nr_bytes;
}

int slice_buffer_add(struct slice_buffer *buffer, const void *bytes, size_t nr_bytes)
{
	uint8_t *to = slice_buffer_reserve(buffer, nr_bytes);

	if (!to)
		return -ENOMEM;
	if (nr_bytes)
		memcpy(to, bytes, nr_bytes);
	buffer->nr_bytes += nr_bytes;
	return 0;
}

int slice_buffer_add_number(struct slice_buffer *buffer, uint64_t value)
{
	uint8_t *to = slice_buffer_reserve(buffer, SLICE_NUMBER_BYTES_MAX);

	if (!to)
		return -ENOMEM;
	buffer->nr_bytes += (size_t)(slice_put_number(to, value) - to);
	return 0;
}

void slice_buffer_deinit(struct slice_buffer *buffer)
{
	free(buffer->bytes);
	memset(buffer, 0, sizeof(*buffer));
}
