// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/saturate.h"
#include "pp/calls/call_names.h"
#include "pp/format/format_calls.h"
#include "pp/format/format_rows.h"
#include "pp/profile/symbol_choice.h"
#include "pp/format/terminal_table.h"
#include "pp/format/text_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define NR_DASHES    79
#define INDENT	     "  "
#define INDENT_CELLS 2
#define NAME_BYTES   8192 /* buffer for a name on a terminal; longer names are cut */

struct callgraph {
	const struct call_graph *graph;
	const struct call_tree *tree;
	const struct profile *profile;
	const struct text_options *options;
	struct call_names names;
	uint32_t *functions; /* sorted functions that have a block of lines */
	size_t nr_functions;
	/*
	 * the totals to which the percentages of the current lines refer; each array has nr_columns
	 * elements
	 */
	uint64_t *sum, *share_sum;
	bool vma64, image_column;
	struct text_line line;
	/* for the terminal layout; NULL: the layout is for scripts */
	const struct display *display;
	struct table table; /* for the terminal layout */
	bool measuring;	    /* lines are only measured for the table, not written */
	size_t nr_hidden;   /* number of functions that the threshold hides; they have no block */
};

/* The data of one line. */
struct call_line {
	uint32_t function;
	const uint64_t *counts, *shares, *of_counts, *of_shares;
	/* `indent` is written before the line, `behind` after the name */
	const char *indent, *behind;
	/* written before the name of a caller or callee, on a terminal only */
	const char *arrow;
};

/* ---- choice and order of functions ---- */

/* Returns whether a line has samples. shares: the line's nr_columns shares. */
static bool has_samples(const struct call_tree *tree, const uint64_t *shares)
{
	for (size_t i = 0; i < tree->nr_columns; i++)
		if (shares[i])
			return true;
	return false;
}

static bool passes(const struct callgraph *callgraph, const uint64_t *shares)
{
	const struct text_options *options = callgraph->options;
	const struct call_tree *tree = callgraph->tree;
	bool enough = false;

	for (size_t i = 0; i < tree->nr_columns; i++)
		enough |= (options->any_class || i % callgraph->profile->nr_classes == 0) &&
			  percent_of(shares[i], tree->share_totals[i]) >= options->threshold;
	return enough && has_samples(tree, shares);
}

static bool is_asked(const struct callgraph *callgraph, uint32_t function,
		     const struct calls_options *options)
{
	static const struct spec_list none;
	const char *name = callgraph->tree->functions[function].name;

	return !symbol_is_left_out(options->include ? options->include : &none,
				   options->exclude ? options->exclude : &none, name ? name : "",
				   callgraph->options->demangle);
}

static int choose_functions(struct callgraph *callgraph, const struct calls_options *options)
{
	const struct call_tree *tree = callgraph->tree;
	uint32_t first_image = CALL_IMAGE_NONE;

	callgraph->functions = calloc(tree->nr_functions + 1, sizeof(*callgraph->functions));
	callgraph->sum = calloc(tree->nr_columns + 1, sizeof(*callgraph->sum));
	callgraph->share_sum = calloc(tree->nr_columns + 1, sizeof(*callgraph->sum));
	if (!callgraph->functions || !callgraph->sum || !callgraph->share_sum)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->nr_functions; i++) {
		const uint64_t *shares = callgraph->graph->below_shares + i * tree->nr_columns;
		const struct call_function *function = &tree->functions[i];

		callgraph->vma64 |= function->address > UINT32_MAX;
		if (first_image == CALL_IMAGE_NONE)
			first_image = function->image;
		else
			callgraph->image_column |= function->image != first_image &&
						   function->image != CALL_IMAGE_NONE;
		if (!is_asked(callgraph, i, options))
			continue;
		if (passes(callgraph, shares))
			callgraph->functions[callgraph->nr_functions++] = i;
		else
			callgraph->nr_hidden += has_samples(tree, shares);
	}
	return 0;
}

static int compare_by(const struct callgraph *callgraph, enum text_sort sort, uint32_t a,
		      uint32_t b)
{
	const struct call_tree *tree = callgraph->tree;
	const struct call_graph *graph = callgraph->graph;
	size_t nr = tree->nr_columns;
	size_t nr_classes = callgraph->profile->nr_classes;
	uint64_t left = tree->functions[a].address;
	uint64_t right = tree->functions[b].address;
	int order = 0;

	switch (sort) {
	case TEXT_SORT_IMAGE:
		return strcmp(call_image_path(tree, a), call_image_path(tree, b));
	case TEXT_SORT_SYMBOL:
		return strcmp(callgraph->names.names[a], callgraph->names.names[b]);
	case TEXT_SORT_VMA:
		return left < right ? -1 : left > right;
	case TEXT_SORT_APP: /* all equal: a function has the sum over all applications */
		return 0;
	default:
		order = compare_sides(graph->self_shares + a * nr, graph->self_shares + b * nr,
				      nr_classes, nr);
		return order ? order
			     : compare_sides(graph->below_shares + a * nr,
					     graph->below_shares + b * nr, nr_classes, nr);
	}
}

