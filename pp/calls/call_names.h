/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names that reports print for the functions of a call tree. */
#ifndef PP_CALL_NAMES_H
#define PP_CALL_NAMES_H

#include "pp/calls/call_tree.h"

#include <stddef.h>

struct call_names {
	/* One for each function of the tree; the same names as in reports without call stacks. */
	char **names;
	size_t nr_names;
};

/*
 * Makes the names of all functions. Returns 0 or -ENOMEM. Call call_names_deinit() in either case.
 */
int call_names_make(struct call_names *names, const struct call_tree *tree,
		    enum demangle_mode demangle);
void call_names_deinit(struct call_names *names);

/* Returns the path of a function's image; "" for a mark. */
const char *call_image_path(const struct call_tree *tree, uint32_t function);

#endif
