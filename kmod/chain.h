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
	bool broken;	/* a frame could not be read, or the next one was not above it */
	/*
	 * The program's first caller is the link: where a function without a
	 * frame returns to. In a chain that begins in the kernel, the program's
	 * pc comes before it.
	 */
	bool linked;
	/*
	 * Callers, leaf first: in the kernel, then in the program. The room
	 * includes the pc, a link, and the entries that stack_trace_save()
	 * stores before the pc.
	 */
	unsigned long addresses[OPROF_KMOD_FRAMES_MAX + 33];
};

/*
 * Finds the callers of regs' pc, without the pc, at most depth (up to
 * OPROF_KMOD_CHAIN_MAX). The kernel's unwinder finds callers in the kernel; the
 * frames of the interrupt's own handler are removed. If the task has a program,
 * frame pointers then lead through it, from where it entered the kernel. A
 * 32-bit program has no frames, and broken is set. Callable from NMI.
 *
 * Frame pointers miss the caller of a function that has no frame: at its first
 * or last instructions, or always, as is common if it calls no other function.
 * Therefore the address to which such a function would return, the link, is
 * stored too (linked), in addition to depth callers. The function's unwind
 * table says whether it has a frame.
 */
void chain_walk_nmi(struct chain *chain, unsigned int depth, struct pt_regs *regs);

#endif
