// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kernel/kernel_symbols.h"

#include "daemon/kernel/kallsyms.h"
#include "lib/array.h"
#include "lib/file.h"
#include "libdb/sample_name.h"
#include "oprof/session.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_MODE 0700
#define FILE_MODE   0600

struct function {
	uint64_t start; /* offset from the image's start */
	size_t name;	/* position in names */
	char type;
};

/* The functions of one image, collected while kallsyms is walked. */
struct collection {
	struct image_entry *entry;
	char *path; /* path of the image's file in the session */
	struct function *functions;
	size_t nr_functions, room_functions;
	char *names;
	size_t nr_names_bytes, room_names_bytes;
};

static void collection_deinit(struct collection *all)
{
	free(all->functions);
	free(all->names);
	free(all->path);
}

static int reserve(struct collection *all, size_t nr_name_bytes)
{
	if (array_reserve(&all->functions, &all->room_functions, all->nr_functions, 1))
		return -ENOMEM;
	return array_reserve(&all->names, &all->room_names_bytes, all->nr_names_bytes,
			     nr_name_bytes);
}

static int collection_add(struct collection *all, uint64_t start, char type, const char *name)
{
	size_t nr_bytes = strlen(name) + 1;
	int error = reserve(all, nr_bytes);

	if (error)
		return error;
	memcpy(all->names + all->nr_names_bytes, name, nr_bytes);
	all->functions[all->nr_functions++] = (struct function){start, all->nr_names_bytes, type};
	all->nr_names_bytes += nr_bytes;
	return 0;
}

/* Returns whether the symbol names the padding before a function. */
static bool is_padding(const char *name)
{
	return !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6);
}

/* Returns whether the symbol belongs to this image. */
static bool is_of(const struct image *image, const struct kallsym *symbol)
{
	if (symbol->address < image->start || symbol->address >= image->end)
		return false;
	return image->kind == OPROF_IMAGE_MODULE ? !strcmp(symbol->module, image->path)
						 : !symbol->module[0];
}

/* All images to save. They are saved in one walk, since reading kallsyms takes about 50 ms. */
struct saving {
	struct collection *all;
	size_t nr, room;
};

static int collect(const struct kallsym *symbol, void *context)
{
	const struct saving *saving = context;
	int error = 0;

	if (is_padding(symbol->name))
		return 0;
	for (size_t i = 0; i < saving->nr && !error; i++) {
		const struct image *image = &saving->all[i].entry->image;

		if (is_of(image, symbol))
			error = collection_add(&saving->all[i], symbol->address - image->start,
					       symbol->type, symbol->name);
	}
	return error;
}

/*
 * Sorts functions by start. If several functions have the same start, only the first is written:
 * global symbols come first, then the others in the order of kallsyms.
 */
