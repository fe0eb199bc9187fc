// SPDX-License-Identifier: GPL-2.0-or-later
/* A sample file open for writing: creates, maps and grows the file. */
#include "libdb/sdb_internal.h"

#include "libdb/blocks.h"
#include "libdb/sdb_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A file of 8 pages or more grows by an eighth, but by at least SEGMENT_PAGES_MIN and at most
 * SEGMENT_PAGES_MAX pages, which limits the delay of growing and the unused space. A smaller file
 * grows by single pages.
 */
#define SEGMENT_PAGES_MIN 4u
#define SEGMENT_PAGES_MAX 64u
#define SMALL_FILE_BYTES  (64u * SDB_PAGE_BYTES)
#define RESERVE_FACTOR	  16u
#define FILE_BYTES_MAX	  (SIZE_MAX / 2 / RESERVE_FACTOR) /* mappings fit size_t */
#define HUGE_PAGE_BYTES	  ((size_t)2 << 20)

/* ---- mapping ---- */

static void map_set(struct sdb *db, uint8_t *map, size_t map_bytes)
{
	db->map = map;
	db->map_bytes = map_bytes;
	sdb_mapping_set(db->mapping, map, map_bytes);
}

/*
 * Maps the file with room for much more than nr_bytes, so that the mapping rarely has to move: the
 * part beyond the end of the file is never accessed and takes only address space. A large mapping
 * begins at the boundary of a huge page, so that the kernel can move it by whole page tables.
 */
static int map_new(struct sdb *db, size_t nr_bytes)
{
	const size_t ample =
		nr_bytes <= SMALL_FILE_BYTES ? SMALL_FILE_BYTES : nr_bytes * RESERVE_FACTOR;
	const size_t slack = ample > 2 * HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : 0;
	size_t map_bytes = ample, before = 0;
	uint8_t *map = mmap(NULL, ample + slack, PROT_READ | PROT_WRITE, MAP_SHARED, db->fd, 0);

	if (map == MAP_FAILED) {
		/* If the address space is limited, map only the bytes that are needed. */
		map_bytes = nr_bytes;
		map = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, db->fd, 0);
		if (map == MAP_FAILED)
			return -errno;
	} else if (slack) {
		before = -(uintptr_t)map & (slack - 1);
		if (mmap(map + before, ample, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			 db->fd, 0) == MAP_FAILED) {
			int error = -errno;

			(void)munmap(map, ample + slack);
			return error;
		}
		if (before)
			(void)munmap(map, before);
		if (slack - before)
			(void)munmap(map + before + ample, slack - before);
	}
	map_set(db, map + before, map_bytes);
	return 0;
}

/*
 * Moves the page table entries of the mapping `old` to the new mapping, so that the pages need not
 * be faulted in again. If mremap() fails, it may have removed the mapping at the new address, so
 * the file is mapped there once more.
 */
static int map_take_along(struct sdb *db, uint8_t *old, size_t used_bytes)
{
	if (mremap(old, used_bytes, used_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, db->map) !=
	    MAP_FAILED)
		return 0;
	if (mmap(db->map, used_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, db->fd, 0) ==
	    MAP_FAILED)
		return -errno;
	(void)munmap(old, used_bytes);
	return 0;
}

/* Maps the first nr_bytes of the file, at any address. */
static int map_extend(struct sdb *db, size_t nr_bytes)
{
	uint8_t *const old = db->map;
	const size_t old_bytes = db->map_bytes;
	const size_t used_bytes = (size_t)db->nr_mapped * SDB_PAGE_BYTES;
	int error;

	if (nr_bytes <= old_bytes)
		return 0;
	error = map_new(db, nr_bytes);
	if (error || !old)
		return error;
	error = map_take_along(db, old, used_bytes);
	if (error) {
		(void)munmap(db->map, db->map_bytes);
		map_set(db, old, old_bytes);
		return error;
	}
	if (old_bytes > used_bytes)
		(void)munmap(old + used_bytes, old_bytes - used_bytes);
	return 0;
}

static uint64_t segment_pages(uint64_t file_pages)
{
	const uint64_t segment = file_pages / 8;

	if (segment < SEGMENT_PAGES_MIN)
		return file_pages < 2 * SEGMENT_PAGES_MIN ? 1 : SEGMENT_PAGES_MIN;
	return segment < SEGMENT_PAGES_MAX ? segment : SEGMENT_PAGES_MAX;
}

