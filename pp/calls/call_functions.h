/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the keys of stacks to functions: each image's symbols are read once,
 * and one image's at a time. Internal to call_tree*.c.
 */
#ifndef PP_CALL_FUNCTIONS_H
#define PP_CALL_FUNCTIONS_H

#include "pp/calls/call_stacks.h"

/*
 * Make tree's functions, and set that of each of stacks' keys. *hidden: of
 * each function, whether include and exclude take it out (to be freed). 0 or -ENOMEM, or what
 * the reader of symbols fails with.
 */
int call_functions_make(struct call_tree *tree, struct call_stacks *stacks,
			const struct profile_options *options, bool **hidden);

#endif
