/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guesses where a function begins in its source. A line table has the line of its first
 * instruction, often inside the function, so the lines above are searched for its name. This
 * is good enough to place a total.
 */
#ifndef PP_SOURCE_FUNCTION_H
#define PP_SOURCE_FUNCTION_H

#include "pp/annotate/source_file.h"

#include <stddef.h>

#define SOURCE_FUNCTION_LINES 100 /* lines searched above the known line */

/*
 * Returns the nearest line at or above line with the function's name before a parenthesis, or
 * line itself. shown is the demangled name.
 */
size_t source_function_line(const struct source_file *file, size_t line, const char *shown);

/* Returns the bare name in shown, "baz" of "foo::bar<int>::baz<3>(int)"; *nr_bytes 0: none. */
const char *source_function_name(const char *shown, size_t *nr_bytes);

#endif
