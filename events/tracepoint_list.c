// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists the kernel's tracepoints, which are folders in tracefs. */
#include "events/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct folder_listing {
	const char *folder;
	char *systems; /* pattern for systems, malloc'ed */
	const char *names;
	int (*found)(const char *system, const char *name, void *context);
	void *context;
	struct diag *diag;
	size_t nr_found;
};

static int is_folder_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Sorts by bytes, independent of the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int cannot_read(const struct folder_listing *listing, const char *path)
{
	const int error = -errno;

	return diag_set_at(listing->diag, error, path, 0, "%s", strerror(errno));
}

static bool has_format(const char *path, const char *name)
{
	char *format;
	struct stat status;
	bool has;

	if (asprintf(&format, "%s/%s/format", path, name) < 0)
		return false;
	has = !stat(format, &status) && S_ISREG(status.st_mode);
	free(format);
	return has;
}

/*
 * A system whose folder disappears during the listing, because a module is
 * unloaded, has no tracepoints.
 */
static int list_system(struct folder_listing *listing, const char *system)
{
	struct dirent **entries;
	char *path;
	int nr, error = 0;

	if (asprintf(&path, "%s/events/%s", listing->folder, system) < 0)
		return -ENOMEM;
	nr = scandir(path, &entries, is_folder_name, by_name);
	for (int i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;

		if (!error && !fnmatch(listing->names, name, 0) && has_format(path, name)) {
			listing->nr_found++;
			error = listing->found(system, name, listing->context);
		}
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	free(path);
	return error;
}

/*
 * The system "ftrace" is ignored: it has no tracepoints, only the records of
 * ftrace's own tracers.
 */
static bool is_wanted(const struct folder_listing *listing, const char *system)
{
	return strcmp(system, "ftrace") != 0 && !fnmatch(listing->systems, system, 0);
}

static int list_systems(struct folder_listing *listing)
{
	struct dirent **entries;
	char *path;
	int nr, error = 0;

	if (asprintf(&path, "%s/events", listing->folder) < 0)
		return -ENOMEM;
	nr = scandir(path, &entries, is_folder_name, by_name);
	if (nr < 0)
		error = cannot_read(listing, path);
	for (int i = 0; i < nr; i++) {
		if (!error && is_wanted(listing, entries[i]->d_name))
			error = list_system(listing, entries[i]->d_name);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	free(path);
	return error;
}

int tracepoint_list(const char *folder, const char *pattern,
		    int (*found)(const char *system, const char *name, void *context),
		    void *context, struct diag *diag)
{
	const char *colon = strchr(pattern, ':');
	struct folder_listing listing = {
		.folder = folder,
		.systems = colon ? strndup(pattern, (size_t)(colon - pattern)) : strdup("*"),
		.names = colon ? colon + 1 : pattern,
		.found = found,
		.context = context,
		.diag = diag};
	int error = -ENOMEM;

	if (listing.systems)
		error = list_systems(&listing);
	free(listing.systems);
	if (error == -ENOMEM)
		return diag_set(diag, error, "out of memory: cannot list the kernel's events");
	if (!error && !listing.nr_found)
		return diag_set(diag, -ENOENT, "this kernel has no event %s", pattern);
	return error;
}
