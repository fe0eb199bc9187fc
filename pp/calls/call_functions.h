/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the functions to which the keys of call stacks belong. Reads the symbols of one image at a
 * time, and reads each image only once. Internal to call_tree.c.
 */
#ifndef PP_CALL_FUNCTIONS_H
#define PP_CALL_FUNCTIONS_H

#include "pp/calls/call_stacks.h"

/*
 * Fills tree->functions, and the member `function` of each key of `stacks`. Stores in *hidden an
 * array with an element for each function: whether options->include or ->exclude removes the
 * function. The caller must free the array. Returns 0, -ENOMEM, or an error of symbol_table_load()
 * or code_functions_load().
 */
int call_functions_make(struct call_tree *tree, struct call_stacks *stacks,
			const struct profile_options *options, bool **hidden);

#endif
