// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Joins two views of the same samples. The flat profile has rows (a symbol of an image, in an
 * application), and for each row its details: the addresses at which samples were taken. The call
 * tree has functions and their callers. The steps:
 *
 * 1. match_selection: map the selection's numbers of images and applications, which the flat
 *    profile uses, to the tree's numbers.
 * 2. index_functions: make a hash table of the tree's functions, by image and key of the first
 *    byte.
 * 3. add_places: find the function of each detail, by the symbol of its row or, if there is none,
 *    by the image's code table. Store each address of a function once, as a code, and once for
 *    each application, as a place. Ignore details whose function or application is not in the
 *    tree.
 * 4. sort_places: sort the places by function, application and key, so that a function's places
 *    are one range. Copy to each place the counts of its detail.
 * 5. find_lines: make one query for each code, and one for each function's first byte. Queries
 *    are sorted by image and key, so each line table is loaded once and read forwards.
 */
#include "pp/calls/call_places.h"

#include "lib/array.h"
#include "lib/index_table.h"
#include "lib/progress.h"
#include "libdb/sample_name.h"
#include "pp/code/code_functions.h"
#include "pp/profile/image_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* The functions in an image's code table, which is read at its first use. */
struct image_functions {
	struct code_functions functions;
	bool is_loaded; /* `functions` is loaded, or could not be loaded */
};

struct place_join {
	struct call_places *places; /* the result */
	const struct call_tree *tree;
	const struct profile *flat;
	const struct profile_options *options;
	/*
	 * For each image and each application of the selection: the number that it has in the tree,
	 * or NONE if the tree does not have it.
	 */
	uint32_t *tree_image, *tree_app;
	/* `bias` and `image_functions` have an element for each image of the tree. */
	uint64_t *bias; /* address of a byte minus the byte's key */
	struct image_functions *image_functions;
	/* Hash tables of the tree's functions, and of the result's codes and files. */
	struct index_table function_table, code_table, file_table;
	size_t places_room, codes_room, frames_room, files_room;
	size_t *details; /* the detail of each place, before places are sorted */
	size_t details_room;
};

/* A key whose line is searched: the key of a code, or of a function's first byte. */
struct code_line_query {
	uint64_t key;
	uint32_t image, function;
	uint32_t code; /* NONE: the query is for the function's first line */
};

/*
 * Makes room for one more element. Returns false if out of memory, or if indexes would need more
 * than 32 bits.
 */
static bool grow(void *array, size_t nr, size_t *room, size_t nr_bytes)
{
	return nr < NONE / 2 && !array_reserve_bytes(array, room, nr, 1, nr_bytes);
}

static uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return index_table_hash(index_table_hash(0, a), b);
}

/* ---- 1. images and applications ---- */

static bool is_same_image(const struct call_image *ours, const struct selection_image *theirs)
{
	return ours->kind == theirs->kind && sample_identity(&ours->identity) == theirs->identity &&
	       !strcmp(ours->path, theirs->path);
}

static uint32_t find_image(const struct call_tree *tree, const struct selection_image *image)
{
	for (uint32_t i = 0; i < tree->nr_images; i++)
		if (is_same_image(&tree->images[i], image))
			return i;
	return NONE;
}

static uint32_t find_app(const struct call_tree *tree, const char *app)
{
	for (uint32_t i = 0; i < tree->nr_apps; i++)
		if (!strcmp(tree->apps[tree->nodes[i].function], app))
			return i;
	return NONE;
}

static int match_selection(struct place_join *join)
{
	const struct selection *selection = join->flat->selection;

	join->tree_image = calloc(selection->nr_images + 1, sizeof(*join->tree_image));
	join->tree_app = calloc(selection->nr_apps + 1, sizeof(*join->tree_app));
	if (!join->tree_image || !join->tree_app)
		return -ENOMEM;
	for (size_t i = 0; i < selection->nr_images; i++)
		join->tree_image[i] = find_image(join->tree, &selection->images[i]);
	for (size_t i = 0; i < selection->nr_apps; i++)
		join->tree_app[i] = find_app(join->tree, selection->apps[i]);
	return 0;
}

