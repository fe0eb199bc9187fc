/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which symbols of an image a report is about: by their places in its table,
 * and by the lists that users include and exclude symbols with.
 */
#ifndef PP_SYMBOL_CHOICE_H
#define PP_SYMBOL_CHOICE_H

#include "pp/selection/spec.h"
#include "pp/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The first symbol from index on that does not end before key, or nr_symbols:
 * it holds key, or begins behind it. Quick where keys are near each other, and where
 * they are not.
 */
size_t symbol_find_from(const struct symbol_table *table, size_t index, uint64_t key);

/*
 * Whether the lists leave out a symbol, by its name as in the file ("": in no
 * symbol) and as shown. A list without patterns is not there.
 */
bool symbol_is_left_out(const struct spec_list *include, const struct spec_list *exclude,
			const char *name, enum demangle_mode demangle);

#endif
