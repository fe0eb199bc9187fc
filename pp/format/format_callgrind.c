// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/saturate.h"
#include "lib/utf8.h"
#include "pp/calls/call_names.h"
#include "pp/calls/call_places.h"
#include "pp/calls/call_spread.h"
#include "pp/format/format_calls.h"
#include "pp/format/format_rows.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * A source line. Its numbers are the nr_columns elements of callgrind.parts that begin at index
 * part x nr_columns.
 */
struct callgrind_line {
	uint32_t file, line;
	size_t part;
};

/*
 * Names are numbered from 1. A name is written in full at its first use, and later only by its
 * number.
 */
struct callgrind {
	const struct call_graph *graph;
	const struct call_tree *tree;
	const struct call_places *places; /* NULL: no line is known */
	struct call_names names;
	/* Whether a name has been written: an element for each function, then each application. */
	bool *function_told;
	/*
	 * Whether a path has been written: an element for each image, then one for all marks
	 * together, then one for each application.
	 */
	bool *image_told;
	bool *file_told;
	uint32_t file;	     /* source file of the current function */
	uint32_t *outermost; /* nodes directly below roots, sorted by application */
	/*
	 * The current function's numbers and lines: an entry for each place, then one for samples
	 * of no place.
	 */
	uint64_t *parts, *part;
	struct callgrind_line *lines;
	size_t lines_room;
	FILE *out;
};

/* ---- names ---- */

/*
 * Writes a function or an application. An application is the caller of its outermost functions.
 * Applications are numbered after all functions.
 */
static void write_function(struct callgrind *callgrind, const char *key, uint32_t function)
{
	const struct call_tree *tree = callgrind->tree;
	bool is_app = function >= tree->nr_functions;

	(void)fprintf(callgrind->out, "%s=(%" PRIu32 ")", key, function + 1);
	if (!callgrind->function_told[function] && is_app) {
		(void)fputs(" [", callgrind->out);
		utf8_write_masked(callgrind->out,
				  short_name(tree->apps[function - tree->nr_functions]));
		(void)fputc(']', callgrind->out);
	} else if (!callgrind->function_told[function]) {
		(void)fputc(' ', callgrind->out);
		utf8_write_masked(callgrind->out, callgrind->names.names[function]);
	}
	callgrind->function_told[function] = true;
	(void)fputc('\n', callgrind->out);
}

static void write_image(struct callgrind *callgrind, const char *key, uint32_t function)
{
	const struct call_tree *tree = callgrind->tree;
	bool is_app = function >= tree->nr_functions;
	size_t number = is_app ? tree->nr_images + 1 + function - tree->nr_functions
			: tree->functions[function].image == CALL_IMAGE_NONE
				? tree->nr_images
				: tree->functions[function].image;
	const char *path = is_app ? tree->apps[function - tree->nr_functions]
				  : call_image_path(tree, function);

	(void)fprintf(callgrind->out, "%s=(%zu)", key, number + 1);
	if (!callgrind->image_told[number]) {
		(void)fputc(' ', callgrind->out);
		utf8_write_masked(callgrind->out, *path ? path : "???");
	}
	callgrind->image_told[number] = true;
	(void)fputc('\n', callgrind->out);
}

/* Returns the source file in which a function begins; 0: unknown. */
static uint32_t file_of(const struct callgrind *callgrind, uint32_t function)
{
	return callgrind->places && function < callgrind->tree->nr_functions
		       ? callgrind->places->starts[function].file
		       : 0;
}

static void write_file(struct callgrind *callgrind, const char *key, uint32_t file)
{
	(void)fprintf(callgrind->out, "%s=(%" PRIu32 ")", key, file + 1);
	if (!callgrind->file_told[file]) {
		(void)fputc(' ', callgrind->out);
		utf8_write_masked(callgrind->out, file ? callgrind->places->files[file] : "???");
	}
	callgrind->file_told[file] = true;
	(void)fputc('\n', callgrind->out);
}

/* Begins the block of a function. */
static void begin_function(struct callgrind *callgrind, uint32_t function)
{
	(void)fputc('\n', callgrind->out);
	callgrind->file = file_of(callgrind, function);
	write_image(callgrind, "ob", function);
	write_file(callgrind, "fl", callgrind->file);
	write_function(callgrind, "fn", function);
}

/* ---- numbers ---- */

