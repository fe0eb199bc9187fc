/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts of call stacks: text for people, and formats for other programs (doc/man/opreport.1). The
 * caller must check the streams for errors.
 */
#ifndef PP_FORMAT_CALLS_H
#define PP_FORMAT_CALLS_H

#include "lib/diag.h"
#include "pp/base/display.h"
#include "pp/calls/call_places.h"
#include "pp/calls/call_tree.h"
#include "pp/format/format_text.h"

#include <stdio.h>

struct calls_options {
	const struct text_options *text;
	/*
	 * These lists select the functions that have a block of their own in a call graph; NULL:
	 * all functions.
	 */
	const struct spec_list *include, *exclude;
	const struct call_places *places; /* for formats with lines; NULL: no line is known */
	/* for the terminal layout; NULL: the layout is for scripts */
	const struct display *display;
};

/*
 * Writes a block for each function, with its callers and callees. In the terminal layout, all
 * shares refer to the total of all samples. Returns 0 or -ENOMEM.
 */
int text_format_callgraph(FILE *out, const struct call_graph *graph,
			  const struct calls_options *options);

/* Writes the call tree, beginning with the outermost functions. Returns 0, -EIO or -ENOMEM. */
int text_format_stacks(FILE *out, const struct call_tree *tree,
		       const struct calls_options *options);

/*
 * Writes one line for each stack: "app;outer;...;leaf NUMBER". If there are two sides, the line has
 * the numbers of both. Returns 0, -EINVAL (there are several columns; diag names the tag), -EIO or
 * -ENOMEM.
 */
int folded_format(FILE *out, const struct call_tree *tree, const struct calls_options *options,
		  struct diag *diag);

/*
 * Writes the format of callgrind.out, version 1, with source lines if options->places is set.
 * Returns 0, -EINVAL (two sides) or -ENOMEM.
 */
int callgrind_format(FILE *out, const struct call_graph *graph, const struct calls_options *options,
		     struct diag *diag);

/*
 * Writes pprof's profile.proto, compressed by gzip, with source lines if options->places is set.
 * Returns 0, -EINVAL (two sides) or -ENOMEM.
 */
int pprof_format(FILE *out, const struct call_tree *tree, const struct calls_options *options,
		 struct diag *diag);

#endif
