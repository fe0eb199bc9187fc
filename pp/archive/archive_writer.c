// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/archive/archive_writer.h"

#include "lib/file.h"
#include "lib/folder.h"
#include "lib/stop_signal.h"
#include "pp/base/strings.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COPY_BYTES (1u << 18)
#define SUFFIX	   ".tar.zst"

struct archive_writer {
	struct archive *archive;
	char *path;
	char *tmp; /* temporary name of a compressed file; NULL if the archive is a folder */
	/*
	 * Path by which the files of a folder are written and removed. NULL: the archive is a
	 * compressed file, or the folder could not be opened.
	 */
	char *at;
	/* descriptor of the file `tmp` or of the folder; -1: not open, and `tmp` was not created */
	int fd;
	/* The folder that contains a compressed file, -1 if not open; and the file's name in it. */
	int parent_fd;
	char name[FOLDER_NAME_BYTES];
	uint8_t *buffer;
	uint64_t nr_bytes;
	/*
	 * Counted for the limits of a compressed archive: its files, the folders on its deepest
	 * path, and its folders (each stored once).
	 */
	unsigned int nr_files, depth;
	struct strings folders;
	/* names written to a folder; the files are removed if the archive is not finished */
	struct strings names;
	/* Length of the part of `path` that existed before the writer was opened. */
	size_t nr_there_bytes;
	bool finished;
};

static bool ends_in(const char *text, const char *end)
{
	size_t nr_text = strlen(text), nr_end = strlen(end);

	return nr_text > nr_end && !strcmp(text + nr_text - nr_end, end);
}

/* Sets *diag to libarchive's error. Returns the error, or -EIO if libarchive gives no number. */
static int failed(struct archive_writer *writer, const char *name, struct diag *diag)
{
	int number = archive_errno(writer->archive);
	const char *text = archive_error_string(writer->archive);

	return diag_set_at(diag, number > 0 ? -number : -EIO, writer->path, 0,
			   "cannot write %s: %s", name,
			   number > 0 ? strerror(number)
			   : text     ? text
				      : "unknown error");
}

/* ---- opening ---- */

static bool is_empty_folder(const char *path)
{
	struct dirent **names;
	int nr = scandir(path, &names, NULL, NULL);

	for (int i = 0; i < nr; i++)
		free(names[i]);
	if (nr >= 0)
		free(names);
	return nr >= 0 && nr <= 2; /* "." and ".." */
}

/* Returns the length of the existing part of `path`, such as "/tmp" of "/tmp/a/b". */
static size_t nr_bytes_there(const char *path)
{
	size_t nr = strlen(path);
	char *part = strdup(path);

	while (part && nr && access(part, F_OK)) {
		while (nr && part[nr - 1] == '/')
			nr--;
		while (nr && part[nr - 1] != '/')
			nr--;
		part[nr] = '\0';
	}
	free(part);
	return nr;
}

