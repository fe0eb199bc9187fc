// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a table grow: adds its root page or its directory, or splits a full page. Correctness
 * depends on the order of stores. New pages are written first, while no directory entry refers to
 * them. Then each single store changes an entry, or the table's member `directory`, so that it
 * refers to a new page. Readers use a slot only if the directory entry for the slot's key refers to
 * the slot's page, so after a kill between any two stores every key still counts once. Copies on
 * other pages are stale and stay stale, since a page is zeroed before it is used again.
 */
#include "libdb/sdb_internal.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* mixed >> HOME_SHIFT is the home line in a page without a header, as in sdb_probe_begin(). */
#define HOME_SHIFT (32 - 6)
static_assert(SDB_PAGE_LINES == 1u << (32 - HOME_SHIFT), "a line is chosen by 6 bits");

/* A new page and the number of slots used in each of its lines. */
struct fresh_page {
	uint8_t *bytes;
	uint8_t fill[SDB_PAGE_LINES];
};

/* A run: the entries `first` to end - 1 of the directory, which all refer to one page. */
struct page_run {
	uint32_t first, end;
	uint32_t page;
};

/*
 * If a reader finds the same nr_splits before and after it reads a page, the page belonged to the
 * same places the whole time. Partner of the fence: the acquire fence in sdb_image.c.
 */
