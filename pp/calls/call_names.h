/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the functions of a call tree are called in reports. */
#ifndef PP_CALL_NAMES_H
#define PP_CALL_NAMES_H

#include "pp/calls/call_tree.h"

#include <stddef.h>

struct call_names {
	char **names; /* of each function; as the flat layouts have them */
	size_t nr_names;
};

/* 0 or -ENOMEM; to be deinited in any case. */
int call_names_make(struct call_names *names, const struct call_tree *tree,
		    enum demangle_mode demangle);
void call_names_deinit(struct call_names *names);

/* Path of a function's image; "" of a mark. */
const char *call_image_path(const struct call_tree *tree, uint32_t function);

#endif
