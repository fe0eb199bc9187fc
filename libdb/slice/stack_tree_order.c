// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/stack_tree_order.h"

#include "lib/array.h"
#include "libdb/slice/stack_identity.h"
#include "libdb/slice/stack_tree_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FEW 16u /* up to this many parts of a node are sorted by insertion sort */

/* ---- images and roots ---- */

struct numbered {
	const void *what;
	uint32_t number;
};

static int compare_images(const void *a, const void *b)
{
	const struct numbered *left = a, *right = b;

	return stack_image_compare(left->what, right->what);
}

static int compare_roots(const void *a, const void *b)
{
	const struct numbered *left = a, *right = b;

	return stack_root_compare(left->what, right->what);
}

/*
 * Returns the indices of the nr elements of `things` (nr_bytes each) in sorted order, or NULL if
 * out of memory.
 */
static uint32_t *order_of(const void *things, uint32_t nr, size_t nr_bytes,
			  int (*compare)(const void *, const void *))
{
	struct numbered *sorted = malloc((nr + 1u) * sizeof(*sorted));
	uint32_t *order = malloc((nr + 1u) * sizeof(*order));

	if (!sorted || !order) {
		free(sorted);
		free(order);
		return NULL;
	}
	for (uint32_t i = 0; i < nr; i++)
		sorted[i] = (struct numbered){(const char *)things + i * nr_bytes, i};
	if (nr)
		qsort(sorted, nr, sizeof(*sorted), compare);
	for (uint32_t i = 0; i < nr; i++)
		order[i] = sorted[i].number;
	free(sorted);
	return order;
}

/*
 * Inverts a sorted order: returns, for each index, its position in the order; or NULL if out of
 * memory.
 */
static uint32_t *places_of(const uint32_t *order, uint32_t nr)
{
	uint32_t *places = malloc((nr + 1u) * sizeof(*places));

	for (uint32_t i = 0; places && i < nr; i++)
		places[order[i]] = i;
	return places;
}

/* ---- functions ---- */

struct function_table {
	struct stack_function *functions;
	uint32_t nr_functions;
	size_t room;
	struct stack_index index; /* numbers in it are 1 + an index in `functions` */
};

struct sought_function {
	const struct function_table *table;
	uint32_t image;
	uint64_t offset;
};

static bool same_function(const void *what, uint32_t number)
{
	const struct sought_function *sought = what;
	const struct stack_function *found = &sought->table->functions[number - 1];

	return found->image == sought->image && found->offset == sought->offset;
}

static int table_reserve(struct function_table *table)
{
	if (stack_index_reserve(&table->index, 1) ||
	    array_reserve(&table->functions, &table->room, table->nr_functions, 1))
		return -ENOMEM;
	return 0;
}

/*
 * Returns the function's number in the unsorted table, and adds the function if it is new; or
 * -ENOMEM.
 */
static int64_t table_put(struct function_table *table, uint32_t image, uint64_t offset)
{
	const struct sought_function sought = {table, image, offset};
	const uint32_t hash = stack_hash_node(0, image, offset);
	const uint32_t found = stack_index_find(&table->index, hash, same_function, &sought);
	const uint32_t number = table->nr_functions;

	if (found)
		return (int64_t)found - 1;
	if (table_reserve(table))
		return -ENOMEM;
	table->functions[number] =
		(struct stack_function){.image = image, .number = number, .offset = offset};
	stack_index_put(&table->index, hash, number + 1);
	table->nr_functions++;
	return number;
}

static int compare_functions(const void *a, const void *b)
{
	const struct stack_function *left = a, *right = b;

	if (left->image != right->image)
		return left->image < right->image ? -1 : 1;
	return (left->offset > right->offset) - (left->offset < right->offset);
}

/*
 * Sets the number of each node's function. Numbers are given in this order: the marks, then the
 * functions of the unsorted table.
 */
static int number_functions(struct stack_tree_order *order, const struct stack_tree *tree,
			    const uint32_t *image_places, struct function_table *table)
{
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const struct stack_node *node = &tree->nodes[i];
		int64_t number;

		if (stack_node_is_root(node))
			continue;
		if (stack_is_mark(node->image)) {
			order->function_of[i] = UINT32_MAX - node->image;
			continue;
		}
		number = table_put(table, image_places[node->image], node->offset);
		if (number < 0)
			return (int)number;
		order->function_of[i] = OPROF_STACK_MARKS + (uint32_t)number;
	}
	return 0;
}

/* Sorts the table of functions, and changes the nodes' function numbers accordingly. */
static int functions_sort(struct stack_tree_order *order, const struct stack_tree *tree)
{
	const uint32_t nr = order->nr_functions;
	uint32_t *places = malloc((nr + 1u) * sizeof(*places));

	if (!places)
		return -ENOMEM;
	if (nr)
		qsort(order->functions, nr, sizeof(*order->functions), compare_functions);
	for (uint32_t i = 0; i < nr; i++)
		places[order->functions[i].number] = i;
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		uint32_t *function = &order->function_of[i];

		if (!stack_node_is_root(&tree->nodes[i]) && *function >= OPROF_STACK_MARKS)
			*function = OPROF_STACK_MARKS + places[*function - OPROF_STACK_MARKS];
	}
	free(places);
	return 0;
}

