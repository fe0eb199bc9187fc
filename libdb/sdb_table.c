// SPDX-License-Identifier: GPL-2.0-or-later
/* The fast path of adding samples to the hash tables of an open sample file. */
#include "lib/saturate.h"
#include "libdb/sdb_find.h"
#include "libdb/sdb_header.h"
#include "libdb/sdb_internal.h"

#include <errno.h>
#include <string.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static void table_attach(struct sdb *db, struct sdb_table *table, struct oprof_sdb_table *disk)
{
	const uint64_t directory = disk->directory;

	table->disk = disk;
	table->root_page = disk->root_page;
	table->start_bytes = 0;
	table->page_first = sdb_page_first(sdb_header(db)->header_bytes);
	if (directory) {
		table->directory =
			(const uint32_t *)(void *)sdb_page(db, sdb_directory_page(directory));
		table->shift = 32 - sdb_directory_log2(directory);
	} else {
		table->directory = &table->root_page;
		table->shift = 32;
	}
	if (!directory && !table->wide)
		sdb_narrow_root(sdb_header(db)->header_bytes, &table->page_first,
				&table->start_bytes);
	table->nr_lines = sdb_page_lines(table->start_bytes);
}

void sdb_tables_attach(struct sdb *db)
{
	struct oprof_sdb_header *header = sdb_header(db);

	db->header_bytes = header->header_bytes;
	db->wide.wide = true;
	db->weight.wide = true;
	table_attach(db, &db->narrow, &header->narrow);
	table_attach(db, &db->wide, &header->wide);
	table_attach(db, &db->weight, &header->weight);
}

static bool table_is_sound(const struct sdb *db, const struct sdb_table *table)
{
	const struct oprof_sdb_header *header = sdb_header(db);
	const uint64_t directory = table->disk->directory;

	if (sdb_table_check(table->disk, "", sdb_page_first(header->header_bytes), header->nr_pages,
			    "", NULL))
		return false;
	if (!directory)
		return table->directory == &table->root_page;
	return (const uint8_t *)table->directory == sdb_page(db, sdb_directory_page(directory)) &&
	       table->shift == 32 - sdb_directory_log2(directory);
}

bool sdb_is_sound(const struct sdb *db)
{
	const struct oprof_sdb_header *header = sdb_header(db);

	return !memcmp(header->magic, OPROF_SDB_MAGIC, sizeof(header->magic)) &&
	       header->header_bytes == db->header_bytes && header->nr_pages <= db->nr_mapped &&
	       header->nr_pages >= sdb_page_first(header->header_bytes) &&
	       table_is_sound(db, &db->narrow) && table_is_sound(db, &db->wide) &&
	       table_is_sound(db, &db->weight);
}

static void table_settle(struct sdb_table *table)
{
	const uint64_t nr_splits = table->disk->nr_splits;

	if (nr_splits & 1)
		sdb_store64(&table->disk->nr_splits, nr_splits + 1);
}

void sdb_tables_settle(struct sdb *db)
{
	table_settle(&db->narrow);
	table_settle(&db->wide);
	table_settle(&db->weight);
}

/*
 * Returns the first line of the page to which `place` belongs. Returns NULL if the table is empty
 * or the directory's entry is invalid (because another program wrote to the file).
 */
static inline uint8_t *table_page(const struct sdb *db, const struct sdb_table *table,
				  uint64_t place)
{
	const uint32_t page = table->directory[place >> table->shift];

	if (unlikely(page - table->page_first >= db->nr_mapped - table->page_first))
		return NULL;
	return sdb_page(db, page) + table->start_bytes;
}

/*
 * To be called after table_page returned NULL. Returns 0 if the table has no pages yet, else
 * -EILSEQ, since the file is damaged.
 */
static int table_refused(const struct sdb_table *table)
{
	return table->wide && !table->disk->directory && !table->disk->root_page ? 0 : -EILSEQ;
}

static inline void *line_at(uint8_t *page, uint32_t line)
{
	return page + (size_t)line * SDB_LINE_BYTES;
}

/*
 * Returns the slot of a narrow key, or an empty slot for it. Returns NULL if there is no such slot
 * in the page.
 */
static inline uint64_t *narrow_find(uint8_t *page, uint32_t nr_lines, uint64_t mixed, uint64_t key)
{
	struct sdb_probe probe = sdb_probe_begin(mixed, nr_lines);

	for (uint32_t left = sdb_probe_limit(nr_lines); left; left--) {
		uint64_t *home = line_at(page, probe.line);
		uint64_t *other = line_at(page, probe.line ^ 1);
		const unsigned int i = sdb_find_narrow(home, other, key);

		if (likely(i < SDB_PAIR_NARROW))
			return (i < SDB_LINE_NARROW ? home : other) + i % SDB_LINE_NARROW;
		sdb_probe_next(&probe);
	}
	return NULL;
}

