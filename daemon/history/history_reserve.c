// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history_reserve.h"

#include "lib/file.h"
#include "oprof/slice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESERVE_SHARE	  32 /* a slice takes a small part of the space of its live files */
#define RESERVE_BYTES_MIN (8u << 10)
#define RESERVE_BYTES_MAX (4u << 20)

/* The caller frees the path. */
static char *reserve_path(const char *session_path)
{
	char *path;

	return asprintf(&path, "%s/" OPROF_SLICE_FOLDER "/reserve.tmp", session_path) < 0 ? NULL
											  : path;
}

static void reserve(const char *path, uint64_t nr_bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return;
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)nr_bytes))
		(void)unlink(path);
	(void)close(fd);
}

void history_reserve_make(const char *session_path, uint64_t budget_bytes)
{
	uint64_t nr_bytes = budget_bytes / RESERVE_SHARE;
	char *path = reserve_path(session_path);
	struct stat st;

	if (nr_bytes < RESERVE_BYTES_MIN)
		nr_bytes = RESERVE_BYTES_MIN;
	if (nr_bytes > RESERVE_BYTES_MAX)
		nr_bytes = RESERVE_BYTES_MAX;
	if (path && lstat(path, &st) && !file_make_parent_dirs(path, 0700))
		reserve(path, nr_bytes);
	free(path);
}

int history_reserve_take(const char *session_path, const char *path)
{
	char *from = reserve_path(session_path);
	int error = -ENOMEM;

	if (from)
		error = rename(from, path) ? -errno : 0;
	free(from);
	return error;
}

void history_reserve_give_back(const char *session_path, const char *path)
{
	char *to = reserve_path(session_path);

	if (!to || rename(path, to))
		(void)unlink(path);
	free(to);
}

void history_reserve_remove(const char *session_path)
{
	char *path = reserve_path(session_path);

	if (path && !unlink(path)) {
		*strrchr(path, '/') = '\0';
		(void)rmdir(path); /* fails if there are slices */
	}
	free(path);
}
