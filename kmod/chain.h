/* SPDX-License-Identifier: GPL-2.0-only */
/* Call chains of interrupted code, without page faults and without locks. */
#ifndef KMOD_CHAIN_H
#define KMOD_CHAIN_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "oprof/kmod.h"

struct chain {
	u16 nr_kernel, nr_user;
	bool truncated; /* there are more callers than requested */
	/* a frame could not be read, or a caller's frame was not at a higher address */
	bool broken;
	/*
	 * The first of the program's callers is the link: the address to which
	 * a function without a frame returns. In a chain that begins in the
	 * kernel, the program's pc is stored before the link.
	 */
	bool linked;
	/*
	 * Callers, leaf first: first those in the kernel, then those in the
	 * program. The array also has room for the pc, a link, and the entries
	 * that stack_trace_save() stores before the pc.
	 */
	unsigned long addresses[OPROF_KMOD_FRAMES_MAX + 33];
};

/*
 * Finds at most depth callers (up to OPROF_KMOD_CHAIN_MAX) of the pc in regs.
 * The pc itself is not stored. The kernel's unwinder finds callers in the
 * kernel; the frames of the interrupt's own handler are removed. If the task
 * has a program, the program's frame pointers are then followed, beginning
 * where the program entered the kernel. For a 32-bit program, finds no callers
 * and sets chain->broken. Callable from NMI.
 *
 * If a function has no frame, frame pointers do not lead to its caller. At its
 * first and last instructions, a function has no frame; many functions that
 * call no other function never have a frame. Therefore one more address, the
 * link, is stored in addition to depth callers: the address to which the
 * function returns if it has no frame. chain->linked states whether the link
 * was stored. The function's unwind table states whether the function has a
 * frame.
 */
void chain_walk_nmi(struct chain *chain, unsigned int depth, struct pt_regs *regs);

#endif
