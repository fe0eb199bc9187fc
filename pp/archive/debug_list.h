/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists the other files from which symbols, lines and inlined functions of an image are read:
 * its debug file, the file to which dwz moved parts of the debug information, and split files or
 * their package; for the kernel, its vmlinux. An archive takes these files to another machine.
 * The forked helper finds them in the same way as reports.
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
	/* clause that states why reading failed; files is then empty. NULL: no failure */
	char *note;
};

/*
 * Lists the files for request's image, of kind FILE, KERNEL or IDLE. The list is also empty if
 * the image or its debug information cannot be read; reports then state this themselves.
 * Returns 0, -ENOMEM, or -errno if this process fails.
 */
int debug_list_load(struct debug_list *list, const struct symbol_request *request);
void debug_list_deinit(struct debug_list *list);

#endif
