/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that symbols, lines and inlined functions of an image are read
 * from, besides itself: its debug file, what dwz took out of that, split files
 * or their package; of the kernel its vmlinux. For who takes them to another
 * machine: read by the forked helper, which finds them as reports do.
 */
#ifndef PP_DEBUG_LIST_H
#define PP_DEBUG_LIST_H

#include "pp/symbols/symbol_image.h"

#include <stddef.h>

struct debug_list_file {
	const char *path; /* where it lies, below the root that was searched, if any */
	/* Where reports look for it below another root: absolute, without ".", ".." */
	const char *name;
};

struct debug_list {
	struct debug_list_file *files;
	size_t nr_files;
	char *bytes; /* their texts */
	char *note;  /* a clause: why what reads them failed, and there are none; else NULL */
};

/*
 * Those of request's image: FILE, KERNEL or IDLE. None also where the image or its debug
 * information can't be read: what reads it for a report tells. 0, -ENOMEM or -errno: this process
 * itself fails.
 */
int debug_list_load(struct debug_list *list, const struct symbol_request *request);
void debug_list_deinit(struct debug_list *list);

#endif
