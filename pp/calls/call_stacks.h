/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a selection before they have symbols: all of its call trees
 * summed, by key. Roots are apart by application and column; what is not
 * of the specification is not counted. Internal to call_tree*.c.
 */
#ifndef PP_CALL_STACKS_H
#define PP_CALL_STACKS_H

#include "lib/index_table.h"
#include "pp/calls/call_tree.h"
#include "pp/profile/profile_time.h"

#include <stddef.h>
#include <stdint.h>

/* A key of an image, or a mark. */
struct call_key {
	uint32_t image; /* in images, or STACK_MARK() */
	uint32_t function;
	uint64_t offset;
	uint32_t sides; /* a bit for each that it is on */
};

struct call_stack_root {
	uint32_t app, column;
};

struct call_stack_node {
	uint32_t parent; /* index below the node's own; CALL_NODE_NONE: a root */
	uint32_t key;	 /* index; of a root: CALL_NODE_NONE */
	uint32_t root;
	uint32_t node; /* of the tree with symbols */
	uint64_t nr_samples, weight;
};

struct call_stacks {
	const struct selection *selection;
	struct strings *strings; /* the call tree's */
	const char **apps;
	struct call_image *images;
	struct call_stack_root *roots;
	struct call_key *keys;
	struct call_stack_node *nodes;
	size_t nr_apps, nr_images, nr_roots, nr_keys, nr_nodes;
	size_t apps_room, images_room, roots_room, keys_room, nodes_room;
	struct index_table app_table, image_table, root_table, key_table, node_table;
	const struct profile_time *stretches; /* NULL: time does not matter */
	struct profile_time times; /* entries: by stretch; row: a node, column: 0, share: weight */
	size_t nr_trees;	   /* so far: node_table is empty while there is one */
	bool has_stacks;	   /* there are trees with anything in them */
	bool has_by_image;	   /* as the call tree's */
	size_t nr_damaged;
};

/* All of flat's selection. 0 or -ENOMEM; to be deinited in any case. */
int call_stacks_read(struct call_stacks *stacks, const struct profile *flat,
		     struct strings *strings,
		     void (*skip)(const char *path, const struct diag *diag));
void call_stacks_deinit(struct call_stacks *stacks);

#endif