/*
 * Allocates blocks up to offset `end`. If this fails, allocates only the blocks up to `wanted`,
 * which is not greater than `end`.
 */
static int file_extend(struct sdb *db, uint64_t end, uint64_t wanted)
{
	int error;

	if (db->file_bytes >= wanted)
		return 0; /* an earlier call allocated these blocks but could not map them */
	error = blocks_allocate(db->fd, db->file_bytes, end - db->file_bytes);
	if (error && end > wanted) {
		end = wanted;
		error = blocks_allocate(db->fd, db->file_bytes, end - db->file_bytes);
	}
	if (!error)
		db->file_bytes = end;
	return error;
}

int sdb_file_grow(struct sdb *db, uint32_t nr_pages)
{
	const uint64_t segment = segment_pages(db->nr_mapped);
	const uint64_t wanted = (db->nr_mapped + (uint64_t)nr_pages) * SDB_PAGE_BYTES;
	const uint64_t end =
		(db->nr_mapped + (segment < nr_pages ? nr_pages : segment)) * SDB_PAGE_BYTES;
	int error;

	if (end / SDB_PAGE_BYTES > UINT32_MAX || end > FILE_BYTES_MAX)
		return -EFBIG;
	error = file_extend(db, end, wanted);
	if (!error)
		error = map_extend(db, db->file_bytes);
	if (!error)
		db->nr_mapped = (uint32_t)(db->file_bytes / SDB_PAGE_BYTES);
	sdb_tables_attach(db); /* the mapping may have moved */
	return error;
}

/* ---- opening ---- */

/*
 * Creates the file's first pages. The first page is written by one write, so that it exists either
 * completely or not at all. The write also makes the file system allocate or reserve the page's
 * block, so fallocate() is not called. This saves time: many files never need more pages, and
 * fallocate() would cost as much as all other steps.
 */
static int file_begin(struct sdb *db, const struct sdb_identity *identity)
{
	size_t nr_bytes;
	void *pages;
	int error = sdb_header_build(identity, &pages, &nr_bytes);

	if (error)
		return error;
	error = blocks_may_reach(nr_bytes);
	/* The first page is written last: a file without it is treated as not created. */
	if (!error && nr_bytes > SDB_PAGE_BYTES)
		error = blocks_write(db->fd, (char *)pages + SDB_PAGE_BYTES,
				     nr_bytes - SDB_PAGE_BYTES, SDB_PAGE_BYTES);
	if (!error)
		error = blocks_write(db->fd, pages, SDB_PAGE_BYTES, 0);
	if (!error && db->file_bytes < nr_bytes)
		db->file_bytes = nr_bytes;
	SDB_STORED();
	free(pages);
	return error;
}

/*
 * Writes the first pages of a new file, or of a file whose creation was interrupted. Neither file
 * has samples.
 */
static int file_begin_again(struct sdb *db, const struct sdb_identity *identity, const char *path,
			    struct diag *diag)
{
	if (db->file_bytes > SDB_HEADER_BYTES_MAX + SDB_PAGE_BYTES)
		return diag_set_at(diag, -EILSEQ, path, 0, "damaged: its first page is zero");
	int error = file_begin(db, identity);

	return error ? diag_set_at(diag, error, path, 0,
				   "cannot write the beginning of the file: %s", strerror(-error))
		     : 0;
}

static int file_check(struct sdb *db, const char *path, const struct sdb_identity *identity,
		      struct diag *diag)
{
	struct oprof_sdb_header *header;
	int error;

	if (!db->file_bytes) /* new, nothing to check */
		return file_begin_again(db, identity, path, diag);
	error = sdb_header_load(db->fd, path, &header, diag);
	if (error == -ENODATA) {
		error = file_begin_again(db, identity, path, diag);
		if (!error)
			error = sdb_header_load(db->fd, path, &header, diag);
	}
	if (error)
		return error;
	error = sdb_header_match(header, identity, path, diag);
	db->start_time_ns = header->start_time_ns;
	db->end_time_ns = header->end_time_ns;
	free(header);
	return error;
}

