/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process that reads one binary and is gone. It may spend a bounded
 * amount of CPU and memory, open files only for reading, and reach nothing
 * of its parent but the result: whatever a hostile file does to the
 * libraries that read it costs that file's symbols, no more.
 *
 * One process per image, so that a file can't spoil another one's symbols.
 */
#ifndef PP_SYMBOL_HELPER_H
#define PP_SYMBOL_HELPER_H

#include "pp/symbol_reader.h"
#include "pp/symbols.h"

/* symbol_read, or what a test puts in its place. */
typedef int symbol_read_fn(const struct symbol_request *request, int fd);

/*
 * Fill *table with what read writes, in a child. A child that fails leaves
 * lack = SYMBOLS_DAMAGED and a note that tells the signal or limit. -errno
 * only when no child could be started, or this process has no memory.
 */
int symbol_helper_run(const struct symbol_request *request, symbol_read_fn *read,
		      struct symbol_table *table);

#endif
