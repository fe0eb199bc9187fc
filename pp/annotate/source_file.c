// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/source_file.h"

#include "lib/file.h"
#include "lib/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- lines ---- */

static size_t count_lines(const char *text, size_t nr_bytes)
{
	const char *end = text + nr_bytes;
	size_t nr = 0;

	for (const char *at = text; at < end; nr++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		at = newline ? newline + 1 : end;
	}
	return nr;
}

static int find_lines(struct source_file *file)
{
	const char *end = file->text + file->nr_bytes;
	const char *at = file->text;

	file->nr_lines = count_lines(file->text, file->nr_bytes);
	file->starts = malloc((file->nr_lines + 1) * sizeof(*file->starts));
	if (!file->starts)
		return -ENOMEM;
	for (size_t i = 0; i < file->nr_lines; i++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		file->starts[i] = (size_t)(at - file->text);
		at = newline ? newline + 1 : end;
	}
	file->starts[file->nr_lines] = file->nr_bytes;
	return 0;
}

const char *source_file_line(const struct source_file *file, size_t number, size_t *nr_bytes)
{
	const char *line = file->text + file->starts[number - 1];
	size_t nr = file->starts[number] - file->starts[number - 1];

	if (nr && line[nr - 1] == '\n')
		nr--;
	if (nr && line[nr - 1] == '\r')
		nr--;
	*nr_bytes = nr;
	return line;
}

/* ---- reading ---- */

/* Opens a regular file. Refuses anything else, such as a pipe or device, without waiting for it. */
static int open_regular(const char *path, struct stat *status)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int error = 0;

	if (fd < 0)
		return errno == ENOTDIR ? -ENOENT : -errno;
	if (fstat(fd, status))
		error = -errno;
	else if (!S_ISREG(status->st_mode))
		error = -EINVAL;
	else if (status->st_size > (off_t)SOURCE_FILE_BYTES_MAX)
		error = -EFBIG;
	if (!error)
		return fd;
	(void)close(fd);
	return error;
}

static int read_text(struct source_file *file, int fd, const struct stat *status)
{
	ssize_t nr;

	file->text = malloc((size_t)status->st_size + 1);
	if (!file->text)
		return -ENOMEM;
	nr = file_pread_all(fd, file->text, (size_t)status->st_size, 0);
	if (nr < 0)
		return (int)nr;
	file->nr_bytes = (size_t)nr;
	file->mtime_ns = status->st_mtim.tv_sec * INT64_C(1000000000) + status->st_mtim.tv_nsec;
	return find_lines(file);
}

static int read_at(struct source_file *file, const char *path)
{
	struct source_file read = {0};
	struct stat status = {0};
	int fd = open_regular(path, &status);
	int error;

	if (fd < 0)
		return fd;
	error = read_text(&read, fd, &status);
	(void)close(fd);
	if (!error) {
		read.path = strdup(path);
		error = read.path ? 0 : -ENOMEM;
	}
	if (error)
		source_file_deinit(&read);
	else
		*file = read;
	return error;
}

void source_file_deinit(struct source_file *file)
{
	free(file->path);
	free(file->text);
	free(file->starts);
	*file = (struct source_file){0};
}

/* ---- finding ---- */

/*
 * If `path` is inside `folder`, returns the offset in `path` of the part after `folder` and the
 * slashes that follow. Otherwise returns 0.
 */
static size_t nr_inside(const char *path, const char *folder)
{
	size_t nr = strlen(folder);

	while (nr && folder[nr - 1] == '/')
		nr--;
	if (strncmp(path, folder, nr) != 0 || path[nr] != '/')
		return 0;
	return nr + strspn(path + nr, "/");
}

const char *source_file_strip(const char *path, const struct source_search *search)
{
	size_t nr_best = 0;

	for (size_t i = 0; search->base_dirs && i < search->base_dirs->nr_patterns; i++) {
		size_t nr = nr_inside(path, search->base_dirs->patterns[i]);

		if (nr > nr_best && path[nr])
			nr_best = nr;
	}
	return path + nr_best;
}

static int try_path(struct source_file *file, const char *folder, const char *between,
		    const char *path)
{
	char joined[PATH_MAX];
	int nr = snprintf(joined, sizeof(joined), "%s%s%s", folder, between, path);

	return nr < (int)sizeof(joined) ? read_at(file, joined) : -ENOENT;
}

static int try_folder(struct source_file *file, const char *folder, const char *path,
		      const char *stripped)
{
	const char *name = strrchr(path, '/');
	int error = try_path(file, folder, "/", stripped);

	if (error == -ENOENT && stripped != path)
		error = try_path(file, folder, "/", path);
	if (error == -ENOENT && name)
		error = try_path(file, folder, "", name);
	return error;
}

int source_file_read(struct source_file *file, const char *path, const struct source_search *search)
{
	const char *stripped = source_file_strip(path, search);
	int error = -ENOENT;

	for (size_t i = 0; search->search_dirs && i < search->search_dirs->nr_patterns; i++) {
		error = try_folder(file, search->search_dirs->patterns[i], path, stripped);
		if (error != -ENOENT)
			return error;
	}
	return try_path(file, search->root ? search->root : "",
			search->root && *path != '/' ? "/" : "", path);
}

/* ---- writing ---- */

/* Returns whether the byte is a character that is written unchanged. */
static bool is_plain(unsigned char byte)
{
	return (byte >= 0x20 && byte < 0x7f) || byte == '\t';
}

void source_line_write(FILE *out, const char *line, size_t nr_bytes)
{
	size_t nr = 0;

	while (nr < nr_bytes && is_plain((unsigned char)line[nr]))
		nr++;
	(void)fwrite_unlocked(line, 1, nr, out);
	while (nr < nr_bytes) {
		char character[5] = "";
		size_t nr_left = nr_bytes - nr;
		size_t nr_next;
		bool masked;

		memcpy(character, line + nr, nr_left < 4 ? nr_left : 4);
		nr_next = utf8_next(character, &masked);
		/* Sources may be in Latin-1, whose bytes from 0xa0 on are not control characters.
		 */
		if (nr_next == 1 && (unsigned char)*character >= 0xa0)
			masked = false;
		if (masked && *character != '\t')
			(void)fputc_unlocked('?', out);
		else
			(void)fwrite_unlocked(character, 1, nr_next, out);
		nr += nr_next;
	}
}
