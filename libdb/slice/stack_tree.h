/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call trees in memory: what a stack file or the stacks of a slice hold,
 * summed, folded, coded. One tree holds those of all applications and events:
 * each has a root of its own.
 *
 * Nodes come parents first: a node's index is above its parent's. Not for
 * symbols (pp/calls/call_tree.h).
 */
#ifndef LIBDB_STACK_TREE_H
#define LIBDB_STACK_TREE_H

#include "lib/diag.h"
#include "libdb/slice/slice.h"
#include "oprof/stack_file.h"

#include <stddef.h>
#include <stdint.h>

/* Of one tree: beyond it, it is folded (stack_tree_fold). */
#define STACK_TREE_NODES_MAX (1u << 20)

struct stack_image {
	struct slice_path path;
	enum oprof_image_kind kind;
	uint64_t image_start;
	struct oprof_image_identity identity;
};

struct stack_node {
	uint32_t parent; /* index of a node; STACK_NODE_ROOT: the root itself */
	uint32_t image;	 /* index of an image; STACK_MARK(mark); of a root: its index in roots */
	uint64_t offset; /* of the function in its image, or of a place in it */
	uint64_t nr_samples, weight; /* that ended here */
};

#define STACK_NODE_ROOT	 UINT32_MAX
#define STACK_MARK(mark) (UINT32_MAX - (uint32_t)(mark)) /* enum oprof_stack_mark */

/*
 * A root is a section (libdb/slice/slice.h) without image, identity, image_kind and
 * image_start, which are 0. Its nr_samples and weight are those of its whole
 * tree; nr_keys is its number of nodes, the root's own included. Strings and arrays are the tree's.
 */
struct stack_tree {
	struct slice_section *roots;
	struct stack_image *images;
	struct stack_node *nodes;
	uint32_t nr_roots, nr_images, nr_nodes;
	struct stack_tree_index *index; /* by what they are; NULL: not needed yet */
	struct stack_tree_memory *memory;
};

int stack_tree_init(struct stack_tree *tree); /* 0 or -ENOMEM */
void stack_tree_deinit(struct stack_tree *tree);

/*
 * The node of a root, the image, the node of a function below a node: made if
 * it is not there. Strings are copied. An index, or -ENOMEM, -E2BIG. image of
 * a child: an index or STACK_MARK(), whose offset is always 0. Below an
 * OPROF_STACK_OTHER is nothing: it is itself what its child is.
 */
int64_t stack_tree_root(struct stack_tree *tree, const struct slice_section *section);
int64_t stack_tree_image(struct stack_tree *tree, const struct stack_image *image);
int64_t stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t image, uint64_t offset);
/* Samples that ended at node. Sums stay at 2^64 - 1. */
void stack_tree_add(struct stack_tree *tree, uint32_t node, uint64_t nr_samples, uint64_t weight);

/* Sums below each node, itself included: nr_nodes samples and weights. 0 or -ENOMEM. */
int stack_tree_sum(const struct stack_tree *tree, uint64_t **samples, uint64_t **weights);

/* Add all of from to tree. 0, -ENOMEM, -E2BIG. */
int stack_tree_merge(struct stack_tree *tree, const struct stack_tree *from);

/*
 * Leave nr_nodes_max nodes at most (but roots, and what is folded right below
 * them): the parts with the fewest samples go to a node OPROF_STACK_OTHER below
 * their parent. Sums of roots stay. Which go does not depend on the order in
 * which the tree was made. Indices of nodes change. 0 or -ENOMEM.
 */
int stack_tree_fold(struct stack_tree *tree, uint32_t nr_nodes_max);

/* ---- in slices: the frame "stacks" (doc/slice.md), raw: compression is the slice's ---- */

/* malloc'ed bytes. The same tree gives the same bytes, in whatever order it was made. */
int stack_tree_encode(const struct stack_tree *tree, uint8_t **bytes, size_t *nr_bytes);
/*
 * version: the slice's, OPROF_SLICE_VERSION_MIN to OPROF_SLICE_VERSION. *tree
 * is made by it, to be deinited after 0 only. 0, -EILSEQ and diag (which
 * names no file), -EPROTONOSUPPORT, -ENOMEM; memory is bounded by a small
 * multiple of nr_bytes.
 */
int stack_tree_decode(struct stack_tree *tree, uint32_t version, const uint8_t *bytes,
		      size_t nr_bytes, struct diag *diag);

/*
 * What a slice's builder is to write besides its sections (folded to
 * STACK_TREE_NODES_MAX); borrowed until then. slice_merge merges them too.
 */
void slice_builder_stacks(struct slice_builder *builder, const struct stack_tree *tree);
/* Those of a slice, as stack_tree_decode; empty where it has none. 0, -EILSEQ and diag, -ENOMEM. */
int slice_read_stacks(struct slice *slice, struct stack_tree *tree, struct diag *diag);

#endif