static inline struct sdb_wide_slot *wide_find(uint8_t *page, uint32_t nr_lines, uint64_t mixed,
					      uint64_t key)
{
	struct sdb_probe probe = sdb_probe_begin(mixed, nr_lines);

	for (uint32_t left = sdb_probe_limit(nr_lines); left; left--) {
		struct sdb_wide_slot *home = line_at(page, probe.line);
		struct sdb_wide_slot *other = line_at(page, probe.line ^ 1);
		const unsigned int i = sdb_find_wide(home, other, key);

		if (likely(i < SDB_PAIR_WIDE))
			return (i < SDB_LINE_WIDE ? home : other) + i % SDB_LINE_WIDE;
		sdb_probe_next(&probe);
	}
	return NULL;
}

/*
 * Adds `value` to the slot of `key`. If `value` is 0, this function only makes room for the slot.
 * After such a call, the next call for this table and key cannot fail for lack of room.
 */
static int wide_add(struct sdb *db, struct sdb_table *table, uint64_t key, uint64_t value)
{
	const uint64_t mixed = sdb_mix(key);
	const uint64_t place = sdb_place(mixed);

	for (;;) {
		uint8_t *page = table_page(db, table, place);
		struct sdb_wide_slot *slot = NULL;
		int error = 0;

		if (likely(page))
			slot = wide_find(page, table->nr_lines, mixed, key);
		else
			error = table_refused(table);
		if (likely(slot)) {
			/*
			 * The key is stored first: a reader that sees the value then also sees the
			 * key.
			 */
			if (!slot->value)
				sdb_store64(&slot->key, key);
			sdb_store64(&slot->value, saturate_sum(slot->value, value));
			return 0;
		}
		if (!error)
			error = sdb_table_make_room(db, table, place);
		if (error)
			return error;
	}
}

/* Returns 0, -errno, or 1 if the sum does not fit a narrow slot. */
static inline int narrow_add(struct sdb *db, uint64_t key, uint64_t nr_samples)
{
	struct sdb_table *table = &db->narrow;
	const uint64_t mixed = sdb_mix(key);
	const uint64_t place = sdb_place(mixed);

	for (;;) {
		uint8_t *page = table_page(db, table, place);
		uint64_t *slot;
		int error;

		if (unlikely(!page))
			return -EILSEQ;
		slot = narrow_find(page, table->nr_lines, mixed, key);
		if (likely(slot)) {
			const uint64_t sum = (*slot & SDB_NARROW_MAX) + nr_samples;

			if (unlikely(sum > SDB_NARROW_MAX))
				return 1;
			sdb_store64(slot, key << OPROF_SDB_NARROW_COUNT_BITS | sum);
			return 0;
		}
		error = sdb_table_make_room(db, table, place);
		if (error)
			return error;
	}
}

/*
 * Sets the flag HOLED: a page of the file was lost while it was mapped. Every later call returns
 * -EIO.
 */
static __attribute__((noinline, cold)) int mark_holed(struct sdb *db)
{
	struct oprof_sdb_header *header = sdb_header(db);

	if (!(header->flags & OPROF_SDB_HOLED))
		sdb_store32(&header->flags, header->flags | OPROF_SDB_HOLED);
	return -EIO;
}

/*
 * Returns `error`, or -EIO if a page was lost. The fence ensures that the flag of the SIGBUS
 * handler is read after all stores. If a store caused SIGBUS, the handler has set the flag by then.
 */
static inline int result_of(struct sdb *db, int error)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return likely(!sdb_lost(db)) ? error : mark_holed(db);
}

static int samples_add(struct sdb *db, uint64_t key, uint64_t nr_samples)
{
	int error = 1;

	if (likely(key < SDB_NARROW_KEY_END && nr_samples <= SDB_NARROW_MAX))
		error = narrow_add(db, key, nr_samples);
	if (unlikely(error > 0))
		error = wide_add(db, &db->wide, key, nr_samples);
	return error;
}

int sdb_add(struct sdb *db, uint64_t key, uint64_t nr_samples)
{
	return result_of(db, samples_add(db, key, nr_samples));
}

int sdb_add_weighted(struct sdb *db, uint64_t key, uint64_t nr_samples, uint64_t weight)
{
	/*
	 * Either all or nothing is added: room for the weight is reserved before samples are
	 * added.
	 */
	int error = weight ? wide_add(db, &db->weight, key, 0) : 0;

	if (!error)
		error = samples_add(db, key, nr_samples);
	if (!error && weight)
		error = wide_add(db, &db->weight, key, weight);
	return result_of(db, error);
}
