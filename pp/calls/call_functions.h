/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the functions that the keys of stacks belong to. The symbols of each image are read
 * once, those of one image at a time. Internal to call_tree.c.
 */
#ifndef PP_CALL_FUNCTIONS_H
#define PP_CALL_FUNCTIONS_H

#include "pp/calls/call_stacks.h"

/*
 * Fills tree->functions and the function of each key of stacks. *hidden, freed by the caller,
 * flags the functions that include or exclude removes. Returns 0, -ENOMEM, or an error of
 * symbol_table_load or code_functions_load.
 */
int call_functions_make(struct call_tree *tree, struct call_stacks *stacks,
			const struct profile_options *options, bool **hidden);

#endif