/* ---- 2. functions ---- */

/*
 * A function is found by its image, by the key of its first byte, and by whether it has a name. The
 * entry for code outside all symbols has no name, but may have the same key as a named function.
 */
struct function_key {
	uint32_t image;
	bool named;
	uint64_t offset;
};

static bool same_function(uint32_t index, const void *key, void *context)
{
	const struct call_tree *tree = context;
	const struct call_function *function = &tree->functions[index];
	const struct function_key *wanted = key;

	return function->image == wanted->image && !function->name == !wanted->named &&
	       function->offset == wanted->offset;
}

static int index_functions(struct place_join *join)
{
	const struct call_tree *tree = join->tree;
	int error = 0;

	join->bias = calloc(tree->nr_images + 1, sizeof(*join->bias));
	if (!join->bias)
		return -ENOMEM;
	for (size_t i = 0; i < tree->nr_functions && !error; i++) {
		const struct call_function *function = &tree->functions[i];

		if (function->image == CALL_IMAGE_NONE)
			continue;
		if (function->name)
			join->bias[function->image] = function->address - function->offset;
		error = index_table_put(&join->function_table,
					hash_pair(function->image, function->offset), (uint32_t)i);
	}
	return error;
}

static uint32_t find_function(const struct place_join *join, const struct function_key *key)
{
	if (key->image == NONE)
		return NONE;
	return index_table_find(&join->function_table, hash_pair(key->image, key->offset),
				same_function, key, (void *)(uintptr_t)join->tree);
}

/* Returns the function that begins where a row's symbol begins, or NONE. */
static uint32_t function_of_symbol(const struct place_join *join, const struct profile_row *row)
{
	const struct function_key key = {.image = join->tree_image[row->image],
					 .named = row->name != NULL,
					 .offset = row->start};

	return find_function(join, &key);
}

static int load_image_functions(struct place_join *join, uint32_t number)
{
	const struct call_image *image = &join->tree->images[number];
	struct image_functions *functions = &join->image_functions[number];
	struct image_search search;

	if (functions->is_loaded)
		return 0;
	functions->is_loaded = true;
	image_search_init_session(&search, &join->flat->selection->sessions[image->session],
				  join->options);
	return code_functions_load(&functions->functions, image->path, &image->identity,
				   image->kind, &search.search);
}

/*
 * Sets *function to the function that contains the detail according to the image's code table,
 * or to NONE if the tree lacks this function. If the table has no function there, *function
 * stays unchanged. The tree uses this table for code that no symbol covers, and for code whose
 * symbol begins at another byte than the function.
 */
static int function_of_code(struct place_join *join, const struct profile_detail *detail,
			    uint32_t *function)
{
	struct function_key key = {.image = join->tree_image[detail->image], .named = true};
	int error;

	if (key.image == NONE)
		return 0;
	error = load_image_functions(join, key.image);
	if (error)
		return error;
	key.offset = code_functions_find(&join->image_functions[key.image].functions, detail->key);
	if (key.offset)
		*function = find_function(join, &key);
	return 0;
}

/*
 * Sets *function to the detail's function, or to NONE if the tree does not have it. of_symbol: the
 * result of function_of_symbol() for the row.
 */
static int function_of_detail(struct place_join *join, const struct profile_row *row,
			      uint32_t of_symbol, const struct profile_detail *detail,
			      uint32_t *function)
{
	*function = of_symbol;
	if (join->tree->is_flat || (row->name && of_symbol != NONE))
		return 0;
	return function_of_code(join, detail, function);
}

/* ---- 3. places ---- */

