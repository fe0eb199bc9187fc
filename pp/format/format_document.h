/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports for programs: XML (doc/opreport.xsd) and JSON (doc/report-json.md). They are written to a
 * stream, which the caller must check for errors. The sums are the same as in the text layouts. A
 * document has all rows, those with the most samples first. The order of rows with equal numbers of
 * samples is not defined.
 */
#ifndef PP_FORMAT_DOCUMENT_H
#define PP_FORMAT_DOCUMENT_H

#include "events/events.h"
#include "pp/calls/call_tree.h"
#include "pp/profile/profile.h"
#include "pp/profile/row_code.h"

#include <stdio.h>

struct document_options {
	enum demangle_mode demangle;
	/* used to describe events; NULL: fewer events are described */
	const struct event_table *events;
	/* for JSON: call tree of the same selection; NULL: no stacks are written */
	const struct call_tree *calls;
	const struct row_code *code;	/* for XML with details: code of the symbols; NULL: none */
	const struct call_graph *graph; /* for XML: replaces the profile's rows; NULL: none */
};

/*
 * Both functions also write details and source lines if the profile has them. They return 0 or
 * -ENOMEM.
 */
int document_format_xml(FILE *out, const struct profile *profile,
			const struct document_options *options);
int document_format_json(FILE *out, const struct profile *profile,
			 const struct document_options *options);

#endif
