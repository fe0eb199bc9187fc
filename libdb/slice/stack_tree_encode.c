// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Encodes a call tree as the raw bytes of a slice's frame "stacks" (doc/slice.md): first tables,
 * like the tables of sections; then functions and nodes in the arithmetic code of stack_code.h.
 */
#include "libdb/slice/stack_tree_order.h"

#include "libdb/slice/slice_buffer.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/slice_rows.h"
#include "libdb/slice/stack_code.h"
#include "libdb/slice/stack_tree_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tree_encoder {
	const struct stack_tree *tree;
	struct stack_tree_order order;
	struct slice_rows strings, paths, events;
	struct slice_buffer row; /* the row being built */
	struct slice_buffer images, roots;
	struct stack_code code;
	/*
	 * For each node: the mass of this node and all nodes below it; the number of nodes below
	 * it.
	 */
	uint64_t *masses;
	uint32_t *nr_below;
	bool *weighted, *apart; /* by root */
	int error;		/* the first error; after it, calls do nothing */
};

/* ---- one row ---- */

static void put_number(struct tree_encoder *encoder, struct slice_buffer *to, uint64_t value)
{
	if (!encoder->error)
		encoder->error = slice_buffer_add_number(to, value);
}

static void put_bytes(struct tree_encoder *encoder, struct slice_buffer *to, const void *bytes,
		      size_t nr_bytes)
{
	if (!encoder->error)
		encoder->error = slice_buffer_add(to, bytes, nr_bytes);
}

static uint64_t row_end(struct tree_encoder *encoder, struct slice_rows *rows)
{
	int64_t number = 0;

	if (!encoder->error)
		number = slice_rows_put(rows, encoder->row.bytes, encoder->row.nr_bytes);
	encoder->row.nr_bytes = 0;
	if (number >= 0)
		return (uint64_t)number;
	encoder->error = (int)number;
	return 0;
}

static uint64_t string_number(struct tree_encoder *encoder, const char *text)
{
	const size_t nr_bytes = strlen(text);

	put_number(encoder, &encoder->row, nr_bytes);
	put_bytes(encoder, &encoder->row, text, nr_bytes);
	return row_end(encoder, &encoder->strings);
}

static uint64_t path_number(struct tree_encoder *encoder, const struct slice_path *path)
{
	const uint64_t string = string_number(encoder, path->path);

	put_number(encoder, &encoder->row, path->kind);
	put_number(encoder, &encoder->row, string);
	if (path->kind == SAMPLE_PATH_ANON) {
		put_number(encoder, &encoder->row, slice_fold_sign(path->tgid));
		put_number(encoder, &encoder->row, path->start);
		put_number(encoder, &encoder->row, path->end - path->start);
	}
	return row_end(encoder, &encoder->paths);
}

static uint64_t event_number(struct tree_encoder *encoder, const struct slice_section *root)
{
	const uint64_t name = string_number(encoder, root->event);

	put_number(encoder, &encoder->row, name);
	put_number(encoder, &encoder->row, root->period_or_hz);
	put_number(encoder, &encoder->row, root->unit_mask);
	put_number(encoder, &encoder->row, root->flags & SLICE_ROOT_FLAGS_TELL);
	return row_end(encoder, &encoder->events);
}

/* ---- tables ---- */

static void put_image(struct tree_encoder *encoder, const struct stack_image *image)
{
	const struct oprof_image_identity *identity = &image->identity;
	const uint64_t path = path_number(encoder, &image->path);
	struct slice_buffer *to = &encoder->images;

	put_number(encoder, to, path);
	put_number(encoder, to, image->kind);
	put_number(encoder, to, image->image_start);
	put_number(encoder, to, identity->nr_build_id);
	put_bytes(encoder, to, identity->build_id, identity->nr_build_id);
	put_number(encoder, to, identity->dev);
	put_number(encoder, to, identity->inode);
	put_number(encoder, to, identity->inode_generation);
	put_number(encoder, to, slice_fold_sign(identity->mtime_ns));
	put_number(encoder, to, identity->size_bytes);
}

/* `weighted` states whether the weights of the root's nodes are stored. */
static void put_root(struct tree_encoder *encoder, const struct slice_section *root, bool weighted)
{
	const uint64_t app = path_number(encoder, &root->app);
	const uint64_t event = event_number(encoder, root);
	const uint64_t cgroup = root->cgroup ? string_number(encoder, root->cgroup) + 1 : 0;
	struct slice_buffer *to = &encoder->roots;

	put_number(encoder, to, app);
	put_number(encoder, to, event);
	put_number(encoder, to, weighted ? OPROF_SDB_WEIGHTED : 0);
	put_number(encoder, to, (uint64_t)(root->tgid + 1));
	put_number(encoder, to, (uint64_t)(root->tid + 1));
	put_number(encoder, to, (uint64_t)(root->cpu + 1));
	put_number(encoder, to, cgroup);
}

