// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/annotated_mixed.h"

#include "lib/utf8.h"
#include "pp/format/format_text.h"
#include "pp/profile/image_search.h"
#include "pp/lines/line_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A source file, found by its path in line tables. */
struct mixed_file {
	char *path; /* result of annotation_clean_path() */
	struct source_file text;
	struct mixed_file *next;
};

struct mixed_sources {
	const struct annotation *annotation;
	const struct annotated_options *options;
	FILE *err;
	struct mixed_file *files;
};

struct mixed {
	struct mixed_sources *sources;
	const struct annotated_cells *cells;
	struct line_table table;
	const struct mixed_file **files; /* indexed like table.files; NULL: not yet used */
	size_t hint;
	struct line_found found;
	bool has_found; /* `found` is valid for keys below found.end */
	/*
	 * Place of the last line written for this function; place.line is 0 if there is none yet.
	 */
	struct line_place place;
	uint64_t functions; /* hash of the functions inlined at `place` */
};

/* ---- files ---- */

int mixed_sources_create(struct mixed_sources **sources, const struct annotation *annotation,
			 const struct annotated_options *options, FILE *err)
{
	*sources = calloc(1, sizeof(**sources));
	if (!*sources)
		return -ENOMEM;
	**sources =
		(struct mixed_sources){.annotation = annotation, .options = options, .err = err};
	return 0;
}

void mixed_sources_destroy(struct mixed_sources *sources)
{
	while (sources && sources->files) {
		struct mixed_file *file = sources->files;

		sources->files = file->next;
		source_file_deinit(&file->text);
		free(file->path);
		free(file);
	}
	free(sources);
}

/* Reports that a file is missing or cannot be read, but only if the file has samples. */
static void tell_missing(const struct mixed_sources *sources, const char *path, int error)
{
	const struct annotation *annotation = sources->annotation;

	for (size_t i = 0; i < annotation->nr_files; i++) {
		if (!annotation->files[i].nr_lines || strcmp(annotation->files[i].path, path) != 0)
			continue;
		(void)fputs("source file ", sources->err);
		utf8_write_masked(sources->err, path);
		if (error == -ENOENT)
			(void)fputs(" is missing: ", sources->err);
		else
			(void)fprintf(sources->err, " cannot be read (%s): ", strerror(-error));
		annotated_samples_write(
			sources->err, annotation->profile,
			annotated_sum(annotation->profile,
				      annotation_counts(annotation, &annotation->file_sums, i)));
		(void)fputc('\n', sources->err);
	}
}

/* Adds the file and reads its text. Takes ownership of `path`. */
static int add_file(struct mixed_sources *sources, char *path, const struct mixed_file **added)
{
	struct mixed_file *file = calloc(1, sizeof(*file));
	int error;

	if (!file) {
		free(path);
		return -ENOMEM;
	}
	file->path = path;
	file->next = sources->files;
	sources->files = file;
	error = source_file_read(&file->text, path, &sources->options->sources);
	if (error == -ENOMEM)
		return error;
	if (error)
		tell_missing(sources, path, error);
	*added = file;
	return 0;
}

static int find_file(struct mixed *mixed, uint32_t index, const struct mixed_file **file)
{
	struct mixed_sources *sources = mixed->sources;
	char *path;
	int error;

	*file = mixed->files[index];
	if (*file)
		return 0;
	path = annotation_clean_path(mixed->table.files[index]);
	if (!path)
		return -ENOMEM;
	for (*file = sources->files; *file; *file = (*file)->next)
		if (!strcmp((*file)->path, path))
			break;
	if (*file) {
		free(path);
	} else {
		error = add_file(sources, path, file);
		if (error)
			return error;
	}
	mixed->files[index] = *file;
	return 0;
}

/* ---- images ---- */

