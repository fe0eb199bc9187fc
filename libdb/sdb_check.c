// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Verifies a sample file. Each check cites the number of its invariant in doc/sample-file.md. If a
 * writer splits a page during the check, the whole file is checked again, so that the result is
 * valid for one moment.
 */
#include "libdb/sdb.h"

#include "lib/file.h"
#include "libdb/sdb_format.h"
#include "libdb/sdb_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRIES_MAX      50
#define PAGE_TRIES_MAX 1000 /* enough: a page is full and is split before it gets so many keys */

struct checker {
	int fd;
	const char *path;
	struct diag *diag;
	struct oprof_sdb_header *header;
	uint32_t page_first;
	uint8_t *used; /* one byte for each page: whether it is in use */
	struct sdb_check_result result;
};

/* A table that is being checked. */
struct table_check {
	const struct oprof_sdb_table *table;
	const char *name;
	bool wide;
	uint32_t *directory; /* NULL: the table has no directory */
	uint64_t nr_entries;
	/*
	 * A wide page is read twice: first into `words`, then into `keys`. A narrow page is read
	 * into `words`.
	 */
	uint64_t words[SDB_PAGE_BYTES / 8];
	uint64_t keys[SDB_PAGE_BYTES / 8];
	uint64_t words_before[SDB_PAGE_BYTES / 8], keys_before[SDB_PAGE_BYTES / 8];
};

/*
 * A page of slots that is being checked. If the place of a slot's key is outside [low, high), the
 * slot is stale.
 */
struct page_check {
	uint32_t page;
	uint32_t start_bytes;
	uint64_t low, high;
};

#define damaged(checker, ...) diag_set_at((checker)->diag, -EILSEQ, (checker)->path, 0, __VA_ARGS__)

static int read_at(const struct checker *checker, void *buf, size_t nr_bytes, uint64_t offset)
{
	ssize_t nr = file_pread_all(checker->fd, buf, nr_bytes, (off_t)offset);

	if (nr < 0)
		return diag_set_at(checker->diag, (int)nr, checker->path, 0, "%s",
				   strerror((int)-nr));
	if ((size_t)nr != nr_bytes)
		return damaged(checker, "truncated: the file ends before byte %llu",
			       (unsigned long long)offset + nr_bytes);
	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* partners: see read_exactly() in sdb_image.c */
	return 0;
}

/* Invariant 4: no page has two uses. */
static int use_page(struct checker *checker, uint32_t page, const char *name)
{
	if (checker->used[page])
		return damaged(checker, "page %u of the %s table is used twice", page, name);
	checker->used[page] = 1;
	return 0;
}

/* ---- slots ---- */

static bool slot_empty(const struct table_check *check, uint32_t slot)
{
	return check->wide ? !check->words[2 * slot + 1] : !(check->words[slot] & SDB_NARROW_MAX);
}

static uint64_t slot_key(const struct table_check *check, uint32_t slot)
{
	return check->wide ? check->keys[2 * slot]
			   : check->words[slot] >> OPROF_SDB_NARROW_COUNT_BITS;
}

static uint64_t slot_value(const struct table_check *check, uint32_t slot)
{
	return check->wide ? check->words[2 * slot + 1] : check->words[slot] & SDB_NARROW_MAX;
}

static uint32_t line_slots(const struct table_check *check)
{
	return check->wide ? SDB_LINE_WIDE : SDB_LINE_NARROW;
}

/*
 * Returns the index of the first slot of line number `line`. Lines are counted from the byte
 * start_bytes of the page, slots from the start of the page.
 */
static uint32_t first_slot(const struct table_check *check, const struct page_check *where,
			   uint32_t line)
{
	return (where->start_bytes / SDB_LINE_BYTES + line) * line_slots(check);
}

/*
 * Returns whether slot is in the line whose first slot is `first`. Sets *full to whether no slot
 * of this line is empty.
 */
static bool in_line(const struct table_check *check, uint32_t first, uint32_t slot, bool *full)
{
	*full = !slot_empty(check, first + line_slots(check) - 1);
	return slot >= first && slot < first + line_slots(check);
}

/*
 * Invariants 6 and 7: a look-up that starts at the home line passes only full lines before it
 * reaches the slot, and finds no other slot with the same key on its way.
 */
static int check_reach(struct checker *checker, const struct table_check *check,
		       const struct page_check *where, uint32_t slot)
{
	const uint32_t nr_page_lines = sdb_page_lines(where->start_bytes);
	const uint64_t key = slot_key(check, slot);
	struct sdb_probe probe = sdb_probe_begin(sdb_mix(key), nr_page_lines);
	uint64_t nr_lines = 0;

	for (uint32_t left = 2 * sdb_probe_limit(nr_page_lines); left; left--) {
		const uint32_t line = probe.line ^ (left % 2);
		const uint32_t first = first_slot(check, where, line);
		bool full;
		bool here = in_line(check, first, slot, &full);

		nr_lines++;
		for (uint32_t i = first; i < (here ? slot : first + line_slots(check)); i++) {
			if (!slot_empty(check, i) && slot_key(check, i) == key)
				return damaged(checker,
					       "page %u: slots %u and %u have the same key",
					       where->page, i, slot);
		}
		if (here) {
			if (nr_lines > checker->result.longest_probe)
				checker->result.longest_probe = nr_lines;
			return 0;
		}
		if (!full)
			break;
		if (left % 2)
			sdb_probe_next(&probe);
	}
	return damaged(checker, "page %u: slot %u cannot be found from its key", where->page, slot);
}

