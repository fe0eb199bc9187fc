// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/page/format_page.h"

#include "pp/format/format_rows.h"
#include "pp/format/format_text.h"
#include "pp/base/json_writer.h"
#include "pp/page/page_data.h"
#include "pp/page/page_template.h"
#include "pp/page/page_tree.h"
#include "pp/profile/profile_time.h"
#include "pp/format/row_groups.h"
#include "pp/profile/row_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LACKING_SHOWN	4 /* maximum number of images for which the page has notes */
#define LACKING_PERCENT 2 /* minimum share of such an image */

struct page {
	const struct profile *profile;
	const struct page_options *options;
	struct row_groups groups;
	struct row_symbols symbols;
	struct line_place *places; /* sorted, without duplicates */
	size_t nr_places;
	struct page_data data;
	struct json_writer json;
};

/* ---- source places ---- */

static int compare_places(const void *a, const void *b)
{
	const struct line_place *left = a;
	const struct line_place *right = b;

	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	return left->line < right->line ? -1 : left->line > right->line;
}

static int collect_places(struct page *page)
{
	const struct profile *profile = page->profile;
	size_t nr = 0;

	if (!profile->row_lines)
		return 0;
	page->places = calloc(profile->nr_rows + profile->nr_details + 1, sizeof(*page->places));
	if (!page->places)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_rows; i++)
		if (profile->row_lines[i].line)
			page->places[nr++] = profile->row_lines[i];
	for (size_t i = 0; i < profile->nr_details; i++)
		if (profile->detail_lines[i].line)
			page->places[nr++] = profile->detail_lines[i];
	qsort(page->places, nr, sizeof(*page->places), compare_places);
	for (size_t i = 0; i < nr; i++)
		if (!i || compare_places(&page->places[page->nr_places - 1], &page->places[i]))
			page->places[page->nr_places++] = page->places[i];
	return 0;
}

/* Returns the place's index plus 1; 0: not known. */
static uint64_t place_number(const struct page *page, const struct line_place *place)
{
	const struct line_place *found;

	if (!place->line)
		return 0;
	found = bsearch(place, page->places, page->nr_places, sizeof(*place), compare_places);
	return found ? (uint64_t)(found - page->places) + 1 : 0;
}

/* ---- arrays ---- */

static void add_rows(struct page *page)
{
	const struct profile *profile = page->profile;
	const size_t *rows = page->groups.rows;

	page_data_begin(&page->data, "rowSymbol");
	for (size_t i = 0; i < profile->nr_rows; i++)
		page_data_add(&page->data, page->symbols.symbol_of[rows[i]]);
	page_data_begin(&page->data, "rowApp");
	for (size_t i = 0; i < profile->nr_rows; i++)
		page_data_add(&page->data, profile->rows[rows[i]].app);
	for (size_t column = 0; column < profile->nr_columns; column++) {
		page_data_begin_column(&page->data, "row", column);
		for (size_t i = 0; i < profile->nr_rows; i++)
			page_data_add(&page->data, profile_shares(profile, rows[i])[column]);
	}
}

static const struct profile_row *row_of_symbol(const struct page *page, size_t symbol)
{
	return &page->profile->rows[page->symbols.rows[page->symbols.symbols[symbol].first]];
}

static void add_symbols(struct page *page)
{
	page_data_begin(&page->data, "symbolImage");
	for (size_t i = 0; i < page->symbols.nr_symbols; i++)
		page_data_add(&page->data, row_of_symbol(page, i)->image);
	page_data_begin(&page->data, "symbolSize");
	for (size_t i = 0; i < page->symbols.nr_symbols; i++)
		page_data_add(&page->data, row_of_symbol(page, i)->nr_bytes);
}

/* Adds the distances from the symbol's first byte to its first key, and from key to key. */
static void add_key_steps(struct page *page, size_t row)
{
	const struct profile *profile = page->profile;
	uint64_t before = profile->rows[row].address;

	for (size_t i = profile->first_detail[row]; i < profile->first_detail[row + 1]; i++) {
		uint64_t address = profile->details[i].address;

		/* A key from another build of the function may be lower than the previous key. */
		page_data_add(&page->data, address > before ? address - before : 0);
		before = address > before ? address : before;
	}
}

static void add_key_values(struct page *page, size_t row, size_t column)
{
	const struct profile *profile = page->profile;

	for (size_t i = profile->first_detail[row]; i < profile->first_detail[row + 1]; i++)
		page_data_add(&page->data,
			      profile->detail_shares[i * profile->nr_columns + column]);
}

