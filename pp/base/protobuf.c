// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/protobuf.h"

#include "lib/array.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES_MAX 10

enum wire_type { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

void protobuf_clear(struct protobuf *buffer)
{
	buffer->nr_bytes = 0;
}

void protobuf_deinit(struct protobuf *buffer)
{
	free(buffer->bytes);
	*buffer = (struct protobuf){0};
}

/* Makes room for nr_bytes more bytes. Returns where to write them, or NULL if out of memory. */
static uint8_t *reserve(struct protobuf *buffer, size_t nr_bytes)
{
	if (!buffer->failed &&
	    array_reserve(&buffer->bytes, &buffer->room, buffer->nr_bytes, nr_bytes))
		buffer->failed = true;
	return buffer->failed ? NULL : buffer->bytes + buffer->nr_bytes;
}

static size_t encode(uint8_t *to, uint64_t value)
{
	size_t nr = 0;

	for (; value >= 0x80; value >>= 7)
		to[nr++] = (uint8_t)(value | 0x80);
	to[nr++] = (uint8_t)value;
	return nr;
}

static size_t encoded_bytes(uint64_t value)
{
	uint8_t unused[NUMBER_BYTES_MAX];

	return encode(unused, value);
}

static void put(struct protobuf *buffer, uint64_t value)
{
	uint8_t *to = reserve(buffer, NUMBER_BYTES_MAX);

	if (to)
		buffer->nr_bytes += encode(to, value);
}

static void put_key(struct protobuf *buffer, uint32_t field, enum wire_type wire)
{
	put(buffer, (uint64_t)field << 3 | wire);
}

void protobuf_number(struct protobuf *buffer, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	put_key(buffer, field, WIRE_NUMBER);
	put(buffer, value);
}

void protobuf_bytes(struct protobuf *buffer, uint32_t field, const void *bytes, size_t nr_bytes)
{
	uint8_t *to;

	put_key(buffer, field, WIRE_BYTES);
	put(buffer, nr_bytes);
	to = reserve(buffer, nr_bytes);
	if (!to || !nr_bytes)
		return;
	memcpy(to, bytes, nr_bytes);
	buffer->nr_bytes += nr_bytes;
}

void protobuf_text(struct protobuf *buffer, uint32_t field, const char *text)
{
	protobuf_bytes(buffer, field, text, strlen(text));
}

void protobuf_message(struct protobuf *buffer, uint32_t field, const struct protobuf *message)
{
	buffer->failed |= message->failed;
	protobuf_bytes(buffer, field, message->bytes, message->nr_bytes);
}

void protobuf_numbers(struct protobuf *buffer, uint32_t field, const uint64_t *values, size_t nr)
{
	size_t nr_bytes = 0;

	for (size_t i = 0; i < nr; i++)
		nr_bytes += encoded_bytes(values[i]);
	put_key(buffer, field, WIRE_BYTES);
	put(buffer, nr_bytes);
	for (size_t i = 0; i < nr; i++)
		put(buffer, values[i]);
}
