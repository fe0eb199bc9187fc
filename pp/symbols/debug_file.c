// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/debug_file.h"

/* bfd.h requires these two macros. */
#define PACKAGE		"oprof"
#define PACKAGE_VERSION OPROF_VERSION
#include <bfd.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int debug_file_open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	int error = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		error = -ENOEXEC;
	if (!error)
		return fd;
	close(fd);
	return error;
}

/* ---- paths below a root ---- */

static bool is_dots(const char *part, size_t nr_bytes)
{
	return nr_bytes == 2 && part[0] == '.' && part[1] == '.';
}

static bool has_dots(const char *path)
{
	for (const char *part = path; *part; part += strspn(part, "/")) {
		size_t nr_bytes = strcspn(part, "/");

		if (is_dots(part, nr_bytes))
			return true;
		part += nr_bytes;
	}
	return false;
}

char *debug_file_plain_path(const char *path)
{
	char *plain = malloc(strlen(path) + 2);
	size_t nr = 0;

	for (const char *part = path; plain && *part; part += strcspn(part, "/")) {
		size_t nr_bytes;

		part += strspn(part, "/");
		nr_bytes = strcspn(part, "/");
		if (!nr_bytes || (nr_bytes == 1 && *part == '.'))
			continue;
		if (is_dots(part, nr_bytes) && !nr) {
			free(plain);
			return NULL;
		}
		if (is_dots(part, nr_bytes)) {
			const char *slash = memrchr(plain, '/', nr);

			nr = slash ? (size_t)(slash - plain) : 0;
			continue;
		}
		plain[nr++] = '/';
		memcpy(plain + nr, part, nr_bytes);
		nr += nr_bytes;
	}
	if (plain)
		plain[nr] = '\0';
	return plain;
}

int debug_file_open_below(const char *root, const char *path)
{
	size_t nr_root = root ? strlen(root) : 0;
	char *plain, *whole = NULL;
	int fd;

	if (!nr_root || strncmp(path, root, nr_root) != 0 || !has_dots(path + nr_root))
		return debug_file_open_regular(path);
	plain = debug_file_plain_path(path + nr_root);
	if (!plain)
		return -ENOENT;
	fd = debug_file_open_regular(path);
	if (fd == -ENOENT && asprintf(&whole, "%s%s", root, plain) >= 0) {
		fd = debug_file_open_regular(whole);
		free(whole);
	}
	free(plain);
	return fd;
}

/* ---- the debug link ---- */

int debuglink_parse(const void *bytes, size_t nr_bytes, int big_endian, struct debuglink *link)
{
	const char *name = bytes;
	size_t name_bytes = strnlen(name, nr_bytes);
	size_t offset = (name_bytes + 4) & ~(size_t)3; /* of the CRC: after the NUL and padding */
	unsigned char crc[4];

	if (!name_bytes || offset > nr_bytes || nr_bytes - offset < sizeof(crc))
		return -EILSEQ;
	/* A link must not lead out of the searched folders. */
	if (memchr(name, '/', name_bytes))
		return -EILSEQ;
	memcpy(crc, name + offset, sizeof(crc));
	link->name = name;
	link->crc = big_endian ? (uint32_t)crc[0] << 24 | (uint32_t)crc[1] << 16 |
					 (uint32_t)crc[2] << 8 | crc[3]
			       : (uint32_t)crc[3] << 24 | (uint32_t)crc[2] << 16 |
					 (uint32_t)crc[1] << 8 | crc[0];
	return 0;
}

static int file_crc(int fd, uint32_t *crc)
{
	unsigned char buffer[65536];
	unsigned long sum = 0;
	off_t position = 0;
	ssize_t nr;

	while ((nr = pread(fd, buffer, sizeof(buffer), position)) > 0) {
		sum = bfd_calc_gnu_debuglink_crc32(sum, buffer, (bfd_size_type)nr);
		position += nr;
	}
	*crc = (uint32_t)sum;
	return nr < 0 ? -errno : 0;
}

