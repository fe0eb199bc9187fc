// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/profile_lines.h"

#include "lib/progress.h"
#include "pp/profile/image_search.h"
#include "pp/lines/line_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A key whose source position is needed. */
struct line_query {
	uint64_t key;
	struct line_place *place; /* where to store the position */
	const char **inlined;	  /* where to store the inlined function; NULL: not needed */
	uint32_t image;
	bool function; /* key is a function's first byte: find the function's line, not a line of
			  code inlined there */
};

struct line_queries {
	struct line_query *queries;
	size_t nr_queries;
};

/* Converts file numbers of the current table to file numbers of the profile. */
struct line_files {
	struct profile *profile;
	const struct line_table *table;
	uint32_t *files; /* the profile's numbers of the files in table->files; NO_FILE: unused */
};

#define NO_FILE UINT32_MAX

/* ---- queries ---- */

static void ask(struct line_queries *queries, const struct line_query *query)
{
	queries->queries[queries->nr_queries++] = *query;
}

static int compare_queries(const void *a, const void *b)
{
	const struct line_query *left = a;
	const struct line_query *right = b;

	if (left->image != right->image)
		return left->image < right->image ? -1 : 1;
	return left->key < right->key ? -1 : left->key > right->key;
}

static void sort_queries(struct line_queries *queries)
{
	const struct line_query *query = queries->queries;
	size_t i = 1;

	while (i < queries->nr_queries && compare_queries(query + i - 1, query + i) <= 0)
		i++;
	if (i < queries->nr_queries)
		qsort(queries->queries, queries->nr_queries, sizeof(*query), compare_queries);
}

static int collect_queries(struct line_queries *queries, const struct profile *profile)
{
	queries->queries =
		calloc(profile->nr_rows + profile->nr_details + 1, sizeof(*queries->queries));
	if (!queries->queries)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_rows; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (row->name)
			ask(queries, &(struct line_query){.key = row->start,
							  .place = &profile->row_lines[i],
							  .image = row->image,
							  .function = true});
	}
	for (size_t i = 0; i < profile->nr_details; i++)
		ask(queries, &(struct line_query){.key = profile->details[i].key,
						  .place = &profile->detail_lines[i],
						  .inlined = profile->detail_inlines
								     ? &profile->detail_inlines[i]
								     : NULL,
						  .image = profile->details[i].image});
	sort_queries(queries);
	return 0;
}

/* ---- files ---- */

static int add_file(struct profile *profile, const char *path, uint32_t *index)
{
	const char **bigger;

	for (size_t i = 0; i < profile->nr_files; i++) {
		if (profile->files[i] != path)
			continue;
		*index = (uint32_t)i;
		return 0;
	}
	bigger = reallocarray(profile->files, profile->nr_files + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	profile->files = bigger;
	*index = (uint32_t)profile->nr_files;
	profile->files[profile->nr_files++] = path;
	return 0;
}

static int keep_file(struct line_files *files, uint32_t file, uint32_t *index)
{
	uint32_t *known = &files->files[file];
	const char *path;

	if (*known == NO_FILE) {
		path = strings_keep(&files->profile->strings, files->table->files[file]);
		if (!path || add_file(files->profile, path, known))
			return -ENOMEM;
	}
	*index = *known;
	return 0;
}

/* ---- one image ---- */

/*
 * Chooses the position of a key. If the key is a function's first byte, and code was inlined there,
 * chooses the line of the outermost inlined call, because this line belongs to the function itself.
 */
static struct line_place choose_place(const struct line_query *query,
				      const struct line_found *found)
{
	if (query->function && found->nr_inlines)
		return found->inlines[found->nr_inlines - 1].call;
	return found->place;
}

static int answer(struct line_files *files, const struct line_query *queries, size_t nr_queries)
{
	struct line_found *found = malloc(sizeof(*found));
	size_t hint = 0;
	int error = found ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr_queries && !error; i++) {
		struct line_place place;

		if (line_table_find(files->table, queries[i].key, &hint, found))
			continue;
		if (queries[i].inlined && found->nr_inlines) {
			*queries[i].inlined =
				strings_keep(&files->profile->strings, found->inlines[0].function);
			if (!*queries[i].inlined)
				error = -ENOMEM;
		}
		place = choose_place(&queries[i], found);
		if (!place.line || place.file >= files->table->nr_files)
			continue;
		if (!error)
			error = keep_file(files, place.file, &queries[i].place->file);
		if (!error)
			queries[i].place->line = place.line;
	}
	free(found);
	return error;
}

static int join_lines(struct profile *profile, const struct line_table *table,
		      const struct line_query *queries, size_t nr_queries)
{
	struct line_files files = {.profile = profile, .table = table};
	int error;

	files.files = malloc((table->nr_files + 1) * sizeof(*files.files));
	if (!files.files)
		return -ENOMEM;
	memset(files.files, 0xff, (table->nr_files + 1) * sizeof(*files.files));
	error = answer(&files, queries, nr_queries);
	free(files.files);
	return error;
}

/* Finds the positions of all keys of one image. */
static int read_image(struct profile *profile, const struct profile_options *options,
		      const struct line_query *queries, size_t nr_queries)
{
	const struct selection *selection = profile->selection;
	uint32_t image = queries->image;
	const struct slice_section *section = selection->images[image].section;
	struct image_search search;
	struct line_table table;
	int error;

	image_search_init(&search, selection, image, options);
	error = line_table_load(&table, image_search_path(selection, image), &section->identity,
				section->image_kind, &search.search);
	if (error)
		return error;
	if (table.note) {
		profile->images[image].line_note = strdup(table.note);
		error = profile->images[image].line_note ? 0 : -ENOMEM;
	}
	if (!error)
		error = join_lines(profile, &table, queries, nr_queries);
	line_table_deinit(&table);
	return error;
}

static int read_images(struct profile *profile, const struct profile_options *options,
		       const struct line_queries *queries)
{
	const struct selection *selection = profile->selection;
	struct progress progress;
	size_t begin = 0;
	int error = 0;

	progress_begin(&progress, "reading source lines", selection->nr_images);
	while (begin < queries->nr_queries && !error) {
		uint32_t image = queries->queries[begin].image;
		size_t end = begin;

		while (end < queries->nr_queries && queries->queries[end].image == image)
			end++;
		progress_step(&progress, image, selection->images[image].path);
		error = read_image(profile, options, queries->queries + begin, end - begin);
		begin = end;
	}
	progress_end(&progress);
	return error;
}

int profile_lines_find(struct profile *profile, const struct profile_options *options)
{
	struct line_queries queries = {0};
	int error;

	profile->row_lines = calloc(profile->nr_rows + 1, sizeof(*profile->row_lines));
	profile->detail_lines = calloc(profile->nr_details + 1, sizeof(*profile->detail_lines));
	if (options->inlines)
		profile->detail_inlines =
			calloc(profile->nr_details + 1, sizeof(*profile->detail_inlines));
	if (!profile->row_lines || !profile->detail_lines ||
	    (options->inlines && !profile->detail_inlines))
		return -ENOMEM;
	error = collect_queries(&queries, profile);
	if (!error)
		error = read_images(profile, options, &queries);
	free(queries.queries);
	return error;
}

void profile_lines_deinit(struct profile *profile)
{
	free(profile->row_lines);
	free(profile->detail_lines);
	free(profile->detail_inlines);
	free(profile->files);
	profile->row_lines = profile->detail_lines = NULL;
	profile->detail_inlines = NULL;
	profile->files = NULL;
	profile->nr_files = 0;
}
