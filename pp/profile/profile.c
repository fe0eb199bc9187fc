// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/profile.h"

#include "lib/progress.h"
#include "lib/saturate.h"
#include "libdb/sdb.h"
#include "pp/profile/image_search.h"
#include "pp/selection/part_reader.h"
#include "pp/profile/profile_details.h"
#include "pp/profile/profile_inlines.h"
#include "pp/profile/profile_lines.h"
#include "pp/profile/profile_merge.h"
#include "pp/profile/profile_time.h"
#include "pp/profile/row_table.h"
#include "pp/profile/symbol_choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A binary's symbol table. Copies of the binary under other names share the table. */
struct loaded_symbols {
	struct symbol_table table;
	struct oprof_image_identity identity;
	struct loaded_symbols *next;
};

/* State of building the profile. */
struct profile_reading {
	struct profile *profile;
	const struct profile_options *options;
	struct loaded_symbols *loaded; /* tables that later images also need */
	struct part_reader parts;
	struct detail_log log; /* options->details */
};

/* State of reading one image. */
struct image_reading {
	struct profile_reading *reader;
	struct profile *profile;
	const struct profile_options *options;
	uint32_t image;
	const struct symbol_table *table; /* NULL until the first part with samples was read */
	struct loaded_symbols *own;	  /* the struct that contains table */
	struct row_table rows;
	const char **names; /* names of symbols, in the profile's pool; NULL: not stored yet */
	char *hidden;	    /* for each symbol: whether it is filtered; NULL: none is filtered */
	uint32_t app;	    /* application of the current part */
	uint32_t stretch;   /* stretch of the current part, index in profile->time */
	size_t row;	    /* row of the last samples; SIZE_MAX: filtered samples */
};

static bool needs_details(const struct profile_options *options)
{
	return options->details || options->inlines;
}

/* ---- rows ---- */

static int grow_counts(const struct profile *profile, size_t room, uint64_t **counts)
{
	uint64_t *bigger =
		reallocarray(*counts, room, profile->nr_columns * sizeof(*profile->counts));

	if (!bigger)
		return -ENOMEM;
	*counts = bigger;
	return 0;
}

static int grow_rows(struct profile *profile)
{
	size_t room = profile->room ? profile->room * 2 : 256;
	bool weighted = profile->share_totals != profile->totals;
	struct profile_row *rows = reallocarray(profile->rows, room, sizeof(*profile->rows));

	if (!rows)
		return -ENOMEM;
	profile->rows = rows;
	if (grow_counts(profile, room, &profile->counts))
		return -ENOMEM;
	if (!weighted)
		profile->shares = profile->counts;
	else if (grow_counts(profile, room, &profile->shares))
		return -ENOMEM;
	profile->room = room;
	return 0;
}

/* Adds a row with zero counts. Returns its index, or SIZE_MAX if out of memory. */
static size_t add_row(struct profile *profile, const struct profile_row *row)
{
	size_t nr_bytes = profile->nr_columns * sizeof(*profile->counts);

	if (profile->nr_rows == profile->room && grow_rows(profile))
		return SIZE_MAX;
	profile->rows[profile->nr_rows] = *row;
	memset(profile->counts + profile->nr_rows * profile->nr_columns, 0, nr_bytes);
	memset(profile->shares + profile->nr_rows * profile->nr_columns, 0, nr_bytes);
	return profile->nr_rows++;
}

/* Stores a symbol's name once for all applications. */
static const char *keep_name(struct image_reading *reading, size_t symbol)
{
	const char **name = &reading->names[symbol];

	if (!*name)
		*name = strings_keep(&reading->profile->strings,
				     reading->table->symbols[symbol].name);
	return *name;
}

/*
 * Finds or adds the row of symbol (nr_symbols: no symbol) for the current application. Returns
 * its index, or SIZE_MAX if out of memory.
 */
static size_t find_row(struct image_reading *reading, size_t symbol)
{
	struct profile *profile = reading->profile;
	struct profile_row row = {
		.app = reading->app, .image = reading->image, .symbol = (uint32_t)symbol};
	size_t *index = row_table_place(&reading->rows, row.app, row.symbol);

	if (!index)
		return SIZE_MAX;
	if (*index != SIZE_MAX)
		return *index;
	if (symbol < reading->table->nr_symbols) {
		const struct symbol *known = &reading->table->symbols[symbol];

		row.address = known->address;
		row.start = known->start;
		row.nr_bytes =
			known->nr_bytes < UINT32_MAX ? (uint32_t)known->nr_bytes : UINT32_MAX;
		row.name = keep_name(reading, symbol);
		if (!row.name)
			return SIZE_MAX;
	}
	*index = add_row(profile, &row);
	return *index;
}

