/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call trees for tests: stacks of all kinds, and what a tree holds as text. */
#ifndef TESTS_UNIT_MAKE_STACKS_H
#define TESTS_UNIT_MAKE_STACKS_H

#include "libdb/stack_tree.h"

#include <stddef.h>
#include <stdint.h>

#define MAKE_STACKS_NR_ROOTS  6 /* that differ */
#define MAKE_STACKS_NR_IMAGES 9
#define MAKE_STACKS_DEPTH_MAX 12

/* The i-th kind of each; every third root is of a weighted event. */
struct slice_section make_stacks_root(unsigned int i);
struct stack_image make_stacks_image(unsigned int i);

struct make_stacks_frame {
	uint32_t image; /* number of make_stacks_image, or STACK_MARK() */
	uint64_t offset;
};

struct make_stacks_sample {
	unsigned int root;
	struct make_stacks_frame frames[MAKE_STACKS_DEPTH_MAX]; /* outermost first */
	unsigned int nr_frames;
	uint64_t nr_samples, weight;
};

/* The next by lot: few functions each, so that stacks have beginnings in common. */
struct make_stacks_sample make_stacks_next(uint64_t *random);

/* Add it; asserts that it works. The node. */
uint32_t make_stacks_add(struct stack_tree *tree, const struct make_stacks_sample *sample);

/* nr samples by lot into a tree that is inited. */
void make_stacks_fill(struct stack_tree *tree, uint64_t *random, size_t nr);

/*
 * All nodes with samples or weight, each a line of its whole way, sorted: equal for
 * trees that hold the same, in whatever order they were made. malloc'ed.
 */
char *make_stacks_text(const struct stack_tree *tree);

/* Assert that two trees hold the same, and each what its roots say. */
void make_stacks_same(const struct stack_tree *a, const struct stack_tree *b);

/* Assert what holds of every tree: parents first, one node each, sums of roots. */
void make_stacks_verify(const struct stack_tree *tree);

#endif
