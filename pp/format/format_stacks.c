// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"
#include "pp/calls/call_names.h"
#include "pp/format/format_calls.h"
#include "pp/format/format_rows.h"
#include "pp/format/text_line.h"

#include <errno.h>
#include <stdlib.h>

struct stacks {
	const struct call_tree *tree;
	const struct profile *profile;
	const struct text_options *options;
	struct call_names names;
	uint32_t *order;	  /* nodes to show, sorted by parent, then by samples */
	uint32_t *first, *behind; /* for each node: the range of its children in `order` */
	uint32_t *roots;	  /* sorted by samples */
	size_t nr_order, nr_roots;
	struct text_line line;
};

static bool has_sides(const struct stacks *stacks)
{
	return stacks->profile->nr_columns > stacks->profile->nr_classes;
}

static bool passes(const struct stacks *stacks, size_t node)
{
	const struct call_tree *tree = stacks->tree;
	const uint64_t *shares = call_tree_below_shares(tree, node);
	bool has_samples = false;
	bool enough = false;

	for (size_t i = 0; i < tree->nr_columns; i++) {
		has_samples |= shares[i] != 0;
		enough |=
			i % stacks->profile->nr_classes == 0 &&
			percent_of(shares[i], tree->share_totals[i]) >= stacks->options->threshold;
	}
	return has_samples && enough;
}

static int compare_nodes(const struct stacks *stacks, uint32_t a, uint32_t b)
{
	const struct call_tree *tree = stacks->tree;
	const uint64_t *left = call_tree_below_shares(tree, a);
	const uint64_t *right = call_tree_below_shares(tree, b);
	int order = column_compare_changes(stacks->profile, left, right, tree->share_totals);

	if (!order)
		order = compare_sides(left, right, stacks->profile->nr_classes, tree->nr_columns);
	if (!order && a >= tree->nr_apps)
		order = strcmp(stacks->names.names[tree->nodes[a].function],
			       stacks->names.names[tree->nodes[b].function]);
	if (!order)
		order = a < b ? -1 : a > b;
	return stacks->options->reverse ? -order : order;
}

static int compare_roots(const void *a, const void *b, void *context)
{
	return compare_nodes(context, *(const uint32_t *)a, *(const uint32_t *)b);
}

static int compare_parts(const void *a, const void *b, void *context)
{
	const struct stacks *stacks = context;
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	uint32_t left_parent = stacks->tree->nodes[left].parent;
	uint32_t right_parent = stacks->tree->nodes[right].parent;

	if (left_parent != right_parent)
		return left_parent < right_parent ? -1 : 1;
	return compare_nodes(stacks, left, right);
}

static int sort_nodes(struct stacks *stacks)
{
	const struct call_tree *tree = stacks->tree;

	stacks->order = calloc(tree->nr_nodes + 1, sizeof(*stacks->order));
	stacks->first = calloc(tree->nr_nodes + 1, sizeof(*stacks->first));
	stacks->behind = calloc(tree->nr_nodes + 1, sizeof(*stacks->behind));
	stacks->roots = calloc(tree->nr_apps + 1, sizeof(*stacks->roots));
	if (!stacks->order || !stacks->first || !stacks->behind || !stacks->roots)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		if (!passes(stacks, i))
			continue;
		if (i < tree->nr_apps)
			stacks->roots[stacks->nr_roots++] = i;
		else
			stacks->order[stacks->nr_order++] = i;
	}
	qsort_r(stacks->roots, stacks->nr_roots, sizeof(uint32_t), compare_roots, stacks);
	qsort_r(stacks->order, stacks->nr_order, sizeof(uint32_t), compare_parts, stacks);
	for (uint32_t i = 0; i < stacks->nr_order; i++) {
		uint32_t parent = tree->nodes[stacks->order[i]].parent;

		if (!stacks->behind[parent])
			stacks->first[parent] = i;
		stacks->behind[parent] = i + 1;
	}
	return 0;
}

/* ---- lines ---- */

static void write_heads(struct stacks *stacks)
{
	const struct profile *profile = stacks->profile;
	struct text_line *line = &stacks->line;

	if (!stacks->options->header)
		return;
	for (size_t i = 0; i < profile->nr_classes; i++) {
		text_line_field(line, text_line_number_width(profile, i),
				column_number_head(profile, i));
		text_line_field(line, TEXT_WIDTH_PERCENT, "%");
		text_line_field(line, TEXT_WIDTH_PERCENT, "self %");
		if (has_sides(stacks))
			text_line_field(line, TEXT_WIDTH_DIFFERENCE, "diff %");
	}
	text_line_field(line, TEXT_WIDTH_IMAGE, "image name");
	text_line_field(line, TEXT_WIDTH_SYMBOL, "symbol name");
	text_line_end(line);
}