static bool same_code(uint32_t index, const void *key, void *context)
{
	const struct call_places *places = context;
	const struct call_code *wanted = key;

	return places->codes[index].function == wanted->function &&
	       places->codes[index].key == wanted->key;
}

/*
 * Returns the address of a detail. A detail outside all symbols has only a key; its address is
 * computed by adding the image's bias.
 */
static uint64_t address_of(const struct place_join *join, const struct call_function *function,
			   const struct profile_detail *detail, bool is_named)
{
	if (is_named)
		return detail->address;
	return detail->key + (function->name ? function->address - function->offset
					     : join->bias[function->image]);
}

/*
 * Finds or adds the code of a function at a detail's key. Returns the code's index; NONE: out of
 * memory.
 */
static uint32_t keep_code(struct place_join *join, uint32_t function,
			  const struct profile_detail *detail, bool is_named)
{
	struct call_places *places = join->places;
	const struct call_code code = {
		.function = function,
		.key = detail->key,
		.address = address_of(join, &join->tree->functions[function], detail, is_named)};
	uint64_t hash = hash_pair(function, detail->key);
	uint32_t index = index_table_find(&join->code_table, hash, same_code, &code, places);

	if (index != INDEX_TABLE_NONE)
		return index;
	if (!grow(&places->codes, places->nr_codes, &join->codes_room, sizeof(code)) ||
	    index_table_put(&join->code_table, hash, (uint32_t)places->nr_codes))
		return NONE;
	places->codes[places->nr_codes] = code;
	return (uint32_t)places->nr_codes++;
}

static int add_place(struct place_join *join, uint32_t function, uint32_t app, size_t detail,
		     bool is_named)
{
	struct call_places *places = join->places;
	uint32_t code = keep_code(join, function, &join->flat->details[detail], is_named);

	if (code == NONE ||
	    !grow(&places->places, places->nr_places, &join->places_room,
		  sizeof(*places->places)) ||
	    !grow(&join->details, places->nr_places, &join->details_room, sizeof(*join->details)))
		return -ENOMEM;
	join->details[places->nr_places] = detail;
	places->places[places->nr_places++] =
		(struct call_place){.function = function, .app = app, .code = code};
	return 0;
}

/* Returns whether the row's samples are stored under the image itself, not under the program. */
static bool is_by_image(const struct place_join *join, const struct profile_row *row)
{
	const struct selection *selection = join->flat->selection;

	return join->tree->has_by_image &&
	       !strcmp(selection->apps[row->app], selection->images[row->image].path);
}

static int add_row(struct place_join *join, size_t number)
{
	const struct profile *flat = join->flat;
	const struct profile_row *row = &flat->rows[number];
	bool by_image = is_by_image(join, row);
	uint32_t app = by_image ? CALL_PLACE_ANY : join->tree_app[row->app];
	uint32_t of_symbol = function_of_symbol(join, row);
	int error = 0;

	/* CALL_PLACE_ANY and NONE are the same number; by_image distinguishes them. */
	if (!by_image && app == NONE)
		return 0;
	for (size_t i = flat->first_detail[number]; i < flat->first_detail[number + 1] && !error;
	     i++) {
		uint32_t function;

		error = function_of_detail(join, row, of_symbol, &flat->details[i], &function);
		if (error || function == NONE)
			continue;
		join->places->is_shared[function] |= by_image;
		error = add_place(join, function, app, i, row->name);
	}
	return error;
}

static int add_places(struct place_join *join)
{
	struct call_places *places = join->places;
	int error = 0;

	for (size_t i = 0; i < join->flat->nr_rows && !error; i++)
		error = add_row(join, i);
	/*
	 * If some samples of a function are stored under its image, the tree does not distinguish
	 * them from the function's other samples. So all places of this function count the samples
	 * of all applications.
	 */
	for (size_t i = 0; i < places->nr_places; i++)
		if (places->is_shared[places->places[i].function])
			places->places[i].app = CALL_PLACE_ANY;
	return error;
}

