// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/annotate_options.h"

#include "pp/options/select_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_SOURCE = 1,
	OPTION_ASSEMBLY,
	OPTION_OUTPUT_DIR,
	OPTION_SEARCH_DIRS,
	OPTION_BASE_DIRS,
	OPTION_INCLUDE_FILE,
	OPTION_EXCLUDE_FILE,
	OPTION_INCLUDE_SYMBOLS,
	OPTION_EXCLUDE_SYMBOLS,
	OPTION_EXCLUDE_DEPENDENT,
	OPTION_MERGE,
	OPTION_THRESHOLD,
	OPTION_DEMANGLE,
};

static const struct poptOption option_table[] = {
	{"source", 's', ARG_NONE, OPTION_SOURCE, "show source files (the default)", NULL},
	{"assembly", 'a', ARG_NONE, OPTION_ASSEMBLY,
	 "show instructions; with --source, each source line above its "
	 "instructions",
	 NULL},
	{"output-dir", 'o', ARG_TEXT, OPTION_OUTPUT_DIR,
	 "write one file per source file (or per binary) to this folder", "DIR"},
	{"search-dirs", 'd', ARG_TEXT, OPTION_SEARCH_DIRS, "look for source files in these folders",
	 "DIR,..."},
	{"base-dirs", 'b', ARG_TEXT, OPTION_BASE_DIRS,
	 "remove these prefixes from paths of source files before the "
	 "search",
	 "DIR,..."},
	{"include-file", 0, ARG_TEXT, OPTION_INCLUDE_FILE, "show only these source files",
	 "FILE,..."},
	{"exclude-file", 0, ARG_TEXT, OPTION_EXCLUDE_FILE, "omit these source files", "FILE,..."},
	{"include-symbols", 'i', ARG_TEXT, OPTION_INCLUDE_SYMBOLS, "show only these symbols",
	 "SYMBOL,..."},
	{"exclude-symbols", 'e', ARG_TEXT, OPTION_EXCLUDE_SYMBOLS, "omit these symbols",
	 "SYMBOL,..."},
	{"exclude-dependent", 'x', ARG_NONE, OPTION_EXCLUDE_DEPENDENT,
	 "omit dependent images: an application's libraries, and the kernel if its samples are "
	 "stored separately for each application",
	 NULL},
	{"merge", 'm', ARG_TEXT, OPTION_MERGE,
	 "sum samples that were stored separately: cpu, lib, tid, tgid, "
	 "unitmask, cgroup, all",
	 "WHAT,..."},
	{"threshold", 't', ARG_TEXT, OPTION_THRESHOLD,
	 "omit files (or symbols) whose share is smaller than PERCENT", "PERCENT"},
	{"demangle", 'D', ARG_TEXT, OPTION_DEMANGLE, "how to show names of C++ symbols",
	 "none|normal|smart"},
	TOOL_TABLE_END};

/* Handles the options about source files. Returns -ENOENT for any other option. */
static int set_source_value(struct annotate_options *options, int option, const char *text,
			    struct diag *diag)
{
	switch (option) {
	case OPTION_OUTPUT_DIR:
		return select_keep_text(&options->output_dir, "--output-dir", text, diag);
	case OPTION_SEARCH_DIRS:
		return select_parse_list(&options->search_dirs, "--search-dirs", text, diag);
	case OPTION_BASE_DIRS:
		return select_parse_list(&options->base_dirs, "--base-dirs", text, diag);
	case OPTION_INCLUDE_FILE:
		return select_parse_list(&options->include_files, "--include-file", text, diag);
	case OPTION_EXCLUDE_FILE:
		return select_parse_list(&options->exclude_files, "--exclude-file", text, diag);
	default:
		return -ENOENT;
	}
}

/* Handles the other options with a value, such as those that select samples. */
static int set_value(struct annotate_options *options, int option, const char *text,
		     struct diag *diag)
{
	switch (option) {
	case OPTION_INCLUDE_SYMBOLS:
		return select_parse_list(&options->profile.include, "--include-symbols", text,
					 diag);
	case OPTION_EXCLUDE_SYMBOLS:
		return select_parse_list(&options->profile.exclude, "--exclude-symbols", text,
					 diag);
	case OPTION_MERGE:
		return select_parse_merge(text, &options->selection.merge, diag);
	case OPTION_THRESHOLD:
		return select_parse_threshold(text, &options->shown.threshold, diag);
	default:
		return select_parse_demangle(text, &options->profile.demangle, diag);
	}
}