static bool is_by_weight(const struct profile *profile, uint32_t column)
{
	const struct classes *classes = &profile->selection->classes;

	return classes->classes[column % profile->nr_classes].measure != MEASURE_SAMPLES;
}

static int count_samples(struct image_reading *reading, size_t symbol, uint32_t column,
			 uint64_t nr_samples, uint64_t weight)
{
	struct profile *profile = reading->profile;
	struct profile_side *side = &profile->sides[column / profile->nr_classes];
	size_t at;

	reading->row = SIZE_MAX;
	if (reading->hidden && reading->hidden[symbol]) {
		side->nr_filtered = saturate_sum(side->nr_filtered, nr_samples);
		return 0;
	}
	reading->row = find_row(reading, symbol);
	if (reading->row == SIZE_MAX)
		return -ENOMEM;
	at = reading->row * profile->nr_columns + column;
	profile->counts[at] = saturate_sum(profile->counts[at], nr_samples);
	profile->totals[column] = saturate_sum(profile->totals[column], nr_samples);
	side->nr_samples = saturate_sum(side->nr_samples, nr_samples);
	if (!is_by_weight(profile, column))
		weight = nr_samples;
	if (profile->time &&
	    profile_time_add(profile->time, &(struct time_entry){.row = (uint32_t)reading->row,
								 .stretch = reading->stretch,
								 .column = column,
								 .nr_samples = nr_samples,
								 .share = weight}))
		return -ENOMEM;
	if (profile->shares == profile->counts)
		return 0;
	profile->shares[at] = saturate_sum(profile->shares[at], weight);
	profile->share_totals[column] = saturate_sum(profile->share_totals[column], weight);
	return 0;
}

/* Adds to the detail log the keys of the samples that were counted in reading->row. */
static int log_details(struct image_reading *reading, const struct sdb_entry *entries,
		       size_t nr_entries, uint32_t column)
{
	const struct profile_row *row;
	int error = 0;

	if (!needs_details(reading->options) || reading->row == SIZE_MAX)
		return 0;
	row = &reading->profile->rows[reading->row];
	for (size_t i = 0; i < nr_entries && !error; i++) {
		struct detail_entry entry = {.key = entries[i].key,
					     .address = row->address + entries[i].key - row->start,
					     .nr_samples = entries[i].nr_samples,
					     .share = is_by_weight(reading->profile, column)
							      ? entries[i].weight
							      : entries[i].nr_samples,
					     .row = (uint32_t)reading->row,
					     .column = column,
					     .image = reading->image};

		error = detail_log_add(&reading->reader->log, &entry);
	}
	return error;
}

/* ---- symbols ---- */

/*
 * Counts the samples of a part in the rows of symbols. Keys and symbols are sorted, so both are
 * traversed together, once.
 */
static int join_symbols(struct image_reading *reading, const struct part_samples *samples,
			uint32_t column)
{
	const struct symbol_table *table = reading->table;
	size_t symbol = 0;
	int error = 0;

	for (size_t i = 0; i < samples->nr_entries && !error;) {
		uint64_t key = samples->entries[i].key;
		uint64_t nr_samples = 0;
		uint64_t weight = 0;
		size_t target = table->nr_symbols;
		uint64_t end = UINT64_MAX; /* first key that does not belong to `target` */
		size_t first = i;

		symbol = symbol_find_from(table, symbol, key);
		if (symbol < table->nr_symbols) {
			const struct symbol *next = &table->symbols[symbol];

			end = next->start;
			if (next->start <= key) {
				target = symbol;
				end = saturate_sum(next->start, next->nr_bytes);
			}
		}
		do {
			nr_samples = saturate_sum(nr_samples, samples->entries[i].nr_samples);
			weight = saturate_sum(weight, samples->entries[i].weight);
			i++;
		} while (i < samples->nr_entries && samples->entries[i].key < end);
		error = count_samples(reading, target, column, nr_samples, weight);
		if (!error)
			error = log_details(reading, samples->entries + first, i - first, column);
	}
	return error;
}

static int hide_symbols(struct image_reading *reading)
{
	const struct profile_options *options = reading->options;
	const struct symbol_table *table = reading->table;

	if (!options->symbols || (!options->include.nr_patterns && !options->exclude.nr_patterns))
		return 0;
	reading->hidden = calloc(table->nr_symbols + 1, 1);
	if (!reading->hidden)
		return -ENOMEM;
	for (size_t i = 0; i < table->nr_symbols; i++)
		reading->hidden[i] = symbol_is_left_out(&options->include, &options->exclude,
							table->symbols[i].name, options->demangle);
	reading->hidden[table->nr_symbols] =
		symbol_is_left_out(&options->include, &options->exclude, "", options->demangle);
	return 0;
}

