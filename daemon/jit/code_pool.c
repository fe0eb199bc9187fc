// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jit/code_pool.h"

#include "lib/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int code_pool_init(struct code_pool *pool)
{
	*pool = (struct code_pool){.nr_told = 0};
	return node_hash_init(&pool->names);
}

void code_pool_deinit(struct code_pool *pool)
{
	struct node *node;

	while (pool->names.buckets && (node = node_hash_any(&pool->names))) {
		node_hash_remove(&pool->names, node);
		free(node_owner(node, struct code_name, node));
	}
	if (pool->names.buckets)
		node_hash_deinit(&pool->names);
	free(pool->told);
	*pool = (struct code_pool){.nr_told = 0};
}

static size_t name_bytes(const struct code_name *name)
{
	return sizeof(*name) + name->nr_bytes + 1;
}

/*
 * Copies text. Control characters, which would disturb terminals and line-based files, are
 * replaced. Returns the number of bytes.
 */
static size_t clean(char *to, const char *text, size_t nr_bytes)
{
	if (nr_bytes > CODE_NAME_BYTES_MAX)
		nr_bytes = CODE_NAME_BYTES_MAX;
	for (size_t i = 0; i < nr_bytes; i++) {
		unsigned char c = (unsigned char)text[i];

		to[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	return nr_bytes;
}

static struct code_name *name_find(const struct code_pool *pool, const char *text, size_t nr_bytes,
				   uint64_t hash)
{
	struct node *node = node_hash_first(&pool->names, hash);

	for (; node; node = node_hash_next(node)) {
		struct code_name *name = node_owner(node, struct code_name, node);

		if (name->nr_bytes == nr_bytes && !memcmp(name->text, text, nr_bytes))
			return name;
	}
	return NULL;
}

struct code_name *code_pool_get(struct code_pool *pool, const char *text, size_t nr_bytes)
{
	char cleaned[CODE_NAME_BYTES_MAX];
	struct code_name *name;
	uint64_t hash;

	nr_bytes = clean(cleaned, text, nr_bytes);
	hash = hash_bytes(0, cleaned, nr_bytes);
	name = name_find(pool, cleaned, nr_bytes, hash);
	if (name)
		return code_name_get(name);
	if (pool->nr_bytes + sizeof(*name) + nr_bytes + 1 > CODE_POOL_BYTES_MAX)
		return NULL;
	name = malloc(sizeof(*name) + nr_bytes + 1);
	if (!name)
		return NULL;
	name->nr_refs = 1;
	name->number = 0;
	name->nr_bytes = (uint32_t)nr_bytes;
	memcpy(name->text, cleaned, nr_bytes);
	name->text[nr_bytes] = '\0';
	node_hash_add(&pool->names, &name->node, hash);
	pool->nr_bytes += name_bytes(name);
	return name;
}

struct code_name *code_name_get(struct code_name *name)
{
	name->nr_refs++;
	return name;
}

void code_name_put(struct code_pool *pool, struct code_name *name)
{
	assert(name->nr_refs);
	if (--name->nr_refs || name->number)
		return;
	pool->nr_bytes -= name_bytes(name);
	node_hash_remove(&pool->names, &name->node);
	free(name);
}

uint32_t code_pool_tell(struct code_pool *pool, struct code_name *name)
{
	if (name->number)
		return name->number;
	if (pool->nr_told >= CODE_POOL_TOLD_MAX ||
	    pool->told_bytes + name_bytes(name) > CODE_POOL_TOLD_BYTES_MAX ||
	    array_reserve_bytes(&pool->told, &pool->room_told, pool->nr_told, 1,
				sizeof(struct code_name *)))
		return 0;
	pool->nr_bytes -= name_bytes(name);
	pool->told_bytes += name_bytes(name);
	pool->told[pool->nr_told++] = name;
	name->number = (uint32_t)pool->nr_told;
	return name->number;
}

const char *code_pool_name(const struct code_pool *pool, uint64_t number)
{
	if (!number)
		return CODE_POOL_OTHER_NAME;
	return number <= pool->nr_told ? pool->told[number - 1]->text : NULL;
}
