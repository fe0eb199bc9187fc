// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_image.h"

#include "pp/symbols/file_opener.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct opening {
	const struct symbol_request *request;
	struct symbol_image *image;
};

struct buildid symbol_request_build_id(const struct symbol_request *request)
{
	const struct oprof_image_identity *identity = request->identity;
	struct buildid id = {.nr_bytes = 0};

	if (identity->nr_build_id <= BUILDID_BYTES_MAX) {
		memcpy(id.bytes, identity->build_id, identity->nr_build_id);
		id.nr_bytes = identity->nr_build_id;
	}
	return id;
}

static bool is_same_build(const struct buildid *a, const struct buildid *b)
{
	return a->nr_bytes == b->nr_bytes && !memcmp(a->bytes, b->bytes, a->nr_bytes);
}

static int64_t mtime_ns_of(const struct stat *status)
{
	return status->st_mtim.tv_sec * INT64_C(1000000000) + status->st_mtim.tv_nsec;
}

static uint64_t dev_of(const struct stat *status)
{
	return (uint64_t)major(status->st_dev) << 32 | minor(status->st_dev);
}

static bool is_same_size(const struct symbol_request *request, const struct stat *status)
{
	const uint64_t size_bytes = request->identity->size_bytes;

	return !size_bytes || size_bytes == (uint64_t)status->st_size;
}

/*
 * Compares size and time. Compares the inode only if the device numbers match, because on btrfs and
 * overlays stat() returns other device numbers than the kernel recorded.
 */
static bool is_same_stat(const struct symbol_request *request, const struct stat *status)
{
	const struct oprof_image_identity *identity = request->identity;

	if (!is_same_size(request, status))
		return false;
	if (identity->mtime_ns && identity->mtime_ns != mtime_ns_of(status))
		return false;
	return !identity->inode || identity->dev != dev_of(status) ||
	       identity->inode == status->st_ino;
}

/*
 * Returns whether a match by is_same_stat() proves that the file is the image. A match is a proof
 * if the identity has a size, a time, or an inode and the file's device number.
 */
static bool is_surely_same(const struct symbol_request *request, const struct stat *status)
{
	const struct oprof_image_identity *identity = request->identity;

	return identity->size_bytes || identity->mtime_ns ||
	       (identity->inode && identity->dev == dev_of(status));
}

/* How much evidence is required that a file is the image. */
enum belief {
	/* None: the daemon stored the file under the image's identity. */
	BELIEVE_KEPT,
	/*
	 * The file may be a copy, because the user chose its place (-p, -R): its build-id or,
	 * without one, its size, if it is known, must match.
	 */
	BELIEVE_COPY,
	/* The build-id or, without one, each known one of size, time and inode must match. */
	BELIEVE_NO_CONFLICT,
	/* In addition, at least one of them must be known. */
	BELIEVE_PROOF,
};

/* Returns whether the file at fd is the image. build_id is the build-id of the file. */
static bool is_wanted_file(const struct symbol_request *request, int fd,
			   const struct buildid *build_id, enum belief belief)
{
	struct buildid id = symbol_request_build_id(request);
	struct stat status;

	if (belief == BELIEVE_KEPT)
		return true;
	if (id.nr_bytes)
		return is_same_build(&id, build_id);
	if (fstat(fd, &status))
		return false;
	if (belief == BELIEVE_COPY)
		return is_same_size(request, &status);
	return is_same_stat(request, &status) &&
	       (belief == BELIEVE_NO_CONFLICT || is_surely_same(request, &status));
}

/*
 * Returns whether the file can be read by each class of users (owner, group, others) that can
 * execute the file.
 */
static bool is_readable_program(const struct stat *status)
{
	return !((status->st_mode & 0111) << 2 & ~status->st_mode);
}

bool symbol_image_was_mapped(const struct symbol_request *request, int fd)
{
	const struct oprof_image_identity *identity = request->identity;
	struct stat status;

	return !fstat(fd, &status) && major(status.st_dev) && identity->inode == status.st_ino &&
	       identity->dev == dev_of(&status) && identity->size_bytes && identity->mtime_ns &&
	       is_same_stat(request, &status) && is_readable_program(&status);
}

int symbol_image_check(const struct symbol_request *request, int fd, bool is_chosen)
{
	struct buildid id;

	if (!file_opener_accepts(fd))
		return -ENOEXEC;
	if (buildid_read_fd(fd, &id))
		id.nr_bytes = 0;
	if (is_chosen)
		return is_wanted_file(request, fd, &id, BELIEVE_COPY) ? 0 : -ESTALE;
	if (!is_wanted_file(request, fd, &id, BELIEVE_NO_CONFLICT))
		return -ESTALE;
	return is_wanted_file(request, fd, &id, BELIEVE_PROOF) ? 0 : -ENODATA;
}

/*
 * Opens the file at the index-th place of this kind as the image. Returns 0; -ENOENT: missing;
 * -ESTALE: the file is not the image; or an error of symbol_file_open() or file_opener_open().
 */
static int try_image(struct opening *opening, enum file_kind kind, unsigned int index,
		     enum belief belief)
{
	const struct file_query query = {.kind = kind, .index = index};
	struct symbol_file *file = &opening->image->file;
	char *path;
	int fd = file_opener_open(opening->request->opener, &query, "", &path);
	int error = 0;