static bool same_build_id(const struct oprof_image_identity *a,
			  const struct oprof_image_identity *b)
{
	return a->nr_build_id && a->nr_build_id <= sizeof(a->build_id) &&
	       a->nr_build_id == b->nr_build_id &&
	       !memcmp(a->build_id, b->build_id, a->nr_build_id);
}

static void loaded_symbols_destroy(struct loaded_symbols *loaded)
{
	symbol_table_deinit(&loaded->table);
	free(loaded);
}

static int load_symbols(struct image_reading *reading, const struct slice_section *section,
			const char *path)
{
	struct loaded_symbols *loaded = calloc(1, sizeof(*loaded));
	struct image_search search;
	int error;

	if (!loaded)
		return -ENOMEM;
	image_search_init(&search, reading->profile->selection, reading->image, reading->options);
	error = symbol_table_load(&loaded->table, path, &section->identity, section->image_kind,
				  &search.search);
	if (error) {
		free(loaded);
		return error;
	}
	loaded->identity = section->identity;
	reading->own = loaded;
	return 0;
}

/*
 * Returns the table of another copy of the image, and removes this table from the list. Returns
 * NULL if the list has no such table.
 */
static struct loaded_symbols *take_loaded(struct profile_reading *reader,
					  const struct oprof_image_identity *identity)
{
	for (struct loaded_symbols **place = &reader->loaded; *place; place = &(*place)->next) {
		struct loaded_symbols *loaded = *place;

		if (!same_build_id(&loaded->identity, identity))
			continue;
		*place = loaded->next;
		return loaded;
	}
	return NULL;
}

/* Returns whether a later image has the same identity. */
static bool is_needed_again(const struct image_reading *reading)
{
	const struct selection *selection = reading->profile->selection;

	for (size_t i = reading->image + 1; i < selection->nr_images; i++)
		if (selection->images[i].identity == selection->images[reading->image].identity)
			return true;
	return false;
}

/*
 * Keeps the table for later images that are copies of this one. Frees an empty table, because
 * another copy may have symbols.
 */
static void put_loaded(struct image_reading *reading)
{
	struct loaded_symbols *loaded = reading->own;

	reading->own = NULL;
	if (!loaded)
		return;
	if (!loaded->table.nr_symbols || !loaded->identity.nr_build_id ||
	    !is_needed_again(reading)) {
		loaded_symbols_destroy(loaded);
		return;
	}
	loaded->next = reading->reader->loaded;
	reading->reader->loaded = loaded;
}

