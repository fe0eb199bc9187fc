/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of call trees. stack_tree.c builds call trees. stack_tree_fold.c makes them smaller.
 * stack_tree_order.c sorts them for writing. stack_tree_encode.c and stack_tree_decode.c write and
 * read the frame "stacks" of a slice.
 */
#ifndef LIBDB_STACK_TREE_INTERNAL_H
#define LIBDB_STACK_TREE_INTERNAL_H

#include "libdb/slice/stack_index.h"
#include "libdb/slice/stack_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers in these tables are 1 + an index in the tree's array. */
struct stack_tree_index {
	struct stack_index nodes, images, roots;
};

struct stack_text; /* a block of memory with the tree's strings */

struct stack_tree_memory {
	uint32_t nodes_room, images_room, roots_room;
	uint32_t nr_others; /* number of OPROF_STACK_OTHER nodes added so far, usually 0 */
	uint32_t *root_of;  /* root_of[node] is the index of the node's root in roots */
	struct stack_text *texts;
};

/* Limit of the numbers of nodes and images. Larger numbers are marks. */
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

/*
 * Returns the maximum number of nodes in a slice: STACK_TREE_NODES_MAX, and in addition the roots
 * and the OTHER nodes directly below them.
 */
static inline uint64_t stack_tree_nodes_max(uint32_t nr_roots)
{
	return STACK_TREE_NODES_MAX + 2 * (uint64_t)nr_roots;
}

/* ---- stack_tree.c ---- */

/* Returns a copy of text that exists as long as the tree, or NULL if out of memory. */
const char *stack_tree_text(struct stack_tree *tree, const char *text, size_t nr_bytes);

/*
 * These functions append a root, image or node without checking whether an equal item exists. If
 * tree->index is not NULL, they also add the root, image or node to tree->index. The strings must
 * already belong to the tree. The functions return the index in the tree's array, -ENOMEM, or
 * -E2BIG.
 */
int64_t stack_tree_append_root(struct stack_tree *tree, const struct slice_section *section);
int64_t stack_tree_append_image(struct stack_tree *tree, const struct stack_image *image);
int64_t stack_tree_append_node(struct stack_tree *tree, uint32_t parent, uint32_t image,
			       uint64_t offset);

/*
 * Removes all nodes, so that the caller can add them again. A node must get its old index or a
 * lower one, because the old nodes stay in tree->nodes until new ones overwrite them. Returns 0,
 * or -ENOMEM with the nodes unchanged.
 */
int stack_tree_begin_again(struct stack_tree *tree);

#endif
