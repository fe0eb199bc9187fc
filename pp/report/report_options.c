// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/report/report_options.h"

#include "pp/format/format_terminal.h"
#include "pp/options/select_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_SYMBOLS = 1,
	OPTION_DETAILS,
	OPTION_DEBUG_INFO,
	OPTION_INLINES,
	OPTION_XML,
	OPTION_JSON,
	OPTION_CALLGRAPH,
	OPTION_STACKS,
	OPTION_FOLDED,
	OPTION_PPROF,
	OPTION_CALLGRIND,
	OPTION_HTML,
	OPTION_SHOW_ADDRESS,
	OPTION_LONG_FILENAMES,
	OPTION_ACCUMULATED,
	OPTION_GLOBAL_PERCENT,
	OPTION_SORT,
	OPTION_REVERSE,
	OPTION_MERGE,
	OPTION_BY,
	OPTION_EXCLUDE_DEPENDENT,
	OPTION_EXCLUDE_SYMBOLS,
	OPTION_INCLUDE_SYMBOLS,
	OPTION_THRESHOLD,
	OPTION_DEMANGLE,
	OPTION_NO_HEADER,
	OPTION_OUTPUT,
	OPTION_DIFF,
	OPTION_ERROR,
	OPTION_LAYOUT,
	OPTION_COLOR,
};

/*
 * Default of --threshold for --stacks, in percent. The tree has a line for each call path to a
 * function, and most lines have few samples.
 */
#define STACKS_THRESHOLD 0.5

static const struct poptOption option_table[] = {
	{"symbols", 'l', ARG_NONE, OPTION_SYMBOLS, "list symbols, not images", NULL},
	{"debug-info", 'g', ARG_NONE, OPTION_DEBUG_INFO, "show source files and lines", NULL},
	{"inlines", 0, ARG_NONE, OPTION_INLINES, "list inlined functions, too, each separately",
	 NULL},
	{"details", 'd', ARG_NONE, OPTION_DETAILS, "list each symbol's addresses, too", NULL},
	{"callgraph", 'c', ARG_NONE, OPTION_CALLGRAPH, "show callers and callees of functions",
	 NULL},
	{"stacks", 0, ARG_NONE, OPTION_STACKS,
	 "show call stacks as a tree, without parts below 0.5 % (see -t)", NULL},
	{"folded", 0, ARG_NONE, OPTION_FOLDED, "write a line for each call stack, for flame graphs",
	 NULL},
	{"pprof", 0, ARG_TEXT, OPTION_PPROF, "write call stacks for pprof to this file", "FILE"},
	{"callgrind", 0, ARG_NONE, OPTION_CALLGRIND,
	 "write call stacks for kcachegrind and callgrind_annotate", NULL},
	{"sort", 's', ARG_TEXT, OPTION_SORT, "sort by sample, image, app-name, symbol, debug, vma",
	 "KEY,..."},
	{"reverse-sort", 'r', ARG_NONE, OPTION_REVERSE, "reverse the order", NULL},
	{"threshold", 't', ARG_TEXT, OPTION_THRESHOLD,
	 "omit rows whose share is smaller than PERCENT", "PERCENT"},
	{"merge", 'm', ARG_TEXT, OPTION_MERGE,
	 "sum samples that were stored separately: cpu, lib, tid, tgid, "
	 "unitmask, cgroup, all",
	 "WHAT,..."},
	{"by", 0, ARG_TEXT, OPTION_BY,
	 "show a row for each cgroup, process, thread or CPU, not for each application",
	 "cgroup|tgid|tid|cpu"},
	{"diff", 0, ARG_NONE, OPTION_DIFF,
	 "compare two profiles, A and B; with --last: the last length of time, and the equally "
	 "long time before it",
	 NULL},
	{"error", 0, ARG_NONE, OPTION_ERROR, "show the sampling error of percentages", NULL},
	{"exclude-dependent", 'x', ARG_NONE, OPTION_EXCLUDE_DEPENDENT,
	 "omit dependent images: an application's libraries, and the kernel if its samples are "
	 "stored separately for each application",
	 NULL},
	{"exclude-symbols", 'e', ARG_TEXT, OPTION_EXCLUDE_SYMBOLS, "omit these symbols",
	 "SYMBOL,..."},
	{"include-symbols", 'i', ARG_TEXT, OPTION_INCLUDE_SYMBOLS, "show only these symbols",
	 "SYMBOL,..."},
	{"show-address", 'w', ARG_NONE, OPTION_SHOW_ADDRESS, "show addresses of symbols", NULL},
	{"long-filenames", 'f', ARG_NONE, OPTION_LONG_FILENAMES, "show whole paths", NULL},
	{"accumulated", 'a', ARG_NONE, OPTION_ACCUMULATED, "show running totals", NULL},
	{"global-percent", '%', ARG_NONE, OPTION_GLOBAL_PERCENT,
	 "show percentages of all samples, not of the application's samples", NULL},
	{"demangle", 'D', ARG_TEXT, OPTION_DEMANGLE, "how to show names of C++ symbols",
	 "none|normal|smart"},
	{"no-header", 'n', ARG_NONE, OPTION_NO_HEADER, "omit the header and the column heads",
	 NULL},
	{"layout", 0, ARG_TEXT, OPTION_LAYOUT,
	 "layout for scripts (opreport's default), for a terminal, or auto: for a terminal if "
	 "standard output is one (oprof report's default)",
	 "script|terminal|auto"},
	{"color", 0, ARG_TEXT, OPTION_COLOR,
	 "colours of the terminal layout; --color alone: always", "auto|always|never"},
	{"xml", 'X', ARG_NONE, OPTION_XML, "write XML", NULL},
	{"json", 0, ARG_NONE, OPTION_JSON, "write JSON", NULL},
	{"html", 0, ARG_TEXT, OPTION_HTML,
	 "write the report as one HTML page that needs no other files", "FILE"},
	{"output-file", 'o', ARG_TEXT, OPTION_OUTPUT, "write the report to", "FILE"},
	TOOL_TABLE_END};

