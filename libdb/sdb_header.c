// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/sdb_header.h"

#include "lib/file.h"
#include "libdb/sdb_format.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEADER_ALIGN 64u
#define LOOKS_MAX    1000 /* maximum number of attempts in sdb_header_load() */

/*
 * These structs are stored in files, so the compiler must give them the sizes of the file format.
 */
static_assert(sizeof(struct oprof_sdb_table) == 24, "tables are 24 bytes");
static_assert(sizeof(struct oprof_image_identity) == 64, "identities are 64 bytes");
static_assert(sizeof(struct oprof_sdb_header) == 304, "headers are 304 bytes and strings");

/* ---- building ---- */

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static void identity_to_header(const struct sdb_identity *identity, struct oprof_sdb_header *header)
{
	memcpy(header->magic, OPROF_SDB_MAGIC, sizeof(header->magic));
	header->version = OPROF_SDB_VERSION;
	header->byte_order = OPROF_SDB_BYTE_ORDER;
	header->page_bytes = SDB_PAGE_BYTES;
	header->flags = identity->flags & ~OPROF_SDB_HOLED;
	header->key_kind = identity->key_kind;
	header->image = identity->image;
	header->image_kind = (uint32_t)identity->image_kind;
	header->unit_mask = identity->unit_mask;
	header->period_or_hz = identity->period_or_hz;
	header->image_start = identity->image_start;
	memcpy(header->boot_id, identity->boot_id, sizeof(header->boot_id));
	header->clock = identity->clock;
	header->cpu_khz = identity->cpu_khz;
	header->epoch = identity->epoch;
	if (identity->epoch)
		header->flags |= OPROF_SDB_EPOCHS;
	else
		header->flags &= ~OPROF_SDB_EPOCHS;
}

struct string_at {
	struct oprof_sdb_string *where;
	const char *text;
};

#define NR_STRINGS 6

static void list_strings(struct oprof_sdb_header *header, const struct sdb_identity *identity,
			 struct string_at strings[NR_STRINGS])
{
	strings[0] = (struct string_at){&header->event, or_empty(identity->event)};
	strings[1] = (struct string_at){&header->cpu_type, or_empty(identity->cpu_type)};
	strings[2] = (struct string_at){&header->host, or_empty(identity->host)};
	strings[3] = (struct string_at){&header->app_path, or_empty(identity->app_path)};
	strings[4] = (struct string_at){&header->image_path, or_empty(identity->image_path)};
	strings[5] = (struct string_at){&header->cgroup, or_empty(identity->cgroup)};
}

int sdb_header_build(const struct sdb_identity *identity, void **pages, size_t *nr_bytes)
{
	struct string_at strings[NR_STRINGS];
	struct oprof_sdb_header header = {0};
	size_t end = sizeof(header);
	char *bytes;

	identity_to_header(identity, &header);
	list_strings(&header, identity, strings);
	for (int i = 0; i < NR_STRINGS; i++) {
		const size_t length = strlen(strings[i].text);

		if (length > SDB_HEADER_BYTES_MAX - HEADER_ALIGN - end)
			return -ENAMETOOLONG;
		strings[i].where->offset = (uint32_t)end;
		strings[i].where->nr_bytes = (uint32_t)length;
		end += length;
	}
	header.header_bytes = (uint32_t)((end + HEADER_ALIGN - 1) / HEADER_ALIGN * HEADER_ALIGN);
	header.nr_pages = sdb_page_first(header.header_bytes);
	header.narrow.root_page = (uint32_t)header.nr_pages - 1;

	bytes = calloc(header.nr_pages, SDB_PAGE_BYTES);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, &header, sizeof(header));
	for (int i = 0; i < NR_STRINGS; i++)
		memcpy(bytes + strings[i].where->offset, strings[i].text,
		       strings[i].where->nr_bytes);
	*pages = bytes;
	*nr_bytes = header.nr_pages * SDB_PAGE_BYTES;
	return 0;
}

/* ---- checking ---- */

static bool all_zero(const void *bytes, size_t nr_bytes)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < nr_bytes; i++) {
		if (p[i])
			return false;
	}
	return true;
}

