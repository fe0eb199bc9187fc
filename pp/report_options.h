/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of opreport. */
#ifndef PP_REPORT_OPTIONS_H
#define PP_REPORT_OPTIONS_H

#include "pp/format_text.h"
#include "pp/profile.h"
#include "pp/selection.h"
#include "pp/spec.h"

#include <stdbool.h>
#include <stddef.h>

struct report_options {
	struct spec sides[SPEC_SIDES_MAX]; /* two: a differential profile */
	size_t nr_sides;
	struct selection_options selection;
	struct profile_options profile;
	struct text_options text;
	char *session_dir; /* --session-dir; NULL */
	char *output;	   /* -o; NULL: standard output */
	char *root, *image_path;
	char *cache_path; /* symbol_cache.h; NULL: none */
	bool verbose;
	bool diff;		/* --diff: words are of two sides */
	char *last, *from, *to; /* --last, --from, --to; NULL */
	enum { REPORT_RUN, REPORT_HELP, REPORT_USAGE, REPORT_VERSION } what;
};

/*
 * Times are seen from now_ns. 0, or -EINVAL, -EOPNOTSUPP, -ENOMEM and diag;
 * options is to be deinited in any case.
 */
int report_options_parse(struct report_options *options, int argc, const char **argv,
			 int64_t now_ns, struct diag *diag);
void report_options_deinit(struct report_options *options);

/* --help, --usage. */
void report_options_help(bool usage);

#endif
