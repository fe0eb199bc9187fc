// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/session_dir.h"

#include "oprof/session.h"
#include "pp/selection/spec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int session_dir_find(const char *wanted, const char **dir, char at[READ_FOLDER_BYTES],
		     struct diag *diag)
{
	const char *found = wanted;
	int fd, error;

	if (!found)
		found = is_folder(SESSION_DIR_OWN) ? SESSION_DIR_OWN : SESSION_DIR_SYSTEM;
	fd = read_folder_open(found, at, diag);
	if (fd == -EPERM || fd == -ELOOP || fd == -ENAMETOOLONG)
		return fd;
	error = fd < 0 ? fd : 0;
	if (!error && faccessat(fd, OPROF_SAMPLES_NAME, R_OK | X_OK, AT_EACCESS))
		error = -errno;
	if (!error) {
		*dir = found; /* fd stays open: *at may refer to it */
		return 0;
	}
	if (fd >= 0)
		(void)close(fd);
	if (error == -EACCES)
		return diag_set(diag, error,
				"%s/" OPROF_SAMPLES_NAME
				" cannot be read by this user; run as root, or give your own "
				"session folder with --session-dir",
				found);
	return diag_set(diag, error,
			"no samples in %s: %s; record some (operf COMMAND, or "
			"opcontrol --start), or give their folder with --session-dir",
			found, strerror(-error));
}

void session_dir_free_names(char **names, size_t nr_names)
{
	for (size_t i = 0; names && i < nr_names; i++)
		free(names[i]);
	free(names);
}

static bool chosen(const struct spec *spec, const char *name)
{
	const struct spec_list *wanted = &spec->lists[SPEC_SESSION];

	if (spec_list_match(&spec->lists[SPEC_SESSION_EXCLUDE], name))
		return false;
	return wanted->nr_patterns ? spec_list_match(wanted, name)
				   : !strcmp(name, OPROF_SESSION_CURRENT);
}

static int nothing_chosen(const char *dir, const struct spec *spec, char *const *all, size_t nr_all,
			  struct diag *diag)
{
	char list[512] = "";
	char shown[256];
	size_t used = 0;

	for (size_t i = 0; i < nr_all && used < sizeof(list); i++) {
		int nr = snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", all[i]);

		used += nr > 0 ? (size_t)nr : 0;
	}
	if (!nr_all)
		return diag_set(diag, -ENOENT,
				"no samples in %s; record some (operf COMMAND, or opcontrol "
				"--start), or give their folder with --session-dir",
				dir);
	if (!spec->lists[SPEC_SESSION].nr_patterns &&
	    !spec->lists[SPEC_SESSION_EXCLUDE].nr_patterns)
		return diag_set(diag, -ENOENT,
				"no session \"current\" in %s; choose one with "
				"session:NAME (available: %s)",
				dir, list);
	spec_show(spec, shown, sizeof(shown));
	return diag_set(diag, -ENOENT, "no session of %s matches \"%s\"; available: %s", dir, shown,
			list);
}

static bool is_session(const char *samples, const char *name)
{
	char path[PATH_MAX];

	return *name != '.' &&
	       snprintf(path, sizeof(path), "%s/%s", samples, name) < (int)sizeof(path) &&
	       is_folder(path);
}

/* Lists the names of all folders in `samples`, malloc'ed and ascending. */
static int list_all(const char *samples, char ***names, size_t *nr_names)
{
	struct dirent **entries;
	int nr = scandir(samples, &entries, NULL, alphasort);
	char **all = NULL;
	bool complete;

	if (nr < 0)
		return -errno;
	all = calloc((size_t)nr + 1, sizeof(*all));
	complete = all != NULL;
	*nr_names = 0;
	for (int i = 0; i < nr; i++) {
		if (complete && is_session(samples, entries[i]->d_name)) {
			all[*nr_names] = strdup(entries[i]->d_name);
			complete = all[*nr_names] != NULL;
			*nr_names += complete;
		}
		free(entries[i]);
	}
	free(entries);
	if (!complete) {
		session_dir_free_names(all, *nr_names);
		return -ENOMEM;
	}
	*names = all;
	return 0;
}

int session_dir_list(const char *dir, const struct spec *spec, char ***names, size_t *nr_names,
		     struct diag *diag)
{
	char samples[PATH_MAX];
	size_t nr_all = 0;
	size_t nr = 0;
	char **all = NULL;
	int error;

	(void)snprintf(samples, sizeof(samples), "%s/" OPROF_SAMPLES_NAME, dir);
	error = list_all(samples, &all, &nr_all);
	if (error)
		return diag_set_at(diag, error, samples, 0, "cannot be read: %s", strerror(-error));
	for (size_t i = 0; i < nr_all; i++) {
		char *name = all[i];

		if (!chosen(spec, name))
			continue;
		all[i] = all[nr];
		all[nr++] = name;
	}
	if (!nr) {
		error = nothing_chosen(dir, spec, all, nr_all, diag);
		session_dir_free_names(all, nr_all);
		return error;
	}
	for (size_t i = nr; i < nr_all; i++)
		free(all[i]);
	*names = all;
	*nr_names = nr;
	return 0;
}
