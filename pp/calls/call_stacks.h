/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the call stacks of a selection, and adds up all its call trees. The frames are keys; they
 * get their symbols later. Each application has a root for each column. Samples that the
 * specification does not select are not counted. Internal to pp/calls/.
 */
#ifndef PP_CALL_STACKS_H
#define PP_CALL_STACKS_H

#include "lib/index_table.h"
#include "pp/calls/call_tree.h"
#include "pp/profile/profile_time.h"

#include <stddef.h>
#include <stdint.h>

/* A frame: a key of an image, or a mark, which stands for unknown frames. */
struct call_key {
	uint32_t image; /* index in images, or STACK_MARK() */
	uint32_t function;
	uint64_t offset;
	uint32_t sides; /* bit i is set if side i has the key */
};

struct call_stack_root {
	uint32_t app, column;
};

struct call_stack_node {
	uint32_t parent; /* smaller than the node's own index; CALL_NODE_NONE: a root */
	uint32_t key;	 /* index in keys; CALL_NODE_NONE: a root */
	uint32_t root;
	uint32_t node; /* index in call_tree.nodes */
	uint64_t nr_samples, weight;
};

struct call_stacks {
	const struct selection *selection;
	struct strings *strings; /* owned by the call tree */
	const char **apps;
	struct call_image *images;
	struct call_stack_root *roots;
	struct call_key *keys;
	struct call_stack_node *nodes;
	size_t nr_apps, nr_images, nr_roots, nr_keys, nr_nodes;
	size_t apps_room, images_room, roots_room, keys_room, nodes_room;
	struct index_table app_table, image_table, root_table, key_table, node_table;
	/* the stretches of time; NULL: samples are not stored by time */
	const struct profile_time *stretches;
	/* In each entry, row is the index of a node, column is 0, and share is the weight. */
	struct profile_time times;
	/* Number of trees added so far. node_table is empty until the second tree is added. */
	size_t nr_trees;
	bool has_stacks;   /* at least one tree has nodes */
	bool has_by_image; /* like call_tree.has_by_image */
	size_t nr_damaged;
};

/*
 * Reads all call trees of flat->selection. Calls skip() for each tree that cannot be read. Returns
 * 0 or -ENOMEM. Call call_stacks_deinit() in either case.
 */
int call_stacks_read(struct call_stacks *stacks, const struct profile *flat,
		     struct strings *strings,
		     void (*skip)(const char *path, const struct diag *diag));
void call_stacks_deinit(struct call_stacks *stacks);

#endif
