/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the call chain of a sample from its registers and a copy of the top
 * of its stack, with code tables. It allocates nothing, calls only what the
 * caller passes, and trusts neither the copy nor the registers. Tables were
 * checked when they were opened.
 */
#ifndef UNWIND_STACK_WALK_H
#define UNWIND_STACK_WALK_H

#include "unwind/code_table.h"

#include <stddef.h>
#include <stdint.h>

#define STACK_WALK_NR_REGISTERS 32 /* indexes are the machine's DWARF numbers */

struct stack_walk_input {
	enum code_machine machine;
	uint64_t pc, sp;
	/*
	 * All known registers. The frame pointer is required. Some functions
	 * need x86-64's rbx and r12 to r15, or AArch64's x19 to x28. AArch64
	 * functions that call no other need x30. A few need others, in their
	 * first instructions.
	 */
	uint64_t registers[STACK_WALK_NR_REGISTERS];
	uint32_t known;	      /* a bit for each known register */
	const uint8_t *stack; /* copy of [sp, sp + stack_bytes) */
	size_t stack_bytes;
	/*
	 * Returns the table of the code at address, for the same machine, and
	 * sets *key to the key of address. NULL: no table. Frames of code
	 * without table, or not in its table, are left by the frame pointer.
	 * NULL with *key STACK_WALK_NO_CODE: no executable code is mapped at
	 * address, so the walk ends as broken.
	 */
	const struct code_table *(*find)(void *context, uint64_t address, uint64_t *key);
	void *context;
};

#define STACK_WALK_NO_CODE UINT64_MAX

enum stack_walk_end {
	STACK_WALK_WHOLE, /* the outermost frame: by table, or frame pointer or return address 0 */
	STACK_WALK_TRUNCATED, /* the end of the copy, or of room */
	STACK_WALK_BROKEN,    /* no table and no frame pointer, or an invalid frame */
};

struct stack_walk_result {
	size_t nr_addresses;
	enum stack_walk_end end;
	size_t nr_by_pointer; /* frames left by frame pointer because no table covers them */
};

/*
 * Stores the callers in addresses[room], innermost first, without pc. Each is
 * the return address minus 1, which is within the call, without AArch64's
 * signature. For a frame interrupted by a signal it is the exact pc.
 */
void stack_walk(const struct stack_walk_input *input, uint64_t *addresses, size_t room,
		struct stack_walk_result *result);

#endif
