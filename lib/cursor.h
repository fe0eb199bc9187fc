/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads numbers and texts from untrusted bytes, in either byte order. A read beyond the end sets
 * cursor->failed, moves the cursor to the end, and returns 0 (for LEB128, the bits read before the
 * end). Therefore loops over damaged bytes terminate. Callers check `failed` once after such a
 * loop, not at each step. Returned texts and byte ranges point into the bytes that the cursor
 * reads.
 */
#ifndef LIB_CURSOR_H
#define LIB_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at, *end;
	bool swapped; /* the bytes have the opposite byte order of this machine */
	bool failed;
};

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline void cursor_fail(struct cursor *cursor)
{
	cursor->failed = true;
	cursor->at = cursor->end;
}

/* Returns the next nr_bytes, or fails and returns NULL if fewer bytes are left. */
static inline const uint8_t *cursor_take(struct cursor *cursor, uint64_t nr_bytes)
{
	const uint8_t *bytes = cursor->at;

	if (nr_bytes > cursor_left(cursor)) {
		cursor_fail(cursor);
		return NULL;
	}
	cursor->at += nr_bytes;
	return bytes;
}

static inline void cursor_skip(struct cursor *cursor, uint64_t nr_bytes)
{
	(void)cursor_take(cursor, nr_bytes);
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	const uint8_t *byte = cursor_take(cursor, 1);

	return byte ? *byte : 0;
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
	const uint8_t *bytes = cursor_take(cursor, sizeof(uint16_t));
	uint16_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return cursor->swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t cursor_u24(struct cursor *cursor)
{
	uint32_t a = cursor_u8(cursor), b = cursor_u8(cursor), c = cursor_u8(cursor);
	bool big = cursor->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	return big ? a << 16 | b << 8 | c : c << 16 | b << 8 | a;
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	const uint8_t *bytes = cursor_take(cursor, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return cursor->swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	const uint8_t *bytes = cursor_take(cursor, sizeof(uint64_t));
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return cursor->swapped ? __builtin_bswap64(value) : value;
}

/* Reads a number of 1, 2, 4 or 8 bytes; fails for any other nr_bytes. */
static inline uint64_t cursor_number(struct cursor *cursor, unsigned int nr_bytes)
{
	switch (nr_bytes) {
	case 1:
		return cursor_u8(cursor);
	case 2:
		return cursor_u16(cursor);
	case 4:
		return cursor_u32(cursor);
	case 8:
		return cursor_u64(cursor);
	default:
		cursor_fail(cursor);
		return 0;
	}
}

/* Reads a LEB128 number. Bits above the 64th are dropped. */
static inline uint64_t cursor_leb(struct cursor *cursor, bool is_signed)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = cursor_u8(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && (byte & 0x40))
		value |= UINT64_MAX << shift;
	return value;
}

static inline uint64_t cursor_uleb(struct cursor *cursor)
{
	return cursor_leb(cursor, false);
}

static inline int64_t cursor_sleb(struct cursor *cursor)
{
	return (int64_t)cursor_leb(cursor, true);
}

/* Reads a text up to its NUL. If the remaining bytes have no NUL, fails and returns "". */
static inline const char *cursor_text(struct cursor *cursor)
{
	const char *text = (const char *)cursor->at;
	const uint8_t *nul =
		cursor->at == cursor->end ? NULL : memchr(cursor->at, '\0', cursor_left(cursor));

	if (!nul) {
		cursor_fail(cursor);
		return "";
	}
	cursor->at = nul + 1;
	return text;
}

#endif