static void add_keys(struct page *page)
{
	const struct profile *profile = page->profile;
	const size_t *rows = page->groups.rows;

	if (!profile->details)
		return;
	page_data_begin(&page->data, "keyRows");
	for (size_t i = 0; i < profile->nr_rows; i++)
		page_data_add(&page->data,
			      profile->first_detail[rows[i] + 1] - profile->first_detail[rows[i]]);
	page_data_begin(&page->data, "keyStep");
	for (size_t i = 0; i < profile->nr_rows; i++)
		add_key_steps(page, rows[i]);
	for (size_t column = 0; column < profile->nr_columns; column++) {
		page_data_begin_column(&page->data, "key", column);
		for (size_t i = 0; i < profile->nr_rows; i++)
			add_key_values(page, rows[i], column);
	}
	if (!profile->detail_lines)
		return;
	page_data_begin(&page->data, "keyPlace");
	for (size_t i = 0; i < profile->nr_rows; i++)
		for (size_t j = profile->first_detail[rows[i]];
		     j < profile->first_detail[rows[i] + 1]; j++)
			page_data_add(&page->data, place_number(page, &profile->detail_lines[j]));
}

/* ---- samples of rows in each stretch of time ---- */

/*
 * Returns an array of nr_rows + 1 indexes: the index of each row's first entry, then the end of the
 * last row's entries.
 */
static size_t *first_entries(const struct profile *profile)
{
	const struct profile_time *time = profile->time;
	size_t *first = calloc(profile->nr_rows + 2, sizeof(*first));
	size_t entry = 0;

	if (!first)
		return NULL;
	for (size_t row = 0; row <= profile->nr_rows; row++) {
		while (entry < time->nr_entries && time->entries[entry].row < row)
			entry++;
		first[row] = entry;
	}
	return first;
}

static bool begins_stretch(const struct time_entry *entries, size_t first, size_t i)
{
	return i == first || entries[i].stretch != entries[i - 1].stretch;
}

/*
 * count_stretches() returns the number of stretches in which a row has samples;
 * add_time_values() adds the row's value in each of them, for one column. The
 * row's entries are [first, end).
 */
static uint64_t count_stretches(const struct time_entry *entries, size_t first, size_t end)
{
	uint64_t nr = 0;

	for (size_t i = first; i < end; i++)
		nr += begins_stretch(entries, first, i);
	return nr;
}

static void add_time_values(struct page *page, const struct time_entry *entries, size_t first,
			    size_t end, uint32_t column)
{
	for (size_t i = first; i < end;) {
		uint32_t stretch = entries[i].stretch;
		uint64_t value = 0;

		for (; i < end && entries[i].stretch == stretch; i++)
			if (entries[i].column == column)
				value = entries[i].share;
		page_data_add(&page->data, value);
	}
}

static void add_time_arrays(struct page *page, const size_t *first)
{
	const struct profile *profile = page->profile;
	const struct time_entry *entries = profile->time->entries;
	const size_t *rows = page->groups.rows;

	page_data_begin(&page->data, "timeRows");
	for (size_t i = 0; i < profile->nr_rows; i++)
		page_data_add(&page->data,
			      count_stretches(entries, first[rows[i]], first[rows[i] + 1]));
	page_data_begin(&page->data, "timeStretch");
	for (size_t i = 0; i < profile->nr_rows; i++)
		for (size_t j = first[rows[i]]; j < first[rows[i] + 1]; j++)
			if (begins_stretch(entries, first[rows[i]], j))
				page_data_add(&page->data, entries[j].stretch);
	for (uint32_t column = 0; column < profile->nr_columns; column++) {
		page_data_begin_column(&page->data, "time", column);
		for (size_t i = 0; i < profile->nr_rows; i++)
			add_time_values(page, entries, first[rows[i]], first[rows[i] + 1], column);
	}
}

static int add_time(struct page *page)
{
	size_t *first;

	if (!page->profile->time)
		return 0;
	first = first_entries(page->profile);
	if (!first)
		return -ENOMEM;
	add_time_arrays(page, first);
	free(first);
	return 0;
}

/* ---- the other data, as JSON ---- */

static void begin_fact(struct page *page, const char *name)
{
	json_begin(&page->json, NULL, '{');
	json_text(&page->json, "name", name);
}

static void end_fact(struct page *page, const char *small)
{
	if (small)
		json_text(&page->json, "small", small);
	json_end(&page->json, '}');
}

