/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which node of the live stack file a frame was, lately: most frames of a
 * stack are those of the one before, and most others were there a moment ago.
 * What is not here any more is asked of the file again.
 *
 * Not for: what a frame is in the file (stack_keep.h).
 */
#ifndef DAEMON_STACK_MEMO_H
#define DAEMON_STACK_MEMO_H

#include "oprof/record.h"

#include <stdbool.h>
#include <stdint.h>

#define STACK_MEMO_CHAINS 64u /* powers of two */
#define STACK_MEMO_FRAMES 16384u
#define STACK_MEMO_DEPTH  128u /* frames remembered of a chain: the outermost */

/* A frame below a node; parent 0: none, no record stands at the file's start. */
struct stack_memo_frame {
	uint64_t offset;
	uint32_t image; /* cookie */
	uint32_t parent, node;
	uint16_t is_return; /* offset is a return address: of the call before it */
	uint16_t folded;    /* node is what the frame was folded into */
};

/* The callers of the latest stack below a node, outermost first. */
struct stack_memo_chain {
	uint32_t start; /* the node; 0: none */
	uint16_t nr_frames;
	uint16_t kind; /* enum oprof_chain_kind: what offsets mean */
	uint32_t nodes[STACK_MEMO_DEPTH];
	struct oprof_frame frames[STACK_MEMO_DEPTH];
};

struct stack_memo {
	struct stack_memo_frame frames[STACK_MEMO_FRAMES];
	struct stack_memo_chain chains[STACK_MEMO_CHAINS];
};

/* Nodes are others from here on: nothing is remembered. */
void stack_memo_clear(struct stack_memo *memo);

/*
 * Where the chain of start stands; of another start, or kind, it is empty
 * after this. The caller cuts it (nr_frames) and adds.
 */
struct stack_memo_chain *stack_memo_chain(struct stack_memo *memo, uint32_t start, uint16_t kind);

/* How many of its frames are also the outermost of frames[nr], which are innermost first. */
uint32_t stack_memo_chain_shared(const struct stack_memo_chain *chain,
				 const struct oprof_frame *frames, uint32_t nr);

static inline void stack_memo_chain_add(struct stack_memo_chain *chain,
					const struct oprof_frame *frame, uint32_t node)
{
	if (chain->nr_frames == STACK_MEMO_DEPTH)
		return;
	chain->frames[chain->nr_frames] = *frame;
	chain->nodes[chain->nr_frames++] = node;
}

/* Its slot: what stands there is the frame, or is to be overwritten. */
struct stack_memo_frame *stack_memo_frame(struct stack_memo *memo, uint32_t parent, uint32_t image,
					  uint64_t offset, bool is_return);

static inline bool stack_memo_frame_is(const struct stack_memo_frame *slot, uint32_t parent,
				       uint32_t image, uint64_t offset, bool is_return)
{
	return slot->parent == parent && slot->offset == offset && slot->image == image &&
	       slot->is_return == is_return;
}

#endif
