/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports for programs: XML (doc/opreport.xsd) and JSON (doc/report-json.md),
 * written to a stream that the caller checks for errors. Their sums are those
 * of the text layouts: a document holds all rows, in no order that means
 * anything but most samples first.
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
	const struct event_table *events; /* says events in words; NULL: fewer words */
	const struct call_tree *calls;	  /* of the same selection, for JSON; NULL: no stacks */
	const struct row_code *code;	  /* for XML with details: bytes of symbols; NULL */
	const struct call_graph *graph;	  /* for XML: in the place of the profile's rows; NULL */
};

/* 0 or -ENOMEM. Details and lines are in it where the profile has them. */
int document_format_xml(FILE *out, const struct profile *profile,
			const struct document_options *options);
int document_format_json(FILE *out, const struct profile *profile,
			 const struct document_options *options);

#endif