static void write_class(struct stacks *stacks, uint32_t node, size_t class)
{
	const struct call_tree *tree = stacks->tree;
	struct text_line *line = &stacks->line;
	struct column_cell below, self;

	column_cell_make(&below, stacks->profile, class, call_tree_below(tree, node),
			 call_tree_below_shares(tree, node), tree->totals, tree->share_totals);
	column_cell_make(&self, stacks->profile, class, call_tree_self(tree, node),
			 call_tree_self_shares(tree, node), tree->totals, tree->share_totals);
	text_line_number(line, text_line_number_width(stacks->profile, class), below.number);
	text_line_percent(line, below.percent);
	text_line_percent(line, self.percent);
	if (has_sides(stacks))
		text_line_field(line, TEXT_WIDTH_DIFFERENCE, below.difference);
}

static void write_node(struct stacks *stacks, uint32_t node, size_t depth)
{
	const struct call_tree *tree = stacks->tree;
	const struct call_node *of = &tree->nodes[node];
	bool is_root = node < tree->nr_apps;
	bool whole = stacks->options->long_names || (is_root && stacks->options->named_rows);
	const char *path = is_root ? tree->apps[of->function] : call_image_path(tree, of->function);

	for (size_t i = 0; i < stacks->profile->nr_classes; i++)
		write_class(stacks, node, i);
	text_line_field(&stacks->line, TEXT_WIDTH_IMAGE, whole ? path : short_name(path));
	/* The line of a root names only the application. */
	if (!is_root) {
		stacks->line.padding += 2 * (depth - 1);
		text_line_field(&stacks->line, 0, stacks->names.names[of->function]);
	}
	text_line_end(&stacks->line);
}

/*
 * Writes a root and all nodes below it. For each depth on the path to the current node,
 * stacks->order[path[depth]] is the child to write next.
 */
static int write_root(struct stacks *stacks, uint32_t root, uint32_t *path)
{
	size_t depth = 0;
	uint32_t node = root;

	write_node(stacks, root, 0);
	path[0] = stacks->first[root];
	for (;;) {
		if (path[depth] < stacks->behind[node]) {
			node = stacks->order[path[depth]++];
			path[++depth] = stacks->first[node];
			write_node(stacks, node, depth);
		} else if (depth) {
			depth--;
			node = stacks->tree->nodes[node].parent;
		} else {
			return ferror(stacks->line.out) ? file_flush(stacks->line.out) : 0;
		}
	}
}

/* Returns the number of nodes on the longest path, including the root. */
static size_t deepest(const struct call_tree *tree, uint32_t *depths)
{
	size_t most = 0;

	for (size_t i = 0; i < tree->nr_nodes; i++) {
		uint32_t parent = tree->nodes[i].parent;

		depths[i] = parent == CALL_NODE_NONE ? 1 : depths[parent] + 1;
		if (depths[i] > most)
			most = depths[i];
	}
	return most;
}

static int write_roots(struct stacks *stacks)
{
	uint32_t *depths = calloc(stacks->tree->nr_nodes + 1, sizeof(*depths));
	uint32_t *path;
	int error = 0;

	if (!depths)
		return -ENOMEM;
	path = calloc(deepest(stacks->tree, depths) + 1, sizeof(*path));
	free(depths);
	if (!path)
		return -ENOMEM;
	write_heads(stacks);
	for (size_t i = 0; i < stacks->nr_roots && !error; i++)
		error = write_root(stacks, stacks->roots[i], path);
	free(path);
	return error;
}

int text_format_stacks(FILE *out, const struct call_tree *tree, const struct calls_options *options)
{
	struct stacks stacks = {
		.tree = tree, .profile = tree->profile, .options = options->text, .line.out = out};
	int error = call_names_make(&stacks.names, tree, options->text->demangle);

	if (!error)
		error = sort_nodes(&stacks);
	if (!error)
		error = write_roots(&stacks);
	call_names_deinit(&stacks.names);
	free(stacks.order);
	free(stacks.first);
	free(stacks.behind);
	free(stacks.roots);
	return error;
}
