// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/calls/call_functions.h"

#include "lib/array.h"
#include "lib/progress.h"
#include "pp/code/code_functions.h"
#include "pp/profile/image_search.h"
#include "pp/profile/symbol_choice.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function_joining {
	struct call_tree *tree;
	struct call_stacks *stacks;
	const struct profile_options *options;
	size_t room;	 /* allocated elements of tree->functions */
	uint32_t *order; /* indexes of keys, sorted by image, then offset */
	uint32_t *sides; /* for each function, one bit for each side that has it */
	/*
	 * Symbols of the current image. These symbols are reused if the next image is a copy of the
	 * same binary.
	 */
	struct symbol_table table;
	const struct call_image *loaded; /* image whose symbols are in `table`; NULL: none */
};

/* ---- functions ---- */

static int add_function(struct function_joining *making, const struct call_function *function,
			uint32_t *number)
{
	struct call_tree *tree = making->tree;

	if (array_reserve(&tree->functions, &making->room, tree->nr_functions, 1))
		return -ENOMEM;
	*number = (uint32_t)tree->nr_functions;
	tree->functions[tree->nr_functions++] = *function;
	return 0;
}

static int add_symbol(struct function_joining *making, uint32_t image, const struct symbol *symbol,
		      uint32_t *number)
{
	struct call_function function = {.image = image, .mark = OPROF_STACK_MARKS};

	if (symbol) {
		function.name = strings_keep(&making->tree->strings, symbol->name);
		if (!function.name)
			return -ENOMEM;
		function.address = symbol->address;
		function.offset = symbol->start;
		function.nr_bytes = symbol->nr_bytes;
	}
	return add_function(making, &function, number);
}

static int add_mark(struct function_joining *making, uint32_t image, uint32_t *number)
{
	static const char *const names[OPROF_STACK_MARKS] = {
		[OPROF_STACK_UNKNOWN] = "[unknown]",
		[OPROF_STACK_TRUNCATED] = "[truncated]",
		[OPROF_STACK_BROKEN] = "[broken]",
		[OPROF_STACK_OTHER] = "[other]",
	};
	uint32_t mark = STACK_MARK(image); /* STACK_MARK() converts in both directions */
	struct call_function function = {.image = CALL_IMAGE_NONE};

	/*
	 * A value of OPROF_STACK_MARKS or more cannot occur, because trees with such values are
	 * refused when they are read.
	 */
	if (mark >= OPROF_STACK_MARKS)
		mark = OPROF_STACK_UNKNOWN;
	function.mark = (enum oprof_stack_mark)mark;
	function.name = strings_keep(&making->tree->strings, names[mark]);
	return function.name ? add_function(making, &function, number) : -ENOMEM;
}

/* ---- symbols ---- */

static bool same_build_id(const struct oprof_image_identity *a,
			  const struct oprof_image_identity *b)
{
	return a->nr_build_id && a->nr_build_id <= sizeof(a->build_id) &&
	       a->nr_build_id == b->nr_build_id &&
	       !memcmp(a->build_id, b->build_id, a->nr_build_id);
}

static void forget_symbols(struct function_joining *making)
{
	if (making->loaded)
		symbol_table_deinit(&making->table);
	making->loaded = NULL;
}

/*
 * image->path is the path that reports show. It differs from the real path only for memory regions,
 * which have no symbols.
 */
static int load_symbols(struct function_joining *making, const struct call_image *image)
{
	const struct selection *selection = making->tree->profile->selection;
	struct image_search search;
	int error;

	/* The symbols of the previous copy of this binary are reused, unless that copy had none. */
	if (making->loaded && making->table.nr_symbols &&
	    same_build_id(&making->loaded->identity, &image->identity))
		return 0;
	forget_symbols(making);
	image_search_init_session(&search, &selection->sessions[image->session], making->options);
	error = symbol_table_load(&making->table, image->path, &image->identity, image->kind,
				  &search.search);
	if (!error)
		making->loaded = image;
	return error;
}

static int note_symbols(struct function_joining *making, struct call_image *image)
{
	image->has_symbols = making->table.nr_symbols != 0;
	image->lack = making->table.lack;
	if (!making->table.note)
		return 0;
	image->note = strdup(making->table.note);
	return image->note ? 0 : -ENOMEM;
}

/* ---- keys of an image ---- */

