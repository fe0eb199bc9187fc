// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/make_calls.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void skip(const char *path, const struct diag *diag)
{
	(void)path;
	ck_assert_str_ne(diag->text, "");
}

int make_calls_try(struct make_calls *calls, const struct make_session *session, const char *words,
		   struct diag *diag)
{
	int error;

	calls->made.selection_options.stacks = true;
	make_profile_init(&calls->made, session, words);
	calls->made.profile_options.skip = skip;
	error = call_tree_build(&calls->tree, &calls->made.profile, &calls->made.profile_options,
				diag);
	if (error)
		make_profile_deinit(&calls->made);
	return error;
}

void make_calls_init(struct make_calls *calls, const struct make_session *session,
		     const char *words)
{
	struct diag diag;
	int error = make_calls_try(calls, session, words, &diag);

	ck_assert_msg(!error, "%s", diag_show(&diag));
	ck_assert_int_eq(call_graph_build(&calls->graph, &calls->tree), 0);
}

void make_calls_deinit(struct make_calls *calls)
{
	call_graph_deinit(&calls->graph);
	call_tree_deinit(&calls->tree);
	make_profile_deinit(&calls->made);
	*calls = (struct make_calls){0};
}

static const char *name_of(const struct call_tree *tree, uint32_t function)
{
	return tree->functions[function].name ? tree->functions[function].name : "";
}

uint32_t make_calls_function(const struct make_calls *calls, const char *name)
{
	const struct call_tree *tree = &calls->tree;
	uint32_t found = CALL_NODE_NONE;

	for (uint32_t i = 0; i < tree->nr_functions; i++) {
		const uint64_t *below = calls->graph.below + i * tree->nr_columns;
		bool any = false;

		for (size_t j = 0; j < tree->nr_columns; j++)
			any |= below[j] != 0;
		if (!any || strcmp(name_of(tree, i), name) != 0)
			continue;
		ck_assert_msg(found == CALL_NODE_NONE, "two functions %s", name);
		found = i;
	}
	ck_assert_msg(found != CALL_NODE_NONE, "no function %s", name);
	return found;
}

static uint32_t find_child(const struct call_tree *tree, uint32_t parent, const char *name)
{
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		bool is_root = i < tree->nr_apps;
		const char *own = is_root ? tree->apps[tree->nodes[i].function]
					  : name_of(tree, tree->nodes[i].function);

		if (tree->nodes[i].parent == parent && !strcmp(own, name))
			return i;
	}
	return CALL_NODE_NONE;
}

static uint32_t find_node(const struct call_tree *tree, const char *path)
{
	uint32_t node = CALL_NODE_NONE;
	char copy[1024];
	char *next = copy;

	(void)snprintf(copy, sizeof(copy), "%s", path);
	for (char *name; (name = strsep(&next, ";"));) {
		node = find_child(tree, node, name);
		if (node == CALL_NODE_NONE)
			break;
	}
	return node;
}

uint64_t make_calls_self(const struct make_calls *calls, const char *path, size_t column)
{
	uint32_t node = find_node(&calls->tree, path);

	return node == CALL_NODE_NONE ? UINT64_MAX : call_tree_self(&calls->tree, node)[column];
}

uint64_t make_calls_below(const struct make_calls *calls, const char *path, size_t column)
{
	uint32_t node = find_node(&calls->tree, path);

	return node == CALL_NODE_NONE ? UINT64_MAX : call_tree_below(&calls->tree, node)[column];
}

uint64_t make_calls_arc(const struct make_calls *calls, const char *caller, const char *callee,
			size_t column)
{
	const struct call_graph *graph = &calls->graph;

	for (size_t i = 0; i < graph->nr_arcs; i++)
		if (!strcmp(name_of(&calls->tree, graph->arcs[i].caller), caller) &&
		    !strcmp(name_of(&calls->tree, graph->arcs[i].callee), callee))
			return graph->arc_counts[i * calls->tree.nr_columns + column];
	return UINT64_MAX;
}

/* ---- sums ---- */

static uint64_t sum(const uint64_t *counts, size_t nr, size_t stride)
{
	uint64_t all = 0;

	for (size_t i = 0; i < nr; i++)
		all += counts[i * stride];
	return all;
}

static void check_column(const struct make_calls *calls, size_t column)
{
	const struct call_tree *tree = &calls->tree;
	const struct call_graph *graph = &calls->graph;
	size_t nr = tree->nr_columns;

	ck_assert_uint_eq(sum(tree->self + column, tree->nr_nodes, nr), tree->totals[column]);
	ck_assert_uint_eq(sum(tree->below + column, tree->nr_apps, nr), tree->totals[column]);
	ck_assert_uint_eq(sum(tree->self_shares + column, tree->nr_nodes, nr),
			  tree->share_totals[column]);
	ck_assert_uint_eq(sum(tree->below_shares + column, tree->nr_apps, nr),
			  tree->share_totals[column]);
	ck_assert_uint_eq(sum(graph->self + column, tree->nr_functions, nr) +
				  sum(tree->self + column, tree->nr_apps, nr),
			  tree->totals[column]);
}

/* What leads to a function, from functions and roots, is all that it has. */
static void check_costs(const struct make_calls *calls, uint32_t function, size_t column)
{
	const struct call_tree *tree = &calls->tree;
	const struct call_graph *graph = &calls->graph;
	size_t nr = tree->nr_columns;
	uint64_t costs = 0;

	for (size_t i = graph->first_by_callee[function]; i < graph->first_by_callee[function + 1];
	     i++) {
		uint32_t arc = graph->by_callee[i];

		ck_assert_uint_eq(graph->arcs[arc].callee, function);
		ck_assert_uint_le(graph->arc_costs[arc * nr + column],
				  graph->arc_counts[arc * nr + column]);
		ck_assert_uint_le(graph->arc_counts[arc * nr + column],
				  graph->below[function * nr + column]);
		costs += graph->arc_costs[arc * nr + column];
	}
	for (size_t i = tree->nr_apps; i < tree->nr_nodes; i++)
		if (tree->nodes[i].parent < tree->nr_apps && tree->nodes[i].function == function)
			costs += call_tree_below(tree, i)[column];
	ck_assert_uint_eq(costs, graph->below[function * nr + column]);
	ck_assert_uint_le(graph->self[function * nr + column],
			  graph->below[function * nr + column]);
	ck_assert_uint_le(graph->below[function * nr + column], tree->totals[column]);
}

void make_calls_check_sums(const struct make_calls *calls)
{
	const struct call_tree *tree = &calls->tree;
	const struct profile *flat = tree->profile;

	for (size_t i = 0; i < tree->nr_columns; i++) {
		check_column(calls, i);
		for (uint32_t j = 0; j < tree->nr_functions; j++)
			check_costs(calls, j, i);
	}
	ck_assert_uint_eq(sum(tree->totals, tree->nr_columns, 1), tree->nr_samples);
	ck_assert_uint_eq(tree->nr_samples + tree->nr_filtered + tree->nr_missing,
			  flat->nr_samples + flat->nr_filtered);
	ck_assert_uint_eq(calls->graph.first_by_callee[tree->nr_functions], calls->graph.nr_arcs);
	ck_assert_uint_eq(calls->graph.first_by_caller[tree->nr_functions], calls->graph.nr_arcs);
}
