/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of Protocol Buffers, read field by field; fails the test where they make no sense. */
#ifndef TESTS_UNIT_READ_PROTOBUF_H
#define TESTS_UNIT_READ_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
	const uint8_t *at, *end;
};

struct field {
	uint32_t number;
	uint64_t value;		/* of a number */
	struct message message; /* of bytes */
};

uint64_t read_protobuf_number(struct message *from);
bool read_protobuf_field(struct message *from, struct field *field); /* false: it ends */

/* All that gzip holds: how many bytes it is. */
size_t read_protobuf_unpack(const char *packed, size_t nr_packed, uint8_t *bytes, size_t room);

#endif
