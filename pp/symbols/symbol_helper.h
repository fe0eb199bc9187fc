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

#include "pp/symbols/symbol_reader.h"
#include "pp/symbols/symbols.h"

/* symbol_read, or what a test puts in its place. */
typedef int symbol_read_fn(const struct symbol_request *request, int fd);

/*
 * Run read in a child, and take on what it wrote to its fd. 0: *note is NULL
 * where take was content (it returns 0, -ENOMEM, or other -errno: what is
 * there is not what it expects), else a malloc'ed clause that tells the
 * signal, limit or error. -errno only when no child could be started, or this
 * process has no memory.
 */
int symbol_helper_read(const struct symbol_request *request, symbol_read_fn *read,
		       int (*take)(int fd, void *result), void *result, char **note);

/*
 * Ask the servers that the user named for the debug file of request's image.
 * 0: *fetched is request with that file, in path, which is the caller's to
 * free; -ENOENT: there is none to be had; -ENOMEM or -errno.
 */
int symbol_helper_fetch(const struct symbol_request *request, struct symbol_request *fetched,
			char **path);

/* symbol_helper_read for symbols: a child that fails leaves lack = SYMBOLS_DAMAGED and the note. */
int symbol_helper_run(const struct symbol_request *request, symbol_read_fn *read,
		      struct symbol_table *table);

#endif
