/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reports of opreport that are made of call stacks, from the flat profile to the end. */
#ifndef PP_REPORT_CALLS_H
#define PP_REPORT_CALLS_H

#include "pp/calls/call_places.h"
#include "pp/calls/call_tree.h"
#include "pp/report/report_options.h"

#include <stdbool.h>
#include <stdio.h>

struct report_calls {
	struct call_tree tree;
	struct call_graph graph;   /* where the format needs one */
	struct call_places places; /* of formats that have lines */
};

/* Whether the flat profile is to have symbols and details, for the lines in the format. */
bool report_calls_has_lines(const struct report_options *options);

/*
 * Of flat's selection. Where nothing has stacks, what other programs read is
 * made of *flat, which is then read again with its symbols. 0, -ENODATA and others as
 * call_tree_build. Nothing to deinit then but flat.
 */
int report_calls_build(struct report_calls *calls, struct profile *flat,
		       const struct report_options *options, struct diag *diag);
void report_calls_deinit(struct report_calls *calls);

int report_calls_write(FILE *out, const struct report_calls *calls,
		       const struct report_options *options, struct diag *diag);

/* Behind the flat profile's coverage: how stacks end, what has none, what lacks symbols. */
void report_calls_write_coverage(FILE *err, const struct report_calls *calls);

#endif
