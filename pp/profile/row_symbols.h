/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of a profile's rows, and their names as shown. Each symbol is listed once, even
 * if several applications have rows of it.
 */
#ifndef PP_ROW_SYMBOLS_H
#define PP_ROW_SYMBOLS_H

#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

#define ROW_SYMBOLS_NONE "(no symbols)" /* samples outside all symbols of an image */

/* A symbol. Its rows are row_symbols.rows[first] to row_symbols.rows[first + nr - 1]. */
struct row_symbol {
	size_t first, nr;
	char *shown; /* demangled name; without a symbol: ROW_SYMBOLS_NONE or the image's path */
};

struct row_symbols {
	const struct profile *profile;
	struct row_symbol *symbols;
	size_t nr_symbols;
	size_t *rows;	   /* all rows, sorted by symbol */
	size_t *symbol_of; /* for each row: index of its symbol in `symbols` */
};

/*
 * Returns the name of a row as reports show it, such as "f(int) (inlined)"; the caller frees it.
 * row->name must not be NULL. Returns NULL if out of memory.
 */
char *row_symbol_show(const struct profile_row *row, enum demangle_mode demangle);

/* Lists the symbols of the profile's rows. Returns 0 or -ENOMEM. */
int row_symbols_init(struct row_symbols *symbols, const struct profile *profile,
		     enum demangle_mode demangle);
void row_symbols_deinit(struct row_symbols *symbols);

#endif
