// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes a call tree. The bytes may be hostile: every number is checked before it is used, and no
 * more memory is allocated than the available bytes can fill.
 */
#include "libdb/slice/stack_tree_internal.h"

#include "lib/saturate.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/slice_unpacker.h"
#include "libdb/slice/stack_code.h"
#include "libdb/slice/stack_identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Minimum number of bytes in a row of each table. */
#define STRING_BYTES_MIN 1u
#define PATH_BYTES_MIN	 2u
#define IMAGE_BYTES_MIN	 9u
#define EVENT_BYTES_MIN	 4u
#define ROOT_BYTES_MIN	 7u

/* Version 1 only. */
#define FUNCTION_BYTES_MIN 2u
#define NODE_BYTES_MIN	   2u /* size of a root's node; other nodes also have a function */

/* A part of a node. The node has been read; the part itself has not been read yet. */
struct waiting {
	uint32_t parent, function;
	uint64_t mass;
};

struct tree_decoder {
	const uint8_t *next, *end;
	size_t nr_bytes; /* size of the whole frame */
	struct stack_tree tree;
	const char **strings;
	struct slice_path *paths;
	struct slice_section *events, *roots;
	uint32_t nr_strings, nr_paths, nr_events, nr_roots, nr_nodes;
	uint32_t nr_functions; /* only in version 1; later versions use code.nr_functions */
	struct stack_function *functions;
	struct stack_code code;
	struct stack_part *parts; /* has room for the parts of any node */
	struct waiting *waiting;
	uint32_t nr_waiting;
	bool *apart; /* for each root: whether its masses are not samples */
	struct diag *diag;
	int error; /* the first error; after it, all numbers are read as 0 */
};

static void fail(struct tree_decoder *decoder, const char *what, size_t row)
{
	if (!decoder->error)
		decoder->error =
			diag_set(decoder->diag, -EILSEQ,
				 "damaged: its call stacks are invalid at %s %zu", what, row);
}

static void fail_memory(struct tree_decoder *decoder)
{
	if (!decoder->error)
		decoder->error = diag_set(decoder->diag, -ENOMEM, "%s", strerror(ENOMEM));
}

static uint64_t get_number(struct tree_decoder *decoder, uint64_t max, const char *what, size_t row)
{
	uint64_t value = 0;

	if (decoder->error)
		return 0;
	if (!slice_get_number(&decoder->next, decoder->end, &value) && value <= max)
		return value;
	fail(decoder, what, row);
	return 0;
}

static size_t bytes_left(const struct tree_decoder *decoder)
{
	return (size_t)(decoder->end - decoder->next);
}

/* Reads a number of rows, and checks that the remaining bytes can hold them. */
static uint32_t get_nr(struct tree_decoder *decoder, size_t nr_bytes_min, const char *what)
{
	const size_t nr_max = bytes_left(decoder) / nr_bytes_min;

	return (uint32_t)get_number(
		decoder, nr_max < STACK_NUMBER_MAX / 2 ? nr_max : STACK_NUMBER_MAX / 2, what, 0);
}

/* Reads the number of rows of a table and allocates the table. Returns NULL after an error. */
static void *get_rows(struct tree_decoder *decoder, size_t nr_bytes_min, size_t nr_bytes_each,
		      const char *what, uint32_t *nr_rows)
{
	void *rows;

	*nr_rows = get_nr(decoder, nr_bytes_min, what);
	if (decoder->error)
		return NULL;
	rows = calloc(*nr_rows + 1u, nr_bytes_each);
	if (!rows)
		fail_memory(decoder);
	return rows;
}

/* ---- tables ---- */

static void get_strings(struct tree_decoder *decoder)
{
	decoder->strings = get_rows(decoder, STRING_BYTES_MIN, sizeof(*decoder->strings), "string",
				    &decoder->nr_strings);
	for (uint32_t i = 0; i < decoder->nr_strings && !decoder->error; i++) {
		const size_t nr_bytes = (size_t)get_number(decoder, SIZE_MAX, "string", i);

		if (nr_bytes > bytes_left(decoder) ||
		    (nr_bytes && memchr(decoder->next, '\0', nr_bytes)))
			fail(decoder, "string", i);
		if (decoder->error)
			return;
		decoder->strings[i] =
			stack_tree_text(&decoder->tree, (const char *)decoder->next, nr_bytes);
		if (!decoder->strings[i])
			fail_memory(decoder);
		decoder->next += nr_bytes;
	}
}

