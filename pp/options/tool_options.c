// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/options/tool_options.h"

#include "lib/file.h"
#include "lib/log.h"
#include "pp/options/select_options.h"
#include "pp/symbols/symbol_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_LAST = 1000,
	OPTION_FROM,
	OPTION_TO,
	OPTION_IMAGE_PATH,
	OPTION_ROOT,
	OPTION_SESSION_DIR,
	OPTION_VERBOSE,
	OPTION_VERSION,
	OPTION_HELP,
	OPTION_USAGE,
};

/* Not const, because popt's structs have pointers to non-const data. */
struct poptOption tool_option_table[] = {
	{"last", 0, ARG_TEXT, OPTION_LAST,
	 "only samples of the last 10 minutes, 2 hours, 3 days, ...", "10m|2h|3d|..."},
	{"from", 0, ARG_TEXT, OPTION_FROM, "only samples since this time", "TIME"},
	{"to", 0, ARG_TEXT, OPTION_TO, "only samples before this time", "TIME"},
	{"image-path", 'p', ARG_TEXT, OPTION_IMAGE_PATH, "also look for binaries in these folders",
	 "DIR,..."},
	{"root", 'R', ARG_TEXT, OPTION_ROOT, "look for binaries (and sources) below this folder",
	 "DIR"},
	{"session-dir", 0, ARG_TEXT, OPTION_SESSION_DIR,
	 "folder of sessions (./oprofile_data, else /var/lib/oprofile)", "DIR"},
	{"verbose", 'V', ARG_NONE, OPTION_VERBOSE, "report which files are read or written", NULL},
	{"version", 'v', ARG_NONE, OPTION_VERSION, "show the version", NULL},
	{"help", '?', ARG_NONE, OPTION_HELP, "show this help", NULL},
	{"usage", 0, ARG_NONE, OPTION_USAGE, "show brief usage", NULL},
	POPT_TABLEEND};

static int keep_image_path(struct tool_options *options, const char *text, struct diag *diag)
{
	if (strlen(text) > SYMBOLS_IMAGE_PATH_MAX)
		return diag_set(diag, -ENAMETOOLONG,
				"--image-path: the list of folders has %zu bytes, more than %u; "
				"give fewer folders",
				strlen(text), SYMBOLS_IMAGE_PATH_MAX);
	return select_keep_text(&options->image_path, "--image-path", text, diag);
}

static int take(struct tool_options *options, int option, const char *text, struct diag *diag)
{
	switch (option) {
	case OPTION_LAST:
		return select_keep_text(&options->last, "--last", text, diag);
	case OPTION_FROM:
		return select_keep_text(&options->from, "--from", text, diag);
	case OPTION_TO:
		return select_keep_text(&options->to, "--to", text, diag);
	case OPTION_IMAGE_PATH:
		return keep_image_path(options, text, diag);
	case OPTION_ROOT:
		return select_keep_text(&options->root, "--root", text, diag);
	case OPTION_SESSION_DIR:
		return select_keep_text(&options->session_dir, "--session-dir", text, diag);
	case OPTION_VERBOSE:
		options->verbose = true;
		return 0;
	case OPTION_VERSION:
		options->what = TOOL_VERSION;
		return 0;
	default:
		options->what = option == OPTION_HELP ? TOOL_HELP : TOOL_USAGE;
		return 0;
	}
}

static int parse_words(const struct tool_command *command, void *tool, poptContext context,
		       int64_t now_ns, struct diag *diag)
{
	const char **words = poptGetArgs(context);
	size_t nr_words = 0;

	while (words && words[nr_words])
		nr_words++;
	return command->take_words(tool, words, nr_words, now_ns, diag);
}

static int parse_options(struct tool_options *options, const struct tool_command *command,
			 void *tool, poptContext context, struct diag *diag)
{
	int error = 0;
	int option;

	while (!error && (option = poptGetNextOpt(context)) > 0) {
		char *value = poptGetOptArg(context);
		const char *text = value ? value : "";

		error = option >= OPTION_LAST ? take(options, option, text, diag)
					      : command->take(tool, option, text, diag);
		free(value);
	}
	if (!error && option < -1)
		error = diag_set(diag, -EINVAL, "%s: %s (try --help)",
				 poptBadOption(context, POPT_BADOPTION_NOALIAS),
				 poptStrerror(option));
	return error;
}

int tool_options_parse(struct tool_options *options, const struct tool_command *command, void *tool,
		       int argc, const char **argv, int64_t now_ns, struct diag *diag)
{
	poptContext context = poptGetContext(command->name, argc, argv, command->options, 0);
	int error;

	*options = (struct tool_options){0};
	diag_clear(diag);
	error = context ? parse_options(options, command, tool, context, diag) : -ENOMEM;
	if (!error && options->what == TOOL_RUN)
		error = parse_words(command, tool, context, now_ns, diag);
	poptFreeContext(context);
	if (error == -ENOMEM)
		diag_set(diag, error, "out of memory");
	options->cache_path = symbol_cache_path();
	return error;
}

void tool_options_deinit(struct tool_options *options)
{
	free(options->session_dir);
	free(options->root);
	free(options->image_path);
	free(options->last);
	free(options->from);
	free(options->to);
	free(options->cache_path);
	*options = (struct tool_options){0};
}

int tool_options_set_range(const struct tool_options *options, struct spec *sides, size_t nr_sides,
			   int64_t now_ns, struct diag *diag)
{
	const struct select_times times = {
		.last = options->last, .from = options->from, .to = options->to};

	return select_set_range(sides, nr_sides, &times, now_ns, diag);
}

void tool_show_version(const char *name, const char *contains)
{
	(void)printf("%s: oprof " OPROF_VERSION "\n"
		     "License GPL-3.0-or-later: this program contains %s. There is no warranty.\n",
		     name, contains);
}

void tool_options_show(const struct tool_command *command, enum tool_what what)
{
	const char *argv[] = {command->name, NULL};
	poptContext context;

	if (what == TOOL_VERSION) {
		tool_show_version(command->name, command->contains);
		return;
	}
	context = poptGetContext(command->name, 1, argv, command->options, 0);
	poptSetOtherOptionHelp(context, command->usage);
	if (what == TOOL_USAGE)
		poptPrintUsage(context, stdout, 0);
	else
		poptPrintHelp(context, stdout, 0);
	poptFreeContext(context);
}

int tool_end(int error)
{
	if (error)
		return 1;
	error = file_flush(stdout);
	if (error)
		log_error("cannot write to standard output: %s", strerror(-error));
	return error ? 1 : 0;
}
