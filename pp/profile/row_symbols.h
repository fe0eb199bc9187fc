/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of a profile's rows, each once, whatever the applications that
 * it has rows of; and how they are shown.
 */
#ifndef PP_ROW_SYMBOLS_H
#define PP_ROW_SYMBOLS_H

#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

#define ROW_SYMBOLS_NONE "(no symbols)" /* samples of an image in none of its symbols */

/* Rows rows[first] up to first + nr are of one symbol; all of them tell what it is. */
struct row_symbol {
	size_t first, nr;
	char *shown; /* demangled; without a symbol ROW_SYMBOLS_NONE, or the path of an image */
};

struct row_symbols {
	const struct profile *profile;
	struct row_symbol *symbols;
	size_t nr_symbols;
	size_t *rows;	   /* all, by symbol */
	size_t *symbol_of; /* by row: index in symbols */
};

/* How a row with a name is shown: demangled, "f(int) (inlined)". malloc'ed; NULL: no memory. */
char *row_symbol_show(const struct profile_row *row, enum demangle_mode demangle);

/* 0 or -ENOMEM. */
int row_symbols_init(struct row_symbols *symbols, const struct profile *profile,
		     enum demangle_mode demangle);
void row_symbols_deinit(struct row_symbols *symbols);

#endif
