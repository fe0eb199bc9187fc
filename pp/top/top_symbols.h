/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol tables for oprof top. A separate thread loads each image's table once, so that
 * neither screen nor keys wait for a big binary. Tables are kept while they are used; if there
 * are too many, the least recently used tables are dropped.
 *
 * Only one thread may call these functions. A table from top_symbols_find() is valid until the
 * next top_symbols_begin().
 */
#ifndef PP_TOP_SYMBOLS_H
#define PP_TOP_SYMBOLS_H

#include "libdb/slice/slice.h"
#include "pp/symbols/symbols.h"

#include <stddef.h>

/* Maximum number of symbols in all kept tables, which then need about 300 MB of memory. */
#define TOP_SYMBOLS_MAX	       (4u << 20)
#define TOP_SYMBOLS_IMAGES_MAX 512

struct top_symbols;

/*
 * Creates the loader. meta_path, the session's meta folder, is copied. Returns 0, -ENOMEM or
 * another -errno.
 */
int top_symbols_create(struct top_symbols **symbols, const char *meta_path);
/*
 * If a table is being loaded, does not wait: the loading thread then frees the remaining memory
 * when it has finished, unless the process ends first. symbols may be NULL.
 */
void top_symbols_destroy(struct top_symbols *symbols);

/* Begins a refresh. Call before the top_symbols_find() calls of the refresh. */
void top_symbols_begin(struct top_symbols *symbols);

/* Returns the table of the section's image; NULL: not loaded yet, or out of memory. */
const struct symbol_table *top_symbols_find(struct top_symbols *symbols,
					    const struct slice_section *section);

/*
 * Reports that the section's table lacks a key. If names may have been added since the table was
 * loaded, the table is loaded again after some refreshes.
 */
void top_symbols_missed(struct top_symbols *symbols, const struct slice_section *section);

/*
 * Returns a descriptor that is readable if a table was loaded since the last top_symbols_begin().
 */
int top_symbols_poll_fd(const struct top_symbols *symbols);

/* Waits until all tables that top_symbols_find() requested are loaded. */
void top_symbols_wait(struct top_symbols *symbols);

#endif