/* The state while functions are found for the keys of one image, in ascending order. */
struct image_joining {
	struct function_joining *making;
	uint32_t image;
	uint32_t outside; /* function of the code outside all symbols, or CALL_NODE_NONE */
	uint32_t last;	  /* function of last_symbol, or CALL_NODE_NONE */
	uint32_t last_nameless;
	size_t last_symbol;
	size_t nr_symbols; /* no symbol with this index or a higher one has a function yet */
	size_t symbol;	   /* index of the symbol at which the next search begins */
	struct code_functions functions;
	bool tried_functions; /* load_functions() was called; it is called only once */
};

static bool holds(const struct symbol_table *table, size_t symbol, uint64_t offset)
{
	return symbol < table->nr_symbols && table->symbols[symbol].start <= offset;
}

/* Returns the image's function that begins at the key `start`, or CALL_NODE_NONE. */
static uint32_t find_start(const struct image_joining *joining, uint64_t start)
{
	const struct call_tree *tree = joining->making->tree;

	for (size_t i = tree->nr_functions; i > 0; i--) {
		const struct call_function *function = &tree->functions[i - 1];

		if (function->image != joining->image)
			break;
		if (function->offset == start)
			return (uint32_t)(i - 1);
	}
	return CALL_NODE_NONE;
}

static int join_symbol(struct image_joining *joining, size_t symbol, uint32_t *function)
{
	const struct symbol *found = &joining->making->table.symbols[symbol];
	int error = 0;

	if (joining->last == CALL_NODE_NONE || symbol != joining->last_symbol) {
		joining->last = symbol < joining->nr_symbols ? find_start(joining, found->start)
							     : CALL_NODE_NONE;
		if (joining->last == CALL_NODE_NONE)
			error = add_symbol(joining->making, joining->image, found, &joining->last);
		if (symbol >= joining->nr_symbols)
			joining->nr_symbols = symbol + 1;
		joining->last_symbol = symbol;
	}
	*function = joining->last;
	return error;
}

/*
 * Returns the address of the key `start`, which is outside all symbols. The difference between key
 * and address is assumed to be the same as for a nearby symbol.
 */
static uint64_t address_at(const struct image_joining *joining, uint64_t start)
{
	const struct symbol_table *table = &joining->making->table;
	size_t near = joining->symbol;

	if (near == table->nr_symbols && near)
		near--;
	if (near == table->nr_symbols)
		return start;
	return start + table->symbols[near].address - table->symbols[near].start;
}

/* Adds a function that has no symbol. Its name contains the key of its first byte. */
static int add_nameless(struct image_joining *joining, uint64_t start, uint32_t *number)
{
	struct function_joining *making = joining->making;
	struct call_function function = {.image = joining->image,
					 .address = address_at(joining, start),
					 .offset = start,
					 .mark = OPROF_STACK_MARKS,
					 .is_nameless = true};
	const char *path = making->stacks->images[joining->image].path;
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX];

	(void)snprintf(name, sizeof(name), "%.*s+0x%" PRIx64, PATH_MAX - 32,
		       slash ? slash + 1 : path, start);
	function.name = strings_keep(&making->tree->strings, name);
	return function.name ? add_function(making, &function, number) : -ENOMEM;
}

static int load_functions(struct image_joining *joining)
{
	struct function_joining *making = joining->making;
	const struct call_image *image = &making->stacks->images[joining->image];
	struct image_search search;

	joining->tried_functions = true;
	image_search_init_session(&search,
				  &making->tree->profile->selection->sessions[image->session],
				  making->options);
	return code_functions_load(&joining->functions, image->path, &image->identity, image->kind,
				   &search.search);
}

/*
 * Finds the function that contains an offset outside all symbols. Uses the image's code table, if
 * there is one.
 */
static int join_outside(struct image_joining *joining, uint64_t offset, uint32_t *function)
{
	const struct symbol_table *table = &joining->making->table;
	int error = joining->tried_functions ? 0 : load_functions(joining);
	uint64_t start = error ? 0 : code_functions_find(&joining->functions, offset);
	size_t symbol = start ? symbol_find_from(table, 0, start) : 0;

	if (error)
		return error;
	/* The function has a symbol, but the symbol's size is too small. */
	if (start && holds(table, symbol, start))
		return join_symbol(joining, symbol, function);
	if (start) {
		if (joining->last_nameless == CALL_NODE_NONE ||
		    joining->making->tree->functions[joining->last_nameless].offset != start)
			error = add_nameless(joining, start, &joining->last_nameless);
		*function = joining->last_nameless;
		return error;
	}
	if (joining->outside == CALL_NODE_NONE)
		error = add_symbol(joining->making, joining->image, NULL, &joining->outside);
	*function = joining->outside;
	return error;
}

