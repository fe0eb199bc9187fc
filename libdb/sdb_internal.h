/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer's half of libdb, inside: an open file, its mapping, its pages
 * and its tables. sdb_file.c maps and grows, sdb_pages.c hands out pages,
 * sdb_table.c hashes, sdb_sigbus.c catches what the disk does to a mapping.
 */
#ifndef LIBDB_SDB_INTERNAL_H
#define LIBDB_SDB_INTERNAL_H

#include "libdb/sdb.h"
#include "libdb/sdb_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Every store to the file is followed by this. In the variant of the library
 * that the kill tests link, the test looks at the file there: it is what a
 * kill at that instruction would leave.
 */
void sdb_fault_point(void);
#ifdef SDB_FAULT_POINTS
#define SDB_STORED() sdb_fault_point()
#else
#define SDB_STORED() ((void)0)
#endif

/*
 * Stores to the file. Release, so that whoever sees the store sees all before
 * it; the partner is the acquire fence between two reads in sdb_image.c.
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

/* The mapping of a file, as the SIGBUS handler finds it. */
struct sdb_mapping {
	uintptr_t start; /* 0: not in use */
	size_t nr_bytes;
	int lost; /* a page was lost; set by the handler, in the thread that touched it */
};

/* A table of the file, and where its parts are now in memory. */
struct sdb_table {
	struct oprof_sdb_table *disk;
	const uint32_t *directory; /* in the mapping; &root_page while there is none */
	uint32_t shift;		   /* place >> shift is the index in the directory */
	uint32_t nr_lines;	   /* of each page that the directory leads to */
	uint32_t start_bytes;	   /* in the page, of its first line */
	uint32_t page_first;	   /* a lower page number in the directory is damage */
	uint32_t root_page;
	bool wide; /* slots are struct sdb_wide_slot */
};

struct sdb {
	struct sdb_table narrow;
	struct sdb_table wide;
	struct sdb_table weight;
	uint8_t *map;		     /* the whole file, and addresses for what it may become */
	struct sdb_mapping *mapping; /* map and map_bytes again, for the SIGBUS handler */
	uint32_t nr_mapped;	     /* pages that are on disk and mapped */
	int64_t start_time_ns;	     /* of the header: the daemon tells a time per sample */
	int64_t end_time_ns;

	size_t map_bytes;
	uint32_t header_bytes; /* as when tables were attached */
	uint64_t file_bytes;   /* allocated on disk */
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
 * Have nr_pages more pages at the end of the file, on disk and mapped. Moves
 * the mapping: pointers into it are void after this. -errno: none are there.
 */
int sdb_file_grow(struct sdb *db, uint32_t nr_pages);

/* ---- sdb_pages.c ---- */

/* Find the pages that no table leads to. 0, -ENOMEM, -EILSEQ and diag. */
int sdb_pages_init(struct sdb *db, const char *path, struct diag *diag);
void sdb_pages_deinit(struct sdb *db);

/*
 * See to it that the next nr_single sdb_page_get and one
 * sdb_pages_get_run(nr_run) can't fail. May move the mapping.
 */
int sdb_pages_reserve(struct sdb *db, uint32_t nr_single, uint32_t nr_run);

/* A page of zeros, as reserved. */
uint32_t sdb_page_get(struct sdb *db);

/* The first of nr pages one behind the other, as reserved; contents arbitrary. */
uint32_t sdb_pages_get_run(struct sdb *db, uint32_t nr);

/* Nothing leads to page any more. */
void sdb_page_put(struct sdb *db, uint32_t page);

/* ---- sdb_table.c ---- */

/* Point db's tables into its mapping again, after it moved or was made. */
void sdb_tables_attach(struct sdb *db);

/*
 * Do the header and the tables still say what this writer knows? False: the
 * file was overwritten by another, and nothing it says may be followed.
 */
bool sdb_is_sound(const struct sdb *db);

/* A writer was killed during a split: make nr_splits even again. */
void sdb_tables_settle(struct sdb *db);

/* ---- sdb_split.c ---- */

/*
 * Make room where place is: give the table its root, or split the page.
 * 0: look again. -errno: as sdb_add.
 */
int sdb_table_make_room(struct sdb *db, struct sdb_table *table, uint64_t place);

/* ---- sdb_sigbus.c ---- */

/* A mapping for the handler to find; NULL: no memory. */
struct sdb_mapping *sdb_mapping_get(void);
void sdb_mapping_put(struct sdb_mapping *mapping);
void sdb_mapping_set(struct sdb_mapping *mapping, const void *start, size_t nr_bytes);

#endif
