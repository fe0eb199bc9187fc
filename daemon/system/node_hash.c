// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/node_hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS_FIRST 64u

int node_hash_init(struct node_hash *table)
{
	*table = (struct node_hash){.nr_buckets = BUCKETS_FIRST};
	table->buckets = calloc(table->nr_buckets, sizeof(struct node *));
	return table->buckets ? 0 : -ENOMEM;
}

void node_hash_deinit(struct node_hash *table)
{
	free(table->buckets);
	*table = (struct node_hash){.nr_buckets = 0};
}

static struct node **bucket_of(const struct node_hash *table, uint64_t hash)
{
	return &table->buckets[hash & (table->nr_buckets - 1)];
}

static void grow(struct node_hash *table)
{
	struct node_hash bigger = {.nr_buckets = table->nr_buckets * 2,
				   .nr_nodes = table->nr_nodes};

	bigger.buckets = calloc(bigger.nr_buckets, sizeof(struct node *));
	if (!bigger.buckets)
		return;
	for (size_t i = 0; i < table->nr_buckets; i++) {
		while (table->buckets[i]) {
			struct node *node = table->buckets[i];
			struct node **bucket = bucket_of(&bigger, node->hash);

			table->buckets[i] = node->next;
			node->next = *bucket;
			*bucket = node;
		}
	}
	free(table->buckets);
	*table = bigger;
}

void node_hash_add(struct node_hash *table, struct node *node, uint64_t hash)
{
	struct node **bucket;

	if (table->nr_nodes >= table->nr_buckets)
		grow(table);
	bucket = bucket_of(table, hash);
	node->hash = hash;
	node->next = *bucket;
	*bucket = node;
	if (bucket < table->buckets + table->first)
		table->first = (size_t)(bucket - table->buckets);
	table->nr_nodes++;
}

void node_hash_remove(struct node_hash *table, struct node *node)
{
	struct node **link = bucket_of(table, node->hash);

	while (*link && *link != node)
		link = &(*link)->next;
	if (!*link)
		return;
	*link = node->next;
	table->nr_nodes--;
}

static struct node *skip_to(struct node *node, uint64_t hash)
{
	while (node && node->hash != hash)
		node = node->next;
	return node;
}

struct node *node_hash_first(const struct node_hash *table, uint64_t hash)
{
	return skip_to(*bucket_of(table, hash), hash);
}

struct node *node_hash_next(const struct node *node)
{
	return skip_to(node->next, node->hash);
}

struct node *node_hash_any(struct node_hash *table)
{
	for (; table->nr_nodes && table->first < table->nr_buckets; table->first++)
		if (table->buckets[table->first])
			return table->buckets[table->first];
	return NULL;
}

void node_hash_walk(const struct node_hash *table, void (*visit)(struct node *node, void *context),
		    void *context)
{
	for (size_t i = 0; i < table->nr_buckets; i++) {
		struct node *next;

		for (struct node *node = table->buckets[i]; node; node = next) {
			next = node->next;
			visit(node, context);
		}
	}
}

uint64_t hash_number(uint64_t value)
{
	/* The constants make each bit of value influence all bits of the result. */
	value = (value ^ value >> 32) * 0xd6e8feb86659fd93u;
	value = (value ^ value >> 29) * 0xa3b195354a39b70du;
	return value ^ value >> 32;
}

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t nr_bytes)
{
	const unsigned char *next = bytes;

	for (; nr_bytes >= 8; next += 8, nr_bytes -= 8) {
		uint64_t word;

		memcpy(&word, next, 8);
		seed = hash_number(seed ^ word);
	}
	if (nr_bytes) {
		uint64_t word = nr_bytes << 56;

		memcpy(&word, next, nr_bytes);
		seed = hash_number(seed ^ word);
	}
	return seed;
}
