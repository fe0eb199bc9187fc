/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guesses where a function begins in its source. A line table has the line of the function's
 * first instruction, which is often inside the function, so the lines above are searched for
 * its name. This is exact enough to choose the line that shows the function's total.
 */
#ifndef PP_SOURCE_FUNCTION_H
#define PP_SOURCE_FUNCTION_H

#include "pp/annotate/source_file.h"

#include <stddef.h>

#define SOURCE_FUNCTION_LINES 100 /* lines searched above the known line */

/*
 * Returns the nearest line, at or above `line`, that has the function's name before a
 * parenthesis; if there is none, `line`. shown: the demangled name.
 */
size_t source_function_line(const struct source_file *file, size_t line, const char *shown);

/* Returns the bare name in shown: "baz" in "foo::bar<int>::baz<3>(int)"; *nr_bytes 0: none. */
const char *source_function_name(const char *shown, size_t *nr_bytes);

#endif
