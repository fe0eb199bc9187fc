// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/page/page_tree.h"

#include "pp/calls/call_names.h"
#include "pp/format/format_rows.h"
#include "pp/profile/profile_time.h"

#include <errno.h>
#include <stdlib.h>

/*
 * The children of node i are below[first[i]] to below[first[i + 1] - 1]. The
 * number nr_nodes stands for the root of the whole tree, whose children are the
 * applications.
 */
struct tree_walk {
	const struct call_tree *tree;
	size_t *first;
	uint32_t *below;
	uint32_t *order; /* the nodes, depth first */
	uint32_t *depth; /* depth of each node in order; applications have 1 */
	size_t nr_order;
};

static size_t parent_of(const struct call_tree *tree, size_t node)
{
	uint32_t parent = tree->nodes[node].parent;

	return parent == CALL_NODE_NONE ? tree->nr_nodes : parent;
}

static bool is_empty(const struct call_tree *tree, size_t node)
{
	const uint64_t *below = call_tree_below(tree, node);

	for (size_t i = 0; i < tree->nr_columns; i++)
		if (below[i])
			return false;
	return true;
}

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct call_tree *tree = context;
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	int order = compare_sides(call_tree_below_shares(tree, left),
				  call_tree_below_shares(tree, right), tree->profile->nr_classes,
				  tree->nr_columns);

	return order ? order : left < right ? -1 : left > right;
}

static void find_below(struct tree_walk *walk)
{
	const struct call_tree *tree = walk->tree;
	size_t begin = 0;

	for (size_t i = 0; i < tree->nr_nodes; i++)
		if (!is_empty(tree, i))
			walk->first[parent_of(tree, i)]++;
	for (size_t i = 0; i <= tree->nr_nodes + 1; i++) {
		size_t nr = walk->first[i];

		walk->first[i] = begin;
		begin += nr;
	}
	for (size_t i = 0; i < tree->nr_nodes; i++)
		if (!is_empty(tree, i))
			walk->below[walk->first[parent_of(tree, i)]++] = (uint32_t)i;
	for (size_t i = tree->nr_nodes + 1; i > 0; i--)
		walk->first[i] = walk->first[i - 1];
	walk->first[0] = 0;
	for (size_t i = 0; i <= tree->nr_nodes; i++)
		qsort_r(walk->below + walk->first[i], walk->first[i + 1] - walk->first[i],
			sizeof(*walk->below), compare_nodes, (void *)(uintptr_t)tree);
}

/*
 * Fills order and depth. For each node on the current path, next[node] is the
 * index in below[] of the node's next child to visit.
 */
static void walk_nodes(struct tree_walk *walk, size_t *next)
{
	const struct call_tree *tree = walk->tree;
	size_t at = tree->nr_nodes;
	uint32_t depth = 0;

	for (;;) {
		if (next[at] < walk->first[at + 1]) {
			uint32_t node = walk->below[next[at]++];

			walk->order[walk->nr_order] = node;
			walk->depth[walk->nr_order++] = ++depth;
			next[node] = walk->first[node];
			at = node;
		} else if (at == tree->nr_nodes) {
			return;
		} else {
			at = parent_of(tree, at);
			depth--;
		}
	}
}

static int walk_init(struct tree_walk *walk, const struct call_tree *tree)
{
	size_t *next = calloc(tree->nr_nodes + 1, sizeof(*next));

	*walk = (struct tree_walk){.tree = tree};
	walk->first = calloc(tree->nr_nodes + 2, sizeof(*walk->first));
	walk->below = calloc(tree->nr_nodes + 1, sizeof(*walk->below));
	walk->order = calloc(tree->nr_nodes + 1, sizeof(*walk->order));
	walk->depth = calloc(tree->nr_nodes + 1, sizeof(*walk->depth));
	if (!next || !walk->first || !walk->below || !walk->order || !walk->depth) {
		free(next);
		return -ENOMEM;
	}
	find_below(walk);
	next[tree->nr_nodes] = walk->first[tree->nr_nodes];
	walk_nodes(walk, next);
	free(next);
	return 0;
}

static void walk_deinit(struct tree_walk *walk)
{
	free(walk->first);
	free(walk->below);
	free(walk->order);
	free(walk->depth);
}

/*
 * Returns the label of a node. Labels from 1 are applications; functions follow. Label 0 is the
 * root of the whole tree.
 */
static uint64_t label_of(const struct call_tree *tree, uint32_t node)
{
	uint64_t function = tree->nodes[node].function;

	return node < tree->nr_apps ? 1 + function : 1 + tree->nr_apps + function;
}