static const char *get_string(struct tree_decoder *decoder, const char *what, size_t row)
{
	const uint64_t number = get_number(decoder, UINT64_MAX, what, row);

	if (number < decoder->nr_strings && !decoder->error)
		return decoder->strings[number];
	fail(decoder, what, row);
	return "";
}

static void get_paths(struct tree_decoder *decoder)
{
	struct slice_path *paths =
		get_rows(decoder, PATH_BYTES_MIN, sizeof(*paths), "path", &decoder->nr_paths);

	decoder->paths = paths;
	for (uint32_t i = 0; i < decoder->nr_paths && !decoder->error; i++) {
		struct slice_path *path = &paths[i];

		path->kind =
			(enum sample_path_kind)get_number(decoder, SAMPLE_PATH_ANON, "path", i);
		path->path = get_string(decoder, "path", i);
		if (path->kind != SAMPLE_PATH_ANON)
			continue;
		path->tgid = slice_unfold_sign(get_number(decoder, UINT64_MAX, "path", i));
		path->start = get_number(decoder, UINT64_MAX, "path", i);
		path->end = path->start + get_number(decoder, UINT64_MAX, "path", i);
	}
}

static struct slice_path get_path(struct tree_decoder *decoder, const char *what, size_t row)
{
	const uint64_t number = get_number(decoder, UINT64_MAX, what, row);

	if (number < decoder->nr_paths && !decoder->error)
		return decoder->paths[number];
	fail(decoder, what, row);
	return (struct slice_path){.path = ""};
}

static void get_build_id(struct tree_decoder *decoder, struct oprof_image_identity *identity,
			 size_t row)
{
	identity->nr_build_id =
		(uint32_t)get_number(decoder, OPROF_BUILD_ID_BYTES_MAX, "image", row);
	if (identity->nr_build_id > bytes_left(decoder))
		fail(decoder, "image", row);
	if (decoder->error)
		return;
	memcpy(identity->build_id, decoder->next, identity->nr_build_id);
	decoder->next += identity->nr_build_id;
}

static void get_image(struct tree_decoder *decoder, uint32_t row)
{
	struct stack_image image = {.path = get_path(decoder, "image", row)};
	struct oprof_image_identity *identity = &image.identity;

	image.kind = (enum oprof_image_kind)get_number(decoder, INT32_MAX, "image", row);
	image.image_start = get_number(decoder, UINT64_MAX, "image", row);
	get_build_id(decoder, identity, row);
	identity->dev = get_number(decoder, UINT64_MAX, "image", row);
	identity->inode = get_number(decoder, UINT64_MAX, "image", row);
	identity->inode_generation = get_number(decoder, UINT64_MAX, "image", row);
	identity->mtime_ns = slice_unfold_sign(get_number(decoder, UINT64_MAX, "image", row));
	identity->size_bytes = get_number(decoder, UINT64_MAX, "image", row);
	if (!decoder->error && row &&
	    stack_image_compare(&decoder->tree.images[row - 1], &image) >= 0)
		fail(decoder, "order of image", row);
	if (!decoder->error && stack_tree_append_image(&decoder->tree, &image) < 0)
		fail_memory(decoder);
}

static void get_images(struct tree_decoder *decoder)
{
	const uint32_t nr = get_nr(decoder, IMAGE_BYTES_MIN, "image");

	for (uint32_t i = 0; i < nr && !decoder->error; i++)
		get_image(decoder, i);
}

static uint32_t get_flags(struct tree_decoder *decoder, uint32_t known, const char *what,
			  size_t row)
{
	const uint32_t flags = (uint32_t)get_number(decoder, UINT32_MAX, what, row);

	if (flags & ~known && !decoder->error)
		decoder->error = diag_set(decoder->diag, -EPROTONOSUPPORT,
					  "%s %zu of its call stacks has flags 0x%x, which this "
					  "program does not know",
					  what, row, flags & ~known);
	return flags;
}

