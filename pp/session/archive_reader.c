// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/archive_reader.h"

#include "lib/file.h"
#include "lib/key_value.h"
#include "pp/base/read_folder.h"
#include "pp/session/archive_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST_BYTES_MAX (64u << 10)

/* ---- a folder that is removed when this process ends ---- */

/*
 * Starts a child that removes folder when this process ends. The child reads from a pipe to which
 * nothing is written. Its read() returns when every process that has the pipe's write end open has
 * ended: this process, and children that inherited the write end.
 */
static int watch_folder(const char *folder)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		(void)close(ends[0]);
		(void)close(ends[1]);
		return -errno;
	}
	if (pid) {
		(void)close(ends[0]); /* ends[1] stays open until this process ends */
		return 0;
	}
	(void)close(ends[1]);
	(void)setsid(); /* Ctrl-C in the terminal must not end the child */
	for (int fd = 0; fd < 3; fd++)
		(void)close(fd);
	(void)signal(SIGPIPE, SIG_IGN);
	while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
		;
	(void)file_remove_tree(folder);
	_exit(0);
}

static int make_below(const char *tmp, char **folder, struct diag *diag)
{
	char *real = realpath(tmp, NULL);
	int error;

	if (!real)
		return diag_set_at(diag, -errno, tmp, 0, "cannot unpack the archive here: %s",
				   strerror(errno));
	error = asprintf(folder, "%s/oprof-archive.XXXXXX", real) < 0 ? -ENOMEM : 0;
	free(real);
	if (error) {
		*folder = NULL;
		return diag_set(diag, error, "out of memory");
	}
	if (!mkdtemp(*folder))
		return diag_set_at(diag, -errno, *folder, 0, "cannot be created: %s",
				   strerror(errno));
	return 0;
}

/*
 * Makes a temporary folder. *folder is a path without symbolic links, so that the real paths of
 * files in the folder begin with it.
 */
static int make_folder(char **folder, struct diag *diag)
{
	const char *tmp = getenv("TMPDIR");
	int error;

	/* This process may have become the archive's owner, who may have no access to TMPDIR. */
	if (!tmp || !*tmp || (access(tmp, W_OK | X_OK) && errno == EACCES))
		tmp = "/tmp";
	*folder = NULL;
	error = make_below(tmp, folder, diag);
	if (error || !*folder)
		return error ? error : -ENOMEM;
	error = watch_folder(*folder);
	if (error) {
		(void)rmdir(*folder);
		return diag_set(diag, error,
				"cannot start the process that removes the unpacked archive: %s",
				strerror(-error));
	}
	return 0;
}

/* ---- opening ---- */

static int read_version(const char *text)
{
	char version[16];
	char *end;
	long number;

	if (!key_value_find(text, ARCHIVE_MANIFEST, version, sizeof(version)))
		return -EINVAL;
	number = strtol(version, &end, 10);
	if (end == version || *end || number < 1)
		return -EINVAL;
	return number > ARCHIVE_VERSION ? -EPROTONOSUPPORT : 0;
}

static bool find_session_dir(const struct archive_place *place, const char *text,
			     char session_dir[PATH_MAX])
{
	return key_value_find(text, "session_dir", session_dir, PATH_MAX) &&
	       archive_name_is_good(session_dir) &&
	       strlen(place->root) + 1 + strlen(session_dir) < PATH_MAX;
}

static int read_manifest(struct archive_place *place, const char *path, struct diag *diag)
{
	char session_dir[PATH_MAX] = "";
	char *name = NULL, *text = NULL;
	struct stat st;
	int error = -ENOMEM;

	if (asprintf(&name, "%s/" ARCHIVE_MANIFEST, place->root) < 0)
		return diag_set(diag, error, "out of memory");
	if (!lstat(name, &st) && !S_ISREG(st.st_mode)) { /* reading a pipe might never end */
		free(name);
		return archive_refuse_name(path, ARCHIVE_MANIFEST, diag);
	}
	error = file_read_text(name, MANIFEST_BYTES_MAX, &text, NULL);
	free(name);
	if (error)
		return diag_set_at(
			diag, error == -ENOENT ? -EINVAL : error, path, 0,
			error == -ENOENT
				? "is not an archive of oparchive, or is unfinished: it has "
				  "no " ARCHIVE_MANIFEST
				: "its " ARCHIVE_MANIFEST " cannot be read");
	error = read_version(text);
	if (!error && !find_session_dir(place, text, session_dir))
		error = -EILSEQ;
	place->partial = !key_value_number(text, "whole", 1);
	free(text);
	if (error)
		return diag_set_at(
			diag, error, path, 0,
			error == -EINVAL ? "its " ARCHIVE_MANIFEST " is invalid"
			: error == -EILSEQ
				? "its " ARCHIVE_MANIFEST
				  " does not name a folder of sessions inside the archive"
				: "was made by a newer version of oprof; use that version");
	if (asprintf(&place->session_dir, "%s/%s", place->root, session_dir) < 0) {
		place->session_dir = NULL;
		return diag_set(diag, -ENOMEM, "out of memory");
	}
	return 0;
}

/*
 * Refuses all files except folders and regular files: symbolic links may lead out of the archive,
 * and reading a pipe may block.
 */
static int check_folder(char *root, const char *path, struct diag *diag)
{
	char *const roots[] = {root, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	const FTSENT *entry;
	int error = 0;

	if (!walk)
		return diag_set_at(diag, -errno, path, 0, "cannot be read: %s", strerror(errno));
	while (!error && (entry = fts_read(walk)))
		if (entry->fts_info == FTS_SL || entry->fts_info == FTS_SLNONE ||
		    entry->fts_info == FTS_DEFAULT)
			error = archive_refuse_name(path, entry->fts_path + strlen(root), diag);
	(void)fts_close(walk);
	return error;
}

static int find_root(struct archive_place *place, const char *path, struct diag *diag)
{
	struct stat st;
	int fd, error;

	if (stat(path, &st))
		return diag_set_at(diag, -errno, path, 0, "cannot be read: %s", strerror(errno));
	if (S_ISDIR(st.st_mode)) {
		fd = read_folder_open(path, NULL, diag);
		if (fd < 0)
			return fd;
		(void)close(fd);
		place->root = realpath(path, NULL);
		if (!place->root)
			return diag_set_at(diag, -errno, path, 0, "cannot be read: %s",
					   strerror(errno));
		return 0;
	}
	if (!S_ISREG(st.st_mode))
		return diag_set_at(diag, -EINVAL, path, 0, "is neither a folder nor a file");
	fd = read_folder_open_file(path, diag);
	if (fd < 0)
		return fd;
	error = make_folder(&place->root, diag);
	place->unpacked = !error;
	if (!error)
		error = archive_unpack(fd, path, place->root, &archive_default_limits, diag);
	(void)close(fd);
	return error;
}

int archive_place_open(struct archive_place *place, const char *path, struct diag *diag)
{
	int error;

	*place = (struct archive_place){.path = strdup(path)};
	error = place->path ? find_root(place, path, diag)
			    : diag_set(diag, -ENOMEM, "out of memory");
	if (!error)
		error = read_manifest(place, path, diag);
	if (!error && !place->unpacked)
		error = check_folder(place->root, path, diag);
	if (!error && !place->unpacked)
		error = read_folder_check(place->root, ".", path, diag);
	if (error)
		archive_place_deinit(place);
	return error;
}

void archive_place_deinit(struct archive_place *place)
{
	if (place->unpacked)
		(void)file_remove_tree(place->root);
	free(place->path);
	free(place->root);
	free(place->session_dir);
	*place = (struct archive_place){0};
}