static void write_samples(struct page *page)
{
	const struct profile *profile = page->profile;
	double seconds = (double)profile->sides[0].nr_ns / 1e9;
	char text[64];

	begin_fact(page, "Samples");
	json_number(&page->json, "value", profile->nr_samples);
	(void)snprintf(text, sizeof(text), "%.4g a second", (double)profile->nr_samples / seconds);
	end_fact(page, profile->selection->nr_sides == 1 && seconds > 0 ? text : NULL);
	if (!profile->nr_idle)
		return;
	begin_fact(page, "Idle");
	json_number(&page->json, "value", profile->nr_idle);
	end_fact(page, "not in the totals");
}

/* Writes the name of the event. If there are several events, the page offers a choice instead. */
static void write_event(struct page *page)
{
	const struct classes *classes = &page->profile->selection->classes;

	if (classes->nr_classes != 1 || !classes->classes[0].name)
		return;
	begin_fact(page, "Event");
	json_text(&page->json, "text", classes->classes[0].name);
	end_fact(page, NULL);
}

static void write_times(struct page *page)
{
	const struct profile *profile = page->profile;
	size_t nr_sides = profile->selection->nr_sides;

	for (size_t i = 0; i < nr_sides; i++) {
		const struct profile_side *side = &profile->sides[i];
		char samples[64];

		if (!side->start_ns || !side->end_ns)
			continue;
		begin_fact(page, nr_sides == 1 ? "Time" : i ? "After" : "Before");
		json_begin(&page->json, "ms", '[');
		json_signed(&page->json, NULL, side->start_ns / 1000000);
		json_signed(&page->json, NULL, side->end_ns / 1000000);
		json_end(&page->json, ']');
		(void)snprintf(samples, sizeof(samples), "%" PRIu64 " samples", side->nr_samples);
		end_fact(page, nr_sides == 1 ? NULL : samples);
	}
}

static uint64_t without_symbol(const struct profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->nr_rows; i++)
		for (size_t j = 0; j < profile->nr_columns && !profile->rows[i].name; j++)
			sum += profile_counts(profile, i)[j];
	return sum;
}

/* Rounds down, as in the text layout, so that 100.00 % means all samples. */
static double percent_down(uint64_t part, uint64_t whole)
{
	return (double)(uint64_t)(percent_of(part, whole) * 100) / 100;
}

static void write_coverage(struct page *page)
{
	const struct profile *profile = page->profile;
	uint64_t nr_lost = 0;
	char text[64];

	(void)snprintf(
		text, sizeof(text), "%.2f %%",
		percent_down(profile->nr_samples - without_symbol(profile), profile->nr_samples));
	begin_fact(page, "With a symbol");
	json_text(&page->json, "text", text);
	end_fact(page, NULL);
	for (size_t i = 0; i < profile->selection->nr_sides; i++)
		nr_lost += counters_sum(&profile->selection->sides[i].counters, "lost_");
	begin_fact(page, "Lost");
	json_number(&page->json, "value", nr_lost);
	json_bool(&page->json, "warn", nr_lost != 0);
	end_fact(page, NULL);
}

static void write_source(struct page *page)
{
	const struct session_info *info = &page->profile->selection->sessions[0].info;

	if (!info->source)
		return;
	begin_fact(page, "Source");
	json_text(&page->json, "text", info->source);
	end_fact(page, info->cpu_type ? info->cpu_type : page->profile->cpu_type);
}

static void write_facts(struct page *page)
{
	json_begin(&page->json, "facts", '[');
	write_samples(page);
	write_event(page);
	write_times(page);
	write_coverage(page);
	write_source(page);
	json_end(&page->json, ']');
}

/* Writes the losses by reason. */
static void write_losses(struct page *page)
{
	const struct selection *selection = page->profile->selection;

	for (size_t i = 0; i < selection->nr_sides; i++) {
		const struct counters *counters = &selection->sides[i].counters;

		for (size_t j = 0; j < counters->nr_entries; j++) {
			const struct oprof_stats_entry *entry = &counters->entries[j];
			char text[2 * OPROF_STATS_NAME_BYTES + 32];

			if (strncmp(entry->name, "lost_", 5) != 0 || !entry->value)
				continue;
			(void)snprintf(text, sizeof(text), "%s: %" PRIu64 ".", entry->name,
				       entry->value);
			json_text(&page->json, NULL, text);
		}
	}
}

