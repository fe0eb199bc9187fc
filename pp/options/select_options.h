/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsers of the options that all report tools share. These options select
 * samples, time and symbols. Each parser handles one option and fills one field
 * of the tool.
 */
#ifndef PP_SELECT_OPTIONS_H
#define PP_SELECT_OPTIONS_H

#include "lib/diag.h"
#include "pp/selection/spec.h"
#include "pp/symbols/symbols.h"

#include <stddef.h>
#include <stdint.h>

/* These functions return 0, -EINVAL with diag set, or -ENOMEM. */

/* --merge: adds MERGE_* bits to *merge. */
int select_parse_merge(const char *text, unsigned int *merge, struct diag *diag);
/* --threshold: a percentage from 0 to 100, with or without a percent sign. */
int select_parse_threshold(const char *text, double *percent, struct diag *diag);
int select_parse_demangle(const char *text, enum demangle_mode *mode, struct diag *diag);
/* Parses a comma-separated list; refuses an option that is given twice. */
int select_parse_list(struct spec_list *list, const char *option, const char *text,
		      struct diag *diag);
/* Stores a copy of text; refuses an option that is given twice or has no value. */
int select_keep_text(char **field, const char *option, const char *text, struct diag *diag);

/*
 * Values of the options --last, --from and --to; NULL: not given.
 * select_set_range() sets sides[0].range to this time range. It refuses these
 * options if there are two sides.
 */
struct select_times {
	const char *last, *from, *to;
};

int select_set_range(struct spec *sides, size_t nr_sides, const struct select_times *times,
		     int64_t now_ns, struct diag *diag);

/* ---- running ---- */

/*
 * A time of day that is in the future is understood as yesterday's. If the
 * command line had such a time, logs the resulting range, because the user may
 * have meant another day.
 */
void select_tell_times(const struct spec *sides, size_t nr_sides);
/* Raises the soft limit of descriptors to the hard limit, because each slice needs a descriptor. */
void select_allow_descriptors(void);
/* Logs that a file is omitted, and why. Passed as skip() to other modules. */
void select_skip_file(const char *path, const struct diag *diag);

#endif