/* Handles the options without a value. Returns false for any other option. */
static bool set_flag(struct annotate_options *options, int option)
{
	switch (option) {
	case OPTION_SOURCE:
		options->shown.source = true;
		return true;
	case OPTION_ASSEMBLY:
		options->shown.assembly = true;
		return true;
	case OPTION_EXCLUDE_DEPENDENT:
		options->selection.exclude_dependent = true;
		return true;
	default:
		return false;
	}
}

static int take_option(void *tool, int option, const char *text, struct diag *diag)
{
	struct annotate_options *options = tool;
	int error;

	if (set_flag(options, option))
		return 0;
	error = set_source_value(options, option, text, diag);
	return error == -ENOENT ? set_value(options, option, text, diag) : error;
}

static int take_words(void *tool, const char *const *words, size_t nr_words, int64_t now_ns,
		      struct diag *diag)
{
	struct annotate_options *options = tool;
	int error =
		spec_parse_sides(options->sides, &options->nr_sides, words, nr_words, now_ns, diag);

	return error ? error
		     : tool_options_set_range(&options->tool, options->sides, options->nr_sides,
					      now_ns, diag);
}

static const struct tool_command command = {
	.name = "opannotate",
	.usage = "[OPTION...] [PROFILE SPECIFICATION...]",
	.contains = "libbfd and libopcodes",
	.options = option_table,
	.take = take_option,
	.take_words = take_words,
};

/* Refuses options for source files if no source files are shown. */
static int check(struct annotate_options *options, struct diag *diag)
{
	const char *option = NULL;

	if (!options->shown.source && !options->shown.assembly)
		options->shown.source = true;
	if (options->include_files.nr_patterns)
		option = "--include-file";
	else if (options->exclude_files.nr_patterns)
		option = "--exclude-file";
	if (option && options->shown.assembly)
		return diag_set(diag, -EINVAL,
				"%s selects source files and cannot be combined with --assembly",
				option);
	if (!options->shown.source &&
	    (options->search_dirs.nr_patterns || options->base_dirs.nr_patterns))
		return diag_set(diag, -EINVAL, "%s finds source files and requires --source",
				options->search_dirs.nr_patterns ? "--search-dirs" : "--base-dirs");
	return 0;
}

/* Joins the arguments with blanks. Returns NULL if out of memory. */
static char *join_words(int argc, const char **argv)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *out = open_memstream(&text, &nr_bytes);

	if (!out)
		return NULL;
	(void)fputs("opannotate", out);
	for (int i = 1; i < argc; i++)
		(void)fprintf(out, " %s", argv[i]);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static void borrow(struct annotate_options *options)
{
	options->profile.root = options->tool.root;
	options->profile.image_path = options->tool.image_path;
	options->profile.cache_path = options->tool.cache_path;
	options->shown.demangle = options->profile.demangle;
	options->shown.command_line = options->command_line;
	options->shown.output_dir = options->output_dir;
	options->shown.include_files = &options->include_files;
	options->shown.exclude_files = &options->exclude_files;
	options->shown.sources = (struct source_search){.search_dirs = &options->search_dirs,
							.base_dirs = &options->base_dirs,
							.root = options->tool.root};
	options->shown.profile = &options->profile;
}

int annotate_options_parse(struct annotate_options *options, int argc, const char **argv,
			   int64_t now_ns, struct diag *diag)
{
	int error;

	*options = (struct annotate_options){
		.profile = {.symbols = true, .details = true, .demangle = DEMANGLE_NORMAL}};
	error = tool_options_parse(&options->tool, &command, options, argc, argv, now_ns, diag);
	if (!error)
		error = check(options, diag);
	options->command_line = join_words(argc, argv);
	if (!error && !options->command_line)
		error = diag_set(diag, -ENOMEM, "out of memory");
	borrow(options);
	return error;
}

void annotate_options_deinit(struct annotate_options *options)
{
	for (size_t i = 0; i < SPEC_SIDES_MAX; i++)
		spec_deinit(&options->sides[i]);
	spec_list_deinit(&options->profile.include);
	spec_list_deinit(&options->profile.exclude);
	spec_list_deinit(&options->search_dirs);
	spec_list_deinit(&options->base_dirs);
	spec_list_deinit(&options->include_files);
	spec_list_deinit(&options->exclude_files);
	free(options->output_dir);
	free(options->command_line);
	tool_options_deinit(&options->tool);
	*options = (struct annotate_options){0};
}

void annotate_options_show(enum tool_what what)
{
	tool_options_show(&command, what);
}
