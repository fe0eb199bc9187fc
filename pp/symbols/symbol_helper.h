/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helper: a child process that reads one binary and exits. Before it reads anything, it opens
 * the most likely ELF files, limits its CPU time and memory, and gives up its privileges. After
 * that, it cannot open files; another process opens further files for it (file_opener.h). It writes
 * the result to an open descriptor. If a hostile file exploits the libraries that read it, only
 * that file's symbols are lost.
 *
 * Each image has its own process, so that a file cannot falsify another file's symbols.
 */
#ifndef PP_SYMBOL_HELPER_H
#define PP_SYMBOL_HELPER_H

#include "pp/symbols/symbol_reader.h"
#include "pp/symbols/symbols.h"

/* Type of symbol_read(), which tests replace. */
typedef int symbol_read_fn(const struct symbol_request *request, int fd);

/*
 * Runs read() in a child, then passes its output to take(). take() returns 0, -ENOMEM, or another
 * -errno if the output is invalid. Returns 0 if the child could be run, even if the child then
 * failed: *note is NULL if take() succeeded, otherwise a malloc'ed clause that names the signal,
 * limit or error. Returns -errno only if no child could be started, if out of memory, or on a stop
 * signal (-EINTR).
 */
int symbol_helper_read(const struct symbol_request *request, symbol_read_fn *read,
		       int (*take)(int fd, void *result), void *result, char **note);

/*
 * Requests the debug file of request's image from the user's servers. Returns 0, and sets *fetched
 * to a copy of *request with the path of the debug file. *fetched borrows *path, which the caller
 * frees. Returns -ENOENT if the file is not available, or -ENOMEM.
 */
int symbol_helper_fetch(const struct symbol_request *request, struct symbol_request *fetched,
			char **path);

/*
 * Like symbol_helper_read(), for symbols. If the child fails, table->lack is SYMBOLS_DAMAGED and
 * table->note gives the cause.
 */
int symbol_helper_run(const struct symbol_request *request, symbol_read_fn *read,
		      struct symbol_table *table);

#endif