static int add_sort(struct text_options *text, const char *name, struct diag *diag)
{
	static const char *const names[TEXT_SORT_NR] = {
		[TEXT_SORT_SAMPLE] = "sample", [TEXT_SORT_IMAGE] = "image",
		[TEXT_SORT_APP] = "app-name",  [TEXT_SORT_SYMBOL] = "symbol",
		[TEXT_SORT_VMA] = "vma",       [TEXT_SORT_DEBUG] = "debug",
	};
	size_t sort = 0;

	while (sort < TEXT_SORT_NR && strcmp(names[sort], name) != 0)
		sort++;
	if (sort == TEXT_SORT_NR)
		return diag_set(diag, -EINVAL,
				"--sort: \"%s\" is not one of sample, image, app-name, symbol, "
				"debug, vma",
				name);
	for (size_t i = 0; i < text->nr_sort; i++)
		if (text->sort[i] == (enum text_sort)sort)
			return diag_set(diag, -EINVAL, "--sort: %s is given twice", name);
	text->sort[text->nr_sort++] = (enum text_sort)sort;
	return 0;
}

static int parse_sort(struct report_options *options, const char *text, struct diag *diag)
{
	struct spec_list items;
	int error = spec_list_parse(&items, text, diag);

	for (size_t i = 0; i < items.nr_patterns && !error; i++) {
		error = add_sort(&options->text, items.patterns[i], diag);
		if (!strcmp(items.patterns[i], "debug"))
			options->profile.lines = true;
	}
	spec_list_deinit(&items);
	return error;
}

static int set_demangle(struct report_options *options, const char *text, struct diag *diag)
{
	int error = select_parse_demangle(text, &options->text.demangle, diag);

	if (!error)
		options->profile.demangle = options->text.demangle;
	return error;
}

static int set_format(struct report_options *options, enum report_format format, struct diag *diag)
{
	if (options->format != REPORT_TEXT && options->format != format)
		return diag_set(diag, -EINVAL, "a report has only one format; choose one");
	options->format = format;
	return 0;
}

static int set_pprof(struct report_options *options, const char *text, struct diag *diag)
{
	int error = set_format(options, REPORT_PPROF, diag);

	return error ? error
		     : select_keep_text(&options->output, "--pprof's file (or -o)", text, diag);
}

/* Handles --html. The page includes details, lines and times; `path` is the file to write. */
static int set_page(struct report_options *options, const char *path, struct diag *diag)
{
	int error = set_format(options, REPORT_PAGE, diag);

	if (error)
		return error;
	options->profile.symbols = options->profile.details = options->profile.by_time =
		options->profile.lines = true;
	return select_keep_text(&options->output, "--html or --output-file", path, diag);
}

static int set_layout(struct report_options *options, const char *text, struct diag *diag)
{
	static const char *const names[] = {
		[LAYOUT_SCRIPT] = "script", [LAYOUT_TERMINAL] = "terminal", [LAYOUT_AUTO] = "auto"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i])) {
			options->layout = (enum report_layout)i;
			return 0;
		}
	return diag_set(diag, -EINVAL, "--layout: \"%s\" is not one of script, terminal, auto",
			text);
}

