// SPDX-License-Identifier: GPL-2.0-or-later
/* A sample file open for writing: making it, mapping it, growing it. */
#include "libdb/sdb_internal.h"

#include "lib/file.h"
#include "libdb/sdb_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file grows by an eighth of itself, but by no more than this: bounds both stall and waste. */
#define SEGMENT_PAGES_MAX 64u
#define RESERVE_FACTOR	  16u
#define RESERVE_BYTES_MIN (64u * SDB_PAGE_BYTES)
#define HUGE_PAGE_BYTES	  ((size_t)2 << 20)

/* ---- disk ---- */

static int write_zeros(int fd, uint64_t from, uint64_t nr_bytes)
{
	static const char zeros[SDB_PAGE_BYTES];

	while (nr_bytes) {
		const size_t piece = nr_bytes < sizeof(zeros) ? nr_bytes : sizeof(zeros);
		ssize_t nr = pwrite(fd, zeros, piece, (off_t)from);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -errno;
		if (!nr)
			return -ENOSPC;
		from += (uint64_t)nr;
		nr_bytes -= (uint64_t)nr;
	}
	return 0;
}

/*
 * Blocks for nr_bytes behind the end of the file: after this a store there
 * does not depend on the disk having room.
 */
static int allocate_blocks(int fd, uint64_t from, uint64_t nr_bytes)
{
	struct rlimit limit;

	/* Asked for first: going over it would be SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    from + nr_bytes > limit.rlim_cur)
		return -EFBIG;
	for (;;) {
		if (fallocate(fd, 0, (off_t)from, (off_t)nr_bytes) == 0)
			return 0;
		if (errno == EOPNOTSUPP || errno == ENOSYS)
			return write_zeros(fd, from, nr_bytes);
		if (errno != EINTR)
			return -errno;
	}
}

/* ---- mapping ---- */

static void *map_file(void *where, size_t nr_bytes, int fd, off_t from)
{
	return mmap(where, nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (where ? MAP_FIXED : 0),
		    fd, from);
}

/*
 * Address space of nr_bytes and some, to grow into. Where it is large it
 * begins at a huge page's border, and moving the mapping costs little.
 * *nr_bytes becomes what there is; NULL: none.
 */
static uint8_t *reserve_space(size_t *nr_bytes)
{
	size_t bytes = *nr_bytes * RESERVE_FACTOR;
	size_t slack = bytes > 2 * HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : 0;
	uint8_t *space;
	uintptr_t unaligned = 0;

	bytes = bytes < RESERVE_BYTES_MIN ? RESERVE_BYTES_MIN : bytes;
	space = mmap(NULL, bytes + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		     -1, 0);
	if (space == MAP_FAILED) {
		/* A limit on address space: take just what is needed. */
		slack = 0;
		bytes = *nr_bytes;
		space = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			     -1, 0);
		if (space == MAP_FAILED)
			return NULL;
	}
	if (slack) {
		unaligned = -(uintptr_t)space & (slack - 1);
		if (unaligned)
			(void)munmap(space, unaligned);
		space += unaligned;
		if (slack - unaligned)
			(void)munmap(space + bytes, slack - unaligned);
	}
	*nr_bytes = bytes;
	return space;
}

static void map_moved(struct sdb *db, uint8_t *map, size_t mapped_bytes)
{
	db->map = map;
	db->mapped_bytes = mapped_bytes;
	db->nr_mapped = (uint32_t)(mapped_bytes / SDB_PAGE_BYTES);
	sdb_mapping_set(db->mapping, map, mapped_bytes);
}

/* Move the mapping to where there is space for nr_bytes. */
static int map_move(struct sdb *db, size_t nr_bytes)
{
	size_t reserved = nr_bytes;
	uint8_t *space = reserve_space(&reserved);

	if (!space)
		return -ENOMEM;
	if (db->map) {
		if (mremap(db->map, db->mapped_bytes, db->mapped_bytes,
			   MREMAP_MAYMOVE | MREMAP_FIXED, space) == MAP_FAILED) {
			int error = -errno;

			(void)munmap(space, reserved);
			return error;
		}
		if (db->reserved_bytes > db->mapped_bytes)
			(void)munmap(db->map + db->mapped_bytes,
				     db->reserved_bytes - db->mapped_bytes);
	}
	db->reserved_bytes = reserved;
	map_moved(db, space, db->mapped_bytes);
	return 0;
}

/* Have the first nr_bytes of the file mapped; they are on disk. */
static int map_extend(struct sdb *db, size_t nr_bytes)
{
	const size_t system_page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t from = db->mapped_bytes & ~(system_page - 1);
	int error = nr_bytes > db->reserved_bytes ? map_move(db, nr_bytes) : 0;

	if (error)
		return error;
	if (map_file(db->map + from, nr_bytes - from, db->fd, (off_t)from) == MAP_FAILED)
		return -errno;
#ifdef MADV_POPULATE_WRITE
	/* One fault for all; where the kernel can't, one for each. */
	if (nr_bytes - from <= SEGMENT_PAGES_MAX * SDB_PAGE_BYTES)
		(void)madvise(db->map + from, nr_bytes - from, MADV_POPULATE_WRITE);
#endif
	map_moved(db, db->map, nr_bytes);
	return 0;
}

