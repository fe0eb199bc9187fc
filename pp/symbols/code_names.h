/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions of code without files, as the daemon kept them in the
 * session (meta/names, doc/session.md): the keys of such samples are numbers
 * of names, so that each name is a symbol of one key.
 */
#ifndef PP_CODE_NAMES_H
#define PP_CODE_NAMES_H

#include "pp/symbols/symbols.h"

#include <stddef.h>

/*
 * Fill *table from nr_bytes of text, which is NUL-terminated behind them.
 * Lines that make no sense are left out. 0 or -ENOMEM; *table is untouched on
 * failure.
 */
int code_names_parse(const char *text, size_t nr_bytes, struct symbol_table *table);

/* The names of the session at meta_path (NULL: none). Always fills *table; 0 or -ENOMEM. */
int code_names_load(struct symbol_table *table, const char *meta_path);

#endif
