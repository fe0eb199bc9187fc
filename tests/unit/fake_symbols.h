/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands for pp/symbols.h in tests of what comes behind it: tables that the
 * test gives, by path; other images have no symbols. Linked before libpp.a.
 */
#ifndef TESTS_FAKE_SYMBOLS_H
#define TESTS_FAKE_SYMBOLS_H

#include "pp/symbols.h"

/* Borrowed until fake_symbols_clear(). */
void fake_symbols_set(const char *path, const struct symbol *symbols, size_t nr_symbols,
		      const char *note);
void fake_symbols_clear(void);
/* How often a table was asked for since the clear. */
unsigned int fake_symbols_nr_loads(void);

#endif
