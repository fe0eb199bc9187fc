/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in its source a function begins. Line tables tell the line of its
 * first instruction, which is often some way into it: the text above is looked
 * through for its name. A guess, good enough for where a total stands.
 */
#ifndef PP_SOURCE_FUNCTION_H
#define PP_SOURCE_FUNCTION_H

#include "pp/annotate/source_file.h"

#include <stddef.h>

#define SOURCE_FUNCTION_LINES 100 /* looked at above the line that is known */

/*
 * The nearest line at or above line with the function's own name before a
 * parenthesis; line itself where there is none. shown: its name, demangled.
 */
size_t source_function_line(const struct source_file *file, size_t line, const char *shown);

/* The bytes of shown that are the name alone, "baz" of "foo::bar<int>::baz<3>(int)"; 0: none. */
const char *source_function_name(const char *shown, size_t *nr_bytes);

#endif
