/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With --by, the rows are control groups, processes, threads or CPUs instead of applications. This
 * is useful because a report may have many rows, but only few columns. One field of the class key
 * becomes the row, and no longer separates classes.
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
 * Makes the row for `key` from the field that `by` selects, and changes this field of `key` to
 * "all". Returns the name of the row, stored in strings, or NULL if out of memory. `by` must not be
 * ROWS_BY_APP. The name of a control group is its path, until rows_by_name() replaces it.
 */
const char *rows_by_take(enum rows_by by, struct class_key *key, struct strings *strings);

/*
 * Replaces nr_rows different rows by their names as shown. Returns 0; -ENOMEM; -EINVAL if "all"
 * is the only row, that is, if the samples were not separated in this way.
 */
int rows_by_name(enum rows_by by, const char **rows, size_t nr_rows, struct strings *strings,
		 struct diag *diag);

#endif
