/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of nodes that are embedded in the caller's objects. The table does not know the
 * objects' keys, so callers compare them. The table doubles when it is full; if it cannot grow
 * because memory is short, its chains get longer. Not thread-safe.
 */
#ifndef DAEMON_NODE_HASH_H
#define DAEMON_NODE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct node {
	struct node *next;
	uint64_t hash;
};

struct node_hash {
	struct node **buckets;
	size_t nr_buckets; /* a power of two */
	size_t nr_nodes;
	size_t first; /* all buckets below this index are empty */
};

/* The object of the given type that contains the node as member. */
#define node_owner(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

int node_hash_init(struct node_hash *table);	/* 0 or -ENOMEM */
void node_hash_deinit(struct node_hash *table); /* the caller owns and frees the nodes */

void node_hash_add(struct node_hash *table, struct node *node, uint64_t hash);
void node_hash_remove(struct node_hash *table, struct node *node);

/*
 * Return the first node with this hash, and the next one with the same hash; NULL: there are no
 * more.
 */
struct node *node_hash_first(const struct node_hash *table, uint64_t hash);
struct node *node_hash_next(const struct node *node);

/*
 * Returns any node; NULL: the table is empty. Emptying a table with this function takes linear
 * time.
 */
struct node *node_hash_any(struct node_hash *table);

/* Calls visit for each node. visit may remove that node, but must not add nodes. */
void node_hash_walk(const struct node_hash *table, void (*visit)(struct node *node, void *context),
		    void *context);

/* Hash functions for tables whose size is a power of two. */
uint64_t hash_number(uint64_t value);
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t nr_bytes);

#endif
