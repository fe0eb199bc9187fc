// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_image.h"

#include "libdb/sample_name.h"
#include "oprof/session.h"
#include "pp/symbols/debug_file.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct opening {
	const struct symbol_request *request;
	struct symbol_image *image;
};

static struct buildid wanted_build_id(const struct symbol_request *request)
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

/*
 * Compares size and time. Compares the inode only if the device numbers match, because on btrfs and
 * overlays stat() returns other device numbers than the kernel recorded. A file found elsewhere
 * (-R, -p) is a copy; only its size is compared.
 */
static bool is_same_stat(const struct symbol_request *request, const struct stat *status)
{
	const struct oprof_image_identity *identity = request->identity;
	bool is_copy = request->search->root || request->search->image_path;

	if (identity->size_bytes && identity->size_bytes != (uint64_t)status->st_size)
		return false;
	if (is_copy)
		return true;
	if (identity->mtime_ns && identity->mtime_ns != mtime_ns_of(status))
		return false;
	return !identity->inode || identity->dev != dev_of(status) ||
	       identity->inode == status->st_ino;
}

/*
 * Returns whether a match by is_same_stat() proves that the file is the image. A match is a proof
 * if the identity has a size, a time or the file's device number.
 */
static bool is_surely_same(const struct symbol_request *request, const struct stat *status)
{
	const struct oprof_image_identity *identity = request->identity;

	return identity->size_bytes || identity->mtime_ns || identity->dev == dev_of(status);
}

/* How much evidence is required that a file is the image. */
enum belief {
	BELIEVE_KEPT,	/* no check: the daemon stored the file under the image's identity */
	BELIEVE_PROOF,	/* build-id, size, time or inode must match */
	BELIEVE_NO_LIE, /* no known property may differ */
};

static bool is_wanted_file(const struct symbol_request *request, const struct symbol_file *file,
			   enum belief belief)
{
	struct buildid id = wanted_build_id(request);
	struct stat status;

	if (belief == BELIEVE_KEPT)
		return true;
	if (id.nr_bytes)
		return is_same_build(&id, &file->build_id);
	return !fstat(file->fd, &status) && is_same_stat(request, &status) &&
	       (belief == BELIEVE_NO_LIE || is_surely_same(request, &status));
}

/*
 * Opens path as the image. Returns 0; -ENOENT: missing; -ESTALE: the file is not the image; or
 * an error of symbol_file_open() or open().
 */
static int try_image(struct opening *opening, const char *path, enum belief belief)
{
	int fd = debug_file_open_below(opening->request->search->root, path);
	int error;

	if (fd < 0)
		return fd == -ENOTDIR ? -ENOENT : fd;
	error = symbol_file_open(&opening->image->file, fd, path);
	if (!error && !is_wanted_file(opening->request, &opening->image->file, belief)) {
		symbol_file_close(&opening->image->file);
		error = -ESTALE;
	}
	return error;
}

/* Like try_image(), for a formatted path. May also return -ENOMEM. */
__attribute__((format(printf, 3, 4))) static int try_image_at(struct opening *opening,
							      enum belief belief,
							      const char *format, ...)
{
	va_list arguments;
	char *path;
	int nr, error;

	va_start(arguments, format);
	nr = vasprintf(&path, format, arguments);
	va_end(arguments);
	if (nr < 0)
		return -ENOMEM;
	error = try_image(opening, path, belief);
	free(path);
	return error;
}

/* Searches the folders of -p in order, by file name. */
static int try_image_path(struct opening *opening, const char *root)
{
	const char *folder = opening->request->search->image_path;
	const char *name = strrchr(opening->request->path, '/');
	int result = -ENOENT;

	name = name ? name + 1 : opening->request->path;
	while (folder && *folder) {
		int length = (int)strcspn(folder, ",");
		int error = try_image_at(opening, BELIEVE_NO_LIE, "%s%.*s/%s", root, length, folder,
					 name);

		if (!error || error == -ENOMEM)
			return error;
		if (error != -ENOENT)
			result = error;
		folder += length;
		folder += *folder == ',';
	}
	return result;
}

