// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a sample file, possibly while a writer adds samples to it. The file is read by pread,
 * because a truncation by another program then causes a short read instead of a SIGBUS.
 *
 * A table is read page by page, in the order of places (32-bit hashes of keys, sdb_format.h). The
 * table's nr_splits is read before and after each page: if it has not changed, the page belonged
 * to the same places during the whole reading. From each page, the reader takes only the keys
 * whose places belong to this page. Thus every key is read once, even if pages are split between
 * two readings.
 */
#include "libdb/sdb.h"

#include "lib/file.h"
#include "lib/saturate.h"
#include "libdb/sdb_format.h"
#include "libdb/sdb_header.h"
#include "libdb/sdb_sort.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RETRIES_MAX 100000
#define EMPTIED_MAX 10
#define PAGE_WORDS  (SDB_PAGE_BYTES / 8)
#define PLACES	    (1ULL << 32)

struct table_reader {
	int fd;
	const char *path;
	struct diag *diag;
	const char *name;
	off_t table_offset; /* offset in the file of the table's struct oprof_sdb_table */
	bool wide;
	uint32_t root_page; /* root page of the narrow table */
	uint32_t root_start_bytes;
	uint32_t page_first;

	struct oprof_sdb_table table; /* the table's header, as it was last read */
	bool chunk_valid;	      /* `chunk` has a part of the directory in `table` */
	uint32_t chunk_page;	      /* index, in pages of the directory, of the page in `chunk` */
	uint32_t chunk[SDB_ENTRIES_PER_PAGE];

	/*
	 * A page of a wide table is read twice: first into `values`, then into `keys` (read_page).
	 * Other pages are read into `values`.
	 */
	uint64_t values[PAGE_WORDS];
	uint64_t keys[PAGE_WORDS];
	struct sdb_slots found;
};

/* A page, the places [low, high) that belong to it, and the offset at which its slots begin. */
struct page_places {
	uint64_t low, high;
	uint32_t page;
	uint32_t start_bytes;
	bool empty;
};

static int reader_damaged(const struct table_reader *reader, const char *what,
			  unsigned long long value)
{
	return diag_set_at(reader->diag, -EILSEQ, reader->path, 0,
			   "damaged or truncated: %s %llu in the %s table", what, value,
			   reader->name);
}

