/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists the files, in addition to the image itself, from which symbols, lines and
 * inlined functions of an image are read: its debug file, the file that dwz moved
 * parts of it into, split files or their package; for the kernel, its vmlinux. An
 * archive takes these files to another machine. The forked helper reads the list
 * and finds the files as reports do.
 */
#ifndef PP_DEBUG_LIST_H
#define PP_DEBUG_LIST_H

#include "pp/symbols/symbol_image.h"

#include <stddef.h>

struct debug_list_file {
	const char *path; /* where the file is, below the searched root if there is one */
	/* Where reports search for it below another root: absolute, without ".", "..". */
	const char *name;
};

struct debug_list {
	struct debug_list_file *files;
	size_t nr_files;
	char *bytes; /* the strings of all files */
	char *note;  /* why reading failed, as a clause; files is then empty. NULL: no failure */
};

/*
 * Lists the files for request's image, of kind FILE, KERNEL or IDLE. The list is
 * empty also if the image or its debug information cannot be read; a report reads
 * it again and reports the reason. Returns 0, -ENOMEM, or -errno if this process
 * itself fails.
 */
int debug_list_load(struct debug_list *list, const struct symbol_request *request);
void debug_list_deinit(struct debug_list *list);

#endif
