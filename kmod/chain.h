/* SPDX-License-Identifier: GPL-2.0-only */
/* Call chains of interrupted code, without faulting and without a lock. */
#ifndef KMOD_CHAIN_H
#define KMOD_CHAIN_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "oprof/kmod.h"

struct chain {
	u16 nr_kernel, nr_user;
	bool truncated; /* there are more than were asked for */
	bool broken;	/* a frame could not be read, or did not lead up the stack */
	/* The first caller in the program is where a function without a frame returns to. */
	bool linked;
	/* Callers, leaf first: in the kernel, then in the program. Room for the pc, a link, and
	 * what stack_trace_save() puts before it. */
	unsigned long addresses[OPROF_KMOD_FRAMES_MAX + 33];
};

/*
 * The callers of regs' pc, which is not among them, at most depth (up to
 * OPROF_KMOD_CHAIN_MAX). In the kernel by its own unwinder, trimmed to the pc;
 * then, of a task that has a program, its frames by frame pointers from where
 * it entered the kernel. Programs of 32 bits: no frames, broken. From NMI.
 *
 * Frame pointers say nothing of a function that has no frame (yet, or any
 * more; many that call none never have one): its caller is missing. The link,
 * where such a function would return to, is told beside them (linked), as one
 * more than depth; whether the function is one its unwind table says.
 */
void chain_walk_nmi(struct chain *chain, unsigned int depth, struct pt_regs *regs);

#endif
