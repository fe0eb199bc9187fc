/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the registers of a sample and a copy of the top of its stack to the
 * call chain, by code tables. Allocates nothing, calls nothing but what it is
 * given, trusts neither copy nor registers; tables were checked when they were
 * opened.
 */
#ifndef UNWIND_STACK_WALK_H
#define UNWIND_STACK_WALK_H

#include "unwind/code_table.h"

#include <stddef.h>
#include <stdint.h>

#define STACK_WALK_NR_REGISTERS 32 /* by DWARF's numbers of the machine */

struct stack_walk_input {
	enum code_machine machine;
	uint64_t pc, sp;
	/*
	 * All that are known. The frame pointer is needed; x86-64's rbx and r12
	 * to r15, AArch64's x19 to x28 by some functions; AArch64's x30 by
	 * those that call none; others in the first instructions of a few.
	 */
	uint64_t registers[STACK_WALK_NR_REGISTERS];
	uint32_t known;	      /* a bit for each of registers that is given */
	const uint8_t *stack; /* copy of [sp, sp + stack_bytes) */
	size_t stack_bytes;
	/*
	 * The table of the code at address, of the same machine, and address's
	 * key in it; NULL: there is none. Frames without one, and those of code
	 * that it knows nothing of, are left by the frame pointer. NULL and
	 * STACK_WALK_NO_CODE for a key: nothing is mapped there that could run,
	 * so the walk has gone astray.
	 */
	const struct code_table *(*find)(void *context, uint64_t address, uint64_t *key);
	void *context;
};

#define STACK_WALK_NO_CODE UINT64_MAX

enum stack_walk_end {
	STACK_WALK_WHOLE,     /* the outermost frame, as tables or a frame pointer of 0 say */
	STACK_WALK_TRUNCATED, /* the copy ends, or room does */
	STACK_WALK_BROKEN,    /* no table, no frame pointer, or they lead nowhere */
};

struct stack_walk_result {
	size_t nr_addresses;
	enum stack_walk_end end;
	size_t nr_by_pointer; /* frames left by frame pointer for want of a table */
};

/*
 * addresses[room]: the callers, innermost first, without pc itself. Return
 * addresses are given less 1, so that each is in its call, and without
 * AArch64's signatures; a frame that a signal interrupted, as it is.
 */
void stack_walk(const struct stack_walk_input *input, uint64_t *addresses, size_t room,
		struct stack_walk_result *result);

#endif
