/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes Protocol Buffers messages field by field
 * (protobuf.dev/programming-guides/encoding). Supports only the kinds of fields
 * that pprof's format has. Once an allocation has failed, buffer->failed stays
 * set.
 */
#ifndef PP_PROTOBUF_H
#define PP_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protobuf {
	uint8_t *bytes;
	size_t nr_bytes, room;
	bool failed; /* an allocation failed, so `bytes` is incomplete */
};

void protobuf_clear(struct protobuf *buffer); /* keeps the memory for reuse */
void protobuf_deinit(struct protobuf *buffer);

/*
 * Each of these functions writes a field. A number that is 0 is omitted, because readers assume 0
 * for a missing field.
 */
void protobuf_number(struct protobuf *buffer, uint32_t field, uint64_t value);
void protobuf_bytes(struct protobuf *buffer, uint32_t field, const void *bytes, size_t nr_bytes);
void protobuf_text(struct protobuf *buffer, uint32_t field, const char *text);
void protobuf_message(struct protobuf *buffer, uint32_t field, const struct protobuf *message);
/* Writes a packed field: all values are written, including 0. */
void protobuf_numbers(struct protobuf *buffer, uint32_t field, const uint64_t *values, size_t nr);

#endif
