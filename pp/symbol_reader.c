// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbol_reader.h"

#include "libdb/sample_name.h"
#include "pp/debug_file.h"
#include "pp/symbol_file.h"
#include "pp/symbol_plt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* One binary on its way to a result. */
struct reading {
	const struct symbol_request *request;
	struct symbol_result result;
	struct symbol_file image;
	struct symbol_file debug; /* fd -1: none */
	struct symbol_plt plt;
	bool kept;  /* image is what the daemon kept of it */
	int damage; /* an error of reading that left symbols out */
};

__attribute__((format(printf, 2, 3))) static void note(struct reading *reading, const char *format,
						       ...)
{
	va_list arguments;

	free(reading->result.note);
	va_start(arguments, format);
	if (vasprintf(&reading->result.note, format, arguments) < 0)
		reading->result.note = NULL;
	va_end(arguments);
}

/* ---- which file ---- */

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
 * By size and time, and by inode where the device numbers are of one kind:
 * on btrfs and overlays stat's are not those that the kernel records. A file
 * found in another place (-R, -p) is a copy: only its size can be compared.
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

/* Size, time or device are known of it, so that is_same_stat says something. */
static bool is_surely_same(const struct symbol_request *request, const struct stat *status)
{
	const struct oprof_image_identity *identity = request->identity;

	return identity->size_bytes || identity->mtime_ns || identity->dev == dev_of(status);
}

