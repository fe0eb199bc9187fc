// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folds a tree: makes it smaller by summing the parts with the fewest samples. Each node has a
 * rank, which decides whether it stays. The tree is emptied, and its nodes are added again in the
 * same memory, parents first. No node gets a higher index than before, so a node is read before
 * its memory is overwritten.
 */
#include "libdb/slice/stack_tree_internal.h"

#include "libdb/slice/slice_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* This cannot fail, since the emptied tree does not need more memory than before. */
static uint32_t put_child(struct stack_tree *tree, uint32_t parent, uint32_t image, uint64_t offset)
{
	return (uint32_t)stack_tree_child(tree, parent, image, offset);
}

static uint32_t put_root(struct stack_tree *tree, uint32_t root)
{
	return (uint32_t)stack_tree_append_node(tree, STACK_NODE_ROOT, root, 0);
}

/* ---- choosing the nodes that stay ---- */

/*
 * Each node has a rank. The nodes whose rank is at least some limit stay. A node's rank is never
 * higher than its parent's rank, so the nodes that stay form a tree. OPROF_STACK_OTHER nodes have
 * rank 0: they are removed, and made again where they are needed. low[i] is the lowest rank among
 * node i and its parts: if node i stays and low[i] is below the limit, node i gets an
 * OPROF_STACK_OTHER node.
 */
struct fold {
	const struct stack_tree *tree;
	uint64_t *rank, *low;
};

#define RANK_ALWAYS UINT64_MAX /* of roots */

static void fold_find_low(const struct fold *fold)
{
	const struct stack_tree *tree = fold->tree;

	memcpy(fold->low, fold->rank, tree->nr_nodes * sizeof(*fold->low));
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const struct stack_node *node = &tree->nodes[i];

		if (!stack_node_is_root(node) && fold->rank[i] < fold->low[node->parent])
			fold->low[node->parent] = fold->rank[i];
	}
}

/* Returns the number of nodes of the folded tree if the nodes of at least this rank stay. */
static uint64_t fold_count(const struct fold *fold, uint64_t rank)
{
	uint64_t nr_stay = 0, nr_whole = 0;

	for (uint32_t i = 0; i < fold->tree->nr_nodes; i++) {
		nr_stay += fold->rank[i] >= rank;
		nr_whole += fold->low[i] >= rank;
	}
	return 2 * nr_stay - nr_whole;
}

/* Returns the lowest rank above 0 with which at most nr_nodes_max nodes stay. */
static uint64_t fold_find_rank(const struct fold *fold, uint64_t nr_nodes_max)
{
	uint64_t low = 1, high = RANK_ALWAYS;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (fold_count(fold, middle) <= nr_nodes_max)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* ---- nodes with equal samples ---- */

static uint64_t hash_bytes(uint64_t hash, const char *bytes)
{
	for (; *bytes; bytes++)
		hash = (hash ^ (uint8_t)*bytes) * UINT64_C(0x100000001b3);
	return hash;
}

/*
 * Hashes the properties of a node except its index, so that the result does not depend on the
 * order in which the tree was built.
 */
static uint32_t hash_node(const struct stack_tree *tree, const struct stack_node *node,
			  const uint32_t *hashes)
{
	uint64_t hash;

	if (stack_node_is_root(node))
		return (uint32_t)hash_bytes(UINT64_C(0xcbf29ce484222325),
					    tree->roots[node->image].app.path);
	hash = stack_hash(hashes[node->parent], node->offset);
	return (uint32_t)(stack_is_mark(node->image)
				  ? stack_hash(hash, node->image)
				  : hash_bytes(hash, tree->images[node->image].path.path));
}

/*
 * Ranks the nodes again, to choose among the nodes with exactly nr_samples samples. Nodes with
 * more samples stay, nodes with fewer do not, and of the nodes with exactly nr_samples only some
 * can stay: their hashes decide. samples[i] is the sum of node i and all nodes below it.
 */
static int fold_rank_equals(const struct fold *fold, const uint64_t *samples, uint64_t nr_samples)
{
	const struct stack_tree *tree = fold->tree;
	uint32_t *hashes = malloc((tree->nr_nodes + 1u) * sizeof(*hashes));

	if (!hashes)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const struct stack_node *node = &tree->nodes[i];

		hashes[i] = hash_node(tree, node, hashes);
		if (stack_node_is_other(node) ||
		    (!stack_node_is_root(node) && samples[i] < nr_samples))
			fold->rank[i] = 0;
		else if (stack_node_is_root(node) || samples[i] > nr_samples)
			fold->rank[i] = RANK_ALWAYS;
		else /* at most the parent's rank: the parent may also have exactly nr_samples */
			fold->rank[i] = hashes[i] < fold->rank[node->parent]
						? hashes[i] | 1u
						: fold->rank[node->parent];
	}
	free(hashes);
	fold_find_low(fold);
	return 0;
}