/* The first mapping: small files get no space to grow into before they do. */
static int map_begin(struct sdb *db)
{
	uint8_t *map = map_file(NULL, db->file_bytes, db->fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	db->reserved_bytes = db->file_bytes;
	map_moved(db, map, db->file_bytes);
	return 0;
}

int sdb_file_grow(struct sdb *db, uint32_t nr_pages)
{
	const uint64_t wanted = db->mapped_bytes + (uint64_t)nr_pages * SDB_PAGE_BYTES;
	uint32_t segment = (uint32_t)(db->file_bytes / SDB_PAGE_BYTES / 8);
	uint64_t end;
	int error = 0;

	segment = segment > SEGMENT_PAGES_MAX ? SEGMENT_PAGES_MAX : segment;
	segment = segment < nr_pages ? nr_pages : segment;
	end = db->mapped_bytes + (uint64_t)segment * SDB_PAGE_BYTES;
	if (end / SDB_PAGE_BYTES > UINT32_MAX)
		return -EFBIG;
	if (end > db->file_bytes) {
		error = allocate_blocks(db->fd, db->file_bytes, end - db->file_bytes);
		if (error && end > wanted) {
			end = wanted;
			error = end > db->file_bytes ? allocate_blocks(db->fd, db->file_bytes,
								       end - db->file_bytes)
						     : 0;
		}
		if (error)
			return error;
		db->file_bytes = end;
	}
	error = map_extend(db, end);
	/* Even on failure: the mapping may have moved. */
	sdb_tables_attach(db);
	return error;
}

/* ---- opening ---- */

/* The header in one write, and so there or not there; its blocks before that. */
static int file_begin(struct sdb *db, const struct sdb_identity *identity)
{
	size_t nr_bytes;
	void *pages;
	int error = sdb_header_build(identity, &pages, &nr_bytes);

	if (error)
		return error;
	error = allocate_blocks(db->fd, 0, nr_bytes);
	/* The first page last: without it, nothing has begun. */
	if (!error && nr_bytes > SDB_PAGE_BYTES &&
	    pwrite(db->fd, (char *)pages + SDB_PAGE_BYTES, nr_bytes - SDB_PAGE_BYTES,
		   SDB_PAGE_BYTES) != (ssize_t)(nr_bytes - SDB_PAGE_BYTES))
		error = -EIO;
	if (!error && pwrite(db->fd, pages, SDB_PAGE_BYTES, 0) != SDB_PAGE_BYTES)
		error = -EIO;
	SDB_STORED();
	free(pages);
	return error;
}

/* A file whose making was cut short holds nothing and is made again. */
static int file_begin_again(struct sdb *db, const struct sdb_identity *identity, const char *path,
			    struct diag *diag)
{
	struct stat status;

	if (fstat(db->fd, &status) < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		return diag_set_at(diag, -EINVAL, path, 0, "not a regular file");
	if ((uint64_t)status.st_size > SDB_HEADER_BYTES_MAX + SDB_PAGE_BYTES)
		return diag_set_at(diag, -EILSEQ, path, 0, "damaged: its first page is zero");
	int error = file_begin(db, identity);

	return error ? diag_set_at(diag, error, path, 0, "can't begin the file: %s",
				   strerror(-error))
		     : 0;
}

static int file_check(struct sdb *db, const char *path, const struct sdb_identity *identity,
		      struct diag *diag)
{
	struct oprof_sdb_header *header;
	int error = sdb_header_load(db->fd, path, &header, diag);

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
	struct stat status;
	int error;

	if (fstat(db->fd, &status) < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	db->file_bytes = (uint64_t)status.st_size / SDB_PAGE_BYTES * SDB_PAGE_BYTES;
	error = map_begin(db);
	if (error)
		return diag_set_at(diag, error, path, 0, "can't map it: %s", strerror(-error));
	sdb_tables_attach(db);
	return 0;
}

static int open_locked(const char *path, int *fd, struct diag *diag)
{
	/* Not blocking, should it be a FIFO; O_NONBLOCK means nothing for files. */
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (*fd < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	if (flock(*fd, LOCK_EX | LOCK_NB) < 0) {
		int error = errno == EWOULDBLOCK ? -EBUSY : -errno;

		return diag_set_at(diag, error, path, 0, "%s",
				   error == -EBUSY ? "another program is writing to it"
						   : strerror(errno));
	}
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
		error = open_locked(path, &opened->fd, diag);
	if (!error)
		error = file_check(opened, path, identity, diag);
	if (!error)
		error = file_map(opened, path, diag);
	if (!error)
		error = sdb_pages_init(opened, path, diag);
	if (!error && sdb_lost(opened))
		error = diag_set_at(diag, -EIO, path, 0, "cut while it was opened");
	if (error) {
		sdb_close(opened);
		return error;
	}
	sdb_tables_settle(opened);
	*db = opened;
	return 0;
}

void sdb_close(struct sdb *db)
{
	if (!db)
		return;
	sdb_mapping_put(db->mapping);
	if (db->map)
		(void)munmap(db->map, db->reserved_bytes);
	if (db->fd >= 0)
		(void)close(db->fd); /* and the lock goes with it */
	sdb_pages_deinit(db);
	free(db);
}

/* ---- the rest of the interface ---- */

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
	/* Cut by somebody: what we added behind the cut is lost. */
	return sdb_lost(db) || (uint64_t)status.st_size < db->mapped_bytes ? -EIO : 0;
}
