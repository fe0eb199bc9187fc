// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/file_place.h"

#include "libdb/sample_name.h"
#include "oprof/session.h"
#include "pp/symbols/debug_file.h"
#include "pp/symbols/symbol_image.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static int set_path(char **path, const char *format, ...)
{
	va_list arguments;
	int nr;

	va_start(arguments, format);
	nr = vasprintf(path, format, arguments);
	va_end(arguments);
	return nr < 0 ? -ENOMEM : 0;
}

static const char *root_of(const struct symbol_request *request)
{
	return request->search->root ? request->search->root : "";
}

/* Returns the folder of path, malloc'ed; "" for a file in "/". */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
}

/* ---- the image ---- */

static int place_in_folder(const struct symbol_request *request, unsigned int index, char **path)
{
	const char *folder = request->search->image_path;
	const char *slash = strrchr(request->path, '/');

	for (; folder && *folder && index; index--) {
		folder += strcspn(folder, ",");
		folder += *folder == ',';
	}
	if (!folder || !*folder)
		return -ENOENT;
	return set_path(path, "%s%.*s/%s", root_of(request), (int)strcspn(folder, ","), folder,
			slash ? slash + 1 : request->path);
}

/* The daemon stores the vdso, and copies of binaries that reports cannot find by path. */
static int place_kept(const struct symbol_request *request, char **path)
{
	const char *meta_path = request->search->meta_path;

	if (!meta_path && request->kind != OPROF_IMAGE_VDSO)
		return -ENOENT;
	return set_path(path, "%s/" OPROF_IMAGES_NAME "/%016" PRIx64, meta_path ? meta_path : ".",
			sample_identity(request->identity));
}

static int place_by_id(const struct symbol_request *request, const struct buildid *id,
		       const char *suffix, char **path)
{
	if (!id->nr_bytes)
		return -ENOENT;
	if (id->nr_bytes > BUILDID_BYTES_MAX)
		return -EINVAL;
	*path = debug_file_build_id_path(request->search, id, suffix);
	return *path ? 0 : -ENOMEM;
}

static int place_by_own_id(const struct symbol_request *request, const char *suffix, char **path)
{
	const struct buildid id = symbol_request_build_id(request);

	return place_by_id(request, &id, suffix, path);
}

static int place_kernel(const struct symbol_request *request, unsigned int index, char **path)
{
	static const char *const before[FILE_KERNEL_PLACES] = {"/usr/lib/debug/boot/vmlinux-",
							       "/usr/lib/debug/lib/modules/",
							       "/boot/vmlinux-", "/lib/modules/"};
	static const char *const after[FILE_KERNEL_PLACES] = {"", "/vmlinux", "", "/build/vmlinux"};

	if (!request->kernel_release || index >= FILE_KERNEL_PLACES)
		return -ENOENT;
	return set_path(path, "%s%s%s%s", root_of(request), before[index], request->kernel_release,
			after[index]);
}

/* ---- beside a file that is open ---- */

/*
 * Returns the malloc'ed folder of a file. If `real` is true, returns the folder of the path without
 * symbolic links; *error becomes -ENOENT if the path `file` has no symbolic links.
 */
static char *real_folder_of(const char *file, bool real, int *error)
{
	char *folder, *resolved = real ? realpath(file, NULL) : NULL;

	*error = real && (!resolved || !strcmp(resolved, file)) ? -ENOENT : 0;
	folder = *error ? NULL : folder_of(resolved ? resolved : file);
	if (!*error && !folder)
		*error = -ENOMEM;
	free(resolved);
	return folder;
}

static int place_link_in(const struct symbol_request *request, enum file_kind kind,
			 const char *folder, const char *name, char **path)
{
	const char *root = root_of(request), *debug_path = request->search->debug_path;
	const bool in_root = !strncmp(folder, root, strlen(root));

	if (kind == FILE_LINK_BESIDE)
		return set_path(path, "%s/%s", folder, name);
	if (kind == FILE_LINK_DEBUG)
		return set_path(path, "%s/.debug/%s", folder, name);
	return set_path(path, "%s%s%s/%s", root, debug_path ? debug_path : DEBUG_FILE_PATH,
			in_root ? folder + strlen(root) : folder, name);
}

static int place_link(const struct symbol_request *request, const struct file_query *query,
		      const char *image, const char *name, char **path)
{
	char *folder;
	int error;

	if (!image || !*name || strchr(name, '/') || query->index > 1)
		return -EINVAL;
	folder = real_folder_of(image, query->index, &error);
	if (folder)
		error = place_link_in(request, query->kind, folder, name, path);
	free(folder);
	return error;
}

/* The name may begin with "..", so symbolic links are resolved first. */
static int place_alt(const struct symbol_request *request, const char *from, const char *name,
		     char **path)
{
	char *real, *folder;
	int error = -ENOMEM;

	if (!from || !*name)
		return -EINVAL;
	if (*name == '/')
		return set_path(path, "%s%s", root_of(request), name);
	real = realpath(from, NULL);
	folder = folder_of(real ? real : from);
	if (folder)
		error = set_path(path, "%s/%s", folder, name);
	free(folder);
	free(real);
	return error;
}

static int place_beside(const char *image, const char *name, char **path)
{
	char *folder;
	int error;

	if (!image || strchr(name, '/'))
		return -EINVAL;
	folder = folder_of(image);
	error = folder ? set_path(path, "%s/%s", folder, name) : -ENOMEM;
	free(folder);
	return error;
}

int file_place(const struct symbol_request *request, const struct file_opened *opened,
	       const struct file_query *query, const char *text, char **path)
{
	*path = NULL;
	switch (query->kind) {
	case FILE_IMAGE_FOLDER:
		return place_in_folder(request, query->index, path);
	case FILE_IMAGE_PATH:
		return set_path(path, "%s%s", root_of(request), request->path);
	case FILE_IMAGE_KEPT:
		return place_kept(request, path);
	case FILE_IMAGE_BUILD_ID:
		return place_by_own_id(request, "", path);
	case FILE_KERNEL_DEBUG:
		return place_by_own_id(request, ".debug", path);
	case FILE_KERNEL_PLACE:
		return place_kernel(request, query->index, path);
	case FILE_DEBUG_FETCHED:
		return request->debug_file ? set_path(path, "%s", request->debug_file) : -ENOENT;
	case FILE_DEBUG_BUILD_ID:
	case FILE_ALT_BUILD_ID:
		return place_by_id(request, &query->id, ".debug", path);
	case FILE_LINK_BESIDE:
	case FILE_LINK_DEBUG:
	case FILE_LINK_BELOW:
		return place_link(request, query, opened->image, text, path);
	case FILE_ALT_OF_IMAGE:
		return place_alt(request, opened->image, text, path);
	case FILE_ALT_OF_DEBUG:
		return place_alt(request, opened->debug, text, path);
	case FILE_SPLIT_PACKAGE:
		return opened->image ? set_path(path, "%s.dwp", opened->image) : -EINVAL;
	case FILE_SPLIT:
		return set_path(path, "%s%s", root_of(request), text);
	case FILE_SPLIT_BESIDE:
		return place_beside(opened->image, text, path);
	case NR_FILE_KINDS:
	default:
		return -EINVAL;
	}
}
