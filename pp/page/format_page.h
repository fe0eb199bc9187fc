/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a report as one self-contained HTML page: the files of pp/page/ with
 * the data of a profile that has symbols. The caller checks the stream for
 * errors.
 */
#ifndef PP_FORMAT_PAGE_H
#define PP_FORMAT_PAGE_H

#include "events/events.h"
#include "pp/calls/call_tree.h"
#include "pp/page/page_code.h"
#include "pp/profile/profile.h"

#include <stdio.h>

struct page_options {
	enum demangle_mode demangle;
	const struct event_table *events; /* NULL: fewer descriptions */
	const struct page_code *code;	  /* code of the same profile; NULL: none */
	const struct call_tree *calls;	  /* call tree of the same selection; NULL: no stacks */
};

/* Includes details, lines and time if the profile has them. Returns 0, -ENOMEM or -E2BIG. */
int page_format(FILE *out, const struct profile *profile, const struct page_options *options);

#endif
