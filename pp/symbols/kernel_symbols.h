/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of the kernel, its modules and BPF programs, as the daemon stored them in the
 * session while profiling. Reports never use the symbols of the machine that they run on.
 * Format: doc/kernel-symbols.md.
 */
#ifndef PP_KERNEL_SYMBOLS_H
#define PP_KERNEL_SYMBOLS_H

#include "lib/diag.h"
#include "pp/symbols/symbols.h"

#include <stddef.h>

/*
 * Fills *table from nr_bytes of text, which is followed by a NUL. Returns 0; -EILSEQ with the
 * line in diag; -EPROTONOSUPPORT for another version; -ENOMEM. *table is untouched on
 * failure.
 */
int kernel_symbols_parse(const char *text, size_t nr_bytes, struct symbol_table *table,
			 struct diag *diag);

/*
 * Loads the symbols of the image with identity from meta_path. Always fills *table. Returns 0
 * or -ENOMEM.
 */
int kernel_symbols_load(struct symbol_table *table, const struct oprof_image_identity *identity,
			const char *meta_path);

#endif
