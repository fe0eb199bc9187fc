// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/calls/call_places.h"

#include "lib/progress.h"
#include "libdb/sample_name.h"
#include "pp/code/code_functions.h"
#include "pp/profile/image_search.h"
#include "pp/base/index_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct making {
	struct call_places *places;
	const struct call_tree *tree;
	const struct profile *flat;
	const struct profile_options *options;
	uint32_t *images;		/* of the selection's: the tree's, or NONE */
	uint32_t *apps;			/* the same */
	uint64_t *bias;			/* of the tree's images: an address less its key */
	struct image_code *image_codes; /* the same */
	struct index_table function_table, code_table, file_table;
	size_t places_room, codes_room, frames_room, files_room;
	size_t *details; /* of each place: index in the flat profile's */
	size_t details_room;
};

/* Where an image's functions begin; once they were asked for. */
struct image_code {
	struct code_functions functions;
	bool has_functions;
};

/* An address whose line is asked for: of a code, or where a function begins. */
struct query {
	uint64_t key;
	uint32_t image, function;
	uint32_t code; /* NONE: the function's first line */
};

static bool grow(void *array, size_t nr, size_t *room, size_t nr_bytes)
{
	void **place = array;
	size_t more = *room ? *room * 2 : 256;
	void *bigger;

	if (nr < *room)
		return true;
	if (nr >= NONE / 2)
		return false;
	bigger = reallocarray(*place, more, nr_bytes);
	if (!bigger)
		return false;
	*place = bigger;
	*room = more;
	return true;
}

static uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return index_table_hash(index_table_hash(0, a), b);
}

/* ---- the flat profile's numbers, and the tree's ---- */

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

static int map_numbers(struct making *making)
{
	const struct selection *selection = making->flat->selection;

	making->images = calloc(selection->nr_images + 1, sizeof(*making->images));
	making->apps = calloc(selection->nr_apps + 1, sizeof(*making->apps));
	if (!making->images || !making->apps)
		return -ENOMEM;
	for (size_t i = 0; i < selection->nr_images; i++)
		making->images[i] = find_image(making->tree, &selection->images[i]);
	for (size_t i = 0; i < selection->nr_apps; i++)
		making->apps[i] = find_app(making->tree, selection->apps[i]);
	return 0;
}

/* A function by its image and first byte; what is in no symbol has none. */
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

static int index_functions(struct making *making)
{
	const struct call_tree *tree = making->tree;
	int error = 0;

	making->bias = calloc(tree->nr_images + 1, sizeof(*making->bias));
	if (!making->bias)
		return -ENOMEM;
	for (size_t i = 0; i < tree->nr_functions && !error; i++) {
		const struct call_function *function = &tree->functions[i];

		if (function->image == CALL_IMAGE_NONE)
			continue;
		if (function->name)
			making->bias[function->image] = function->address - function->offset;
		error = index_table_put(&making->function_table,
					hash_pair(function->image, function->offset), (uint32_t)i);
	}
	return error;
}

static uint32_t find_key(const struct making *making, const struct function_key *key)
{
	if (key->image == NONE)
		return NONE;
	return index_table_find(&making->function_table, hash_pair(key->image, key->offset),
				same_function, key, (void *)(uintptr_t)making->tree);
}

static uint32_t find_row(const struct making *making, const struct profile_row *row)
{
	const struct function_key key = {.image = making->images[row->image],
					 .named = row->name != NULL,
					 .offset = row->start};

	return find_key(making, &key);
}

static int load_functions(struct making *making, uint32_t number)
{
	const struct call_image *image = &making->tree->images[number];
	struct image_code *code = &making->image_codes[number];
	struct image_search search;

	if (code->has_functions)
		return 0;
	code->has_functions = true;
	image_search_init_session(&search, &making->flat->selection->sessions[image->session],
				  making->options);
	return code_functions_load(&code->functions, image->path, &image->identity, image->kind,
				   &search.search);
}

/*
 * Trees know code by the function that it is in, the flat profile by symbols:
 * where there is none, or another one than the function begins in.
 */
static int find_by_code(struct making *making, const struct profile_detail *detail,
			uint32_t *function)
{
	struct function_key key = {.image = making->images[detail->image], .named = true};
	int error;

	if (key.image == NONE)
		return 0;
	error = load_functions(making, key.image);
	if (error)
		return error;
	key.offset = code_functions_find(&making->image_codes[key.image].functions, detail->key);
	if (key.offset)
		*function = find_key(making, &key);
	return 0;
}

