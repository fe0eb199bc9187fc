/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the call chain of a sample from its registers, a copy of the top of its stack, and code
 * tables. The walk allocates no memory, calls only the function that the caller passes, and trusts
 * neither the copy nor the registers. The walk trusts the tables, which were checked when they
 * were opened.
 */
#ifndef UNWIND_STACK_WALK_H
#define UNWIND_STACK_WALK_H

#include "unwind/code_table.h"

#include <stddef.h>
#include <stdint.h>

#define STACK_WALK_NR_REGISTERS 32 /* indices are the machine's DWARF register numbers */

struct stack_walk_input {
	enum code_machine machine;
	uint64_t pc, sp;
	/*
	 * All known registers. The walk always needs the frame pointer. For some functions it also
	 * needs rbx and r12 to r15 (x86-64) or x19 to x28 (AArch64). On AArch64, it needs x30 for
	 * functions that call no other function. For the first instructions of a few functions, it
	 * needs further registers.
	 */
	uint64_t registers[STACK_WALK_NR_REGISTERS];
	uint32_t known;	      /* a bit for each known register */
	const uint8_t *stack; /* copy of [sp, sp + stack_bytes) */
	size_t stack_bytes;
	/*
	 * Returns the table of the code at address, for the same machine, and sets *key to the key
	 * of address. Returns NULL if there is no table; the walk then uses the frame pointer to
	 * find the caller. Returns NULL and sets *key to STACK_WALK_NO_CODE if no executable code
	 * is mapped at address; the walk then ends as broken.
	 */
	const struct code_table *(*find)(void *context, uint64_t address, uint64_t *key);
	void *context;
};

#define STACK_WALK_NO_CODE UINT64_MAX

enum stack_walk_end {
	/*
	 * The walk reached the outermost frame: a table marks the frame as outermost, or the
	 * frame pointer or the return address is 0.
	 */
	STACK_WALK_WHOLE,
	STACK_WALK_TRUNCATED, /* the copy of the stack or the array of addresses was too short */
	STACK_WALK_BROKEN,    /* the caller is unknown: no usable row or frame pointer */
};

struct stack_walk_result {
	size_t nr_addresses;
	enum stack_walk_end end;
	size_t nr_by_pointer; /* callers found by frame pointer, since no table covers the code */
};

/*
 * Stores the addresses of the callers in addresses[room], innermost first. The sample's own pc is
 * not stored. A stored address is a return address minus 1, so it points into the call instruction.
 * On AArch64, the signature is removed first. For a frame that a signal interrupted, the address is
 * the exact pc.
 */
void stack_walk(const struct stack_walk_input *input, uint64_t *addresses, size_t room,
		struct stack_walk_result *result);

#endif
