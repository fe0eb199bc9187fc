/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call stacks made to order: each is added to a session's trees, and its leaf
 * to the sample files, as a daemon does it.
 */
#ifndef TESTS_UNIT_MAKE_CHAINS_H
#define TESTS_UNIT_MAKE_CHAINS_H

#include "tests/unit/make_session.h"
#include "libdb/stack_tree.h"

#include <stddef.h>
#include <stdint.h>

/* What is not written yet. */
struct make_chains {
	struct stack_tree tree;
	struct make_slice_part *parts;
	size_t nr_parts;
};

void make_chains_init(struct make_chains *chains);
void make_chains_deinit(struct make_chains *chains);

/*
 * frames, the outermost first, with blanks between: "IMAGE+KEY" (KEY in hexadecimal digits;
 * without "IMAGE" it is the application) or a mark, "[truncated]". A leaf
 * that is a mark has its samples at key 0 of the application. file: whose, without its image; its
 * texts live until it is written. With the flag OPROF_STACK_BY_IMAGE the leaf's samples are filed
 * under its image.
 */
void make_chains_add(struct make_chains *chains, const struct make_file *file, const char *frames,
		     uint64_t nr_samples);

/* Into the live files of epoch, or a slice. */
void make_chains_live(struct make_chains *chains, const struct make_session *session,
		      uint64_t epoch);
void make_chains_slice(struct make_chains *chains, const struct make_session *session,
		       const struct make_slice_head *head);

#endif