/* Returns whether an image's share, summed over applications, is large enough for a note. */
static bool is_large(const struct page *page, size_t image)
{
	const struct profile *profile = page->profile;
	uint64_t sum = 0;

	for (size_t i = 0; i < page->groups.nr_images; i++)
		if (page->groups.images[i].image == image)
			sum += page->groups.images[i].shares[0];
	return percent_of(sum, profile->share_totals[0]) >= LACKING_PERCENT;
}

static void write_lacking(struct page *page)
{
	const struct profile *profile = page->profile;
	bool lacks_debug = false;
	size_t nr = 0;

	for (size_t i = 0; i < profile->selection->nr_images && nr < LACKING_SHOWN; i++) {
		const char *note = profile->images[i].note;
		char text[1024];

		if (!note || !is_large(page, i))
			continue;
		(void)snprintf(text, sizeof(text), "%s: %s.", profile->selection->images[i].path,
			       note);
		json_text(&page->json, NULL, text);
		lacks_debug |= profile->images[i].lack == SYMBOLS_DYNAMIC_ONLY ||
			       profile->images[i].lack == SYMBOLS_STRIPPED;
		nr++;
	}
	if (lacks_debug)
		json_text(&page->json, NULL,
			  "Debug symbols: install -dbgsym, -dbg or -debuginfo packages, or "
			  "debuginfod-find debuginfo FILE.");
}

static void write_notes(struct page *page)
{
	json_begin(&page->json, "notes", '[');
	write_losses(page);
	if (page->profile->nr_damaged)
		json_text(&page->json, NULL, "Damaged files are left out.");
	write_lacking(page);
	json_end(&page->json, ']');
}

static void write_title(struct page *page)
{
	const struct profile *profile = page->profile;
	const struct selection *selection = profile->selection;
	char title[512];
	const char *before = selection->sessions[0].name;
	const char *after = selection->nr_sides > 1
				    ? selection->sessions[selection->sides[1].first_session].name
				    : before;

	if (strcmp(before, after) != 0)
		(void)snprintf(title, sizeof(title), "%s: %s and %s",
			       profile->host ? profile->host : "oprof", before, after);
	else
		(void)snprintf(title, sizeof(title), "%s: %s%s",
			       profile->host ? profile->host : "oprof", selection->sessions[0].name,
			       selection->nr_sessions > selection->nr_sides ? " and others" : "");
	json_text(&page->json, "title", title);
}

static void write_classes(struct page *page)
{
	static const char *const measures[] = {[MEASURE_SAMPLES] = "samples",
					       [MEASURE_WEIGHT] = "weight",
					       [MEASURE_TIME] = "time"};
	const struct profile *profile = page->profile;
	const struct classes *classes = &profile->selection->classes;

	json_begin(&page->json, "classes", '[');
	for (size_t i = 0; i < classes->nr_classes; i++) {
		json_begin(&page->json, NULL, '{');
		json_text(&page->json, "name", classes->classes[i].name);
		json_text(&page->json, "sharesOf", measures[classes->classes[i].measure]);
		/* Numbers of samples of each side, for the sampling error of differences. */
		json_begin(&page->json, "counts", '[');
		for (size_t side = 0; side < profile->selection->nr_sides; side++)
			json_number(&page->json, NULL,
				    profile->totals[side * profile->nr_classes + i]);
		json_end(&page->json, ']');
		json_end(&page->json, '}');
	}
	json_end(&page->json, ']');
}

static void write_images(struct page *page)
{
	const struct profile *profile = page->profile;
	const struct selection *selection = profile->selection;

	json_begin(&page->json, "apps", '[');
	for (size_t i = 0; i < selection->nr_apps; i++)
		json_text(&page->json, NULL, selection->apps[i]);
	json_end(&page->json, ']');
	json_begin(&page->json, "images", '[');
	for (size_t i = 0; i < selection->nr_images; i++) {
		json_begin(&page->json, NULL, '{');
		json_text(&page->json, "path", selection->images[i].path);
		if (profile->images[i].note)
			json_text(&page->json, "note", profile->images[i].note);
		json_end(&page->json, '}');
	}
	json_end(&page->json, ']');
}

