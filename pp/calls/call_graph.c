// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/array.h"
#include "lib/index_table.h"
#include "lib/saturate.h"
#include "pp/calls/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_ARC UINT32_MAX

/* One level of the path from a root to the current node. */
struct frame {
	uint32_t node;
	uint32_t outer; /* index in `path` of the outermost frame with this function */
	uint32_t next;	/* child to visit next; CALL_NODE_NONE: all children have been visited */
};

/*
 * The tree is walked once, depth first. `path` contains all frames above the current node. A
 * function or arc that is already on this path is not counted again.
 */
struct walking {
	struct call_graph *graph;
	const struct call_tree *tree;
	struct index_table arc_table;
	size_t arcs_room;
	/* Lists of children: the first child of each node, and the next sibling of each node. */
	uint32_t *first_below, *next_beside;
	uint32_t *arc_of; /* the arc that leads to each node */
	/*
	 * For each function, 1 + index in `path` of its outermost frame, or 0 if it is not in
	 * `path`.
	 */
	uint32_t *outermost;
	/* The same for each arc and its outermost callee. */
	uint32_t *arc_depth;
	struct frame *path;
	size_t depth, path_room;
};

/* ---- arcs ---- */

static bool same_arc(uint32_t index, const void *key, void *context)
{
	const struct call_graph *graph = context;
	const struct call_arc *wanted = key;

	return graph->arcs[index].caller == wanted->caller &&
	       graph->arcs[index].callee == wanted->callee;
}

static int number_arc(struct walking *walking, uint32_t caller, uint32_t callee, uint32_t *number)
{
	struct call_graph *graph = walking->graph;
	const struct call_arc arc = {.caller = caller, .callee = callee};
	uint64_t hash = index_table_hash(index_table_hash(0, caller), callee);

	*number = index_table_find(&walking->arc_table, hash, same_arc, &arc, graph);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	if (array_reserve(&graph->arcs, &walking->arcs_room, graph->nr_arcs, 1))
		return -ENOMEM;
	*number = (uint32_t)graph->nr_arcs;
	graph->arcs[graph->nr_arcs++] = arc;
	return index_table_put(&walking->arc_table, hash, *number);
}

static int find_arcs(struct walking *walking)
{
	const struct call_tree *tree = walking->tree;
	int error = 0;

	for (size_t i = 0; i < tree->nr_nodes && !error; i++) {
		uint32_t parent = tree->nodes[i].parent;

		walking->arc_of[i] = NO_ARC;
		if (parent != CALL_NODE_NONE && parent >= tree->nr_apps)
			error = number_arc(walking, tree->nodes[parent].function,
					   tree->nodes[i].function, &walking->arc_of[i]);
	}
	return error;
}

/* ---- walking the tree ---- */

static void list_parts(struct walking *walking)
{
	const struct call_tree *tree = walking->tree;

	for (size_t i = 0; i < tree->nr_nodes; i++)
		walking->first_below[i] = walking->next_beside[i] = CALL_NODE_NONE;
	for (size_t i = tree->nr_nodes; i > 0; i--) {
		uint32_t parent = tree->nodes[i - 1].parent;

		if (parent == CALL_NODE_NONE)
			continue;
		walking->next_beside[i - 1] = walking->first_below[parent];
		walking->first_below[parent] = (uint32_t)i - 1;
	}
}

static void add_node_counts(uint64_t *counts, uint64_t *shares, size_t at,
			    const struct call_tree *tree, const uint64_t *node_counts,
			    const uint64_t *node_shares)
{
	size_t nr = tree->nr_columns;

	saturate_add_each(counts + at * nr, node_counts, nr);
	if (shares != counts)
		saturate_add_each(shares + at * nr, node_shares, nr);
}

/*
 * Returns whether no other frame on the path has the function of `frame`, which must be the path's
 * last frame.
 */
static bool is_outermost(const struct walking *walking, const struct frame *frame)
{
	return frame->outer + 1 == walking->depth;
}

/*
 * Adds the node's own samples to its function's `self`. Adds the samples of the node and all nodes
 * below it to the function's `below`, unless a frame above has the same function.
 */
static void count_function(const struct walking *walking, const struct frame *frame)
{
	const struct call_graph *graph = walking->graph;
	const struct call_tree *tree = walking->tree;
	uint32_t function = tree->nodes[frame->node].function;

	add_node_counts(graph->self, graph->self_shares, function, tree,
			call_tree_self(tree, frame->node),
			call_tree_self_shares(tree, frame->node));
	if (is_outermost(walking, frame))
		add_node_counts(graph->below, graph->below_shares, function, tree,
				call_tree_below(tree, frame->node),
				call_tree_below_shares(tree, frame->node));
}

