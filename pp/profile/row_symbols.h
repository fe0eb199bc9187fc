/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of a profile's rows, each once even if several applications have rows of it,
 * and their names to show.
 */
#ifndef PP_ROW_SYMBOLS_H
#define PP_ROW_SYMBOLS_H

#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

#define ROW_SYMBOLS_NONE "(no symbols)" /* samples outside all symbols of an image */

/* Rows rows[first] up to first + nr have this symbol. */
struct row_symbol {
	size_t first, nr;
	char *shown; /* demangled; without a symbol ROW_SYMBOLS_NONE or the path of the image */
};

struct row_symbols {
	const struct profile *profile;
	struct row_symbol *symbols;
	size_t nr_symbols;
	size_t *rows;	   /* all rows, sorted by symbol */
	size_t *symbol_of; /* by row: index in symbols */
};

/*
 * Returns the name to show for a row that has a name: demangled, "f(int) (inlined)".
 * malloc'ed; NULL if memory is short.
 */
char *row_symbol_show(const struct profile_row *row, enum demangle_mode demangle);

/* Returns 0 or -ENOMEM. */
int row_symbols_init(struct row_symbols *symbols, const struct profile *profile,
		     enum demangle_mode demangle);
void row_symbols_deinit(struct row_symbols *symbols);

#endif
