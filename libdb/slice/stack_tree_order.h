/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which a call tree is written. Images and roots are sorted by identity, functions by
 * image and offset, and the children (parts) of a node by function. Each node precedes its
 * children. The order in which the tree was built does not affect this order.
 */
#ifndef LIBDB_STACK_TREE_ORDER_H
#define LIBDB_STACK_TREE_ORDER_H

#include "libdb/slice/stack_tree.h"

#include <stdint.h>

/* A function of the table. Function numbers are given in this order: the marks, then this table. */
struct stack_function {
	uint32_t image; /* index in the sorted images */
	uint32_t number;
	uint64_t offset;
};

struct stack_tree_order {
	uint32_t *images, *roots; /* indices in sorted order */
	struct stack_function *functions;
	uint32_t nr_functions;
	uint32_t *nodes;       /* indices in sorted order */
	uint32_t *function_of; /* function_of[i]: function number of node i (not of a root) */
	uint32_t *nr_children; /* nr_children[i]: number of node i's parts */
};

int stack_tree_order_init(struct stack_tree_order *order,
			  const struct stack_tree *tree); /* 0 or -ENOMEM */
void stack_tree_order_deinit(struct stack_tree_order *order);

#endif
