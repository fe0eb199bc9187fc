// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How it works: the keys of each function are looked up in the image's line table. Neighbouring
 * keys with the same source line and inlined functions form a run. The runs are then sorted twice:
 * by file and line, to get the sums of each line and file; and by inlined function and caller, to
 * get the sums of each inlined function and each of its callers.
 */
#include "lib/index_table.h"
#include "pp/annotate/annotation_internal.h"
#include "pp/profile/image_search.h"
#include "pp/lines/line_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A run: neighbouring keys of one function that have the same source line and inlined functions. */
struct key_run {
	uint32_t file, line;
	const char *inlined; /* innermost inlined function; NULL: none */
	/* function into which `inlined` was inlined; NULL: code outside all symbols */
	const char *caller;
	uint32_t first_line; /* first line of `inlined` in this file that has samples */
};

struct builder {
	struct annotation *annotation;
	const struct profile_options *options;
	struct key_run *runs;
	struct annotation_sums run_sums;
	struct index_table files; /* by path */
	/* the last name that was copied from a line table; its copy is last_kept */
	const char *last_name;
	const char *last_kept;
};

/* State for one image. */
struct image_lines {
	struct builder *builder;
	size_t image; /* index in annotation->images */
	struct line_table table;
	/*
	 * Index in annotation->files of each file of the line table; ANNOTATION_NO_FILE: not yet
	 * added.
	 */
	uint32_t *files;
	size_t hint;
	struct line_found found;
	bool has_line; /* `found` has the line of the last searched key */
	int64_t built_ns;
};

static const struct selection_image *selected_of(const struct image_lines *joining)
{
	const struct annotation *annotation = joining->builder->annotation;

	return &annotation->profile->selection->images[annotation->images[joining->image].image];
}

/* ---- files ---- */

static bool is_path_of(uint32_t index, const void *path, void *context)
{
	const struct annotation *annotation = context;

	return annotation->files[index].path == path;
}

static int add_file(struct annotation *annotation, const char *path)
{
	struct annotation_file *files;

	if (annotation_sums_add(&annotation->file_sums, annotation->profile) == SIZE_MAX)
		return -ENOMEM;
	files = annotation_grow(annotation->files, &annotation->file_sums, sizeof(*files));
	if (!files)
		return -ENOMEM;
	annotation->files = files;
	files[annotation->nr_files++] = (struct annotation_file){.path = path};
	return 0;
}

static int find_file(struct image_lines *joining, const char *path, uint32_t *file)
{
	struct builder *builder = joining->builder;
	struct annotation *annotation = builder->annotation;
	char *clean = annotation_clean_path(path);
	const char *kept = clean ? strings_keep(&annotation->strings, clean) : NULL;
	uint64_t hash = index_table_hash(0, (uintptr_t)kept);

	free(clean);
	if (!kept)
		return -ENOMEM;
	*file = index_table_find(&builder->files, hash, is_path_of, kept, annotation);
	if (*file != INDEX_TABLE_NONE)
		return 0;
	*file = (uint32_t)annotation->nr_files;
	if (add_file(annotation, kept))
		return -ENOMEM;
	annotation->files[*file].image = annotation->images[joining->image].image;
	return index_table_put(&builder->files, hash, *file);
}

/*
 * Stores in *file the index in annotation->files for a file of the line table; adds the file if
 * new.
 */
static int take_file(struct image_lines *joining, uint32_t index, uint32_t *file)
{
	struct annotation_file *files;
	int error;

	*file = joining->files[index];
	if (*file != ANNOTATION_NO_FILE)
		return 0;
	error = find_file(joining, joining->table.files[index], file);
	if (error)
		return error;
	joining->files[index] = *file;
	files = joining->builder->annotation->files;
	if (joining->built_ns &&
	    (!files[*file].built_ns || joining->built_ns < files[*file].built_ns))
		files[*file].built_ns = joining->built_ns;
	return 0;
}

/* Returns the time at which the image's file was written; 0: unknown. */
static int64_t built_ns_of(const struct image_lines *joining)
{
	const struct selection_image *selected = selected_of(joining);
	const struct slice_section *section = selected->section;
	struct stat status;

	if (section->identity.mtime_ns)
		return section->identity.mtime_ns;
	if (selected->kind != OPROF_IMAGE_FILE || joining->builder->options->root ||
	    stat(selected->path, &status))
		return 0;
	return status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
}

/* ---- runs ---- */

static bool is_known(const struct line_table *table, const struct line_place *place)
{
	return place->line && place->file < table->nr_files && *table->files[place->file];
}