	if (fd == -ENOTDIR)
		error = -ENOENT;
	else if (fd == -EBADMSG)
		error = -ENOEXEC;
	else
		error = fd < 0 ? fd : symbol_file_open(file, fd, path);
	free(path);
	if (error || is_wanted_file(opening->request, file->fd, &file->build_id, belief))
		return error;
	symbol_file_close(file);
	return -ESTALE;
}

/* Searches the folders of -p in order, by file name. */
static int try_image_path(struct opening *opening)
{
	const char *folder = opening->request->search->image_path;
	int result = -ENOENT;

	for (unsigned int i = 0; folder && *folder; i++) {
		int error = try_image(opening, FILE_IMAGE_FOLDER, i, BELIEVE_COPY);

		if (!error || error == -ENOMEM)
			return error;
		if (error != -ENOENT)
			result = error;
		folder += strcspn(folder, ",");
		folder += *folder == ',';
	}
	return result;
}

/* The daemon keeps copies of binaries that reports could not find by path (doc/session.md). */
static int try_kept(struct opening *opening)
{
	int error = try_image(opening, FILE_IMAGE_KEPT, 0, BELIEVE_KEPT);

	opening->image->kept = !error;
	return error;
}

static int open_file(struct opening *opening)
{
	int first, error;

	first = try_image_path(opening);
	if (!first)
		return 0;
	error = try_image(opening, FILE_IMAGE_PATH, 0,
			  opening->request->search->root ? BELIEVE_COPY : BELIEVE_PROOF);
	if (!error || !try_kept(opening))
		return 0;
	if (error == -ESTALE)
		error = try_image(opening, FILE_IMAGE_PATH, 0, BELIEVE_NO_CONFLICT);
	if (!error)
		return 0;
	if (error != -ENOENT)
		first = error;
	return try_image(opening, FILE_IMAGE_BUILD_ID, 0, BELIEVE_NO_CONFLICT) ? first : 0;
}

/* ---- the kernel ---- */

/* Considers symbols of all types, as _text has no type. */
static bool find_address(const struct symbol_file *file, const char *name, uint64_t *address)
{
	Elf_Data *data = file->symtab ? elf_getdata(file->symtab, NULL) : NULL;
	GElf_Shdr header;
	GElf_Sym sym;

	if (!data || !gelf_getshdr(file->symtab, &header))
		return false;
	for (int i = 1; gelf_getsym(data, i, &sym); i++) {
		const char *text = elf_strptr(file->elf, header.sh_link, sym.st_name);

		if (text && !strcmp(text, name)) {
			*address = sym.st_value;
			return true;
		}
	}
	return false;
}

/* Tries the places at which distributions install a vmlinux. */
static int try_kernel_places(struct opening *opening)
{
	int error, result = -ENOENT;

	if (!opening->request->kernel_release)
		return -ENOENT;
	for (unsigned int i = 0; i < FILE_KERNEL_PLACES; i++) {
		error = try_image(opening, FILE_KERNEL_PLACE, i, BELIEVE_PROOF);
		if (!error || error == -ENOMEM)
			return error;
		if (error != -ENOENT)
			result = error;
	}
	return result;
}

static int open_kernel(struct opening *opening)
{
	struct symbol_file *file = &opening->image->file;
	int result, error;

	if (!symbol_request_build_id(opening->request).nr_bytes)
		return -ENOENT; /* only build-ids distinguish kernels */
	result = try_image_path(opening);
	error = result ? try_image(opening, FILE_KERNEL_DEBUG, 0, BELIEVE_PROOF) : 0;
	if (error && error != -ENOMEM)
		error = try_image(opening, FILE_IMAGE_BUILD_ID, 0, BELIEVE_NO_CONFLICT);
	if (error && error != -ENOMEM)
		error = try_kernel_places(opening);
	if (error)
		return error == -ENOENT ? result : error;
	if (!find_address(file, "_text", &file->key_address)) {
		symbol_file_close(file);
		return -EILSEQ;
	}
	file->by_address = true;
	return 0;
}

int symbol_image_open(struct symbol_image *image, const struct symbol_request *request)
{
	struct opening opening = {.request = request, .image = image};

	*image = (struct symbol_image){.file = {.fd = -1}};
	if (request->kind == OPROF_IMAGE_KERNEL || request->kind == OPROF_IMAGE_IDLE)
		return open_kernel(&opening);
	if (request->kind == OPROF_IMAGE_VDSO)
		return try_image(&opening, FILE_IMAGE_KEPT, 0, BELIEVE_KEPT);
	return open_file(&opening);
}

void symbol_image_close(struct symbol_image *image)
{
	symbol_file_close(&image->file);
}

/* ---- errors ---- */

enum symbols_lack symbol_image_tell(int error, char **note)
{
	switch (error) {
	case -ESTALE:
		*note = strdup("replaced since it was profiled: profile again, or use -p to "
			       "give the folder of a copy");
		return SYMBOLS_WRONG_FILE;
	case -ENOEXEC:
		*note = strdup("not an ELF file, or a core dump");
		return SYMBOLS_NONE;
	case -EILSEQ:
		*note = strdup("damaged: its ELF headers cannot be read");
		return SYMBOLS_DAMAGED;
	case -ENOENT:
		*note = strdup("missing: give the folder of a copy with -p");
		return SYMBOLS_NO_FILE;
	default:
		if (asprintf(note, "cannot be read: %s", strerror(-error)) < 0)
			*note = NULL;
		return SYMBOLS_NO_FILE;
	}
}