/* Of a detail of row; by_row: the row's own, or NONE. *function: NONE: the tree has none. */
static int find_function(struct making *making, const struct profile_row *row, uint32_t by_row,
			 const struct profile_detail *detail, uint32_t *function)
{
	*function = by_row;
	if (making->tree->is_flat || (row->name && by_row != NONE))
		return 0;
	return find_by_code(making, detail, function);
}

/* ---- places ---- */

static bool same_code(uint32_t index, const void *key, void *context)
{
	const struct call_places *places = context;
	const struct call_code *wanted = key;

	return places->codes[index].function == wanted->function &&
	       places->codes[index].key == wanted->key;
}

/* In no symbol, a detail's address is its key. */
static uint64_t address_in(const struct making *making, const struct call_function *function,
			   const struct profile_detail *detail, bool is_named)
{
	if (is_named)
		return detail->address;
	return detail->key + (function->name ? function->address - function->offset
					     : making->bias[function->image]);
}

/* The code at a detail of a function; NONE: no memory. */
static uint32_t place_code(struct making *making, uint32_t function,
			   const struct profile_detail *detail, bool is_named)
{
	struct call_places *places = making->places;
	const struct call_code code = {
		.function = function,
		.key = detail->key,
		.address =
			address_in(making, &making->tree->functions[function], detail, is_named)};
	uint64_t hash = hash_pair(function, detail->key);
	uint32_t index = index_table_find(&making->code_table, hash, same_code, &code, places);

	if (index != INDEX_TABLE_NONE)
		return index;
	if (!grow(&places->codes, places->nr_codes, &making->codes_room, sizeof(code)) ||
	    index_table_put(&making->code_table, hash, (uint32_t)places->nr_codes))
		return NONE;
	places->codes[places->nr_codes] = code;
	return (uint32_t)places->nr_codes++;
}

static int add_place(struct making *making, uint32_t function, uint32_t app, size_t detail,
		     bool is_named)
{
	struct call_places *places = making->places;
	uint32_t code = place_code(making, function, &making->flat->details[detail], is_named);

	if (code == NONE ||
	    !grow(&places->places, places->nr_places, &making->places_room,
		  sizeof(*places->places)) ||
	    !grow(&making->details, places->nr_places, &making->details_room,
		  sizeof(*making->details)))
		return -ENOMEM;
	making->details[places->nr_places] = detail;
	places->places[places->nr_places++] =
		(struct call_place){.function = function, .app = app, .code = code};
	return 0;
}

/* Filed under the image itself, whatever program ran it. */
static bool is_by_image(const struct making *making, const struct profile_row *row)
{
	const struct selection *selection = making->flat->selection;

	return making->tree->has_by_image &&
	       !strcmp(selection->apps[row->app], selection->images[row->image].path);
}

static int add_row(struct making *making, size_t number)
{
	const struct profile *flat = making->flat;
	const struct profile_row *row = &flat->rows[number];
	bool by_image = is_by_image(making, row);
	uint32_t app = by_image ? CALL_PLACE_ANY : making->apps[row->app];
	uint32_t by_row = find_row(making, row);
	int error = 0;

	/* CALL_PLACE_ANY is as large as NONE. */
	if (!by_image && app == NONE)
		return 0;
	for (size_t i = flat->first_detail[number]; i < flat->first_detail[number + 1] && !error;
	     i++) {
		uint32_t function;

		error = find_function(making, row, by_row, &flat->details[i], &function);
		if (error || function == NONE)
			continue;
		making->places->is_shared[function] |= by_image;
		error = add_place(making, function, app, i, row->name);
	}
	return error;
}

