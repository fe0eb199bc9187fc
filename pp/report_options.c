// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/report_options.h"
#include "pp/symbol_cache.h"

#include <errno.h>
#include <math.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option {
	OPTION_SYMBOLS = 1,
	OPTION_NOT_YET_DETAILS,
	OPTION_NOT_YET_CALLGRAPH,
	OPTION_NOT_YET_DEBUG_INFO,
	OPTION_NOT_YET_XML,
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
	OPTION_IMAGE_PATH,
	OPTION_ROOT,
	OPTION_SESSION_DIR,
	OPTION_LAST,
	OPTION_FROM,
	OPTION_TO,
	OPTION_DIFF,
	OPTION_ERROR,
	OPTION_VERBOSE,
	OPTION_VERSION,
	OPTION_HELP,
	OPTION_USAGE,
};

#define ARG_NONE POPT_ARG_NONE, NULL
#define ARG_TEXT POPT_ARG_STRING, NULL

static const struct poptOption option_table[] = {
	{"symbols", 'l', ARG_NONE, OPTION_SYMBOLS, "list symbols, not images", NULL},
	{"sort", 's', ARG_TEXT, OPTION_SORT, "sort by", "sample,image,app-name,symbol,vma"},
	{"reverse-sort", 'r', ARG_NONE, OPTION_REVERSE, "reverse the order", NULL},
	{"threshold", 't', ARG_TEXT, OPTION_THRESHOLD, "leave out what is below", "PERCENT"},
	{"merge", 'm', ARG_TEXT, OPTION_MERGE, "sum what was sampled apart",
	 "cpu,lib,tid,tgid,unitmask,cgroup,all"},
	{"by", 0, ARG_TEXT, OPTION_BY, "rows are these, not applications", "cgroup|tgid|tid|cpu"},
	{"last", 0, ARG_TEXT, OPTION_LAST, "of the last stretch of time only", "10m|2h|3d|..."},
	{"from", 0, ARG_TEXT, OPTION_FROM, "of what was sampled since", "TIME"},
	{"to", 0, ARG_TEXT, OPTION_TO, "of what was sampled before", "TIME"},
	{"diff", 0, ARG_NONE, OPTION_DIFF,
	 "compare two profiles: A B, or --last: with what was before", NULL},
	{"error", 0, ARG_NONE, OPTION_ERROR, "show the sampling error of percentages", NULL},
	{"exclude-dependent", 'x', ARG_NONE, OPTION_EXCLUDE_DEPENDENT,
	 "leave out libraries and kernel under applications", NULL},
	{"exclude-symbols", 'e', ARG_TEXT, OPTION_EXCLUDE_SYMBOLS, "leave out these symbols",
	 "SYMBOL,..."},
	{"include-symbols", 'i', ARG_TEXT, OPTION_INCLUDE_SYMBOLS, "take these symbols only",
	 "SYMBOL,..."},
	{"show-address", 'w', ARG_NONE, OPTION_SHOW_ADDRESS, "show addresses of symbols", NULL},
	{"long-filenames", 'f', ARG_NONE, OPTION_LONG_FILENAMES, "show whole paths", NULL},
	{"accumulated", 'a', ARG_NONE, OPTION_ACCUMULATED, "show running totals", NULL},
	{"global-percent", '%', ARG_NONE, OPTION_GLOBAL_PERCENT,
	 "percentages of all samples, not of an application's", NULL},
	{"demangle", 'D', ARG_TEXT, OPTION_DEMANGLE, "names of C++ symbols", "none|normal|smart"},
	{"no-header", 'n', ARG_NONE, OPTION_NO_HEADER, "no header, no column heads", NULL},
	{"output-file", 'o', ARG_TEXT, OPTION_OUTPUT, "write the report to", "FILE"},
	{"image-path", 'p', ARG_TEXT, OPTION_IMAGE_PATH, "look for binaries here too", "DIR,..."},
	{"root", 'R', ARG_TEXT, OPTION_ROOT, "look for binaries below", "DIR"},
	{"session-dir", 0, ARG_TEXT, OPTION_SESSION_DIR,
	 "folder of sessions (./oprofile_data, else /var/lib/oprofile)", "DIR"},
	{"verbose", 'V', ARG_NONE, OPTION_VERBOSE, "say which files are read", NULL},
	{"version", 'v', ARG_NONE, OPTION_VERSION, "show the version", NULL},
	{"details", 'd', ARG_NONE, OPTION_NOT_YET_DETAILS, "(not there yet)", NULL},
	{"callgraph", 'c', ARG_NONE, OPTION_NOT_YET_CALLGRAPH, "(not there yet)", NULL},
	{"debug-info", 'g', ARG_NONE, OPTION_NOT_YET_DEBUG_INFO, "(not there yet)", NULL},
	{"xml", 'X', ARG_NONE, OPTION_NOT_YET_XML, "(not there yet)", NULL},
	{"help", '?', ARG_NONE, OPTION_HELP, "show this help", NULL},
	{"usage", 0, ARG_NONE, OPTION_USAGE, "show brief usage", NULL},
	POPT_TABLEEND};

