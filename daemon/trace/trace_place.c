// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_place.h"

#include "ctf/chunk.h"
#include "lib/file.h"
#include "lib/folder.h"
#include "lib/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define OLD_SUFFIX ".old"
#define OLD_BYTES  (FOLDER_NAME_BYTES + sizeof(OLD_SUFFIX))

/*
 * The place of a trace. The folder that contains the trace is open, so that nobody can exchange
 * this folder between two steps.
 */
struct place {
	int parent_fd;
	char name[FOLDER_NAME_BYTES], old[OLD_BYTES];
};

static int place_open(struct place *place, const char *folder)
{
	place->parent_fd = folder_open_parent(folder, place->name);
	if (place->parent_fd < 0)
		return place->parent_fd;
	(void)snprintf(place->old, sizeof(place->old), "%s" OLD_SUFFIX, place->name);
	return 0;
}

/* Opens a trace, or another folder of that name. Returns a descriptor or -errno. */
static int open_trace(const struct place *place, const char *name)
{
	const int fd =
		openat(place->parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* A trace that is being recorded must not be moved or removed. Its folder is locked. */
static int check_unused(int fd, const char *folder, const char *suffix, struct diag *diag)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	return diag_set(diag, -EBUSY,
			"a trace is being recorded to %s%s: choose another folder: -o DIR", folder,
			suffix);
}

/* Removes the trace that an earlier call has moved to folder.old, if there is one. */
static int remove_old(const struct place *place, const char *folder, struct diag *diag)
{
	const int fd = open_trace(place, place->old);
	char old[PATH_MAX];
	int error;

	if (fd == -ENOENT)
		return 0;
	if (fd < 0 && fd != -ENOTDIR && fd != -ELOOP)
		return diag_set(diag, fd, "%s" OLD_SUFFIX ": %s", folder, strerror(-fd));
	(void)snprintf(old, sizeof(old), "%s" OLD_SUFFIX, folder);
	error = fd < 0 ? 0 : check_unused(fd, folder, OLD_SUFFIX, diag);
	if (!error && (fd < 0 || !ctf_chunk_is_trace_fd(fd)))
		error = diag_set(diag, -EEXIST,
				 "the previous trace cannot be renamed to %s, because this path "
				 "exists and is not a trace: move it away, or choose another "
				 "folder for the new trace: -o DIR",
				 old);
	if (!error)
		error = folder_check(fd, old, "-o DIR", diag);
	if (error) {
		if (fd >= 0)
			(void)close(fd);
		return error;
	}
	error = file_remove_opened(place->parent_fd, place->old, fd);
	return error ? diag_set(diag, error,
				"cannot remove the trace in %s: %s; choose another folder: -o DIR",
				old, strerror(-error))
		     : 0;
}

static int move_away(const struct place *place, const char *folder, struct diag *diag)
{
	int error = remove_old(place, folder, diag);

	if (error)
		return error;
	if (renameat(place->parent_fd, place->name, place->parent_fd, place->old))
		return diag_set(diag, -errno,
				"cannot move the previous trace to %s" OLD_SUFFIX
				": %s; choose another folder: -o DIR",
				folder, strerror(errno));
	return 0;
}

/* A folder that is not a trace is not moved: the writer will report the conflict. */
int trace_place_make_way(const char *folder, bool *moved, struct diag *diag)
{
	struct place place;
	int fd, error = place_open(&place, folder);

	*moved = false;
	if (error)
		return error == -ENOENT ? 0 : folder_explain(error, folder, "-o DIR", diag);
	fd = open_trace(&place, place.name);
	if (fd >= 0 && ctf_chunk_is_trace_fd(fd)) {
		error = check_unused(fd, folder, "", diag);
		if (!error)
			error = folder_check(fd, folder, "-o DIR", diag);
		if (!error)
			error = move_away(&place, folder, diag);
		*moved = !error;
	}
	if (fd >= 0)
		(void)close(fd);
	(void)close(place.parent_fd);
	return error;
}

void trace_place_give_back(const char *folder)
{
	struct place place;
	int error = place_open(&place, folder);

	if (!error) {
		if (renameat(place.parent_fd, place.old, place.parent_fd, place.name))
			error = -errno;
		(void)close(place.parent_fd);
	}
	if (error)
		log_warning("cannot move the previous trace back from %s" OLD_SUFFIX
			    ": %s; remove %s, then rename %s" OLD_SUFFIX " to it",
			    folder, strerror(-error), folder, folder);
}

int trace_place_check(const char *folder, struct diag *diag)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry = NULL;

	if (!dir && errno == ENOENT)
		return 0;
	if (!dir)
		return diag_set(diag, -errno, "%s: %s", folder, strerror(errno));
	do {
		entry = readdir(dir);
	} while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
	(void)closedir(dir);
	if (!entry)
		return 0;
	return diag_set(diag, -ENOTEMPTY, "%s is not empty; choose another folder with -o DIR",
			folder);
}

int trace_place_check_parent(const char *folder, struct diag *diag)
{
	char *parent = strdup(folder);
	int error = 0;

	if (!parent)
		return diag_set(diag, -ENOMEM, "out of memory for a path");
	if (access(dirname(parent), W_OK | X_OK))
		error = diag_set(
			diag, -errno,
			"cannot make %s: its parent folder %s is not writable: %s; choose another "
			"folder with -o DIR",
			folder, parent, strerror(errno));
	free(parent);
	return error;
}
