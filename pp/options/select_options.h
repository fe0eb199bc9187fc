/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the command lines of all report tools have in common: which samples,
 * which time, which symbols. Parsers of one option each, over fields that the
 * tool owns.
 */
#ifndef PP_SELECT_OPTIONS_H
#define PP_SELECT_OPTIONS_H

#include "lib/diag.h"
#include "pp/selection/spec.h"
#include "pp/symbols/symbols.h"

#include <stddef.h>
#include <stdint.h>

/* All of these: 0, or -EINVAL, -ENOMEM and diag. */

/* --merge: adds MERGE_* bits. */
int select_parse_merge(const char *text, unsigned int *merge, struct diag *diag);
/* --threshold: percent, 0 to 100, with or without a percent sign. */
int select_parse_threshold(const char *text, double *percent, struct diag *diag);
int select_parse_demangle(const char *text, enum demangle_mode *mode, struct diag *diag);
/* A comma list; an option given twice is refused. */
int select_parse_list(struct spec_list *list, const char *option, const char *text,
		      struct diag *diag);
/* A copy of text; an option given twice or without a text is refused. */
int select_keep_text(char **field, const char *option, const char *text, struct diag *diag);

/* --last, --from and --to (NULL: not given) into the one specification that there is. */
struct select_times {
	const char *last, *from, *to;
};

int select_set_range(struct spec *sides, size_t nr_sides, const struct select_times *times,
		     int64_t now_ns, struct diag *diag);

/* ---- running ---- */

/* A time of day that is still to come today is no mistake, but it may be: log what it was taken
 * for. */
void select_tell_times(const struct spec *sides, size_t nr_sides);
/* Each slice of a long stretch is a descriptor: allow as many as this process may have. */
void select_allow_descriptors(void);
/* A sample file or slice that is left out, and why: for selection_make and profile_options. */
void select_skip_file(const char *path, const struct diag *diag);

#endif