/* Handles options that have a value, and options that choose a format of stacks. */
static int set_value(struct report_options *options, int option, const char *text,
		     struct diag *diag)
{
	switch (option) {
	case OPTION_SORT:
		return parse_sort(options, text, diag);
	case OPTION_MERGE:
		return select_parse_merge(text, &options->selection.merge, diag);
	case OPTION_BY:
		options->text.named_rows = true;
		return rows_by_parse(text, &options->selection.by, diag);
	case OPTION_EXCLUDE_SYMBOLS:
		return select_parse_list(&options->profile.exclude, "--exclude-symbols", text,
					 diag);
	case OPTION_INCLUDE_SYMBOLS:
		return select_parse_list(&options->profile.include, "--include-symbols", text,
					 diag);
	case OPTION_THRESHOLD:
		return select_parse_threshold(text, &options->text.threshold, diag);
	case OPTION_DEMANGLE:
		return set_demangle(options, text, diag);
	case OPTION_HTML:
		return set_page(options, text, diag);
	case OPTION_OUTPUT:
		return select_keep_text(&options->output, "--output-file", text, diag);
	case OPTION_LAYOUT:
		return set_layout(options, text, diag);
	case OPTION_COLOR:
		return color_when_parse(text, &options->color, diag);
	case OPTION_STACKS:
		return set_format(options, REPORT_STACKS, diag);
	case OPTION_FOLDED:
		return set_format(options, REPORT_FOLDED, diag);
	case OPTION_PPROF:
		return set_pprof(options, text, diag);
	default:
		return set_format(options, REPORT_CALLGRIND, diag);
	}
}

/* Handles options without a value. Returns false if `option` is not one of them. */
static bool set_flag(struct report_options *options, int option)
{
	bool *flag = option == OPTION_SYMBOLS		  ? &options->profile.symbols
		     : option == OPTION_SHOW_ADDRESS	  ? &options->text.show_vma
		     : option == OPTION_LONG_FILENAMES	  ? &options->text.long_names
		     : option == OPTION_ACCUMULATED	  ? &options->text.accumulated
		     : option == OPTION_GLOBAL_PERCENT	  ? &options->text.global_percent
		     : option == OPTION_REVERSE		  ? &options->text.reverse
		     : option == OPTION_EXCLUDE_DEPENDENT ? &options->selection.exclude_dependent
		     : option == OPTION_DIFF		  ? &options->diff
		     : option == OPTION_ERROR		  ? &options->text.show_error
		     : option == OPTION_CALLGRAPH	  ? &options->callgraph
							  : NULL;

	if (flag)
		*flag = true;
	else if (option == OPTION_DEBUG_INFO)
		options->profile.lines = options->text.show_lines = true;
	else if (option == OPTION_INLINES)
		options->profile.symbols = options->profile.inlines = true;
	else if (option == OPTION_DETAILS)
		options->profile.symbols = options->profile.details = options->text.show_details =
			options->text.show_vma = true;
	else if (option == OPTION_NO_HEADER)
		options->text.header = false;
	else
		return false;
	return true;
}

static int take_option(void *tool, int option, const char *text, struct diag *diag)
{
	struct report_options *options = tool;

	if (option == OPTION_XML || option == OPTION_JSON)
		return set_format(options, option == OPTION_XML ? REPORT_XML : REPORT_JSON, diag);
	if (set_flag(options, option))
		return 0;
	return set_value(options, option, text, diag);
}

static int parse_diff(struct report_options *options, const char *const *words, size_t nr_words,
		      int64_t now_ns, struct diag *diag)
{
	int64_t last_ns = 0;

	if (options->tool.from || options->tool.to)
		return diag_set(diag, -EINVAL,
				"--from and --to give one time range, but --diff compares two; "
				"write time:FROM..TO time:FROM..TO");
	if (options->tool.last) {
		int error = time_length_parse(options->tool.last, &last_ns, diag);

		if (error)
			return error;
	}
	options->nr_sides = SPEC_SIDES_MAX;
	return spec_parse_diff(options->sides, words, nr_words, last_ns, now_ns, diag);
}

static int take_words(void *tool, const char *const *words, size_t nr_words, int64_t now_ns,
		      struct diag *diag)
{
	struct report_options *options = tool;
	int error;