/* ---- 4. sorting of places ---- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_places(const void *a, const void *b, void *context)
{
	const struct call_places *places = context;
	const struct call_place *left = &places->places[*(const uint32_t *)a];
	const struct call_place *right = &places->places[*(const uint32_t *)b];
	int order = compare(left->function, right->function);

	if (!order)
		order = compare(left->app, right->app);
	if (!order)
		order = compare(places->codes[left->code].key, places->codes[right->code].key);
	return order ? order : compare(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void copy_counts(const struct place_join *join, const uint32_t *order)
{
	struct call_places *places = join->places;
	const struct profile *flat = join->flat;
	size_t nr = flat->nr_columns;

	for (size_t i = 0; i < places->nr_places; i++) {
		size_t detail = join->details[order[i]];

		memcpy(places->counts + i * nr, flat->detail_counts + detail * nr,
		       nr * sizeof(*places->counts));
		if (places->shares != places->counts)
			memcpy(places->shares + i * nr, flat->detail_shares + detail * nr,
			       nr * sizeof(*places->shares));
	}
}

static int allocate_counts(struct place_join *join)
{
	struct call_places *places = join->places;
	size_t nr = places->nr_places * join->flat->nr_columns + 1;

	places->counts = places->shares = calloc(nr, sizeof(*places->counts));
	if (join->flat->detail_shares != join->flat->detail_counts)
		places->shares = calloc(nr, sizeof(*places->shares));
	return places->counts && places->shares ? 0 : -ENOMEM;
}

/* Returns the sorted indexes of all places, in a malloc'ed array; NULL: out of memory. */
static uint32_t *make_order(struct call_places *places)
{
	uint32_t *order = calloc(places->nr_places + 1, sizeof(*order));

	if (!order)
		return NULL;
	for (size_t i = 0; i < places->nr_places; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, places->nr_places, sizeof(*order), compare_places, places);
	return order;
}

/*
 * Fills places->first. Places must be sorted: the index of a function's first place is then the
 * number of places that belong to functions with lower indexes.
 */
static int find_first_places(struct call_places *places, size_t nr_functions)
{
	places->first = calloc(nr_functions + 1, sizeof(*places->first));
	if (!places->first)
		return -ENOMEM;
	for (size_t i = 0; i < places->nr_places; i++)
		places->first[places->places[i].function + 1]++;
	for (size_t i = 0; i < nr_functions; i++)
		places->first[i + 1] += places->first[i];
	return 0;
}

static int sort_places(struct place_join *join)
{
	struct call_places *places = join->places;
	struct call_place *sorted = calloc(places->nr_places + 1, sizeof(*sorted));
	uint32_t *order = make_order(places);

	if (!sorted || !order || allocate_counts(join)) {
		free(sorted);
		free(order);
		return -ENOMEM;
	}
	copy_counts(join, order);
	for (size_t i = 0; i < places->nr_places; i++)
		sorted[i] = places->places[order[i]];
	free(order);
	free(places->places);
	places->places = sorted;
	return find_first_places(places, join->tree->nr_functions);
}

/* ---- 5. lines ---- */

static bool same_file(uint32_t index, const void *key, void *context)
{
	const struct call_places *places = context;

	return places->files[index] == key;
}

/* Finds or adds a file by its path, and stores its index in places->files. Returns 0 or -ENOMEM. */
static int keep_file(struct place_join *join, const char *path, uint32_t *number)
{
	struct call_places *places = join->places;
	const char *kept = strings_keep(&places->strings, path);
	uint64_t hash = hash_pair(1, (uint64_t)(uintptr_t)kept);

	if (!kept)
		return -ENOMEM;
	*number = index_table_find(&join->file_table, hash, same_file, kept, places);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	if (!grow(&places->files, places->nr_files, &join->files_room, sizeof(*places->files)) ||
	    index_table_put(&join->file_table, hash, (uint32_t)places->nr_files))
		return -ENOMEM;
	*number = (uint32_t)places->nr_files;
	places->files[places->nr_files++] = kept;
	return 0;
}