/* Adds the samples of the node and all nodes below it to the arc that leads to this node. */
static void count_arc(const struct walking *walking, const struct frame *frame)
{
	const struct call_graph *graph = walking->graph;
	const struct call_tree *tree = walking->tree;
	uint32_t arc = walking->arc_of[frame->node];

	if (arc == NO_ARC)
		return;
	if (is_outermost(walking, frame))
		add_node_counts(graph->arc_costs, graph->arc_cost_shares, arc, tree,
				call_tree_below(tree, frame->node),
				call_tree_below_shares(tree, frame->node));
	if (walking->arc_depth[arc])
		return;
	walking->arc_depth[arc] = (uint32_t)walking->depth;
	add_node_counts(graph->arc_counts, graph->arc_shares, arc, tree,
			call_tree_below(tree, frame->node),
			call_tree_below_shares(tree, frame->node));
}

static int enter(struct walking *walking, uint32_t node)
{
	uint32_t *outermost = &walking->outermost[walking->tree->nodes[node].function];
	struct frame *frame;

	if (array_reserve(&walking->path, &walking->path_room, walking->depth, 1))
		return -ENOMEM;
	frame = &walking->path[walking->depth++];
	if (!*outermost)
		*outermost = (uint32_t)walking->depth;
	*frame = (struct frame){
		.node = node, .outer = *outermost - 1, .next = walking->first_below[node]};
	count_arc(walking, frame);
	count_function(walking, frame);
	return 0;
}

static void leave(struct walking *walking)
{
	const struct frame *frame = &walking->path[walking->depth - 1];
	uint32_t *outermost = &walking->outermost[walking->tree->nodes[frame->node].function];
	uint32_t arc = walking->arc_of[frame->node];

	if (*outermost == walking->depth)
		*outermost = 0;
	if (arc != NO_ARC && walking->arc_depth[arc] == walking->depth)
		walking->arc_depth[arc] = 0;
	walking->depth--;
}

/* Visits all nodes below a root. The root itself is not a function. */
static int walk_root(struct walking *walking, uint32_t root)
{
	uint32_t node = walking->first_below[root];
	int error = 0;

	for (; node != CALL_NODE_NONE && !error; node = walking->next_beside[node]) {
		error = enter(walking, node);
		while (walking->depth && !error) {
			struct frame *frame = &walking->path[walking->depth - 1];
			uint32_t next = frame->next;

			if (next == CALL_NODE_NONE) {
				leave(walking);
				continue;
			}
			frame->next = walking->next_beside[next];
			error = enter(walking, next);
		}
	}
	return error;
}

/* ---- sorting of arcs ---- */

static int compare_counts(const struct call_graph *graph, uint32_t a, uint32_t b)
{
	size_t nr = graph->tree->nr_columns;

	for (size_t i = 0; i < nr; i++) {
		uint64_t left = graph->arc_shares[a * nr + i];
		uint64_t right = graph->arc_shares[b * nr + i];

		if (left != right)
			return left > right ? -1 : 1;
	}
	return a < b ? -1 : a > b;
}

static int compare_callees(const void *a, const void *b, void *context)
{
	const struct call_graph *graph = context;
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	uint32_t left_callee = graph->arcs[left].callee;
	uint32_t right_callee = graph->arcs[right].callee;

	if (left_callee != right_callee)
		return left_callee < right_callee ? -1 : 1;
	return compare_counts(graph, left, right);
}

static int compare_callers(const void *a, const void *b, void *context)
{
	const struct call_graph *graph = context;
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	uint32_t left_caller = graph->arcs[left].caller;
	uint32_t right_caller = graph->arcs[right].caller;

	if (left_caller != right_caller)
		return left_caller < right_caller ? -1 : 1;
	return compare_counts(graph, left, right);
}

