// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/fake_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES_MAX 8

struct image {
	const char *path;
	const struct fake_range *ranges;
	size_t nr_ranges;
	const char *const *files;
	size_t nr_files;
};

static struct image images[IMAGES_MAX];
static size_t nr_images;
static const char *note;
static const struct image *loaded; /* tables are used one after the other */

void fake_lines_set(const char *path, const struct fake_range *ranges, size_t nr_ranges,
		    const char *const *files, size_t nr_files)
{
	if (nr_images == IMAGES_MAX)
		abort();
	images[nr_images++] = (struct image){.path = path,
					     .ranges = ranges,
					     .nr_ranges = nr_ranges,
					     .files = files,
					     .nr_files = nr_files};
}

void fake_lines_set_note(const char *text)
{
	note = text;
}

void fake_lines_clear(void)
{
	nr_images = 0;
	note = NULL;
	loaded = NULL;
}

static int fill(struct line_table *table, const struct image *image)
{
	table->files = calloc(image->nr_files + 1, sizeof(*table->files));
	if (!table->files)
		return -ENOMEM;
	for (size_t i = 0; i < image->nr_files; i++)
		table->files[i] = image->files[i];
	table->nr_files = image->nr_files;
	return 0;
}

int line_table_load(struct line_table *table, const char *path,
		    const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		    const struct symbol_search *search)
{
	(void)identity;
	(void)kind;
	(void)search;
	*table = (struct line_table){.lack = SYMBOLS_STRIPPED};
	loaded = NULL;
	for (size_t i = 0; i < nr_images; i++)
		if (!strcmp(images[i].path, path))
			loaded = &images[i];
	if (loaded) {
		table->lack = SYMBOLS_FULL;
		return fill(table, loaded);
	}
	if (note)
		table->note = strdup(note);
	return note && !table->note ? -ENOMEM : 0;
}

void line_table_deinit(struct line_table *table)
{
	free((void *)(uintptr_t)table->files);
	free(table->note);
	*table = (struct line_table){0};
}

int line_table_find(const struct line_table *table, uint64_t key, size_t *hint,
		    struct line_found *found)
{
	(void)table;
	(void)hint;
	for (size_t i = 0; loaded && i < loaded->nr_ranges; i++) {
		const struct fake_range *range = &loaded->ranges[i];

		if (key < range->start || key >= range->end)
			continue;
		found->place = (struct line_place){.file = range->file, .line = range->line};
		found->nr_inlines = range->nr_inlines;
		for (size_t j = 0; j < range->nr_inlines; j++)
			found->inlines[j] = range->inlines[j];
		found->end = range->end;
		return 0;
	}
	return -ENOENT;
}
