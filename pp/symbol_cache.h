/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol tables that were read before, on disk, so that reports need not read
 * the same binaries again and again: by build-id and path, in a folder of the
 * user's own. What was kept there is checked as what comes from the helper is.
 *
 * Not for: binaries without a build-id, those that the session kept, and
 * what another folder was searched for (-R, -p).
 */
#ifndef PP_SYMBOL_CACHE_H
#define PP_SYMBOL_CACHE_H

#include "pp/symbol_reader.h"
#include "pp/symbols.h"

/* The oldest go when there are more, or more bytes. */
#define SYMBOL_CACHE_FILES_MAX 1024
#define SYMBOL_CACHE_BYTES_MAX (256u << 20)
/* Debug symbols may be installed in a place that is not looked at. */
#define SYMBOL_CACHE_LACK_SECONDS 3600

/* The user's folder for them, malloc'ed; NULL: there is none, or it is another user's. */
char *symbol_cache_path(void);

/* 0 and *table; -ENOENT: not there, not good any more or not to be cached; -ENOMEM. */
int symbol_cache_read(const struct symbol_request *request, struct symbol_table *table);

/* Keep what was read. Where that fails, it is read again next time. */
void symbol_cache_write(const struct symbol_request *request, const struct symbol_table *table);

#endif
