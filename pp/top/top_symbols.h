/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol tables for oprof top: each image's is loaded once, by a thread of
 * its own, so that neither screen nor keys wait for a big binary, and kept
 * while it is used; the longest unused go when there are too many.
 *
 * One user thread. Tables that find() gave are good until the next begin().
 */
#ifndef PP_TOP_SYMBOLS_H
#define PP_TOP_SYMBOLS_H

#include "libdb/slice/slice.h"
#include "pp/symbols/symbols.h"

#include <stddef.h>

#define TOP_SYMBOLS_MAX	       (4u << 20) /* symbols of all tables that are kept; some 300 MB */
#define TOP_SYMBOLS_IMAGES_MAX 512

struct top_symbols;

/* meta_path: the session's meta folder, copied. 0, -ENOMEM or -errno. */
int top_symbols_create(struct top_symbols **symbols, const char *meta_path);
/*
 * Does not wait for what is being loaded: that ends by itself, or with the process. NULL is
 * fine.
 */
void top_symbols_destroy(struct top_symbols *symbols);

/* Before the finds of one refresh. */
void top_symbols_begin(struct top_symbols *symbols);

/* The table of the section's image; NULL: it is being loaded, or there is no memory. */
const struct symbol_table *top_symbols_find(struct top_symbols *symbols,
					    const struct slice_section *section);

/* It lacked a key: where names may have come since, it is loaded again some begin()s later. */
void top_symbols_missed(struct top_symbols *symbols, const struct slice_section *section);

/* Readable when a table was loaded since the last begin(). */
int top_symbols_poll_fd(const struct top_symbols *symbols);

/* Wait until all that find() asked for is loaded. */
void top_symbols_wait(struct top_symbols *symbols);

#endif