/* ---- places ---- */

/* A search for the debug file of an image, which may have a debug link. */
struct debug_wanted {
	const struct symbol_file *image;
	const struct symbol_search *search;
	struct debuglink link; /* name NULL: no link */
};

static bool build_ids_equal(const struct buildid *a, const struct buildid *b)
{
	return a->nr_bytes && a->nr_bytes == b->nr_bytes &&
	       !memcmp(a->bytes, b->bytes, a->nr_bytes);
}

/* Checks that the debug file is of the same build as the image. Returns 0 or -ESTALE. */
static int check_build(const struct debug_wanted *wanted, const struct symbol_file *debug)
{
	const struct buildid *id = &wanted->image->build_id;
	uint32_t crc;

	if (id->nr_bytes && debug->build_id.nr_bytes)
		return build_ids_equal(id, &debug->build_id) ? 0 : -ESTALE;
	if (!wanted->link.name || file_crc(debug->fd, &crc) || crc != wanted->link.crc)
		return -ESTALE;
	return 0;
}

static bool is_same_file(int a, int b)
{
	struct stat left, right;

	return !fstat(a, &left) && !fstat(b, &right) && left.st_dev == right.st_dev &&
	       left.st_ino == right.st_ino;
}

/*
 * Opens path if it is the wanted debug file. Takes ownership of path. Returns 0, -ENOENT, -ESTALE
 * or -ENOMEM.
 */
static int try_path(const struct debug_wanted *wanted, char *path, struct symbol_file *debug)
{
	int error = path ? 0 : -ENOMEM;
	int fd = path ? debug_file_open_below(wanted->search->root, path) : -1;

	if (!error && fd < 0)
		error = -ENOENT;
	if (!error && is_same_file(fd, wanted->image->fd)) {
		close(fd);
		error = -ENOENT;
	}
	if (!error) {
		error = symbol_file_open(debug, fd, path);
		if (error && error != -ENOMEM)
			error = -ESTALE;
		if (!error && (error = check_build(wanted, debug)))
			symbol_file_close(debug);
	}
	free(path);
	return error;
}

static char *join(const char *a, const char *b, const char *c, const char *d, const char *e)
{
	char *text;

	return asprintf(&text, "%s%s%s%s%s", a, b, c, d, e) < 0 ? NULL : text;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static const char *debug_path_of(const struct symbol_search *search)
{
	return search->debug_path ? search->debug_path : DEBUG_FILE_PATH;
}

char *debug_file_build_id_path(const struct symbol_search *search, const struct buildid *id,
			       const char *suffix)
{
	char hex[BUILDID_HEX_BYTES];
	char *path;

	if (!id->nr_bytes)
		return NULL;
	buildid_to_hex(id, hex);
	if (asprintf(&path, "%s%s/.build-id/%.2s/%s%s", or_empty(search->root),
		     debug_path_of(search), hex, hex + 2, suffix) < 0)
		return NULL;
	return path;
}

/*
 * Returns whether the search ends: on success and on -ENOMEM, but not after a missing or stale
 * file.
 */
static bool search_ends(int error)
{
	return error != -ENOENT && error != -ESTALE;
}

/* Combines the results of two search steps: returns `now`, or `before` if `now` is -ENOENT. */
static int later(int before, int now)
{
	return now == -ENOENT ? before : now;
}

/* Tries folder, folder/.debug, and folder's path below the debug path. */
static int try_folder(const struct debug_wanted *wanted, const char *folder,
		      struct symbol_file *debug)
{
	const char *root = or_empty(wanted->search->root);
	const char *debug_path = debug_path_of(wanted->search);
	const char *name = wanted->link.name;
	bool in_root = !strncmp(folder, root, strlen(root));
	const char *inside = in_root ? folder + strlen(root) : folder;
	int error = try_path(wanted, join(folder, "/", name, "", ""), debug);

	if (!search_ends(error))
		error = later(error,
			      try_path(wanted, join(folder, "/.debug/", name, "", ""), debug));
	if (!search_ends(error))
		error = later(error,
			      try_path(wanted, join(root, debug_path, inside, "/", name), debug));
	return error;
}

/* Returns the folder of path, malloc'ed; "" for a file in "/". */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
}