/*
 * Reads the events. In memory, an event is a struct slice_section in which only the event's
 * members are set.
 */
static void get_events(struct tree_decoder *decoder)
{
	struct slice_section *events =
		get_rows(decoder, EVENT_BYTES_MIN, sizeof(*events), "event", &decoder->nr_events);

	decoder->events = events;
	for (uint32_t i = 0; i < decoder->nr_events && !decoder->error; i++) {
		events[i].event = get_string(decoder, "event", i);
		events[i].period_or_hz = get_number(decoder, UINT64_MAX, "event", i);
		events[i].unit_mask = (uint32_t)get_number(decoder, UINT32_MAX, "event", i);
		events[i].flags = get_flags(decoder, SLICE_ROOT_FLAGS_TELL, "event", i);
	}
}

static int64_t get_id(struct tree_decoder *decoder, size_t row)
{
	/* The stored number is the id + 1, so that SAMPLE_NAME_ALL is stored as 0. */
	return (int64_t)(get_number(decoder, (uint64_t)INT64_MAX + 1, "root", row) - 1);
}

static void get_root(struct tree_decoder *decoder, struct slice_section *root, uint32_t row)
{
	const struct slice_path app = get_path(decoder, "root", row);
	const uint64_t event = get_number(decoder, UINT64_MAX, "root", row);
	uint64_t cgroup;

	if (event >= decoder->nr_events)
		fail(decoder, "root", row);
	if (decoder->error)
		return;
	*root = decoder->events[event];
	root->app = app;
	root->flags |= get_flags(decoder, OPROF_SDB_WEIGHTED, "root", row);
	root->tgid = get_id(decoder, row);
	root->tid = get_id(decoder, row);
	root->cpu = get_id(decoder, row);
	cgroup = get_number(decoder, decoder->nr_strings, "root", row);
	if (!decoder->error && cgroup)
		root->cgroup = decoder->strings[cgroup - 1];
	if (!decoder->error && row && stack_root_compare(root - 1, root) >= 0)
		fail(decoder, "order of root", row);
}

static void get_roots(struct tree_decoder *decoder)
{
	decoder->roots = get_rows(decoder, ROOT_BYTES_MIN, sizeof(*decoder->roots), "root",
				  &decoder->nr_roots);
	for (uint32_t i = 0; i < decoder->nr_roots && !decoder->error; i++)
		get_root(decoder, &decoder->roots[i], i);
}

/* ---- the coded part ---- */

/* Records an error of the coder. If `error` is 0, does nothing. */
static void fail_code(struct tree_decoder *decoder, int error, const char *what, size_t row)
{
	if (error == -ENOMEM)
		fail_memory(decoder);
	else if (error)
		fail(decoder, what, row);
}

/* Reads the start of the coded part: numbers, functions and callees. */
static void code_begin(struct tree_decoder *decoder)
{
	struct stack_code *code = &decoder->code;
	const uint64_t nr_bytes_bound =
		STACK_CODE_NODES_FREE + (uint64_t)decoder->nr_bytes * STACK_CODE_NODES_PER_BYTE;
	const uint64_t bound = stack_tree_nodes_max(decoder->nr_roots);
	const uint32_t nr_functions =
		(uint32_t)get_number(decoder, bound, "number of functions", 0);

	decoder->nr_nodes = (uint32_t)get_number(
		decoder, bound < nr_bytes_bound ? bound : nr_bytes_bound, "number of nodes", 0);
	if (decoder->nr_nodes < decoder->nr_roots ||
	    decoder->nr_nodes - decoder->nr_roots < nr_functions)
		fail(decoder, "number of functions", 0);
	if (decoder->error)
		return;
	stack_code_init(code, decoder->nr_roots, nr_functions);
	decoder->functions = calloc(nr_functions + 1u, sizeof(*decoder->functions));
	if (!decoder->functions)
		return fail_memory(decoder);
	bit_coder_read(&code->coder, decoder->next, bytes_left(decoder));
	fail_code(decoder, stack_code_functions(code, decoder->functions, decoder->tree.nr_images),
		  "function", 0);
	if (!decoder->error)
		fail_code(decoder, stack_code_callees(code, decoder->nr_nodes - decoder->nr_roots),
			  "callee", 0);
}