static int parse_merge(struct report_options *options, const char *text, struct diag *diag)
{
	static const struct {
		const char *name;
		unsigned int merge;
	} merges[] = {
		{"cpu", MERGE_CPU},
		{"lib", MERGE_LIB},
		{"tid", MERGE_TID},
		{"tgid", MERGE_TGID},
		{"unitmask", MERGE_UNIT_MASK},
		{"cgroup", MERGE_CGROUP},
		{"all", MERGE_ALL},
	};
	struct spec_list items;
	int error = spec_list_parse(&items, text, diag);

	for (size_t i = 0; i < items.nr_patterns && !error; i++) {
		error = -EINVAL;
		for (size_t j = 0; j < sizeof(merges) / sizeof(merges[0]); j++) {
			if (strcmp(items.patterns[i], merges[j].name) != 0)
				continue;
			options->selection.merge |= merges[j].merge;
			error = 0;
		}
		if (error)
			diag_set(diag, error,
				 "--merge: \"%s\" is none of cpu, lib, tid, tgid, unitmask, "
				 "cgroup, all",
				 items.patterns[i]);
	}
	spec_list_deinit(&items);
	return error;
}

static int add_sort(struct text_options *text, const char *name, struct diag *diag)
{
	static const char *const names[TEXT_SORT_NR] = {
		[TEXT_SORT_SAMPLE] = "sample", [TEXT_SORT_IMAGE] = "image",
		[TEXT_SORT_APP] = "app-name",  [TEXT_SORT_SYMBOL] = "symbol",
		[TEXT_SORT_VMA] = "vma",
	};
	size_t sort = 0;

	if (!strcmp(name, "debug"))
		return diag_set(diag, -EOPNOTSUPP,
				"--sort=debug is not there yet: source lines can't be shown yet");
	while (sort < TEXT_SORT_NR && strcmp(names[sort], name) != 0)
		sort++;
	if (sort == TEXT_SORT_NR)
		return diag_set(diag, -EINVAL,
				"--sort: \"%s\" is none of sample, image, app-name, symbol, vma",
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

	for (size_t i = 0; i < items.nr_patterns && !error; i++)
		error = add_sort(&options->text, items.patterns[i], diag);
	spec_list_deinit(&items);
	return error;
}

static int parse_threshold(struct report_options *options, const char *text, struct diag *diag)
{
	char *end;
	double percent = strtod(text, &end);

	if (end != text && *end == '%')
		end++;
	if (end == text || *end || !isfinite(percent) || percent < 0 || percent > 100)
		return diag_set(diag, -EINVAL,
				"--threshold: \"%s\" is no percentage (0 to 100, such as 0.5)",
				text);
	options->text.threshold = percent;
	return 0;
}

static int parse_demangle(struct report_options *options, const char *text, struct diag *diag)
{
	enum demangle_mode mode;

	if (!strcmp(text, "none"))
		mode = DEMANGLE_NONE;
	else if (!strcmp(text, "normal"))
		mode = DEMANGLE_NORMAL;
	else if (!strcmp(text, "smart"))
		mode = DEMANGLE_SMART;
	else
		return diag_set(diag, -EINVAL, "--demangle: \"%s\" is none of none, normal, smart",
				text);
	options->text.demangle = mode;
	options->profile.demangle = mode;
	return 0;
}

static int parse_symbols(struct spec_list *list, const char *option, const char *text,
			 struct diag *diag)
{
	if (list->nr_patterns)
		return diag_set(diag, -EINVAL, "%s is given twice; write a comma list", option);
	return spec_list_parse(list, text, diag);
}

static int keep_text(char **field, const char *option, const char *text, struct diag *diag)
{
	if (*field)
		return diag_set(diag, -EINVAL, "%s is given twice", option);
	if (!*text)
		return diag_set(diag, -EINVAL, "%s needs a value", option);
	*field = strdup(text);
	return *field ? 0 : -ENOMEM;
}

static int not_yet(int option, struct diag *diag)
{
	static const char *const names[] = {
		[OPTION_NOT_YET_DETAILS] = "--details (-d)",
		[OPTION_NOT_YET_CALLGRAPH] = "--callgraph (-c)",
		[OPTION_NOT_YET_DEBUG_INFO] = "--debug-info (-g)",
		[OPTION_NOT_YET_XML] = "--xml (-X)",
	};

	return diag_set(diag, -EOPNOTSUPP, "%s is not there yet", names[option]);
}

/* Options that take a value. */
static int set_value(struct report_options *options, int option, const char *text,
		     struct diag *diag)
{
	switch (option) {
	case OPTION_SORT:
		return parse_sort(options, text, diag);
	case OPTION_MERGE:
		return parse_merge(options, text, diag);
	case OPTION_BY:
		options->text.named_rows = true;
		return rows_by_parse(text, &options->selection.by, diag);
	case OPTION_EXCLUDE_SYMBOLS:
		return parse_symbols(&options->profile.exclude, "--exclude-symbols", text, diag);
	case OPTION_INCLUDE_SYMBOLS:
		return parse_symbols(&options->profile.include, "--include-symbols", text, diag);
	case OPTION_THRESHOLD:
		return parse_threshold(options, text, diag);
	case OPTION_DEMANGLE:
		return parse_demangle(options, text, diag);
	case OPTION_OUTPUT:
		return keep_text(&options->output, "--output-file", text, diag);
	case OPTION_IMAGE_PATH:
		return keep_text(&options->image_path, "--image-path", text, diag);
	case OPTION_LAST:
		return keep_text(&options->last, "--last", text, diag);
	case OPTION_FROM:
		return keep_text(&options->from, "--from", text, diag);
	case OPTION_TO:
		return keep_text(&options->to, "--to", text, diag);
	case OPTION_ROOT:
		return keep_text(&options->root, "--root", text, diag);
	default:
		return keep_text(&options->session_dir, "--session-dir", text, diag);
	}
}

/* Options that are only there or not; true when option is one. */
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
		     : option == OPTION_VERBOSE		  ? &options->verbose
							  : NULL;

	if (flag)
		*flag = true;
	else if (option == OPTION_NO_HEADER)
		options->text.header = false;
	else if (option == OPTION_VERSION)
		options->what = REPORT_VERSION;
	else if (option == OPTION_HELP)
		options->what = REPORT_HELP;
	else if (option == OPTION_USAGE)
		options->what = REPORT_USAGE;
	else
		return false;
	return true;
}

