// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/calls/call_tree.h"

#include "lib/array.h"
#include "lib/index_table.h"
#include "lib/saturate.h"
#include "pp/calls/call_functions.h"
#include "pp/calls/call_stacks.h"
#include "pp/profile/profile_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct building {
	struct call_tree *tree;
	struct index_table node_table;
	size_t room;
};

static bool is_weighted(const struct call_tree *tree)
{
	return tree->profile->shares != tree->profile->counts ||
	       tree->profile->share_totals != tree->profile->totals;
}

/* ---- nodes ---- */

static bool same_node(uint32_t index, const void *key, void *context)
{
	const struct call_tree *tree = context;
	const struct call_node *wanted = key;

	return tree->nodes[index].parent == wanted->parent &&
	       tree->nodes[index].function == wanted->function;
}

/* Finds or adds a node. Returns its index; CALL_NODE_NONE: out of memory. */
static uint32_t place_node(struct building *building, uint32_t parent, uint32_t function)
{
	struct call_tree *tree = building->tree;
	const struct call_node node = {.parent = parent, .function = function};
	uint64_t hash = index_table_hash(index_table_hash(0, parent), function);
	uint32_t index = index_table_find(&building->node_table, hash, same_node, &node, tree);

	if (index != INDEX_TABLE_NONE)
		return index;
	if (array_reserve(&tree->nodes, &building->room, tree->nr_nodes, 1))
		return CALL_NODE_NONE;
	index = (uint32_t)tree->nr_nodes;
	if (index_table_put(&building->node_table, hash, index))
		return CALL_NODE_NONE;
	tree->nodes[tree->nr_nodes++] = node;
	return index;
}

static int place_roots(struct building *building)
{
	for (size_t i = 0; i < building->tree->nr_apps; i++)
		if (place_node(building, CALL_NODE_NONE, (uint32_t)i) == CALL_NODE_NONE)
			return -ENOMEM;
	return 0;
}

/* ---- counts ---- */

static int make_counts(struct call_tree *tree)
{
	size_t nr = tree->nr_nodes * tree->nr_columns + 1;

	tree->totals = tree->share_totals = calloc(tree->nr_columns + 1, sizeof(*tree->totals));
	tree->self = tree->self_shares = calloc(nr, sizeof(*tree->self));
	tree->below = tree->below_shares = calloc(nr, sizeof(*tree->below));
	if (is_weighted(tree)) {
		tree->share_totals = calloc(tree->nr_columns + 1, sizeof(*tree->totals));
		tree->self_shares = calloc(nr, sizeof(*tree->self));
		tree->below_shares = calloc(nr, sizeof(*tree->below));
	}
	return tree->totals && tree->share_totals && tree->self && tree->self_shares &&
			       tree->below && tree->below_shares
		       ? 0
		       : -ENOMEM;
}

static void count(struct call_tree *tree, uint32_t node, uint32_t column, uint64_t nr_samples,
		  uint64_t weight)
{
	const struct profile *profile = tree->profile;
	const struct classes *classes = &profile->selection->classes;
	size_t at = (size_t)node * tree->nr_columns + column;

	saturate_add(&tree->self[at], nr_samples);
	saturate_add(&tree->totals[column], nr_samples);
	saturate_add(&tree->nr_samples, nr_samples);
	if (tree->self_shares == tree->self)
		return;
	if (classes->classes[column % profile->nr_classes].measure == MEASURE_SAMPLES)
		weight = nr_samples;
	saturate_add(&tree->self_shares[at], weight);
	saturate_add(&tree->share_totals[column], weight);
}

static void sum_below(const struct call_tree *tree, const uint64_t *self, uint64_t *below)
{
	size_t nr = tree->nr_columns;

	memcpy(below, self, tree->nr_nodes * nr * sizeof(*below));
	for (size_t i = tree->nr_nodes; i > 0; i--) {
		uint32_t parent = tree->nodes[i - 1].parent;

		for (size_t j = 0; parent != CALL_NODE_NONE && j < nr; j++)
			saturate_add(&below[parent * nr + j], below[(i - 1) * nr + j]);
	}
}

static bool is_mark(const struct call_tree *tree, size_t node, enum oprof_stack_mark mark)
{
	return node >= tree->nr_apps && tree->functions[tree->nodes[node].function].mark == mark;
}

/*
 * Computes tree->below from tree->self. Counts the samples whose stacks are truncated, broken or
 * folded.
 */
