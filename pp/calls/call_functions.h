/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the functions to which the keys of stacks belong. Reads the symbols of one image at a
 * time, and of each image once. Internal to call_tree.c.
 */
#ifndef PP_CALL_FUNCTIONS_H
#define PP_CALL_FUNCTIONS_H

#include "pp/calls/call_stacks.h"

/*
 * Fills tree->functions and the function of each key of stacks. *hidden, which the caller
 * frees, is true for each function that include or exclude removes. Returns 0, -ENOMEM, or an
 * error of symbol_table_load() or code_functions_load().
 */
int call_functions_make(struct call_tree *tree, struct call_stacks *stacks,
			const struct profile_options *options, bool **hidden);

#endif