/*
 * Converts `from`, a position in the line table, to *line and to *file, which is an index in
 * places->files. Sets *line and *file to 0 if the position is unknown.
 */
static int keep_line(struct place_join *join, const struct line_table *table,
		     struct line_place from, uint32_t *file, uint32_t *line)
{
	*file = *line = 0;
	if (!from.line || from.file >= table->nr_files)
		return 0;
	*line = from.line;
	return keep_file(join, table->files[from.file], file);
}

static int add_frame(struct place_join *join, const struct line_table *table, const char *function,
		     struct line_place from)
{
	struct call_places *places = join->places;
	struct call_frame frame = {0};

	if (function) {
		frame.function = strings_keep(&places->strings, function);
		if (!frame.function)
			return -ENOMEM;
	}
	if (!grow(&places->frames, places->nr_frames, &join->frames_room, sizeof(frame)) ||
	    keep_line(join, table, from, &frame.file, &frame.line))
		return -ENOMEM;
	places->frames[places->nr_frames++] = frame;
	return 0;
}

/*
 * Adds the frames of one code address, innermost first. The innermost frame has the line of the
 * address. Each further frame has the line at which the function of the previous frame was inlined.
 */
static int answer_code(struct place_join *join, const struct line_table *table,
		       const struct line_found *found, struct call_code *code)
{
	size_t nr = found->nr_inlines;
	int error;

	if (!nr && !found->place.line)
		return 0;
	code->first_frame = join->places->nr_frames;
	error = add_frame(join, table, nr ? found->inlines[0].function : NULL, found->place);
	for (size_t i = 0; i < nr && !error; i++)
		error = add_frame(join, table, i + 1 < nr ? found->inlines[i + 1].function : NULL,
				  found->inlines[i].call);
	code->nr_frames = (uint32_t)nr + 1;
	return error;
}

/*
 * Stores the function's first line. If the code at its first byte is inlined, this is the line of
 * the outermost call.
 */
static int answer_start(struct place_join *join, const struct line_table *table,
			const struct line_found *found, struct line_place *start)
{
	size_t nr = found->nr_inlines;

	return keep_line(join, table, nr ? found->inlines[nr - 1].call : found->place, &start->file,
			 &start->line);
}

static int answer(struct place_join *join, const struct line_table *table,
		  const struct code_line_query *queries, size_t nr)
{
	struct call_places *places = join->places;
	struct line_found *found = malloc(sizeof(*found));
	size_t hint = 0;
	int error = found ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !error; i++) {
		if (line_table_find(table, queries[i].key, &hint, found))
			continue;
		if (queries[i].code == NONE)
			error = answer_start(join, table, found,
					     &places->starts[queries[i].function]);
		else
			error = answer_code(join, table, found, &places->codes[queries[i].code]);
	}
	free(found);
	return error;
}

/* Answers all queries about one image. */
static int answer_image(struct place_join *join, const struct code_line_query *queries, size_t nr)
{
	const struct selection *selection = join->flat->selection;
	const struct call_image *image = &join->tree->images[queries->image];
	struct call_place_image *lines = &join->places->images[queries->image];
	struct image_search search;
	struct line_table table;
	int error;

	image_search_init_session(&search, &selection->sessions[image->session], join->options);
	error = line_table_load(&table, image->path, &image->identity, image->kind, &search.search);
	if (error)
		return error;
	lines->has_lines = table.lack == SYMBOLS_FULL;
	/* A note means that part of the debug information is missing. */
	lines->has_inlines = lines->has_lines && !table.note;
	error = answer(join, &table, queries, nr);
	line_table_deinit(&table);
	return error;
}

