/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects symbols of an image: by key, and by the user's include and exclude lists. */
#ifndef PP_SYMBOL_CHOICE_H
#define PP_SYMBOL_CHOICE_H

#include "pp/selection/spec.h"
#include "pp/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the first symbol at or after index that contains key or begins after key; nr_symbols
 * if there is no such symbol. Fast both for adjacent and for distant keys.
 */
size_t symbol_find_from(const struct symbol_table *table, size_t index, uint64_t key);

/*
 * Returns whether the lists exclude a symbol. `name` is the symbol's name as in its file, or "" for
 * samples without a symbol. A pattern matches this name, or the name as shown. An empty list
 * excludes nothing.
 */
bool symbol_is_left_out(const struct spec_list *include, const struct spec_list *exclude,
			const char *name, enum demangle_mode demangle);

#endif
