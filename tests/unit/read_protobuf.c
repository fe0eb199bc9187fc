// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/read_protobuf.h"

#include <check.h>
#include <zlib.h>

uint64_t read_protobuf_number(struct message *from)
{
	uint64_t value = 0;

	for (unsigned int shift = 0;; shift += 7) {
		ck_assert_ptr_ne(from->at, from->end);
		value |= (uint64_t)(*from->at & 0x7f) << shift;
		if (!(*from->at++ & 0x80))
			return value;
	}
}

bool read_protobuf_field(struct message *from, struct field *field)
{
	uint64_t key;

	if (from->at == from->end)
		return false;
	key = read_protobuf_number(from);
	*field = (struct field){.number = (uint32_t)(key >> 3)};
	field->value = read_protobuf_number(from);
	if ((key & 7) == 0)
		return true;
	ck_assert_uint_eq(key & 7, 2);
	ck_assert_uint_le(field->value, (uint64_t)(from->end - from->at));
	field->message = (struct message){from->at, from->at + field->value};
	from->at += field->value;
	return true;
}

size_t read_protobuf_unpack(const char *packed, size_t nr_packed, uint8_t *bytes, size_t room)
{
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed,
			   .avail_in = (uInt)nr_packed,
			   .next_out = bytes,
			   .avail_out = (uInt)room};

	ck_assert_int_eq(inflateInit2(&stream, 15 + 16), Z_OK);
	ck_assert_int_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
	ck_assert_uint_eq(stream.avail_in, 0);
	ck_assert_int_eq(inflateEnd(&stream), Z_OK);
	return room - stream.avail_out;
}
