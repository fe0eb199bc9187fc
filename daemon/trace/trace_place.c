// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_place.h"

#include "ctf/chunk.h"
#include "lib/file.h"
#include "lib/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A trace that is being recorded must not be moved or removed. Its folder is locked. */
static int check_unused(const char *folder, struct diag *diag)
{
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool is_used = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB);

	if (fd >= 0)
		(void)close(fd);
	if (!is_used)
		return 0;
	return diag_set(diag, -EBUSY, "%s is being recorded to; choose another folder with -o DIR",
			folder);
}

static int move_away(const char *folder, const char *old, struct diag *diag)
{
	int error = check_unused(folder, diag);

	if (!error)
		error = check_unused(old, diag);
	if (error)
		return error;
	if (!access(old, F_OK) && !ctf_chunk_is_trace(old))
		return diag_set(
			diag, -EEXIST,
			"%s is not a trace, and the previous trace would be moved there; move it "
			"away, or choose another folder with -o DIR",
			old);
	error = file_remove_tree(old);
	if (!error || error == -ENOENT)
		error = rename(folder, old) ? -errno : 0;
	if (error)
		return diag_set(diag, error,
				"cannot move the previous trace to %s: %s; choose another folder "
				"with -o DIR",
				old, strerror(-error));
	return 0;
}

/* A folder that is not a trace is not moved: the writer will report the conflict. */
int trace_place_make_way(const char *folder, bool *moved, struct diag *diag)
{
	char *old;
	int error;

	*moved = false;
	if (!ctf_chunk_is_trace(folder))
		return 0;
	if (asprintf(&old, "%s.old", folder) < 0)
		return diag_set(diag, -ENOMEM, "not enough memory for a name");
	error = move_away(folder, old, diag);
	*moved = !error;
	free(old);
	return error;
}

void trace_place_give_back(const char *folder)
{
	char *old;

	if (asprintf(&old, "%s.old", folder) < 0) {
		log_warning("not enough memory for a name: the previous trace stays in %s.old",
			    folder);
		return;
	}
	if (rename(old, folder))
		log_warning("cannot move the previous trace back from %s: %s; remove %s, then "
			    "rename %s to it",
			    old, strerror(errno), folder, old);
	free(old);
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
		return diag_set(diag, -ENOMEM, "not enough memory for a path");
	if (access(dirname(parent), W_OK | X_OK))
		error = diag_set(
			diag, -errno,
			"%s: cannot write to its folder %s: %s; choose another folder with -o DIR",
			folder, parent, strerror(errno));
	free(parent);
	return error;
}
