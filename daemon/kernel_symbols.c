// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kernel_symbols.h"

#include "daemon/kallsyms.h"
#include "lib/file.h"
#include "libdb/sample_name.h"

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
	uint64_t start; /* from the image's start */
	size_t name;	/* position in names */
	char type;
};

/* Functions of one image while kallsyms is walked. */
struct collection {
	const struct image *image;
	struct function *functions;
	size_t nr_functions, room_functions;
	char *names;
	size_t nr_names_bytes, room_names_bytes;
};

static void collection_deinit(struct collection *all)
{
	free(all->functions);
	free(all->names);
}

static int reserve(struct collection *all, size_t nr_name_bytes)
{
	if (all->nr_functions == all->room_functions) {
		size_t room = all->room_functions ? 2 * all->room_functions : 256;
		void *bigger = realloc(all->functions, room * sizeof(struct function));

		if (!bigger)
			return -ENOMEM;
		all->functions = bigger;
		all->room_functions = room;
	}
	if (all->nr_names_bytes + nr_name_bytes > all->room_names_bytes) {
		size_t room = 2 * all->room_names_bytes + nr_name_bytes + 4096;
		void *bigger = realloc(all->names, room);

		if (!bigger)
			return -ENOMEM;
		all->names = bigger;
		all->room_names_bytes = room;
	}
	return 0;
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

/* Names of padding in front of functions. */
static bool is_padding(const char *name)
{
	return !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6);
}

static int collect(const struct kallsym *symbol, void *context)
{
	struct collection *all = context;
	const struct image *image = all->image;
	bool of_kernel = image->kind != OPROF_IMAGE_MODULE;

	if (symbol->address < image->start || symbol->address >= image->end ||
	    of_kernel != !symbol->module[0] || is_padding(symbol->name))
		return 0;
	if (!of_kernel && strcmp(symbol->module, image->path) != 0)
		return 0;
	return collection_add(all, symbol->address - image->start, symbol->type, symbol->name);
}

/* By start; of one start the one to keep first: global before others, else as read. */
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
	uint64_t end = all->image->end - all->image->start;
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

static int collection_write(struct collection *all, const char *path)
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
		error = file_replace(path, text, nr_bytes, FILE_MODE);
	free(text);
	return error;
}

/* Code that the kernel made is one function; other code's are in kallsyms. */
static int save_functions(const struct image *image, const char *proc_path, const char *path)
{
	struct collection all = {.image = image};
	int error = 0;

	if (image->kind == OPROF_IMAGE_BPF)
		error = collection_add(&all, 0, 't', image->path);
	else
		error = kallsyms_walk(proc_path, collect, &all);
	/* Nothing by the module's name: made by the kernel, or gone already. */
	if (!error && !all.nr_functions && image->kind == OPROF_IMAGE_MODULE)
		error = collection_add(&all, 0, 't', image->path);
	/* What can't be read now won't be later. */
	if (error == -EACCES || error == -ENOENT)
		error = 0;
	if (!error)
		error = collection_write(&all, path);
	collection_deinit(&all);
	return error;
}

static int save_entry(struct image_entry *entry, const struct vdso *vdso, const char *proc_path,
		      const char *meta_path)
{
	const struct image *image = &entry->image;
	bool is_vdso = image->kind == OPROF_IMAGE_VDSO;
	char path[PATH_MAX];
	int error;

	if (image->kind == OPROF_IMAGE_FILE || image->kind == OPROF_IMAGE_ANON)
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s/%016" PRIx64, meta_path,
		     is_vdso ? "images" : "symbols",
		     sample_identity(&image->identity)) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (!access(path, F_OK))
		return 0;
	error = file_make_parent_dirs(path, FOLDER_MODE);
	if (error)
		return error;
	if (!is_vdso)
		return save_functions(image, proc_path, path);
	/* Programs of another word size have another, which is not ours to read. */
	if (!vdso->bytes || sample_identity(&vdso->identity) != sample_identity(&image->identity))
		return 0;
	return file_replace(path, vdso->bytes, vdso->nr_bytes, FILE_MODE);
}

/* A folder begun anew (reset, save) holds nothing yet, though its path is the old one's. */
static void note_folder(struct image_table *images, const char *meta_path)
{
	struct stat st;

	if (stat(meta_path, &st) ||
	    (st.st_dev == images->saved_dev && st.st_ino == images->saved_inode))
		return;
	images->saved_dev = st.st_dev;
	images->saved_inode = st.st_ino;
	for (size_t i = 0; i < images->nr_told; i++)
		images->told[i]->saved = false;
}

int kernel_symbols_save(struct image_table *images, const struct vdso *vdso, const char *proc_path,
			const char *meta_path)
{
	int error = 0;

	note_folder(images, meta_path);
	for (size_t i = 0; i < images->nr_told; i++) {
		struct image_entry *entry = images->told[i];
		int failed;

		if (entry->saved)
			continue;
		failed = save_entry(entry, vdso, proc_path, meta_path);
		entry->saved = !failed;
		if (failed && !error)
			error = failed;
	}
	return error;
}