static uint32_t most_callees(const struct stack_code *code)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < stack_code_nr_callers(code); i++)
		if (code->begin[i + 1] - code->begin[i] > most)
			most = code->begin[i + 1] - code->begin[i];
	return most;
}

static void make_room(struct tree_decoder *decoder)
{
	decoder->parts = calloc(most_callees(&decoder->code) + 1u, sizeof(*decoder->parts));
	decoder->waiting = calloc(decoder->nr_nodes + 1u, sizeof(*decoder->waiting));
	decoder->apart = calloc(decoder->nr_roots + 1u, sizeof(*decoder->apart));
	if (!decoder->parts || !decoder->waiting || !decoder->apart)
		fail_memory(decoder);
}

/*
 * Pushes the parts of a node onto the stack decoder->waiting, in reverse order, so that the first
 * part is read next.
 */
static void parts_wait(struct tree_decoder *decoder, uint32_t node, uint32_t caller, uint64_t mass)
{
	const struct stack_code *code = &decoder->code;
	const uint32_t nr_parts = stack_code_parts(&decoder->code, caller, mass, decoder->parts, 0);

	if (code->coder.error || nr_parts > decoder->nr_nodes - node - 1 - decoder->nr_waiting)
		return fail(decoder, "parts of node", node);
	for (uint32_t i = nr_parts; i-- > 0;)
		decoder->waiting[decoder->nr_waiting++] = (struct waiting){
			.parent = node,
			.function = code->callees[code->begin[caller] + decoder->parts[i].callee],
			.mass = decoder->parts[i].mass,
		};
}

/* Reads the node that was appended last. */
static void get_node(struct tree_decoder *decoder, uint32_t root, uint32_t caller, uint64_t mass)
{
	const uint32_t node = decoder->tree.nr_nodes - 1;
	const uint64_t own = stack_code_own(&decoder->code, caller, mass, 0);

	if (decoder->apart[root] && own != 1)
		return fail(decoder, "mass of node", node);
	decoder->tree.nodes[node].nr_samples = own;
	parts_wait(decoder, node, caller, mass - own);
}

static void get_waiting(struct tree_decoder *decoder, uint32_t root)
{
	const struct waiting next = decoder->waiting[--decoder->nr_waiting];
	const struct stack_function *function =
		&decoder->functions[next.function < OPROF_STACK_MARKS
					    ? 0
					    : next.function - OPROF_STACK_MARKS];
	const int64_t node = next.function < OPROF_STACK_MARKS
				     ? stack_tree_append_node(&decoder->tree, next.parent,
							      STACK_MARK(next.function), 0)
				     : stack_tree_append_node(&decoder->tree, next.parent,
							      function->image, function->offset);

	if (node < 0)
		return fail_memory(decoder);
	get_node(decoder, root, decoder->nr_roots + next.function, next.mass);
}

static void get_tree(struct tree_decoder *decoder, uint32_t root)
{
	struct stack_code *code = &decoder->code;
	uint64_t mass;

	if (decoder->tree.nr_nodes == decoder->nr_nodes)
		return fail(decoder, "root of node", decoder->nr_nodes);
	if (stack_tree_append_root(&decoder->tree, &decoder->roots[root]) < 0)
		return fail_memory(decoder);
	decoder->apart[root] = bit_code(&code->coder, &code->apart, false);
	mass = stack_code_number(code, STACK_CODE_MASS, 0);
	if (mass >= UINT64_MAX - 1)
		return fail(decoder, "mass of root", root);
	get_node(decoder, root, root, mass + 1);
	while (decoder->nr_waiting && !decoder->error)
		get_waiting(decoder, root);
}

static void get_counts(struct tree_decoder *decoder)
{
	struct stack_tree *tree = &decoder->tree;
	struct stack_code *code = &decoder->code;

	for (uint32_t i = 0; i < tree->nr_nodes && !decoder->error; i++) {
		const uint32_t number = tree->memory->root_of[i];
		struct stack_node *node = &tree->nodes[i];
		struct slice_section *root = &tree->roots[number];

		if (decoder->apart[number])
			node->nr_samples = stack_code_number(code, STACK_CODE_SAMPLES, 0);
		node->weight = root->flags & OPROF_SDB_WEIGHTED
				       ? stack_code_number(code, STACK_CODE_WEIGHT, 0)
				       : slice_plain_weight(root, node->nr_samples);
		root->nr_samples = saturate_sum(root->nr_samples, node->nr_samples);
		root->weight = saturate_sum(root->weight, node->weight);
	}
}

