/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree of a page (pp/page/tree.js): the nodes in depth-first order,
 * the heaviest child first.
 */
#ifndef PP_PAGE_TREE_H
#define PP_PAGE_TREE_H

#include "pp/calls/call_tree.h"
#include "pp/page/page_data.h"

/* Adds the tree's arrays to data. Returns 0 or -ENOMEM. */
int page_tree_add(struct page_data *data, const struct call_tree *tree);
/* Writes the names of applications, images and functions. Returns 0 or -ENOMEM. */
int page_tree_write(struct json_writer *json, const struct call_tree *tree,
		    enum demangle_mode demangle);

#endif
