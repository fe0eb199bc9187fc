/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the functions of a binary begin, whatever its symbols are: by its
 * code table (unwind/code_table.h), which needs none. As the daemon had it, from
 * the session folder's; else the binary is read, in the helper that reads
 * symbols.
 *
 * Not for: what they are called (symbols.h).
 */
#ifndef PP_CODE_FUNCTIONS_H
#define PP_CODE_FUNCTIONS_H

#include "pp/symbols/symbols.h"

#include <stdint.h>

struct code_table;

struct code_functions {
	struct code_table *table; /* NULL: there is none to be had */
};

/* 0, whatever there is to be had; -ENOMEM. */
int code_functions_load(struct code_functions *functions, const char *path,
			const struct oprof_image_identity *identity, enum oprof_image_kind kind,
			const struct symbol_search *search);
void code_functions_deinit(struct code_functions *functions);

/* Key of the first byte of the function that holds key; 0: none is known to. */
uint64_t code_functions_find(const struct code_functions *functions, uint64_t key);

#endif
