/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guesses in which source line a function begins. A line table has only the line of the function's
 * first instruction, and this line is often inside the function. So the function's name is searched
 * in the lines above. This is exact enough to choose the line that shows the function's total.
 */
#ifndef PP_SOURCE_FUNCTION_H
#define PP_SOURCE_FUNCTION_H

#include "pp/annotate/source_file.h"

#include <stddef.h>

#define SOURCE_FUNCTION_LINES 100 /* how many lines above the known line are searched */

/*
 * Returns the nearest line, at or above `line`, in which a parenthesis follows the function's name;
 * if there is none, returns `line`. shown: the function's demangled name.
 */
size_t source_function_line(const struct source_file *file, size_t line, const char *shown);

/*
 * Returns the bare name within `shown`: "baz" in "foo::bar<int>::baz<3>(int)". *nr_bytes is the
 * length of this name, or 0 if `shown` has no bare name.
 */
const char *source_function_name(const char *shown, size_t *nr_bytes);

#endif
