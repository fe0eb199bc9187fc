/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading numbers out of debug information, in either byte order. A read
 * beyond the end gives 0, sets failed and stays at the end, so that loops
 * over a damaged file come to one: ask failed after, not at each step.
 */
#ifndef PP_DWARF_CURSOR_H
#define PP_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwarf_cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool swapped; /* of the other byte order */
	bool failed;
};

static inline size_t dwarf_left(const struct dwarf_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline void dwarf_fail(struct dwarf_cursor *cursor)
{
	cursor->failed = true;
	cursor->at = cursor->end;
}

static inline void dwarf_skip(struct dwarf_cursor *cursor, uint64_t nr_bytes)
{
	if (nr_bytes > dwarf_left(cursor))
		dwarf_fail(cursor);
	else
		cursor->at += nr_bytes;
}

static inline uint8_t dwarf_u8(struct dwarf_cursor *cursor)
{
	if (cursor->at == cursor->end) {
		cursor->failed = true;
		return 0;
	}
	return *cursor->at++;
}

static inline uint16_t dwarf_u16(struct dwarf_cursor *cursor)
{
	uint16_t value;

	if (dwarf_left(cursor) < sizeof(value)) {
		dwarf_fail(cursor);
		return 0;
	}
	memcpy(&value, cursor->at, sizeof(value));
	cursor->at += sizeof(value);
	return cursor->swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t dwarf_u32(struct dwarf_cursor *cursor)
{
	uint32_t value;

	if (dwarf_left(cursor) < sizeof(value)) {
		dwarf_fail(cursor);
		return 0;
	}
	memcpy(&value, cursor->at, sizeof(value));
	cursor->at += sizeof(value);
	return cursor->swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t dwarf_u64(struct dwarf_cursor *cursor)
{
	uint64_t value;

	if (dwarf_left(cursor) < sizeof(value)) {
		dwarf_fail(cursor);
		return 0;
	}
	memcpy(&value, cursor->at, sizeof(value));
	cursor->at += sizeof(value);
	return cursor->swapped ? __builtin_bswap64(value) : value;
}

static inline uint32_t dwarf_u24(struct dwarf_cursor *cursor)
{
	uint32_t a = dwarf_u8(cursor), b = dwarf_u8(cursor), c = dwarf_u8(cursor);
	bool big = cursor->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	return big ? a << 16 | b << 8 | c : c << 16 | b << 8 | a;
}

/* Of 1, 2, 4 or 8 bytes: an address or an offset. */
static inline uint64_t dwarf_sized(struct dwarf_cursor *cursor, unsigned int nr_bytes)
{
	switch (nr_bytes) {
	case 1:
		return dwarf_u8(cursor);
	case 2:
		return dwarf_u16(cursor);
	case 4:
		return dwarf_u32(cursor);
	case 8:
		return dwarf_u64(cursor);
	default:
		dwarf_fail(cursor);
		return 0;
	}
}

/* Bits beyond the 64th are lost. */
static inline uint64_t dwarf_uleb(struct dwarf_cursor *cursor)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = dwarf_u8(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static inline int64_t dwarf_sleb(struct dwarf_cursor *cursor)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = dwarf_u8(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= ~UINT64_C(0) << shift;
	return (int64_t)value;
}

/* A NUL-terminated text that ends within; "" and failed where it does not. */
static inline const char *dwarf_text(struct dwarf_cursor *cursor)
{
	const char *text = (const char *)cursor->at;
	const uint8_t *nul =
		cursor->at == cursor->end ? NULL : memchr(cursor->at, '\0', dwarf_left(cursor));

	if (!nul) {
		dwarf_fail(cursor);
		return "";
	}
	cursor->at = nul + 1;
	return text;
}

#endif
