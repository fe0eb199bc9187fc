// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/stack_memo.h"

#include <string.h>

/* Frames are compared as bytes. */
_Static_assert(sizeof(struct oprof_frame) == 16, "no padding");

void stack_memo_clear(struct stack_memo *memo)
{
	memset(memo->frames, 0, sizeof(memo->frames));
	for (uint32_t i = 0; i < STACK_MEMO_CHAINS; i++)
		memo->chains[i].start = 0;
}

static uint64_t mix(uint64_t value)
{
	value *= UINT64_C(0x9e3779b97f4a7c15);
	return value ^ value >> 32;
}

struct stack_memo_chain *stack_memo_chain(struct stack_memo *memo, uint32_t start, uint16_t kind)
{
	struct stack_memo_chain *chain = &memo->chains[mix(start) & (STACK_MEMO_CHAINS - 1)];

	if (chain->start != start || chain->kind != kind) {
		chain->start = start;
		chain->kind = kind;
		chain->nr_frames = 0;
	}
	return chain;
}

uint32_t stack_memo_chain_shared(const struct stack_memo_chain *chain,
				 const struct oprof_frame *frames, uint32_t nr)
{
	uint32_t most = nr < chain->nr_frames ? nr : chain->nr_frames;
	uint32_t shared = 0;

	while (shared < most &&
	       !memcmp(&chain->frames[shared], &frames[nr - 1 - shared], sizeof(*frames)))
		shared++;
	return shared;
}

struct stack_memo_frame *stack_memo_frame(struct stack_memo *memo, uint32_t parent, uint32_t image,
					  uint64_t offset, bool is_return)
{
	uint64_t hash = mix((uint64_t)parent << 32 ^ (uint64_t)image << 1 ^ is_return);

	return &memo->frames[mix(hash ^ offset) & (STACK_MEMO_FRAMES - 1)];
}
