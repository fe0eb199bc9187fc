// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/top/top_rows.h"

#include "lib/array.h"
#include "lib/cgroup_name.h"
#include "lib/file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES     4352 /* buffer for a path and some more text */
#define NAMES_READ_MAX 2000 /* how many names of tasks one refresh reads from /proc at most */
#define CGROUP_UNKNOWN "(not known)"
#define SYMBOL_NONE    "(no symbol)"
#define SYMBOL_LOADING "(loading symbols)"

struct row_making {
	struct top_rows *rows;
	const struct top_samples *samples;
	const struct top_choice *choice;
	struct top_symbols *symbols;
	size_t room;
	size_t nr_names; /* read from /proc */
};

/* ---- sums ---- */

/* The row's strings must be from the pool, where equal strings have equal pointers. */
static int add_row(struct row_making *making, const struct top_row *row)
{
	struct top_rows *rows = making->rows;

	if (array_reserve(&rows->rows, &making->room, rows->nr_rows, 1))
		return -ENOMEM;
	rows->rows[rows->nr_rows++] = *row;
	return 0;
}

static int add(struct row_making *making, const char *name, const char *detail,
	       const struct top_row *sum)
{
	struct top_row row = *sum;

	row.name = strings_keep(&making->rows->strings, name);
	row.detail = strings_keep(&making->rows->strings, detail);
	if (!row.name || !row.detail)
		return -ENOMEM;
	return add_row(making, &row);
}

static int compare_names(const void *a, const void *b)
{
	const struct top_row *left = a;
	const struct top_row *right = b;

	if (left->name != right->name)
		return left->name < right->name ? -1 : 1;
	return left->detail < right->detail ? -1 : left->detail > right->detail;
}

static void merge_rows(struct top_rows *rows)
{
	size_t nr = 0;

	if (rows->nr_rows)
		qsort(rows->rows, rows->nr_rows, sizeof(*rows->rows), compare_names);
	for (size_t i = 0; i < rows->nr_rows; i++) {
		struct top_row *row = &rows->rows[i];

		if (!nr || compare_names(&rows->rows[nr - 1], row) != 0) {
			rows->rows[nr++] = *row;
			continue;
		}
		rows->rows[nr - 1].nr_samples += row->nr_samples;
		rows->rows[nr - 1].nr_idle += row->nr_idle;
		rows->rows[nr - 1].weight += row->weight;
	}
	rows->nr_rows = nr;
}

/* ---- names ---- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Returns the name of a thread; NULL: the thread ended, or too many names were read. */
static char *read_comm(struct row_making *making, int64_t tgid, int64_t tid)
{
	char path[64];
	char *text;

	if (tid <= 0 || making->nr_names++ >= NAMES_READ_MAX)
		return NULL;
	(void)snprintf(path, sizeof(path), "/proc/%" PRId64 "/task/%" PRId64 "/comm", tgid, tid);
	if (file_read_text(path, 64, &text, NULL))
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static int add_task(struct row_making *making, const struct slice_section *section,
		    const struct top_row *sum)
{
	bool thread = making->choice->view == TOP_THREADS;
	const char *program = last_part(section->app.path);
	char *comm = read_comm(making, section->tgid, thread ? section->tid : section->tgid);
	char text[TEXT_BYTES];

	if (thread)
		(void)snprintf(text, sizeof(text), "%" PRId64 ".%" PRId64 " %s", section->tgid,
			       section->tid, comm ? comm : program);
	else
		(void)snprintf(text, sizeof(text), "%" PRId64 " %s", section->tgid,
			       comm ? comm : program);
	free(comm);
	return add(making, text, program, sum);
}

static int add_cpu(struct row_making *making, const struct slice_section *section,
		   const struct top_row *sum)
{
	char text[32];

	if (section->cpu < 0)
		return 0;
	(void)snprintf(text, sizeof(text), "CPU %" PRId64, section->cpu);
	return add(making, text, "", sum);
}

/*
 * Adds a cgroup's row. Several cgroups may have the same name, so the path is also shown if it
 * differs from the name.
 */
static int add_cgroup(struct row_making *making, const struct slice_section *section,
		      const struct top_row *sum)
{
	const char *path = section->cgroup ? section->cgroup : CGROUP_UNKNOWN;
	struct cgroup_name name;

	cgroup_name_parse(path, &name);
	return add(making, name.text, strcmp(name.text, path) ? path : "", sum);
}

/*
 * Adds an image's row. Memory regions without a file may have equal names, so process and address
 * are added.
 */
static int add_image(struct row_making *making, const struct slice_section *section,
		     const struct top_row *sum)
{
	char text[TEXT_BYTES];

	if (section->image.kind != SAMPLE_PATH_ANON)
		return add(making, section->image.path, "", sum);
	(void)snprintf(text, sizeof(text), "%s of %" PRId64 " at 0x%" PRIx64, section->image.path,
		       section->image.tgid, section->image.start);
	return add(making, text, "", sum);
}

/* ---- symbols ---- */

static int add_symbol(struct row_making *making, const char *name, const char *image,
		      const struct top_row *sum)
{
	char *shown = symbol_demangle(name, DEMANGLE_NORMAL);
	int error = shown ? add(making, shown, image, sum) : -ENOMEM;

	free(shown);
	return error;
}

/* Returns the symbol that contains key, or NULL. */
static const struct symbol *find_symbol(const struct symbol_table *table, uint64_t key)
{
	size_t low = 0;
	size_t high = table->nr_symbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols[middle].start <= key)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || key - table->symbols[low - 1].start >= table->symbols[low - 1].nr_bytes)
		return NULL;
	return &table->symbols[low - 1];
}