/* Checks those fields of a header that can be checked without the rest of the file. */
static int check_start(const struct oprof_sdb_header *header, size_t nr_bytes, const char *path,
		       struct diag *diag)
{
	if (all_zero(header, nr_bytes))
		return diag_set_at(diag, -ENODATA, path, 0, "the sample file has no header");
	if (nr_bytes < sizeof(*header) ||
	    memcmp(header->magic, OPROF_SDB_MAGIC, sizeof(header->magic)) != 0)
		return diag_set_at(diag, -EINVAL, path, 0, "not a sample file");
	if (header->byte_order == __builtin_bswap32(OPROF_SDB_BYTE_ORDER))
		return diag_set_at(diag, -EPROTONOSUPPORT, path, 0,
				   "written on a machine with another byte order");
	if (header->byte_order != OPROF_SDB_BYTE_ORDER)
		return diag_set_at(diag, -EILSEQ, path, 0, "damaged: byte order 0x%x",
				   header->byte_order);
	if (header->version != OPROF_SDB_VERSION)
		return diag_set_at(diag, -EPROTONOSUPPORT, path, 0,
				   "has version %u of the format; this program supports version %d",
				   header->version, OPROF_SDB_VERSION);
	if (header->flags & ~OPROF_SDB_FLAGS)
		return diag_set_at(diag, -EPROTONOSUPPORT, path, 0,
				   "has flags 0x%x, which this program does not know",
				   header->flags & ~OPROF_SDB_FLAGS);
	if (header->page_bytes != SDB_PAGE_BYTES)
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "damaged: the header gives a page size of %u bytes",
				   header->page_bytes);
	if (header->header_bytes < sizeof(*header) || header->header_bytes % HEADER_ALIGN ||
	    header->header_bytes > SDB_HEADER_BYTES_MAX)
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "damaged: the header gives its own size as %u bytes",
				   header->header_bytes);
	if (!(header->flags & OPROF_SDB_EPOCHS) != !header->epoch)
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "damaged: epoch %llu contradicts flags 0x%x",
				   (unsigned long long)header->epoch, header->flags);
	if (header->image.nr_build_id > OPROF_BUILD_ID_BYTES_MAX)
		return diag_set_at(diag, -EILSEQ, path, 0, "damaged: the build-id has %u bytes",
				   header->image.nr_build_id);
	return 0;
}

static int check_string(const struct oprof_sdb_header *header,
			const struct oprof_sdb_string *string, const char *name, const char *path,
			struct diag *diag)
{
	const char *bytes = (const char *)header;

	if (string->nr_bytes > header->header_bytes ||
	    string->offset > header->header_bytes - string->nr_bytes ||
	    (string->nr_bytes && string->offset < sizeof(*header)))
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "damaged: %s of %u bytes at %u is outside the header", name,
				   string->nr_bytes, string->offset);
	if (string->nr_bytes && memchr(bytes + string->offset, '\0', string->nr_bytes))
		return diag_set_at(diag, -EILSEQ, path, 0, "damaged: NUL in %s", name);
	return 0;
}

static int check_strings(const struct oprof_sdb_header *header, const char *path, struct diag *diag)
{
	const struct {
		const struct oprof_sdb_string *string;
		const char *name;
	} strings[] = {
		{&header->event, "event"},   {&header->cpu_type, "cpu type"},
		{&header->host, "host"},     {&header->app_path, "application's path"},
		{&header->cgroup, "cgroup"}, {&header->image_path, "image's path"},
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		int error = check_string(header, strings[i].string, strings[i].name, path, diag);

		if (error)
			return error;
	}
	return 0;
}

int sdb_table_check(const struct oprof_sdb_table *table, const char *name, uint32_t page_first,
		    uint64_t nr_pages, const char *path, struct diag *diag)
{
	const uint32_t log2 = sdb_directory_log2(table->directory);
	const uint64_t page = table->directory >> 8;

	if (!table->directory) {
		if (table->root_page && table->root_page >= nr_pages)
			return diag_set_at(
				diag, -EILSEQ, path, 0,
				"damaged: root page %u of the %s table is beyond the file's %llu "
				"pages",
				table->root_page, name, (unsigned long long)nr_pages);
		return 0;
	}
	if (log2 < SDB_DIRECTORY_LOG2_MIN || log2 > SDB_DIRECTORY_LOG2_MAX ||
	    (1ULL << log2) > sdb_directory_entries_max(nr_pages))
		return diag_set_at(
			diag, -EILSEQ, path, 0,
			"damaged: 2^%u entries are an invalid size of the directory of the %s "
			"table",
			log2, name);
	if (page < page_first || page > nr_pages || sdb_directory_pages(log2) > nr_pages - page)
		return diag_set_at(
			diag, -EILSEQ, path, 0,
			"damaged: the directory of the %s table, at page %llu, is not within the "
			"data pages of a file of %llu pages",
			name, (unsigned long long)page, (unsigned long long)nr_pages);
	return 0;
}

