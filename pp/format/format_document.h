/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports for programs: XML (doc/opreport.xsd) and JSON (doc/report-json.md), written to a
 * stream that the caller checks for errors. The sums equal those of the text layouts. A
 * document holds all rows; the only defined order is most samples first.
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
	const struct event_table *events; /* descriptions of events; NULL: fewer descriptions */
	const struct call_tree *calls;	  /* for JSON, of the same selection; NULL: no stacks */
	const struct row_code *code;	  /* for XML with details: bytes of symbols; NULL: none */
	const struct call_graph *graph;	  /* for XML: replaces the profile's rows; NULL: none */
};

/* Include details and lines if the profile has them. Return 0 or -ENOMEM. */
int document_format_xml(FILE *out, const struct profile *profile,
			const struct document_options *options);
int document_format_json(FILE *out, const struct profile *profile,
			 const struct document_options *options);

#endif
