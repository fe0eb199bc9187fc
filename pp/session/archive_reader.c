// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/archive_reader.h"

#include "lib/file.h"
#include "lib/key_value.h"
#include "pp/base/read_folder.h"

#include <archive.h>
#include <archive_entry.h>
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
#define READ_BYTES	   (256u << 10)

/* ---- unpacking ---- */

/* Returns whether name is relative, without "..", and has no part longer than NAME_MAX. */
static bool is_good_name(const char *name)
{
	if (!*name || *name == '/')
		return false;
	for (const char *part = name; *part;) {
		size_t nr_bytes = strcspn(part, "/");

		if (nr_bytes > NAME_MAX || (nr_bytes == 2 && !strncmp(part, "..", 2)))
			return false;
		part += nr_bytes;
		part += *part == '/';
	}
	return true;
}

/* Returns whether the entry may be unpacked into folder. */
static bool is_good_entry(struct archive_entry *entry, const char *folder)
{
	const char *name = archive_entry_pathname(entry);

	if (!name || !is_good_name(name) || strlen(folder) + 1 + strlen(name) >= PATH_MAX ||
	    archive_entry_hardlink(entry))
		return false;
	return archive_entry_filetype(entry) == AE_IFREG ||
	       archive_entry_filetype(entry) == AE_IFDIR;
}

/* Reports an invalid entry. Its name is untrusted and may have any length, so it is shortened. */
static int refuse_name(const char *path, const char *name, struct diag *diag)
{
	char shown[100];

	(void)snprintf(shown, sizeof(shown), "%s", name ? name : "");
	return diag_set_at(diag, -EILSEQ, path, 0,
			   "contains \"%s%s\", which is not allowed in an archive of "
			   "oprof",
			   shown, name && strlen(name) >= sizeof(shown) ? "..." : "");
}

static int damaged(struct archive *from, const char *path, struct diag *diag)
{
	const char *text = archive_error_string(from);

	return diag_set_at(diag, -EILSEQ, path, 0, "is damaged, or not an archive: %s",
			   text ? text : "unknown error");
}

static int unwritable(struct archive *to, const char *folder, struct diag *diag)
{
	int number = archive_errno(to);

	return diag_set_at(diag, number > 0 ? -number : -EIO, folder, 0,
			   "cannot unpack the archive here: %s; set TMPDIR to a folder "
			   "with more room",
			   number > 0 ? strerror(number) : "unknown error");
}

static int unpack_data(struct archive *from, struct archive *to, const char *path,
		       const char *folder, struct diag *diag)
{
	const void *block;
	size_t nr_bytes;
	la_int64_t offset;
	int status;

	while ((status = archive_read_data_block(from, &block, &nr_bytes, &offset)) == ARCHIVE_OK) {
		if (archive_write_data_block(to, block, nr_bytes, offset) < ARCHIVE_OK)
			return unwritable(to, folder, diag);
	}
	return status == ARCHIVE_EOF ? 0 : damaged(from, path, diag);
}

static int unpack_entry(struct archive *from, struct archive *to, struct archive_entry *entry,
			const char *path, const char *folder, struct diag *diag)
{
	char *whole;
	int error;

	if (!is_good_entry(entry, folder))
		return refuse_name(path, archive_entry_pathname(entry), diag);
	if (asprintf(&whole, "%s/%s", folder, archive_entry_pathname(entry)) < 0)
		return diag_set(diag, -ENOMEM, "out of memory");
	archive_entry_set_pathname(entry, whole);
	free(whole);
	archive_entry_set_perm(entry, archive_entry_filetype(entry) == AE_IFDIR ? 0700 : 0600);
	if (archive_write_header(to, entry) < ARCHIVE_OK)
		return unwritable(to, folder, diag);
	error = unpack_data(from, to, path, folder, diag);
	if (!error && archive_write_finish_entry(to) < ARCHIVE_OK)
		error = unwritable(to, folder, diag);
	return error;
}

static int unpack_entries(struct archive *from, struct archive *to, const char *path,
			  const char *folder, struct diag *diag)
{
	struct archive_entry *entry;
	int status, error = 0;

	while (!error && (status = archive_read_next_header(from, &entry)) != ARCHIVE_EOF) {
		if (status != ARCHIVE_OK)
			return damaged(from, path, diag);
		error = unpack_entry(from, to, entry, path, folder, diag);
	}
	return error;
}

int archive_unpack(int fd, const char *path, const char *folder, struct diag *diag)
{
	struct archive *from = archive_read_new();
	struct archive *to = archive_write_disk_new();
	int error = -ENOMEM;

	diag_set(diag, error, "out of memory");
	if (from && to) {
		(void)archive_read_support_filter_zstd(from);
		(void)archive_read_support_format_tar(from);
		(void)archive_write_disk_set_options(to, ARCHIVE_EXTRACT_TIME |
								 ARCHIVE_EXTRACT_NO_OVERWRITE);
		error = archive_read_open_fd(from, fd, READ_BYTES) == ARCHIVE_OK
				? unpack_entries(from, to, path, folder, diag)
				: damaged(from, path, diag);
	}
	(void)archive_read_free(from);
	(void)archive_write_free(to);
	return error;
}

/* ---- a folder that is removed when this process ends ---- */

/*
 * Starts a child that removes folder when this process ends: the child's read on the pipe
 * returns when the last write end closes.
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
	       is_good_name(session_dir) &&
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
		return refuse_name(path, ARCHIVE_MANIFEST, diag);
	}
	error = file_read_text(name, MANIFEST_BYTES_MAX, &text, NULL);
	free(name);
	if (error)
		return diag_set_at(
			diag, error == -ENOENT ? -EINVAL : error, path, 0,
			error == -ENOENT
				? "is not an archive of oparchive, or is unfinished: it lacks " ARCHIVE_MANIFEST
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
				  " does not name a folder of sessions inside it"
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
			error = refuse_name(path, entry->fts_path + strlen(root), diag);
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
		error = archive_unpack(fd, path, place->root, diag);
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