/*
 * Ranks all nodes, and sets *rank to the lowest rank of the nodes that stay. Returns 0 or -ENOMEM.
 */
static int fold_choose(struct fold *fold, const uint64_t *samples, uint64_t nr_nodes_max,
		       uint64_t *rank)
{
	const struct stack_tree *tree = fold->tree;
	int error;

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const struct stack_node *node = &tree->nodes[i];

		fold->rank[i] = stack_node_is_root(node) ? RANK_ALWAYS : samples[i];
		if (stack_node_is_other(node))
			fold->rank[i] = 0;
	}
	fold_find_low(fold);
	*rank = fold_find_rank(fold, nr_nodes_max);
	error = fold_rank_equals(fold, samples, *rank - 1);
	if (!error)
		*rank = fold_find_rank(fold, nr_nodes_max);
	return error;
}

/* ---- folding ---- */

/*
 * Flag in becomes[i]: node i is folded into an OPROF_STACK_OTHER node. The other bits of becomes[i]
 * are the index of the parent of the OPROF_STACK_OTHER node.
 */
#define IN_OTHER 0x80000000u

static void fold_nodes(struct stack_tree *tree, const uint64_t *ranks, uint64_t rank,
		       uint32_t nr_nodes, uint32_t *becomes)
{
	for (uint32_t i = 0; i < nr_nodes; i++) {
		const struct stack_node node = tree->nodes[i];
		const uint32_t parent = stack_node_is_root(&node) ? 0 : becomes[node.parent];

		if (stack_node_is_root(&node))
			becomes[i] = put_root(tree, node.image);
		else if (parent & IN_OTHER)
			becomes[i] = parent;
		else if (stack_node_is_other(&node) || ranks[i] < rank)
			becomes[i] = parent | IN_OTHER;
		else
			becomes[i] = put_child(tree, parent, node.image, node.offset);
		if (!(becomes[i] & IN_OTHER))
			stack_tree_add(tree, becomes[i], node.nr_samples, node.weight);
		else if (node.nr_samples || node.weight)
			stack_tree_add(tree,
				       put_child(tree, becomes[i] & ~IN_OTHER,
						 STACK_MARK(OPROF_STACK_OTHER), 0),
				       node.nr_samples, node.weight);
	}
}

static int fold_by(struct stack_tree *tree, struct fold *fold, const uint64_t *samples,
		   uint32_t nr_nodes_max)
{
	const uint32_t nr_nodes = tree->nr_nodes;
	uint32_t *becomes = malloc(nr_nodes * sizeof(*becomes));
	uint64_t rank;
	int error = becomes ? fold_choose(fold, samples, nr_nodes_max, &rank) : -ENOMEM;

	if (!error)
		error = stack_tree_begin_again(tree);
	if (!error)
		fold_nodes(tree, fold->rank, rank, nr_nodes, becomes);
	free(becomes);
	return error;
}

int stack_tree_fold(struct stack_tree *tree, uint32_t nr_nodes_max)
{
	struct fold fold = {.tree = tree};
	uint64_t *samples, *weights;
	int error;

	if (tree->nr_nodes <= nr_nodes_max)
		return 0;
	error = stack_tree_sum(tree, &samples, &weights);
	if (error)
		return error;
	fold.low = weights; /* the weights are not needed, so their memory is reused */
	fold.rank = malloc(tree->nr_nodes * sizeof(*fold.rank));
	error = fold.rank ? fold_by(tree, &fold, samples, nr_nodes_max) : -ENOMEM;
	free(fold.rank);
	free(samples);
	free(weights);
	return error;
}
