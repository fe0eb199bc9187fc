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

#include "pp/symbols/symbol_reader.h"
#include "pp/symbols/symbols.h"

#include <stdbool.h>

/* The oldest go when there are more, or more bytes. */
#define SYMBOL_CACHE_FILES_MAX 1024
#define SYMBOL_CACHE_BYTES_MAX (256u << 20)
/* Debug symbols may be installed in a place that is not looked at. */
#define SYMBOL_CACHE_LACK_SECONDS 3600

/* The user's folder for them, malloc'ed; NULL: there is none, or it is another user's. */
char *symbol_cache_path(void);

/* What is cached of a binary. */
enum symbol_cache_content { SYMBOL_CACHE_SYMBOLS, SYMBOL_CACHE_LINES };

/* A file of the cache in memory: our own copy of it, which may be written to. */
struct symbol_cache_map {
	void *base;
	size_t base_bytes;
	char *bytes; /* the content, 8-byte aligned */
	size_t nr_bytes;
	bool old; /* what was lacking then may be there now */
};

/* 0, or -ENOENT: not there, not good any more or not to be cached. */
int symbol_cache_map(const struct symbol_request *request, enum symbol_cache_content content,
		     struct symbol_cache_map *map);
void symbol_cache_unmap(struct symbol_cache_map *map);

/* Room that symbol_cache_store wants before the content. */
size_t symbol_cache_front_bytes(const struct symbol_request *request);

/*
 * Keep content: nr_bytes of bytes, of which the front is filled in here.
 * Where that fails, it is read again next time.
 */
void symbol_cache_store(const struct symbol_request *request, enum symbol_cache_content content,
			char *bytes, size_t nr_bytes);

/* 0 and *table; -ENOENT: not there, not good any more or not to be cached; -ENOMEM. */
int symbol_cache_read(const struct symbol_request *request, struct symbol_table *table);

/* Keep what was read. Where that fails, it is read again next time. */
void symbol_cache_write(const struct symbol_request *request, const struct symbol_table *table);

#endif