static int file_map(struct sdb *db, const char *path, struct diag *diag)
{
	int error;

	if (db->file_bytes / SDB_PAGE_BYTES > UINT32_MAX)
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "damaged: a sample file cannot have %llu bytes",
				   (unsigned long long)db->file_bytes);
	if (db->file_bytes > FILE_BYTES_MAX)
		return diag_set_at(diag, -EFBIG, path, 0, "too large to be mapped");
	db->file_bytes -= db->file_bytes % SDB_PAGE_BYTES;
	error = map_extend(db, db->file_bytes);
	if (error)
		return diag_set_at(diag, error, path, 0, "cannot map it: %s", strerror(-error));
	db->nr_mapped = (uint32_t)(db->file_bytes / SDB_PAGE_BYTES);
	sdb_tables_attach(db);
	return 0;
}

/* Opens and locks the file, and gets its size. After this, no other process writes to the file. */
static int open_locked(struct sdb *db, const char *path, struct diag *diag)
{
	struct stat status;
	int fd;

	/*
	 * If path is a FIFO, O_NONBLOCK prevents waiting. The flag has no effect on regular files.
	 */
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	db->fd = fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int error = errno == EWOULDBLOCK ? -EBUSY : -errno;

		return diag_set_at(diag, error, path, 0, "%s",
				   error == -EBUSY ? "another program is writing to it"
						   : strerror(errno));
	}
	if (fstat(fd, &status) < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		return diag_set_at(diag, -EINVAL, path, 0, "not a regular file");
	db->file_bytes = (uint64_t)status.st_size;
	return 0;
}

int sdb_open(struct sdb **db, const char *path, const struct sdb_identity *identity,
	     struct diag *diag)
{
	struct sdb *opened = calloc(1, sizeof(*opened));
	int error;

	if (!opened)
		return diag_set_at(diag, -ENOMEM, path, 0, "%s", strerror(ENOMEM));
	opened->fd = -1;
	opened->mapping = sdb_mapping_get();
	if (!opened->mapping)
		error = diag_set_at(diag, -ENOMEM, path, 0, "%s", strerror(ENOMEM));
	else
		error = open_locked(opened, path, diag);
	if (!error)
		error = file_check(opened, path, identity, diag);
	if (!error)
		error = file_map(opened, path, diag);
	if (!error)
		error = sdb_pages_init(opened, path, diag);
	if (!error && sdb_lost(opened))
		error = diag_set_at(diag, -EIO, path, 0,
				    "truncated or unreadable while it was being opened");
	if (error) {
		sdb_close(opened);
		return error;
	}
	sdb_tables_settle(opened);
	if (identity->epoch > sdb_header(opened)->epoch && sdb_restart(opened, identity)) {
		sdb_close(opened);
		return diag_set_at(diag, -EIO, path, 0,
				   "truncated or overwritten while it was being emptied");
	}
	*db = opened;
	return 0;
}

void sdb_close(struct sdb *db)
{
	if (!db)
		return;
	sdb_mapping_put(db->mapping);
	if (db->map)
		(void)munmap(db->map, db->map_bytes);
	if (db->fd >= 0) {
		/* Closing alone would not release a lock that a forked child shares. */
		(void)flock(db->fd, LOCK_UN);
		(void)close(db->fd);
	}
	sdb_pages_deinit(db);
	free(db);
}

/* ---- the rest of the interface ---- */

bool sdb_is_at(const struct sdb *db, const char *path)
{
	struct stat ours, named;

	return !fstat(db->fd, &ours) && !lstat(path, &named) && ours.st_ino == named.st_ino &&
	       ours.st_dev == named.st_dev;
}

uint64_t sdb_nr_bytes(const struct sdb *db)
{
	return db->file_bytes;
}

void sdb_set_time(struct sdb *db, int64_t time_ns)
{
	struct oprof_sdb_header *header = sdb_header(db);

	if (!db->start_time_ns || time_ns < db->start_time_ns) {
		db->start_time_ns = time_ns;
		sdb_store64((uint64_t *)&header->start_time_ns, (uint64_t)time_ns);
	}
	if (!db->end_time_ns || time_ns > db->end_time_ns) {
		db->end_time_ns = time_ns;
		sdb_store64((uint64_t *)&header->end_time_ns, (uint64_t)time_ns);
	}
}

int sdb_sync(struct sdb *db)
{
	struct stat status;

	if (fdatasync(db->fd) < 0 || fstat(db->fd, &status) < 0)
		return -errno;
	/* If another process truncated the file, the samples after its new end are lost. */
	return sdb_lost(db) || (uint64_t)status.st_size < db->file_bytes ? -EIO : 0;
}