int mixed_begin(struct mixed **mixed, struct mixed_sources *sources, size_t image,
		const struct annotated_cells *cells)
{
	const struct selection *selection = sources->annotation->profile->selection;
	uint32_t index = sources->annotation->images[image].image;
	const struct selection_image *selected = &selection->images[index];
	struct mixed *made = calloc(1, sizeof(*made));
	struct image_search search;
	int error;

	*mixed = made;
	if (!made)
		return -ENOMEM;
	made->sources = sources;
	made->cells = cells;
	image_search_init(&search, selection, index, sources->options->profile);
	error = line_table_load(&made->table, image_search_path(selection, index),
				&selected->section->identity, selected->kind, &search.search);
	if (error)
		return error;
	made->files = calloc(made->table.nr_files + 1, sizeof(struct mixed_file *));
	return made->files ? 0 : -ENOMEM;
}

void mixed_end(struct mixed *mixed)
{
	if (!mixed)
		return;
	line_table_deinit(&mixed->table);
	free(mixed->files);
	free(mixed);
}

void mixed_end_function(struct mixed *mixed)
{
	mixed->has_found = false;
	mixed->hint = 0; /* search from the start: functions are not written in the order of keys */
	mixed->place.line = 0;
}

/* ---- lines ---- */

static uint64_t hash_functions(const struct line_found *found)
{
	uint64_t hash = found->nr_inlines;

	for (size_t i = 0; i < found->nr_inlines; i++)
		hash = (hash ^ (uintptr_t)found->inlines[i].function ^
			(uint64_t)found->inlines[i].call.line << 40) *
		       UINT64_C(0x100000001b3);
	return hash;
}

/* Writes a comment with the file, the line and the inlined functions. */
static void write_mark(const struct mixed *mixed, FILE *out, const char *path)
{
	const struct line_found *found = &mixed->found;
	enum demangle_mode mode = mixed->sources->options->demangle;

	annotated_cells_blank(mixed->cells, out);
	(void)fputs(":/* ", out);
	annotated_comment_write(out, path);
	(void)fprintf(out, ":%" PRIu32, found->place.line);
	for (size_t i = 0; i < found->nr_inlines; i++) {
		(void)fputs(i ? ", in " : ": inlined ", out);
		annotated_name_write(out, found->inlines[i].function, mode);
		(void)fprintf(out, " (from line %" PRIu32 ")", found->inlines[i].call.line);
	}
	(void)fputs(" */\n", out);
}

static void write_text(const struct mixed *mixed, FILE *out, const struct mixed_file *file)
{
	uint32_t line = mixed->found.place.line;
	size_t nr_bytes;
	const char *text;

	if (line > file->text.nr_lines)
		return;
	text = source_file_line(&file->text, line, &nr_bytes);
	annotated_cells_blank(mixed->cells, out);
	(void)fputc(':', out);
	source_line_write(out, text, nr_bytes);
	(void)fputc('\n', out);
}

static int write_place(struct mixed *mixed, FILE *out)
{
	const struct line_found *found = &mixed->found;
	uint64_t functions = hash_functions(found);
	const struct mixed_file *file;
	int error;

	if (mixed->place.line == found->place.line && mixed->place.file == found->place.file &&
	    mixed->functions == functions)
		return 0;
	error = find_file(mixed, found->place.file, &file);
	if (error)
		return error;
	if (!mixed->place.line || mixed->place.file != found->place.file ||
	    mixed->functions != functions || found->place.line > file->text.nr_lines)
		write_mark(mixed, out, file->path);
	write_text(mixed, out, file);
	mixed->place = found->place;
	mixed->functions = functions;
	return 0;
}

int mixed_write(struct mixed *mixed, FILE *out, uint64_t key)
{
	if (mixed->has_found && key < mixed->found.end)
		return 0;
	mixed->has_found = !line_table_find(&mixed->table, key, &mixed->hint, &mixed->found) &&
			   mixed->found.place.line &&
			   mixed->found.place.file < mixed->table.nr_files &&
			   *mixed->table.files[mixed->found.place.file];
	return mixed->has_found ? write_place(mixed, out) : 0;
}