static void write_numbers(struct callgrind *callgrind, const uint64_t *counts,
			  const uint64_t *shares)
{
	const struct classes *classes = &callgrind->tree->profile->selection->classes;

	for (size_t i = 0; i < callgrind->tree->nr_columns; i++)
		(void)fprintf(callgrind->out, " %" PRIu64,
			      classes->classes[i].measure == MEASURE_TIME ? shares[i] : counts[i]);
	(void)fputc('\n', callgrind->out);
}

/* Writes a cost at line 0, which means that the line is unknown. */
static void write_cost(struct callgrind *callgrind, const uint64_t *counts, const uint64_t *shares)
{
	(void)fputc('0', callgrind->out);
	write_numbers(callgrind, counts, shares);
}

/* ---- lines of a function ---- */

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct callgrind *callgrind = context;
	const struct callgrind_line *left = a;
	const struct callgrind_line *right = b;

	/* The function's own file comes first. */
	if (left->file != right->file &&
	    (left->file == callgrind->file || right->file == callgrind->file))
		return left->file == callgrind->file ? -1 : 1;
	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	return left->part < right->part ? -1 : left->part > right->part;
}

static void give_part(void *context, size_t place, uint64_t part)
{
	struct callgrind *callgrind = context;

	saturate_add(callgrind->part + place * callgrind->tree->nr_columns, part);
}

/* Divides one column of a function's own numbers among its places. */
static int spread_column(struct callgrind *callgrind, uint32_t function, size_t first,
			 size_t nr_places, size_t column)
{
	const struct call_places *places = callgrind->places;
	const struct call_graph *graph = callgrind->graph;
	const struct classes *classes = &callgrind->tree->profile->selection->classes;
	size_t nr = callgrind->tree->nr_columns;
	bool by_time = classes->classes[column].measure == MEASURE_TIME;
	const uint64_t *numbers = nr_places ? (by_time ? places->shares : places->counts) : NULL;
	uint64_t own = (by_time ? graph->self_shares : graph->self)[function * nr + column];
	struct call_spread spread;

	if (call_spread_init(&spread, numbers ? numbers + first * nr + column : NULL, nr_places, nr,
			     own))
		return -ENOMEM;
	callgrind->part = callgrind->parts + column;
	call_spread_count(&spread, own);
	call_spread_begin(&spread);
	call_spread_take(&spread, own, give_part, callgrind);
	call_spread_deinit(&spread);
	return 0;
}

/*
 * Makes room for nr_places rows, and for one more row with the samples of no place. Sets all
 * numbers to 0.
 */
static int make_parts(struct callgrind *callgrind, size_t nr_places)
{
	size_t nr_bytes = callgrind->tree->nr_columns * sizeof(*callgrind->parts);

	if (nr_places + 1 > callgrind->lines_room) {
		free(callgrind->parts);
		free(callgrind->lines);
		callgrind->lines_room = 2 * nr_places + 64;
		callgrind->parts = reallocarray(NULL, callgrind->lines_room, nr_bytes);
		callgrind->lines = calloc(callgrind->lines_room, sizeof(*callgrind->lines));
		if (!callgrind->parts || !callgrind->lines)
			return -ENOMEM;
	}
	memset(callgrind->parts, 0, (nr_places + 1) * nr_bytes);
	return 0;
}

/*
 * Lists the source lines of the function's places, and sorts them. The list also has an entry for
 * the samples that belong to no place; its line is 0 (unknown).
 */
static void sort_lines(struct callgrind *callgrind, size_t first, size_t nr_places)
{
	const struct call_places *places = callgrind->places;

	for (size_t i = 0; i <= nr_places; i++) {
		struct callgrind_line *line = &callgrind->lines[i];
		const struct call_code *code;

		*line = (struct callgrind_line){.file = callgrind->file, .part = i};
		if (i == nr_places)
			continue;
		code = &places->codes[places->places[first + i].code];
		if (code->nr_frames && places->frames[code->first_frame].line) {
			line->file = places->frames[code->first_frame].file;
			line->line = places->frames[code->first_frame].line;
		}
	}
	qsort_r(callgrind->lines, nr_places + 1, sizeof(*callgrind->lines), compare_lines,
		callgrind);
}

static bool has_samples(const struct callgrind *callgrind, const uint64_t *counts)
{
	for (size_t i = 0; i < callgrind->tree->nr_columns; i++)
		if (counts[i])
			return true;
	return false;
}