/* How far a file is to be believed to be the image. */
enum belief {
	BELIEVE_KEPT,	/* whatever it is: the daemon kept it under the image's identity */
	BELIEVE_PROOF,	/* build-id, size, time or inode agree */
	BELIEVE_NO_LIE, /* nothing that is known contradicts */
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
 * Open path as the image. 0, -ENOENT missing, -ESTALE another file, or what
 * symbol_file_open and open say.
 */
static int try_image(struct reading *reading, const char *path, enum belief belief)
{
	int fd = debug_file_open_regular(path);
	int error;

	if (fd < 0)
		return fd == -ENOTDIR ? -ENOENT : fd;
	error = symbol_file_open(&reading->image, fd, path);
	if (!error && !is_wanted_file(reading->request, &reading->image, belief)) {
		symbol_file_close(&reading->image);
		error = -ESTALE;
	}
	return error;
}

/* try_image of the text that format makes; missing also when that has no memory. */
__attribute__((format(printf, 3, 4))) static int try_image_at(struct reading *reading,
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
	error = try_image(reading, path, belief);
	free(path);
	return error;
}

/* The folders of -p, in their order, by file name. */
static int try_image_path(struct reading *reading, const char *root)
{
	const char *folder = reading->request->search->image_path;
	const char *name = strrchr(reading->request->path, '/');
	int result = -ENOENT;

	name = name ? name + 1 : reading->request->path;
	while (folder && *folder) {
		int length = (int)strcspn(folder, ",");
		int error = try_image_at(reading, BELIEVE_NO_LIE, "%s%.*s/%s", root, length, folder,
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

/* A copy below the debug path, kept by its build-id. */
static int try_build_id(struct reading *reading)
{
	struct buildid id = wanted_build_id(reading->request);
	char *path = debug_file_build_id_path(reading->request->search, &id, "");
	int error = path ? try_image(reading, path, BELIEVE_NO_LIE) : -ENOENT;

	free(path);
	return error;
}

/* What the daemon kept of it, since it would not be found by its path (doc/session.md). */
static int try_kept(struct reading *reading)
{
	const char *meta_path = reading->request->search->meta_path;
	int error;

	if (!meta_path)
		return -ENOENT;
	error = try_image_at(reading, BELIEVE_KEPT, "%s/images/%016" PRIx64, meta_path,
			     sample_identity(reading->request->identity));
	reading->kept = !error;
	return error;
}

static int open_image(struct reading *reading)
{
	const struct symbol_request *request = reading->request;
	const char *root = request->search->root ? request->search->root : "";
	int first, error;

	if (request->kind == OPROF_IMAGE_VDSO)
		return try_image(reading, request->path, BELIEVE_KEPT);
	first = try_image_path(reading, root);
	if (!first)
		return 0;
	error = try_image_at(reading, BELIEVE_PROOF, "%s%s", root, request->path);
	if (!error || !try_kept(reading))
		return 0;
	if (error == -ESTALE)
		error = try_image_at(reading, BELIEVE_NO_LIE, "%s%s", root, request->path);
	if (!error)
		return 0;
	if (error != -ENOENT)
		first = error;
	return try_build_id(reading) ? first : 0;
}

static void tell_unopened(struct reading *reading, int error)
{
	reading->result.lack = SYMBOLS_NO_FILE;
	if (error == -ESTALE) {
		reading->result.lack = SYMBOLS_WRONG_FILE;
		note(reading,
		     "replaced since it was profiled: profile again, or give the folder of a "
		     "copy by -p");
	} else if (error == -ENOEXEC) {
		reading->result.lack = SYMBOLS_NONE;
		note(reading, "not an ELF file");
	} else if (error == -EILSEQ) {
		reading->result.lack = SYMBOLS_DAMAGED;
		note(reading, "damaged: its ELF headers can't be read");
	} else if (error == -ENOENT) {
		note(reading, "missing: give the folder of a copy by -p");
	} else {
		note(reading, "can't be read: %s", strerror(-error));
	}
}

/* ---- its symbols ---- */

/* By how much the debug file's addresses differ: 0 unless the image was rebased (prelink). */
static uint64_t bias_of(const struct symbol_file *image, const struct symbol_file *debug)
{
	for (size_t i = 1; i < image->nr_sections; i++) {
		const struct symbol_section *ours = &image->sections[i], *theirs;

		if (!ours->executable || !ours->name[0])
			continue;
		theirs = symbol_file_section(debug, ours->name);
		if (theirs && theirs->executable)
			return ours->start - theirs->start;
	}
	return 0;
}

static int list_table(struct reading *reading, const struct symbol_file *from, Elf_Scn *table)
{
	uint64_t bias = from == &reading->image ? 0 : bias_of(&reading->image, from);
	int error;

	if (!table)
		return 0;
	error = symbol_file_list(&reading->image, from, table, bias, &reading->result.list);
	if (error == -EILSEQ)
		reading->damage = error;
	return error == -ENOMEM ? error : 0;
}

static int list_debug(struct reading *reading)
{
	int error = debug_file_open(&reading->debug, &reading->image, reading->request->search);

	if (error) {
		reading->debug.fd = -1;
		return error == -ENOMEM ? error : 0;
	}
	reading->result.debug_path = strdup(reading->debug.path);
	return reading->result.debug_path
		       ? list_table(reading, &reading->debug, reading->debug.symtab)
		       : -ENOMEM;
}

/* Full symbols from the image or its debug file; -p and root apply to both. */
static int list_full(struct reading *reading)
{
	int error = list_table(reading, &reading->image, reading->image.symtab);

	if (!error && !reading->result.list.nr_symbols)
		error = list_debug(reading);
	return error;
}

static void tell_lack(struct reading *reading, size_t nr_full)
{
	if (reading->damage) {
		reading->result.lack = SYMBOLS_DAMAGED;
		note(reading, "damaged: not all of its symbols could be read");
		return;
	}
	/* The vdso has no symbols but those it exports: they are all. */
	if (nr_full ||
	    (reading->result.list.nr_symbols && reading->request->kind == OPROF_IMAGE_VDSO))
		return;
	reading->result.lack =
		reading->result.list.nr_symbols ? SYMBOLS_DYNAMIC_ONLY : SYMBOLS_STRIPPED;
	note(reading, reading->kept ? "no debug symbols in what the session kept of it"
				    : "no debug symbols");
}

static int list_all(struct reading *reading)
{
	int error = list_full(reading);
	size_t nr_full = reading->result.list.nr_symbols;

	if (!error)
		error = list_table(reading, &reading->image, reading->image.dynsym);
	if (!error && reading->image.dynsym)
		error = symbol_plt_list(&reading->plt, &reading->image, &reading->result.list);
	if (!error)
		error = symbol_list_resolve(&reading->result.list);
	if (!error)
		tell_lack(reading, nr_full);
	return error;
}

static void reading_deinit(struct reading *reading)
{
	symbol_list_deinit(&reading->result.list);
	symbol_plt_close(&reading->plt);
	symbol_file_close(&reading->debug);
	symbol_file_close(&reading->image);
	free(reading->result.debug_path);
	free(reading->result.note);
}

int symbol_read(const struct symbol_request *request, int fd)
{
	struct reading reading = {.request = request, .image = {.fd = -1}, .debug = {.fd = -1}};
	int error = open_image(&reading);

	if (error == -ENOMEM)
		return error;
	symbol_list_init(&reading.result.list);
	if (error) {
		tell_unopened(&reading, error);
		error = 0;
	} else {
		error = list_all(&reading);
	}
	reading.result.kept = reading.kept;
	if (!error)
		error = symbol_wire_write(fd, &reading.result);
	reading_deinit(&reading);
	return error;
}
