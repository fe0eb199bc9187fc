// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Growth of a table: its root page, its directory, and splitting a page that
 * is full. The order of stores is the point of this file. New pages are
 * written first, while nothing leads to them; then one store each turns an
 * entry, or the directory, over to them. A slot counts only if the directory
 * leads its key to its page, so that a kill between any two stores leaves
 * every key counted once: copies nothing leads to are stale, and stay so,
 * since a page is zeroed before anything leads to it.
 */
#include "libdb/sdb_internal.h"

#include <errno.h>
#include <string.h>

/* A fresh page being filled: how far each line is. */
struct fresh_page {
	uint8_t *bytes;
	uint8_t fill[SDB_PAGE_LINES];
};

/* Entries first to end of the directory all lead to page. */
struct run {
	uint32_t first, end;
	uint32_t page;
};

/*
 * Readers that see one number of splits before and after a look know that
 * the pages they saw were not taken for something else meanwhile. Partner of
 * the fence: the acquire fence in sdb_image.c.
 */
static void split_begin(struct sdb_table *table)
{
	sdb_store64(&table->disk->nr_splits, table->disk->nr_splits + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void split_end(struct sdb_table *table)
{
	sdb_store64(&table->disk->nr_splits, table->disk->nr_splits + 1);
}

/* Place for one more slot in a line; NULL when it is full. */
static inline void *fresh_line(struct fresh_page *fresh, uint32_t line_bytes, bool wide)
{
	const uint32_t nr_slots = wide ? SDB_LINE_WIDE : SDB_LINE_NARROW;
	uint8_t *fill = &fresh->fill[line_bytes / SDB_LINE_BYTES];

	if (*fill == nr_slots)
		return NULL;
	return fresh->bytes + line_bytes + SDB_LINE_BYTES / nr_slots * (*fill)++;
}

/* Where the slot of a key goes; NULL when all its lines are full. */
static inline void *fresh_place(struct fresh_page *fresh, uint64_t mixed, bool wide)
{
	struct sdb_probe probe = sdb_probe_begin(mixed, SDB_PAGE_PAIRS);

	for (uint32_t left = SDB_PROBE_PAIRS; left; left--) {
		void *place = fresh_line(fresh, sdb_probe_home(&probe), wide);

		if (!place)
			place = fresh_line(fresh, sdb_probe_other(&probe), wide);
		if (place)
			return place;
		sdb_probe_next(&probe);
	}
	return NULL;
}

/* What a page is split into: positions low to middle, and middle to high. */
struct split {
	uint64_t low, middle, high;
	struct fresh_page fresh[2];
};

/* 0, or -EFBIG: so many keys go to one half that it has no line for this one. */
static inline int split_slot(struct split *split, const uint64_t *slot, bool wide)
{
	const uint64_t mixed = sdb_mix(wide ? slot[0] : slot[0] >> OPROF_SDB_NARROW_COUNT_BITS);
	const uint64_t position = sdb_position(mixed);
	uint64_t *to;

	if (position < split->low || position >= split->high)
		return 0; /* stale */
	to = fresh_place(&split->fresh[position >= split->middle], mixed, wide);
	if (!to)
		return -EFBIG;
	to[0] = slot[0];
	if (wide)
		to[1] = slot[1];
	SDB_STORED();
	return 0;
}

static inline int split_lines(struct split *split, const uint8_t *lines, uint32_t nr_pairs,
			      bool wide)
{
	const uint32_t nr_words = wide ? 2 : 1; /* of a slot; the last is 0 when it is empty */

	for (uint32_t line = 0; line < 2 * nr_pairs; line++) {
		const uint64_t *slot =
			(const uint64_t *)(const void *)(lines + line * SDB_LINE_BYTES);
		const uint64_t *end = slot + SDB_LINE_BYTES / sizeof(*slot);

		for (; slot < end && slot[nr_words - 1]; slot += nr_words) {
			int error = split_slot(split, slot, wide);

			if (error)
				return error;
		}
	}
	return 0;
}

/*
 * Copy what counts in page of table to two fresh pages. Takes them, and on
 * failure gives them back.
 */
static int split_page(struct sdb *db, const struct sdb_table *table, uint32_t page,
		      struct split *split, uint32_t fresh[2])
{
	const uint8_t *lines;
	int error;

	fresh[0] = sdb_page_get(db);
	fresh[1] = sdb_page_get(db);
	for (int half = 0; half < 2; half++) {
		split->fresh[half].bytes = sdb_page(db, fresh[half]);
		memset(split->fresh[half].fill, 0, sizeof(split->fresh[half].fill));
	}
	lines = sdb_page(db, page) + table->start_bytes;
	/* Each call inlined, for its width. */
	error = table->wide ? split_lines(split, lines, table->nr_pairs, true)
			    : split_lines(split, lines, table->nr_pairs, false);
	if (error) {
		sdb_page_put(db, fresh[1]);
		sdb_page_put(db, fresh[0]);
	}
	return error;
}

/* An empty wide or weight table gets its root page. */
static int make_root(struct sdb *db, struct sdb_table *table)
{
	int error = sdb_pages_reserve(db, 1, 0);

	if (error)
		return error;
	split_begin(table);
	sdb_store32(&table->disk->root_page, sdb_page_get(db));
	split_end(table);
	sdb_tables_attach(db);
	return 0;
}

/* The root page is full: two pages, and a directory that leads to them. */
static int make_directory(struct sdb *db, struct sdb_table *table)
{
	struct split split = {.low = 0, .middle = 1ULL << 31, .high = 1ULL << 32};
	const uint32_t old = table->root_page;
	uint32_t fresh[2], page, *entries;
	int error = sdb_pages_reserve(db, 2, 1);

	if (error)
		return error;
	split_begin(table);
	error = split_page(db, table, old, &split, fresh);
	if (!error) {
		page = sdb_pages_get_run(db, 1);
		entries = (uint32_t *)(void *)sdb_page(db, page);
		for (uint32_t i = 0; i < SDB_ENTRIES_PER_PAGE; i++)
			sdb_store32(&entries[i], fresh[i / (SDB_ENTRIES_PER_PAGE / 2)]);
		sdb_store64(&table->disk->directory, (uint64_t)page << 8 | SDB_DIRECTORY_LOG2_MIN);
	}
	split_end(table);
	if (error)
		return error;
	sdb_tables_attach(db);
	if (table->wide)
		sdb_page_put(db, old); /* the narrow one's is the header's page */
	return 0;
}

/* Twice the entries, each page's run twice as long. */
static int double_directory(struct sdb *db, struct sdb_table *table)
{
	const uint64_t old = table->disk->directory;
	const uint32_t log2 = sdb_directory_log2(old) + 1;
	const uint32_t *from;
	uint32_t page, *to;
	int error;

	/* Keys that fall together by design must not fill the disk with directories. */
	if (log2 > SDB_DIRECTORY_LOG2_MAX ||
	    (1ULL << log2) > SDB_DIRECTORY_SPARSE * sdb_header(db)->nr_pages)
		return -EFBIG;
	error = sdb_pages_reserve(db, 0, sdb_directory_pages(log2));
	if (error)
		return error;
	split_begin(table);
	page = sdb_pages_get_run(db, sdb_directory_pages(log2));
	from = (const uint32_t *)(const void *)sdb_page(db, sdb_directory_page(old));
	to = (uint32_t *)(void *)sdb_page(db, page);
	for (uint64_t i = 0; i < 1ULL << log2; i++) {
		to[i] = from[i / 2];
		SDB_STORED();
	}
	sdb_store64(&table->disk->directory, (uint64_t)page << 8 | log2);
	split_end(table);
	sdb_tables_attach(db);
	for (uint32_t i = 0; i < sdb_directory_pages(log2 - 1); i++)
		sdb_page_put(db, sdb_directory_page(old) + i);
	return 0;
}

static struct run run_find(const struct sdb_table *table, uint64_t position)
{
	const uint32_t index = (uint32_t)(position >> table->shift);
	const uint32_t nr_entries = (uint32_t)(1ULL << (32 - table->shift));
	struct run run = {index, index + 1, table->directory[index]};

	while (run.first > 0 && table->directory[run.first - 1] == run.page)
		run.first--;
	while (run.end < nr_entries && table->directory[run.end] == run.page)
		run.end++;
	return run;
}

static int split_run(struct sdb *db, struct sdb_table *table, struct run run)
{
	const uint32_t middle = run.first + (run.end - run.first) / 2;
	struct split split = {.low = (uint64_t)run.first << table->shift,
			      .middle = (uint64_t)middle << table->shift,
			      .high = (uint64_t)run.end << table->shift};
	uint32_t fresh[2], *entries;
	int error = sdb_pages_reserve(db, 2, 0);

	if (error)
		return error;
	split_begin(table);
	error = split_page(db, table, run.page, &split, fresh);
	if (!error) {
		entries = (uint32_t *)(void *)sdb_page(db,
						       sdb_directory_page(table->disk->directory));
		for (uint32_t i = run.first; i < run.end; i++)
			sdb_store32(&entries[i], fresh[i >= middle]);
	}
	split_end(table);
	if (!error)
		sdb_page_put(db, run.page);
	return error;
}

int sdb_table_make_room(struct sdb *db, struct sdb_table *table, uint64_t position)
{
	struct run run;

	if (sdb_lost(db))
		return -EIO;
	if (!table->disk->directory) {
		if (table->wide && !table->disk->root_page)
			return make_root(db, table);
		return make_directory(db, table);
	}
	run = run_find(table, position);
	if (run.end - run.first == 1)
		return double_directory(db, table);
	return split_run(db, table, run);
}