static void sum_up(struct call_tree *tree)
{
	sum_below(tree, tree->self, tree->below);
	if (tree->self_shares != tree->self)
		sum_below(tree, tree->self_shares, tree->below_shares);
	for (size_t i = tree->nr_apps; i < tree->nr_nodes; i++) {
		bool outermost = tree->nodes[i].parent < tree->nr_apps;
		uint64_t below = saturate_total(call_tree_below(tree, i), tree->nr_columns);

		if (outermost && is_mark(tree, i, OPROF_STACK_TRUNCATED))
			saturate_add(&tree->nr_truncated, below);
		else if (outermost && is_mark(tree, i, OPROF_STACK_BROKEN))
			saturate_add(&tree->nr_broken, below);
		else if (is_mark(tree, i, OPROF_STACK_OTHER))
			saturate_add(&tree->nr_folded,
				     saturate_total(call_tree_self(tree, i), tree->nr_columns));
	}
}

static void compare_flat(struct call_tree *tree)
{
	const struct profile *flat = tree->profile;
	uint64_t all = flat->nr_samples;
	uint64_t ours = tree->nr_samples;

	/*
	 * The filtered samples are added to the total of the flat profile and to the total of the
	 * tree, because possibly only the tree was filtered: a flat profile without symbols is not
	 * filtered.
	 */
	saturate_add(&all, flat->nr_filtered);
	saturate_add(&ours, tree->nr_filtered);
	tree->nr_missing = all > ours ? all - ours : 0;
}