/* Writes each source line once. If the function has no cost of its own, writes a cost of 0. */
static void write_lines(struct callgrind *callgrind, size_t nr_lines)
{
	size_t nr = callgrind->tree->nr_columns;
	uint32_t file = callgrind->file;
	bool any = false;

	for (size_t i = 0; i < nr_lines; i++) {
		const struct callgrind_line *line = &callgrind->lines[i];
		uint64_t *numbers = callgrind->parts + line->part * nr;

		if (i + 1 < nr_lines && line[1].file == line->file && line[1].line == line->line) {
			callgrind->part = callgrind->parts + line[1].part * nr;
			for (size_t j = 0; j < nr; j++, callgrind->part++)
				give_part(callgrind, 0, numbers[j]);
			continue;
		}
		if (!has_samples(callgrind, numbers))
			continue;
		if (line->file != file)
			write_file(callgrind, "fi", line->file);
		file = line->file;
		(void)fprintf(callgrind->out, "%" PRIu32, line->line);
		write_numbers(callgrind, numbers, numbers);
		any = true;
	}
	if (!any)
		write_cost(callgrind, callgrind->parts, callgrind->parts);
	if (file != callgrind->file)
		write_file(callgrind, "fe", callgrind->file);
}

static int write_self(struct callgrind *callgrind, uint32_t function)
{
	const struct call_places *places = callgrind->places;
	size_t first = places ? places->first[function] : 0;
	size_t nr_places = places ? places->first[function + 1] - first : 0;

	if (make_parts(callgrind, nr_places))
		return -ENOMEM;
	for (size_t i = 0; i < callgrind->tree->nr_columns; i++)
		if (spread_column(callgrind, function, first, nr_places, i))
			return -ENOMEM;
	sort_lines(callgrind, first, nr_places);
	write_lines(callgrind, nr_places + 1);
	return 0;
}

/* ---- functions ---- */

/* Writes a call. Writes the number of samples as the number of calls, which is unknown. */
static void write_call(struct callgrind *callgrind, uint32_t callee, const uint64_t *calls,
		       const uint64_t *counts, const uint64_t *shares)
{
	const uint64_t nr_calls = saturate_total(calls, callgrind->tree->nr_columns);

	if (!nr_calls)
		return;
	write_image(callgrind, "cob", callee);
	if (file_of(callgrind, callee) != callgrind->file)
		write_file(callgrind, "cfi", file_of(callgrind, callee));
	write_function(callgrind, "cfn", callee);
	(void)fprintf(callgrind->out, "calls=%" PRIu64 " 0\n", nr_calls);
	write_cost(callgrind, counts, shares);
}

static int write_block(struct callgrind *callgrind, uint32_t function)
{
	const struct call_graph *graph = callgrind->graph;
	size_t nr = callgrind->tree->nr_columns;

	if (!has_samples(callgrind, graph->below + function * nr))
		return 0;
	begin_function(callgrind, function);
	if (write_self(callgrind, function))
		return -ENOMEM;
	for (size_t i = graph->first_by_caller[function]; i < graph->first_by_caller[function + 1];
	     i++) {
		uint32_t arc = graph->by_caller[i];

		write_call(callgrind, graph->arcs[arc].callee, graph->arc_counts + arc * nr,
			   graph->arc_costs + arc * nr, graph->arc_cost_shares + arc * nr);
	}
	return 0;
}

/* Writes the application as the caller of its functions that have no known caller. */
static void write_app(struct callgrind *callgrind, uint32_t app, const uint32_t *nodes, size_t nr)
{
	const struct call_tree *tree = callgrind->tree;
	uint32_t function = (uint32_t)tree->nr_functions + app;

	begin_function(callgrind, function);
	write_cost(callgrind, call_tree_self(tree, app), call_tree_self_shares(tree, app));
	for (size_t i = 0; i < nr; i++)
		write_call(callgrind, tree->nodes[nodes[i]].function,
			   call_tree_below(tree, nodes[i]), call_tree_below(tree, nodes[i]),
			   call_tree_below_shares(tree, nodes[i]));
}

static int compare_parents(const void *a, const void *b, void *context)
{
	const struct call_tree *tree = context;
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;

	if (tree->nodes[left].parent != tree->nodes[right].parent)
		return tree->nodes[left].parent < tree->nodes[right].parent ? -1 : 1;
	return left < right ? -1 : left > right;
}

