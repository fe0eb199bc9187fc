/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of Protocol Buffers, written field by field
 * (protobuf.dev/programming-guides/encoding): as much of it as pprof's format
 * needs. A failure to get memory stays in the buffer.
 */
#ifndef PP_PROTOBUF_H
#define PP_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protobuf {
	uint8_t *bytes;
	size_t nr_bytes, room;
	bool failed; /* no memory: bytes are not whole */
};

void protobuf_clear(struct protobuf *buffer); /* keeps its memory */
void protobuf_deinit(struct protobuf *buffer);

/* Fields; numbers that are 0 are left out, as readers take them for granted. */
void protobuf_number(struct protobuf *buffer, uint32_t field, uint64_t value);
void protobuf_bytes(struct protobuf *buffer, uint32_t field, const void *bytes, size_t nr_bytes);
void protobuf_text(struct protobuf *buffer, uint32_t field, const char *text);
void protobuf_message(struct protobuf *buffer, uint32_t field, const struct protobuf *message);
/* Packed: all values, 0 too. */
void protobuf_numbers(struct protobuf *buffer, uint32_t field, const uint64_t *values, size_t nr);

#endif