static void add_shape(struct page_data *data, const struct tree_walk *walk)
{
	const struct call_tree *tree = walk->tree;

	page_data_begin(data, "treeDepth");
	page_data_add(data, 0);
	for (size_t i = 0; i < walk->nr_order; i++)
		page_data_add(data, walk->depth[i]);
	page_data_begin(data, "treeLabel");
	page_data_add(data, 0);
	for (size_t i = 0; i < walk->nr_order; i++)
		page_data_add(data, label_of(tree, walk->order[i]));
	page_data_begin(data, "treeImage");
	for (size_t i = 0; i < tree->nr_functions; i++) {
		uint32_t image = tree->functions[i].image;

		page_data_add(data, image == CALL_IMAGE_NONE ? 0 : (uint64_t)image + 1);
	}
}

static void add_values(struct page_data *data, const struct tree_walk *walk)
{
	const struct call_tree *tree = walk->tree;

	for (size_t column = 0; column < tree->nr_columns; column++) {
		page_data_begin_column(data, "tree", column);
		page_data_add(data, 0);
		for (size_t i = 0; i < walk->nr_order; i++)
			page_data_add(data, call_tree_self_shares(tree, walk->order[i])[column]);
	}
}

/* ---- by stretch of time ---- */

static size_t end_of_stretch(const struct profile_time *time, size_t i)
{
	size_t end = i + 1;

	while (end < time->nr_entries && time->entries[end].row == time->entries[i].row &&
	       time->entries[end].stretch == time->entries[i].stretch)
		end++;
	return end;
}

static uint64_t value_of(const struct profile_time *time, size_t i, size_t end, uint32_t column)
{
	for (; i < end; i++)
		if (time->entries[i].column == column)
			return time->entries[i].share;
	return 0;
}

/* Sets first[node] to the index of each node's first entry; first has nr_nodes + 1 elements. */
static void find_entries(size_t *first, const struct call_tree *tree)
{
	size_t entry = 0;

	for (size_t node = 0; node <= tree->nr_nodes; node++) {
		while (entry < tree->time->nr_entries && tree->time->entries[entry].row < node)
			entry++;
		first[node] = entry;
	}
}

/*
 * The arrays that add_times() adds. TIME_NODES: for each node, the number of
 * stretches with samples. TIME_STRETCHES: these stretches. TIME_VALUES: the
 * node's values in these stretches, for one column.
 */
enum time_part { TIME_NODES, TIME_STRETCHES, TIME_VALUES };

static void add_times(struct page_data *data, const struct tree_walk *walk, const size_t *first,
		      enum time_part part, uint32_t column)
{
	const struct profile_time *time = walk->tree->time;

	for (size_t i = 0; i < walk->nr_order; i++) {
		size_t last = first[walk->order[i] + 1];
		uint64_t nr = 0;

		for (size_t j = first[walk->order[i]], end; j < last; j = end, nr++) {
			end = end_of_stretch(time, j);
			if (part == TIME_STRETCHES)
				page_data_add(data, time->entries[j].stretch);
			else if (part == TIME_VALUES)
				page_data_add(data, value_of(time, j, end, column));
		}
		if (part == TIME_NODES)
			page_data_add(data, nr);
	}
}

static int add_time(struct page_data *data, const struct tree_walk *walk)
{
	const struct call_tree *tree = walk->tree;
	size_t *first;

	if (!tree->time)
		return 0;
	first = calloc(tree->nr_nodes + 2, sizeof(*first));
	if (!first)
		return -ENOMEM;
	find_entries(first, tree);
	page_data_begin(data, "treeTimeNodes");
	page_data_add(data, 0);
	add_times(data, walk, first, TIME_NODES, 0);
	page_data_begin(data, "treeTimeStretch");
	add_times(data, walk, first, TIME_STRETCHES, 0);
	for (uint32_t column = 0; column < tree->nr_columns; column++) {
		page_data_begin_column(data, "treeTime", column);
		add_times(data, walk, first, TIME_VALUES, column);
	}
	free(first);
	return 0;
}

int page_tree_add(struct page_data *data, const struct call_tree *tree)
{
	struct tree_walk walk;
	int error = walk_init(&walk, tree);

	if (!error) {
		add_shape(data, &walk);
		add_values(data, &walk);
		error = add_time(data, &walk);
	}
	walk_deinit(&walk);
	return error;
}

int page_tree_write(struct json_writer *json, const struct call_tree *tree,
		    enum demangle_mode demangle)
{
	struct call_names names;
	int error = call_names_make(&names, tree, demangle);

	json_begin(json, "treeApps", '[');
	for (size_t i = 0; i < tree->nr_apps; i++)
		json_text(json, NULL, tree->apps[i]);
	json_end(json, ']');
	json_begin(json, "treeImages", '[');
	for (size_t i = 0; i < tree->nr_images; i++)
		json_text(json, NULL, tree->images[i].path);
	json_end(json, ']');
	json_begin(json, "treeNames", '[');
	for (size_t i = 0; !error && i < names.nr_names; i++)
		json_text(json, NULL, names.names[i]);
	json_end(json, ']');
	json_number(json, "stacksMissing", tree->nr_missing);
	call_names_deinit(&names);
	return error;
}
