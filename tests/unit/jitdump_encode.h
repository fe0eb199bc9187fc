/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of a jitdump file, as a program that makes code writes them. For tests. */
#ifndef TESTS_JITDUMP_ENCODE_H
#define TESTS_JITDUMP_ENCODE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct jitdump_bytes {
	char *bytes;
	size_t nr_bytes, room_bytes;
};

static inline void jitdump_put(struct jitdump_bytes *to, const void *bytes, size_t nr_bytes)
{
	if (to->nr_bytes + nr_bytes > to->room_bytes) {
		to->room_bytes = 2 * (to->nr_bytes + nr_bytes);
		to->bytes = realloc(to->bytes, to->room_bytes);
	}
	if (!to->bytes)
		abort();
	if (nr_bytes)
		memcpy(to->bytes + to->nr_bytes, bytes, nr_bytes);
	to->nr_bytes += nr_bytes;
}

static inline void jitdump_header(struct jitdump_bytes *to, uint32_t version, uint64_t flags)
{
	const uint32_t words[6] = {0x4a695444, version, 40, 62, 0, 1234};
	const uint64_t rest[2] = {1, flags};

	jitdump_put(to, words, sizeof(words));
	jitdump_put(to, rest, sizeof(rest));
}

static inline void jitdump_record(struct jitdump_bytes *to, uint32_t id, uint64_t time_ns,
				  const void *body, size_t nr_bytes)
{
	const uint32_t head[2] = {id, (uint32_t)(16 + nr_bytes)};

	jitdump_put(to, head, sizeof(head));
	jitdump_put(to, &time_ns, sizeof(time_ns));
	jitdump_put(to, body, nr_bytes);
}

static inline void jitdump_load(struct jitdump_bytes *to, uint64_t time_ns, uint64_t address,
				uint64_t nr_code_bytes, const char *name, size_t nr_stored_bytes)
{
	const uint32_t ids[2] = {1234, 1234};
	const uint64_t words[4] = {address, address, nr_code_bytes, 1};
	struct jitdump_bytes body = {NULL, 0, 0};
	char *code = calloc(1, nr_stored_bytes + 1);

	if (!code)
		abort();
	jitdump_put(&body, ids, sizeof(ids));
	jitdump_put(&body, words, sizeof(words));
	jitdump_put(&body, name, strlen(name) + 1);
	jitdump_put(&body, code, nr_stored_bytes);
	jitdump_record(to, 0, time_ns, body.bytes, body.nr_bytes);
	free(code);
	free(body.bytes);
}

static inline void jitdump_move(struct jitdump_bytes *to, uint64_t time_ns, uint64_t from,
				uint64_t address, uint64_t nr_code_bytes)
{
	const uint32_t ids[2] = {1234, 1234};
	const uint64_t words[5] = {address, from, address, nr_code_bytes, 1};
	struct jitdump_bytes body = {NULL, 0, 0};

	jitdump_put(&body, ids, sizeof(ids));
	jitdump_put(&body, words, sizeof(words));
	jitdump_record(to, 1, time_ns, body.bytes, body.nr_bytes);
	free(body.bytes);
}

#endif
