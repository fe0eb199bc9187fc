// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Emptying a sample file in place for its next epoch: a minute that is closed
 * costs no new files. What the file holds is in a slice by then, and so may
 * go in any order; epoch_emptied says that it is going. One store of epoch
 * makes the empty file count. Until then every state is one that sdb_open
 * takes: directories go before the pages that they lead to.
 */
#include "libdb/sdb_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/*
 * Pages that an emptied file keeps: the next epoch is likely to need as many,
 * and a page that is there costs neither blocks nor zeros. More are given back.
 */
#define KEEP_PAGES 16u

/*
 * An odd number tells readers to look again, as a split does. And whoever
 * finds what comes now - another header, a shorter file, other samples - finds
 * epoch_emptied changed when it looks again. Partners of the fence: the
 * acquire fences in sdb_image.c and sdb_header.c.
 */
static void table_empty(struct sdb_table *table)
{
	struct oprof_sdb_table *disk = table->disk;

	sdb_store64(&disk->nr_splits, disk->nr_splits | 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	/* A root page that a directory has replaced may have another use by now: it goes first. */
	if (table->wide && disk->root_page)
		sdb_store32(&disk->root_page, 0);
	if (disk->directory)
		sdb_store64(&disk->directory, 0);
}

/* The narrow table's root is the header's; pages that tables take are zeroed then. */
static void narrow_root_zero(struct sdb *db)
{
	uint32_t page, start_bytes;

	sdb_narrow_root(sdb_header(db)->header_bytes, &page, &start_bytes);
	for (; start_bytes < SDB_PAGE_BYTES; start_bytes += SDB_LINE_BYTES) {
		memset(sdb_page(db, page) + start_bytes, 0, SDB_LINE_BYTES);
		SDB_STORED();
	}
}

/* What a header says of one stretch of time only. */
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

/* Not being able to give pages back is no error: they are used again. */
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
