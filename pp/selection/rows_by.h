/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that are control groups, processes, threads or CPUs instead of applications (--by), of
 * which there may be more than columns can show. The class key's field becomes the row and no
 * longer separates classes.
 */
#ifndef PP_ROWS_BY_H
#define PP_ROWS_BY_H

#include "lib/diag.h"
#include "pp/selection/classes.h"
#include "pp/base/strings.h"

#include <stddef.h>

enum rows_by { ROWS_BY_APP, ROWS_BY_CGROUP, ROWS_BY_TGID, ROWS_BY_TID, ROWS_BY_CPU };

/* Parses "cgroup", "tgid", "tid" or "cpu". Returns 0 or -EINVAL. */
int rows_by_parse(const char *text, enum rows_by *by, struct diag *diag);

/*
 * Returns the row for key, stored in strings, and sets the row's field in key to "all"; NULL if
 * out of memory. Not for ROWS_BY_APP. The row of a control group is its path, which rows_by_name()
 * replaces.
 */
const char *rows_by_take(enum rows_by by, struct class_key *key, struct strings *strings);

/*
 * Replaces nr_rows different rows by their names as shown. Returns 0; -ENOMEM; -EINVAL if "all"
 * is the only row, that is, if the samples were not separated in this way.
 */
int rows_by_name(enum rows_by by, const char **rows, size_t nr_rows, struct strings *strings,
		 struct diag *diag);

#endif