/* ---- nodes ---- */

static bool has_plain_weight(const struct slice_section *root, const struct stack_node *node)
{
	return node->weight == slice_plain_weight(root, node->nr_samples);
}

/*
 * Finds two properties of each root. encoder->weighted[]: some node has a weight that cannot be
 * computed from its samples. encoder->apart[]: samples cannot be used as masses, since some node
 * without parts has no samples, or the sum of samples reached its limit.
 */
static int look_at_roots(struct tree_encoder *encoder)
{
	const struct stack_tree *tree = encoder->tree;

	encoder->weighted = calloc(tree->nr_roots + 1u, sizeof(*encoder->weighted));
	encoder->apart = calloc(tree->nr_roots + 1u, sizeof(*encoder->apart));
	if (!encoder->weighted || !encoder->apart)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->nr_roots; i++)
		encoder->apart[i] = tree->roots[i].nr_samples == UINT64_MAX; /* saturated */
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const uint32_t root = tree->memory->root_of[i];

		if (!has_plain_weight(&tree->roots[root], &tree->nodes[i]))
			encoder->weighted[root] = true;
		if (!tree->nodes[i].nr_samples && !encoder->order.nr_children[i])
			encoder->apart[root] = true;
	}
	return 0;
}

static uint64_t own_mass(const struct tree_encoder *encoder, uint32_t node)
{
	const struct stack_tree *tree = encoder->tree;

	return encoder->apart[tree->memory->root_of[node]] ? 1 : tree->nodes[node].nr_samples;
}

static int sum_masses(struct tree_encoder *encoder)
{
	const struct stack_tree *tree = encoder->tree;

	encoder->masses = calloc(tree->nr_nodes + 1u, sizeof(*encoder->masses));
	encoder->nr_below = calloc(tree->nr_nodes + 1u, sizeof(*encoder->nr_below));
	if (!encoder->masses || !encoder->nr_below)
		return -ENOMEM;
	for (uint32_t i = tree->nr_nodes; i-- > 0;) {
		const uint32_t parent = tree->nodes[i].parent;

		encoder->masses[i] += own_mass(encoder, i);
		if (parent == STACK_NODE_ROOT)
			continue;
		encoder->masses[parent] += encoder->masses[i];
		encoder->nr_below[parent] += 1 + encoder->nr_below[i];
	}
	return 0;
}

/* ---- which function calls which ---- */

/* Returns the node's number as a caller. `root` is the number of its root in sorted order. */
static uint32_t caller_of(const struct tree_encoder *encoder, uint32_t node, uint32_t root)
{
	return stack_node_is_root(&encoder->tree->nodes[node])
		       ? root
		       : encoder->tree->nr_roots + encoder->order.function_of[node];
}

/* Returns an array with the number that each node has as a caller, or NULL if out of memory. */
static uint32_t *number_callers(const struct tree_encoder *encoder)
{
	const uint32_t nr_nodes = encoder->tree->nr_nodes;
	uint32_t *callers = malloc((nr_nodes + 1u) * sizeof(*callers));
	uint32_t nr_roots = 0;

	for (uint32_t i = 0; callers && i < nr_nodes; i++) {
		const uint32_t node = encoder->order.nodes[i];

		nr_roots += stack_node_is_root(&encoder->tree->nodes[node]);
		callers[node] = caller_of(encoder, node, nr_roots - 1);
	}
	return callers;
}

/*
 * Sorts the parts of all nodes by caller. After that, the parts of caller i begin at
 * code->begin[i].
 */
static void sort_parts(struct tree_encoder *encoder, const uint32_t *callers)
{
	const struct stack_tree *tree = encoder->tree;
	struct stack_code *code = &encoder->code;
	const uint32_t nr_callers = stack_code_nr_callers(code);

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		if (!stack_node_is_root(&tree->nodes[i]))
			code->begin[callers[tree->nodes[i].parent]]++;
	}
	for (uint32_t i = 1; i <= nr_callers; i++)
		code->begin[i] += code->begin[i - 1];
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		if (!stack_node_is_root(&tree->nodes[i]))
			code->callees[--code->begin[callers[tree->nodes[i].parent]]] =
				encoder->order.function_of[i];
	}
}