static int try_link(const struct debug_wanted *wanted, const char *path, struct symbol_file *debug)
{
	char *folder = folder_of(path);
	int error = folder ? try_folder(wanted, folder, debug) : -ENOMEM;

	free(folder);
	return error;
}

static void find_link(struct debug_wanted *wanted)
{
	Elf_Data *data = symbol_file_debuglink(wanted->image);
	const char *ident = elf_getident(wanted->image->elf, NULL);

	if (!data || !data->d_buf ||
	    debuglink_parse(data->d_buf, data->d_size, ident && ident[EI_DATA] == ELFDATA2MSB,
			    &wanted->link))
		wanted->link.name = NULL;
}

int debug_file_open(struct symbol_file *debug, const struct symbol_file *image,
		    const struct symbol_search *search, const char *fetched)
{
	struct debug_wanted wanted = {.image = image, .search = search};
	int error = -ENOENT;
	char *real;

	find_link(&wanted);
	if (fetched)
		error = try_path(&wanted, strdup(fetched), debug);
	if (image->build_id.nr_bytes && !search_ends(error))
		error = later(error,
			      try_path(&wanted,
				       debug_file_build_id_path(search, &image->build_id, ".debug"),
				       debug));
	if (!wanted.link.name || search_ends(error))
		return error;
	error = later(error, try_link(&wanted, image->path, debug));
	real = search_ends(error) ? NULL : realpath(image->path, NULL);
	if (real && strcmp(real, image->path) != 0)
		error = later(error, try_link(&wanted, real, debug));
	free(real);
	return error;
}

/* ---- parts that dwz moved ---- */

/* Opens path if the file has this build-id. Takes ownership of path. */
static int try_alt(struct symbol_file *alt, char *path, const struct buildid *id,
		   const struct symbol_search *search)
{
	int fd = path ? debug_file_open_below(search->root, path) : -ENOMEM;
	int error = fd == -ENOMEM ? -ENOMEM : -ENOENT;

	if (fd >= 0) {
		error = symbol_file_open(alt, fd, path);
		if (error && error != -ENOMEM)
			error = -ESTALE;
		if (!error && !build_ids_equal(id, &alt->build_id)) {
			symbol_file_close(alt);
			error = -ESTALE;
		}
	}
	free(path);
	return error;
}

/*
 * Opens the file `name`, which may begin with "..". The name is relative to the real folder of
 * *from, so symbolic links are resolved first.
 */
static int try_alt_name(struct symbol_file *alt, const struct symbol_file *from, const char *name,
			const struct buildid *id, const struct symbol_search *search)
{
	char *real, *folder;
	int error;

	if (*name == '/')
		return try_alt(alt, join(or_empty(search->root), name, "", "", ""), id, search);
	real = realpath(from->path, NULL);
	folder = folder_of(real ? real : from->path);
	error = folder ? try_alt(alt, join(folder, "/", name, "", ""), id, search) : -ENOMEM;
	free(folder);
	free(real);
	return error;
}

int debug_file_open_alt(struct symbol_file *alt, const struct symbol_file *from, const char *name,
			const uint8_t *id_bytes, size_t nr_id_bytes,
			const struct symbol_search *search)
{
	struct buildid id = {.nr_bytes = 0};
	char *path;
	int error;

	if (nr_id_bytes > BUILDID_BYTES_MAX)
		return -ESTALE;
	memcpy(id.bytes, id_bytes, nr_id_bytes);
	id.nr_bytes = (uint32_t)nr_id_bytes;
	error = try_alt_name(alt, from, name, &id, search);
	if (search_ends(error))
		return error;
	path = debug_file_build_id_path(search, &id, ".debug");
	return path ? try_alt(alt, path, &id, search) : error;
}
