/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compressed symbols inside a stripped binary (.gnu_debugdata, "minidebuginfo", as in Fedora).
 * These symbols name only functions that are not exported. Runs in the helper.
 */
#ifndef PP_MINI_SYMBOLS_H
#define PP_MINI_SYMBOLS_H

#include "pp/symbols/symbol_file.h"

/*
 * Opens image's compressed symbols. Returns 0; -ENOENT if image has none; -EILSEQ if they are
 * damaged; -ENOMEM.
 */
int mini_symbols_open(struct symbol_file *mini, const struct symbol_file *image);

#endif