static int read_exactly(struct table_reader *reader, void *buf, size_t nr_bytes, off_t offset)
{
	ssize_t nr = file_pread_all(reader->fd, buf, nr_bytes, offset);

	if (nr < 0)
		return diag_set_at(reader->diag, (int)nr, reader->path, 0, "%s",
				   strerror((int)-nr));
	if ((size_t)nr != nr_bytes)
		return reader_damaged(reader, "file ends before byte",
				      (unsigned long long)offset + nr_bytes);
	/* Partners: the release in sdb_store64 and sdb_store32, and the fence in split_begin. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return 0;
}

/*
 * Reads the table's header. Sets *changed to whether the header differs from the previous copy:
 * data read between the two copies may then belong to another state of the table.
 */
static int read_table(struct table_reader *reader, bool *changed)
{
	struct oprof_sdb_table table;
	int error = read_exactly(reader, &table, sizeof(table), reader->table_offset);

	if (error)
		return error;
	*changed = table.nr_splits != reader->table.nr_splits ||
		   table.directory != reader->table.directory ||
		   table.root_page != reader->table.root_page;
	if (*changed)
		reader->chunk_valid = false;
	reader->table = table;
	return 0;
}

static int find_in_directory(struct table_reader *reader, struct page_places *stretch)
{
	const uint32_t shift = 32 - sdb_directory_log2(reader->table.directory);
	const uint32_t index = (uint32_t)(stretch->low >> shift);
	const uint32_t chunk_page = index / SDB_ENTRIES_PER_PAGE;
	uint32_t i = index % SDB_ENTRIES_PER_PAGE;

	if (!reader->chunk_valid || reader->chunk_page != chunk_page) {
		const off_t page = (off_t)sdb_directory_page(reader->table.directory) + chunk_page;
		int error = read_exactly(reader, reader->chunk, sizeof(reader->chunk),
					 page * SDB_PAGE_BYTES);

		if (error)
			return error;
		reader->chunk_valid = true;
		reader->chunk_page = chunk_page;
	}
	stretch->page = reader->chunk[i];
	stretch->start_bytes = 0;
	/*
	 * A run of entries that continues in the next page of the directory becomes two
	 * page_places.
	 */
	while (++i < SDB_ENTRIES_PER_PAGE && reader->chunk[i] == stretch->page)
		;
	stretch->high = ((uint64_t)chunk_page * SDB_ENTRIES_PER_PAGE + i) << shift;
	return 0;
}

/*
 * Finds the page to which the place stretch->low belongs, according to the table header that was
 * read last.
 */
static int find_stretch(struct table_reader *reader, struct page_places *stretch)
{
	stretch->empty = false;
	if (reader->table.directory)
		return find_in_directory(reader, stretch);
	stretch->high = PLACES;
	stretch->page = reader->wide ? reader->table.root_page : reader->root_page;
	stretch->start_bytes = reader->wide ? 0 : reader->root_start_bytes;
	stretch->empty = reader->wide && !stretch->page;
	return 0;
}

/*
 * Reads a page. A wide page is read twice, since the two words of a slot may be read at different
 * moments. The writer stores a key before its value. Therefore, if the first reading contains a
 * value, the second reading contains its key.
 */
static int read_page(struct table_reader *reader, uint32_t page)
{
	const off_t offset = (off_t)page * SDB_PAGE_BYTES;
	int error = read_exactly(reader, reader->values, SDB_PAGE_BYTES, offset);

	if (!error && reader->wide)
		error = read_exactly(reader, reader->keys, SDB_PAGE_BYTES, offset);
	return error;
}

static inline bool place_in(const struct page_places *stretch, uint64_t key)
{
	const uint64_t place = sdb_place(sdb_mix(key));

	return place >= stretch->low && place < stretch->high;
}

static void take_wide(struct table_reader *reader, const struct page_places *stretch)
{
	for (size_t i = 0; i < PAGE_WORDS; i += 2) {
		const uint64_t key = reader->keys[i], value = reader->values[i + 1];

		if (value && place_in(stretch, key)) {
			uint64_t *slot = reader->found.words + 2 * reader->found.nr_slots++;

			slot[0] = key;
			slot[1] = value;
		}
	}
}

static void take_narrow(struct table_reader *reader, const struct page_places *stretch)
{
	for (size_t i = stretch->start_bytes / 8; i < PAGE_WORDS; i++) {
		const uint64_t slot = reader->values[i];

		if (slot & SDB_NARROW_MAX && place_in(stretch, slot >> OPROF_SDB_NARROW_COUNT_BITS))
			reader->found.words[reader->found.nr_slots++] = slot;
	}
}

static int take_page(struct table_reader *reader, const struct page_places *stretch)
{
	if (sdb_slots_reserve(&reader->found, PAGE_WORDS))
		return diag_set_at(reader->diag, -ENOMEM, reader->path, 0, "%s", strerror(ENOMEM));
	if (reader->wide)
		take_wide(reader, stretch);
	else
		take_narrow(reader, stretch);
	return 0;
}

/*
 * Tries once to read the page to which stretch->low belongs. If *changed is set, the caller must
 * try again.
 */
static int read_stretch(struct table_reader *reader, struct page_places *stretch, bool *changed)
{
	int error = 0, check;

	if (!reader->chunk_valid) {
		/* The directory must be read after the table's header. */
		error = read_table(reader, changed);
		if (!error)
			error = sdb_table_check(&reader->table, reader->name, reader->page_first,
						UINT32_MAX, reader->path, reader->diag);
		if (error)
			return error;
	}
	error = find_stretch(reader, stretch);
	if (!error && !stretch->empty) {
		const bool root = !reader->wide && !reader->table.directory;

		if (!root && stretch->page < reader->page_first)
			error = reader_damaged(reader, "page", stretch->page);
		else
			error = read_page(reader, stretch->page);
	}
	/* If the table changed during the reading, the error may be due to this change. */
	check = read_table(reader, changed);
	if (check || *changed)
		return check;
	return error;
}

static int read_whole_table(struct table_reader *reader)
{
	struct page_places stretch = {0};
	unsigned int retries = 0;
	bool changed;
	int error;

	while (stretch.low < PLACES) {
		error = read_stretch(reader, &stretch, &changed);
		if (error)
			return error;
		if (changed) {
			if (++retries > RETRIES_MAX)
				return diag_set_at(
					reader->diag, -EAGAIN, reader->path, 0,
					"the file changes too fast to be read; try again");
			(void)sched_yield();
			continue;
		}
		error = stretch.empty ? 0 : take_page(reader, &stretch);
		if (error)
			return error;
		stretch.low = stretch.high;
	}
	if (sdb_slots_sort(&reader->found))
		return diag_set_at(reader->diag, -ENOMEM, reader->path, 0, "%s", strerror(ENOMEM));
	return 0;
}

/* Reads a whole table into *slots, sorted by key. The caller frees *slots. */
static int load_table(int fd, const char *path, const struct oprof_sdb_header *header,
		      size_t table_offset, const char *name, struct sdb_slots *slots,
		      struct diag *diag)
{
	struct table_reader *reader = calloc(1, sizeof(*reader));
	int error;

	if (!reader)
		return diag_set_at(diag, -ENOMEM, path, 0, "%s", strerror(ENOMEM));
	reader->fd = fd;
	reader->path = path;
	reader->diag = diag;
	reader->name = name;
	reader->table_offset = (off_t)table_offset;
	reader->wide = table_offset != offsetof(struct oprof_sdb_header, narrow);
	reader->found.wide = reader->wide;
	reader->page_first = sdb_page_first(header->header_bytes);
	sdb_narrow_root(header->header_bytes, &reader->root_page, &reader->root_start_bytes);
	error = read_whole_table(reader);
	*slots = reader->found;
	free(reader);
	return error;
}

/* ---- the image ---- */

/*
 * Returns the weight of nr_samples in a file that stores no weights. Returns 0 if the file stores
 * weights.
 */
static uint64_t weight_of(const struct oprof_sdb_header *header, uint64_t nr_samples)
{
	uint64_t weight;

	if (header->flags & OPROF_SDB_WEIGHTED)
		return 0;
	if (header->flags & OPROF_SDB_FREQUENCY)
		return nr_samples;
	return __builtin_mul_overflow(nr_samples, header->period_or_hz, &weight) ? UINT64_MAX
										 : weight;
}

/*
 * Adds the samples of entry->key. In a damaged file, a key may occur twice in a table; then both
 * are added.
 */
static inline void merge_key(const struct sdb_slots *slots, size_t *next, struct sdb_entry *entry)
{
	while (*next < slots->nr_slots && sdb_slots_key(slots, *next) == entry->key)
		entry->nr_samples =
			saturate_sum(entry->nr_samples, sdb_slots_value(slots, (*next)++));
}

static int merge_samples(struct sdb_image *image, const struct sdb_slots *narrow,
			 const struct sdb_slots *wide)
{
	const size_t nr_max = narrow->nr_slots + wide->nr_slots;
	size_t n = 0, w = 0;

	image->nr_entries = 0;
	image->entries = malloc((nr_max ? nr_max : 1) * sizeof(*image->entries));
	if (!image->entries)
		return -ENOMEM;
	while (n < narrow->nr_slots || w < wide->nr_slots) {
		struct sdb_entry *entry = &image->entries[image->nr_entries++];
		const bool from_wide =
			n == narrow->nr_slots ||
			(w < wide->nr_slots && sdb_slots_key(wide, w) < sdb_slots_key(narrow, n));

		entry->key = from_wide ? sdb_slots_key(wide, w) : sdb_slots_key(narrow, n);
		entry->nr_samples = 0;
		merge_key(narrow, &n, entry);
		merge_key(wide, &w, entry);
		entry->weight = weight_of(&image->header, entry->nr_samples);
	}
	return 0;
}

static void merge_weight(struct sdb_image *image, const struct sdb_slots *weight)
{
	size_t w = 0;

	for (size_t i = 0; i < image->nr_entries; i++) {
		struct sdb_entry *entry = &image->entries[i];

		/*
		 * A weight without samples is ignored. Only a damaged file can have such a weight;
		 * a kill does not cause it.
		 */
		while (w < weight->nr_slots && sdb_slots_key(weight, w) < entry->key)
			w++;
		while (w < weight->nr_slots && sdb_slots_key(weight, w) == entry->key)
			entry->weight = saturate_sum(entry->weight, sdb_slots_value(weight, w++));
	}
}

static void sum_entries(struct sdb_image *image)
{
	for (size_t i = 0; i < image->nr_entries; i++) {
		image->nr_samples = saturate_sum(image->nr_samples, image->entries[i].nr_samples);
		image->weight = saturate_sum(image->weight, image->entries[i].weight);
	}
}

static int load_entries(int fd, const char *path, struct sdb_image *image, struct diag *diag)
{
	const struct oprof_sdb_header *header = &image->header;
	struct sdb_slots narrow = {0}, wide = {0}, weight = {0};
	int error;

	/*
	 * The writer adds samples before their weight. Therefore the weights are read first, so
	 * that the samples of every weight that was read are found, too. The narrow and the wide
	 * table may be read in any order.
	 */
	error = load_table(fd, path, header, offsetof(struct oprof_sdb_header, weight), "weight",
			   &weight, diag);
	if (!error)
		error = load_table(fd, path, header, offsetof(struct oprof_sdb_header, narrow),
				   "narrow", &narrow, diag);
	if (!error)
		error = load_table(fd, path, header, offsetof(struct oprof_sdb_header, wide),
				   "wide", &wide, diag);
	if (!error && merge_samples(image, &narrow, &wide))
		error = diag_set_at(diag, -ENOMEM, path, 0, "%s", strerror(ENOMEM));
	if (!error) {
		if (header->flags & OPROF_SDB_WEIGHTED)
			merge_weight(image, &weight);
		sum_entries(image);
	}
	sdb_slots_deinit(&narrow);
	sdb_slots_deinit(&wide);
	sdb_slots_deinit(&weight);
	return error;
}

static int load_header(int fd, const char *path, struct sdb_image *image, struct diag *diag)
{
	struct oprof_sdb_header *header;
	int error = sdb_header_load(fd, path, &header, diag);

	if (error)
		return error;
	image->header = *header;
	image->event = sdb_header_string(header, &header->event);
	image->cpu_type = sdb_header_string(header, &header->cpu_type);
	image->host = sdb_header_string(header, &header->host);
	image->app_path = sdb_header_string(header, &header->app_path);
	image->image_path = sdb_header_string(header, &header->image_path);
	image->cgroup = sdb_header_string(header, &header->cgroup);
	free(header);
	if (!image->event || !image->cpu_type || !image->host || !image->app_path ||
	    !image->image_path || !image->cgroup)
		return diag_set_at(diag, -ENOMEM, path, 0, "%s", strerror(ENOMEM));
	return 0;
}

enum load_what { LOAD_HEADER, LOAD_ALL };

/*
 * Returns whether the file is being emptied. Its samples are then ignored, since they are in a
 * slice.
 */
static bool is_void(const struct oprof_sdb_header *header)
{
	return header->epoch && header->epoch == header->epoch_emptied;
}

/*
 * Returns 1 if the file was emptied since its header was read, else 0 or -errno. If the function
 * returns 1, the data may be a mixture of two epochs, and this mixture may have caused an error.
 */
static int epoch_changed(int fd, const char *path, const struct sdb_image *image, struct diag *diag)
{
	const size_t start = offsetof(struct oprof_sdb_header, epoch);
	struct oprof_sdb_header now;
	const size_t nr_bytes = sizeof(now) - start;
	ssize_t nr;

	if (!image->header.epoch)
		return 0;
	nr = file_pread_all(fd, (char *)&now + start, nr_bytes, (off_t)start);
	if (nr != (ssize_t)nr_bytes)
		return diag_set_at(diag, nr < 0 ? (int)nr : -EILSEQ, path, 0, "truncated");
	return memcmp((const char *)&now + start, (const char *)&image->header + start, nr_bytes)
		       ? 1
		       : 0;
}

/* Returns 0, -errno, or 1 if the file was emptied during the reading. */
static int load_once(int fd, const char *path, enum load_what what, struct sdb_image *image,
		     struct diag *diag)
{
	int error = load_header(fd, path, image, diag);
	int changed;

	if (error || what == LOAD_HEADER)
		return error;
	if (!is_void(&image->header))
		error = load_entries(fd, path, image, diag);
	if (error == -ENOMEM)
		return error;
	changed = epoch_changed(fd, path, image, error ? NULL : diag);
	return changed ? changed : error;
}

static int image_load(const char *path, enum load_what what, struct sdb_image *image,
		      struct diag *diag)
{
	struct sdb_image loaded = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int error = 1;

	if (fd < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	/*
	 * A file is emptied about once a minute. If this happens again and again, the writer is
	 * hostile.
	 */
	for (int tries = 0; tries < EMPTIED_MAX && error > 0; tries++) {
		sdb_image_deinit(&loaded);
		error = load_once(fd, path, what, &loaded, diag);
	}
	if (error > 0)
		error = diag_set_at(diag, -EAGAIN, path, 0,
				    "the file was emptied too often while it was read; try again");
	(void)close(fd);
	if (error)
		sdb_image_deinit(&loaded);
	else
		*image = loaded;
	return error;
}

int sdb_image_load(const char *path, struct sdb_image *image, struct diag *diag)
{
	return image_load(path, LOAD_ALL, image, diag);
}

int sdb_image_load_header(const char *path, struct sdb_image *image, struct diag *diag)
{
	return image_load(path, LOAD_HEADER, image, diag);
}

void sdb_image_deinit(struct sdb_image *image)
{
	free(image->event);
	free(image->cpu_type);
	free(image->host);
	free(image->app_path);
	free(image->image_path);
	free(image->cgroup);
	free(image->entries);
	*image = (struct sdb_image){0};
}