static void split_begin(struct sdb_table *table)
{
	sdb_store64(&table->disk->nr_splits, table->disk->nr_splits + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/*
 * Returns 0, or -EIO if a page was lost (SIGBUS). After -EIO, the new pages may exist only in this
 * process. Therefore no entry may be changed to refer to them; otherwise the keys of the old page
 * would be lost.
 */
static int split_written(struct sdb *db)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return sdb_lost(db) ? -EIO : 0;
}

static void split_end(struct sdb_table *table)
{
	sdb_store64(&table->disk->nr_splits, table->disk->nr_splits + 1);
}

/* Returns the next free slot of a line and marks it as used. Returns NULL if the line is full. */
static inline void *fresh_line(struct fresh_page *fresh, uint32_t line, bool wide)
{
	const uint32_t nr_slots = wide ? SDB_LINE_WIDE : SDB_LINE_NARROW;
	const uint32_t fill = fresh->fill[line];

	if (fill == nr_slots)
		return NULL;
	fresh->fill[line] = (uint8_t)(fill + 1);
	return fresh->bytes + line * SDB_LINE_BYTES + SDB_LINE_BYTES / nr_slots * fill;
}

/*
 * Finds a free slot for a key. Returns NULL if all lines in which the key may be stored are full.
 */
static __attribute__((noinline)) void *fresh_slot(struct fresh_page *fresh, uint64_t mixed,
						  bool wide)
{
	struct sdb_probe probe = sdb_probe_begin(mixed, SDB_PAGE_LINES);

	for (uint32_t left = SDB_PROBE_PAIRS; left; left--) {
		void *slot = fresh_line(fresh, probe.line, wide);

		if (!slot)
			slot = fresh_line(fresh, probe.line ^ 1, wide);
		if (slot)
			return slot;
		sdb_probe_next(&probe);
	}
	return NULL;
}

/*
 * A page is split into two halves: the keys with places in [low, middle) and in [middle, high).
 * Each half is copied to a new page. If one half has nearly all keys, this half may stay in the
 * old page.
 */
struct split {
	uint64_t low, middle, high;
	uint32_t page;	    /* the page that is split */
	uint32_t halves[2]; /* the pages of the two halves */
	struct fresh_page fresh[2];
};

enum { SPLIT_BOTH = -1 }; /* value of `copied`: copy both halves; 0 or 1: copy only this half */

/*
 * Copies a slot to the new page of its half. Returns 1 + half if all lines for the slot's key are
 * full in this page, else 0.
 */
static inline int split_slot(struct split *split, const uint64_t *slot, bool wide, int copied)
{
	const uint64_t mixed = sdb_mix(wide ? slot[0] : slot[0] >> OPROF_SDB_NARROW_COUNT_BITS);
	const uint64_t place = sdb_place(mixed);
	const int half = place >= split->middle;
	uint64_t *to;

	if (place - split->low >= split->high - split->low || (copied >= 0 && half != copied))
		return 0; /* stale, or in the half that stays */
	/*
	 * In a half-filled page the home line usually has room, which saves the computation of the
	 * probe.
	 */
	to = fresh_line(&split->fresh[half], (uint32_t)mixed >> HOME_SHIFT, wide);
	if (!to)
		to = fresh_slot(&split->fresh[half], mixed, wide);
	if (!to)
		return 1 + half;
	to[0] = slot[0];
	if (wide)
		to[1] = slot[1];
	SDB_STORED();
	return 0;
}

static inline int split_lines(struct split *split, const uint8_t *lines, uint32_t nr_lines,
			      bool wide, int copied)
{
	const uint32_t nr_words = wide ? 2 : 1; /* per slot; the last word of an empty slot is 0 */

	for (uint32_t line = 0; line < nr_lines; line++) {
		const uint64_t *slot =
			(const uint64_t *)(const void *)(lines + line * SDB_LINE_BYTES);
		const uint64_t *end = slot + SDB_LINE_BYTES / sizeof(*slot);

		for (; slot < end && slot[nr_words - 1]; slot += nr_words) {
			int full = split_slot(split, slot, wide, copied);

			if (full)
				return full;
		}
	}
	return 0;
}

/* Copies the halves to split->halves. Returns 0, or the half's number + 1, like split_slot(). */
static int split_copy(struct sdb *db, const struct sdb_table *table, struct split *split,
		      int copied)
{
	const uint8_t *lines = sdb_page(db, split->page) + table->start_bytes;

	for (int half = 0; half < 2; half++) {
		split->fresh[half].bytes = sdb_page(db, split->halves[half]);
		memset(split->fresh[half].fill, 0, sizeof(split->fresh[half].fill));
	}
	/* Both calls are inlined, each with a constant width of slots. */
	return table->wide ? split_lines(split, lines, table->nr_lines, true, copied)
			   : split_lines(split, lines, table->nr_lines, false, copied);
}

/*
 * Leaves a half in split->page. An exception is the narrow table's root, which belongs to the
 * header's pages, so directory entries may not refer to it: in this case the half gets a copy of
 * the whole page.
 */
static void split_keep(struct sdb *db, struct split *split, int half)
{
	if (split->page < sdb_page_first(sdb_header(db)->header_bytes)) {
		memcpy(sdb_page(db, split->halves[half]), sdb_page(db, split->page),
		       SDB_PAGE_BYTES);
		SDB_STORED();
	} else {
		sdb_page_put(db, split->halves[half]);
		split->halves[half] = split->page;
	}
}

/*
 * Copies the valid slots of split->page to new pages: both halves, or, if that is not possible,
 * only the smaller half. Returns 0; -EIO; or -EFBIG if neither is possible. If the function returns
 * -EFBIG, it has freed the new pages.
 */
static int split_page(struct sdb *db, const struct sdb_table *table, struct split *split)
{
	int full;

	split->halves[0] = sdb_page_get(db);
	split->halves[1] = sdb_page_get(db);
	full = split_copy(db, table, split, SPLIT_BOTH);
	if (!full)
		return split_written(db);
	/*
	 * Nearly all keys are in one half. They do not fit into a new page, because they are added
	 * to it in another order. This half stays in the old page, and the few other keys are
	 * copied. After that, each page covers fewer places, and the next split may divide the keys
	 * more evenly.
	 */
	split_keep(db, split, full - 1);
	if (!table->start_bytes && !split_copy(db, table, split, 2 - full))
		return split_written(db);
	for (int half = 0; half < 2; half++) {
		if (split->halves[half] != split->page)
			sdb_page_put(db, split->halves[half]);
	}
	return -EFBIG;
}

/* Returns whether both halves are in new pages, so that the split page becomes free. */
static bool split_leaves(const struct split *split)
{
	return split->halves[0] != split->page && split->halves[1] != split->page;
}

/* Adds the root page to an empty wide or weight table. */
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

/* Splits a full root page into two pages, and adds a directory with entries for them. */
static int make_directory(struct sdb *db, struct sdb_table *table)
{
	struct split split = {
		.low = 0, .middle = 1ULL << 31, .high = 1ULL << 32, .page = table->root_page};
	uint32_t page, *entries;
	int error = sdb_pages_reserve(db, 2, 1);

	if (error)
		return error;
	split_begin(table);
	error = split_page(db, table, &split);
	if (!error) {
		page = sdb_pages_get_run(db, 1);
		entries = (uint32_t *)(void *)sdb_page(db, page);
		for (uint32_t i = 0; i < SDB_ENTRIES_PER_PAGE; i++)
			sdb_store32(&entries[i], split.halves[i / (SDB_ENTRIES_PER_PAGE / 2)]);
		error = split_written(db);
	}
	if (!error)
		sdb_store64(&table->disk->directory, (uint64_t)page << 8 | SDB_DIRECTORY_LOG2_MIN);
	split_end(table);
	if (error)
		return error;
	sdb_tables_attach(db);
	/* The narrow table's root belongs to the header's pages. */
	if (split_leaves(&split) && split.page >= table->page_first)
		sdb_page_put(db, split.page);
	return 0;
}

/* Doubles the directory: the run of entries of each page becomes twice as long. */
static int double_directory(struct sdb *db, struct sdb_table *table)
{
	const uint64_t old = table->disk->directory;
	const uint32_t log2 = sdb_directory_log2(old) + 1;
	const uint32_t *from;
	uint32_t page, *to;
	int error;

	if (log2 > SDB_DIRECTORY_LOG2_MAX ||
	    (1ULL << log2) > sdb_directory_entries_max(sdb_header(db)->nr_pages))
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
	error = split_written(db);
	if (!error)
		sdb_store64(&table->disk->directory, (uint64_t)page << 8 | log2);
	split_end(table);
	if (error)
		return error;
	sdb_tables_attach(db);
	for (uint32_t i = 0; i < sdb_directory_pages(log2 - 1); i++)
		sdb_page_put(db, sdb_directory_page(old) + i);
	return 0;
}

static struct page_run run_find(const struct sdb_table *table, uint64_t place)
{
	const uint32_t index = (uint32_t)(place >> table->shift);
	const uint32_t nr_entries = (uint32_t)(1ULL << (32 - table->shift));
	struct page_run run = {index, index + 1, table->directory[index]};

	while (run.first > 0 && table->directory[run.first - 1] == run.page)
		run.first--;
	while (run.end < nr_entries && table->directory[run.end] == run.page)
		run.end++;
	return run;
}

/*
 * Changes the entries one by one so that they refer to the halves. The entries that still refer to
 * the old page must stay adjacent, so if the lower half stays in the old page, the last entry is
 * changed first.
 */
static void turn_entries(uint32_t *entries, struct page_run run, uint32_t middle,
			 const struct split *split)
{
	if (split->halves[0] == split->page) {
		for (uint32_t i = run.end; i-- > middle;)
			sdb_store32(&entries[i], split->halves[1]);
	} else {
		for (uint32_t i = run.first; i < run.end; i++)
			sdb_store32(&entries[i], split->halves[i >= middle]);
	}
}

static int split_run(struct sdb *db, struct sdb_table *table, struct page_run run)
{
	const uint32_t middle = run.first + (run.end - run.first) / 2;
	struct split split = {.low = (uint64_t)run.first << table->shift,
			      .middle = (uint64_t)middle << table->shift,
			      .high = (uint64_t)run.end << table->shift,
			      .page = run.page};
	uint32_t *entries;
	int error = sdb_pages_reserve(db, 2, 0);

	if (error)
		return error;
	split_begin(table);
	error = split_page(db, table, &split);
	if (!error) {
		entries = (uint32_t *)(void *)sdb_page(db,
						       sdb_directory_page(table->disk->directory));
		turn_entries(entries, run, middle, &split);
	}
	split_end(table);
	if (!error && split_leaves(&split))
		sdb_page_put(db, run.page);
	return error;
}

int sdb_table_make_room(struct sdb *db, struct sdb_table *table, uint64_t place)
{
	struct page_run run;

	if (sdb_lost(db))
		return -EIO;
	if (!sdb_is_sound(db))
		return -EILSEQ;
	if (!table->disk->directory) {
		if (table->wide && !table->disk->root_page)
			return make_root(db, table);
		return make_directory(db, table);
	}
	run = run_find(table, place);
	if (run.end - run.first == 1)
		return double_directory(db, table);
	return split_run(db, table, run);
}