static int compare_queries(const void *a, const void *b)
{
	const struct code_line_query *left = a;
	const struct code_line_query *right = b;
	int order = compare(left->image, right->image);

	return order ? order : compare(left->key, right->key);
}

static struct code_line_query *collect_queries(const struct place_join *join, size_t *nr)
{
	const struct call_places *places = join->places;
	const struct call_tree *tree = join->tree;
	struct code_line_query *queries =
		calloc(tree->nr_functions + places->nr_codes + 1, sizeof(*queries));

	*nr = 0;
	for (uint32_t i = 0; queries && i < tree->nr_functions; i++) {
		const struct call_function *function = &tree->functions[i];

		if (function->image != CALL_IMAGE_NONE && function->name)
			queries[(*nr)++] = (struct code_line_query){.key = function->offset,
								    .image = function->image,
								    .function = i,
								    .code = NONE};
	}
	for (uint32_t i = 0; queries && i < places->nr_codes; i++)
		queries[(*nr)++] = (struct code_line_query){
			.key = places->codes[i].key,
			.image = tree->functions[places->codes[i].function].image,
			.code = i};
	if (queries)
		qsort(queries, *nr, sizeof(*queries), compare_queries);
	return queries;
}

static int find_lines(struct place_join *join)
{
	struct progress progress;
	size_t nr, begin = 0;
	struct code_line_query *queries = collect_queries(join, &nr);
	int error = queries ? 0 : -ENOMEM;

	progress_begin(&progress, "reading source lines", join->tree->nr_images);
	for (size_t i = 1; i <= nr && !error; i++) {
		uint32_t image = queries[begin].image;

		if (i < nr && queries[i].image == image)
			continue;
		progress_step(&progress, image, join->tree->images[image].path);
		error = answer_image(join, queries + begin, i - begin);
		begin = i;
	}
	progress_end(&progress);
	free(queries);
	return error;
}

/* ---- all steps ---- */

static int join_all(struct place_join *join)
{
	struct call_places *places = join->places;
	uint32_t no_file;
	int error;

	places->starts = calloc(join->tree->nr_functions + 1, sizeof(*places->starts));
	places->images = calloc(join->tree->nr_images + 1, sizeof(*places->images));
	places->is_shared = calloc(join->tree->nr_functions + 1, sizeof(*places->is_shared));
	join->image_functions = calloc(join->tree->nr_images + 1, sizeof(*join->image_functions));
	if (!places->starts || !places->images || !places->is_shared || !join->image_functions ||
	    keep_file(join, "", &no_file))
		return -ENOMEM;
	error = match_selection(join);
	if (!error)
		error = index_functions(join);
	if (!error)
		error = add_places(join);
	if (!error)
		error = sort_places(join);
	return error ? error : find_lines(join);
}

static void join_deinit(struct place_join *join)
{
	index_table_deinit(&join->function_table);
	index_table_deinit(&join->code_table);
	index_table_deinit(&join->file_table);
	free(join->tree_image);
	free(join->tree_app);
	free(join->bias);
	for (size_t i = 0; join->image_functions && i < join->tree->nr_images; i++)
		code_functions_deinit(&join->image_functions[i].functions);
	free(join->image_functions);
	free(join->details);
}

int call_places_make(struct call_places *places, const struct call_tree *tree,
		     const struct profile_options *options)
{
	struct place_join join = {
		.places = places, .tree = tree, .flat = tree->profile, .options = options};
	int error;

	*places = (struct call_places){.tree = tree};
	error = join_all(&join);
	join_deinit(&join);
	if (error)
		call_places_deinit(places);
	return error;
}

void call_places_deinit(struct call_places *places)
{
	if (places->shares != places->counts)
		free(places->shares);
	free(places->counts);
	free(places->places);
	free(places->first);
	free(places->codes);
	free(places->frames);
	free(places->starts);
	free(places->files);
	free(places->images);
	free(places->is_shared);
	strings_deinit(&places->strings);
	*places = (struct call_places){0};
}
