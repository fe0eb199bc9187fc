// SPDX-License-Identifier: GPL-2.0-or-later
#include "events/tracefs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define TRACEFS_FOLDER "/sys/kernel/tracing"

static const char *const folders[] = {TRACEFS_FOLDER, "/sys/kernel/debug/tracing"};
#define NR_FOLDERS (sizeof(folders) / sizeof(folders[0]))

/*
 * Looks for tracefs at `place` below `root`. Returns 0 and sets *folder; or
 * sets *folder to NULL and returns -ENOENT (not mounted there), -EACCES or
 * -ENOMEM.
 */
static int look(const char *root, const char *place, char **folder)
{
	char *found, *events;
	int error = 0;

	*folder = NULL;
	if (asprintf(&found, "%s%s", root, place) < 0)
		return -ENOMEM;
	if (asprintf(&events, "%s/events", found) < 0) {
		free(found);
		return -ENOMEM;
	}
	/* In a folder that only root may enter, the user cannot see whether tracefs is mounted. */
	if (access(events, R_OK | X_OK))
		error = errno == EACCES ? -EACCES : -ENOENT;
	free(events);
	if (error)
		free(found);
	else
		*folder = found;
	return error;
}

static int mount_it(const char *root, struct diag *diag)
{
	if (*root)
		return diag_set(diag, -ENODEV, "tracefs is not mounted");
	if (!mount("tracefs", TRACEFS_FOLDER, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return 0;
	if (errno == ENODEV || errno == ENOENT)
		return diag_set(diag, -ENODEV,
				"this kernel has no tracefs (CONFIG_TRACING), which describes its "
				"events: oprof can sample this kernel, but not trace it");
	if (errno == EPERM)
		return diag_set(diag, -EACCES,
				"tracefs, which describes the kernel's events, is not mounted: "
				"sudo mount -t tracefs tracefs " TRACEFS_FOLDER);
	return diag_set(
		diag, -errno,
		"tracefs, which describes the kernel's events, cannot be mounted at " TRACEFS_FOLDER
		": %s",
		strerror(errno));
}

static int find(const char *root, char **folder)
{
	int error = -ENOENT;

	for (unsigned int i = 0; i < NR_FOLDERS; i++) {
		const int found = look(root, folders[i], folder);

		if (!found || found == -ENOMEM)
			return found;
		if (found == -EACCES)
			error = found;
	}
	return error;
}

int tracefs_find(const char *root, char **folder, struct diag *diag)
{
	int error = find(root, folder);

	if (error == -ENOENT) {
		error = mount_it(root, diag);
		if (error)
			return error;
		error = find(root, folder);
	}
	if (error == -EACCES)
		return diag_set(diag, error,
				"only root may read the kernel's events here: run as root, or "
				"sudo mount -o remount,mode=755 " TRACEFS_FOLDER);
	if (error)
		return diag_set(diag, error, "tracefs: %s", strerror(-error));
	return 0;
}
