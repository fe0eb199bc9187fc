/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the command lines of the tools that read sessions, with popt. This module has the loop
 * over options and arguments, and the options that all these tools have: folders of sessions and
 * binaries, time range, --verbose, --version, --help, --usage. select_options.h parses the values
 * of options.
 */
#ifndef PP_TOOL_OPTIONS_H
#define PP_TOOL_OPTIONS_H

#include "lib/diag.h"
#include "pp/selection/spec.h"

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tool_what { TOOL_RUN, TOOL_HELP, TOOL_USAGE, TOOL_VERSION };

struct tool_options {
	enum tool_what what;
	bool verbose;
	char *session_dir, *root, *image_path; /* NULL: not given */
	char *last, *from, *to;		       /* NULL: not given */
	char *cache_path;		       /* folder of symbol_cache.h; NULL: no cache */
};

/* Table of the common options. A tool's own table ends with TOOL_TABLE_END. */
extern struct poptOption tool_option_table[];
#define TOOL_TABLE_END                                                                             \
	{NULL, 0, POPT_ARG_INCLUDE_TABLE, tool_option_table, 0, "Options of all report tools:",    \
	 NULL},                                                                                    \
		POPT_TABLEEND
#define ARG_NONE POPT_ARG_NONE, NULL
#define ARG_TEXT POPT_ARG_STRING, NULL

/* The parts that differ between tools. */
struct tool_command {
	const char *name;
	const char *usage; /* text after the tool's name in --help */
	/* names of the libraries because of which the tool's licence is GPL-3.0-or-later */
	const char *contains;
	const struct poptOption *options; /* the tool's own options; their numbers are below 1000 */
	/*
	 * Handles an option of `options`. text is the option's value, or "".
	 * Returns 0 or -errno with diag set.
	 */
	int (*take)(void *tool, int option, const char *text, struct diag *diag);
	/*
	 * Handles the arguments. Not called with --help, --usage or --version.
	 * Returns 0 or -errno with diag set.
	 */
	int (*take_words)(void *tool, const char *const *words, size_t nr_words, int64_t now_ns,
			  struct diag *diag);
};

/*
 * Parses a command line. tool is passed to take() and take_words(). Returns 0
 * or -errno with diag set. tool_options_deinit() must be called also after a
 * failure.
 */
int tool_options_parse(struct tool_options *options, const struct tool_command *command, void *tool,
		       int argc, const char **argv, int64_t now_ns, struct diag *diag);
void tool_options_deinit(struct tool_options *options);

/*
 * Sets the time range of sides[0] if --last, --from or --to is given. Returns 0
 * or -errno with diag set.
 */
int tool_options_set_range(const struct tool_options *options, struct spec *sides, size_t nr_sides,
			   int64_t now_ns, struct diag *diag);

/* Writes the output of --help, --usage or --version to standard output. */
void tool_options_show(const struct tool_command *command, enum tool_what what);
/* Writes a tool's --version. */
void tool_show_version(const char *name, const char *contains);

/*
 * Flushes standard output. Returns the tool's exit status: 1 after an error or
 * a failed write, otherwise 0.
 */
int tool_end(int error);

#endif