/*
 * After the coded part, only zeros may follow, up to the minimum length for this number of nodes.
 */
static void get_end(struct tree_decoder *decoder)
{
	const uint8_t *next = decoder->code.coder.next;
	const size_t nr_left = (size_t)(decoder->end - next);
	size_t nr_zeros = 0;

	while (nr_zeros < nr_left && !next[nr_zeros])
		nr_zeros++;
	if (decoder->code.coder.error || nr_zeros < nr_left ||
	    (nr_left && decoder->nr_bytes != stack_code_bytes_min(decoder->nr_nodes)))
		fail(decoder, "end", 0);
}

static void get_nodes(struct tree_decoder *decoder)
{
	code_begin(decoder);
	if (!decoder->error)
		make_room(decoder);
	for (uint32_t i = 0; i < decoder->nr_roots && !decoder->error; i++)
		get_tree(decoder, i);
	if (!decoder->error && decoder->tree.nr_nodes != decoder->nr_nodes)
		fail(decoder, "number of nodes", decoder->nr_nodes);
	if (!decoder->error)
		get_counts(decoder);
	if (!decoder->error)
		get_end(decoder);
}

/* ---- version 1: nodes by columns, in whole bytes ---- */

static void get_function_rows(struct tree_decoder *decoder)
{
	struct stack_function before = {0};
	struct stack_function *functions = get_rows(decoder, FUNCTION_BYTES_MIN, sizeof(*functions),
						    "function", &decoder->nr_functions);

	decoder->functions = functions;
	for (uint32_t i = 0; i < decoder->nr_functions && !decoder->error; i++) {
		const uint64_t image = get_number(decoder, UINT32_MAX, "function", i);
		const uint64_t offset = get_number(decoder, UINT64_MAX, "function", i);

		functions[i].image = before.image + (uint32_t)image;
		functions[i].offset = image ? offset : before.offset + offset;
		if (before.image + image >= decoder->tree.nr_images ||
		    functions[i].offset < offset || (i && !image && !offset))
			fail(decoder, "function", i);
		before = functions[i];
	}
}

/*
 * Reads the number of parts of each node, which determines the parents. While this function runs,
 * the member nr_samples of a node is the number of its parts that have not been read yet.
 */
static void get_parents(struct tree_decoder *decoder, uint32_t nr_nodes)
{
	struct stack_tree *tree = &decoder->tree;
	uint32_t open = STACK_NODE_ROOT; /* the node whose parts are read next */

	for (uint32_t i = 0; i < nr_nodes && !decoder->error; i++) {
		const uint64_t nr_parts = get_number(decoder, nr_nodes, "node", i);
		int64_t node;

		while (open != STACK_NODE_ROOT && !tree->nodes[open].nr_samples)
			open = tree->nodes[open].parent;
		if (open != STACK_NODE_ROOT)
			tree->nodes[open].nr_samples--;
		if (open == STACK_NODE_ROOT && tree->nr_roots == decoder->nr_roots)
			fail(decoder, "root of node", i);
		if (decoder->error)
			return;
		node = open == STACK_NODE_ROOT
			       ? stack_tree_append_root(tree, &decoder->roots[tree->nr_roots])
			       : stack_tree_append_node(tree, open, 0, 0);
		if (node < 0)
			return fail_memory(decoder);
		tree->nodes[i].nr_samples = nr_parts;
		open = i;
	}
	for (; open != STACK_NODE_ROOT && !decoder->error; open = tree->nodes[open].parent) {
		if (tree->nodes[open].nr_samples)
			fail(decoder, "parts of node", open);
	}
	if (tree->nr_roots != decoder->nr_roots)
		fail(decoder, "number of roots", tree->nr_roots);
}

/*
 * Reads the function number of node i. The function numbers of a node's parts must ascend. To check
 * this, the member weight of a node is 1 + the function number of the node's part that was read
 * last, until the weights are read.
 */