/* Compares by the requested sort keys, then by other keys to make the order reproducible. */
static int compare_functions(const void *a, const void *b, void *context)
{
	static const enum text_sort rest[] = {TEXT_SORT_SAMPLE, TEXT_SORT_IMAGE, TEXT_SORT_SYMBOL,
					      TEXT_SORT_VMA};
	const struct callgraph *callgraph = context;
	const struct text_options *options = callgraph->options;
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	size_t nr = callgraph->tree->nr_columns;
	int order = 0;

	if (!options->nr_sort)
		order = column_compare_changes(
			callgraph->profile, callgraph->graph->self_shares + left * nr,
			callgraph->graph->self_shares + right * nr, callgraph->tree->share_totals);
	for (size_t i = 0; i < options->nr_sort && !order; i++)
		order = compare_by(callgraph, options->sort[i], left, right);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]) && !order; i++)
		order = compare_by(callgraph, rest[i], left, right);
	if (!order)
		order = left < right ? -1 : left > right;
	return options->reverse ? -order : order;
}

/* ---- lines ---- */

static bool has_sides(const struct callgraph *callgraph)
{
	return callgraph->profile->nr_columns > callgraph->profile->nr_classes;
}

static size_t vma_width(const struct callgraph *callgraph)
{
	return callgraph->vma64 ? TEXT_WIDTH_VMA64 : TEXT_WIDTH_VMA32;
}

static void write_heads(struct callgraph *callgraph)
{
	const struct profile *profile = callgraph->profile;
	struct text_line *line = &callgraph->line;

	if (!callgraph->options->header)
		return;
	if (callgraph->options->show_vma)
		text_line_field(line, vma_width(callgraph), "vma");
	for (size_t i = 0; i < profile->nr_classes; i++) {
		text_line_field(line, text_line_number_width(profile, i),
				column_number_head(profile, i));
		text_line_field(line, TEXT_WIDTH_PERCENT, "%");
		if (callgraph->options->show_error)
			text_line_field(line, TEXT_WIDTH_PERCENT, "+- %");
		if (has_sides(callgraph))
			text_line_field(line, TEXT_WIDTH_DIFFERENCE, "diff %");
	}
	if (callgraph->image_column)
		text_line_field(line, TEXT_WIDTH_IMAGE, "image name");
	text_line_field(line, TEXT_WIDTH_SYMBOL, "symbol name");
	text_line_end(line);
}

static void write_class(struct callgraph *callgraph, const struct call_line *what, size_t class)
{
	const struct profile *profile = callgraph->profile;
	struct text_line *line = &callgraph->line;
	struct column_cell cell;

	column_cell_make(&cell, profile, class, what->counts, what->shares, what->of_counts,
			 what->of_shares);
	text_line_number(line, text_line_number_width(profile, class), cell.number);
	text_line_percent(line, cell.percent);
	if (callgraph->options->show_error)
		text_line_percent(line, column_error(profile, class, what->counts, what->shares,
						     what->of_counts, what->of_shares));
	if (has_sides(callgraph))
		text_line_field(line, TEXT_WIDTH_DIFFERENCE, cell.difference);
}

static void write_name(struct callgraph *callgraph, const struct call_line *what)
{
	const char *path = call_image_path(callgraph->tree, what->function);
	const char *name = callgraph->names.names[what->function];
	FILE *out = callgraph->line.out;

	if (callgraph->image_column)
		text_line_field(&callgraph->line, TEXT_WIDTH_IMAGE,
				callgraph->options->long_names ? path : short_name(path));
	text_line_field(&callgraph->line, 0, name);
	(void)fputs(what->behind, out);
	text_line_end(&callgraph->line);
}

