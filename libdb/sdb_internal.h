/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the writer: an open file, its mapping, its pages and its tables. sdb_file.c maps
 * and grows the file, sdb_pages.c allocates pages, sdb_table.c implements the hash tables,
 * sdb_sigbus.c handles pages that are lost while they are mapped.
 */
#ifndef LIBDB_SDB_INTERNAL_H
#define LIBDB_SDB_INTERNAL_H

#include "libdb/sdb.h"
#include "libdb/sdb_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In the variant of the library that the kill tests link, this function is called after every
 * store to the file. The test then examines the file, which has the content that it would have if
 * the writer was killed at that instruction.
 */
void sdb_fault_point(void);
#ifdef SDB_FAULT_POINTS
#define SDB_STORED() sdb_fault_point()
#else
#define SDB_STORED() ((void)0)
#endif

/*
 * These functions store to the file with release: a reader that sees the store also sees all
 * earlier stores. Partner: the acquire fence after each read in sdb_image.c.
 */
static inline void sdb_store64(uint64_t *where, uint64_t value)
{
	__atomic_store_n(where, value, __ATOMIC_RELEASE);
	SDB_STORED();
}

static inline void sdb_store32(uint32_t *where, uint32_t value)
{
	__atomic_store_n(where, value, __ATOMIC_RELEASE);
	SDB_STORED();
}

/* A mapping of a file, in the form that the SIGBUS handler searches. */
struct sdb_mapping {
	uintptr_t start; /* 0: not in use */
	size_t nr_bytes;
	/* 1: a page was lost; the handler sets it, in the thread that accessed the page. */
	int lost;
};

/* A table of the file, and the present addresses of its parts in memory. */
struct sdb_table {
	struct oprof_sdb_table *disk;
	const uint32_t *directory; /* in the mapping; &root_page if there is no directory */
	/* `place` >> shift is the index of the place's entry in the directory. */
	uint32_t shift;
	uint32_t nr_lines;    /* number of lines of each page in the directory */
	uint32_t start_bytes; /* offset of the first line in such a page */
	uint32_t page_first;  /* lowest page number that is valid in the directory */
	uint32_t root_page;
	bool wide; /* slots are struct sdb_wide_slot */
};

struct sdb {
	struct sdb_table narrow;
	struct sdb_table wide;
	struct sdb_table weight;
	uint8_t *map;		     /* the whole file, and reserved addresses for its growth */
	struct sdb_mapping *mapping; /* copy of map and map_bytes for the SIGBUS handler */
	uint32_t nr_mapped;	     /* number of pages that are allocated and mapped */
	int64_t start_time_ns;	     /* copies of the header's times, for fast comparison */
	int64_t end_time_ns;

	size_t map_bytes;
	uint32_t header_bytes; /* the header's value at the last sdb_tables_attach() */
	uint64_t file_bytes;   /* bytes allocated on disk */
	int fd;

	uint32_t *free_pages; /* a stack */
	size_t nr_free;
	size_t nr_free_room;
};

static inline struct oprof_sdb_header *sdb_header(const struct sdb *db)
{
	return (struct oprof_sdb_header *)(void *)db->map;
}

static inline uint8_t *sdb_page(const struct sdb *db, uint32_t page)
{
	return db->map + (size_t)page * SDB_PAGE_BYTES;
}

static inline bool sdb_lost(const struct sdb *db)
{
	return __atomic_load_n(&db->mapping->lost, __ATOMIC_RELAXED);
}

/* ---- sdb_file.c ---- */

/*
 * Adds at least nr_pages pages at the end of the file, allocates their blocks and maps them. May
 * move the mapping, which invalidates pointers into it. Returns 0, or -errno if no pages were
 * added.
 */
int sdb_file_grow(struct sdb *db, uint32_t nr_pages);

/* ---- sdb_pages.c ---- */

/* Finds the free pages, which belong to no table. Returns 0, -ENOMEM, or -EILSEQ with diag set. */
int sdb_pages_init(struct sdb *db, const char *path, struct diag *diag);
void sdb_pages_deinit(struct sdb *db);

/*
 * Ensures that the next nr_single calls of sdb_page_get and one
 * sdb_pages_get_run(nr_run) succeed. May move the mapping. Returns 0 or -errno.
 */
int sdb_pages_reserve(struct sdb *db, uint32_t nr_single, uint32_t nr_run);

/* Returns one of the reserved pages, filled with zeros. */
uint32_t sdb_page_get(struct sdb *db);

/* Returns the first of nr consecutive reserved pages, whose contents are arbitrary. */
uint32_t sdb_pages_get_run(struct sdb *db, uint32_t nr);

/* Frees a page that no longer belongs to a table. */
void sdb_page_put(struct sdb *db, uint32_t page);

/* ---- sdb_table.c ---- */

/* Sets db's pointers to its tables. To be called after the mapping was made or moved. */
void sdb_tables_attach(struct sdb *db);

/*
 * Returns whether the header and the tables are still as this writer left them. If not, another
 * program overwrote the file, and the writer must not use any value in it.
 */
bool sdb_is_sound(const struct sdb *db);

/* Makes nr_splits even. It is odd if an earlier writer was killed during a split. */
void sdb_tables_settle(struct sdb *db);

/* ---- sdb_split.c ---- */

/*
 * Makes room for a key at this place: adds the table's root page or its directory, doubles the
 * directory, or splits the page. Returns 0, and the caller must search the slot again; or -errno
 * as sdb_add.
 */
int sdb_table_make_room(struct sdb *db, struct sdb_table *table, uint64_t place);

/* ---- sdb_sigbus.c ---- */

/* Returns a mapping that the SIGBUS handler can find, or NULL if out of memory. */
struct sdb_mapping *sdb_mapping_get(void);
void sdb_mapping_put(struct sdb_mapping *mapping);
void sdb_mapping_set(struct sdb_mapping *mapping, const void *start, size_t nr_bytes);

#endif
