/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call trees in memory: the contents of a stack file or of a slice's stacks,
 * summed, folded, encoded and decoded. One tree holds those of all applications
 * and events; each of them has its own root.
 *
 * Parents come before their parts: a node's index is above its parent's. Not
 * for symbols (pp/calls/call_tree.h).
 */
#ifndef LIBDB_STACK_TREE_H
#define LIBDB_STACK_TREE_H

#include "lib/diag.h"
#include "libdb/slice/slice.h"
#include "oprof/stack_file.h"

#include <stddef.h>
#include <stdint.h>

/* A larger tree is folded before it is written to a slice (stack_tree_fold). */
#define STACK_TREE_NODES_MAX (1u << 20)

struct stack_image {
	struct slice_path path;
	enum oprof_image_kind kind;
	uint64_t image_start;
	struct oprof_image_identity identity;
};

struct stack_node {
	uint32_t parent; /* index of a node; STACK_NODE_ROOT in a root */
	uint32_t image;	 /* index of an image, or STACK_MARK(mark); in a root: its index in roots */
	uint64_t offset; /* of the function in its image, or of a place in the function */
	uint64_t nr_samples, weight; /* of stacks that ended here */
};

#define STACK_NODE_ROOT	 UINT32_MAX
#define STACK_MARK(mark) (UINT32_MAX - (uint32_t)(mark)) /* enum oprof_stack_mark */

/*
 * A root is a section (libdb/slice/slice.h) without image, identity, image_kind
 * and image_start, which are 0. Its nr_samples and weight are the sums of its
 * whole tree; nr_keys is the number of its nodes, including the root's. The
 * tree owns strings and arrays.
 */
struct stack_tree {
	struct slice_section *roots;
	struct stack_image *images;
	struct stack_node *nodes;
	uint32_t nr_roots, nr_images, nr_nodes;
	struct stack_tree_index *index; /* for look-ups; NULL: not needed yet */
	struct stack_tree_memory *memory;
};

int stack_tree_init(struct stack_tree *tree); /* 0 or -ENOMEM */
void stack_tree_deinit(struct stack_tree *tree);

/*
 * Return the node of a root, an image, or the node of a function below a node,
 * adding it if it is missing. Strings are copied. Return an index, -ENOMEM or
 * -E2BIG. image of a child is an index or STACK_MARK(), whose offset is always
 * 0. An OPROF_STACK_OTHER has no parts: as a parent it is returned itself.
 */
int64_t stack_tree_root(struct stack_tree *tree, const struct slice_section *section);
int64_t stack_tree_image(struct stack_tree *tree, const struct stack_image *image);
int64_t stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t image, uint64_t offset);
/* Adds samples that ended at node. Sums saturate at 2^64 - 1. */
void stack_tree_add(struct stack_tree *tree, uint32_t node, uint64_t nr_samples, uint64_t weight);

/* Sums each node with all nodes below it: malloc'ed arrays of nr_nodes. Returns 0 or -ENOMEM. */
int stack_tree_sum(const struct stack_tree *tree, uint64_t **samples, uint64_t **weights);

/* Adds all of from to tree. Returns 0, -ENOMEM, or -E2BIG. */
int stack_tree_merge(struct stack_tree *tree, const struct stack_tree *from);

/*
 * Reduces the tree to nr_nodes_max nodes (plus roots, and OPROF_STACK_OTHER
 * nodes directly below them): the parts with the fewest samples are summed in a
 * node OPROF_STACK_OTHER below their parent. Sums of roots do not change. The
 * result does not depend on the order in which the tree was built. Indices of
 * nodes change. Returns 0 or -ENOMEM.
 */
int stack_tree_fold(struct stack_tree *tree, uint32_t nr_nodes_max);

/* ---- the frame "stacks" of slices (doc/slice.md), before compression ---- */

/*
 * Sets malloc'ed *bytes, which do not depend on the order in which the tree was
 * built. Returns 0, -ENOMEM, or -E2BIG if the tree must be folded first.
 */
int stack_tree_encode(const struct stack_tree *tree, uint8_t **bytes, size_t *nr_bytes);
/*
 * version is the slice's, OPROF_SLICE_VERSION_MIN to OPROF_SLICE_VERSION.
 * Initializes *tree, which needs deinit only after 0. Returns 0, -EILSEQ and
 * diag (without a file's name), -EPROTONOSUPPORT, or -ENOMEM. Memory is bounded
 * by a small multiple of nr_bytes.
 */
int stack_tree_decode(struct stack_tree *tree, uint32_t version, const uint8_t *bytes,
		      size_t nr_bytes, struct diag *diag);

/*
 * Sets the call trees that slice_builder_write adds to the slice (folded to
 * STACK_TREE_NODES_MAX); borrowed until then. slice_merge merges call trees as
 * well.
 */
void slice_builder_stacks(struct slice_builder *builder, const struct stack_tree *tree);
/* Reads a slice's call trees, empty if it has none. Errors as stack_tree_decode's. */
int slice_read_stacks(struct slice *slice, struct stack_tree *tree, struct diag *diag);

#endif
