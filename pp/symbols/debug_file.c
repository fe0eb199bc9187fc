// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/debug_file.h"

#include "pp/symbols/symbol_image.h"

/* bfd.h requires these two macros. */
#define PACKAGE		"oprof"
#define PACKAGE_VERSION OPROF_VERSION
#include <bfd.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Opens the regular file to which `located`, a descriptor of O_PATH, refers. If there is no /proc,
 * opens `path` relative to `folder` instead, with additional `flags`; returns -ENOENT if `path` is
 * another file by now.
 */
static int open_located(int located, int folder, const char *path, int flags)
{
	const int all = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	char name[sizeof("/proc/self/fd/") + 11];
	struct stat status, opened;
	int fd;

	if (fstat(located, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -ENOEXEC;
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", located);
	fd = open(name, all);
	if (fd < 0 && errno == ENOENT) /* no /proc */
		fd = openat(folder, path, all | flags);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &opened) && opened.st_dev == status.st_dev && opened.st_ino == status.st_ino)
		return fd;
	(void)close(fd);
	return -ENOENT;
}

/* Opening a device or a pipe may have effects, so the type of the file is checked first. */
int debug_file_open_regular(const char *path)
{
	int located = open(path, O_PATH | O_CLOEXEC);
	int fd;

	if (located < 0)
		return -errno;
	fd = open_located(located, AT_FDCWD, path, 0);
	(void)close(located);
	return fd;
}

static bool is_dots(const char *part, size_t nr_bytes)
{
	return nr_bytes == 2 && part[0] == '.' && part[1] == '.';
}

/*
 * Copies the first part of *path to `part` ("." if there is none), and moves *path behind it.
 * Returns 0; -ENOENT: the part is ".."; -ENAMETOOLONG.
 */
static int take_part(const char **path, char part[NAME_MAX + 1])
{
	const char *begin = *path + strspn(*path, "/");
	const size_t nr_bytes = strcspn(begin, "/");

	if (nr_bytes > NAME_MAX)
		return -ENAMETOOLONG;
	if (is_dots(begin, nr_bytes))
		return -ENOENT;
	(void)snprintf(part, NAME_MAX + 1, "%.*s", nr_bytes ? (int)nr_bytes : 1,
		       nr_bytes ? begin : ".");
	*path = begin + nr_bytes + strspn(begin + nr_bytes, "/");
	return 0;
}

/* Returns the error of openat() as -errno; -ELOOP if the part is a symbolic link. */
static int part_error(int folder, const char *part)
{
	const int error = -errno;
	struct stat status;

	if (error == -ENOTDIR && !fstatat(folder, part, &status, AT_SYMLINK_NOFOLLOW) &&
	    S_ISLNK(status.st_mode))
		return -ELOOP;
	return error;
}

/*
 * Replaces the open folder *folder by its subfolder `part`. O_DIRECTORY makes the kernel mount a
 * file system that is mounted on demand. *is_public becomes false if only the subfolder's owner or
 * group may enter it. Returns 0 or -errno; -ELOOP: `part` is a symbolic link.
 */