/* ---- applications ---- */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the applications, and changes their numbers in stacks->roots accordingly. */
static int sort_apps(struct call_tree *tree, struct call_stacks *stacks)
{
	size_t nr = stacks->nr_apps;
	const char **sorted = calloc(nr + 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	if (nr) {
		memcpy(sorted, stacks->apps, nr * sizeof(*sorted));
		qsort(sorted, nr, sizeof(*sorted), compare_texts);
	}
	for (size_t i = 0; i < stacks->nr_roots; i++) {
		const char *const app = stacks->apps[stacks->roots[i].app];
		const char **place = bsearch(&app, sorted, nr, sizeof(*sorted), compare_texts);

		stacks->roots[i].app = (uint32_t)(place - sorted);
	}
	tree->apps = sorted;
	tree->nr_apps = nr;
	return 0;
}

/* ---- building a tree from call stacks ---- */

static bool is_counted(const struct call_stacks *stacks, const bool *hidden, size_t node)
{
	const struct call_stack_node *from = &stacks->nodes[node];

	return from->nr_samples &&
	       (from->key == CALL_NODE_NONE || !hidden[stacks->keys[from->key].function]);
}

/*
 * Returns an array that states for each node whether the node, or a node below it, has samples to
 * count. Returns NULL if out of memory.
 */
static bool *find_needed(const struct call_stacks *stacks, const bool *hidden)
{
	bool *needed = calloc(stacks->nr_nodes + 1, sizeof(*needed));

	for (size_t i = stacks->nr_nodes; needed && i > 0; i--) {
		uint32_t parent = stacks->nodes[i - 1].parent;

		needed[i - 1] |= is_counted(stacks, hidden, i - 1);
		if (parent != CALL_NODE_NONE)
			needed[parent] |= needed[i - 1];
	}
	return needed;
}

static int place_nodes(struct building *building, struct call_stacks *stacks, const bool *needed)
{
	for (size_t i = 0; i < stacks->nr_nodes; i++) {
		struct call_stack_node *from = &stacks->nodes[i];

		if (!needed[i])
			continue;
		if (from->parent == CALL_NODE_NONE)
			from->node = stacks->roots[from->root].app;
		else
			from->node = place_node(building, stacks->nodes[from->parent].node,
						stacks->keys[from->key].function);
		if (from->node == CALL_NODE_NONE)
			return -ENOMEM;
	}
	return 0;
}

static void count_nodes(struct call_tree *tree, const struct call_stacks *stacks,
			const bool *hidden)
{
	for (size_t i = 0; i < stacks->nr_nodes; i++) {
		const struct call_stack_node *from = &stacks->nodes[i];

		if (is_counted(stacks, hidden, i))
			count(tree, from->node, stacks->roots[from->root].column, from->nr_samples,
			      from->weight);
		else
			saturate_add(&tree->nr_filtered, from->nr_samples);
	}
}

/* If the profile has times, counts the samples also by stretch (interval of time). */
static int count_times(struct call_tree *tree, const struct call_stacks *stacks, const bool *hidden)
{
	const struct classes *classes = &tree->profile->selection->classes;
	int error = 0;

	if (!stacks->stretches)
		return 0;
	tree->time = calloc(1, sizeof(*tree->time));
	if (!tree->time)
		return -ENOMEM;
	for (size_t i = 0; i < stacks->times.nr_entries && !error; i++) {
		struct time_entry entry = stacks->times.entries[i];
		const struct call_stack_node *from = &stacks->nodes[entry.row];

		if (!is_counted(stacks, hidden, entry.row))
			continue;
		entry.row = from->node;
		entry.column = stacks->roots[from->root].column;
		if (classes->classes[entry.column % classes->nr_classes].measure == MEASURE_SAMPLES)
			entry.share = entry.nr_samples;
		error = profile_time_add(tree->time, &entry);
	}
	profile_time_arrange(tree->time, NULL);
	return error;
}

static int add_symbols(struct call_tree *tree, struct call_stacks *stacks, const bool *hidden)
{
	struct building building = {.tree = tree};
	bool *needed = find_needed(stacks, hidden);
	int error = needed ? place_roots(&building) : -ENOMEM;

	if (!error)
		error = place_nodes(&building, stacks, needed);
	index_table_deinit(&building.node_table);
	free(needed);
	if (!error)
		error = make_counts(tree);
	if (!error)
		count_nodes(tree, stacks, hidden);
	if (!error)
		error = count_times(tree, stacks, hidden);
	return error;
}

static int read_stacks(struct call_tree *tree, const struct profile_options *options,
		       struct diag *diag)
{
	struct call_stacks stacks;
	bool *hidden = NULL;
	int error = call_stacks_read(&stacks, tree->profile, &tree->strings, options->skip);

	tree->nr_damaged = stacks.nr_damaged;
	tree->has_by_image = stacks.has_by_image;
	if (!error && !stacks.nr_nodes)
		error = diag_set(
			diag, -ENODATA,
			stacks.has_stacks
				? "these samples have no call stacks"
				: "there are no call stacks; record them with operf -g, oprof "
				  "run -g or opcontrol --callgraph=DEPTH");
	if (!error)
		error = sort_apps(tree, &stacks);
	if (!error)
		error = call_functions_make(tree, &stacks, options, &hidden);
	if (!error)
		error = add_symbols(tree, &stacks, hidden);
	/* The tree becomes the owner of the images and of their notes. */
	tree->images = stacks.images;
	tree->nr_images = stacks.nr_images;
	stacks.images = NULL;
	call_stacks_deinit(&stacks);
	free(hidden);
	return error;
}

int call_tree_build(struct call_tree *tree, const struct profile *flat,
		    const struct profile_options *options, struct diag *diag)
{
	const struct selection *selection = flat->selection;
	int error;

	*tree = (struct call_tree){.profile = flat, .nr_columns = flat->nr_columns};
	error = read_stacks(tree, options, diag);
	if (!error)
		error = rows_by_name(selection->options.by, tree->apps,
				     selection->options.whole_rows ? 0 : tree->nr_apps,
				     &tree->strings, diag);
	if (error) {
		call_tree_deinit(tree);
		if (error != -ENODATA && error != -EINVAL)
			diag_set(diag, error, "cannot read the call stacks: %s", strerror(-error));
		return error;
	}
	sum_up(tree);
	compare_flat(tree);
	return 0;
}

/* ---- building a tree from a flat profile ---- */

static int copy_images(struct call_tree *tree)
{
	const struct selection *selection = tree->profile->selection;
	int error = 0;

	tree->images = calloc(selection->nr_images + 1, sizeof(*tree->images));
	for (size_t i = 0; tree->images && i < selection->nr_images && !error; i++) {
		const struct selection_image *from = &selection->images[i];
		const struct profile_image *symbols = &tree->profile->images[i];
		struct call_image *image = &tree->images[i];

		*image = (struct call_image){.path = strings_keep(&tree->strings, from->path),
					     .kind = from->kind,
					     .identity = from->section->identity,
					     .image_start = from->section->image_start,
					     .session = (uint32_t)from->session,
					     .has_symbols = symbols->has_symbols,
					     .lack = symbols->lack};
		if (symbols->note)
			image->note = strdup(symbols->note);
		error = !image->path || (symbols->note && !image->note) ? -ENOMEM : 0;
		tree->nr_images++;
	}
	return tree->images ? error : -ENOMEM;
}

struct flat_key {
	uint32_t image;
	const char *name;
	uint64_t address;
};

static bool same_function(uint32_t index, const void *key, void *context)
{
	const struct call_tree *tree = context;
	const struct call_function *function = &tree->functions[index];
	const struct flat_key *wanted = key;

	return function->image == wanted->image && function->name == wanted->name &&
	       function->address == wanted->address;
}

/*
 * Finds or adds the function of a row. Rows of the same symbol in several applications have the
 * same function. Returns the function's index; CALL_NODE_NONE: out of memory.
 */
static uint32_t place_function(struct call_tree *tree, struct index_table *table,
			       const struct profile_row *row)
{
	const struct flat_key key = {
		.image = row->image,
		.name = row->name ? strings_keep(&tree->strings, row->name) : NULL,
		.address = row->address,
	};
	uint64_t hash = index_table_hash(
		index_table_hash(row->image, (uint64_t)(uintptr_t)key.name), row->address);
	uint32_t index;

	if (row->name && !key.name)
		return CALL_NODE_NONE;
	index = index_table_find(table, hash, same_function, &key, tree);
	if (index != INDEX_TABLE_NONE)
		return index;
	index = (uint32_t)tree->nr_functions;
	if (index_table_put(table, hash, index))
		return CALL_NODE_NONE;
	tree->functions[tree->nr_functions++] = (struct call_function){.image = row->image,
								       .name = key.name,
								       .address = row->address,
								       .offset = row->start,
								       .nr_bytes = row->nr_bytes,
								       .mark = OPROF_STACK_MARKS};
	return index;
}

static int place_rows(struct building *building, uint32_t *of_row)
{
	struct call_tree *tree = building->tree;
	const struct profile *flat = tree->profile;
	struct index_table functions = {0};
	int error = place_roots(building);

	tree->functions = calloc(flat->nr_rows + 1, sizeof(*tree->functions));
	if (!tree->functions)
		error = -ENOMEM;
	for (size_t i = 0; i < flat->nr_rows && !error; i++) {
		uint32_t function = place_function(tree, &functions, &flat->rows[i]);

		of_row[i] = CALL_NODE_NONE;
		if (function != CALL_NODE_NONE)
			of_row[i] = place_node(building, flat->rows[i].app, function);
		if (of_row[i] == CALL_NODE_NONE)
			error = -ENOMEM;
	}
	index_table_deinit(&functions);
	return error;
}

static int build_flat(struct call_tree *tree)
{
	const struct profile *flat = tree->profile;
	struct building building = {.tree = tree};
	uint32_t *of_row = calloc(flat->nr_rows + 1, sizeof(*of_row));
	int error = of_row ? copy_images(tree) : -ENOMEM;

	tree->nr_apps = flat->selection->nr_apps;
	tree->apps = calloc(tree->nr_apps + 1, sizeof(*tree->apps));
	if (!tree->apps)
		error = -ENOMEM;
	for (size_t i = 0; i < tree->nr_apps && !error; i++)
		tree->apps[i] = flat->selection->apps[i];
	if (!error)
		error = place_rows(&building, of_row);
	if (!error)
		error = make_counts(tree);
	for (size_t i = 0; i < flat->nr_rows && !error; i++)
		for (size_t j = 0; j < tree->nr_columns; j++)
			count(tree, of_row[i], (uint32_t)j, profile_counts(flat, i)[j],
			      profile_shares(flat, i)[j]);
	index_table_deinit(&building.node_table);
	free(of_row);
	return error;
}

int call_tree_flat(struct call_tree *tree, const struct profile *flat)
{
	int error;

	*tree = (struct call_tree){
		.profile = flat, .nr_columns = flat->nr_columns, .is_flat = true};
	error = build_flat(tree);
	if (error) {
		call_tree_deinit(tree);
		return error;
	}
	tree->nr_filtered = flat->nr_filtered;
	sum_up(tree);
	return 0;
}

void call_tree_deinit(struct call_tree *tree)
{
	if (tree->time)
		profile_time_deinit(tree->time);
	free(tree->time);
	for (size_t i = 0; tree->images && i < tree->nr_images; i++)
		free(tree->images[i].note);
	free(tree->apps);
	free(tree->images);
	free(tree->functions);
	free(tree->nodes);
	if (tree->self_shares != tree->self)
		free(tree->self_shares);
	if (tree->below_shares != tree->below)
		free(tree->below_shares);
	if (tree->share_totals != tree->totals)
		free(tree->share_totals);
	free(tree->self);
	free(tree->below);
	free(tree->totals);
	strings_deinit(&tree->strings);
	*tree = (struct call_tree){0};
}
