/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call trees in memory. The trees have the content of a stack file or of a slice's stacks, and can
 * be merged, folded, encoded and decoded. One struct stack_tree contains the call trees of all
 * applications and events. Each application and event has its own root.
 *
 * The children of a node are called its parts. A node's index is greater than its parent's index.
 * Call trees with the names of functions are in pp/calls/call_tree.h.
 */
#ifndef LIBDB_STACK_TREE_H
#define LIBDB_STACK_TREE_H

#include "lib/diag.h"
#include "libdb/slice/slice.h"
#include "oprof/stack_file.h"

#include <stddef.h>
#include <stdint.h>

/* A tree with more nodes is folded before it is written to a slice (stack_tree_fold). */
#define STACK_TREE_NODES_MAX (1u << 20)

struct stack_image {
	struct slice_path path;
	enum oprof_image_kind kind;
	uint64_t image_start;
	struct oprof_image_identity identity;
};

struct stack_node {
	uint32_t parent; /* index of the parent; STACK_NODE_ROOT: this node is a root */
	uint32_t image;	 /* index of an image, or STACK_MARK(mark); for a root: index in `roots` */
	uint64_t offset; /* offset in the image: of the function or of an address in it */
	uint64_t nr_samples, weight; /* sums of samples in this function, not in its callees */
};

#define STACK_NODE_ROOT	 UINT32_MAX
#define STACK_MARK(mark) (UINT32_MAX - (uint32_t)(mark)) /* enum oprof_stack_mark */

/*
 * A root is stored as a section (libdb/slice/slice.h) in which image, identity, image_kind and
 * image_start are 0. Its nr_samples and weight are the sums of its whole tree. Its nr_keys is the
 * number of the tree's nodes, including the root's node. The tree owns all strings and arrays.
 */
struct stack_tree {
	struct slice_section *roots;
	struct stack_image *images;
	struct stack_node *nodes;
	uint32_t nr_roots, nr_images, nr_nodes;
	struct stack_tree_index *index; /* used to find nodes; NULL: not needed yet */
	struct stack_tree_memory *memory;
};

int stack_tree_init(struct stack_tree *tree); /* 0 or -ENOMEM */
void stack_tree_deinit(struct stack_tree *tree);

/*
 * stack_tree_root finds the node of a root, stack_tree_image finds an image, and stack_tree_child
 * finds the node of a function below the node `parent`. If the node or image is missing, the
 * function adds it. Strings are copied. The functions return an index, -ENOMEM or -E2BIG. The
 * `image` of a child is an index or STACK_MARK(); the offset of a mark is always 0. An
 * OPROF_STACK_OTHER node has no parts: if the parent is such a node, the parent itself is returned.
 */
int64_t stack_tree_root(struct stack_tree *tree, const struct slice_section *section);
int64_t stack_tree_image(struct stack_tree *tree, const struct stack_image *image);
int64_t stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t image, uint64_t offset);
/*
 * Adds samples that were taken in the node's function. Sums that would overflow stay at 2^64 - 1.
 */
void stack_tree_add(struct stack_tree *tree, uint32_t node, uint64_t nr_samples, uint64_t weight);

/*
 * Computes, for each node, the sum of this node and all nodes below it. The results are malloc'ed
 * arrays of tree->nr_nodes elements. Returns 0 or -ENOMEM.
 */
int stack_tree_sum(const struct stack_tree *tree, uint64_t **samples, uint64_t **weights);

/* Adds all nodes of the tree `from` to the tree `tree`. Returns 0, -ENOMEM, or -E2BIG. */
int stack_tree_merge(struct stack_tree *tree, const struct stack_tree *from);

/*
 * Reduces the tree to nr_nodes_max nodes (plus roots, and OPROF_STACK_OTHER nodes directly below
 * them): the parts with the fewest samples are replaced by one OPROF_STACK_OTHER node below their
 * parent. This node has the sum of the replaced parts. The sums of roots do not change, but indices
 * of nodes do. The result does not depend on the order in which the tree was built. Returns 0 or
 * -ENOMEM.
 */
int stack_tree_fold(struct stack_tree *tree, uint32_t nr_nodes_max);

/* ---- the frame "stacks" of slices (doc/slice.md), before compression ---- */

/*
 * Encodes the tree into malloc'ed memory at *bytes. The result does not depend on the order in
 * which the tree was built. Returns 0, -ENOMEM, or -E2BIG: the tree must be folded first.
 */
int stack_tree_encode(const struct stack_tree *tree, uint8_t **bytes, size_t *nr_bytes);
/*
 * Decodes bytes into *tree. The caller must call stack_tree_deinit if the function succeeds, and
 * must not call it after an error. `version` is the slice's version, OPROF_SLICE_VERSION_MIN to
 * OPROF_SLICE_VERSION. Returns 0; -EILSEQ: damaged; -EPROTONOSUPPORT: unknown flags; or -ENOMEM. An
 * error sets diag, but without the name of a file. The memory used is bounded by a small multiple
 * of nr_bytes.
 */
int stack_tree_decode(struct stack_tree *tree, uint32_t version, const uint8_t *bytes,
		      size_t nr_bytes, struct diag *diag);

/*
 * Sets the call trees that slice_builder_write adds to the slice, folded to STACK_TREE_NODES_MAX
 * nodes. `tree` must exist until slice_builder_write returns. (slice_merge merges call trees
 * without this call.)
 */
void slice_builder_stacks(struct slice_builder *builder, const struct stack_tree *tree);
/* Reads a slice's call trees. If it has none, *tree is empty. Errors as stack_tree_decode. */
int slice_read_stacks(struct slice *slice, struct stack_tree *tree, struct diag *diag);

#endif
