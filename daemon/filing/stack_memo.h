/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembers which node of the live stack file was found for a frame. Most frames of a stack are
 * also in the previous stack, and most other frames were looked up shortly before. Frames that are
 * not remembered are looked up in the file.
 *
 * Elsewhere: how a frame is stored in the file (stack_keep.h).
 */
#ifndef DAEMON_STACK_MEMO_H
#define DAEMON_STACK_MEMO_H

#include "oprof/record.h"

#include <stdbool.h>
#include <stdint.h>

#define STACK_MEMO_CHAINS 64u /* powers of two */
#define STACK_MEMO_FRAMES 16384u
#define STACK_MEMO_DEPTH  128u /* at most this number of outermost frames of a chain is stored */

/*
 * A frame below a node. If parent is 0, the slot is empty: no parent has position 0, since no
 * record begins at the start of the file.
 */
struct stack_memo_frame {
	uint64_t offset;
	uint32_t image; /* cookie */
	uint32_t parent, node;
	uint16_t is_return; /* `offset` is a return address, which follows the call */
	uint16_t folded;    /* node is the node [other], into which the frame was folded */
};

/*
 * The callers of the last stack that was stored below the node `start` (a root or a mark), the
 * outermost caller first.
 */
struct stack_memo_chain {
	uint32_t start; /* the node; 0: the slot is empty */
	uint16_t nr_frames;
	uint16_t kind; /* enum oprof_chain_kind: meaning of the offsets */
	uint32_t nodes[STACK_MEMO_DEPTH];
	struct oprof_frame frames[STACK_MEMO_DEPTH];
};

struct stack_memo {
	struct stack_memo_frame frames[STACK_MEMO_FRAMES];
	struct stack_memo_chain chains[STACK_MEMO_CHAINS];
};

/* Call when the nodes are no longer valid: forgets all of them. */
void stack_memo_clear(struct stack_memo *memo);

/*
 * Returns the chain below the node `start`. The chain is empty if its slot was used for another
 * node or kind. The caller truncates the chain (nr_frames) and appends frames.
 */
struct stack_memo_chain *stack_memo_chain(struct stack_memo *memo, uint32_t start, uint16_t kind);

/*
 * Returns the number of outermost frames that chain and frames[nr] have in common. frames is
 * ordered from the innermost frame to the outermost.
 */
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

/* Returns the slot of the frame. If the slot has another frame, the caller overwrites it. */
struct stack_memo_frame *stack_memo_frame(struct stack_memo *memo, uint32_t parent, uint32_t image,
					  uint64_t offset, bool is_return);

static inline bool stack_memo_frame_is(const struct stack_memo_frame *slot, uint32_t parent,
				       uint32_t image, uint64_t offset, bool is_return)
{
	return slot->parent == parent && slot->offset == offset && slot->image == image &&
	       slot->is_return == is_return;
}

#endif
