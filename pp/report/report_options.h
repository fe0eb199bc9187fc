/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of opreport. */
#ifndef PP_REPORT_OPTIONS_H
#define PP_REPORT_OPTIONS_H

#include "pp/base/display.h"
#include "pp/format/format_text.h"
#include "pp/profile/profile.h"
#include "pp/selection/selection.h"
#include "pp/selection/spec.h"
#include "pp/options/tool_options.h"

#include <stdbool.h>
#include <stddef.h>

enum report_format {
	REPORT_TEXT,
	REPORT_XML,
	REPORT_JSON,
	REPORT_STACKS,	  /* --stacks */
	REPORT_FOLDED,	  /* --folded */
	REPORT_PPROF,	  /* --pprof */
	REPORT_CALLGRIND, /* --callgrind */
	REPORT_PAGE,
};

/* Layouts of REPORT_TEXT. */
enum report_layout {
	LAYOUT_SCRIPT,	 /* fixed columns, for scripts */
	LAYOUT_TERMINAL, /* format_terminal.h */
	LAYOUT_AUTO,	 /* report_options_choose_layout() chooses */
};

struct report_options {
	struct tool_options tool;
	struct spec sides[SPEC_SIDES_MAX]; /* two sides: a differential profile */
	size_t nr_sides;
	struct selection_options selection;
	struct profile_options profile;
	enum report_format format;
	enum report_layout layout; /* LAYOUT_AUTO until report_options_choose_layout() */
	enum color_when color;
	bool default_threshold; /* true if -t is not given */
	struct text_options text;
	char *output;	/* -o; NULL: standard output */
	bool callgraph; /* -c */
	bool diff;	/* --diff: the arguments describe two sides */
};

/*
 * Parses the command line. Times on it are relative to now_ns. Returns 0, or -EINVAL or -ENOMEM
 * with diag set. report_options_deinit() must be called also after an error.
 */
int report_options_parse(struct report_options *options, int argc, const char **argv,
			 int64_t now_ns, struct diag *diag);
void report_options_deinit(struct report_options *options);

/*
 * Replaces LAYOUT_AUTO. Two conditions are necessary for the terminal layout: it supports the
 * requested report; and the report is written to a terminal, or --color=always is given. Otherwise
 * the layout for scripts is chosen. Sets the options that depend on the layout.
 */
void report_options_choose_layout(struct report_options *options, bool is_terminal);

/* Returns whether the report is built from call stacks. */
static inline bool report_needs_stacks(const struct report_options *options)
{
	return options->callgraph ||
	       (options->format >= REPORT_STACKS && options->format <= REPORT_CALLGRIND);
}

/* Returns whether the report includes call stacks if there are any. */
static inline bool report_takes_stacks(const struct report_options *options)
{
	return options->format == REPORT_PAGE ||
	       (options->format == REPORT_JSON && options->profile.symbols);
}

/* --help, --usage, --version. */
void report_options_show(enum tool_what what);

#endif
