// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/annotated_text.h"

#include "lib/saturate.h"
#include "lib/utf8.h"
#include "pp/format/format_rows.h"
#include "pp/format/format_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CELL_WIDTH 15
#define NR_KNOWN   1024u /* must be a power of two */

struct annotated_cell {
	uint64_t number, share;
	size_t column;
	uint32_t nr_bytes; /* 0: empty */
	char text[20 + TEXT_PERCENT_BYTES];
};

/* ---- columns ---- */

int annotated_cells_init(struct annotated_cells *cells, const struct profile *profile)
{
	size_t nr = profile->nr_columns * CELL_WIDTH;

	*cells = (struct annotated_cells){.profile = profile, .nr_blank = nr};
	cells->known = calloc(NR_KNOWN, sizeof(*cells->known));
	cells->blank = malloc(nr + 1);
	if (!cells->known || !cells->blank) {
		annotated_cells_deinit(cells);
		return -ENOMEM;
	}
	memset(cells->blank, ' ', nr);
	return 0;
}

void annotated_cells_deinit(struct annotated_cells *cells)
{
	free(cells->known);
	free(cells->blank);
	*cells = (struct annotated_cells){0};
}

void annotated_cells_blank(const struct annotated_cells *cells, FILE *out)
{
	(void)fwrite_unlocked(cells->blank, 1, cells->nr_blank, out);
}

static bool is_time(const struct profile *profile, size_t column)
{
	const struct classes *classes = &profile->selection->classes;

	return classes->classes[column % profile->nr_classes].measure == MEASURE_TIME;
}

static void make_cell(struct annotated_cell *cell, const struct profile *profile, size_t column,
		      uint64_t number, uint64_t share)
{
	char percent[TEXT_PERCENT_BYTES];

	text_format_percent(percent_of(share, profile->share_totals[column]), percent);
	*cell = (struct annotated_cell){.number = number, .share = share, .column = column};
	cell->nr_bytes = (uint32_t)snprintf(cell->text, sizeof(cell->text), "%6" PRIu64 " %7s ",
					    number, percent);
}

void annotated_cells_write(struct annotated_cells *cells, FILE *out, const uint64_t *counts,
			   const uint64_t *shares)
{
	for (size_t i = 0; i < cells->profile->nr_columns; i++) {
		uint64_t number = is_time(cells->profile, i) ? shares[i] : counts[i];
		size_t at = (number ^ (shares[i] << 4) ^ i * 97) & (NR_KNOWN - 1);
		struct annotated_cell *cell = &cells->known[at];

		if (!cell->nr_bytes || cell->number != number || cell->share != shares[i] ||
		    cell->column != i)
			make_cell(cell, cells->profile, i, number, shares[i]);
		(void)fwrite_unlocked(cell->text, 1, cell->nr_bytes, out);
	}
}

/* ---- comments ---- */

void annotated_comment_write(FILE *out, const char *text)
{
	while (*text) {
		bool masked;
		size_t nr_bytes = utf8_next(text, &masked);

		if (masked)
			(void)fputc('?', out);
		else if (text[0] == '*' && text[1] == '/')
			(void)fputs("*|", out);
		else
			(void)fwrite(text, 1, nr_bytes, out);
		text += text[0] == '*' && text[1] == '/' ? 2 : nr_bytes;
	}
}

void annotated_name_write(FILE *out, const char *name, enum demangle_mode mode)
{
	char *shown = name ? symbol_demangle(name, mode) : NULL;

	if (!name)
		name = "(no symbols)";
	annotated_comment_write(out, shown ? shown : name);
	free(shown);
}

static const char *meaning_of(const struct annotated_options *options)
{
	if (!options->assembly)
		return "source files, each line with its samples; samples of inlined code are "
		       "counted at the line from which the code was compiled";
	return options->source ? "instructions with their samples below the source lines that "
				 "they came from"
			       : "instructions with their samples";
}

static void write_lists(FILE *out, const struct annotated_options *options)
{
	const struct spec_list *includes[] = {options->include_files, &options->profile->include};
	const struct spec_list *excludes[] = {options->exclude_files, &options->profile->exclude};
	static const char *const things[] = {"source files", "symbols"};

	for (size_t i = 0; i < 2; i++) {
		if (includes[i]->nr_patterns)
			(void)fprintf(out, " * Only the requested %s\n", things[i]);
		if (excludes[i]->nr_patterns)
			(void)fprintf(out, " * Without the excluded %s\n", things[i]);
	}
	if (options->threshold > 0)
		(void)fprintf(out, " * Only %s with at least %g %% of the samples\n",
			      options->assembly ? "symbols" : "source files", options->threshold);
}

/* Writes each line of the report header as a line of the comment. */
static int write_events(FILE *out, const struct profile *profile, const struct event_table *events)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *lines = open_memstream(&text, &nr_bytes);
	char *next;

	if (!lines)
		return -ENOMEM;
	text_format_header(lines, profile, events);
	if (fclose(lines)) {
		free(text);
		return -ENOMEM;
	}
	next = text;
	for (char *line; (line = strtok_r(next, "\n", &next));) {
		(void)fputs(" * ", out);
		annotated_comment_write(out, line);
		(void)fputc('\n', out);
	}
	free(text);
	return 0;
}

int annotated_head_write(FILE *out, const struct annotation *annotation,
			 const struct annotated_options *options)
{
	int error;

	(void)fputs("/*\n * Command line: ", out);
	annotated_comment_write(out, options->command_line);
	(void)fprintf(out, "\n *\n * Shown: %s\n", meaning_of(options));
	write_lists(out, options);
	(void)fputs(" * Columns: samples, percentage of all samples\n *\n", out);
	error = write_events(out, annotation->profile, options->events);
	(void)fputs(" */\n\n", out);
	return error;
}

/* ---- sorting and sums ---- */

struct ordering {
	const struct profile *profile;
	const struct annotation_sums *sums;
};

static int compare(const void *a, const void *b, void *context)
{
	const struct ordering *ordering = context;
	const struct profile *profile = ordering->profile;
	size_t left = *(const size_t *)a, right = *(const size_t *)b;
	int order = compare_sides(ordering->sums->shares + left * profile->nr_columns,
				  ordering->sums->shares + right * profile->nr_columns,
				  profile->nr_classes, profile->nr_columns);

	return order ? order : (left < right ? -1 : left > right);
}

size_t *annotated_order(const struct profile *profile, const struct annotation_sums *sums,
			size_t first, size_t nr)
{
	struct ordering ordering = {.profile = profile, .sums = sums};
	size_t *order = malloc((nr + 1) * sizeof(*order));

	if (!order)
		return NULL;
	for (size_t i = 0; i < nr; i++)
		order[i] = first + i;
	qsort_r(order, nr, sizeof(*order), compare, &ordering);
	return order;
}

uint64_t annotated_sum(const struct profile *profile, const uint64_t *counts)
{
	return saturate_total(counts, profile->nr_columns);
}

void annotated_samples_write(FILE *err, const struct profile *profile, uint64_t nr_samples)
{
	(void)fprintf(err, "%" PRIu64 " samples (%.2f %%)", nr_samples,
		      percent_of(nr_samples, profile->nr_samples));
}
