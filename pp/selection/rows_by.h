/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a report that are control groups, processes, threads or CPUs in the
 * place of applications (--by), where there are more of them than columns
 * could show: the field of the key becomes the row, and is no class any more.
 */
#ifndef PP_ROWS_BY_H
#define PP_ROWS_BY_H

#include "lib/diag.h"
#include "pp/selection/classes.h"
#include "pp/base/strings.h"

#include <stddef.h>

enum rows_by { ROWS_BY_APP, ROWS_BY_CGROUP, ROWS_BY_TGID, ROWS_BY_TID, ROWS_BY_CPU };

/* "cgroup", "tgid", "tid", "cpu". 0 or -EINVAL. */
int rows_by_parse(const char *text, enum rows_by *by, struct diag *diag);

/*
 * The row that key is of, in strings, and key without it; not for ROWS_BY_APP.
 * A group's row is its path: rows_by_name. NULL: no memory.
 */
const char *rows_by_take(enum rows_by by, struct class_key *key, struct strings *strings);

/*
 * Names of nr_rows different rows as they are shown, in place. -EINVAL: there
 * is one row of all, samples were not separated so. 0 or -ENOMEM.
 */
int rows_by_name(enum rows_by by, const char **rows, size_t nr_rows, struct strings *strings,
		 struct diag *diag);

#endif
