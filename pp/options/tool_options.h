/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the command lines of the tools that read sessions have in common, round
 * popt: where sessions and binaries are, which stretch of time, --verbose,
 * --version, --help and --usage; and the way through options and words. What
 * single options mean is select_options.h's.
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
	char *cache_path;		       /* symbol_cache.h; NULL: none */
};

/* The common options' table: the last entries of a tool's own are TOOL_TABLE_END. */
extern struct poptOption tool_option_table[];
#define TOOL_TABLE_END                                                                             \
	{NULL, 0, POPT_ARG_INCLUDE_TABLE, tool_option_table, 0, "Of all report tools:", NULL},     \
		POPT_TABLEEND
#define ARG_NONE POPT_ARG_NONE, NULL
#define ARG_TEXT POPT_ARG_STRING, NULL

/* What a tool has of its own. */
struct tool_command {
	const char *name;
	const char *usage;		  /* what --help has behind the name */
	const char *contains;		  /* what makes it GPL-3.0-or-later: "libbfd" */
	const struct poptOption *options; /* numbers below 1000 */
	/* One option of that table; text: its value, or "". 0 or -errno and diag. */
	int (*take)(void *tool, int option, const char *text, struct diag *diag);
	/* The words behind the options; not with --help and the like. 0 or -errno and diag. */
	int (*take_words)(void *tool, const char *const *words, size_t nr_words, int64_t now_ns,
			  struct diag *diag);
};

/*
 * tool: what take and take_words are handed. 0 or -errno and diag; options is
 * to be deinited in any case.
 */
int tool_options_parse(struct tool_options *options, const struct tool_command *command, void *tool,
		       int argc, const char **argv, int64_t now_ns, struct diag *diag);
void tool_options_deinit(struct tool_options *options);

/* --last, --from and --to into the one specification that there is. 0 or -errno and diag. */
int tool_options_set_range(const struct tool_options *options, struct spec *sides, size_t nr_sides,
			   int64_t now_ns, struct diag *diag);

/* --help, --usage and --version, on standard output. */
void tool_options_show(const struct tool_command *command, enum tool_what what);
/* --version of a tool. */
void tool_show_version(const char *name, const char *contains);

/* The exit status of a tool that ends with error; what standard output did not take is one. */
int tool_end(int error);

#endif
