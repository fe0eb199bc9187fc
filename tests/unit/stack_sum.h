/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All call trees of a session in one: of its slices that count and of its
 * live stack file, if no slice holds that epoch. For tests.
 */
#ifndef TESTS_UNIT_STACK_SUM_H
#define TESTS_UNIT_STACK_SUM_H

#include "libdb/stack_tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct stack_sum {
	struct stack_tree tree;
	uint64_t nr_samples, weight; /* in all of it */
	uint64_t nr_live;	     /* samples of the live file */
	unsigned int nr_slices;	     /* with stacks */
	bool has_live;		     /* the live file counts */
};

/* 0, or -errno and diag: nothing to be deinited. */
int stack_sum_init(struct stack_sum *sum, const char *session_path, struct diag *diag);
void stack_sum_deinit(struct stack_sum *sum);

/*
 * A line for each node that samples ended in, sorted: "NR APP EVENT FRAME;FRAME...",
 * outermost first; a FRAME is the last part of its image's path, '+' and its offset in hex, or
 * "[mark]".
 */
void stack_sum_print(const struct stack_sum *sum, FILE *out);

/* The same as a string, to be freed. */
char *stack_sum_text(const struct stack_sum *sum);

/* Samples that ended in the way of this line (without NR). */
uint64_t stack_sum_of(const struct stack_sum *sum, const char *way);

#endif
