/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call trees, inside. stack_tree.c makes them, stack_tree_fold.c makes them
 * smaller, stack_tree_order.c puts them in the order that files have,
 * stack_tree_encode.c and stack_tree_decode.c are the frame of slices.
 */
#ifndef LIBDB_STACK_TREE_INTERNAL_H
#define LIBDB_STACK_TREE_INTERNAL_H

#include "libdb/slice/stack_index.h"
#include "libdb/slice/stack_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers in it are one more than the index of what they stand for. */
struct stack_tree_index {
	struct stack_index nodes, images, roots;
};

struct stack_text; /* strings of the tree, some KB of them */

struct stack_tree_memory {
	uint32_t nodes_room, images_room, roots_room;
	uint32_t nr_others; /* nodes OPROF_STACK_OTHER that were ever made: mostly none */
	uint32_t *root_of;  /* of each node: index in roots */
	struct stack_text *texts;
};

/* No more nodes, images: what is above are marks. */
#define STACK_NUMBER_MAX (UINT32_MAX / 2)

static inline bool stack_is_mark(uint32_t image)
{
	return image > STACK_MARK(OPROF_STACK_MARKS);
}

static inline bool stack_node_is_root(const struct stack_node *node)
{
	return node->parent == STACK_NODE_ROOT;
}

static inline bool stack_node_is_other(const struct stack_node *node)
{
	return node->image == STACK_MARK(OPROF_STACK_OTHER) && !stack_node_is_root(node);
}

/* Of a tree in a slice: roots, and what is folded right below them, are beyond the bound. */
static inline uint64_t stack_tree_nodes_max(uint32_t nr_roots)
{
	return STACK_TREE_NODES_MAX + 2 * (uint64_t)nr_roots;
}

/* ---- stack_tree.c ---- */

/* A copy that lives as long as the tree; NULL: no memory. */
const char *stack_tree_text(struct stack_tree *tree, const char *text, size_t nr_bytes);

/*
 * Append without looking whether it is there; strings are the tree's already. The index,
 * -ENOMEM, -E2BIG. Where the tree has an index, it is in it.
 */
int64_t stack_tree_append_root(struct stack_tree *tree, const struct slice_section *section);
int64_t stack_tree_append_image(struct stack_tree *tree, const struct stack_image *image);
int64_t stack_tree_append_node(struct stack_tree *tree, uint32_t parent, uint32_t image,
			       uint64_t offset);

/*
 * Nodes are about to be put anew, each at or before its old index: forget
 * them. Meanwhile the old ones are read from nodes. 0 or -ENOMEM, then nothing has changed.
 */
int stack_tree_begin_again(struct stack_tree *tree);

#endif
