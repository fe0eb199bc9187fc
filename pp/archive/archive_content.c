// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/archive/archive_content.h"

#include "lib/progress.h"
#include "lib/utf8.h"
#include "oprof/session.h"
#include "pp/archive/archive_slices.h"
#include "pp/symbols/debug_file.h"
#include "pp/archive/debug_list.h"
#include "pp/profile/image_search.h"
#include "pp/symbols/file_opener.h"
#include "libdb/sample_name.h"
#include "pp/base/strings.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/*
 * The state while files are added. Each file is added only once: `names` has the names added so
 * far.
 */
struct content_adding {
	struct archive_content *content;
	struct strings names;
	char session_dir[PATH_MAX]; /* absolute */
	/* current session's folder in the archive: "var/lib/.../samples/current" */
	char prefix[PATH_MAX];
	char meta[PATH_MAX]; /* meta folder of the current session */
	struct strings seen; /* images of call chains that have been added */
	struct diag *diag;
};

/* Returns the file's name in the archive: `path` without leading slashes. */
static const char *name_of(const char *path)
{
	while (*path == '/')
		path++;
	return path;
}

static bool has_dots(const char *path)
{
	for (const char *next = path; next; next = strchr(next, '/')) {
		next += *next == '/';
		if (!strncmp(next, "..", 2) && (!next[2] || next[2] == '/'))
			return true;
	}
	return false;
}

static int out_of_memory(struct content_adding *adding)
{
	return diag_set(adding->diag, -ENOMEM, "out of memory");
}

/*
 * Adds the name to adding->names and to the list. Returns 0; 1 if the name was added before or is
 * not allowed; or -ENOMEM.
 */
static int take_name(struct content_adding *adding, const char *name)
{
	size_t nr_used = adding->names.nr_used;

	if (!*name || has_dots(name))
		return 1;
	if (!strings_keep(&adding->names, name))
		return out_of_memory(adding);
	if (adding->names.nr_used == nr_used)
		return 1;
	if (adding->content->list) {
		utf8_write_masked(adding->content->list, name);
		(void)fputc('\n', adding->content->list);
	}
	return 0;
}

static int add_fd(struct content_adding *adding, const char *name, int fd)
{
	int error = take_name(adding, name);

	if (error)
		return error < 0 ? error : 0;
	return adding->content->writer
		       ? archive_writer_add_fd(adding->content->writer, name, fd, adding->diag)
		       : 0;
}

/*
 * Adds the file at `path` on this machine. If this file cannot be opened, returns 0 and sets *there
 * to false.
 */
static int add_path(struct content_adding *adding, const char *path, const char *name, bool *there)
{
	int fd = debug_file_open_regular(path);
	struct diag why;
	int error;

	*there = fd >= 0;
	if (fd < 0) {
		if (fd != -ENOENT && fd != -ENOTDIR) {
			diag_set(&why, fd, "left out: %s", strerror(-fd));
			adding->content->skip(path, &why);
		}
		return 0;
	}
	error = add_fd(adding, name, fd);
	(void)close(fd);
	return error;
}

/* ---- sessions ---- */

static int add_slice(void *context, const char *name, int fd, struct diag *diag)
{
	struct content_adding *adding = context;
	char *whole;
	int error;

	(void)diag; /* the same as adding->diag, which add_fd() uses */
	if (asprintf(&whole, "%s/" OPROF_SLICE_FOLDER "/%s", adding->prefix, name) < 0)
		return out_of_memory(adding);
	error = add_fd(adding, whole, fd);
	free(whole);
	return error;
}

/*
 * Adds the files in a folder and in its subfolders, down to `depth` levels. Skips temporary files,
 * which are still being written.
 */