static void write_places(struct page *page)
{
	const struct profile *profile = page->profile;

	if (!profile->row_lines)
		return;
	json_begin(&page->json, "places", '[');
	for (size_t i = 0; i < page->symbols.nr_symbols; i++) {
		size_t row = page->symbols.rows[page->symbols.symbols[i].first];

		json_number(&page->json, NULL, place_number(page, &profile->row_lines[row]));
	}
	json_end(&page->json, ']');
	json_begin(&page->json, "files", '[');
	for (size_t i = 0; i < profile->nr_files; i++)
		json_text(&page->json, NULL, profile->files[i]);
	json_end(&page->json, ']');
	json_begin(&page->json, "placesText", '[');
	for (size_t i = 0; i < page->nr_places; i++) {
		char text[512];

		(void)snprintf(text, sizeof(text), "%s:%" PRIu32,
			       short_name(profile->files[page->places[i].file]),
			       page->places[i].line);
		json_text(&page->json, NULL, text);
	}
	json_end(&page->json, ']');
}

static void write_symbols(struct page *page)
{
	json_begin(&page->json, "names", '[');
	for (size_t i = 0; i < page->symbols.nr_symbols; i++)
		json_text(&page->json, NULL, page->symbols.symbols[i].shown);
	json_end(&page->json, ']');
	json_begin(&page->json, "addresses", '[');
	for (size_t i = 0; i < page->symbols.nr_symbols; i++)
		json_hex(&page->json, NULL, row_of_symbol(page, i)->address);
	json_end(&page->json, ']');
}

/*
 * Writes the stretches in ms. A comparison (two sides) has no stretches, because each side is shown
 * as a whole.
 */
static void write_stretches(struct page *page)
{
	const struct profile_time *time = page->profile->time;

	json_begin(&page->json, "stretches", '[');
	for (size_t i = 0; time && i < time->nr_stretches; i++) {
		json_begin(&page->json, NULL, '[');
		json_signed(&page->json, NULL, time->stretches[i].begin_ns / 1000000);
		json_signed(&page->json, NULL, time->stretches[i].end_ns / 1000000);
		json_end(&page->json, ']');
	}
	json_end(&page->json, ']');
}

static int write_meta(struct page *page)
{
	const struct page_options *options = page->options;
	struct json_writer *json = &page->json;
	int error = 0;

	json_begin(json, NULL, '{');
	json_number(json, "version", 1);
	json_number(json, "sides", page->profile->selection->nr_sides);
	write_title(page);
	write_facts(page);
	write_notes(page);
	write_classes(page);
	write_images(page);
	write_stretches(page);
	write_symbols(page);
	write_places(page);
	if (options->code)
		page_code_write(options->code, &page->symbols, json, "code");
	if (options->calls)
		error = page_tree_write(json, options->calls, options->demangle);
	page_data_directory(&page->data, json, "arrays");
	json_end(json, '}');
	return error;
}

/* Adds the file and line numbers of places. */
static void add_places(struct page *page)
{
	page_data_begin(&page->data, "placeFile");
	for (size_t i = 0; i < page->nr_places; i++)
		page_data_add(&page->data, page->places[i].file);
	page_data_begin(&page->data, "placeLine");
	for (size_t i = 0; i < page->nr_places; i++)
		page_data_add(&page->data, page->places[i].line);
}

static int make_data(struct page *page)
{
	int error;

	if (page->places)
		add_places(page);
	add_rows(page);
	add_symbols(page);
	add_keys(page);
	error = add_time(page);
	if (!error && page->options->calls)
		error = page_tree_add(&page->data, page->options->calls);
	return error ? error : page->data.error;
}

static int write_page(struct page *page, FILE *out)
{
	const char *meta = strstr(page_template, PAGE_TEMPLATE_META);
	const char *data = strstr(meta, PAGE_TEMPLATE_DATA);
	int error;

	(void)fwrite(page_template, 1, (size_t)(meta - page_template), out);
	json_writer_init(&page->json, out, 0);
	page->json.masks = true;
	error = write_meta(page);
	meta += strlen(PAGE_TEMPLATE_META);
	(void)fwrite(meta, 1, (size_t)(data - meta), out);
	page_data_base64(&page->data, out);
	(void)fputs(data + strlen(PAGE_TEMPLATE_DATA), out);
	return error;
}

int page_format(FILE *out, const struct profile *profile, const struct page_options *options)
{
	struct page *page = calloc(1, sizeof(*page));
	int error;

	if (!page)
		return -ENOMEM;
	page->profile = profile;
	page->options = options;
	error = row_groups_init(&page->groups, profile);
	if (!error)
		error = row_symbols_init(&page->symbols, profile, options->demangle);
	if (!error)
		error = collect_places(page);
	if (!error)
		error = make_data(page);
	if (!error)
		error = write_page(page, out);
	page_data_deinit(&page->data);
	free(page->places);
	row_symbols_deinit(&page->symbols);
	row_groups_deinit(&page->groups);
	free(page);
	return error;
}