/* Invariant 5: the slots of a line are filled from its start. */
static int check_order(struct checker *checker, const struct table_check *check,
		       const struct page_check *where, uint32_t slot)
{
	if (slot % line_slots(check) == 0 || !slot_empty(check, slot - 1))
		return 0;
	return damaged(checker, "page %u: slot %u is used, but the previous slot is empty",
		       where->page, slot);
}

static int check_slot(struct checker *checker, const struct table_check *check,
		      const struct page_check *where, uint32_t slot)
{
	const uint64_t place = sdb_place(sdb_mix(slot_key(check, slot)));
	int error = check_order(checker, check, where, slot);

	if (!error)
		error = check_reach(checker, check, where, slot);
	if (error)
		return error;
	if (place < where->low || place >= where->high) {
		checker->result.nr_stale++;
	} else if (check->table != &checker->header->weight) {
		checker->result.nr_keys++;
		checker->result.nr_samples += slot_value(check, slot);
	}
	return 0;
}

/* In a narrow table, a slot whose count is 0 must be all zeros. */
static int check_empty_slot(struct checker *checker, const struct table_check *check,
			    const struct page_check *where, uint32_t slot)
{
	if (check->wide || !check->words[slot])
		return 0; /* a killed writer may have stored the key without its value */
	return damaged(checker, "page %u: slot %u has a key without samples", where->page, slot);
}

static int read_page(const struct checker *checker, struct table_check *check,
		     const struct page_check *where)
{
	const uint64_t offset = (uint64_t)where->page * SDB_PAGE_BYTES;
	int error = read_at(checker, check->words, SDB_PAGE_BYTES, offset);

	if (!error && check->wide)
		error = read_at(checker, check->keys, SDB_PAGE_BYTES, offset);
	return error;
}

static int check_slots(struct checker *checker, const struct table_check *check,
		       const struct page_check *where)
{
	const uint32_t slot_bytes = check->wide ? 16 : 8;
	int error = 0;

	for (uint32_t slot = where->start_bytes / slot_bytes;
	     slot < SDB_PAGE_BYTES / slot_bytes && !error; slot++) {
		if (slot_empty(check, slot))
			error = check_empty_slot(checker, check, where, slot);
		else
			error = check_slot(checker, check, where, slot);
	}
	return error;
}

/*
 * Reads the page again. Returns 1 if the page has changed, 0 if not, or -errno. If the page has not
 * changed, it had this content at one moment between the two readings (since counts only grow), so
 * an error that was found in this content is real.
 */
static int page_changed(const struct checker *checker, struct table_check *check,
			const struct page_check *where)
{
	int error;

	memcpy(check->words_before, check->words, sizeof(check->words));
	memcpy(check->keys_before, check->keys, sizeof(check->keys));
	error = read_page(checker, check, where);
	if (error)
		return error;
	return memcmp(check->words_before, check->words, sizeof(check->words)) ||
	       memcmp(check->keys_before, check->keys, sizeof(check->keys));
}

/* Checks a page. If a writer's stores during the reading may have caused an error, tries again. */
static int check_page(struct checker *checker, struct table_check *check,
		      const struct page_check *where)
{
	const struct sdb_check_result result = checker->result;
	int error = read_page(checker, check, where);

	for (int tries = 0; tries < PAGE_TRIES_MAX && !error; tries++) {
		int wrong = check_slots(checker, check, where);
		int changed = wrong ? page_changed(checker, check, where) : 0;

		if (changed <= 0)
			return changed ? changed : wrong;
		checker->result = result;
	}
	return error ? error
		     : diag_set_at(checker->diag, -EAGAIN, checker->path, 0,
				   "page %u changes too fast to be checked; try again",
				   where->page);
}

/* ---- tables ---- */

static int read_directory(struct checker *checker, struct table_check *check)
{
	const uint32_t log2 = sdb_directory_log2(check->table->directory);
	const uint32_t page = sdb_directory_page(check->table->directory);
	int error = 0;

	for (uint32_t i = 0; i < sdb_directory_pages(log2) && !error; i++)
		error = use_page(checker, page + i, check->name);
	if (error)
		return error;
	check->nr_entries = 1ULL << log2;
	check->directory = malloc(check->nr_entries * sizeof(*check->directory));
	if (!check->directory)
		return diag_set_at(checker->diag, -ENOMEM, checker->path, 0, "%s",
				   strerror(ENOMEM));
	return read_at(checker, check->directory, check->nr_entries * sizeof(*check->directory),
		       (uint64_t)page * SDB_PAGE_BYTES);
}

/*
 * Invariants 3 and 4: entries refer to pages of tables, and all entries that refer to one page
 * are adjacent.
 */
