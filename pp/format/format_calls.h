/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts of call stacks: text for people, and formats for other programs
 * (doc/man/opreport.1). The caller checks the streams for errors.
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
	/* Functions with a block of their own in a call graph; NULL: all. */
	const struct spec_list *include, *exclude;
	const struct call_places *places; /* for formats with lines; NULL: no line is known */
	const struct display *display;	  /* for the terminal layout; NULL: that of scripts */
};

/*
 * Writes each function with its callers and callees, block by block. In the terminal layout all
 * shares are of all samples. Returns 0 or -ENOMEM.
 */
int text_format_callgraph(FILE *out, const struct call_graph *graph,
			  const struct calls_options *options);

/* Writes the tree, from the outermost functions down. Returns 0, -EIO or -ENOMEM. */
int text_format_stacks(FILE *out, const struct call_tree *tree,
		       const struct calls_options *options);

/*
 * Writes one line for each stack, "app;outer;...;leaf NUMBER"; with two sides both numbers.
 * Returns 0, -EINVAL (several columns: diag names the tag), -EIO or -ENOMEM.
 */
int folded_format(FILE *out, const struct call_tree *tree, const struct calls_options *options,
		  struct diag *diag);

/*
 * Writes callgrind.out, format 1, with lines of places. Returns 0, -EINVAL (two sides) or
 * -ENOMEM.
 */
int callgrind_format(FILE *out, const struct call_graph *graph, const struct calls_options *options,
		     struct diag *diag);

/*
 * Writes profile.proto, compressed by gzip, with the lines of places. Returns 0, -EINVAL (two
 * sides) or -ENOMEM.
 */
int pprof_format(FILE *out, const struct call_tree *tree, const struct calls_options *options,
		 struct diag *diag);

#endif