static int set_option(struct report_options *options, int option, const char *text,
		      struct diag *diag)
{
	if (option >= OPTION_NOT_YET_DETAILS && option <= OPTION_NOT_YET_XML)
		return not_yet(option, diag);
	if (set_flag(options, option))
		return 0;
	return set_value(options, option, text ? text : "", diag);
}

static int parse_diff(struct report_options *options, const char *const *words, size_t nr_words,
		      int64_t now_ns, struct diag *diag)
{
	int64_t last_ns = 0;

	if (options->from || options->to)
		return diag_set(diag, -EINVAL,
				"--from and --to say one stretch, and two are compared: write "
				"time:FROM..TO time:FROM..TO");
	if (options->last) {
		int error = time_length_parse(options->last, &last_ns, diag);

		if (error)
			return error;
	}
	options->nr_sides = SPEC_SIDES_MAX;
	return spec_parse_diff(options->sides, words, nr_words, last_ns, now_ns, diag);
}

/* --last, --from and --to, into the one specification that there is. */
static int set_range(struct report_options *options, int64_t now_ns, struct diag *diag)
{
	struct spec *spec = &options->sides[0];
	int error;

	if (!options->last && !options->from && !options->to)
		return 0;
	if (options->nr_sides > 1)
		return diag_set(diag, -EINVAL,
				"of a differential profile each side has its own time:FROM..TO");
	if (spec->timed || (options->last && (options->from || options->to)))
		return diag_set(diag, -EINVAL,
				"the stretch of time is given twice: choose --last, --from and "
				"--to, or time:");
	if (options->last)
		error = time_range_parse_last(options->last, now_ns, &spec->range, diag);
	else
		error = time_range_parse_points(options->from, options->to, now_ns, &spec->range,
						diag);
	spec->timed = !error;
	return error;
}