/* Returns the copy in annotation->strings of a name in the line table; NULL: out of memory. */
static const char *keep_name(struct builder *builder, const char *name)
{
	if (name != builder->last_name) {
		builder->last_kept = strings_keep(&builder->annotation->strings, name);
		builder->last_name = name;
	}
	return builder->last_kept;
}

static int name_run(struct image_lines *joining, const struct annotation_function *function,
		    struct key_run *run)
{
	const struct line_found *found = &joining->found;

	if (!found->nr_inlines)
		return 0;
	run->caller = function->name;
	run->inlined = keep_name(joining->builder, found->inlines[0].function);
	if (run->inlined && found->nr_inlines > 1)
		run->caller = strings_keep(&joining->builder->annotation->strings,
					   found->inlines[1].function);
	return run->inlined && (run->caller || !function->name) ? 0 : -ENOMEM;
}

/* Begins a run with the source line and the inlined functions in joining->found. */
static int begin_run(struct image_lines *joining, const struct annotation_function *function)
{
	struct builder *builder = joining->builder;
	struct key_run run = {.line = joining->found.place.line};
	struct key_run *runs;
	int error = take_file(joining, joining->found.place.file, &run.file);

	if (!error)
		error = name_run(joining, function, &run);
	if (error)
		return error;
	if (annotation_sums_add(&builder->run_sums, builder->annotation->profile) == SIZE_MAX)
		return -ENOMEM;
	runs = annotation_grow(builder->runs, &builder->run_sums, sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	builder->runs = runs;
	runs[builder->run_sums.nr - 1] = run;
	return 0;
}

static void find_place(struct image_lines *joining, uint64_t key)
{
	joining->has_line =
		!line_table_find(&joining->table, key, &joining->hint, &joining->found) &&
		is_known(&joining->table, &joining->found.place);
}

static void count_key(struct image_lines *joining, size_t i)
{
	struct annotation *annotation = joining->builder->annotation;
	const struct profile *profile = annotation->profile;
	size_t at = annotation->keys[i] * profile->nr_columns;
	const uint64_t *counts = profile->detail_counts + at;
	const uint64_t *shares = profile->detail_shares + at;

	if (joining->has_line)
		annotation_sums_count(&joining->builder->run_sums, profile,
				      joining->builder->run_sums.nr - 1, counts, shares);
	else
		annotation_sums_count(&annotation->no_line, profile, joining->image, counts,
				      shares);
}

static int join_function(struct image_lines *joining, const struct annotation_function *function)
{
	const struct annotation *annotation = joining->builder->annotation;
	int error = 0;

	joining->has_line = false;
	for (size_t i = function->first; i < function->first + function->nr && !error; i++) {
		uint64_t key = annotation_detail(annotation, i)->key;

		if (!joining->has_line || key >= joining->found.end) {
			find_place(joining, key);
			if (joining->has_line)
				error = begin_run(joining, function);
		}
		if (!error)
			count_key(joining, i);
	}
	return error;
}

/*
 * Finds the line where the function begins. If its first instruction was inlined from another
 * function, this is the line of the call.
 */
static int find_definition(struct image_lines *joining, struct annotation_function *function,
			   size_t *hint)
{
	struct line_found *found = &joining->found;
	const struct line_place *place = &found->place;
	int error;

	if (function->start == UINT64_MAX ||
	    line_table_find(&joining->table, function->start, hint, found))
		return 0;
	if (found->nr_inlines)
		place = &found->inlines[found->nr_inlines - 1].call;
	if (!is_known(&joining->table, place))
		return 0;
	error = take_file(joining, place->file, &function->file);
	function->line = place->line;
	return error;
}

static int join_functions(struct image_lines *joining)
{
	struct annotation *annotation = joining->builder->annotation;
	const struct annotation_image *image = &annotation->images[joining->image];
	size_t hint = 0;
	int error = 0;

	for (size_t i = 0; i < image->nr_functions && !error; i++) {
		struct annotation_function *function =
			&annotation->functions[image->first_function + i];

		error = find_definition(joining, function, &hint);
		if (!error)
			error = join_function(joining, function);
	}
	return error;
}

static int keep_note(const struct line_table *table, struct annotation_image *image)
{
	image->lines = table->lack;
	if (!table->note)
		return 0;
	image->note = strdup(table->note);
	return image->note ? 0 : -ENOMEM;
}

static int load_table(struct image_lines *joining)
{
	struct annotation *annotation = joining->builder->annotation;
	struct annotation_image *image = &annotation->images[joining->image];
	const struct selection *selection = annotation->profile->selection;
	const struct selection_image *selected = selected_of(joining);
	struct image_search search;
	int error;

	image_search_init(&search, selection, image->image, joining->builder->options);
	error = line_table_load(&joining->table, image_search_path(selection, image->image),
				&selected->section->identity, selected->kind, &search.search);
	if (error)
		return error;
	joining->files = malloc((joining->table.nr_files + 1) * sizeof(*joining->files));
	if (!joining->files)
		return -ENOMEM;
	memset(joining->files, 0xff, (joining->table.nr_files + 1) * sizeof(*joining->files));
	return keep_note(&joining->table, image);
}

static int join_image(struct builder *builder, size_t image)
{
	struct image_lines joining = {.builder = builder, .image = image};
	int error = load_table(&joining);

	builder->last_name = NULL; /* the name belonged to the previous image's line table */
	if (!error) {
		joining.built_ns = built_ns_of(&joining);
		error = join_functions(&joining);
	}
	free(joining.files);
	line_table_deinit(&joining.table);
	return error;
}

/* ---- from runs to lines ---- */

static int compare_texts(const char *a, const char *b)
{
	if (a == b || !a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_places(const struct key_run *a, const struct key_run *b)
{
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static int compare_by_line(const void *a, const void *b, void *context)
{
	const struct key_run *runs = context;

	return compare_places(&runs[*(const uint32_t *)a], &runs[*(const uint32_t *)b]);
}

static int compare_by_name(const void *a, const void *b, void *context)
{
	const struct key_run *left = (const struct key_run *)context + *(const uint32_t *)a;
	const struct key_run *right = (const struct key_run *)context + *(const uint32_t *)b;
	int order = compare_texts(left->inlined, right->inlined);

	return order ? order : compare_places(left, right);
}

static int compare_by_caller(const void *a, const void *b, void *context)
{
	const struct key_run *left = (const struct key_run *)context + *(const uint32_t *)a;
	const struct key_run *right = (const struct key_run *)context + *(const uint32_t *)b;

	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	if (left->first_line != right->first_line)
		return left->first_line < right->first_line ? -1 : 1;
	if (left->inlined != right->inlined)
		return compare_texts(left->inlined, right->inlined);
	return compare_texts(left->caller, right->caller);
}

/*
 * Adds up the runs of each line and of each file. order: the runs' indexes, sorted by file and
 * line.
 */
static int sum_lines(struct builder *builder, const uint32_t *order)
{
	struct annotation *annotation = builder->annotation;
	const struct profile *profile = annotation->profile;
	size_t nr_columns = profile->nr_columns;

	for (size_t i = 0; i < builder->run_sums.nr; i++) {
		const struct key_run *run = &builder->runs[order[i]];
		struct annotation_file *file = &annotation->files[run->file];
		const uint64_t *counts = builder->run_sums.counts + order[i] * nr_columns;
		const uint64_t *shares = builder->run_sums.shares + order[i] * nr_columns;
		struct annotation_line *lines = annotation->lines;

		if (!i || compare_places(&builder->runs[order[i - 1]], run)) {
			if (annotation_sums_add(&annotation->line_sums, profile) == SIZE_MAX)
				return -ENOMEM;
			lines = annotation_grow(lines, &annotation->line_sums, sizeof(*lines));
			if (!lines)
				return -ENOMEM;
			annotation->lines = lines;
			if (!file->nr_lines++)
				file->first_line = annotation->line_sums.nr - 1;
			lines[annotation->line_sums.nr - 1] =
				(struct annotation_line){.file = run->file, .line = run->line};
		}
		annotation_sums_count(&annotation->line_sums, profile, annotation->line_sums.nr - 1,
				      counts, shares);
		annotation_sums_count(&annotation->file_sums, profile, run->file, counts, shares);
	}
	return 0;
}

/*
 * Sets first_line of all runs of inlined functions. order: indexes of these runs, sorted by name,
 * file and line.
 */
static void find_first_lines(struct builder *builder, const uint32_t *order, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct key_run *run = &builder->runs[order[i]];
		const struct key_run *before = i ? &builder->runs[order[i - 1]] : NULL;

		run->first_line =
			before && before->inlined == run->inlined && before->file == run->file
				? before->first_line
				: run->line;
	}
}

static int add_inlined(struct annotation *annotation, const struct key_run *run)
{
	struct annotation_inlined *inlined;

	if (annotation_sums_add(&annotation->inlined_sums, annotation->profile) == SIZE_MAX)
		return -ENOMEM;
	inlined = annotation_grow(annotation->inlined, &annotation->inlined_sums, sizeof(*inlined));
	if (!inlined)
		return -ENOMEM;
	annotation->inlined = inlined;
	inlined[annotation->inlined_sums.nr - 1] =
		(struct annotation_inlined){.function = run->inlined,
					    .file = run->file,
					    .line = run->first_line,
					    .first_caller = annotation->caller_sums.nr};
	return 0;
}

static int add_caller(struct annotation *annotation, const struct key_run *run)
{
	struct annotation_caller *callers;

	if (annotation_sums_add(&annotation->caller_sums, annotation->profile) == SIZE_MAX)
		return -ENOMEM;
	callers = annotation_grow(annotation->callers, &annotation->caller_sums, sizeof(*callers));
	if (!callers)
		return -ENOMEM;
	annotation->callers = callers;
	callers[annotation->caller_sums.nr - 1] =
		(struct annotation_caller){.function = run->caller};
	annotation->inlined[annotation->inlined_sums.nr - 1].nr_callers++;
	return 0;
}

/*
 * Adds up the runs of each inlined function and of each of its callers. order: indexes of the runs,
 * sorted by compare_by_caller().
 */
static int sum_inlined(struct builder *builder, const uint32_t *order, size_t nr)
{
	struct annotation *annotation = builder->annotation;
	const struct profile *profile = annotation->profile;
	size_t nr_columns = profile->nr_columns;
	int error = 0;

	for (size_t i = 0; i < nr && !error; i++) {
		const struct key_run *run = &builder->runs[order[i]];
		const struct key_run *before = i ? &builder->runs[order[i - 1]] : NULL;
		const uint64_t *counts = builder->run_sums.counts + order[i] * nr_columns;
		const uint64_t *shares = builder->run_sums.shares + order[i] * nr_columns;
		bool is_new =
			!before || before->file != run->file || before->inlined != run->inlined;

		if (is_new)
			error = add_inlined(annotation, run);
		if (!error && (is_new || compare_texts(before->caller, run->caller)))
			error = add_caller(annotation, run);
		if (error)
			break;
		annotation_sums_count(&annotation->inlined_sums, profile,
				      annotation->inlined_sums.nr - 1, counts, shares);
		annotation_sums_count(&annotation->caller_sums, profile,
				      annotation->caller_sums.nr - 1, counts, shares);
	}
	return error;
}

static int sum_runs(struct builder *builder)
{
	size_t nr_inlined = 0;
	uint32_t *order = malloc((builder->run_sums.nr + 1) * sizeof(*order));
	int error;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < builder->run_sums.nr; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, builder->run_sums.nr, sizeof(*order), compare_by_line, builder->runs);
	error = sum_lines(builder, order);
	for (size_t i = 0; i < builder->run_sums.nr; i++)
		if (builder->runs[i].inlined)
			order[nr_inlined++] = (uint32_t)i;
	qsort_r(order, nr_inlined, sizeof(*order), compare_by_name, builder->runs);
	find_first_lines(builder, order, nr_inlined);
	qsort_r(order, nr_inlined, sizeof(*order), compare_by_caller, builder->runs);
	if (!error)
		error = sum_inlined(builder, order, nr_inlined);
	free(order);
	return error;
}

int annotation_lines_build(struct annotation *annotation, const struct profile_options *options)
{
	struct builder builder = {.annotation = annotation, .options = options};
	int error = 0;

	for (size_t i = 0; i < annotation->nr_images && !error; i++)
		error = join_image(&builder, i);
	if (!error)
		error = sum_runs(&builder);
	free(builder.runs);
	annotation_sums_deinit(&builder.run_sums);
	index_table_deinit(&builder.files);
	return error;
}

/* ---- paths ---- */

/*
 * Removes the last part of the path [begin, end) and the '/' before it. Returns the path's new end.
 */
static char *drop_part(char *begin, char *end)
{
	while (end > begin && end[-1] != '/')
		end--;
	return end > begin ? end - 1 : begin;
}

char *annotation_clean_path(const char *path)
{
	char *clean = malloc(strlen(path) + 2);
	char *root, *end;

	if (!clean)
		return NULL;
	end = clean;
	if (*path == '/')
		*end++ = '/';
	root = end;
	for (const char *part = path; *part; part += strspn(part, "/")) {
		size_t nr = strcspn(part, "/");

		if (nr == 2 && !strncmp(part, "..", 2)) {
			end = drop_part(root, end);
		} else if (nr && !(nr == 1 && *part == '.')) {
			if (end > root)
				*end++ = '/';
			memcpy(end, part, nr);
			end += nr;
		}
		part += nr;
	}
	*end = '\0';
	return clean;
}