static int add_places(struct making *making)
{
	struct call_places *places = making->places;
	int error = 0;

	for (size_t i = 0; i < making->flat->nr_rows && !error; i++)
		error = add_row(making, i);
	/* Which samples of a root are filed under the image, its sums do not tell. */
	for (size_t i = 0; i < places->nr_places; i++)
		if (places->is_shared[places->places[i].function])
			places->places[i].app = CALL_PLACE_ANY;
	return error;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_places(const void *a, const void *b, void *context)
{
	const struct call_places *places = context;
	const struct call_place *left = &places->places[*(const uint32_t *)a];
	const struct call_place *right = &places->places[*(const uint32_t *)b];
	int order = compare_numbers(left->function, right->function);

	if (!order)
		order = compare_numbers(left->app, right->app);
	if (!order)
		order = compare_numbers(places->codes[left->code].key,
					places->codes[right->code].key);
	return order ? order : compare_numbers(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void take_numbers(const struct making *making, const uint32_t *order)
{
	struct call_places *places = making->places;
	const struct profile *flat = making->flat;
	size_t nr = flat->nr_columns;

	for (size_t i = 0; i < places->nr_places; i++) {
		size_t detail = making->details[order[i]];

		memcpy(places->counts + i * nr, flat->detail_counts + detail * nr,
		       nr * sizeof(*places->counts));
		if (places->shares != places->counts)
			memcpy(places->shares + i * nr, flat->detail_shares + detail * nr,
			       nr * sizeof(*places->shares));
	}
}

static int make_numbers(struct making *making)
{
	struct call_places *places = making->places;
	size_t nr = places->nr_places * making->flat->nr_columns + 1;

	places->counts = places->shares = calloc(nr, sizeof(*places->counts));
	if (making->flat->detail_shares != making->flat->detail_counts)
		places->shares = calloc(nr, sizeof(*places->shares));
	return places->counts && places->shares ? 0 : -ENOMEM;
}

static int sort_places(struct making *making)
{
	struct call_places *places = making->places;
	size_t nr_functions = making->tree->nr_functions;
	struct call_place *sorted = calloc(places->nr_places + 1, sizeof(*sorted));
	uint32_t *order = calloc(places->nr_places + 1, sizeof(*order));

	places->first = calloc(nr_functions + 1, sizeof(*places->first));
	if (!sorted || !order || !places->first || make_numbers(making)) {
		free(sorted);
		free(order);
		return -ENOMEM;
	}
	for (size_t i = 0; i < places->nr_places; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, places->nr_places, sizeof(*order), compare_places, places);
	take_numbers(making, order);
	for (size_t i = 0; i < places->nr_places; i++) {
		sorted[i] = places->places[order[i]];
		places->first[sorted[i].function + 1]++;
	}
	for (size_t i = 0; i < nr_functions; i++)
		places->first[i + 1] += places->first[i];
	free(order);
	free(places->places);
	places->places = sorted;
	return 0;
}

/* ---- lines ---- */

static bool same_file(uint32_t index, const void *key, void *context)
{
	const struct call_places *places = context;

	return places->files[index] == key;
}

/* The number of a file of a line table. 0 or -ENOMEM. */
static int keep_file(struct making *making, const char *path, uint32_t *number)
{
	struct call_places *places = making->places;
	const char *kept = strings_keep(&places->strings, path);
	uint64_t hash = hash_pair(1, (uint64_t)(uintptr_t)kept);

	if (!kept)
		return -ENOMEM;
	*number = index_table_find(&making->file_table, hash, same_file, kept, places);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	if (!grow(&places->files, places->nr_files, &making->files_room, sizeof(*places->files)) ||
	    index_table_put(&making->file_table, hash, (uint32_t)places->nr_files))
		return -ENOMEM;
	*number = (uint32_t)places->nr_files;
	places->files[places->nr_files++] = kept;
	return 0;
}

static int keep_place(struct making *making, const struct line_table *table, struct line_place from,
		      uint32_t *file, uint32_t *line)
{
	*file = *line = 0;
	if (!from.line || from.file >= table->nr_files)
		return 0;
	*line = from.line;
	return keep_file(making, table->files[from.file], file);
}

static int add_frame(struct making *making, const struct line_table *table, const char *function,
		     struct line_place from)
{
	struct call_places *places = making->places;
	struct call_frame frame = {0};

	if (function) {
		frame.function = strings_keep(&places->strings, function);
		if (!frame.function)
			return -ENOMEM;
	}
	if (!grow(&places->frames, places->nr_frames, &making->frames_room, sizeof(frame)) ||
	    keep_place(making, table, from, &frame.file, &frame.line))
		return -ENOMEM;
	places->frames[places->nr_frames++] = frame;
	return 0;
}

static int answer_code(struct making *making, const struct line_table *table,
		       const struct line_found *found, struct call_code *code)
{
	size_t nr = found->nr_inlines;
	int error;

	if (!nr && !found->place.line)
		return 0;
	code->first_frame = making->places->nr_frames;
	error = add_frame(making, table, nr ? found->inlines[0].function : NULL, found->place);
	for (size_t i = 0; i < nr && !error; i++)
		error = add_frame(making, table, i + 1 < nr ? found->inlines[i + 1].function : NULL,
				  found->inlines[i].call);
	code->nr_frames = (uint32_t)nr + 1;
	return error;
}

/* A function begins where the outermost of what was inlined there is called from. */
static int answer_start(struct making *making, const struct line_table *table,
			const struct line_found *found, struct line_place *start)
{
	size_t nr = found->nr_inlines;

	return keep_place(making, table, nr ? found->inlines[nr - 1].call : found->place,
			  &start->file, &start->line);
}

static int answer(struct making *making, const struct line_table *table,
		  const struct query *queries, size_t nr)
{
	struct call_places *places = making->places;
	struct line_found *found = malloc(sizeof(*found));
	size_t hint = 0;
	int error = found ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !error; i++) {
		if (line_table_find(table, queries[i].key, &hint, found))
			continue;
		if (queries[i].code == NONE)
			error = answer_start(making, table, found,
					     &places->starts[queries[i].function]);
		else
			error = answer_code(making, table, found, &places->codes[queries[i].code]);
	}
	free(found);
	return error;
}

/* queries: of one image. */
static int read_image(struct making *making, const struct query *queries, size_t nr)
{
	const struct selection *selection = making->flat->selection;
	const struct call_image *image = &making->tree->images[queries->image];
	struct call_place_image *lines = &making->places->images[queries->image];
	struct image_search search;
	struct line_table table;
	int error;

	image_search_init_session(&search, &selection->sessions[image->session], making->options);
	error = line_table_load(&table, image->path, &image->identity, image->kind, &search.search);
	if (error)
		return error;
	lines->has_lines = table.lack == SYMBOLS_FULL;
	/* With a note, part of it is not known. */
	lines->has_inlines = lines->has_lines && !table.note;
	error = answer(making, &table, queries, nr);
	line_table_deinit(&table);
	return error;
}

static int compare_queries(const void *a, const void *b)
{
	const struct query *left = a;
	const struct query *right = b;
	int order = compare_numbers(left->image, right->image);

	return order ? order : compare_numbers(left->key, right->key);
}

static struct query *collect_queries(const struct making *making, size_t *nr)
{
	const struct call_places *places = making->places;
	const struct call_tree *tree = making->tree;
	struct query *queries = calloc(tree->nr_functions + places->nr_codes + 1, sizeof(*queries));

	*nr = 0;
	for (uint32_t i = 0; queries && i < tree->nr_functions; i++) {
		const struct call_function *function = &tree->functions[i];

		if (function->image != CALL_IMAGE_NONE && function->name)
			queries[(*nr)++] = (struct query){.key = function->offset,
							  .image = function->image,
							  .function = i,
							  .code = NONE};
	}
	for (uint32_t i = 0; queries && i < places->nr_codes; i++)
		queries[(*nr)++] =
			(struct query){.key = places->codes[i].key,
				       .image = tree->functions[places->codes[i].function].image,
				       .code = i};
	if (queries)
		qsort(queries, *nr, sizeof(*queries), compare_queries);
	return queries;
}

static int find_lines(struct making *making)
{
	struct progress progress;
	size_t nr, begin = 0;
	struct query *queries = collect_queries(making, &nr);
	int error = queries ? 0 : -ENOMEM;

	progress_begin(&progress, "reading source lines", making->tree->nr_images);
	for (size_t i = 1; i <= nr && !error; i++) {
		uint32_t image = queries[begin].image;

		if (i < nr && queries[i].image == image)
			continue;
		progress_step(&progress, image, making->tree->images[image].path);
		error = read_image(making, queries + begin, i - begin);
		begin = i;
	}
	progress_end(&progress);
	free(queries);
	return error;
}

/* ---- all of it ---- */

static int make(struct making *making)
{
	struct call_places *places = making->places;
	uint32_t no_file;
	int error;

	places->starts = calloc(making->tree->nr_functions + 1, sizeof(*places->starts));
	places->images = calloc(making->tree->nr_images + 1, sizeof(*places->images));
	places->is_shared = calloc(making->tree->nr_functions + 1, sizeof(*places->is_shared));
	making->image_codes = calloc(making->tree->nr_images + 1, sizeof(*making->image_codes));
	if (!places->starts || !places->images || !places->is_shared || !making->image_codes ||
	    keep_file(making, "", &no_file))
		return -ENOMEM;
	error = map_numbers(making);
	if (!error)
		error = index_functions(making);
	if (!error)
		error = add_places(making);
	if (!error)
		error = sort_places(making);
	return error ? error : find_lines(making);
}

int call_places_make(struct call_places *places, const struct call_tree *tree,
		     const struct profile_options *options)
{
	struct making making = {
		.places = places, .tree = tree, .flat = tree->profile, .options = options};
	int error;

	*places = (struct call_places){.tree = tree};
	error = make(&making);
	index_table_deinit(&making.function_table);
	index_table_deinit(&making.code_table);
	index_table_deinit(&making.file_table);
	free(making.images);
	free(making.apps);
	free(making.bias);
	for (size_t i = 0; making.image_codes && i < tree->nr_images; i++)
		code_functions_deinit(&making.image_codes[i].functions);
	free(making.image_codes);
	free(making.details);
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