static int open_folder(struct archive_writer *writer, struct diag *diag)
{
	struct stat st;
	int error;

	writer->nr_there_bytes = nr_bytes_there(writer->path);
	if (!lstat(writer->path, &st)) {
		if (!S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
			return diag_set_at(diag, -EEXIST, writer->path, 0,
					   "exists and is not a folder; give another name");
		if (!is_empty_folder(writer->path))
			return diag_set_at(diag, -EEXIST, writer->path, 0,
					   "is not empty; give a new folder");
	}
	writer->fd = folder_open_trusted(writer->path, FOLDER_CREATE, "-o", diag);
	if (writer->fd < 0)
		return writer->fd;
	/* root uses the open folder, because another user might make the path lead elsewhere. */
	error = geteuid() ? asprintf(&writer->at, "%s", writer->path)
			  : asprintf(&writer->at, "/proc/self/fd/%d", writer->fd);
	if (error < 0) {
		writer->at = NULL;
		return -ENOMEM;
	}
	writer->archive = archive_write_disk_new();
	if (!writer->archive)
		return -ENOMEM;
	(void)archive_write_disk_set_options(writer->archive,
					     ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_PERM |
						     ARCHIVE_EXTRACT_SECURE_NODOTDOT |
						     ARCHIVE_EXTRACT_NO_OVERWRITE);
	return 0;
}

static int open_file(struct archive_writer *writer, struct diag *diag)
{
	writer->parent_fd = folder_open_parent(writer->path, writer->name);
	if (writer->parent_fd < 0)
		return folder_explain(writer->parent_fd, writer->path, "-o", diag);
	if (asprintf(&writer->tmp, "%s.%d.tmp", writer->name, (int)getpid()) < 0) {
		writer->tmp = NULL;
		return -ENOMEM;
	}
	writer->archive = archive_write_new();
	if (!writer->archive)
		return -ENOMEM;
	if (archive_write_set_format_pax_restricted(writer->archive) != ARCHIVE_OK ||
	    archive_write_add_filter_zstd(writer->archive) != ARCHIVE_OK)
		return diag_set(diag, -EOPNOTSUPP,
				"this libarchive cannot write tar with zstd; give a folder");
	/*
	 * O_EXCL and O_NOFOLLOW: another user may have placed a link at this name, such as in /tmp.
	 */
	writer->fd = openat(writer->parent_fd, writer->tmp,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (writer->fd < 0)
		return diag_set_at(diag, -errno, writer->path, 0, "cannot be created: %s",
				   strerror(errno));
	if (archive_write_open_fd(writer->archive, writer->fd) != ARCHIVE_OK)
		return failed(writer, writer->tmp, diag);
	return 0;
}

int archive_writer_open(struct archive_writer **writer, const char *path, struct diag *diag)
{
	struct archive_writer *made = calloc(1, sizeof(*made));
	int error = -ENOMEM;

	diag_set(diag, -ENOMEM, "out of memory");
	if (!made)
		return -ENOMEM;
	made->fd = made->parent_fd = -1;
	made->path = strdup(path);
	made->buffer = malloc(COPY_BYTES);
	if (made->path && made->buffer)
		error = ends_in(path, SUFFIX) ? open_file(made, diag) : open_folder(made, diag);
	if (error) {
		archive_writer_close(made);
		return error;
	}
	*writer = made;
	return 0;
}

/* ---- adding ---- */

/*
 * Returns whether an entry's header was written. Accepts libarchive's warning for a name that is
 * not text in this locale. The locale is always "C", because the program sets no other one. In this
 * case, libarchive stores the name as bytes and marks the entry. The other entries are not marked,
 * because tar(1) warns about each marked entry.
 */
static bool is_written(const struct archive_writer *writer, int result)
{
	return result == ARCHIVE_OK || (writer->tmp && result == ARCHIVE_WARN);
}

/* Only the owner may write the copies, whatever the mode of the original. */
#define MODE_MASK 0755

/* Counts a file, and the folders on its path. Returns 0 or -ENOMEM. */
static int count_file(struct archive_writer *writer, const char *name)
{
	unsigned int depth = 0;
	char *part = strdup(name);
	int error = part ? 0 : -ENOMEM;

	for (char *slash = part; !error && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (!strings_keep(&writer->folders, part))
			error = -ENOMEM;
		*slash = '/';
		depth++;
	}
	free(part);
	if (depth > writer->depth)
		writer->depth = depth;
	writer->nr_files++;
	return error;
}

static int add_header(struct archive_writer *writer, const char *name, uint64_t nr_bytes,
		      mode_t mode, struct timespec time, struct diag *diag)
{
	struct archive_entry *entry = archive_entry_new();
	char *path = NULL;
	int error = 0;

	if (!entry ||
	    (writer->tmp ? count_file(writer, name) : !strings_keep(&writer->names, name)) ||
	    asprintf(&path, "%s%s%s", writer->tmp ? "" : writer->at, writer->tmp ? "" : "/", name) <
		    0) {
		archive_entry_free(entry);
		return diag_set(diag, -ENOMEM, "out of memory");
	}
	archive_entry_set_pathname(entry, path);
	archive_entry_set_size(entry, (int64_t)nr_bytes);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, mode & MODE_MASK);
	archive_entry_set_mtime(entry, time.tv_sec, time.tv_nsec);
	if (!is_written(writer, archive_write_header(writer->archive, entry)))
		error = failed(writer, name, diag);
	archive_entry_free(entry);
	free(path);
	return error;
}

static int add_data(struct archive_writer *writer, const char *name, const void *bytes,
		    size_t nr_bytes, struct diag *diag)
{
	const uint8_t *next = bytes;

	while (nr_bytes) {
		ssize_t nr;

		if (stop_signal_came())
			return diag_set(diag, -EINTR, "ended by a signal");
		nr = archive_write_data(writer->archive, next, nr_bytes);
		if (nr <= 0)
			return failed(writer, name, diag);
		next += nr;
		nr_bytes -= (size_t)nr;
		writer->nr_bytes += (uint64_t)nr;
	}
	return 0;
}

static int end_file(struct archive_writer *writer, const char *name, struct diag *diag)
{
	return archive_write_finish_entry(writer->archive) < ARCHIVE_OK ? failed(writer, name, diag)
									: 0;
}

int archive_writer_add_bytes(struct archive_writer *writer, const char *name, const void *bytes,
			     size_t nr_bytes, struct diag *diag)
{
	struct timespec now = {.tv_sec = time(NULL)};
	int error = add_header(writer, name, nr_bytes, 0644, now, diag);

	if (!error)
		error = add_data(writer, name, bytes, nr_bytes, diag);
	return error ? error : end_file(writer, name, diag);
}

/*
 * Copies nr_bytes bytes; the entry's header states this size. Returns an error if the file has
 * become shorter, because libarchive would silently append zeros.
 */
static int copy_data(struct archive_writer *writer, const char *name, int fd, uint64_t nr_bytes,
		     struct diag *diag)
{
	uint64_t position = 0;
	int error = 0;

	while (position < nr_bytes && !error) {
		uint64_t left = nr_bytes - position;
		size_t wanted = left < COPY_BYTES ? (size_t)left : COPY_BYTES;
		ssize_t nr = file_pread_all(fd, writer->buffer, wanted, (off_t)position);

		if (nr < 0 || (size_t)nr < wanted)
			return diag_set(diag, nr < 0 ? (int)nr : -EIO, "cannot read %s: %s", name,
					nr < 0 ? strerror((int)-nr)
					       : "the file became shorter while it was read");
		error = add_data(writer, name, writer->buffer, wanted, diag);
		position += wanted;
	}
	return error;
}

int archive_writer_add_fd(struct archive_writer *writer, const char *name, int fd,
			  struct diag *diag)
{
	struct stat st;
	int error;

	if (fstat(fd, &st))
		return diag_set(diag, -errno, "cannot read %s: %s", name, strerror(errno));
	error = add_header(writer, name, (uint64_t)st.st_size, st.st_mode, st.st_mtim, diag);
	if (!error)
		error = copy_data(writer, name, fd, (uint64_t)st.st_size, diag);
	return error ? error : end_file(writer, name, diag);
}

uint64_t archive_writer_nr_bytes(const struct archive_writer *writer)
{
	return writer->nr_bytes;
}

bool archive_writer_extent(const struct archive_writer *writer, struct archive_extent *extent)
{
	uint64_t nr = writer->nr_files + writer->folders.nr_used;
	struct stat st;

	if (!writer->tmp || fstat(writer->fd, &st))
		return false;
	*extent = (struct archive_extent){
		.compressed = (uint64_t)st.st_size,
		.nr_bytes = writer->nr_bytes + nr * ARCHIVE_ENTRY_BYTES,
		.nr = (unsigned int)nr,
		.depth = writer->depth,
	};
	return true;
}

/* ---- finishing and closing ---- */

int archive_writer_finish(struct archive_writer *writer, struct diag *diag)
{
	if (stop_signal_came())
		return diag_set(diag, -EINTR, "ended by a signal");
	if (archive_write_close(writer->archive) != ARCHIVE_OK)
		return failed(writer, "the end of the archive", diag);
	if (writer->tmp &&
	    renameat(writer->parent_fd, writer->tmp, writer->parent_fd, writer->name))
		return diag_set_at(diag, -errno, writer->path, 0, "cannot be written: %s",
				   strerror(errno));
	writer->finished = true;
	return 0;
}

/*
 * Removes the folders of the path that are empty, innermost first. Keeps the folders in the path's
 * first nr_kept bytes.
 */
static void remove_parents(char *path, size_t nr_kept)
{
	char *slash;

	while ((slash = strrchr(path, '/')) && (size_t)(slash - path) > nr_kept) {
		*slash = '\0';
		if (slash[1] && rmdir(path) && errno != ENOENT)
			return;
	}
}

/*
 * Removes only the files that this writer has written: the folder may have existed before, and
 * other programs may use it.
 */
static void remove_folder(struct archive_writer *writer)
{
	char *path;

	for (size_t i = 0; i < writer->names.nr_slots; i++) {
		if (!writer->names.slots[i] ||
		    asprintf(&path, "%s/%s", writer->at, writer->names.slots[i]) < 0)
			continue;
		(void)unlink(path);
		remove_parents(path, strlen(writer->at));
		free(path);
	}
	if (asprintf(&path, "%s/.", writer->path) < 0)
		return;
	remove_parents(path, writer->nr_there_bytes);
	free(path);
}

static void remove_all(struct archive_writer *writer)
{
	if (writer->at)
		remove_folder(writer);
	else if (writer->tmp && writer->fd >= 0)
		(void)unlinkat(writer->parent_fd, writer->tmp, 0);
}

void archive_writer_close(struct archive_writer *writer)
{
	if (!writer)
		return;
	if (writer->archive)
		(void)archive_write_free(writer->archive);
	if (!writer->finished)
		remove_all(writer);
	if (writer->fd >= 0)
		(void)close(writer->fd);
	if (writer->parent_fd >= 0)
		(void)close(writer->parent_fd);
	strings_deinit(&writer->folders);
	strings_deinit(&writer->names);
	free(writer->buffer);
	free(writer->at);
	free(writer->tmp);
	free(writer->path);
	free(writer);
}
