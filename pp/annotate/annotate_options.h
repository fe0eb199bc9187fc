/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of opannotate. */
#ifndef PP_ANNOTATE_OPTIONS_H
#define PP_ANNOTATE_OPTIONS_H

#include "pp/annotate/format_annotated.h"
#include "pp/profile/profile.h"
#include "pp/selection/selection.h"
#include "pp/selection/spec.h"
#include "pp/options/tool_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct annotate_options {
	struct tool_options tool;
	struct spec sides[SPEC_SIDES_MAX]; /* two for a differential profile */
	size_t nr_sides;
	struct selection_options selection;
	struct profile_options profile;
	struct annotated_options shown; /* its pointers refer to the members below */
	struct spec_list search_dirs, base_dirs, include_files, exclude_files;
	char *output_dir; /* NULL: not given */
	char *command_line;
};

/*
 * Times are relative to now_ns. Returns 0, or an error such as -EINVAL or -ENOMEM with diag.
 * Call annotate_options_deinit() in either case.
 */
int annotate_options_parse(struct annotate_options *options, int argc, const char **argv,
			   int64_t now_ns, struct diag *diag);
void annotate_options_deinit(struct annotate_options *options);

/* Prints the text for --help, --usage or --version. */
void annotate_options_show(enum tool_what what);

#endif