static int check_tables(const struct oprof_sdb_header *header, uint64_t file_bytes,
			const char *path, struct diag *diag)
{
	const uint32_t page_first = sdb_page_first(header->header_bytes);
	const uint64_t nr_pages = header->nr_pages;
	int error;

	if (nr_pages < page_first || nr_pages > file_bytes / SDB_PAGE_BYTES ||
	    nr_pages > UINT32_MAX)
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "damaged or truncated: the header gives %llu pages, but the "
				   "file has %llu bytes",
				   (unsigned long long)nr_pages, (unsigned long long)file_bytes);
	if (header->narrow.root_page != page_first - 1)
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "damaged: root page of the narrow table is %u instead of %u",
				   header->narrow.root_page, page_first - 1);
	error = sdb_table_check(&header->narrow, "narrow", page_first, nr_pages, path, diag);
	if (!error)
		error = sdb_table_check(&header->wide, "wide", page_first, nr_pages, path, diag);
	if (!error)
		error = sdb_table_check(&header->weight, "weight", page_first, nr_pages, path,
					diag);
	if (error)
		return error;
	if ((header->wide.root_page && header->wide.root_page < page_first) ||
	    (header->weight.root_page && header->weight.root_page < page_first))
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "damaged: the root page of a table lies in the header");
	return 0;
}

static int header_check(int fd, const struct oprof_sdb_header *header, size_t nr_bytes,
			const char *path, struct diag *diag)
{
	struct stat status;

	if (nr_bytes < header->header_bytes)
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "truncated: the file is shorter than its header of %u bytes",
				   header->header_bytes);
	/*
	 * Read the file's size after the header. Until a file is emptied, it only grows, so this
	 * size cannot be too small for the header.
	 */
	if (fstat(fd, &status) < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	int error = check_strings(header, path, diag);

	return error ? error : check_tables(header, (uint64_t)status.st_size, path, diag);
}

static int header_load_once(int fd, const char *path, struct oprof_sdb_header **header,
			    struct diag *diag)
{
	char *bytes = calloc(1, SDB_HEADER_BYTES_MAX + 1);
	struct oprof_sdb_header *found = (struct oprof_sdb_header *)(void *)bytes;
	ssize_t nr_bytes;
	int error;

	if (!bytes)
		return diag_set_at(diag, -ENOMEM, path, 0, "%s", strerror(ENOMEM));
	/* One page nearly always holds the whole header. */
	nr_bytes = file_pread_all(fd, bytes, SDB_PAGE_BYTES, 0);
	if (nr_bytes < 0) {
		error = diag_set_at(diag, (int)nr_bytes, path, 0, "%s", strerror((int)-nr_bytes));
		goto free_bytes;
	}
	error = check_start(found, (size_t)nr_bytes, path, diag);
	if (error)
		goto free_bytes;
	if (found->header_bytes > SDB_PAGE_BYTES) {
		const uint32_t wanted = found->header_bytes;

		nr_bytes = file_pread_all(fd, bytes, wanted, 0);
		if (nr_bytes != (ssize_t)wanted || found->header_bytes != wanted) {
			error = diag_set_at(diag, nr_bytes < 0 ? (int)nr_bytes : -EILSEQ, path, 0,
					    "cannot read its whole header of %u bytes", wanted);
			goto free_bytes;
		}
	}
	error = header_check(fd, found, (size_t)nr_bytes, path, diag);
	if (error)
		goto free_bytes;
	*header = found;
	return 0;

free_bytes:
	free(bytes);
	return error;
}

/*
 * Makes a copy of the header, to detect changes by comparing two copies. If the file is shorter
 * than the header, the rest of the copy is zeros. The words of a copy may have been read at
 * different moments.
 */
static int look(int fd, const char *path, struct oprof_sdb_header *header, struct diag *diag)
{
	ssize_t nr;

	memset(header, 0, sizeof(*header));
	/*
	 * The two fences order this read after the previous reads and before the next ones.
	 * Partner: the fence in table_empty.
	 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	nr = file_pread_all(fd, header, sizeof(*header), 0);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (nr < 0)
		return diag_set_at(diag, (int)nr, path, 0, "%s", strerror((int)-nr));
	/*
	 * Adding samples changes these two fields, on which no other field depends. They are
	 * cleared in the copy, so that comparisons of copies ignore them.
	 */
	header->start_time_ns = 0;
	header->end_time_ns = 0;
	return 0;
}