/* Keys and symbols are both sorted, so one pass over both suffices. */
static int join_symbols(struct function_joining *making, uint32_t image, const uint32_t *order,
			size_t nr)
{
	struct image_joining joining = {.making = making,
					.image = image,
					.outside = CALL_NODE_NONE,
					.last = CALL_NODE_NONE,
					.last_nameless = CALL_NODE_NONE};
	const struct symbol_table *table = &making->table;
	int error = 0;

	for (size_t i = 0; i < nr && !error; i++) {
		struct call_key *key = &making->stacks->keys[order[i]];

		joining.symbol = symbol_find_from(table, joining.symbol, key->offset);
		error = holds(table, joining.symbol, key->offset)
				? join_symbol(&joining, joining.symbol, &key->function)
				: join_outside(&joining, key->offset, &key->function);
	}
	code_functions_deinit(&joining.functions);
	return error;
}

static int make_image(struct function_joining *making, uint32_t image, const uint32_t *order,
		      size_t nr)
{
	struct call_image *of;
	uint32_t function;
	int error;

	if (image >= making->stacks->nr_images) {
		error = add_mark(making, image, &function);
		for (size_t i = 0; i < nr && !error; i++)
			making->stacks->keys[order[i]].function = function;
		return error;
	}
	of = &making->stacks->images[image];
	error = load_symbols(making, of);
	if (!error)
		error = note_symbols(making, of);
	return error ? error : join_symbols(making, image, order, nr);
}

/* Sorts copies of a binary next to each other. Marks come after all images. */
static int compare_images(const struct call_stacks *stacks, uint32_t a, uint32_t b)
{
	const struct call_image *left, *right;
	int order = 0;

	if (a < stacks->nr_images && b < stacks->nr_images) {
		left = &stacks->images[a];
		right = &stacks->images[b];
		order = memcmp(left->identity.build_id, right->identity.build_id,
			       sizeof(left->identity.build_id));
	}
	return order ? order : a < b ? -1 : a > b;
}

