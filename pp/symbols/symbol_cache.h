/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cache of symbol tables on disk, so that reports need not read the same binaries again. Tables
 * are found by build-id and path. The cache is in a folder that only the user can write to. Cached
 * data is checked like data from the helper.
 *
 * The cache is not used for binaries without a build-id, for binaries that the session kept, or if
 * the user gave other search folders (-R, -p).
 */
#ifndef PP_SYMBOL_CACHE_H
#define PP_SYMBOL_CACHE_H

#include "pp/symbols/symbol_reader.h"
#include "pp/symbols/symbols.h"

#include <stdbool.h>

/* If either limit is exceeded, the oldest files are deleted. */
#define SYMBOL_CACHE_FILES_MAX 1024
#define SYMBOL_CACHE_BYTES_MAX (256u << 20)
/*
 * A table without debug symbols is read again after this time, because debug symbols may have been
 * installed in a folder that the cache does not watch.
 */
#define SYMBOL_CACHE_LACK_SECONDS 3600

/*
 * Returns the path of the cache folder, malloc'ed. Returns NULL if the user has no home or cache
 * folder, if another user owns or can write to the cache folder, or if out of memory.
 */
char *symbol_cache_path(void);

/* Contents of a cache file: symbols or source lines. */
enum symbol_cache_content { SYMBOL_CACHE_SYMBOLS, SYMBOL_CACHE_LINES };

/* A cache file in memory: a private copy, which the caller may modify. */
struct symbol_cache_map {
	void *base;
	size_t base_bytes;
	char *bytes; /* the content, 8-byte aligned */
	size_t nr_bytes;
	bool old; /* so old that missing debug information may now be available */
};

/* Returns 0, or -ENOENT: not cached, outdated or not cacheable. */
int symbol_cache_map(const struct symbol_request *request, enum symbol_cache_content content,
		     struct symbol_cache_map *map);
void symbol_cache_unmap(struct symbol_cache_map *map);

/* Returns how many bytes the caller of symbol_cache_store must reserve before the content. */
size_t symbol_cache_front_bytes(const struct symbol_request *request);

/*
 * Stores the nr_bytes bytes at `bytes`. They begin with the reserved front, which this function
 * fills in; the content follows the front. Errors are ignored: the binary is read again next time.
 */
void symbol_cache_store(const struct symbol_request *request, enum symbol_cache_content content,
			char *bytes, size_t nr_bytes);

/* Returns 0 and fills *table; -ENOENT: not cached, outdated or not cacheable; -ENOMEM. */
int symbol_cache_read(const struct symbol_request *request, struct symbol_table *table);

/* Stores `table` if it is cacheable. Errors are ignored: the binary is read again next time. */
void symbol_cache_write(const struct symbol_request *request, const struct symbol_table *table);

#endif