/*
 * Reads and checks the header. Makes a copy of the header before that, and another copy after that.
 * If the two copies are equal, the file was not emptied and no table grew in between. Then all data
 * that was read in between belongs to one epoch, the flags are valid for its samples, and the pages
 * lie within the file's size. If the copies differ, an error found in the header is ignored, and
 * the header is read again.
 */
int sdb_header_load(int fd, const char *path, struct oprof_sdb_header **header, struct diag *diag)
{
	struct oprof_sdb_header before, after;
	int error = look(fd, path, &before, diag);

	for (int tries = 0; tries < LOOKS_MAX && !error; tries++) {
		struct oprof_sdb_header *found = NULL;
		int wrong = header_load_once(fd, path, &found, diag);

		error = look(fd, path, &after, wrong ? NULL : diag);
		if (wrong == -ENOMEM || (!error && !memcmp(&before, &after, sizeof(before)))) {
			if (!wrong)
				*header = found;
			return wrong;
		}
		free(found);
		before = after;
		(void)sched_yield();
	}
	return error ? error
		     : diag_set_at(diag, -EAGAIN, path, 0,
				   "the file changes too fast to be read; try again");
}

char *sdb_header_string(const struct oprof_sdb_header *header,
			const struct oprof_sdb_string *string)
{
	return strndup((const char *)header + string->offset, string->nr_bytes);
}

/* ---- matching ---- */

static bool same_string(const struct oprof_sdb_header *header,
			const struct oprof_sdb_string *string, const char *text)
{
	return string->nr_bytes == strlen(text) &&
	       memcmp((const char *)header + string->offset, text, string->nr_bytes) == 0;
}

static bool same_image(const struct oprof_image_identity *a, const struct oprof_image_identity *b)
{
	if (a->nr_build_id != b->nr_build_id || a->nr_build_id > sizeof(a->build_id))
		return false;
	if (a->nr_build_id)
		return memcmp(a->build_id, b->build_id, a->nr_build_id) == 0;
	return a->dev == b->dev && a->inode == b->inode &&
	       a->inode_generation == b->inode_generation && a->mtime_ns == b->mtime_ns &&
	       a->size_bytes == b->size_bytes;
}

/*
 * Returns whether the flags match. If the file has an earlier epoch, its weight flag may differ,
 * since the file will be emptied and will then get the flag of identity. The flags HOLED and EPOCHS
 * are not compared: identity never has HOLED, and same_epochs() checks the epochs.
 */
static bool same_flags(const struct oprof_sdb_header *header, const struct sdb_identity *identity)
{
	uint32_t ignored = OPROF_SDB_HOLED | OPROF_SDB_EPOCHS;

	if (header->epoch && header->epoch < identity->epoch)
		ignored |= OPROF_SDB_WEIGHTED;
	return !((header->flags ^ identity->flags) & ~ignored);
}

/*
 * Returns whether the file can be used for identity's epoch. A file without epochs cannot be
 * emptied for an epoch, since its samples are in no slice. A file that is being emptied cannot be
 * used again under the same epoch.
 */
static bool same_epochs(const struct oprof_sdb_header *header, const struct sdb_identity *identity)
{
	if (!header->epoch || !identity->epoch)
		return header->epoch == identity->epoch;
	return header->epoch < identity->epoch ||
	       (header->epoch == identity->epoch && header->epoch_emptied != header->epoch);
}

int sdb_header_match(const struct oprof_sdb_header *header, const struct sdb_identity *identity,
		     const char *path, struct diag *diag)
{
	const char *what = NULL;

	if (!same_string(header, &header->event, or_empty(identity->event)))
		what = "event";
	else if (!same_epochs(header, identity))
		what = "epoch";
	else if (!same_flags(header, identity))
		what = "flags";
	else if (header->period_or_hz != identity->period_or_hz)
		what = "period";
	else if (header->unit_mask != identity->unit_mask)
		what = "unit mask";
	else if (header->key_kind != identity->key_kind)
		what = "kind of keys";
	else if (header->image_kind != (uint32_t)identity->image_kind ||
		 !same_image(&header->image, &identity->image))
		what = "image";
	if (!what)
		return 0;
	return diag_set_at(diag, -EINVAL, path, 0, "the existing sample file differs in its %s",
			   what);
}