static int compare_callees(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/*
 * Removes repeated callees of each caller and sorts the rest. met[callee] is 1 + the last caller
 * for which the callee was found, or 0.
 */
static void leave_each_once(struct stack_code *code, uint32_t *met)
{
	const uint32_t nr_callers = stack_code_nr_callers(code);
	uint32_t nr = 0, from = 0;

	for (uint32_t i = 0; i < nr_callers; i++) {
		const uint32_t end = code->begin[i + 1], first = nr;

		for (; from < end; from++) {
			const uint32_t callee = code->callees[from];

			if (met[callee] != i + 1)
				code->callees[nr++] = callee;
			met[callee] = i + 1;
		}
		if (nr - first > 1)
			qsort(code->callees + first, nr - first, sizeof(*code->callees),
			      compare_callees);
		code->begin[i] = first;
	}
	code->begin[nr_callers] = nr;
}

static int find_callees(struct tree_encoder *encoder)
{
	struct stack_code *code = &encoder->code;
	uint32_t *callers = number_callers(encoder);
	uint32_t *met = calloc(OPROF_STACK_MARKS + code->nr_functions + 1u, sizeof(*met));
	int error = -ENOMEM;

	code->begin = calloc(stack_code_nr_callers(code) + 1u, sizeof(*code->begin));
	code->callees = malloc((encoder->tree->nr_nodes + 1u) * sizeof(*code->callees));
	if (callers && met && code->begin && code->callees) {
		sort_parts(encoder, callers);
		leave_each_once(code, met);
		error = 0;
	}
	free(callers);
	free(met);
	return error;
}

/* ---- the coded part ---- */

static uint32_t find_callee(const struct stack_code *code, uint32_t caller, uint32_t callee)
{
	uint32_t low = code->begin[caller], high = code->begin[caller + 1];

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (code->callees[middle] <= callee)
			low = middle;
		else
			high = middle;
	}
	return low - code->begin[caller];
}

/*
 * Finds the parts of the node at index `at` of the sorted order, and returns their number. In this
 * order, all nodes below a part come directly after the part.
 */
static uint32_t find_parts(const struct tree_encoder *encoder, uint32_t caller, uint32_t at,
			   struct stack_part *parts)
{
	const struct stack_tree_order *order = &encoder->order;
	const uint32_t nr_parts = order->nr_children[order->nodes[at]];

	at++;
	for (uint32_t i = 0; i < nr_parts; i++) {
		const uint32_t node = order->nodes[at];

		parts[i].callee = find_callee(&encoder->code, caller, order->function_of[node]);
		parts[i].mass = encoder->masses[node];
		at += 1 + encoder->nr_below[node];
	}
	return nr_parts;
}

static void code_root(struct tree_encoder *encoder, uint32_t node)
{
	struct stack_code *code = &encoder->code;

	(void)bit_code(&code->coder, &code->apart,
		       encoder->apart[encoder->tree->memory->root_of[node]]);
	(void)stack_code_number(code, STACK_CODE_MASS, encoder->masses[node] - 1);
}

static void code_nodes(struct tree_encoder *encoder, struct stack_part *parts)
{
	struct stack_code *code = &encoder->code;
	uint32_t nr_roots = 0;

	for (uint32_t i = 0; i < encoder->tree->nr_nodes; i++) {
		const uint32_t node = encoder->order.nodes[i];
		const uint64_t mass = encoder->masses[node], own = own_mass(encoder, node);
		uint32_t caller, nr_parts;

		if (stack_node_is_root(&encoder->tree->nodes[node])) {
			code_root(encoder, node);
			nr_roots++;
		}
		caller = caller_of(encoder, node, nr_roots - 1);
		nr_parts = find_parts(encoder, caller, i, parts);
		(void)stack_code_own(code, caller, mass, own);
		(void)stack_code_parts(code, caller, mass - own, parts, nr_parts);
	}
}

/* Codes those samples and weights that a reader cannot compute from masses. */
static void code_counts(struct tree_encoder *encoder)
{
	const struct stack_tree *tree = encoder->tree;

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const struct stack_node *node = &tree->nodes[encoder->order.nodes[i]];
		const uint32_t root = tree->memory->root_of[encoder->order.nodes[i]];

		if (encoder->apart[root])
			(void)stack_code_number(&encoder->code, STACK_CODE_SAMPLES,
						node->nr_samples);
		if (encoder->weighted[root])
			(void)stack_code_number(&encoder->code, STACK_CODE_WEIGHT, node->weight);
	}
}

static int code_all(struct tree_encoder *encoder, struct slice_buffer *to)
{
	struct stack_code *code = &encoder->code;
	const uint32_t nr_nodes = encoder->tree->nr_nodes;
	struct stack_part *parts = malloc((nr_nodes + 1u) * sizeof(*parts));
	int error = parts ? sum_masses(encoder) : -ENOMEM;

	if (!error)
		error = find_callees(encoder);
	bit_coder_write(&code->coder, to);
	if (!error)
		error = stack_code_functions(code, encoder->order.functions,
					     encoder->tree->nr_images);
	if (!error)
		error = stack_code_callees(code, nr_nodes);
	if (!error) {
		code_nodes(encoder, parts);
		code_counts(encoder);
		bit_coder_finish(&code->coder);
	}
	free(parts);
	return error ? error : code->coder.error;
}

