// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/archive/debug_list.h"

#include "lib/file.h"
#include "pp/symbols/debug_file.h"
#include "pp/lines/dwarf_files.h"
#include "pp/lines/dwarf_split.h"
#include "pp/symbols/symbol_helper.h"

#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BYTES_MAX (64u << 20)

#define KEY_BYTES 40

/* Writes the file's device and inode numbers to key; "" if they are unknown. */
static void key_of(int fd, char key[KEY_BYTES])
{
	struct stat status;

	*key = '\0';
	if (!fstat(fd, &status))
		(void)snprintf(key, KEY_BYTES, "%" PRIx64 ":%" PRIx64, (uint64_t)status.st_dev,
			       (uint64_t)status.st_ino);
}

/* ---- in the helper: writes "PATH\0NAME\0KEY\0" for each file ---- */

struct debug_listing {
	const struct symbol_request *request;
	struct symbol_image image;
	struct dwarf_files files;
	struct dwarf_split split;
	FILE *out;
	char *bytes;
	size_t nr_bytes;
};

/* Writes one file's path, name and key to the list. fd: the file. Frees `name`. */
static int put(struct debug_listing *listing, int fd, const char *path, char *name)
{
	char key[KEY_BYTES];

	if (!name)
		return -ENOMEM;
	key_of(fd, key);
	(void)fprintf(listing->out, "%s%c%s%c%s%c", path, '\0', name, '\0', key, '\0');
	free(name);
	return ferror(listing->out) ? -ENOMEM : 0;
}

/* Returns the path at which reports always search for the debug file with this build-id. */
static char *name_by_build_id(const struct buildid *id)
{
	static const struct symbol_search nowhere = {.root = NULL};

	return debug_file_build_id_path(&nowhere, id, ".debug");
}

/*
 * Returns the path that consists of debug_path (may be ""), the image's folder, and the last part
 * of `path`.
 */
static char *name_beside(const struct debug_listing *listing, const char *debug_path,
			 const char *path)
{
	const char *image = listing->request->path;
	const char *image_slash = strrchr(image, '/'), *slash = strrchr(path, '/');
	char *name, *plain;

	if (asprintf(&name, "%s/%.*s/%s", debug_path, image_slash ? (int)(image_slash - image) : 0,
		     image, slash ? slash + 1 : path) < 0)
		return NULL;
	plain = debug_file_plain_path(name);
	free(name);
	return plain;
}

static int put_debug(struct debug_listing *listing)
{
	const struct symbol_file *debug = &listing->files.debug;
	const struct symbol_file *image = &listing->image.file;

	if (debug->fd < 0)
		return 0;
	return put(listing, debug->fd, debug->path,
		   image->build_id.nr_bytes ? name_by_build_id(&image->build_id)
					    : name_beside(listing, DEBUG_FILE_PATH, debug->path));
}

static int put_alt(struct debug_listing *listing)
{
	const struct symbol_file *alt = &listing->files.alt;

	return alt->fd < 0 ? 0 : put(listing, alt->fd, alt->path, name_by_build_id(&alt->build_id));
}

/*
 * Returns the path of a split file that dwarf_split tries first. If the name is relative and the
 * compiler's folder is unknown, the file is expected in the image's folder.
 */
static char *name_split(const struct debug_listing *listing, const struct dwarf_unit *skeleton)
{
	const char *folder = *skeleton->dwo_name == '/' ? "" : skeleton->folder;
	char *name, *plain;

	if (*skeleton->dwo_name != '/' && *folder != '/')
		return name_beside(listing, "", skeleton->dwo_name);
	if (asprintf(&name, "%s/%s", folder, skeleton->dwo_name) < 0)
		return NULL;
	plain = debug_file_plain_path(name);
	free(name);
	return plain;
}

static int put_package(struct debug_listing *listing)
{
	char *name, *plain;

	if (!listing->split.package)
		return 0;
	if (asprintf(&name, "%s.dwp", listing->request->path) < 0)
		return -ENOMEM;
	plain = debug_file_plain_path(name);
	free(name);
	return put(listing, listing->split.package_fd, listing->split.package_path, plain);
}

static int put_split(struct debug_listing *listing, struct dwarf_unit *skeleton)
{
	const struct dwarf_split *split = &listing->split;
	struct dwarf_unit *unit;
	char *name;
	int error = dwarf_unit_read(skeleton);

	if (error || !skeleton->dwo_name)
		return error == -ENOMEM ? error : 0;
	error = dwarf_split_find(&listing->split, skeleton, &unit);
	if (error || (split->package_path && !strcmp(split->path, split->package_path)))
		return error == -ENOMEM ? error : 0;
	name = name_split(listing, skeleton);
	return name ? put(listing, split->fd, split->path, name) : 0;
}