static int sort_arcs(struct call_graph *graph)
{
	size_t nr_functions = graph->tree->nr_functions;

	graph->by_callee = calloc(graph->nr_arcs + 1, sizeof(*graph->by_callee));
	graph->by_caller = calloc(graph->nr_arcs + 1, sizeof(*graph->by_caller));
	graph->first_by_callee = calloc(nr_functions + 2, sizeof(*graph->first_by_callee));
	graph->first_by_caller = calloc(nr_functions + 2, sizeof(*graph->first_by_caller));
	if (!graph->by_callee || !graph->by_caller || !graph->first_by_callee ||
	    !graph->first_by_caller)
		return -ENOMEM;
	for (size_t i = 0; i < graph->nr_arcs; i++) {
		graph->by_callee[i] = graph->by_caller[i] = (uint32_t)i;
		graph->first_by_callee[graph->arcs[i].callee + 1]++;
		graph->first_by_caller[graph->arcs[i].caller + 1]++;
	}
	for (size_t i = 0; i < nr_functions; i++) {
		graph->first_by_callee[i + 1] += graph->first_by_callee[i];
		graph->first_by_caller[i + 1] += graph->first_by_caller[i];
	}
	qsort_r(graph->by_callee, graph->nr_arcs, sizeof(*graph->by_callee), compare_callees,
		graph);
	qsort_r(graph->by_caller, graph->nr_arcs, sizeof(*graph->by_caller), compare_callers,
		graph);
	return 0;
}

/* ---- the graph ---- */

static int make_walk(struct walking *walking)
{
	const struct call_tree *tree = walking->tree;

	walking->first_below = calloc(tree->nr_nodes + 1, sizeof(uint32_t));
	walking->next_beside = calloc(tree->nr_nodes + 1, sizeof(uint32_t));
	walking->arc_of = calloc(tree->nr_nodes + 1, sizeof(uint32_t));
	walking->outermost = calloc(tree->nr_functions + 1, sizeof(uint32_t));
	return walking->first_below && walking->next_beside && walking->arc_of && walking->outermost
		       ? 0
		       : -ENOMEM;
}

/*
 * Allocates an array of nr x nr_columns counts, and one of the same length for shares. If the
 * tree's shares are its counts, *shares is the same array as *counts.
 */
static int make_pair(const struct call_tree *tree, size_t nr, uint64_t **counts, uint64_t **shares)
{
	*counts = *shares = calloc(nr * tree->nr_columns + 1, sizeof(**counts));
	if (tree->self_shares != tree->self)
		*shares = calloc(nr * tree->nr_columns + 1, sizeof(**shares));
	return *counts && *shares ? 0 : -ENOMEM;
}

static int make_counts(struct call_graph *graph)
{
	const struct call_tree *tree = graph->tree;
	size_t nr = tree->nr_functions;

	if (make_pair(tree, nr, &graph->self, &graph->self_shares) ||
	    make_pair(tree, nr, &graph->below, &graph->below_shares) ||
	    make_pair(tree, graph->nr_arcs, &graph->arc_counts, &graph->arc_shares))
		return -ENOMEM;
	return make_pair(tree, graph->nr_arcs, &graph->arc_costs, &graph->arc_cost_shares);
}

static int walk(struct walking *walking)
{
	int error = make_walk(walking);

	if (!error)
		error = find_arcs(walking);
	if (!error)
		error = make_counts(walking->graph);
	if (error)
		return error;
	walking->arc_depth = calloc(walking->graph->nr_arcs + 1, sizeof(uint32_t));
	if (!walking->arc_depth)
		return -ENOMEM;
	list_parts(walking);
	for (uint32_t i = 0; i < walking->tree->nr_apps && !error; i++)
		error = walk_root(walking, i);
	return error;
}

int call_graph_build(struct call_graph *graph, const struct call_tree *tree)
{
	struct walking walking = {.graph = graph, .tree = tree};
	int error;

	*graph = (struct call_graph){.tree = tree};
	error = walk(&walking);
	if (!error)
		error = sort_arcs(graph);
	index_table_deinit(&walking.arc_table);
	free(walking.first_below);
	free(walking.next_beside);
	free(walking.arc_of);
	free(walking.outermost);
	free(walking.arc_depth);
	free(walking.path);
	if (error)
		call_graph_deinit(graph);
	return error;
}

static void free_pair(uint64_t *counts, uint64_t *shares)
{
	if (shares != counts)
		free(shares);
	free(counts);
}

void call_graph_deinit(struct call_graph *graph)
{
	free_pair(graph->self, graph->self_shares);
	free_pair(graph->below, graph->below_shares);
	free_pair(graph->arc_counts, graph->arc_shares);
	free_pair(graph->arc_costs, graph->arc_cost_shares);
	free(graph->arcs);
	free(graph->by_callee);
	free(graph->by_caller);
	free(graph->first_by_callee);
	free(graph->first_by_caller);
	*graph = (struct call_graph){0};
}
