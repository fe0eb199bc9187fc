/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading numbers out of bytes, never beyond them: what fails is 0, and remembered. */
#ifndef UNWIND_CODE_CURSOR_H
#define UNWIND_CODE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct code_cursor {
	const uint8_t *at, *end;
	bool failed;
};

static inline size_t code_cursor_left(const struct code_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

/* nr_bytes further; where they began, or NULL. */
static inline const uint8_t *code_cursor_skip(struct code_cursor *cursor, uint64_t nr_bytes)
{
	const uint8_t *from = cursor->at;

	if (nr_bytes > code_cursor_left(cursor)) {
		cursor->failed = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at += nr_bytes;
	return from;
}

/* A little-endian number of 1 to 8 bytes. */
static inline uint64_t code_cursor_number(struct code_cursor *cursor, size_t nr_bytes)
{
	const uint8_t *from = code_cursor_skip(cursor, nr_bytes);
	uint64_t value = 0;

	for (size_t i = 0; from && i < nr_bytes; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

static inline uint8_t code_cursor_u8(struct code_cursor *cursor)
{
	return (uint8_t)code_cursor_number(cursor, 1);
}

static inline uint32_t code_cursor_u32(struct code_cursor *cursor)
{
	return (uint32_t)code_cursor_number(cursor, 4);
}

/* A signed one. */
static inline int64_t code_cursor_signed(struct code_cursor *cursor, size_t nr_bytes)
{
	const unsigned int unused = 64 - 8 * (unsigned int)nr_bytes;

	return (int64_t)(code_cursor_number(cursor, nr_bytes) << unused) >> unused;
}

/* LEB128; what is beyond 64 bits is lost. */
static inline uint64_t code_cursor_leb(struct code_cursor *cursor, bool is_signed)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = code_cursor_u8(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && !cursor->failed);
	if (is_signed && shift < 64 && (byte & 0x40))
		value |= UINT64_MAX << shift;
	return value;
}

static inline uint64_t code_cursor_uleb(struct code_cursor *cursor)
{
	return code_cursor_leb(cursor, false);
}

static inline int64_t code_cursor_sleb(struct code_cursor *cursor)
{
	return (int64_t)code_cursor_leb(cursor, true);
}

/* A text up to its NUL; NULL: it has none. */
static inline const char *code_cursor_text(struct code_cursor *cursor)
{
	const uint8_t *nul = memchr(cursor->at, 0, code_cursor_left(cursor));

	if (!nul) {
		cursor->failed = true;
		return NULL;
	}
	return (const char *)code_cursor_skip(cursor, (uint64_t)(nul - cursor->at) + 1);
}

#endif