static int compare_keys(const void *a, const void *b, void *context)
{
	const struct call_stacks *stacks = context;
	const struct call_key *left = &stacks->keys[*(const uint32_t *)a];
	const struct call_key *right = &stacks->keys[*(const uint32_t *)b];

	if (left->image != right->image)
		return compare_images(stacks, left->image, right->image);
	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static int make_images(struct function_joining *making)
{
	struct call_stacks *stacks = making->stacks;
	struct progress progress;
	size_t begin = 0;
	int error = 0;

	progress_begin(&progress, "reading symbols", stacks->nr_keys);
	for (size_t i = 1; i <= stacks->nr_keys && !error; i++) {
		uint32_t image = stacks->keys[making->order[begin]].image;

		if (i < stacks->nr_keys && stacks->keys[making->order[i]].image == image)
			continue;
		progress_step(&progress, begin,
			      image < stacks->nr_images ? stacks->images[image].path : "");
		error = make_image(making, image, making->order + begin, i - begin);
		begin = i;
	}
	progress_end(&progress);
	return error;
}

/* ---- merging of functions that reports show as one ---- */

static bool is_named(const struct call_image *image)
{
	return image->kind == OPROF_IMAGE_CODE ||
	       (image->kind == OPROF_IMAGE_BPF && *image->path == '[');
}

static int compare_pointers(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

/* Paths and names are in one pool: equal strings have equal pointers. */
static int compare_texts(const struct function_joining *making, uint32_t a, uint32_t b)
{
	const struct call_function *left = &making->tree->functions[a];
	const struct call_function *right = &making->tree->functions[b];
	int order;

	if (left->image == CALL_IMAGE_NONE || right->image == CALL_IMAGE_NONE)
		return (left->image == CALL_IMAGE_NONE) - (right->image == CALL_IMAGE_NONE);
	order = compare_pointers(making->stacks->images[left->image].path,
				 making->stacks->images[right->image].path);
	return order ? order : compare_pointers(left->name, right->name);
}

static int compare_functions(const void *a, const void *b, void *context)
{
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	int order = compare_texts(context, left, right);

	return order ? order : left < right ? -1 : left > right;
}

/*
 * Returns whether two functions with equal path and name, in different images, are the same
 * function. This is so in two cases. First, the code of both functions has no file: each session
 * numbers the names of such functions itself, and uses these numbers as keys. Second, the binary
 * was rebuilt between the two sides of a comparison: each function then has samples on one side
 * only. pp/profile/profile_merge.h merges rows by the same rule.
 */
static bool belong_together(const struct function_joining *making, uint32_t a, uint32_t b)
{
	const struct call_function *functions = making->tree->functions;
	const struct call_image *images = making->stacks->images;

	if (functions[a].image == functions[b].image || functions[a].image == CALL_IMAGE_NONE)
		return false;
	if (is_named(&images[functions[a].image]) && is_named(&images[functions[b].image]))
		return true;
	return making->sides[a] && making->sides[b] && !(making->sides[a] & making->sides[b]);
}

static void merge_group(struct function_joining *making, uint32_t *to, const uint32_t *group,
			size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t j = i + 1; j < nr && to[group[i]] == group[i]; j++) {
			if (to[group[j]] != group[j] ||
			    !belong_together(making, group[i], group[j]))
				continue;
			to[group[j]] = group[i];
			making->sides[group[i]] |= making->sides[group[j]];
		}
}

/* Stores in to[i] the function into which function i is merged, or i if it is not merged. */
static int find_same(struct function_joining *making, uint32_t *to)
{
	size_t nr = making->tree->nr_functions;
	uint32_t *order = calloc(nr + 1, sizeof(*order));
	size_t begin = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		order[i] = to[i] = (uint32_t)i;
	qsort_r(order, nr, sizeof(*order), compare_functions, making);
	for (size_t i = 1; i <= nr; i++) {
		if (i < nr && !compare_texts(making, order[begin], order[i]))
			continue;
		merge_group(making, to, order + begin, i - begin);
		begin = i;
	}
	free(order);
	return 0;
}

static bool has_copies(const struct function_joining *making)
{
	if (making->tree->profile->selection->nr_sides > 1)
		return true;
	for (size_t i = 0; i < making->stacks->nr_images; i++)
		if (is_named(&making->stacks->images[i]))
			return making->tree->profile->selection->nr_sessions > 1;
	return false;
}

static int merge_functions(struct function_joining *making)
{
	size_t nr = making->tree->nr_functions;
	struct call_stacks *stacks = making->stacks;
	uint32_t *to;
	int error;

	if (!has_copies(making))
		return 0;
	to = calloc(nr + 1, sizeof(*to));
	making->sides = calloc(nr + 1, sizeof(*making->sides));
	error = to && making->sides ? 0 : -ENOMEM;
	for (size_t i = 0; i < stacks->nr_keys && !error; i++)
		making->sides[stacks->keys[i].function] |= stacks->keys[i].sides;
	if (!error)
		error = find_same(making, to);
	for (size_t i = 0; i < stacks->nr_keys && !error; i++)
		stacks->keys[i].function = to[stacks->keys[i].function];
	free(to);
	return error;
}

static int hide_functions(const struct function_joining *making, bool **hidden)
{
	const struct profile_options *options = making->options;
	const struct call_tree *tree = making->tree;

	*hidden = calloc(tree->nr_functions + 1, sizeof(**hidden));
	if (!*hidden)
		return -ENOMEM;
	for (size_t i = 0; i < tree->nr_functions; i++) {
		const char *name = tree->functions[i].name;

		(*hidden)[i] = symbol_is_left_out(&options->include, &options->exclude,
						  name ? name : "", options->demangle);
	}
	return 0;
}

int call_functions_make(struct call_tree *tree, struct call_stacks *stacks,
			const struct profile_options *options, bool **hidden)
{
	struct function_joining making = {.tree = tree, .stacks = stacks, .options = options};
	int error = 0;

	making.order = calloc(stacks->nr_keys + 1, sizeof(*making.order));
	if (!making.order)
		return -ENOMEM;
	for (size_t i = 0; i < stacks->nr_keys; i++)
		making.order[i] = (uint32_t)i;
	qsort_r(making.order, stacks->nr_keys, sizeof(*making.order), compare_keys, stacks);
	error = make_images(&making);
	if (!error)
		error = merge_functions(&making);
	if (!error)
		error = hide_functions(&making, hidden);
	forget_symbols(&making);
	free(making.order);
	free(making.sides);
	return error;
}