static int function_compare(const void *a, const void *b)
{
	const struct function *x = a;
	const struct function *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if ((x->type == 'T') != (y->type == 'T'))
		return x->type == 'T' ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static void print_functions(FILE *file, const struct collection *all)
{
	uint64_t end = all->entry->image.end - all->entry->image.start;
	const struct function *functions = all->functions;

	fprintf(file, "oprof-kernel-symbols 1\n");
	for (size_t i = 0; i < all->nr_functions; i++) {
		size_t next = i + 1;

		while (next < all->nr_functions && functions[next].start == functions[i].start)
			next++;
		fprintf(file, "%" PRIx64 " %" PRIx64 " %c %s\n", functions[i].start,
			(next < all->nr_functions ? functions[next].start : end) -
				functions[i].start,
			functions[i].type, all->names + functions[i].name);
		i = next - 1;
	}
}

static int collection_write(struct collection *all)
{
	size_t nr_bytes = 0;
	char *text = NULL;
	FILE *file;
	int error;

	if (!all->nr_functions)
		return 0;
	qsort(all->functions, all->nr_functions, sizeof(struct function), function_compare);
	file = open_memstream(&text, &nr_bytes);
	if (!file)
		return -ENOMEM;
	print_functions(file, all);
	error = fclose(file) ? -ENOMEM : 0;
	if (!error)
		error = file_replace(all->path, text, nr_bytes, FILE_MODE);
	free(text);
	return error;
}

/*
 * Writes the collected functions. A module has no symbols if it was already unloaded, or if its
 * symbols are hidden; it is then written as one function.
 */
static int collection_finish(struct collection *all)
{
	const struct image *image = &all->entry->image;
	int error = 0;

	if (!all->nr_functions && image->kind == OPROF_IMAGE_MODULE)
		error = collection_add(all, 0, 't', image->path);
	return error ? error : collection_write(all);
}

/*
 * Adds an image to the walk, unless its file was added already: {idle} and the kernel share one
 * file.
 */
static int saving_add(struct saving *saving, struct image_entry *entry, const char *path)
{
	struct collection *all;

	for (size_t i = 0; i < saving->nr; i++)
		if (!strcmp(saving->all[i].path, path))
			return 0;
	if (array_reserve(&saving->all, &saving->room, saving->nr, 1))
		return -ENOMEM;
	all = &saving->all[saving->nr];
	*all = (struct collection){.entry = entry, .path = strdup(path)};
	if (!all->path)
		return -ENOMEM;
	saving->nr++;
	return 0;
}

static void saving_deinit(struct saving *saving)
{
	for (size_t i = 0; i < saving->nr; i++)
		collection_deinit(&saving->all[i]);
	free(saving->all);
}

/* Collects and writes all images. Returns 0 or the first error. */
static int saving_write(struct saving *saving, const char *proc_path)
{
	int first = 0;
	int error;

	if (!saving->nr)
		return 0;
	error = kallsyms_walk(proc_path, collect, saving);
	/* Continue if symbols are hidden or missing, since they will not appear later either. */
	if (error && error != -EACCES && error != -ENOENT)
		return error;
	for (size_t i = 0; i < saving->nr; i++) {
		error = collection_finish(&saving->all[i]);
		saving->all[i].entry->saved = !error;
		if (error && !first)
			first = error;
	}
	return first;
}

/*
 * Saves the image now or, if its symbols must be read from kallsyms, adds the image to `saving`.
 * Returns 0 or -errno. If the image needs no file, does nothing and returns 0.
 */
static int save_entry(struct image_entry *entry, const struct vdso *vdso, struct saving *saving,
		      const char *meta_path)
{
	const struct image *image = &entry->image;
	bool is_vdso = image->kind == OPROF_IMAGE_VDSO;
	char path[PATH_MAX];
	int error = 0;

	entry->saved = true;
	/* Names of code without files are already in the session (name_table.h). */
	if (image->kind == OPROF_IMAGE_FILE || image->kind == OPROF_IMAGE_ANON ||
	    image->kind == OPROF_IMAGE_CODE || image->kind == OPROF_IMAGE_BPF)
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s/%016" PRIx64, meta_path,
		     is_vdso ? OPROF_IMAGES_NAME : OPROF_SYMBOLS_NAME,
		     sample_identity(&image->identity)) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (!access(path, F_OK))
		return 0;
	error = file_make_parent_dirs(path, FOLDER_MODE);
	if (error)
		return error;
	if (!is_vdso) {
		entry->saved = false;
		return saving_add(saving, entry, path);
	}
	/* Programs of another word size have another vdso. The daemon has no copy of its bytes. */
	if (!vdso->bytes || sample_identity(&vdso->identity) != sample_identity(&image->identity))
		return 0;
	return file_replace(path, vdso->bytes, vdso->nr_bytes, FILE_MODE);
}

static void note_unsaved(struct node *node, void *context)
{
	(void)context;
	node_owner(node, struct image_entry, cookie_node)->saved = false;
}

/*
 * Marks all images as unsaved if the folder is new. A new folder (after reset or save) is empty,
 * although it may have the path of the old folder.
 */
static void note_folder(struct image_table *images, const char *meta_path)
{
	struct stat st;

	if (stat(meta_path, &st) ||
	    (st.st_dev == images->saved_dev && st.st_ino == images->saved_inode))
		return;
	images->saved_dev = st.st_dev;
	images->saved_inode = st.st_ino;
	node_hash_walk(&images->cookies, note_unsaved, NULL);
}

struct saving_all {
	struct saving saving;
	const struct vdso *vdso;
	const char *meta_path;
	int error; /* the first error */
};

static void save_if_new(struct node *node, void *context)
{
	struct image_entry *entry = node_owner(node, struct image_entry, cookie_node);
	struct saving_all *all = context;
	int error;

	if (entry->saved)
		return;
	error = save_entry(entry, all->vdso, &all->saving, all->meta_path);
	if (error)
		entry->saved = false;
	if (error && !all->error)
		all->error = error;
}

int kernel_symbols_save(struct image_table *images, const struct vdso *vdso, const char *proc_path,
			const char *meta_path)
{
	struct saving_all all = {.vdso = vdso, .meta_path = meta_path};
	int failed;

	note_folder(images, meta_path);
	node_hash_walk(&images->cookies, save_if_new, &all);
	failed = saving_write(&all.saving, proc_path);
	saving_deinit(&all.saving);
	return all.error ? all.error : failed;
}