static int check_runs(struct checker *checker, struct table_check *check)
{
	const uint32_t shift = 32 - sdb_directory_log2(check->table->directory);
	struct page_check where = {0};
	uint64_t first, end;
	int error = 0;

	for (first = 0; first < check->nr_entries && !error; first = end) {
		where.page = check->directory[first];
		for (end = first + 1; end < check->nr_entries; end++) {
			if (check->directory[end] != where.page)
				break;
		}
		where.low = first << shift;
		where.high = end << shift;
		if (where.page < checker->page_first || where.page >= checker->header->nr_pages)
			return damaged(checker,
				       "entry %llu of the %s directory refers to page "
				       "%u, which is invalid in a file of %llu pages",
				       (unsigned long long)first, check->name, where.page,
				       (unsigned long long)checker->header->nr_pages);
		error = use_page(checker, where.page, check->name);
		if (!error)
			error = check_page(checker, check, &where);
	}
	return error;
}

static int check_root(struct checker *checker, struct table_check *check)
{
	struct page_check where = {.page = check->table->root_page, .high = 1ULL << 32};

	if (check->wide && !where.page)
		return 0;
	if (!check->wide)
		sdb_narrow_root(checker->header->header_bytes, &where.page, &where.start_bytes);
	else if (use_page(checker, where.page, check->name))
		return -EILSEQ;
	return check_page(checker, check, &where);
}

static int check_table(struct checker *checker, const struct oprof_sdb_table *table,
		       const char *name)
{
	struct table_check *check = calloc(1, sizeof(*check));
	int error;

	if (!check)
		return diag_set_at(checker->diag, -ENOMEM, checker->path, 0, "%s",
				   strerror(ENOMEM));
	check->table = table;
	check->name = name;
	check->wide = table != &checker->header->narrow;
	if (!table->directory) {
		error = check_root(checker, check);
	} else {
		error = read_directory(checker, check);
		if (!error)
			error = check_runs(checker, check);
	}
	free(check->directory);
	free(check);
	return error;
}

/* ---- the file ---- */

/*
 * Returns whether the file is being emptied. The content of such a file is ignored: if its writer
 * was killed, the content may be arbitrary.
 */
static bool being_emptied(const struct oprof_sdb_header *header)
{
	return header->epoch && header->epoch == header->epoch_emptied;
}

static int check_tables(struct checker *checker)
{
	int error = check_table(checker, &checker->header->narrow, "narrow");

	if (!error)
		error = check_table(checker, &checker->header->wide, "wide");
	if (!error)
		error = check_table(checker, &checker->header->weight, "weight");
	for (uint64_t page = 0; page < checker->header->nr_pages; page++) {
		if (page < checker->page_first || checker->used[page])
			checker->result.nr_pages_used++;
		else
			checker->result.nr_pages_free++;
	}
	return error;
}

/*
 * Sets *changed to whether a writer has changed anything except counts and times since the header
 * was read.
 */
static int check_changed(struct checker *checker, bool *changed)
{
	struct oprof_sdb_header now;
	int error = read_at(checker, &now, sizeof(now), 0);

	*changed = !error && (now.epoch != checker->header->epoch ||
			      now.epoch_emptied != checker->header->epoch_emptied ||
			      memcmp(&now.narrow, &checker->header->narrow, sizeof(now.narrow)) ||
			      memcmp(&now.wide, &checker->header->wide, sizeof(now.wide)) ||
			      memcmp(&now.weight, &checker->header->weight, sizeof(now.weight)));
	return error;
}

static int check_once(struct checker *checker, bool *changed)
{
	int error = sdb_header_load(checker->fd, checker->path, &checker->header, checker->diag);
	int error_after;

	*changed = false;
	memset(&checker->result, 0, sizeof(checker->result));
	if (error == -ENODATA)
		return 0; /* valid: after an early kill, a file has neither header nor samples */
	if (error)
		return error;
	if (being_emptied(checker->header)) {
		free(checker->header);
		return 0;
	}
	checker->page_first = sdb_page_first(checker->header->header_bytes);
	checker->used = calloc(checker->header->nr_pages, 1);
	if (!checker->used) {
		error = diag_set_at(checker->diag, -ENOMEM, checker->path, 0, "%s",
				    strerror(ENOMEM));
	} else {
		memset(checker->used, 1, checker->page_first);
		error = check_tables(checker);
		error_after = check_changed(checker, changed);
		error = error_after ? error_after : error;
	}
	free(checker->used);
	free(checker->header);
	return error;
}

int sdb_check(const char *path, struct sdb_check_result *result, struct diag *diag)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct checker checker = {.path = path, .diag = diag};
	bool changed = true;
	int error = 0;

	checker.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (checker.fd < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	for (int tries = 0; tries < TRIES_MAX; tries++) {
		if (tries)
			(void)nanosleep(&pause, NULL);
		error = check_once(&checker, &changed);
		if (!changed)
			break;
	}
	(void)close(checker.fd);
	if (changed)
		return diag_set_at(diag, -EAGAIN, path, 0,
				   "the file changes too fast to be checked; try again");
	if (!error)
		*result = checker.result;
	return error;
}