static int parse_words(struct report_options *options, poptContext context, int64_t now_ns,
		       struct diag *diag)
{
	const char **words = poptGetArgs(context);
	size_t nr_words = 0;
	int error;

	while (words && words[nr_words])
		nr_words++;
	if (options->diff)
		return parse_diff(options, words, nr_words, now_ns, diag);
	error = spec_parse_sides(options->sides, &options->nr_sides, words, nr_words, now_ns, diag);
	return error ? error : set_range(options, now_ns, diag);
}

static int parse(struct report_options *options, poptContext context, int64_t now_ns,
		 struct diag *diag)
{
	int error = 0;
	int option;

	while (!error && (option = poptGetNextOpt(context)) > 0) {
		char *text = poptGetOptArg(context);

		error = set_option(options, option, text, diag);
		free(text);
	}
	if (!error && option < -1)
		error = diag_set(diag, -EINVAL, "%s: %s (try --help)",
				 poptBadOption(context, POPT_BADOPTION_NOALIAS),
				 poptStrerror(option));
	options->selection.whole_rows = options->text.long_names;
	if (!error && options->what == REPORT_RUN)
		error = parse_words(options, context, now_ns, diag);
	return error;
}

/* What only one of the layouts has is an error in the other, not silently nothing. */
static int check_layout(const struct report_options *options, struct diag *diag)
{
	const char *option = NULL;

	if (options->nr_sides > 1 && options->text.accumulated)
		return diag_set(diag, -EINVAL,
				"--accumulated makes no sense of changes: leave it out");
	if (options->profile.symbols)
		return 0;
	if (options->text.accumulated)
		option = "--accumulated";
	else if (options->text.show_vma)
		option = "--show-address";
	else if (options->profile.include.nr_patterns)
		option = "--include-symbols";
	else if (options->profile.exclude.nr_patterns)
		option = "--exclude-symbols";
	for (size_t i = 0; i < options->text.nr_sort; i++)
		if (options->text.sort[i] != TEXT_SORT_SAMPLE)
			option = "--sort by anything but sample";
	if (!option)
		return 0;
	return diag_set(diag, -EINVAL, "%s goes with --symbols (-l) only", option);
}

int report_options_parse(struct report_options *options, int argc, const char **argv,
			 int64_t now_ns, struct diag *diag)
{
	poptContext context = poptGetContext("opreport", argc, argv, option_table, 0);
	int error;

	*options = (struct report_options){.text.header = true,
					   .text.demangle = DEMANGLE_NORMAL,
					   .profile.demangle = DEMANGLE_NORMAL};
	diag_clear(diag);
	error = context ? parse(options, context, now_ns, diag) : -ENOMEM;
	poptFreeContext(context);
	if (!error)
		error = check_layout(options, diag);
	if (error == -ENOMEM)
		diag_set(diag, error, "out of memory");
	options->profile.root = options->root;
	options->profile.image_path = options->image_path;
	options->cache_path = symbol_cache_path();
	options->profile.cache_path = options->cache_path;
	return error;
}

void report_options_deinit(struct report_options *options)
{
	for (size_t i = 0; i < SPEC_SIDES_MAX; i++)
		spec_deinit(&options->sides[i]);
	spec_list_deinit(&options->profile.include);
	spec_list_deinit(&options->profile.exclude);
	free(options->session_dir);
	free(options->output);
	free(options->last);
	free(options->from);
	free(options->to);
	free(options->root);
	free(options->image_path);
	free(options->cache_path);
	*options = (struct report_options){0};
}

void report_options_help(bool usage)
{
	const char *argv[] = {"opreport", NULL};
	poptContext context = poptGetContext("opreport", 1, argv, option_table, 0);

	poptSetOtherOptionHelp(context, "[OPTION...] [PROFILE SPECIFICATION...]");
	if (usage)
		poptPrintUsage(context, stdout, 0);
	else
		poptPrintHelp(context, stdout, 0);
	poptFreeContext(context);
}
