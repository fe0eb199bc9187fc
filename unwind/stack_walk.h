/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the call chain of a sample from its registers and a copy of the top of its stack, with
 * code tables. The walk allocates nothing, calls only the function that the caller passes, and
 * trusts neither the copy nor the registers. Tables were checked when they were opened.
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
	 * All known registers. The walk always needs the frame pointer. For some functions it
	 * needs rbx and r12 to r15 (x86-64) or x19 to x28 (AArch64); for AArch64 functions that
	 * call no other function, x30. In the first instructions of a few functions it needs other
	 * registers.
	 */
	uint64_t registers[STACK_WALK_NR_REGISTERS];
	uint32_t known;	      /* a bit for each known register */
	const uint8_t *stack; /* copy of [sp, sp + stack_bytes) */
	size_t stack_bytes;
	/*
	 * Returns the table of the code at address, for the same machine, and sets *key to the key
	 * of address. Returns NULL if there is no table. Frames of code that no table covers are
	 * left by the frame pointer. Returns NULL with *key STACK_WALK_NO_CODE if no executable
	 * code is mapped at address; the walk then ends as broken.
	 */
	const struct code_table *(*find)(void *context, uint64_t address, uint64_t *key);
	void *context;
};

#define STACK_WALK_NO_CODE UINT64_MAX

enum stack_walk_end {
	STACK_WALK_WHOLE, /* outermost frame: the table marks it, or frame pointer or return is 0 */
	STACK_WALK_TRUNCATED, /* the copy of the stack or the room for addresses ended */
	STACK_WALK_BROKEN,    /* no table and no frame pointer, or an invalid frame */
};

struct stack_walk_result {
	size_t nr_addresses;
	enum stack_walk_end end;
	size_t nr_by_pointer; /* frames left by frame pointer because no table covers them */
};

/*
 * Stores the callers in addresses[room], innermost first; pc itself is not stored. Each address is
 * the return address minus 1, which is within the call, without AArch64's signature. For a frame
 * that a signal interrupted, it is the exact pc.
 */
void stack_walk(const struct stack_walk_input *input, uint64_t *addresses, size_t room,
		struct stack_walk_result *result);

#endif