/* Tries the file with the image's build-id below the debug path. */
static int try_build_id(struct opening *opening)
{
	struct buildid id = wanted_build_id(opening->request);
	char *path = debug_file_build_id_path(opening->request->search, &id, "");
	int error = path ? try_image(opening, path, BELIEVE_NO_LIE) : -ENOENT;

	free(path);
	return error;
}

/* The daemon keeps copies of binaries that reports could not find by path (doc/session.md). */
static int try_kept(struct opening *opening)
{
	const char *meta_path = opening->request->search->meta_path;
	int error;

	if (!meta_path)
		return -ENOENT;
	error = try_image_at(opening, BELIEVE_KEPT, "%s/" OPROF_IMAGES_NAME "/%016" PRIx64,
			     meta_path, sample_identity(opening->request->identity));
	opening->image->kept = !error;
	return error;
}

/* The vdso is in no file system: the daemon stored its content in the session. */
static int open_vdso(struct opening *opening)
{
	const char *meta_path = opening->request->search->meta_path;

	return try_image_at(opening, BELIEVE_KEPT, "%s/" OPROF_IMAGES_NAME "/%016" PRIx64,
			    meta_path ? meta_path : ".",
			    sample_identity(opening->request->identity));
}

static int open_file(struct opening *opening)
{
	const struct symbol_request *request = opening->request;
	const char *root = request->search->root ? request->search->root : "";
	int first, error;

	first = try_image_path(opening, root);
	if (!first)
		return 0;
	error = try_image_at(opening, BELIEVE_PROOF, "%s%s", root, request->path);
	if (!error || !try_kept(opening))
		return 0;
	if (error == -ESTALE)
		error = try_image_at(opening, BELIEVE_NO_LIE, "%s%s", root, request->path);
	if (!error)
		return 0;
	if (error != -ENOENT)
		first = error;
	return try_build_id(opening) ? first : 0;
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

/*
 * Paths at which distributions install a vmlinux. The arguments are the root and the kernel's
 * release.
 */
static const char *const kernel_places[] = {
	"%s/usr/lib/debug/boot/vmlinux-%s",
	"%s/usr/lib/debug/lib/modules/%s/vmlinux",
	"%s/boot/vmlinux-%s",
	"%s/lib/modules/%s/build/vmlinux",
};

static int try_kernel_places(struct opening *opening, const char *root)
{
	const char *release = opening->request->kernel_release;
	int error = -ENOENT, result = -ENOENT;

	if (!release)
		return -ENOENT;
	for (size_t i = 0; i < sizeof(kernel_places) / sizeof(kernel_places[0]); i++) {
		char *path;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (asprintf(&path, kernel_places[i], root, release) < 0)
			return -ENOMEM;
#pragma GCC diagnostic pop
		error = try_image(opening, path, BELIEVE_PROOF);
		free(path);
		if (!error || error == -ENOMEM)
			return error;
		if (error != -ENOENT)
			result = error;
	}
	return result;
}

static int open_kernel(struct opening *opening)
{
	const struct symbol_search *search = opening->request->search;
	const char *root = search->root ? search->root : "";
	struct symbol_file *file = &opening->image->file;
	struct buildid id = wanted_build_id(opening->request);
	char *path = debug_file_build_id_path(search, &id, ".debug");
	int result, error;

	if (!id.nr_bytes) {
		free(path);
		return -ENOENT; /* only build-ids distinguish kernels */
	}
	result = try_image_path(opening, root);
	error = result && path ? try_image(opening, path, BELIEVE_PROOF) : result;
	free(path);
	if (error && error != -ENOMEM)
		error = try_build_id(opening);
	if (error && error != -ENOMEM)
		error = try_kernel_places(opening, root);
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
		return open_vdso(&opening);
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
		*note = strdup("replaced since it was profiled: profile again, or give the "
			       "folder of a copy with -p");
		return SYMBOLS_WRONG_FILE;
	case -ENOEXEC:
		*note = strdup("not an ELF file");
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
