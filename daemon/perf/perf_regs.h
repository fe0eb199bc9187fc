/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's registers in a sample: which ones to ask the kernel for, and what
 * DWARF calls them. The kernel gives those of a mask, lowest bit first.
 */
#ifndef DAEMON_PERF_REGS_H
#define DAEMON_PERF_REGS_H

#include "daemon/perf/perf_item.h"
#include "unwind/stack_walk.h"

struct perf_regs {
	enum code_machine machine;
	uint64_t mask;	     /* attr.sample_regs_user */
	unsigned int pc, sp; /* bits of it */
	/* DWARF's number of each of the registers of mask, in their order; -1: it has none. */
	const int8_t *numbers;
};

extern const struct perf_regs perf_regs_x86_64, perf_regs_aarch64;

/* Those of the machine that this is compiled for; NULL: its stacks are not walked. */
const struct perf_regs *perf_regs_here(void);

/*
 * Registers and stack of a sample as a walk takes them; find and context are
 * the caller's. False: there are none, or of another machine (a 32-bit program).
 */
bool perf_regs_take(const struct perf_regs *regs, const struct perf_item *item,
		    struct stack_walk_input *input);

#endif