static int add_folder(struct content_adding *adding, const char *path, unsigned int depth)
{
	struct dirent **entries;
	int nr = scandir(path, &entries, NULL, alphasort);
	int error = 0;

	for (int i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;
		char *child = NULL;
		bool there;

		if (*name != '.' && !error && !strstr(name, ".tmp")) {
			if (asprintf(&child, "%s/%s", path, name) < 0) {
				child = NULL;
				error = out_of_memory(adding);
			} else if (entries[i]->d_type == DT_DIR) {
				error = depth ? add_folder(adding, child, depth - 1) : 0;
			} else {
				error = add_path(adding, child, name_of(child), &there);
			}
			free(child);
		}
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return error;
}

/* ---- binaries ---- */

static void tell_missing(struct content_adding *adding, const char *path, const char *why)
{
	struct diag diag;

	adding->content->nr_missing++;
	diag_set(&diag, -ENOENT, "left out: %s", why ? why : "the file cannot be found");
	adding->content->skip(path, &diag);
}

/*
 * Explains, for a binary without a build-id, a reason that add_image_file() stored in *lack.
 * Returns NULL for reasons that do not depend on the missing build-id.
 */
static const char *unverified(int lack)
{
	switch (lack) {
	case -ELOOP:
		return "a symbolic link leads to this file, and the session has no build-id to "
		       "verify it. Check where the link leads, copy that file to a folder, with "
		       "the same name, and give this folder with -p";
	case -EPERM:
		return "not every user may read this file or enter its folders, and the session "
		       "has no build-id to verify it. If it is the binary that was profiled, copy "
		       "it to a folder, with the same name and readable by every user, and give "
		       "this folder with -p";
	case -ENODATA:
		return "the session has neither the build-id nor the size of this file to verify "
		       "it. If it is the binary that was profiled, copy it to a folder, with the "
		       "same name, and give this folder with -p";
	default:
		return NULL;
	}
}

/* Reports that the binary is left out. lack: the reason, from add_binary(). */
static int tell_lack(struct content_adding *adding, const struct symbol_request *image, int lack)
{
	const char *why = symbol_request_build_id(image).nr_bytes ? NULL : unverified(lack);
	char *note;

	if (why) {
		tell_missing(adding, image->path, why);
		return 0;
	}
	(void)symbol_image_tell(lack, &note);
	if (!note)
		return out_of_memory(adding);
	tell_missing(adding, image->path, note);
	free(note);
	return 0;
}

/*
 * Opens the file at <folder><rest>. If the image's symbols were in the cache, this file has not
 * been checked yet, and another user may have put any file or link there. A build-id would reveal
 * this. An image without a build-id is known only by its path, size and time. Another user can
 * choose all three, for example in a private mount namespace. Therefore, without a build-id, a path
 * with symbolic links is refused (-ELOOP). Root also refuses a file that not all users may read and
 * that no process had mapped (-EPERM).
 */
static int open_image_file(const struct symbol_request *image, const char *folder, const char *rest)
{
	const bool is_verified = symbol_request_build_id(image).nr_bytes;
	bool is_public = true;
	char *path;
	int fd;

	if (!is_verified) {
		fd = debug_file_open_without_links(folder, rest, &is_public);
	} else {
		if (asprintf(&path, "%s%s", folder, rest) < 0)
			return -ENOMEM;
		fd = debug_file_open_regular(path);
		free(path);
	}
	if (fd < 0 || is_public || geteuid() || (!*folder && symbol_image_was_mapped(image, fd)))
		return fd;
	(void)close(fd);
	return -EPERM;
}

/*
 * Adds the file at <folder><rest> if it is the image that was profiled. `folder` may be a symbolic
 * link, because the user or this program chose it; "" is the root folder. *lack becomes 0, or the
 * reason why the file is left out: an error of symbol_image_check() or open_image_file(). If there
 * is no file, *lack is unchanged.
 */
static int add_image_file(struct content_adding *adding, const struct symbol_request *image,
			  const char *folder, const char *rest, int *lack)
{
	const int fd = open_image_file(image, folder, rest);
	int error = 0;

	if (fd == -ENOMEM)
		return out_of_memory(adding);
	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0;
	*lack = fd < 0 ? fd : symbol_image_check(image, fd, *folder != '\0');
	if (fd < 0)
		return 0;
	if (!*lack)
		error = add_fd(adding, name_of(image->path), fd);
	(void)close(fd);
	return error;
}

/* Adds a binary from the first folder of -p that contains it. *lack is set as in add_binary(). */
static int add_from_folders(struct content_adding *adding, const struct symbol_request *image,
			    int *lack)
{
	const struct profile_options *options = adding->content->options;
	const char *root = options->root ? options->root : "";
	const char *folder = options->image_path;
	const char *file = strrchr(image->path, '/');
	char *tried;
	int error = 0;

	while (folder && *folder && *lack && !error) {
		int length = (int)strcspn(folder, ",");

		if (asprintf(&tried, "%s%.*s", root, length, folder) < 0)
			return out_of_memory(adding);
		error = add_image_file(adding, image, tried, file ? file : image->path, lack);
		free(tried);
		folder += length;
		folder += *folder == ',';
	}
	return error;
}

/*
 * Adds a binary from the place where reports on this machine find it: from a folder of -p, from its
 * path below the root (-R), or by its build-id from the folder of debug files. *lack becomes 0, or
 * the reason why the binary is left out: -ENOENT if there is no file, or a reason from
 * add_image_file().
 */
static int add_binary(struct content_adding *adding, const struct symbol_request *image, int *lack)
{
	const struct profile_options *options = adding->content->options;
	const struct buildid id = symbol_request_build_id(image);
	int other = -ENOENT;
	char *path;
	int error;

	*lack = -ENOENT;
	error = add_from_folders(adding, image, lack);
	if (error || !*lack)
		return error;
	error = add_image_file(adding, image, options->root ? options->root : "", image->path,
			       lack);
	if (error || !*lack || !id.nr_bytes)
		return error;
	path = debug_file_build_id_path(image->search, &id, "");
	if (!path)
		return out_of_memory(adding);
	error = add_image_file(adding, image, "", path, &other);
	free(path);
	if (!other)
		*lack = 0;
	return error;
}

/*
 * Adds the debug file if it is the file that the helper has read. Debug information of an untrusted
 * file may name any path, so only ELF files that are not core dumps are archived.
 */
static int add_debug_file(struct content_adding *adding, const struct debug_list_file *file)
{
	size_t nr_names = adding->names.nr_used;
	int fd = debug_file_open_below(adding->content->options->root, file->path);
	struct diag why;
	int error = 0;

	if (fd >= 0 && debug_list_is_file(file, fd) && file_opener_accepts(fd)) {
		error = add_fd(adding, name_of(file->name), fd);
		adding->content->nr_debug_files += adding->names.nr_used > nr_names;
	} else {
		diag_set(&why, -ESTALE, "left out: %s",
			 fd < 0 ? strerror(-fd) : "another file replaced this debug file");
		adding->content->skip(file->path, &why);
	}
	if (fd >= 0)
		(void)close(fd);
	return error;
}

static void tell_lost_debug(struct content_adding *adding, const char *path, const char *why)
{
	struct diag diag;

	diag_set(&diag, -EILSEQ, "its debug files are left out: %s", why);
	adding->content->skip(path, &diag);
}

static int add_debug_files(struct content_adding *adding, const struct symbol_request *request)
{
	struct debug_list list;
	int error = debug_list_load(&list, request);

	if (error)
		return diag_set_at(adding->diag, error, request->path, 0, "cannot be read: %s",
				   strerror(-error));
	if (list.note)
		tell_lost_debug(adding, request->path, list.note);
	for (size_t i = 0; i < list.nr_files && !error; i++)
		error = add_debug_file(adding, &list.files[i]);
	debug_list_deinit(&list);
	return error;
}

static int add_file(struct content_adding *adding, const struct symbol_request *request,
		    const struct symbol_table *table)
{
	int error, lack;

	if (table->lack == SYMBOLS_WRONG_FILE || table->lack == SYMBOLS_NO_FILE) {
		tell_missing(adding, request->path, table->note);
		return 0;
	}
	/*
	 * The binary's symbols were saved in the meta folder, because the file at this path is
	 * missing or is another build.
	 */
	if (table->kept)
		return 0;
	error = add_binary(adding, request, &lack);
	if (!error && lack)
		return tell_lack(adding, request, lack);
	if (!error)
		error = add_debug_files(adding, request);
	adding->content->nr_binaries += !error;
	return error;
}

static int add_found(struct content_adding *adding, const char *path,
		     const struct oprof_image_identity *identity,
		     const struct symbol_search *search)
{
	struct symbol_request request = {
		.path = path, .identity = identity, .kind = OPROF_IMAGE_FILE, .search = search};
	struct symbol_table table;
	int error = symbol_table_load(&table, path, identity, OPROF_IMAGE_FILE, search);

	if (error)
		return diag_set_at(adding->diag, error, path, 0, "cannot be read: %s",
				   strerror(-error));
	request.debug_file = table.debug_path;
	error = add_file(adding, &request, &table);
	symbol_table_deinit(&table);
	return error;
}

/*
 * Adds the kernel's debug files, from which reports get the kernel's lines and instructions. The
 * kernel's symbols are in the meta folder.
 */
static int add_kernel(struct content_adding *adding, const struct oprof_image_identity *identity,
		      const struct symbol_search *search)
{
	struct utsname name;
	const struct symbol_request request = {.path = "",
					       .identity = identity,
					       .kind = OPROF_IMAGE_KERNEL,
					       .search = search,
					       .kernel_release =
						       uname(&name) ? NULL : name.release};

	return add_debug_files(adding, &request);
}

static int add_image(struct content_adding *adding, uint32_t index)
{
	const struct archive_content *content = adding->content;
	const struct selection_image *image = &content->selection->images[index];
	struct image_search search;

	image_search_init(&search, content->selection, index, content->options);
	if (image->kind == OPROF_IMAGE_KERNEL || image->kind == OPROF_IMAGE_IDLE)
		return add_kernel(adding, &image->section->identity, &search.search);
	if (image->kind != OPROF_IMAGE_FILE)
		return 0; /* the meta folder has the image's symbols, if there are any */
	return add_found(adding, image_search_path(content->selection, index),
			 &image->section->identity, &search.search);
}

/* Adds an image of the call chains. The image may contain callers without having samples itself. */
static int add_caller(void *context, const struct stack_image *image)
{
	struct content_adding *adding = context;
	const struct profile_options *options = adding->content->options;
	const struct symbol_search search = {.root = options->root,
					     .image_path = options->image_path,
					     .cache_path = options->cache_path,
					     .meta_path = adding->meta};
	char *seen;
	size_t nr_used = adding->seen.nr_used;

	if (image->kind != OPROF_IMAGE_FILE)
		return 0;
	if (asprintf(&seen, "%016" PRIx64 "%s", sample_identity(&image->identity),
		     image->path.path) < 0)
		return out_of_memory(adding);
	if (!strings_keep(&adding->seen, seen)) {
		free(seen);
		return out_of_memory(adding);
	}
	free(seen);
	if (adding->seen.nr_used == nr_used)
		return 0;
	return add_found(adding, image->path.path, &image->identity, &search);
}

static int add_images(struct content_adding *adding)
{
	const struct selection *selection = adding->content->selection;
	struct progress progress;
	int error = 0;

	progress_begin(&progress, "archiving", selection->nr_images);
	for (size_t i = 0; i < selection->nr_images && !error; i++) {
		progress_step(&progress, i, selection->images[i].path);
		error = add_image(adding, (uint32_t)i);
	}
	progress_end(&progress);
	return error;
}

/* ---- sessions, images and manifest ---- */

static int add_session(struct content_adding *adding, size_t index)
{
	const struct selection *selection = adding->content->selection;
	const struct selection_session *session = &selection->sessions[index];
	int error;

	if (snprintf(adding->prefix, sizeof(adding->prefix), "%s/" OPROF_SAMPLES_NAME "/%s",
		     name_of(adding->session_dir), session->name) >= (int)sizeof(adding->prefix) ||
	    snprintf(adding->meta, sizeof(adding->meta), "/%s/" OPROF_META_NAME, adding->prefix) >=
		    (int)sizeof(adding->meta))
		return diag_set(adding->diag, -ENAMETOOLONG, "%s: its path is too long",
				session->path);
	error = add_folder(adding, adding->meta, 1);
	if (!error)
		error = archive_slices_walk_images(selection, index, add_caller, adding,
						   adding->content->skip, adding->diag);
	if (error)
		return error;
	return archive_slices_make(selection, index, add_slice, adding, adding->content->skip,
				   adding->diag);
}

static int add_manifest(struct content_adding *adding)
{
	const struct selection_session *first = &adding->content->selection->sessions[0];
	char *text;
	int nr = asprintf(&text,
			  ARCHIVE_MANIFEST " %d\n"
					   "version " OPROF_VERSION "\n"
					   "host %s\n"
					   "made %lld\n"
					   "whole %d\n"
					   "session_dir %s\n",
			  ARCHIVE_VERSION, first->info.host ? first->info.host : "",
			  (long long)time(NULL), adding->content->selection->whole,
			  name_of(adding->session_dir));
	int error;

	if (nr < 0)
		return out_of_memory(adding);
	error = take_name(adding, ARCHIVE_MANIFEST);
	if (!error && adding->content->writer)
		error = archive_writer_add_bytes(adding->content->writer, ARCHIVE_MANIFEST, text,
						 (size_t)nr, adding->diag);
	free(text);
	return error < 0 ? error : 0;
}

int archive_content_add(struct archive_content *content, struct diag *diag)
{
	struct content_adding adding = {.content = content, .diag = diag};
	int error = 0;

	diag_set(diag, -EIO, "cannot make the archive");
	if (!realpath(content->session_dir, adding.session_dir))
		return diag_set_at(diag, -errno, content->session_dir, 0, "cannot be read: %s",
				   strerror(errno));
	for (size_t i = 0; i < content->selection->nr_sessions && !error; i++)
		error = add_session(&adding, i);
	if (!error)
		error = add_images(&adding);
	if (!error)
		error = add_manifest(&adding);
	strings_deinit(&adding.names);
	strings_deinit(&adding.seen);
	return error;
}