static int enter_part(int *folder, const char *part, bool *is_public)
{
	const int fd = openat(*folder, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return part_error(*folder, part);
	(void)close(*folder);
	*folder = fd;
	if (fstat(fd, &status))
		return -errno;
	*is_public = *is_public && (status.st_mode & S_IXOTH);
	return 0;
}

/* Opens the regular file `part`. Returns a descriptor or -errno; -ELOOP: `part` is a link. */
static int open_last(int folder, const char *part, bool *is_public)
{
	const int located = openat(folder, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	int fd;

	if (located < 0)
		return -errno;
	if (fstat(located, &status))
		fd = -errno;
	else if (S_ISLNK(status.st_mode))
		fd = -ELOOP;
	else
		fd = open_located(located, folder, part, O_NOFOLLOW);
	(void)close(located);
	*is_public = *is_public && fd >= 0 && (status.st_mode & S_IROTH);
	return fd;
}

int debug_file_open_without_links(const char *folder, const char *path, bool *is_public)
{
	int fd = open(*folder ? folder : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char part[NAME_MAX + 1];
	int error, result;

	*is_public = true;
	if (fd < 0)
		return errno == ELOOP ? -ENOENT : -errno;
	error = take_part(&path, part);
	while (!error && *path) {
		error = enter_part(&fd, part, is_public);
		if (!error)
			error = take_part(&path, part);
	}
	result = error ? error : open_last(fd, part, is_public);
	(void)close(fd);
	return result;
}

/* ---- paths below a root ---- */

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
	/* The CRC follows the name, its NUL, and padding to a multiple of 4 bytes. */
	size_t offset = (name_bytes + 4) & ~(size_t)3;
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

/* A search for the debug file of an image. */
struct debug_wanted {
	const struct symbol_file *image;
	struct file_opener *opener;
	struct debuglink link; /* link.name is NULL if the image has no debug link */
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

/* Converts the result of opening a file. A file that is not ELF counts as another build. */
static int opening_error(int fd)
{
	if (fd >= 0)
		return 0;
	return fd == -ENOMEM ? fd : fd == -EBADMSG ? -ESTALE : -ENOENT;
}

/*
 * Finds the first of nr places that has a file, and opens this file if it is the wanted debug file.
 * Sets *nr_tried to the number of places that were tried. Returns 0, -ENOENT, -ESTALE or -ENOMEM.
 */
static int try_first(const struct debug_wanted *wanted, const struct file_query *queries,
		     unsigned int nr, struct symbol_file *debug, unsigned int *nr_tried)
{
	const char *name = wanted->link.name ? wanted->link.name : "";
	unsigned int place;
	char *path;
	int fd = file_opener_open_first(wanted->opener, queries, nr, name, &place, &path);
	int error = opening_error(fd);

	*nr_tried = fd < 0 ? nr : place + 1;

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

/* Combines the results of two search steps. A missing file does not replace an earlier result. */
static int later(int before, int now)
{
	return now == -ENOENT ? before : now;
}

static int try_places(const struct debug_wanted *wanted, const struct file_query *queries,
		      unsigned int nr, struct symbol_file *debug)
{
	unsigned int nr_tried;
	int error = -ENOENT;

	for (; nr && !search_ends(error); nr -= nr_tried, queries += nr_tried)
		error = later(error, try_first(wanted, queries, nr, debug, &nr_tried));
	return error;
}

/*
 * Lists the places of the debug file. A debug link gives six places: three for the image's path,
 * then the same three for this path with symbolic links resolved. The three are the image's folder,
 * the folder .debug in it, and the folder of the same name below the debug path.
 */
static unsigned int list_places(const struct debug_wanted *wanted,
				struct file_query queries[FILE_OPENER_PLACES_MAX])
{
	static const enum file_kind kinds[] = {FILE_LINK_BESIDE, FILE_LINK_DEBUG, FILE_LINK_BELOW};
	unsigned int nr = 0;

	if (wanted->opener->request->debug_file)
		queries[nr++] = (struct file_query){.kind = FILE_DEBUG_FETCHED};
	if (wanted->image->build_id.nr_bytes)
		queries[nr++] = (struct file_query){.kind = FILE_DEBUG_BUILD_ID,
						    .id = wanted->image->build_id};
	for (unsigned int i = 0; wanted->link.name && i < 6; i++)
		queries[nr++] = (struct file_query){.kind = kinds[i % 3], .index = i / 3};
	return nr;
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
		    struct file_opener *opener)
{
	struct debug_wanted wanted = {.image = image, .opener = opener};
	struct file_query queries[FILE_OPENER_PLACES_MAX];

	find_link(&wanted);
	return try_places(&wanted, queries, list_places(&wanted, queries), debug);
}

/* ---- parts that dwz moved ---- */

/* Opens the file at a place if the file has this build-id. */
static int try_alt(struct symbol_file *alt, struct file_opener *opener,
		   const struct file_query *query, const char *name, const struct buildid *id)
{
	char *path;
	int fd = file_opener_open(opener, query, name, &path);
	int error = opening_error(fd);

	if (!error) {
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

int debug_file_open_alt(struct symbol_file *alt, enum file_kind from, const char *name,
			const uint8_t *id_bytes, size_t nr_id_bytes, struct file_opener *opener)
{
	const struct file_query by_name = {.kind = from};
	struct file_query by_id = {.kind = FILE_ALT_BUILD_ID};
	int error;

	if (nr_id_bytes > BUILDID_BYTES_MAX)
		return -ESTALE;
	memcpy(by_id.id.bytes, id_bytes, nr_id_bytes);
	by_id.id.nr_bytes = (uint32_t)nr_id_bytes;
	error = try_alt(alt, opener, &by_name, name, &by_id.id);
	if (search_ends(error) || !nr_id_bytes)
		return error;
	return try_alt(alt, opener, &by_id, "", &by_id.id);
}
