/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols that a stripped binary carries with it, compressed (.gnu_debugdata,
 * "minidebuginfo", as Fedora's have it): names of functions that are not
 * exported, nothing else. Runs in the helper.
 */
#ifndef PP_MINI_SYMBOLS_H
#define PP_MINI_SYMBOLS_H

#include "pp/symbols/symbol_file.h"

/* Open what image carries. 0, -ENOENT nothing, -EILSEQ damaged, -ENOMEM. */
int mini_symbols_open(struct symbol_file *mini, const struct symbol_file *image);

#endif
