// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/flat_lines.h"
#include "lib/utf8.h"
#include "pp/format/format_columns.h"
#include "pp/format/format_text.h"

#include <inttypes.h>
#include <string.h>

#define PERCENT_WIDTH	 7
#define DIFFERENCE_WIDTH 9

struct flat {
	const struct profile *profile;
	const struct text_options *options;
	struct flat_lines lines;
	/* Totals to which the percentages of the current lines refer. */
	const uint64_t *of_counts, *of_shares;
};

/* Returns the width of a class's columns: number, percentage, requested extras, separators. */
static int head_width(const struct flat *flat, size_t class)
{
	int width = column_number_width(flat->profile, class) + 1 + PERCENT_WIDTH;

	if (flat->options->show_error)
		width += 1 + PERCENT_WIDTH;
	if (flat->profile->nr_columns > flat->profile->nr_classes)
		width += 1 + DIFFERENCE_WIDTH;
	return width;
}

/* Names of control groups differ at their ends, so the beginning is cut. */
static void write_head(FILE *out, const char *name, enum class_axis axis, int width)
{
	const int length = (int)strlen(name);
	char text[4096]; /* for any width */

	if (length <= width)
		(void)snprintf(text, sizeof(text), "%*s|", width, name);
	else if (axis == AXIS_CGROUP)
		(void)snprintf(text, sizeof(text), "...%s|", name + length - (width - 3));
	else
		(void)snprintf(text, sizeof(text), "%.*s...|", width - 3, name);
	utf8_write_masked(out, text);
}

static void write_columns(const struct flat *flat, FILE *out, size_t class)
{
	(void)fprintf(out, "%*s|%*s|", column_number_width(flat->profile, class),
		      column_number_head(flat->profile, class), PERCENT_WIDTH, "%");
	if (flat->options->show_error)
		(void)fprintf(out, "%*s|", PERCENT_WIDTH, "+- %");
	if (flat->profile->nr_columns > flat->profile->nr_classes)
		(void)fprintf(out, "%*s|", DIFFERENCE_WIDTH, "diff %");
}

static void write_heads(const struct flat *flat, FILE *out, const char *indent)
{
	const struct classes *classes = &flat->profile->selection->classes;

	if (!flat->options->header)
		return;
	(void)fputs(indent, out);
	for (size_t i = 0; i < classes->nr_classes; i++)
		write_head(out, classes->classes[i].name, classes->axis, head_width(flat, i));
	(void)fprintf(out, "\n%s", indent);
	for (size_t i = 0; i < classes->nr_classes; i++)
		write_columns(flat, out, i);
	(void)fprintf(out, "\n%s", indent);
	for (size_t i = 0; i < classes->nr_classes; i++)
		for (int j = 0; j <= head_width(flat, i); j++)
			(void)fputc('-', out);
	(void)fputc('\n', out);
}

static void write_cell(const struct flat *flat, FILE *out, const struct flat_line *line,
		       size_t class)
{
	struct column_cell cell;
	char percent[TEXT_PERCENT_BYTES];

	column_cell_make(&cell, flat->profile, class, line->counts, line->shares, flat->of_counts,
			 flat->of_shares);
	text_format_percent(cell.percent, percent);
	(void)fprintf(out, "%*" PRIu64 " %s ", column_number_width(flat->profile, class),
		      cell.number, percent);
	if (flat->options->show_error) {
		text_format_percent(column_error(flat->profile, class, line->counts, line->shares,
						 flat->of_counts, flat->of_shares),
				    percent);
		(void)fprintf(out, "%s ", percent);
	}
	if (*cell.difference)
		(void)fprintf(out, "%*s ", DIFFERENCE_WIDTH, cell.difference);
}

static void write_line(const struct flat *flat, FILE *out, const struct flat_line *line)
{
	for (size_t i = 0; i < flat->profile->nr_classes; i++)
		write_cell(flat, out, line, i);
	utf8_write_masked(out, flat_line_name(&flat->lines, line));
	(void)fputc('\n', out);
}

/* Writes an application and its images. */
static void write_app(struct flat *flat, FILE *out, const struct flat_line *app)
{
	struct flat context = *flat;
	const struct flat_line *images;
	size_t nr_images;

	if (!flat->options->global_percent) {
		context.of_counts = app->counts;
		context.of_shares = app->shares;
	}
	images = flat_lines_images(&flat->lines, app, context.of_shares, &nr_images);
	if (!nr_images)
		return; /* all sample files of the application were damaged */
	write_line(flat, out, app);
	if (!flat_lines_shows_images(&flat->lines, app, images, nr_images))
		return;
	write_heads(flat, out, "\t");
	for (size_t i = 0; i < nr_images; i++) {
		(void)fputc('\t', out);
		write_line(&context, out, &images[i]);
	}
}

int text_format_flat(FILE *out, const struct profile *profile, const struct text_options *options)
{
	struct flat flat = {.profile = profile,
			    .options = options,
			    .of_counts = profile->totals,
			    .of_shares = profile->share_totals};
	int error = flat_lines_init(&flat.lines, profile, options);

	if (error)
		return error;
	write_heads(&flat, out, "");
	for (size_t i = 0; i < flat.lines.nr_apps; i++)
		if (column_is_shown(profile, flat.lines.apps[i].shares, options))
			write_app(&flat, out, &flat.lines.apps[i]);
	flat_lines_deinit(&flat.lines);
	return 0;
}