static int order_functions(struct stack_tree_order *order, const struct stack_tree *tree)
{
	struct function_table table = {0};
	uint32_t *image_places = places_of(order->images, tree->nr_images);
	int error = image_places ? number_functions(order, tree, image_places, &table) : -ENOMEM;

	order->functions = table.functions;
	order->nr_functions = table.nr_functions;
	stack_index_deinit(&table.index);
	free(image_places);
	return error ? error : functions_sort(order, tree);
}

/* ---- nodes ---- */

/* The parts of all nodes, in the order of the nodes: the parts of node 0, of node 1, ... */
struct parts {
	uint64_t *parts; /* function of the part << 32 | index of its node */
	uint32_t *begin; /* begin[i] is the index of node i's first part */
};

static int compare_words(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static void sort_words(uint64_t *words, uint32_t nr)
{
	if (nr > FEW) {
		qsort(words, nr, sizeof(*words), compare_words);
		return;
	}
	for (uint32_t i = 1; i < nr; i++) {
		const uint64_t word = words[i];
		uint32_t j = i;

		for (; j > 0 && words[j - 1] > word; j--)
			words[j] = words[j - 1];
		words[j] = word;
	}
}

static void parts_fill(const struct parts *parts, struct stack_tree_order *order,
		       const struct stack_tree *tree)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		if (!stack_node_is_root(&tree->nodes[i]))
			order->nr_children[tree->nodes[i].parent]++;
	}
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		parts->begin[i] = next;
		next += order->nr_children[i];
		order->nr_children[i] = 0;
	}
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const uint32_t parent = tree->nodes[i].parent;

		if (parent != STACK_NODE_ROOT)
			parts->parts[parts->begin[parent] + order->nr_children[parent]++] =
				(uint64_t)order->function_of[i] << 32 | i;
	}
	for (uint32_t i = 0; i < tree->nr_nodes; i++)
		sort_words(parts->parts + parts->begin[i], order->nr_children[i]);
}

/*
 * Pushes the roots' nodes onto the stack `waiting`, in reverse order, so that the first root is
 * popped first. Returns the number of roots.
 */
static uint32_t roots_wait(const struct stack_tree_order *order, const struct stack_tree *tree,
			   uint32_t *waiting)
{
	/* The node of each root. order->nodes is filled in later, so its memory is free for this.
	 */
	uint32_t *node_of = order->nodes;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		if (stack_node_is_root(&tree->nodes[i]))
			node_of[tree->nodes[i].image] = i;
	}
	for (uint32_t i = tree->nr_roots; i-- > 0;)
		waiting[nr++] = node_of[order->roots[i]];
	return nr;
}

static void nodes_walk(struct stack_tree_order *order, const struct stack_tree *tree,
		       const struct parts *parts, uint32_t *waiting)
{
	uint32_t nr_waiting = roots_wait(order, tree, waiting), nr = 0;

	while (nr_waiting) {
		const uint32_t node = waiting[--nr_waiting];

		order->nodes[nr++] = node;
		for (uint32_t i = order->nr_children[node]; i-- > 0;)
			waiting[nr_waiting++] = (uint32_t)parts->parts[parts->begin[node] + i];
	}
}

static int order_nodes(struct stack_tree_order *order, const struct stack_tree *tree)
{
	struct parts parts = {
		.parts = calloc(tree->nr_nodes + 1u, sizeof(*parts.parts)),
		.begin = malloc((tree->nr_nodes + 1u) * sizeof(*parts.begin)),
	};
	uint32_t *waiting = malloc((tree->nr_nodes + 1u) * sizeof(*waiting));
	const int error = parts.parts && parts.begin && waiting ? 0 : -ENOMEM;

	if (!error) {
		parts_fill(&parts, order, tree);
		nodes_walk(order, tree, &parts, waiting);
	}
	free(parts.parts);
	free(parts.begin);
	free(waiting);
	return error;
}

/* ---- entry points ---- */

static int order_fill(struct stack_tree_order *order, const struct stack_tree *tree)
{
	int error;

	order->images =
		order_of(tree->images, tree->nr_images, sizeof(*tree->images), compare_images);
	order->roots = order_of(tree->roots, tree->nr_roots, sizeof(*tree->roots), compare_roots);
	order->nodes = malloc((tree->nr_nodes + 1u) * sizeof(*order->nodes));
	order->function_of = calloc(tree->nr_nodes + 1u, sizeof(*order->function_of));
	order->nr_children = calloc(tree->nr_nodes + 1u, sizeof(*order->nr_children));
	if (!order->images || !order->roots || !order->nodes || !order->function_of ||
	    !order->nr_children)
		return -ENOMEM;
	error = order_functions(order, tree);
	return error ? error : order_nodes(order, tree);
}

int stack_tree_order_init(struct stack_tree_order *order, const struct stack_tree *tree)
{
	int error;

	memset(order, 0, sizeof(*order));
	error = order_fill(order, tree);
	if (error)
		stack_tree_order_deinit(order);
	return error;
}

void stack_tree_order_deinit(struct stack_tree_order *order)
{
	free(order->images);
	free(order->roots);
	free(order->functions);
	free(order->nodes);
	free(order->function_of);
	free(order->nr_children);
	memset(order, 0, sizeof(*order));
}
