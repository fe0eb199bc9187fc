/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the functions that the keys of stacks belong to. Each image's symbols are
 * read once, and the symbols of only one image are in memory at a time. Internal
 * to call_tree.c.
 */
#ifndef PP_CALL_FUNCTIONS_H
#define PP_CALL_FUNCTIONS_H

#include "pp/calls/call_stacks.h"

/*
 * Fills tree->functions and sets the function of each key of stacks. *hidden gets
 * a flag for each function: true if include or exclude removes it; the caller
 * frees it. Returns 0, -ENOMEM, or the error of symbol_table_load or
 * code_functions_load.
 */
int call_functions_make(struct call_tree *tree, struct call_stacks *stacks,
			const struct profile_options *options, bool **hidden);

#endif
