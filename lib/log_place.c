// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/log_place.h"

#include "lib/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_end(const char *path)
{
	return folder_open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
}

int log_place_open(struct log_place *place, const char *path)
{
	char copy[PATH_MAX];
	int fd;

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return -ENAMETOOLONG;
	fd = open_end(copy);
	if (fd < 0)
		return fd;
	if (place->is_file)
		(void)close(place->fd);
	place->fd = fd;
	place->is_file = true;
	place->is_journal = false;
	place->torn = false;
	place->owner = getpid();
	memcpy(place->path, copy, sizeof(copy));
	return 0;
}

bool log_place_open_journal(struct log_place *place)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;
	int used = 0;

	if (!stream || place->is_file || fstat(place->fd, &st))
		return false;
	/* NOLINTNEXTLINE(cert-err34-c): a number that overflows matches no stream */
	if (sscanf(stream, "%llu:%llu%n", &device, &inode, &used) != 2 || stream[used])
		return false;
	place->is_journal = device == st.st_dev && inode == st.st_ino;
	return place->is_journal;
}

/* Renames the file to PATH.1. */
static int move_old(const char *path)
{
	char name[FOLDER_NAME_BYTES], old[FOLDER_NAME_BYTES + 2];
	const int folder = folder_open_parent(path, name);
	int error;

	if (folder < 0)
		return folder;
	(void)snprintf(old, sizeof(old), "%s.1", name);
	error = renameat(folder, name, folder, old) ? -errno : 0;
	(void)close(folder);
	return error;
}

/*
 * If nr_bytes more bytes would exceed the file's limit, renames the file to PATH.1 and begins a new
 * file. If this fails, truncates the file, so that the limit always holds.
 */
static void place_bound(struct log_place *place, size_t nr_bytes)
{
	struct stat st;
	int fd;

	if (!place->is_file || !place->bytes_max || getpid() != place->owner)
		return;
	if (fstat(place->fd, &st) || !S_ISREG(st.st_mode) ||
	    (size_t)st.st_size + nr_bytes <= place->bytes_max)
		return;
	if (move_old(place->path)) {
		(void)!ftruncate(place->fd, 0);
		return;
	}
	fd = open_end(place->path);
	if (fd < 0) {
		(void)!ftruncate(place->fd, 0);
		return;
	}
	(void)close(place->fd);
	place->fd = fd;
	place->torn = false;
}

/* Does not block if the destination is the journal; may block on a terminal or pipe. */
static ssize_t place_put(const struct log_place *place, const char *bytes, size_t nr_bytes)
{
	ssize_t nr;

	do {
		if (place->is_journal)
			nr = send(place->fd, bytes, nr_bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
		else
			nr = write(place->fd, bytes, nr_bytes);
	} while (nr < 0 && errno == EINTR);
	return nr;
}

void log_place_write(struct log_place *place, const char *line, size_t nr_bytes)
{
	ssize_t nr;

	place_bound(place, nr_bytes);
	if (place->torn && place_put(place, "\n", 1) == 1)
		place->torn = false;
	nr = place_put(place, line, nr_bytes);
	if (nr == (ssize_t)nr_bytes)
		return;
	place->nr_lost++;
	place->torn = place->torn || nr > 0;
}