/*
 * Appends zeros up to the minimum length, so that small hostile frames cannot make readers do much
 * work.
 */
static int fill_up(struct slice_buffer *to, uint32_t nr_nodes)
{
	const size_t nr_bytes_min = stack_code_bytes_min(nr_nodes);
	uint8_t *zeros;

	if (to->nr_bytes >= nr_bytes_min)
		return 0;
	zeros = slice_buffer_reserve(to, nr_bytes_min - to->nr_bytes);
	if (!zeros)
		return -ENOMEM;
	memset(zeros, 0, nr_bytes_min - to->nr_bytes);
	to->nr_bytes = nr_bytes_min;
	return 0;
}

static void put_nodes(struct tree_encoder *encoder, struct slice_buffer *to)
{
	put_number(encoder, to, encoder->order.nr_functions);
	put_number(encoder, to, encoder->tree->nr_nodes);
	if (!encoder->error)
		encoder->error = code_all(encoder, to);
	if (!encoder->error)
		encoder->error = fill_up(to, encoder->tree->nr_nodes);
}

/* ---- entry points ---- */

static void put_rows(struct tree_encoder *encoder, struct slice_buffer *to,
		     const struct slice_rows *rows)
{
	put_number(encoder, to, rows->nr_rows);
	put_bytes(encoder, to, rows->bytes.bytes, rows->bytes.nr_bytes);
}

static void put_buffer(struct tree_encoder *encoder, struct slice_buffer *to,
		       const struct slice_buffer *from)
{
	put_bytes(encoder, to, from->bytes, from->nr_bytes);
}

static void put_all(struct tree_encoder *encoder, struct slice_buffer *to)
{
	const struct stack_tree *tree = encoder->tree;
	const struct stack_tree_order *order = &encoder->order;

	put_number(encoder, &encoder->images, tree->nr_images);
	for (uint32_t i = 0; i < tree->nr_images; i++)
		put_image(encoder, &tree->images[order->images[i]]);
	put_number(encoder, &encoder->roots, tree->nr_roots);
	for (uint32_t i = 0; i < tree->nr_roots; i++)
		put_root(encoder, &tree->roots[order->roots[i]],
			 encoder->weighted[order->roots[i]]);
	put_rows(encoder, to, &encoder->strings);
	put_rows(encoder, to, &encoder->paths);
	put_buffer(encoder, to, &encoder->images);
	put_rows(encoder, to, &encoder->events);
	put_buffer(encoder, to, &encoder->roots);
	put_nodes(encoder, to);
}

static void encoder_deinit(struct tree_encoder *encoder)
{
	stack_tree_order_deinit(&encoder->order);
	slice_rows_deinit(&encoder->strings);
	slice_rows_deinit(&encoder->paths);
	slice_rows_deinit(&encoder->events);
	slice_buffer_deinit(&encoder->row);
	slice_buffer_deinit(&encoder->images);
	slice_buffer_deinit(&encoder->roots);
	stack_code_deinit(&encoder->code);
	free(encoder->masses);
	free(encoder->nr_below);
	free(encoder->weighted);
	free(encoder->apart);
}

static int encode(struct tree_encoder *encoder, struct slice_buffer *raw)
{
	const struct stack_tree *tree = encoder->tree;

	if (tree->nr_nodes > stack_tree_nodes_max(tree->nr_roots))
		return -E2BIG;
	encoder->error = stack_tree_order_init(&encoder->order, tree);
	stack_code_init(&encoder->code, tree->nr_roots, encoder->order.nr_functions);
	if (!encoder->error)
		encoder->error = look_at_roots(encoder);
	if (!encoder->error)
		put_all(encoder, raw);
	return encoder->error;
}

int stack_tree_encode(const struct stack_tree *tree, uint8_t **bytes, size_t *nr_bytes)
{
	/* The encoder is on the heap, since its models are too large for small thread stacks. */
	struct tree_encoder *encoder = calloc(1, sizeof(*encoder));
	struct slice_buffer raw = {0};
	int error = -ENOMEM;

	if (!encoder)
		return error;
	encoder->tree = tree;
	error = encode(encoder, &raw);
	encoder_deinit(encoder);
	free(encoder);
	if (error) {
		slice_buffer_deinit(&raw);
		return error;
	}
	*bytes = raw.bytes;
	*nr_bytes = raw.nr_bytes;
	return 0;
}
