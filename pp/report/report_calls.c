// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/report/report_calls.h"

#include "lib/log.h"
#include "lib/utf8.h"
#include "pp/format/format_calls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES_SHOWN 5 /* maximum number of listed images without symbols */

static bool is_for_programs(const struct report_options *options)
{
	return options->format == REPORT_FOLDED || options->format == REPORT_PPROF ||
	       options->format == REPORT_CALLGRIND;
}

bool report_calls_has_lines(const struct report_options *options)
{
	return options->format == REPORT_PPROF || options->format == REPORT_CALLGRIND;
}

/*
 * Returns the options for the call tree. In a call graph, include and exclude only select the
 * functions to list; the tree has all stacks.
 */
static struct profile_options tree_options(const struct report_options *options)
{
	struct profile_options tree = options->profile;

	if (options->callgraph)
		tree.include = tree.exclude = (struct spec_list){0};
	return tree;
}

static int build_flat(struct call_tree *tree, struct profile *flat,
		      const struct report_options *options, struct diag *diag)
{
	const struct selection *selection = flat->selection;
	struct profile_options symbols = options->profile;
	int error;

	log_info("no call stacks were recorded: functions are reported without "
		 "their callers");
	symbols.symbols = true;
	if (!flat->with_symbols) {
		profile_deinit(flat);
		error = profile_build(flat, selection, &symbols, diag);
		if (error)
			return error;
	}
	error = call_tree_flat(tree, flat);
	return error ? diag_set(diag, error, "out of memory") : 0;
}

static int build_parts(struct report_calls *calls, const struct report_options *options)
{
	int error = 0;

	if (options->callgraph || options->format == REPORT_CALLGRIND)
		error = call_graph_build(&calls->graph, &calls->tree);
	if (!error && report_calls_has_lines(options))
		error = call_places_make(&calls->places, &calls->tree, &options->profile);
	return error;
}

int report_calls_build(struct report_calls *calls, struct profile *flat,
		       const struct report_options *options, struct diag *diag)
{
	struct profile_options tree = tree_options(options);
	int error;

	*calls = (struct report_calls){0};
	error = call_tree_build(&calls->tree, flat, &tree, diag);
	if (error == -ENODATA && is_for_programs(options))
		error = build_flat(&calls->tree, flat, options, diag);
	if (error)
		return error;
	error = build_parts(calls, options);
	if (error) {
		report_calls_deinit(calls);
		return diag_set(diag, error, "cannot read the call stacks: %s", strerror(-error));
	}
	return 0;
}

void report_calls_deinit(struct report_calls *calls)
{
	call_places_deinit(&calls->places);
	call_graph_deinit(&calls->graph);
	call_tree_deinit(&calls->tree);
}

int report_calls_write(FILE *out, const struct report_calls *calls,
		       const struct report_options *options, const struct display *display,
		       struct diag *diag)
{
	const struct calls_options format = {.text = &options->text,
					     .display = display,
					     .include = &options->profile.include,
					     .exclude = &options->profile.exclude,
					     .places = calls->places.tree ? &calls->places : NULL};

	diag_clear(diag);
	switch (options->format) {
	case REPORT_STACKS:
		return text_format_stacks(out, &calls->tree, &format);
	case REPORT_FOLDED:
		return folded_format(out, &calls->tree, &format, diag);
	case REPORT_PPROF:
		return pprof_format(out, &calls->tree, &format, diag);
	case REPORT_CALLGRIND:
		return callgrind_format(out, &calls->graph, &format, diag);
	default:
		return text_format_callgraph(out, &calls->graph, &format);
	}
}

/* ---- coverage ---- */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void write_part(FILE *err, const struct call_tree *tree, uint64_t nr, const char *what)
{
	if (nr)
		(void)fprintf(err, ", %" PRIu64 " (%.2f %%) %s", nr, percent(nr, tree->nr_samples),
			      what);
}

/* Reports stacks that end before their outermost function. */
static void write_ends(FILE *err, const struct call_tree *tree)
{
	(void)fprintf(err, "stacks of %" PRIu64 " samples", tree->nr_samples);
	write_part(err, tree, tree->nr_truncated, "truncated");
	write_part(err, tree, tree->nr_broken, "broken");
	write_part(err, tree, tree->nr_folded, "folded into [other]");
	if (tree->nr_filtered)
		(void)fprintf(err, ", %" PRIu64 " excluded by symbol", tree->nr_filtered);
	if (tree->nr_missing)
		(void)fprintf(err, "; %" PRIu64 " samples have no stack and are not in the report",
			      tree->nr_missing);
	(void)fputc('\n', err);
	if (tree->nr_truncated)
		(void)fputs("  truncated: the stack was deeper than the recording limit (operf "
			    "--stack-bytes, --callgraph); its outermost functions are "
			    "missing\n",
			    err);
	if (tree->nr_broken)
		(void)fputs("  broken: callers could not be found up to the outermost function, "
			    "because code has no unwind information or frame pointers, or because "
			    "the program had just begun and the tables of its binaries were not "
			    "built yet\n",
			    err);
	if (tree->nr_damaged)
		(void)fprintf(err, "%zu call tree%s could not be read\n", tree->nr_damaged,
			      tree->nr_damaged == 1 ? "" : "s");
}

struct image_lack {
	size_t image;
	uint64_t nr_samples; /* samples whose innermost frame is outside all symbols */
};

static int compare_lacking(const void *a, const void *b)
{
	const struct image_lack *left = a;
	const struct image_lack *right = b;

	if (left->nr_samples != right->nr_samples)
		return left->nr_samples > right->nr_samples ? -1 : 1;
	return left->image < right->image ? -1 : left->image > right->image;
}

static void sum_lacking(const struct call_tree *tree, struct image_lack *lacking)
{
	for (size_t i = 0; i < tree->nr_images; i++)
		lacking[i].image = i;
	for (size_t i = tree->nr_apps; i < tree->nr_nodes; i++) {
		const struct call_function *function = &tree->functions[tree->nodes[i].function];

		if (function->image == CALL_IMAGE_NONE ||
		    (function->name && !function->is_nameless))
			continue;
		for (size_t j = 0; j < tree->nr_columns; j++)
			lacking[function->image].nr_samples += call_tree_self(tree, i)[j];
	}
}

static void write_lacking(FILE *err, const struct call_tree *tree)
{
	struct image_lack *lacking = calloc(tree->nr_images + 1, sizeof(*lacking));

	if (!lacking)
		return;
	sum_lacking(tree, lacking);
	qsort(lacking, tree->nr_images, sizeof(*lacking), compare_lacking);
	for (size_t i = 0; i < tree->nr_images && i < IMAGES_SHOWN && lacking[i].nr_samples; i++) {
		const struct call_image *image = &tree->images[lacking[i].image];

		(void)fprintf(err, "%" PRIu64 " samples without symbol in ", lacking[i].nr_samples);
		utf8_write_masked(err, image->path);
		if (image->note) {
			(void)fputs(": ", err);
			utf8_write_masked(err, image->note);
		}
		(void)fputc('\n', err);
	}
	free(lacking);
}

void report_calls_write_coverage(FILE *err, const struct report_calls *calls)
{
	const struct call_tree *tree = &calls->tree;

	if (tree->is_flat)
		return;
	write_ends(err, tree);
	/* With symbols, the flat profile's coverage has already reported images without symbols. */
	if (!tree->profile->with_symbols)
		write_lacking(err, tree);
}
