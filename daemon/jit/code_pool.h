/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions whose code is in no file. Each name is stored once for all maps of all
 * processes. Samples refer to names by numbers, which are the offsets in images of kind
 * OPROF_IMAGE_CODE.
 *
 * A name is freed with its last reference. A name with a number ("told"), however, is kept for
 * ever, since records may refer to it. There are limits for names with and without numbers, since
 * programs can make any number of names. If there is no room for a name, it gets the number 0.
 */
#ifndef DAEMON_CODE_POOL_H
#define DAEMON_CODE_POOL_H

#include "daemon/system/node_hash.h"

#include <stddef.h>
#include <stdint.h>

#define CODE_NAME_BYTES_MAX 1024u
/* Limits of the names that have a number: how many, and how many bytes. */
#define CODE_POOL_TOLD_MAX	 65536u
#define CODE_POOL_TOLD_BYTES_MAX (8u << 20)
/* Maximum number of bytes of all names without a number and of all maps, taken together. */
#define CODE_POOL_BYTES_MAX (64u << 20)

#define CODE_POOL_OTHER_NAME "[other code]"

struct code_name {
	struct node node;
	uint32_t nr_refs;
	uint32_t number; /* 0: none yet */
	uint32_t nr_bytes;
	char text[]; /* contains no control characters */
};

struct code_pool {
	struct node_hash names;
	struct code_name **told; /* the names that have a number; index: number - 1 */
	size_t nr_told, room_told;
	size_t told_bytes;
	size_t nr_bytes; /* bytes of names without a number and of ranges (code_map) */
};

int code_pool_init(struct code_pool *pool);    /* 0 or -ENOMEM */
void code_pool_deinit(struct code_pool *pool); /* also frees names with references */

/*
 * Returns the name with these bytes, with a reference. The name is cut at CODE_NAME_BYTES_MAX, and
 * control characters are replaced by '?'. NULL: out of memory, or the pool is full.
 */
struct code_name *code_pool_get(struct code_pool *pool, const char *text, size_t nr_bytes);
struct code_name *code_name_get(struct code_name *name); /* adds a reference */
void code_name_put(struct code_pool *pool, struct code_name *name);

/*
 * Returns the name's number. A name without a number gets one. 0: there is no room for more names
 * with numbers.
 */
uint32_t code_pool_tell(struct code_pool *pool, struct code_name *name);

/* Returns the name with that number, CODE_POOL_OTHER_NAME for 0; NULL: unknown number. */
const char *code_pool_name(const struct code_pool *pool, uint64_t number);

#endif
