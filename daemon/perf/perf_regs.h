/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's registers in a sample: which registers to request from the kernel, and their DWARF
 * numbers. The kernel writes the requested registers in the order of their bits in the mask, lowest
 * first.
 */
#ifndef DAEMON_PERF_REGS_H
#define DAEMON_PERF_REGS_H

#include "daemon/perf/perf_item.h"
#include "unwind/stack_walk.h"

struct perf_regs {
	enum code_machine machine;
	uint64_t mask;	     /* attr.sample_regs_user */
	unsigned int pc, sp; /* bit numbers of the pc and the sp in mask */
	/*
	 * DWARF number of each register in mask, in the order of the bits; -1: the register has
	 * none.
	 */
	const int8_t *numbers;
};

extern const struct perf_regs perf_regs_x86_64, perf_regs_aarch64;

/*
 * Returns the registers of the machine for which this program is compiled; NULL: stacks are not
 * walked on this machine.
 */
const struct perf_regs *perf_regs_here(void);

/*
 * Fills input with a sample's registers and stack. The caller sets input->find and input->context.
 * Returns false if the sample has no registers, or registers of another kind (of a 32-bit program).
 */
bool perf_regs_take(const struct perf_regs *regs, const struct perf_item *item,
		    struct stack_walk_input *input);

#endif
