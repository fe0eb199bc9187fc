/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions of code without files, each kept once, for all maps of
 * all processes; and the numbers by which samples name them (the offsets of
 * images of kind OPROF_IMAGE_CODE).
 *
 * A name goes with its last reference, unless it has a number: then it stays,
 * as records demand. Both are bounded, since programs make names up: what
 * there is no room for has number 0.
 */
#ifndef DAEMON_CODE_POOL_H
#define DAEMON_CODE_POOL_H

#include "daemon/system/node_hash.h"

#include <stddef.h>
#include <stdint.h>

#define CODE_NAME_BYTES_MAX 1024u
/* Names with a number, and what they may take. */
#define CODE_POOL_TOLD_MAX	 65536u
#define CODE_POOL_TOLD_BYTES_MAX (8u << 20)
/* Names without one, and the ranges of all maps. */
#define CODE_POOL_BYTES_MAX (64u << 20)

#define CODE_POOL_OTHER_NAME "[other code]"

struct code_name {
	struct node node;
	uint32_t nr_refs;
	uint32_t number; /* 0: none yet */
	uint32_t nr_bytes;
	char text[]; /* without control characters */
};

struct code_pool {
	struct node_hash names;
	struct code_name **told; /* by number - 1 */
	size_t nr_told, room_told;
	size_t told_bytes;
	size_t nr_bytes; /* of names without a number, and of ranges (code_map) */
};

int code_pool_init(struct code_pool *pool);    /* 0 or -ENOMEM */
void code_pool_deinit(struct code_pool *pool); /* whatever the references */

/*
 * The name of these bytes, cut at CODE_NAME_BYTES_MAX, with control characters
 * as '?'; with a reference. NULL: no memory, or the pool is full.
 */
struct code_name *code_pool_get(struct code_pool *pool, const char *text, size_t nr_bytes);
struct code_name *code_name_get(struct code_name *name); /* another reference */
void code_name_put(struct code_pool *pool, struct code_name *name);

/* The name's number, given now if it has none; 0: there is no room for more. */
uint32_t code_pool_tell(struct code_pool *pool, struct code_name *name);

/* The name of that number, CODE_POOL_OTHER_NAME for 0; NULL: no such. */
const char *code_pool_name(const struct code_pool *pool, uint64_t number);

#endif