/*
 * Adds a row for each symbol with samples. Keys ascend, so the keys of one symbol are adjacent. All
 * keys outside symbols become one row.
 */
static int add_symbols(struct row_making *making, const struct top_section *section,
		       const struct symbol_table *table)
{
	bool off_cpu = section->section->image_kind == OPROF_IMAGE_OFF_CPU;
	/*
	 * For off-CPU samples, the symbol only says why the thread did not run. Show the program
	 * instead of the image.
	 */
	const char *image =
		last_part(off_cpu ? section->section->app.path : section->section->image.path);
	const struct symbol *symbol = NULL;
	struct top_row none = {0};
	struct top_row sum = {0};
	int error = 0;

	for (size_t i = 0; i < section->section->nr_keys && !error; i++) {
		const struct sdb_entry *entry = &section->entries[i];
		const struct symbol *found = find_symbol(table, entry->key);
		struct top_row *row = found ? &sum : &none;

		if (found && symbol && found != symbol) {
			error = add_symbol(making, symbol->name, image, &sum);
			sum = (struct top_row){0};
		}
		if (found)
			symbol = found;
		row->nr_samples += entry->nr_samples;
		row->weight += entry->weight;
	}
	if (!error && symbol)
		error = add_symbol(making, symbol->name, image, &sum);
	if (error || !none.nr_samples)
		return error;
	top_symbols_missed(making->symbols, section->section);
	return add(making, SYMBOL_NONE, image, &none);
}

static int add_symbol_section(struct row_making *making, const struct top_section *section,
			      const struct top_row *sum)
{
	const struct symbol_table *table = top_symbols_find(making->symbols, section->section);

	if (table)
		return add_symbols(making, section, table);
	making->rows->nr_loading++;
	return add(making, SYMBOL_LOADING, last_part(section->section->image.path), sum);
}

/* ---- views ---- */

static int add_section(struct row_making *making, const struct top_section *top)
{
	const struct slice_section *section = top->section;
	const struct top_row sum = {
		.nr_samples = top->idle ? 0 : section->nr_samples,
		.nr_idle = top->idle ? section->nr_samples : 0,
		.weight = top->idle ? 0 : section->weight,
	};

	if (making->choice->view == TOP_CPUS)
		return add_cpu(making, section, &sum);
	if (top->idle)
		return 0;
	switch (making->choice->view) {
	case TOP_SYMBOLS:
		return add_symbol_section(making, top, &sum);
	case TOP_IMAGES:
		return add_image(making, section, &sum);
	case TOP_PROCESSES:
	case TOP_THREADS:
		return add_task(making, section, &sum);
	case TOP_CGROUPS:
		return add_cgroup(making, section, &sum);
	case TOP_PROGRAMS:
	case TOP_CPUS:
	case TOP_NR_VIEWS:
		break;
	}
	return add(making, section->app.path, "", &sum);
}

/*
 * Sets a row's share and its error: twice the standard error of independent samples, sqrt(p (1 - p)
 * / n).
 */
static void set_share(struct top_row *row, const struct top_event *event)
{
	double share = event->weight ? (double)row->weight / (double)event->weight : 0;

	row->share = share * 100;
	row->exact = event->exact;
	if (event->nr_samples && share < 1 && !event->exact)
		row->error = 200 * sqrt(share * (1 - share) / (double)event->nr_samples);
}

static void set_shares(struct top_rows *rows, const struct top_event *event)
{
	for (size_t i = 0; i < rows->nr_rows; i++)
		set_share(&rows->rows[i], event);
}

static int compare_shares(const void *a, const void *b)
{
	const struct top_row *left = a;
	const struct top_row *right = b;
	int order;

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	order = strcmp(left->name, right->name);
	return order ? order : strcmp(left->detail, right->detail);
}

static void filter_rows(struct top_rows *rows, const char *filter)
{
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr_rows && *filter; i++) {
		const struct top_row *row = &rows->rows[i];

		if (strcasestr(row->name, filter) || strcasestr(row->detail, filter))
			rows->rows[nr++] = *row;
	}
	if (!*filter)
		return;
	rows->nr_hidden = rows->nr_rows - nr;
	rows->nr_rows = nr;
}

int top_rows_make(struct top_rows *rows, const struct top_samples *samples,
		  const struct top_choice *choice, struct top_symbols *symbols)
{
	struct row_making making = {
		.rows = rows, .samples = samples, .choice = choice, .symbols = symbols};
	int error = 0;

	*rows = (struct top_rows){0};
	for (size_t i = 0; i < samples->nr_sections && !error; i++)
		if (samples->sections[i].event == choice->event)
			error = add_section(&making, &samples->sections[i]);
	if (error) {
		top_rows_deinit(rows);
		return error;
	}
	merge_rows(rows);
	if (choice->event < samples->nr_events)
		set_shares(rows, &samples->events[choice->event]);
	filter_rows(rows, choice->filter);
	if (rows->nr_rows)
		qsort(rows->rows, rows->nr_rows, sizeof(*rows->rows), compare_shares);
	return 0;
}

void top_rows_deinit(struct top_rows *rows)
{
	free(rows->rows);
	strings_deinit(&rows->strings);
	*rows = (struct top_rows){0};
}