static void write_apps(struct callgrind *callgrind)
{
	const struct call_tree *tree = callgrind->tree;
	uint32_t *nodes = callgrind->outermost;
	size_t nr = 0;
	size_t begin = 0;

	for (size_t i = tree->nr_apps; i < tree->nr_nodes; i++)
		if (tree->nodes[i].parent < tree->nr_apps)
			nodes[nr++] = (uint32_t)i;
	qsort_r(nodes, nr, sizeof(*nodes), compare_parents, (void *)(uintptr_t)tree);
	for (size_t i = 1; i <= nr; i++) {
		uint32_t app = tree->nodes[nodes[begin]].parent;

		if (i < nr && tree->nodes[nodes[i]].parent == app)
			continue;
		write_app(callgrind, app, nodes + begin, i - begin);
		begin = i;
	}
}

/* ---- the head ---- */

/* Writes an event's name as one word, as the format requires. */
static void write_event_name(FILE *out, const char *name)
{
	for (; *name; name++)
		(void)fputc(isalnum((unsigned char)*name) ? *name : '_', out);
}

static void write_head(struct callgrind *callgrind)
{
	const struct call_tree *tree = callgrind->tree;
	const struct classes *classes = &tree->profile->selection->classes;
	FILE *out = callgrind->out;

	(void)fputs("# callgrind format\nversion: 1\ncreator: oprof " OPROF_VERSION "\n", out);
	(void)fputs("cmd:", out);
	for (size_t i = 0; i < tree->nr_apps && i < 3; i++) {
		(void)fputc(' ', out);
		utf8_write_masked(out, short_name(tree->apps[i]));
	}
	(void)fputs(tree->nr_apps > 3 ? " ...\n" : "\n", out);
	for (size_t i = 0; i < classes->nr_classes; i++) {
		(void)fputs("event: ", out);
		write_event_name(out, classes->classes[i].name);
		(void)fputs(" : ", out);
		utf8_write_masked(out, classes->classes[i].name);
		(void)fputs(classes->classes[i].measure == MEASURE_TIME ? " (ns)\n"
									: " (samples)\n",
			    out);
	}
	(void)fputs("positions: line\nevents:", out);
	for (size_t i = 0; i < classes->nr_classes; i++) {
		(void)fputc(' ', out);
		write_event_name(out, classes->classes[i].name);
	}
	(void)fputs("\nsummary:", out);
	write_numbers(callgrind, tree->totals, tree->share_totals);
}

static int make_memory(struct callgrind *callgrind)
{
	const struct call_tree *tree = callgrind->tree;

	callgrind->function_told =
		calloc(tree->nr_functions + tree->nr_apps + 1, sizeof(*callgrind->function_told));
	callgrind->image_told =
		calloc(tree->nr_images + tree->nr_apps + 2, sizeof(*callgrind->image_told));
	callgrind->file_told = calloc(callgrind->places ? callgrind->places->nr_files + 1 : 1,
				      sizeof(*callgrind->file_told));
	callgrind->outermost = calloc(tree->nr_nodes + 1, sizeof(*callgrind->outermost));
	return callgrind->function_told && callgrind->image_told && callgrind->file_told &&
			       callgrind->outermost
		       ? 0
		       : -ENOMEM;
}

int callgrind_format(FILE *out, const struct call_graph *graph, const struct calls_options *options,
		     struct diag *diag)
{
	struct callgrind callgrind = {
		.graph = graph, .tree = graph->tree, .places = options->places, .out = out};
	int error;

	if (graph->tree->profile->selection->nr_sides > 1)
		return diag_set(diag, -EINVAL,
				"callgrind's format cannot contain two sides; write one side at a "
				"time");
	error = call_names_make(&callgrind.names, graph->tree, options->text->demangle);
	if (!error)
		error = make_memory(&callgrind);
	if (!error) {
		write_head(&callgrind);
		write_apps(&callgrind);
		for (uint32_t i = 0; i < graph->tree->nr_functions && !error; i++)
			error = write_block(&callgrind, i);
		(void)fputs("\ntotals:", out);
		write_numbers(&callgrind, graph->tree->totals, graph->tree->share_totals);
	}
	call_names_deinit(&callgrind.names);
	free(callgrind.function_told);
	free(callgrind.image_told);
	free(callgrind.file_told);
	free(callgrind.parts);
	free(callgrind.lines);
	free(callgrind.outermost);
	return error;
}