	if (options->diff)
		return parse_diff(options, words, nr_words, now_ns, diag);
	error = spec_parse_sides(options->sides, &options->nr_sides, words, nr_words, now_ns, diag);
	return error ? error
		     : tool_options_set_range(&options->tool, options->sides, options->nr_sides,
					      now_ns, diag);
}

static const struct tool_command command = {
	.name = "opreport",
	.usage = "[OPTION...] [PROFILE SPECIFICATION...]",
	.contains = "libbfd",
	.options = option_table,
	.take = take_option,
	.take_words = take_words,
};

/*
 * If the format is XML or JSON, refuses options that only affect text. These formats always contain
 * all data in a fixed order.
 */
static int check_document(const struct report_options *options, struct diag *diag)
{
	const struct text_options *text = &options->text;
	const char *option = text->threshold > 0    ? "--threshold"
			     : text->nr_sort	    ? "--sort"
			     : text->reverse	    ? "--reverse-sort"
			     : text->accumulated    ? "--accumulated"
			     : text->show_error	    ? "--error"
			     : text->global_percent ? "--global-percent"
			     : !text->header	    ? "--no-header"
						    : NULL;

	if ((options->format != REPORT_XML && options->format != REPORT_JSON) || !option)
		return 0;
	return diag_set(diag, -EINVAL, "%s works with the text layout only", option);
}

/* Refuses options that have no effect on a call graph or on another format of stacks. */
static int check_stacks(const struct report_options *options, struct diag *diag)
{
	const struct text_options *text = &options->text;
	const char *option = NULL;

	if (options->callgraph && options->format != REPORT_TEXT && options->format != REPORT_XML)
		return diag_set(diag, -EINVAL,
				"--callgraph cannot be combined with another format");
	if (text->accumulated)
		option = "--accumulated";
	else if (options->profile.inlines)
		option = "--inlines";
	else if (options->profile.details)
		option = "--details";
	else if (options->profile.lines)
		option = "--debug-info";
	else if (!options->callgraph && text->global_percent)
		option = "--global-percent";
	else if (!options->callgraph && text->show_vma)
		option = "--show-address";
	else if (!options->callgraph && text->nr_sort)
		option = "--sort";
	else if (!options->callgraph && text->show_error)
		option = "--error";
	else if (options->format > REPORT_STACKS && text->threshold > 0)
		option = "--threshold";
	if (!option)
		return 0;
	return diag_set(diag, -EINVAL, "%s cannot be combined with %s", option,
			options->callgraph		   ? "a call graph"
			: options->format == REPORT_STACKS ? "a tree of stacks"
							   : "a format for other programs");
}

/* Returns a given option that the terminal layout does not support; NULL: there is none. */
static const char *not_for_terminals(const struct report_options *options)
{
	return options->text.show_details	  ? "--details"
	       : options->format == REPORT_STACKS ? "--stacks"
	       : options->format != REPORT_TEXT	  ? "another format"
						  : NULL;
}

/*
 * Refuses --layout=terminal for reports that have no terminal layout. Refuses --color for the
 * layout for scripts.
 */
static int check_terminal(const struct report_options *options, struct diag *diag)
{
	const char *other = not_for_terminals(options);

	if (options->layout == LAYOUT_TERMINAL && other)
		return diag_set(diag, -EINVAL, "--layout=terminal cannot be combined with %s",
				other);
	if (options->layout == LAYOUT_SCRIPT && options->color == COLOR_ALWAYS)
		return diag_set(diag, -EINVAL,
				"--color requires the layout that has colours; add "
				"--layout=terminal");
	return 0;
}

/* Refuses options that have no effect on the chosen layout. */
static int check_layout(const struct report_options *options, struct diag *diag)
{
	const char *option = NULL;

	if (options->nr_sides > 1 && options->text.accumulated)
		return diag_set(diag, -EINVAL,
				"--accumulated cannot be combined with a comparison");
	if (report_needs_stacks(options))
		return check_stacks(options, diag);
	if (options->profile.inlines && options->format == REPORT_PAGE)
		return diag_set(diag, -EINVAL, "--html cannot be combined with --inlines");
	if (options->profile.inlines &&
	    (options->profile.include.nr_patterns || options->profile.exclude.nr_patterns))
		return diag_set(diag, -EINVAL,
				"--include-symbols and --exclude-symbols cannot be combined "
				"with --inlines, which counts inlined functions in rows of "
				"their own");
	if (options->profile.symbols)
		return 0;
	if (options->text.accumulated)
		option = "--accumulated";
	else if (options->text.show_vma)
		option = "--show-address";
	else if (options->profile.lines)
		option = "--debug-info";
	else if (options->profile.include.nr_patterns)
		option = "--include-symbols";
	else if (options->profile.exclude.nr_patterns)
		option = "--exclude-symbols";
	for (size_t i = 0; i < options->text.nr_sort; i++)
		if (options->text.sort[i] != TEXT_SORT_SAMPLE)
			option = "--sort by anything but sample";
	if (!option)
		return 0;
	return diag_set(diag, -EINVAL, "%s requires --symbols (-l)", option);
}

