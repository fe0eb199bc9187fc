// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/table_folder.h"

#include "lib/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TMP_NAME_BYTES 32
/* One pass over the folder finds the oldest tables, but at most this number. */
#define REMOVE_MAX 64

void table_folder_name(uint64_t identity, char *name)
{
	(void)snprintf(name, TABLE_FOLDER_NAME_BYTES, "%016" PRIx64 ".code", identity);
}

static void tmp_name(uint64_t identity, char *name)
{
	(void)snprintf(name, TMP_NAME_BYTES, ".%016" PRIx64 ".tmp", identity);
}

int table_folder_open(const char *path)
{
	int error = file_make_dirs(path, 0700);
	int fd;

	if (error)
		return error;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int table_folder_find(int dir_fd, uint64_t identity)
{
	char name[TABLE_FOLDER_NAME_BYTES];

	if (dir_fd < 0)
		return -1;
	table_folder_name(identity, name);
	return openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

int table_folder_begin(int dir_fd, uint64_t identity)
{
	char name[TMP_NAME_BYTES];
	int fd;

	tmp_name(identity, name);
	if (dir_fd < 0)
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	else
		fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* ---- room ---- */

struct oldest {
	char name[TABLE_FOLDER_NAME_BYTES];
	struct timespec time;
};

struct listing {
	uint64_t nr_bytes;
	struct oldest oldest[REMOVE_MAX]; /* in ascending order of time */
	uint64_t sizes[REMOVE_MAX];
	size_t nr;
};

static bool is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static void listing_add(struct listing *listing, const char *name, const struct stat *st)
{
	size_t at = listing->nr;

	listing->nr_bytes += (uint64_t)st->st_size;
	if (at == REMOVE_MAX && !is_older(&st->st_mtim, &listing->oldest[at - 1].time))
		return;
	if (at == REMOVE_MAX)
		at--;
	else
		listing->nr++;
	for (; at && is_older(&st->st_mtim, &listing->oldest[at - 1].time); at--) {
		listing->oldest[at] = listing->oldest[at - 1];
		listing->sizes[at] = listing->sizes[at - 1];
	}
	memcpy(listing->oldest[at].name, name, TABLE_FOLDER_NAME_BYTES);
	listing->oldest[at].time = st->st_mtim;
	listing->sizes[at] = (uint64_t)st->st_size;
}

static bool is_table_name(const char *name)
{
	return strlen(name) == TABLE_FOLDER_NAME_BYTES - 1 &&
	       !strcmp(name + TABLE_FOLDER_NAME_BYTES - 1 - strlen(".code"), ".code");
}

/*
 * Lists the tables, and removes incomplete files. A killed keeper left these files, since only the
 * keeper writes to this folder.
 */
static bool listing_read(struct listing *listing, int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	struct stat st;

	memset(listing, 0, sizeof(*listing));
	if (!folder) {
		if (fd >= 0)
			(void)close(fd);
		return false;
	}
	while ((entry = readdir(folder))) {
		size_t nr = strlen(entry->d_name);

		if (entry->d_name[0] == '.' && nr > 4 && !strcmp(entry->d_name + nr - 4, ".tmp"))
			(void)unlinkat(dir_fd, entry->d_name, 0);
		else if (is_table_name(entry->d_name) &&
			 !fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			listing_add(listing, entry->d_name, &st);
	}
	(void)closedir(folder);
	return true;
}

/*
 * Removes the oldest tables. A removed table that is mapped remains usable until it is unmapped;
 * only later runs cannot use it.
 */
static void make_room(int dir_fd, uint64_t bytes_max)
{
	struct listing listing;

	while (listing_read(&listing, dir_fd) && listing.nr_bytes > bytes_max && listing.nr) {
		for (size_t i = 0; i < listing.nr && listing.nr_bytes > bytes_max; i++) {
			if (unlinkat(dir_fd, listing.oldest[i].name, 0))
				return;
			listing.nr_bytes -= listing.sizes[i];
		}
	}
}

/* ---- the end of a file ---- */

static int put_in_memory(int file)
{
	char path[64];
	int fd;

	/* Seal the file, so that readers that map it see no changes. */
	(void)fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int put_in_folder(int dir_fd, uint64_t identity, uint64_t bytes_max)
{
	char name[TABLE_FOLDER_NAME_BYTES], tmp[TMP_NAME_BYTES];
	int fd;

	table_folder_name(identity, name);
	tmp_name(identity, tmp);
	fd = openat(dir_fd, tmp, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (renameat(dir_fd, tmp, dir_fd, name)) {
		int error = -errno;

		(void)close(fd);
		return error;
	}
	make_room(dir_fd, bytes_max);
	return fd;
}

int table_folder_put(int dir_fd, uint64_t identity, int file, uint64_t bytes_max)
{
	int fd = dir_fd < 0 ? put_in_memory(file) : put_in_folder(dir_fd, identity, bytes_max);

	if (fd < 0)
		table_folder_cancel(dir_fd, identity, file);
	else
		(void)close(file);
	return fd;
}

void table_folder_cancel(int dir_fd, uint64_t identity, int file)
{
	char tmp[TMP_NAME_BYTES];

	tmp_name(identity, tmp);
	if (dir_fd >= 0)
		(void)unlinkat(dir_fd, tmp, 0);
	(void)close(file);
}