static void get_function_of(struct tree_decoder *decoder, uint32_t i)
{
	struct stack_node *nodes = decoder->tree.nodes;
	const uint64_t function = get_number(decoder, UINT32_MAX, "function of node", i);

	if (function >= OPROF_STACK_MARKS + (uint64_t)decoder->nr_functions ||
	    function < nodes[nodes[i].parent].weight ||
	    nodes[nodes[i].parent].image == STACK_MARK(OPROF_STACK_OTHER))
		fail(decoder, "function of node", i);
	if (decoder->error)
		return;
	nodes[nodes[i].parent].weight = function + 1;
	if (function < OPROF_STACK_MARKS) {
		nodes[i].image = STACK_MARK(function);
	} else {
		nodes[i].image = decoder->functions[function - OPROF_STACK_MARKS].image;
		nodes[i].offset = decoder->functions[function - OPROF_STACK_MARKS].offset;
	}
}

static void get_count_columns(struct tree_decoder *decoder)
{
	struct stack_tree *tree = &decoder->tree;

	for (uint32_t i = 0; i < tree->nr_nodes; i++)
		tree->nodes[i].nr_samples = get_number(decoder, UINT64_MAX, "samples of node", i);
	for (uint32_t i = 0; i < tree->nr_nodes && !decoder->error; i++) {
		struct stack_node *node = &tree->nodes[i];
		struct slice_section *root = &tree->roots[tree->memory->root_of[i]];

		node->weight = root->flags & OPROF_SDB_WEIGHTED
				       ? get_number(decoder, UINT64_MAX, "weight of node", i)
				       : slice_plain_weight(root, node->nr_samples);
		root->nr_samples = saturate_sum(root->nr_samples, node->nr_samples);
		root->weight = saturate_sum(root->weight, node->weight);
	}
}

static void get_columns(struct tree_decoder *decoder)
{
	struct stack_tree *tree = &decoder->tree;
	uint32_t nr_nodes;

	get_function_rows(decoder);
	nr_nodes = get_nr(decoder, NODE_BYTES_MIN, "node");
	get_parents(decoder, nr_nodes);
	for (uint32_t i = 0; i < tree->nr_nodes && !decoder->error; i++) {
		tree->nodes[i].nr_samples = 0;
		if (!stack_node_is_root(&tree->nodes[i]))
			get_function_of(decoder, i);
	}
	if (!decoder->error)
		get_count_columns(decoder);
	if (!decoder->error && decoder->next != decoder->end)
		fail(decoder, "end", 0);
}

/* ---- entry points ---- */

static void get_all(struct tree_decoder *decoder, uint32_t version)
{
	get_strings(decoder);
	get_paths(decoder);
	get_images(decoder);
	get_events(decoder);
	get_roots(decoder);
	if (decoder->error)
		return;
	if (version == 1)
		get_columns(decoder);
	else
		get_nodes(decoder);
}

static void decoder_deinit(struct tree_decoder *decoder)
{
	free(decoder->strings);
	free(decoder->paths);
	free(decoder->events);
	free(decoder->roots);
	free(decoder->functions);
	stack_code_deinit(&decoder->code);
	free(decoder->parts);
	free(decoder->waiting);
	free(decoder->apart);
}

int stack_tree_decode(struct stack_tree *tree, uint32_t version, const uint8_t *bytes,
		      size_t nr_bytes, struct diag *diag)
{
	/* The decoder is on the heap, since its models are too large for small thread stacks. */
	struct tree_decoder *decoder = calloc(1, sizeof(*decoder));
	int error;

	if (!decoder)
		return diag_set(diag, -ENOMEM, "%s", strerror(ENOMEM));
	decoder->next = bytes;
	decoder->end = bytes + nr_bytes;
	decoder->nr_bytes = nr_bytes;
	decoder->diag = diag;
	if (stack_tree_init(&decoder->tree))
		fail_memory(decoder);
	else
		get_all(decoder, version);
	decoder_deinit(decoder);
	error = decoder->error;
	if (error)
		stack_tree_deinit(&decoder->tree);
	else
		*tree = decoder->tree;
	free(decoder);
	return error;
}
