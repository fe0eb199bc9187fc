// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allocates pages of a sample file: free pages first, then new pages at its end. The list of free
 * pages is not stored in the file: when the file is opened, all pages that belong to no table are
 * free.
 */
#include "libdb/sdb_internal.h"

#include "lib/array.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding the free pages ---- */

struct page_marks {
	uint8_t *used; /* one byte for each page: whether a table uses it */
	const char *path;
	struct diag *diag;
};

static int mark(struct page_marks *marks, uint32_t page)
{
	if (marks->used[page])
		return diag_set_at(marks->diag, -EILSEQ, marks->path, 0,
				   "damaged: page %u is used twice", page);
	marks->used[page] = 1;
	return 0;
}

static int mark_directory(const struct sdb *db, const struct sdb_table *table,
			  struct page_marks *marks)
{
	const uint32_t log2 = sdb_directory_log2(table->disk->directory);
	const uint32_t nr_pages = (uint32_t)sdb_header(db)->nr_pages;
	int error = 0;

	for (uint32_t i = 0; i < sdb_directory_pages(log2) && !error; i++)
		error = mark(marks, sdb_directory_page(table->disk->directory) + i);
	for (uint64_t i = 0; i < 1ULL << log2 && !error; i++) {
		const uint32_t page = table->directory[i];

		if (page < table->page_first || page >= nr_pages)
			error = diag_set_at(
				marks->diag, -EILSEQ, marks->path, 0,
				"damaged: a directory refers to page %u, but the file has %u pages",
				page, nr_pages);
		else if (!i || page != table->directory[i - 1])
			error = mark(marks, page);
	}
	return error;
}

static int mark_table(const struct sdb *db, const struct sdb_table *table, struct page_marks *marks)
{
	if (table->disk->directory)
		return mark_directory(db, table, marks);
	return table->wide && table->root_page ? mark(marks, table->root_page) : 0;
}

int sdb_pages_init(struct sdb *db, const char *path, struct diag *diag)
{
	const uint32_t page_first = sdb_page_first(sdb_header(db)->header_bytes);
	const uint32_t nr_pages = (uint32_t)sdb_header(db)->nr_pages;
	struct page_marks marks = {calloc(nr_pages, 1), path, diag};
	int error;

	if (!marks.used)
		return diag_set_at(diag, -ENOMEM, path, 0, "%s", strerror(ENOMEM));
	memset(marks.used, 1, page_first);
	error = mark_table(db, &db->narrow, &marks);
	if (!error)
		error = mark_table(db, &db->wide, &marks);
	if (!error)
		error = mark_table(db, &db->weight, &marks);
	for (uint32_t page = nr_pages; page-- > page_first && !error;) {
		if (!marks.used[page])
			sdb_page_put(db, page);
	}
	free(marks.used);
	return error;
}

void sdb_pages_deinit(struct sdb *db)
{
	free(db->free_pages);
}

/* ---- allocating and freeing ---- */

int sdb_pages_reserve(struct sdb *db, uint32_t nr_single, uint32_t nr_run)
{
	const uint32_t left = db->nr_mapped - (uint32_t)sdb_header(db)->nr_pages;
	const uint32_t wanted =
		nr_run + (nr_single > db->nr_free ? nr_single - (uint32_t)db->nr_free : 0);

	return wanted <= left ? 0 : sdb_file_grow(db, wanted - left);
}

uint32_t sdb_pages_get_run(struct sdb *db, uint32_t nr)
{
	struct oprof_sdb_header *header = sdb_header(db);
	const uint32_t page = (uint32_t)header->nr_pages;

	assert(nr <= db->nr_mapped - page);
	sdb_store64(&header->nr_pages, page + (uint64_t)nr);
	return page;
}

uint32_t sdb_page_get(struct sdb *db)
{
	const uint32_t page =
		db->nr_free ? db->free_pages[--db->nr_free] : sdb_pages_get_run(db, 1);

	/*
	 * New pages are also filled with zeros: this costs little, and then their content need not
	 * be tracked.
	 */
	memset(sdb_page(db, page), 0, SDB_PAGE_BYTES);
	SDB_STORED();
	return page;
}

void sdb_page_put(struct sdb *db, uint32_t page)
{
	if (array_reserve(&db->free_pages, &db->nr_free_room, db->nr_free, 1))
		return; /* out of memory: the page becomes free when the file is opened again */
	db->free_pages[db->nr_free++] = page;
}
