// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opgprof: writes the samples and arcs of one binary for gprof. This file runs the stages in order.
 */
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/file.h"
#include "lib/folder.h"
#include "lib/log.h"
#include "pp/base/read_folder.h"
#include "pp/format/coverage.h"
#include "pp/gprof/gprof_data.h"
#include "pp/profile/image_search.h"
#include "pp/options/select_options.h"
#include "pp/selection/select_place.h"
#include "pp/selection/selection.h"
#include "pp/options/tool_options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_OUTPUT "gmon.out"

#define OPTION_OUTPUT 1

static const struct poptOption option_table[] = {
	{"output-filename", 'o', ARG_TEXT, OPTION_OUTPUT, "write to (" DEFAULT_OUTPUT ")", "FILE"},
	TOOL_TABLE_END};

struct gprof_options {
	struct tool_options tool;
	struct spec sides[SPEC_SIDES_MAX];
	size_t nr_sides;
	struct selection_options selection;
	struct profile_options profile;
	char *output;
};

/* ---- the command line ---- */

static int take_option(void *tool, int option, const char *text, struct diag *diag)
{
	struct gprof_options *options = tool;

	(void)option; /* this tool has only one option */
	return select_keep_text(&options->output, "--output-filename", text, diag);
}

static int take_words(void *tool, const char *const *words, size_t nr_words, int64_t now_ns,
		      struct diag *diag)
{
	struct gprof_options *options = tool;
	int error =
		spec_parse_sides(options->sides, &options->nr_sides, words, nr_words, now_ns, diag);

	if (!error && options->nr_sides > 1)
		error = diag_set(
			diag, -EINVAL,
			"gprof's format cannot contain two sides; write one side at a time");
	return error ? error
		     : tool_options_set_range(&options->tool, options->sides, options->nr_sides,
					      now_ns, diag);
}

static const struct tool_command command = {
	.name = "opgprof",
	.usage = "[OPTION...] [PROFILE SPECIFICATION...]",
	.contains = "libbfd",
	.options = option_table,
	.take = take_option,
	.take_words = take_words,
};

static int options_parse(struct gprof_options *options, int argc, const char **argv,
			 struct diag *diag)
{
	int error = tool_options_parse(&options->tool, &command, options, argc, argv,
				       clock_realtime_ns(), diag);

	/* All separations are added up in one histogram. Different events cannot be added up. */
	options->selection.merge = MERGE_ALL & ~(unsigned int)MERGE_LIB;
	options->selection.stacks = true;
	options->profile = (struct profile_options){.symbols = true,
						    .details = true,
						    .root = options->tool.root,
						    .image_path = options->tool.image_path,
						    .cache_path = options->tool.cache_path,
						    .skip = select_skip_file};
	return error;
}

static void options_deinit(struct gprof_options *options)
{
	for (size_t i = 0; i < SPEC_SIDES_MAX; i++)
		spec_deinit(&options->sides[i]);
	free(options->output);
	tool_options_deinit(&options->tool);
}

/* ---- the report ---- */

static int check_classes(const struct selection *selection, struct diag *diag)
{
	if (selection->classes.nr_classes <= 1)
		return 0;
	return diag_set(diag, -EINVAL,
			"gprof's format has room for one event only: choose one with "
			"event: (and count:, unit-mask:)");
}

static void tell(const struct gprof_data_result *result, const struct gprof_options *options,
		 const char *image)
{
	if (result->nr_outside)
		log_info("%" PRIu64 " samples of %s are outside its symbols: gprof's format cannot "
			 "contain these samples",
			 result->nr_outside, image);
	if (options->tool.verbose)
		log_info("%" PRIu64 " samples in %zu histograms, %zu arcs", result->nr_samples,
			 result->nr_histograms, result->nr_arcs);
}

/* Builds the file in memory, then replaces the old file atomically. */
static int write_file(const struct profile *profile, uint32_t image, const struct call_graph *graph,
		      const struct gprof_options *options, struct diag *diag)
{
	const char *shown = profile->selection->images[image].path;
	const char *output = options->output ? options->output : DEFAULT_OUTPUT;
	struct gprof_data_result result;
	struct image_search search;
	char path[2 * PATH_MAX];
	char *bytes = NULL;
	size_t nr_bytes;
	FILE *out = open_memstream(&bytes, &nr_bytes);
	int error;

	if (!out)
		return diag_set(diag, -ENOMEM, "out of memory");
	image_search_init(&search, profile->selection, image, &options->profile);
	(void)snprintf(path, sizeof(path), "%s%s", search.search.root ? search.search.root : "",
		       image_search_path(profile->selection, image));
	error = gprof_data_write(out, profile, image, path, graph, &result, diag);
	if (fclose(out) && !error)
		error = diag_set(diag, -ENOMEM, "out of memory");
	if (!error) {
		error = folder_replace_file(output, bytes, nr_bytes, report_file_mode());
		if (error)
			diag_set(diag, error, "cannot write %s: %s", output, folder_reason(error));
		else
			tell(&result, options, shown);
	}
	free(bytes);
	return error;
}

static int write_with_arcs(const struct profile *profile, uint32_t image,
			   const struct gprof_options *options, struct diag *diag)
{
	struct call_graph graph;
	struct call_tree tree;
	struct diag none;
	int error = call_tree_build(&tree, profile, &options->profile, &none);

	if (error == -ENODATA)
		return write_file(profile, image, NULL, options, diag);
	if (error) {
		*diag = none;
		return error;
	}
	error = call_graph_build(&graph, &tree);
	if (error) {
		diag_set(diag, error, "out of memory");
	} else {
		error = write_file(profile, image, &graph, options, diag);
		call_graph_deinit(&graph);
	}
	call_tree_deinit(&tree);
	return error;
}

static int report_selection(const struct selection *selection, const struct gprof_options *options,
			    struct diag *diag)
{
	struct profile profile;
	uint32_t image;
	int error = check_classes(selection, diag);

	if (!error)
		error = profile_build(&profile, selection, &options->profile, diag);
	if (error)
		return error;
	error = gprof_data_choose(&profile, &image, diag);
	if (!error) {
		coverage_write_before(stderr, &profile, options->selection.session_dir);
		error = write_with_arcs(&profile, image, options, diag);
	}
	if (!error)
		coverage_write_after(stderr, &profile);
	profile_deinit(&profile);
	return error;
}

static int report(struct gprof_options *options)
{
	struct selection selection;
	struct select_place place;
	struct diag diag;
	int error;

	select_tell_times(options->sides, options->nr_sides);
	select_allow_descriptors();
	error = select_place_find(&place, options->sides, options->nr_sides,
				  options->tool.session_dir, &options->selection, &diag);
	if (!error)
		error = selection_make(&selection, options->sides, options->nr_sides,
				       &options->selection, select_skip_file, &diag);
	if (!error) {
		error = report_selection(&selection, options, &diag);
		selection_deinit(&selection);
	}
	if (error)
		log_error("%s", diag_show(&diag));
	select_place_deinit(&place);
	return error;
}

int main(int argc, const char **argv)
{
	struct gprof_options options = {0};
	struct diag diag;
	int error;

	log_init("opgprof", LOG_LEVEL_INFO);
	error = options_parse(&options, argc, argv, &diag);
	if (error)
		log_error("%s", diag_show(&diag));
	else if (options.tool.what != TOOL_RUN)
		tool_options_show(&command, options.tool.what);
	else
		error = report(&options);
	options_deinit(&options);
	return tool_end(error);
}
