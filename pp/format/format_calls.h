/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts of call stacks: text for people, and what other programs read
 * (doc/man/opreport.1). Streams are checked for errors by the caller.
 */
#ifndef PP_FORMAT_CALLS_H
#define PP_FORMAT_CALLS_H

#include "lib/diag.h"
#include "pp/calls/call_places.h"
#include "pp/calls/call_tree.h"
#include "pp/format/format_text.h"

#include <stdio.h>

struct calls_options {
	const struct text_options *text;
	/* Functions that have a block of their own in a call graph; NULL: all. */
	const struct spec_list *include, *exclude;
	const struct call_places *places; /* of formats that have lines; NULL: none are known */
};

/* Who called a function and whom it called, block by block. 0 or -ENOMEM. */
int text_format_callgraph(FILE *out, const struct call_graph *graph,
			  const struct calls_options *options);

/* The tree, from the outermost functions down. 0 or -ENOMEM. */
int text_format_stacks(FILE *out, const struct call_tree *tree,
		       const struct calls_options *options);

/* A line a stack, "app;outer;...;leaf NUMBER"; of two sides both numbers. 0, -EINVAL (several
 * columns: diag names the tag), -ENOMEM. */
int folded_format(FILE *out, const struct call_tree *tree, const struct calls_options *options,
		  struct diag *diag);

/* callgrind.out, format 1, with the lines of places. 0, -EINVAL (two sides), -ENOMEM. */
int callgrind_format(FILE *out, const struct call_graph *graph, const struct calls_options *options,
		     struct diag *diag);

/* profile.proto, compressed by gzip, with the lines of places. 0, -EINVAL (two sides), -ENOMEM. */
int pprof_format(FILE *out, const struct call_tree *tree, const struct calls_options *options,
		 struct diag *diag);

#endif