static void table_line(struct callgraph *callgraph, const struct call_line *what)
{
	const char *path = call_image_path(callgraph->tree, what->function);
	struct table_row row = {.counts = what->counts,
				.shares = what->shares,
				.indent = *what->indent ? INDENT_CELLS : 0,
				.faint = *what->indent,
				.plain = *what->indent};
	char name[NAME_BYTES];
	char address[24];

	(void)snprintf(name, sizeof(name), "%s%s", what->arrow,
		       callgraph->names.names[what->function]);
	row.names[TABLE_SYMBOL] = name;
	if (callgraph->image_column)
		row.names[TABLE_IMAGE] = callgraph->options->long_names ? path : short_name(path);
	if (callgraph->options->show_vma) {
		(void)snprintf(address, sizeof(address), "%0*" PRIx64, callgraph->vma64 ? 16 : 8,
			       callgraph->tree->functions[what->function].address);
		row.names[TABLE_ADDRESS] = address;
	}
	if (callgraph->measuring)
		table_measure(&callgraph->table, &row);
	else
		table_write_row(&callgraph->table, callgraph->line.out, &row);
}

static void write_line(struct callgraph *callgraph, const struct call_line *what)
{
	const struct call_function *function = &callgraph->tree->functions[what->function];
	char vma[24];

	if (callgraph->display) {
		table_line(callgraph, what);
		return;
	}
	(void)fputs(what->indent, callgraph->line.out);
	if (callgraph->options->show_vma) {
		(void)snprintf(vma, sizeof(vma), "%0*" PRIx64, callgraph->vma64 ? 16 : 8,
			       function->address);
		text_line_field(&callgraph->line, vma_width(callgraph), vma);
	}
	for (size_t i = 0; i < callgraph->profile->nr_classes; i++)
		write_class(callgraph, what, i);
	write_name(callgraph, what);
}

static void write_dashes(struct callgraph *callgraph)
{
	for (int i = 0; i < NR_DASHES; i++)
		(void)putc_unlocked('-', callgraph->line.out);
	(void)putc_unlocked('\n', callgraph->line.out);
}

/* ---- blocks ---- */

static void add_to_sum(struct callgraph *callgraph, const uint64_t *counts, const uint64_t *shares)
{
	saturate_add_each(callgraph->sum, counts, callgraph->tree->nr_columns);
	saturate_add_each(callgraph->share_sum, shares, callgraph->tree->nr_columns);
}

static void begin_sum(struct callgraph *callgraph)
{
	size_t nr_bytes = callgraph->tree->nr_columns * sizeof(*callgraph->sum);

	memset(callgraph->sum, 0, nr_bytes);
	memset(callgraph->share_sum, 0, nr_bytes);
}

static void sum_arcs(struct callgraph *callgraph, const uint32_t *arcs, size_t nr)
{
	const struct call_graph *graph = callgraph->graph;
	size_t nr_columns = callgraph->tree->nr_columns;

	for (size_t i = 0; i < nr; i++)
		add_to_sum(callgraph, graph->arc_counts + arcs[i] * nr_columns,
			   graph->arc_shares + arcs[i] * nr_columns);
}

/* Returns the totals to which the percentages of callers and callees refer. */
static const uint64_t *line_whole(const struct callgraph *callgraph)
{
	return callgraph->options->global_percent ? callgraph->tree->totals : callgraph->sum;
}

static const uint64_t *line_share_whole(const struct callgraph *callgraph)
{
	return callgraph->options->global_percent ? callgraph->tree->share_totals
						  : callgraph->share_sum;
}

static void write_arc(struct callgraph *callgraph, uint32_t arc, uint32_t function,
		      const char *arrow)
{
	const struct call_graph *graph = callgraph->graph;
	size_t nr_columns = callgraph->tree->nr_columns;
	const struct call_line line = {
		.function = function,
		.counts = graph->arc_counts + arc * nr_columns,
		.shares = graph->arc_shares + arc * nr_columns,
		.of_counts = line_whole(callgraph),
		.of_shares = line_share_whole(callgraph),
		.indent = INDENT,
		.behind = "",
		.arrow = arrow,
	};

	if (passes(callgraph, line.shares))
		write_line(callgraph, &line);
}

/* Writes the smallest arcs first, so that the largest are next to the function's line. */
static void write_callers(struct callgraph *callgraph, uint32_t function)
{
	const struct call_graph *graph = callgraph->graph;
	size_t first = graph->first_by_callee[function];
	size_t nr = graph->first_by_callee[function + 1] - first;

	begin_sum(callgraph);
	sum_arcs(callgraph, graph->by_callee + first, nr);
	for (size_t i = nr; i > 0; i--) {
		uint32_t arc = graph->by_callee[first + i - 1];

		write_arc(callgraph, arc, graph->arcs[arc].caller, "<- ");
	}
}