/* Finds the image's symbols. section describes the image's first part with samples. */
static int find_symbols(struct image_reading *reading, const struct slice_section *section,
			const char *path)
{
	struct profile_image *image = &reading->profile->images[reading->image];
	const struct symbol_table *table;
	int error;

	reading->own = take_loaded(reading->reader, &section->identity);
	if (!reading->own) {
		error = load_symbols(reading, section, path);
		if (error)
			return error;
	}
	table = &reading->own->table;
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

/* ---- images ---- */

/* Called before the first part of an image is counted. */
static int begin_image(struct image_reading *reading, const struct slice_section *section,
		       const char *path)
{
	static const struct symbol_table no_symbols;
	const char *shown = reading->profile->selection->images[reading->image].path;

	if (!reading->options->symbols) {
		reading->table = &no_symbols;
		return 0;
	}
	return find_symbols(reading, section, path && *path ? path : shown);
}

static int make_names(struct image_reading *reading)
{
	reading->names = calloc(reading->table->nr_symbols + 1, sizeof(*reading->names));
	return reading->names ? 0 : -ENOMEM;
}

static void note_host(struct profile *profile, const char *host, const char *cpu_type,
		      uint32_t cpu_khz)
{
	if (host && *host && !profile->host)
		profile->host = strings_keep(&profile->strings, host);
	else if (host && *host && strcmp(host, profile->host) != 0)
		profile->several_hosts = true;
	if (cpu_type && *cpu_type && !profile->cpu_type)
		profile->cpu_type = strings_keep(&profile->strings, cpu_type);
	if (!profile->cpu_khz)
		profile->cpu_khz = cpu_khz;
}

static void note_part(struct profile *profile, const struct slice_section *section,
		      const struct part_samples *samples)
{
	if (samples->file) {
		note_host(profile, samples->file->host, samples->file->cpu_type,
			  samples->file->header.cpu_khz);
		profile->nr_holed += (samples->file->header.flags & OPROF_SDB_HOLED) != 0;
	}
	if (samples->nr_samples)
		profile->nr_weighted += (section->flags & OPROF_SDB_WEIGHTED) != 0;
}

/* Loads a part. An unreadable part is reported and counted, and has no samples. */
static int load_part(struct profile_reading *reader, const struct selected_part *part, bool keys,
		     struct part_samples *samples)
{
	const struct selection *selection = reader->profile->selection;
	struct diag why;
	int error = part_samples_load(samples, &reader->parts, part, keys, &why);

	if (error == -ENOMEM)
		return error;
	if (error) {
		reader->profile->nr_damaged++;
		reader->options->skip(selection_part_path(selection, part), &why);
	}
	note_part(reader->profile, selection_section(selection, part), samples);
	return 0;
}

static int read_part(struct image_reading *reading, const struct selected_part *part)
{
	const struct slice_section *section = selection_section(reading->profile->selection, part);
	bool symbols = reading->options->symbols;
	struct part_samples samples;
	int error = load_part(reading->reader, part, symbols, &samples);

	if (!error && samples.nr_samples && !reading->table) {
		error = begin_image(reading, section, samples.path);
		if (!error)
			error = make_names(reading);
		if (!error)
			error = hide_symbols(reading);
	}
	reading->app = part->app;
	if (reading->profile->time)
		reading->stretch =
			profile_time_of(reading->profile->time, reading->profile->selection, part);
	if (!error && samples.nr_samples && !symbols)
		error = count_samples(reading, 0, part->class, samples.nr_samples, samples.weight);
	else if (!error && samples.nr_samples)
		error = join_symbols(reading, &samples, part->class);
	part_samples_deinit(&samples);
	return error;
}

/* Reads all parts of the image that begins at parts[*next], and advances *next past them. */
static int read_image(struct profile_reading *reader, size_t *next)
{
	const struct selection *selection = reader->profile->selection;
	struct image_reading reading = {
		.reader = reader,
		.profile = reader->profile,
		.options = reader->options,
		.image = selection->parts[*next].image,
	};
	int error = 0;

	for (; *next < selection->nr_parts && !error; (*next)++) {
		if (selection->parts[*next].image != reading.image)
			break;
		error = read_part(&reading, &selection->parts[*next]);
	}
	put_loaded(&reading);
	row_table_deinit(&reading.rows);
	free(reading.hidden);
	free(reading.names);
	return error;
}

static int read_images(struct profile_reading *reader)
{
	const struct selection *selection = reader->profile->selection;
	struct progress progress;
	size_t next = 0;
	int error = 0;

	progress_begin(&progress, reader->options->symbols ? "reading symbols" : "reading samples",
		       selection->nr_images);
	while (next < selection->nr_parts && !error) {
		uint32_t image = selection->parts[next].image;

		progress_step(&progress, image, selection->images[image].path);
		error = read_image(reader, &next);
	}
	progress_end(&progress);
	return error;
}

/* Reads the samples of idle CPUs, which are only summed. */
static int read_idle(struct profile_reading *reader)
{
	const struct selection *selection = reader->profile->selection;
	int error = 0;

	for (size_t i = 0; i < selection->nr_idle && !error; i++) {
		const struct selected_part *part = &selection->idle[i];
		struct profile_side *side = &reader->profile->sides[part->class];
		struct part_samples samples;

		error = load_part(reader, part, false, &samples);
		side->nr_idle = saturate_sum(side->nr_idle, samples.nr_samples);
		part_samples_deinit(&samples);
	}
	return error;
}

/* ---- the profile ---- */

static void reader_deinit(struct profile_reading *reader)
{
	while (reader->loaded) {
		struct loaded_symbols *loaded = reader->loaded;

		reader->loaded = loaded->next;
		loaded_symbols_destroy(loaded);
	}
	part_reader_deinit(&reader->parts);
	detail_log_deinit(&reader->log);
}

static bool is_weighted(const struct selection *selection)
{
	for (size_t i = 0; i < selection->classes.nr_classes; i++)
		if (selection->classes.classes[i].measure != MEASURE_SAMPLES)
			return true;
	return false;
}

static int make_totals(struct profile *profile)
{
	profile->totals = calloc(profile->nr_columns, sizeof(*profile->totals));
	profile->share_totals = profile->totals;
	profile->images = calloc(profile->selection->nr_images, sizeof(*profile->images));
	if (!profile->totals || !profile->images)
		return -ENOMEM;
	if (!is_weighted(profile->selection))
		return 0;
	profile->share_totals = calloc(profile->nr_columns, sizeof(*profile->share_totals));
	return profile->share_totals ? 0 : -ENOMEM;
}

static int make_time(struct profile *profile)
{
	profile->time = calloc(1, sizeof(*profile->time));
	return profile->time ? profile_time_init(profile->time, profile->selection) : -ENOMEM;
}

static void widen_times(int64_t *start_ns, int64_t *end_ns, int64_t begin_ns, int64_t last_ns)
{
	if (begin_ns && (!*start_ns || begin_ns < *start_ns))
		*start_ns = begin_ns;
	if (last_ns > *end_ns)
		*end_ns = last_ns;
}

static void note_slice(struct profile *profile, const struct part_slice *slice)
{
	const struct slice_info *info = slice_info(slice->slice);

	note_host(profile, info->host, info->cpu_type, info->cpu_khz);
	profile->nr_holed += (info->flags & OPROF_SLICE_HOLED) != 0;
}

static void sum_up(struct profile *profile)
{
	const struct selection *selection = profile->selection;

	for (size_t i = 0; i < selection->nr_sides; i++) {
		struct profile_side *side = &profile->sides[i];
		const struct selection_side *selected = &selection->sides[i];

		for (size_t j = 0; j < selected->nr_sessions; j++) {
			const struct session_parts *parts =
				&selection->sessions[selected->first_session + j].parts;

			widen_times(&side->start_ns, &side->end_ns, parts->begin_ns, parts->end_ns);
			side->nr_ns += parts->nr_ns;
			for (size_t k = 0; k < parts->nr_slices; k++)
				note_slice(profile, &parts->slices[k]);
		}
		profile->nr_samples = saturate_sum(profile->nr_samples, side->nr_samples);
		profile->nr_filtered = saturate_sum(profile->nr_filtered, side->nr_filtered);
		profile->nr_idle = saturate_sum(profile->nr_idle, side->nr_idle);
		widen_times(&profile->start_ns, &profile->end_ns, side->start_ns, side->end_ns);
	}
}

/*
 * Gives inlined functions their own rows, then frees details and lines that the user did not
 * request.
 */
static int split_inlines(struct profile_reading *reader)
{
	struct profile *profile = reader->profile;
	int error = profile_inlines_split(profile);

	if (!reader->options->details)
		profile_details_deinit(profile);
	if (!reader->options->lines)
		profile_lines_deinit(profile);
	return error;
}

/* Merges rows, then makes the details of each row from the detail log. */
static int arrange(struct profile_reading *reader)
{
	uint32_t *moved;
	int error = profile_merge(reader->profile, &moved);

	if (!error && needs_details(reader->options))
		error = profile_details_arrange(reader->profile, &reader->log, moved);
	if (!error && reader->profile->time)
		profile_time_arrange(reader->profile->time, moved);
	free(moved);
	if (!error && (reader->options->lines || reader->options->inlines))
		error = profile_lines_find(reader->profile, reader->options);
	if (!error && reader->options->inlines)
		error = split_inlines(reader);
	return error;
}

int profile_build(struct profile *profile, const struct selection *selection,
		  const struct profile_options *options, struct diag *diag)
{
	struct profile_reading reader = {.profile = profile, .options = options};
	int error;

	*profile = (struct profile){.selection = selection,
				    .with_symbols = options->symbols,
				    .nr_classes = selection->classes.nr_classes,
				    .nr_columns = selection_nr_columns(selection)};
	error = make_totals(profile);
	if (!error && options->by_time)
		error = make_time(profile);
	if (!error)
		error = part_reader_init(&reader.parts, selection);
	if (!error)
		error = read_images(&reader);
	if (!error)
		error = read_idle(&reader);
	if (!error)
		error = arrange(&reader);
	reader_deinit(&reader);
	if (error) {
		profile_deinit(profile);
		return diag_set(diag, error, "cannot read the samples: %s", strerror(-error));
	}
	sum_up(profile);
	return 0;
}

void profile_deinit(struct profile *profile)
{
	for (size_t i = 0; profile->images && i < profile->selection->nr_images; i++) {
		free(profile->images[i].note);
		free(profile->images[i].line_note);
	}
	free(profile->images);
	free(profile->rows);
	if (profile->shares != profile->counts)
		free(profile->shares);
	free(profile->counts);
	if (profile->share_totals != profile->totals)
		free(profile->share_totals);
	free(profile->totals);
	profile_details_deinit(profile);
	profile_lines_deinit(profile);
	if (profile->time)
		profile_time_deinit(profile->time);
	free(profile->time);
	strings_deinit(&profile->strings);
	*profile = (struct profile){0};
}