/* Finds an option of one of the tables: by its long name, or by its letter if name is NULL. */
static const struct poptOption *find_option(const char *name, char letter)
{
	const struct poptOption *const tables[] = {option_table, tool_option_table};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct poptOption *option = tables[i];
		     option->longName || option->shortName; option++)
			if (name ? option->longName && !strcmp(option->longName, name)
				 : option->shortName == letter)
				return option;
	return NULL;
}

static bool has_value(const struct poptOption *option)
{
	return option && (option->argInfo & POPT_ARG_MASK) != POPT_ARG_NONE;
}

/* Returns whether the argument after `word` is the value of an option in `word`. */
static bool takes_next(const char *word)
{
	if (word[0] != '-')
		return false;
	if (word[1] == '-')
		return has_value(find_option(word + 2, 0));
	for (size_t i = 1; word[i]; i++)
		if (has_value(find_option(NULL, word[i])))
			return !word[i + 1]; /* otherwise the rest of `word` is the value */
	return false;
}

/*
 * Parses the arguments. popt would take the argument after --color as its optional value. Therefore
 * --color alone is replaced by --color=always here.
 */
static int parse_arguments(struct report_options *options, int argc, const char **argv,
			   int64_t now_ns, struct diag *diag)
{
	const char **arguments = calloc((size_t)argc + 1, sizeof(*arguments));
	bool ended = false; /* by "--" */
	bool is_value = false;
	int error;

	if (!arguments)
		return diag_set(diag, -ENOMEM, "out of memory");
	for (int i = 0; i < argc; i++) {
		bool is_color = !ended && !is_value && !strcmp(argv[i], "--color");

		ended |= !is_value && !strcmp(argv[i], "--");
		arguments[i] = is_color ? "--color=always" : argv[i];
		is_value = !is_value && !is_color && takes_next(argv[i]);
	}
	error = tool_options_parse(&options->tool, &command, options, argc, arguments, now_ns,
				   diag);
	free(arguments);
	return error;
}

int report_options_parse(struct report_options *options, int argc, const char **argv,
			 int64_t now_ns, struct diag *diag)
{
	int error;

	*options = (struct report_options){.text.header = true,
					   .text.threshold = -1,
					   .text.demangle = DEMANGLE_NORMAL,
					   .profile.demangle = DEMANGLE_NORMAL};
	error = parse_arguments(options, argc, argv, now_ns, diag);
	options->default_threshold = options->text.threshold < 0;
	if (options->default_threshold)
		options->text.threshold = options->format == REPORT_STACKS ? STACKS_THRESHOLD : 0;
	options->selection.whole_rows = options->text.long_names;
	if (options->nr_sides > 1) /* a comparison does not show times */
		options->profile.by_time = false;
	if (!error)
		error = check_layout(options, diag);
	if (!error)
		error = check_document(options, diag);
	if (!error)
		error = check_terminal(options, diag);
	options->profile.root = options->tool.root;
	options->profile.image_path = options->tool.image_path;
	options->profile.cache_path = options->tool.cache_path;
	return error;
}

void report_options_choose_layout(struct report_options *options, bool is_terminal)
{
	if (options->layout == LAYOUT_AUTO) {
		bool for_people =
			(is_terminal && !options->output) || options->color == COLOR_ALWAYS;

		options->layout =
			for_people && !not_for_terminals(options) ? LAYOUT_TERMINAL : LAYOUT_SCRIPT;
	}
	if (options->layout != LAYOUT_TERMINAL)
		return;
	options->text.any_class = true;
	if (options->default_threshold)
		options->text.threshold = TERMINAL_THRESHOLD;
}

void report_options_deinit(struct report_options *options)
{
	for (size_t i = 0; i < SPEC_SIDES_MAX; i++)
		spec_deinit(&options->sides[i]);
	spec_list_deinit(&options->profile.include);
	spec_list_deinit(&options->profile.exclude);
	free(options->output);
	tool_options_deinit(&options->tool);
	*options = (struct report_options){0};
}

void report_options_show(enum tool_what what)
{
	tool_options_show(&command, what);
}
