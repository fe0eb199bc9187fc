/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists the other files from which reports read an image's symbols, lines and inlined functions:
 * its debug file, the file to which dwz moved parts of the debug information, and split files or
 * their package; for the kernel, its vmlinux. An archive contains copies of these files. A forked
 * helper searches for them in the same way as reports do.
 */
#ifndef PP_DEBUG_LIST_H
#define PP_DEBUG_LIST_H

#include "pp/symbols/symbol_image.h"

#include <stdbool.h>
#include <stddef.h>

struct debug_list_file {
	/* path of the file on this machine; begins with the root (-R), if given */
	const char *path;
	/*
	 * Path at which reports search for the file below another root: absolute, without "." and
	 * "..".
	 */
	const char *name;
	/* Identifies the file that the helper has read; for debug_list_is_file(). */
	const char *key;
};

struct debug_list {
	struct debug_list_file *files;
	size_t nr_files;
	char *bytes; /* the strings of all files */
	/*
	 * Clause that states why reading failed; the list of files is then empty. NULL: no failure.
	 */
	char *note;
};

/*
 * Lists the files for the image of `request`, which has the kind FILE, KERNEL or IDLE. The list is
 * also empty if the image or its debug information cannot be read; reports then state the reason.
 * Returns 0, -ENOMEM, or -errno if an error occurs in this process, not in the helper.
 */
int debug_list_load(struct debug_list *list, const struct symbol_request *request);
void debug_list_deinit(struct debug_list *list);

/*
 * Returns whether the file open at fd is the listed file. If not, another file has replaced the
 * listed file since the helper read it.
 */
bool debug_list_is_file(const struct debug_list_file *file, int fd);

#endif
