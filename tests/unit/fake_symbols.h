/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands for pp/symbols.h and pp/code_functions.h in tests of what comes behind
 * them: tables that the test gives, by path; other images have no symbols, and
 * their functions are not known. Linked before libpp.a.
 */
#ifndef TESTS_FAKE_SYMBOLS_H
#define TESTS_FAKE_SYMBOLS_H

#include "pp/symbols.h"

/* Borrowed until fake_symbols_clear(). */
void fake_symbols_set(const char *path, const struct symbol *symbols, size_t nr_symbols,
		      const char *note);
void fake_symbols_clear(void);
struct fake_function {
	uint64_t start, end; /* keys */
};

/* What its code table says; ascending, borrowed as symbols are. */
void fake_functions_set(const char *path, const struct fake_function *functions,
			size_t nr_functions);
/* How often a table was asked for since the clear. */
unsigned int fake_symbols_nr_loads(void);
unsigned int fake_functions_nr_loads(void);

#endif