static void write_function(struct callgraph *callgraph, uint32_t function, const char *indent,
			   const char *behind, bool of_all)
{
	const struct call_graph *graph = callgraph->graph;
	const struct call_tree *tree = callgraph->tree;
	const struct call_line line = {
		.function = function,
		.counts = graph->self + function * tree->nr_columns,
		.shares = graph->self_shares + function * tree->nr_columns,
		.of_counts = of_all ? tree->totals : line_whole(callgraph),
		.of_shares = of_all ? tree->share_totals : line_share_whole(callgraph),
		.indent = indent,
		.behind = behind,
		.arrow = "",
	};

	write_line(callgraph, &line);
}

/*
 * Writes the callees and the line [self], sorted by samples, most first. A terminal shows no line
 * [self], because the function's own line above has the same numbers.
 */
static void write_callees(struct callgraph *callgraph, uint32_t function)
{
	const struct call_graph *graph = callgraph->graph;
	size_t nr_columns = callgraph->tree->nr_columns;
	const uint64_t *self = graph->self + function * nr_columns;
	const uint64_t *self_shares = graph->self_shares + function * nr_columns;
	size_t end = graph->first_by_caller[function + 1];
	bool told = callgraph->display != NULL;

	begin_sum(callgraph);
	add_to_sum(callgraph, self, self_shares);
	sum_arcs(callgraph, graph->by_caller + graph->first_by_caller[function],
		 end - graph->first_by_caller[function]);
	for (size_t i = graph->first_by_caller[function]; i < end; i++) {
		uint32_t arc = graph->by_caller[i];

		if (!told && compare_sides(self_shares, graph->arc_shares + arc * nr_columns,
					   callgraph->profile->nr_classes, nr_columns) <= 0) {
			write_function(callgraph, function, INDENT, " [self]", false);
			told = true;
		}
		write_arc(callgraph, arc, graph->arcs[arc].callee, "-> ");
	}
	if (!told)
		write_function(callgraph, function, INDENT, " [self]", false);
}

static void write_block(struct callgraph *callgraph, uint32_t function)
{
	write_callers(callgraph, function);
	write_function(callgraph, function, "", "", true);
	write_callees(callgraph, function);
	if (!callgraph->display)
		write_dashes(callgraph);
	else if (!callgraph->measuring)
		(void)fputc('\n', callgraph->line.out);
}

static void write_blocks(struct callgraph *callgraph)
{
	for (size_t i = 0; i < callgraph->nr_functions; i++)
		write_block(callgraph, callgraph->functions[i]);
}

static void write_text(struct callgraph *callgraph)
{
	write_heads(callgraph);
	write_dashes(callgraph);
	write_blocks(callgraph);
}

static int write_terminal(struct callgraph *callgraph)
{
	struct table *table = &callgraph->table;

	*table = (struct table){.profile = callgraph->profile,
				.options = callgraph->options,
				.display = callgraph->display,
				.totals = callgraph->tree->totals,
				.share_totals = callgraph->tree->share_totals,
				.heads = {[TABLE_ADDRESS] = "ADDRESS",
					  [TABLE_IMAGE] = "IMAGE",
					  [TABLE_SYMBOL] = "SYMBOL"},
				/* this column exists even if there are no rows */
				.widths[TABLE_SYMBOL] = 1};
	callgraph->measuring = true;
	write_blocks(callgraph);
	callgraph->measuring = false;
	table_lay_out(table);
	if (callgraph->options->header)
		table_write_heads(table, callgraph->line.out);
	write_blocks(callgraph);
	if (callgraph->nr_hidden)
		(void)fprintf(callgraph->line.out, "%zu function%s below %g %% (-t 0: all)\n",
			      callgraph->nr_hidden, callgraph->nr_hidden == 1 ? "" : "s",
			      callgraph->options->threshold);
	return table_write_missing(table, callgraph->line.out);
}

int text_format_callgraph(FILE *out, const struct call_graph *graph,
			  const struct calls_options *options)
{
	struct callgraph callgraph = {.graph = graph,
				      .tree = graph->tree,
				      .profile = graph->tree->profile,
				      .options = options->text,
				      .display = options->display,
				      .line.out = out};
	int error = call_names_make(&callgraph.names, graph->tree, options->text->demangle);

	if (!error)
		error = choose_functions(&callgraph, options);
	if (!error) {
		qsort_r(callgraph.functions, callgraph.nr_functions, sizeof(*callgraph.functions),
			compare_functions, &callgraph);
		if (options->display)
			error = write_terminal(&callgraph);
		else
			write_text(&callgraph);
	}
	call_names_deinit(&callgraph.names);
	free(callgraph.functions);
	free(callgraph.sum);
	free(callgraph.share_sum);
	return error;
}
