/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions whose code is in no file, as the daemon stored them in the session
 * (meta/names, doc/session.md). The key of a sample in such a function is the number of its name,
 * so each name is a symbol of length 1.
 */
#ifndef PP_CODE_NAMES_H
#define PP_CODE_NAMES_H

#include "pp/symbols/symbols.h"

#include <stddef.h>

/*
 * Fills *table from nr_bytes of text, which is followed by a NUL. Malformed lines are
 * ignored. Returns 0 or -ENOMEM; *table is untouched on failure.
 */
int code_names_parse(const char *text, size_t nr_bytes, struct symbol_table *table);

/*
 * Loads the names of the session at meta_path (NULL: none). Always fills *table. Returns 0 or
 * -ENOMEM.
 */
int code_names_load(struct symbol_table *table, const char *meta_path);

#endif