static int put_units(struct debug_listing *listing)
{
	struct dwarf_info *info = &listing->files.info;
	int error = 0;

	dwarf_split_init(&listing->split, listing->request->opener);
	for (size_t i = 0; i < info->nr_units && !error; i++)
		if (info->units[i].type == DW_UT_compile || info->units[i].type == DW_UT_skeleton)
			error = put_split(listing, &info->units[i]);
	if (!error)
		error = put_package(listing);
	dwarf_split_deinit(&listing->split);
	return error;
}

/*
 * Opens the debug file if it is not open and the image has no symbol table. The debug file is not
 * open if the image itself has lines, because dwarf_files_open() then does not need it.
 */
static int open_for_symbols(struct debug_listing *listing)
{
	struct symbol_file *debug = &listing->files.debug;
	int error;

	if (debug->fd >= 0 || listing->image.file.symtab)
		return 0;
	error = debug_file_open(debug, &listing->image.file, listing->request->opener);
	if (error)
		debug->fd = -1;
	return error == -ENOMEM ? error : 0;
}

static int put_all(struct debug_listing *listing)
{
	int error = dwarf_files_open(&listing->files, &listing->image.file, listing->request);
	bool has_info = !error;

	if (error == -ENOENT)
		error = 0;
	if (!error)
		error = open_for_symbols(listing);
	if (!error && listing->image.file.by_address)
		error = put(listing, listing->image.file.fd, listing->image.file.path,
			    name_by_build_id(&listing->image.file.build_id));
	if (!error)
		error = put_debug(listing);
	if (!error)
		error = put_alt(listing);
	return error || !has_info ? error : put_units(listing);
}

static int list_read(const struct symbol_request *request, int fd)
{
	struct debug_listing listing = {.request = request,
					.files = {.debug = {.fd = -1}, .alt = {.fd = -1}}};
	int error = symbol_image_open(&listing.image, request);

	if (error)
		return error == -ENOMEM ? error : 0;
	listing.out = open_memstream(&listing.bytes, &listing.nr_bytes);
	error = listing.out ? put_all(&listing) : -ENOMEM;
	if (listing.out && fclose(listing.out) && !error)
		error = -ENOMEM;
	if (!error && listing.nr_bytes)
		error = file_write_all(fd, listing.bytes, listing.nr_bytes);
	free(listing.bytes);
	dwarf_files_close(&listing.files);
	symbol_image_close(&listing.image);
	return error;
}

/* ---- in this process: the helper's output is not trusted ---- */

static bool is_plain(const char *path)
{
	char *plain = debug_file_plain_path(path);
	bool same = plain && !strcmp(plain, path) && *path == '/';

	free(plain);
	return same;
}

static int split_bytes(struct debug_list *list, size_t nr_bytes)
{
	const char *next = list->bytes, *end = list->bytes + nr_bytes;
	size_t nr = 0;

	for (size_t i = 0; i < nr_bytes; i++)
		nr += !list->bytes[i];
	if (nr % 3 || (nr_bytes && end[-1]))
		return -EILSEQ;
	list->files = calloc(nr / 3 + 1, sizeof(*list->files));
	if (!list->files)
		return -ENOMEM;
	for (; next < end; list->nr_files++) {
		struct debug_list_file *file = &list->files[list->nr_files];

		file->path = next;
		next += strlen(next) + 1;
		file->name = next;
		next += strlen(next) + 1;
		file->key = next;
		next += strlen(next) + 1;
		if (!*file->path || !is_plain(file->name))
			return -EILSEQ;
	}
	return 0;
}

static int take_list(int fd, void *result)
{
	struct debug_list *list = result;
	struct stat status;
	ssize_t nr;

	if (fstat(fd, &status))
		return -errno;
	if (status.st_size > BYTES_MAX)
		return -EFBIG;
	list->bytes = malloc((size_t)status.st_size + 1);
	if (!list->bytes)
		return -ENOMEM;
	nr = file_pread_all(fd, list->bytes, (size_t)status.st_size, 0);
	if (nr != status.st_size)
		return nr < 0 ? (int)nr : -EILSEQ;
	return split_bytes(list, (size_t)nr);
}

int debug_list_load(struct debug_list *list, const struct symbol_request *request)
{
	char *note = NULL;
	int error;

	*list = (struct debug_list){.files = NULL};
	error = symbol_helper_read(request, list_read, take_list, list, &note);
	if (error || note)
		debug_list_deinit(list);
	if (error)
		free(note);
	else
		list->note = note;
	return error;
}

void debug_list_deinit(struct debug_list *list)
{
	free(list->files);
	free(list->bytes);
	free(list->note);
	*list = (struct debug_list){.files = NULL};
}

bool debug_list_is_file(const struct debug_list_file *file, int fd)
{
	char key[KEY_BYTES];

	key_of(fd, key);
	return *key && !strcmp(key, file->key);
}
