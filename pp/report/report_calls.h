/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opreport's reports of call stacks: the stages that follow after the flat profile was built. */
#ifndef PP_REPORT_CALLS_H
#define PP_REPORT_CALLS_H

#include "pp/calls/call_places.h"
#include "pp/calls/call_tree.h"
#include "pp/report/report_options.h"

#include <stdbool.h>
#include <stdio.h>

struct report_calls {
	struct call_tree tree;
	struct call_graph graph;   /* built if the format needs it */
	struct call_places places; /* built for formats with lines */
};

/* Returns whether the format has lines, so that the flat profile needs symbols and details. */
bool report_calls_has_lines(const struct report_options *options);

/*
 * Builds the report of the selection that *flat was built from. If there are no stacks, formats for
 * other programs use *flat instead, which is rebuilt with symbols if necessary. Returns 0;
 * -ENODATA: no stacks; or another error of call_tree_build(), call_graph_build() or
 * call_places_make(). After an error, the caller must deinit *flat, but not *calls.
 */
int report_calls_build(struct report_calls *calls, struct profile *flat,
		       const struct report_options *options, struct diag *diag);
void report_calls_deinit(struct report_calls *calls);

/* display is needed by the terminal layout; NULL for other layouts. */
int report_calls_write(FILE *out, const struct report_calls *calls,
		       const struct report_options *options, const struct display *display,
		       struct diag *diag);

/*
 * Writes lines that follow the flat profile's coverage. They report how many stacks are incomplete,
 * and how many samples have no stack or no symbol.
 */
void report_calls_write_coverage(FILE *err, const struct report_calls *calls);

#endif
