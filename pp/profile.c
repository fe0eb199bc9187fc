// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile.h"

#include "lib/progress.h"
#include "libdb/sdb.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Symbols, and whose they are: copies of a binary under several names share them. */
struct loaded_symbols {
	bool loaded;
	struct symbol_table table;
	struct oprof_image_identity identity;
};

/* One image being read: its symbols, and the rows of the application in hand. */
struct reading {
	struct profile *profile;
	const struct profile_options *options;
	uint32_t image;
	struct loaded_symbols *loaded;
	const struct symbol_table *table; /* NULL until the first file was read */
	/* By symbol, and one behind them for what is in none: row + 1, 0 when there is none yet. */
	size_t *row_of;
	char *hidden;	  /* by symbol: taken out by include or exclude; NULL: nothing is */
	size_t first_row; /* of the application in hand */
	uint32_t app;
};

/* Damaged files may claim anything; sums stay at the top instead of wrapping. */
static uint64_t add_samples(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* A new row of zeros; its index, or SIZE_MAX. */
static size_t add_row(struct profile *profile, const struct profile_row *row)
{
	if (profile->nr_rows == profile->room) {
		size_t room = profile->room ? profile->room * 2 : 256;
		struct profile_row *rows =
			reallocarray(profile->rows, room, sizeof(*profile->rows));
		uint64_t *counts;

		if (!rows)
			return SIZE_MAX;
		profile->rows = rows;
		counts = reallocarray(profile->counts, room,
				      profile->nr_classes * sizeof(*profile->counts));
		if (!counts)
			return SIZE_MAX;
		profile->counts = counts;
		profile->room = room;
	}
	profile->rows[profile->nr_rows] = *row;
	memset(profile->counts + profile->nr_rows * profile->nr_classes, 0,
	       profile->nr_classes * sizeof(*profile->counts));
	return profile->nr_rows++;
}

/* The row of symbol (nr_symbols: in none) under the application in hand, or SIZE_MAX. */
static size_t find_row(struct reading *reading, size_t symbol)
{
	struct profile *profile = reading->profile;
	struct profile_row row = {.app = reading->app, .image = reading->image};

	if (reading->row_of[symbol])
		return reading->row_of[symbol] - 1;
	row.symbol = (uint32_t)symbol;
	if (symbol < reading->table->nr_symbols) {
		row.address = reading->table->symbols[symbol].address;
		row.name = strings_keep(&profile->strings, reading->table->symbols[symbol].name);
		if (!row.name)
			return SIZE_MAX;
	}
	reading->row_of[symbol] = add_row(profile, &row) + 1;
	return reading->row_of[symbol] - 1;
}

static int count_samples(struct reading *reading, size_t symbol, uint32_t class,
			 uint64_t nr_samples)
{
	struct profile *profile = reading->profile;
	uint64_t *count;
	size_t row;

	if (reading->hidden && reading->hidden[symbol]) {
		profile->nr_filtered = add_samples(profile->nr_filtered, nr_samples);
		return 0;
	}
	row = find_row(reading, symbol);
	if (row == SIZE_MAX)
		return -ENOMEM;
	count = &profile->counts[row * profile->nr_classes + class];
	*count = add_samples(*count, nr_samples);
	profile->totals[class] = add_samples(profile->totals[class], nr_samples);
	profile->nr_samples = add_samples(profile->nr_samples, nr_samples);
	return 0;
}

static bool ends_before(const struct symbol *symbol, uint64_t key)
{
	return symbol->start < key && key - symbol->start >= symbol->nr_bytes;
}

/*
 * The first symbol from index on that does not end before key. Strides that
 * double, then halves: near for dense profiles, quick where few offsets stand
 * in a large table.
 */
static size_t skip_symbols(const struct symbol_table *table, size_t index, uint64_t key)
{
	size_t stride = 1;
	size_t high;

	while (index + stride <= table->nr_symbols &&
	       ends_before(&table->symbols[index + stride - 1], key)) {
		index += stride;
		stride *= 2;
	}
	high = index + stride < table->nr_symbols ? index + stride : table->nr_symbols;
	while (index < high) {
		size_t middle = index + (high - index) / 2;

		if (ends_before(&table->symbols[middle], key))
			index = middle + 1;
		else
			high = middle;
	}
	return index;
}

/* Both are sorted: one walk over the file's keys and the table's symbols. */
static int join_symbols(struct reading *reading, const struct sdb_image *samples, uint32_t class)
{
	const struct symbol_table *table = reading->table;
	size_t symbol = 0;
	int error = 0;

	for (size_t i = 0; i < samples->nr_entries && !error;) {
		uint64_t key = samples->entries[i].key;
		uint64_t nr_samples = 0;
		size_t target = table->nr_symbols;
		uint64_t end = UINT64_MAX; /* first key that is of something else */

		symbol = skip_symbols(table, symbol, key);
		if (symbol < table->nr_symbols) {
			const struct symbol *next = &table->symbols[symbol];

			end = next->start;
			if (next->start <= key) {
				target = symbol;
				end = add_samples(next->start, next->nr_bytes);
			}
		}
		do {
			nr_samples = add_samples(nr_samples, samples->entries[i].nr_samples);
			i++;
		} while (i < samples->nr_entries && samples->entries[i].key < end);
		error = count_samples(reading, target, class, nr_samples);
	}
	return error;
}

static void note_header(struct profile *profile, const struct sdb_image *samples)
{
	const struct oprof_sdb_header *header = &samples->header;

	if (header->start_time_ns &&
	    (!profile->start_ns || header->start_time_ns < profile->start_ns))
		profile->start_ns = header->start_time_ns;
	if (header->end_time_ns > profile->end_ns)
		profile->end_ns = header->end_time_ns;
	if (*samples->host && !profile->host)
		profile->host = strings_keep(&profile->strings, samples->host);
	else if (*samples->host && strcmp(samples->host, profile->host) != 0)
		profile->several_hosts = true;
	if (*samples->cpu_type && !profile->cpu_type)
		profile->cpu_type = strings_keep(&profile->strings, samples->cpu_type);
	if (!profile->cpu_khz)
		profile->cpu_khz = header->cpu_khz;
	profile->nr_weighted += (header->flags & OPROF_SDB_WEIGHTED) != 0;
	profile->nr_holed += (header->flags & OPROF_SDB_HOLED) != 0;
}

static bool list_match_symbol(const struct spec_list *list, const char *name, const char *shown)
{
	return spec_list_match(list, name) || (shown && spec_list_match(list, shown));
}

static bool is_hidden(const struct profile_options *options, const char *name)
{
	char *shown = *name ? symbol_demangle(name, options->demangle) : NULL;
	bool hidden = list_match_symbol(&options->exclude, name, shown);

	if (options->include.nr_patterns && !list_match_symbol(&options->include, name, shown))
		hidden = true;
	free(shown);
	return hidden;
}

static int hide_symbols(struct reading *reading)
{
	const struct profile_options *options = reading->options;
	const struct symbol_table *table = reading->table;

	if (!options->symbols || (!options->include.nr_patterns && !options->exclude.nr_patterns))
		return 0;
	reading->hidden = calloc(table->nr_symbols + 1, 1);
	if (!reading->hidden)
		return -ENOMEM;
	for (size_t i = 0; i < table->nr_symbols; i++)
		reading->hidden[i] = is_hidden(options, table->symbols[i].name);
	reading->hidden[table->nr_symbols] = is_hidden(options, "");
	return 0;
}

static bool same_build_id(const struct oprof_image_identity *a,
			  const struct oprof_image_identity *b)
{
	return a->nr_build_id && a->nr_build_id <= sizeof(a->build_id) &&
	       a->nr_build_id == b->nr_build_id &&
	       !memcmp(a->build_id, b->build_id, a->nr_build_id);
}

static void loaded_symbols_deinit(struct loaded_symbols *loaded)
{
	if (loaded->loaded)
		symbol_table_deinit(&loaded->table);
	loaded->loaded = false;
}

static int load_symbols(struct reading *reading, const struct sdb_image *samples)
{
	const struct selection *selection = reading->profile->selection;
	const struct selection_image *selected = &selection->images[reading->image];
	struct symbol_search search = {.root = reading->options->root,
				       .image_path = reading->options->image_path};
	const char *path = *samples->image_path ? samples->image_path : selected->path;
	char meta[PATH_MAX];
	int error;

	loaded_symbols_deinit(reading->loaded);
	if (snprintf(meta, sizeof(meta), "%s/meta", selection->sessions[selected->session].path) <
	    (int)sizeof(meta))
		search.meta_path = meta;
	error = symbol_table_load(&reading->loaded->table, path, &samples->header.image,
				  (enum oprof_image_kind)samples->header.image_kind, &search);
	reading->loaded->loaded = !error;
	reading->loaded->identity = samples->header.image;
	return error;
}

/* The image's symbols; samples is the first of its files that could be read. */
static int find_symbols(struct reading *reading, const struct sdb_image *samples)
{
	struct profile_image *image = &reading->profile->images[reading->image];
	const struct symbol_table *table = &reading->loaded->table;
	int error;

	/* Another copy may be there where the last one was not. */
	if (!reading->loaded->loaded || !table->nr_symbols ||
	    !same_build_id(&reading->loaded->identity, &samples->header.image)) {
		error = load_symbols(reading, samples);
		if (error)
			return error;
	}
	image->has_symbols = table->nr_symbols != 0;
	image->lack = table->lack;
	if (table->note) {
		image->note = strdup(table->note);
		if (!image->note)
			return -ENOMEM;
	}
	reading->table = table;
	return 0;
}

/* Before the first file of an image is counted. */
static int begin_image(struct reading *reading, const struct sdb_image *samples)
{
	static const struct symbol_table no_symbols;
	int error = 0;

	if (reading->options->symbols)
		error = find_symbols(reading, samples);
	else
		reading->table = &no_symbols;
	if (!error)
		error = hide_symbols(reading);
	if (error)
		return error;
	reading->row_of = calloc(reading->table->nr_symbols + 1, sizeof(*reading->row_of));
	return reading->row_of ? 0 : -ENOMEM;
}

/* Rows are of one application: forget those of the one before. */
static void begin_app(struct reading *reading, uint32_t app)
{
	struct profile *profile = reading->profile;

	for (size_t i = reading->first_row; i < profile->nr_rows; i++)
		reading->row_of[profile->rows[i].symbol] = 0;
	reading->first_row = profile->nr_rows;
	reading->app = app;
}

static int read_file(struct reading *reading, const struct selected_file *file)
{
	struct profile *profile = reading->profile;
	struct sdb_image samples;
	struct diag why;
	int error = sdb_image_load(file->path, &samples, &why);

	if (error == -ENOMEM)
		return error;
	if (error) {
		profile->nr_damaged++;
		reading->options->skip(file->path, &why);
		return 0;
	}
	note_header(profile, &samples);
	if (!reading->table)
		error = begin_image(reading, &samples);
	if (!error) {
		if (file->app != reading->app)
			begin_app(reading, file->app);
		error = join_symbols(reading, &samples, file->class);
	}
	sdb_image_deinit(&samples);
	return error;
}

/* The files from first on that are of one image. */
static int read_image(struct profile *profile, const struct profile_options *options, size_t first,
		      struct loaded_symbols *loaded)
{
	const struct selection *selection = profile->selection;
	struct reading reading = {.profile = profile,
				  .options = options,
				  .image = selection->files[first].image,
				  .loaded = loaded,
				  .app = UINT32_MAX,
				  .first_row = profile->nr_rows};
	int error = 0;

	for (size_t i = first; i < selection->nr_files && !error; i++) {
		if (selection->files[i].image != reading.image)
			break;
		error = read_file(&reading, &selection->files[i]);
	}
	free(reading.row_of);
	free(reading.hidden);
	return error;
}

struct image_files {
	uint64_t identity;
	size_t first; /* of the image's files */
};

static int compare_identities(const void *a, const void *b)
{
	const struct image_files *left = a;
	const struct image_files *right = b;

	if (left->identity != right->identity)
		return left->identity < right->identity ? -1 : 1;
	return left->first < right->first ? -1 : left->first > right->first;
}

/* Where each image's files begin; copies of a binary one behind the other. */
static struct image_files *order_images(const struct selection *selection)
{
	struct image_files *images = calloc(selection->nr_images, sizeof(*images));

	for (size_t i = selection->nr_files; images && i > 0; i--) {
		uint32_t image = selection->files[i - 1].image;

		images[image] = (struct image_files){selection->images[image].identity, i - 1};
	}
	if (images)
		qsort(images, selection->nr_images, sizeof(*images), compare_identities);
	return images;
}

static int read_images(struct profile *profile, const struct profile_options *options)
{
	const struct selection *selection = profile->selection;
	struct image_files *images = order_images(selection);
	struct loaded_symbols loaded = {0};
	struct progress progress;
	int error = 0;

	if (!images)
		return -ENOMEM;
	progress_begin(&progress, options->symbols ? "reading symbols" : "reading samples",
		       selection->nr_images);
	for (size_t i = 0; i < selection->nr_images && !error; i++) {
		uint32_t image = selection->files[images[i].first].image;

		progress_step(&progress, i, selection->images[image].path);
		error = read_image(profile, options, images[i].first, &loaded);
	}
	progress_end(&progress);
	loaded_symbols_deinit(&loaded);
	free(images);
	return error;
}

static int read_idle(struct profile *profile, const struct profile_options *options)
{
	const struct selection *selection = profile->selection;

	for (size_t i = 0; i < selection->nr_idle_paths; i++) {
		struct sdb_image samples;
		struct diag why;
		int error = sdb_image_load(selection->idle_paths[i], &samples, &why);

		if (error == -ENOMEM)
			return error;
		if (error) {
			profile->nr_damaged++;
			options->skip(selection->idle_paths[i], &why);
			continue;
		}
		note_header(profile, &samples);
		profile->nr_idle = add_samples(profile->nr_idle, samples.nr_samples);
		sdb_image_deinit(&samples);
	}
	return 0;
}

int profile_build(struct profile *profile, const struct selection *selection,
		  const struct profile_options *options, struct diag *diag)
{
	int error = 0;

	*profile = (struct profile){.selection = selection,
				    .with_symbols = options->symbols,
				    .nr_classes = selection->classes.nr_classes};
	profile->totals = calloc(profile->nr_classes, sizeof(*profile->totals));
	profile->images = calloc(selection->nr_images, sizeof(*profile->images));
	if (!profile->totals || !profile->images)
		error = -ENOMEM;
	if (!error)
		error = read_images(profile, options);
	if (!error)
		error = read_idle(profile, options);
	if (error) {
		profile_deinit(profile);
		diag_set(diag, error, "can't read the samples: %s", strerror(-error));
	}
	return error;
}

void profile_deinit(struct profile *profile)
{
	for (size_t i = 0; profile->images && i < profile->selection->nr_images; i++)
		free(profile->images[i].note);
	free(profile->images);
	free(profile->rows);
	free(profile->counts);
	free(profile->totals);
	strings_deinit(&profile->strings);
	*profile = (struct profile){0};
}
