/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which a call tree is written: images and roots by what they
 * are, functions by image and offset, each node before its parts, parts by
 * function. It does not depend on the order in which the tree was made.
 */
#ifndef LIBDB_STACK_TREE_ORDER_H
#define LIBDB_STACK_TREE_ORDER_H

#include "libdb/slice/stack_tree.h"

#include <stdint.h>

/* Numbers of functions: marks have their own, those of the table come behind them. */
struct stack_function {
	uint32_t image; /* in the order of images */
	uint32_t number;
	uint64_t offset;
};

struct stack_tree_order {
	uint32_t *images, *roots; /* indices, in order */
	struct stack_function *functions;
	uint32_t nr_functions;
	uint32_t *nodes;       /* indices, in order */
	uint32_t *function_of; /* by index of a node that is no root: its function's number */
	uint32_t *nr_children; /* by index of a node */
};

int stack_tree_order_init(struct stack_tree_order *order,
			  const struct stack_tree *tree); /* 0 or -ENOMEM */
void stack_tree_order_deinit(struct stack_tree_order *order);

#endif
