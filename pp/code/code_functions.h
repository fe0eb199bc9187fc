/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds where the functions of a binary begin, even without symbols, using its code table
 * (unwind/code_table.h). The table is read from the session folder. If the folder has none, the
 * table is built from the binary, in the helper process that reads symbols.
 *
 * Not for names of functions (symbols.h).
 */
#ifndef PP_CODE_FUNCTIONS_H
#define PP_CODE_FUNCTIONS_H

#include "pp/symbols/symbols.h"

#include <stdint.h>

struct code_table;

struct code_functions {
	struct code_table *table; /* NULL: not available */
};

/* Loads the code table. Returns -ENOMEM, or 0 even if no table is available. */
int code_functions_load(struct code_functions *functions, const char *path,
			const struct oprof_image_identity *identity, enum oprof_image_kind kind,
			const struct symbol_search *search);
void code_functions_deinit(struct code_functions *functions);

/* Returns the key of the first byte of the function that contains `key`; 0 if it is unknown. */
uint64_t code_functions_find(const struct code_functions *functions, uint64_t key);

#endif
