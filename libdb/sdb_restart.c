// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Empties a sample file in place for its next epoch, so that no new files are created when an
 * epoch ends. The file's samples are already in a slice, and may be removed in any order. First,
 * epoch_emptied is set, which marks the samples as void. At the end, one store of epoch makes the
 * empty file valid. sdb_open accepts every state in between, because directories are removed
 * before the pages to which their entries refer.
 */
#include "libdb/sdb_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/*
 * Number of pages that an emptied file keeps. The next epoch probably needs as many pages, and
 * existing pages need not be allocated and filled with zeros again. All other pages are freed.
 */
#define KEEP_PAGES 16u

/*
 * Empties a table. nr_splits is changed, so that readers read the table again, as after a split.
 * The caller has already stored epoch_emptied. The release fence orders both stores before all
 * changes that follow (another header, a shorter file, other samples): a reader that sees such a
 * change, and then reads the header again, also sees the new epoch_emptied. Partners of the fence:
 * the acquire fences in sdb_image.c and sdb_header.c.
 */
static void table_empty(struct sdb_table *table)
{
	struct oprof_sdb_table *disk = table->disk;

	sdb_store64(&disk->nr_splits, disk->nr_splits | 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	/*
	 * root_page is cleared before `directory`: without a directory, readers would use
	 * root_page, but its page may already have another use.
	 */
	if (table->wide && disk->root_page)
		sdb_store32(&disk->root_page, 0);
	if (disk->directory)
		sdb_store64(&disk->directory, 0);
}

/* Fills the narrow table's root page with zeros. Other pages are zeroed when they are allocated. */
static void narrow_root_zero(struct sdb *db)
{
	uint32_t page, start_bytes;

	sdb_narrow_root(sdb_header(db)->header_bytes, &page, &start_bytes);
	for (; start_bytes < SDB_PAGE_BYTES; start_bytes += SDB_LINE_BYTES) {
		memset(sdb_page(db, page) + start_bytes, 0, SDB_LINE_BYTES);
		SDB_STORED();
	}
}

/* Sets the header's fields that are valid only for one epoch. */
static void header_renew(struct sdb *db, const struct sdb_identity *identity)
{
	struct oprof_sdb_header *header = sdb_header(db);
	const uint32_t mine = OPROF_SDB_WEIGHTED | OPROF_SDB_HOLED;

	sdb_store64((uint64_t *)&header->start_time_ns, 0);
	sdb_store64((uint64_t *)&header->end_time_ns, 0);
	memcpy(header->boot_id, identity->boot_id, sizeof(header->boot_id));
	SDB_STORED();
	header->clock = identity->clock;
	header->cpu_khz = identity->cpu_khz;
	sdb_store32(&header->flags,
		    (header->flags & ~mine) | (identity->flags & OPROF_SDB_WEIGHTED));
	db->start_time_ns = 0;
	db->end_time_ns = 0;
}

/*
 * Truncates the file. If this fails, the failure is ignored, and the file's pages are used again.
 */
static void pages_give_back(struct sdb *db)
{
	const uint64_t keep_bytes = (uint64_t)KEEP_PAGES * SDB_PAGE_BYTES;

	if (db->file_bytes <= keep_bytes || ftruncate(db->fd, (off_t)keep_bytes) < 0)
		return;
	db->file_bytes = keep_bytes;
	db->nr_mapped = KEEP_PAGES;
	SDB_STORED();
}

int sdb_restart(struct sdb *db, const struct sdb_identity *identity)
{
	struct oprof_sdb_header *header = sdb_header(db);

	if (sdb_lost(db) || !sdb_is_sound(db) || !header->epoch || identity->epoch <= header->epoch)
		return -EIO;
	sdb_store64(&header->epoch_emptied, header->epoch);
	table_empty(&db->narrow);
	table_empty(&db->wide);
	table_empty(&db->weight);
	sdb_store64(&header->nr_pages, sdb_page_first(header->header_bytes));
	narrow_root_zero(db);
	header_renew(db, identity);
	sdb_tables_settle(db);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (sdb_lost(db))
		return -EIO;
	sdb_store64(&header->epoch, identity->epoch);
	db->nr_free = 0;
	pages_give_back(db);
	sdb_tables_attach(db);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return sdb_lost(db) ? -EIO : 0;
}
