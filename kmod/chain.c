// SPDX-License-Identifier: GPL-2.0-only
/* Call chains: the kernel's by its own unwinder, a program's by frame pointers. */
#include "kmod/chain.h"

#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include "kmod/compat.h"

/* What both architectures' calling conventions put where the frame pointer points to. */
struct user_frame {
	unsigned long next;
	unsigned long return_address;
};

static unsigned int room_left(const struct chain *chain, unsigned int depth)
{
	return depth + chain->linked - chain->nr_kernel - chain->nr_user;
}

/*
 * The unwinder begins in this function: the handler's frames come first, then
 * the pc where it interrupted, then its callers.
 */
static void walk_kernel(struct chain *chain, unsigned int depth, unsigned long pc)
{
	unsigned int wanted = ARRAY_SIZE(chain->addresses);
	unsigned int nr_all, at, nr;

	/* One more than depth shows that there are more. */
	wanted = min(wanted, depth + (wanted - OPROF_KMOD_FRAMES_MAX));
	nr_all = stack_trace_save(chain->addresses, wanted, 0);
	for (at = 0; at < nr_all && chain->addresses[at] != pc; at++)
		;
	if (at == nr_all) {
		chain->broken = true;
		return;
	}
	nr = nr_all - at - 1;
	if (nr > depth) {
		nr = depth;
		chain->truncated = true;
	} else if (nr_all == wanted) {
		chain->truncated = true; /* the handler's frames took the room */
	}
	memmove(chain->addresses, chain->addresses + at + 1, nr * sizeof(chain->addresses[0]));
	chain->nr_kernel = (u16)nr;
}

static void add_user(struct chain *chain, unsigned int depth, unsigned long address)
{
	if (!room_left(chain, depth)) {
		chain->truncated = true;
		return;
	}
	chain->addresses[chain->nr_kernel + chain->nr_user++] =
		compat_strip_return_address(address);
}

/* What is no address of a program's is no link. */
static void add_link(struct chain *chain, struct pt_regs *user)
{
	unsigned long link = compat_strip_return_address(compat_link(user));

	if (link < PAGE_SIZE || !access_ok((const void __user *)link, 1))
		return;
	chain->linked = true;
	chain->addresses[chain->nr_kernel + chain->nr_user++] = link;
}

/*
 * Aligned, and further up the stack each time; and each step takes room of the
 * chain: a program whose frames return to nowhere can't have us walk through
 * all of its memory. Address 0 is where the outermost frame returns to.
 */
static void walk_user_frames(struct chain *chain, unsigned int depth, unsigned long at)
{
	struct user_frame frame;

	while (at && !chain->truncated) {
		if (at % sizeof(long) || !compat_read_user_nmi(&frame, at, sizeof(frame)) ||
		    (frame.next && frame.next <= at)) {
			chain->broken = true;
			return;
		}
		if (!frame.return_address)
			return;
		add_user(chain, depth, frame.return_address);
		at = frame.next;
	}
}

/*
 * The program's registers, if the task has a program and entered the kernel
 * from it. An NMI that came while they were being saved finds some of the
 * entry before: addresses that lead nowhere, at worst.
 */
static struct pt_regs *user_regs(struct pt_regs *regs)
{
	if (user_mode(regs))
		return regs;
	if (!data_race(current->mm) || data_race(current->flags) & COMPAT_PF_NO_PROGRAM)
		return NULL;
	regs = task_pt_regs(current);
	return user_mode(regs) ? regs : NULL;
}

void chain_walk_nmi(struct chain *chain, unsigned int depth, struct pt_regs *regs)
{
	struct pt_regs *user = user_regs(regs);

	chain->nr_kernel = chain->nr_user = 0;
	chain->truncated = chain->broken = chain->linked = false;
	depth = min(depth, OPROF_KMOD_CHAIN_MAX + 0u);
	if (!user_mode(regs))
		walk_kernel(chain, depth, instruction_pointer(regs));
	if (!user || chain->truncated || chain->broken)
		return;
	if (!compat_is_64bit_user(user)) {
		chain->broken = true;
		return;
	}
	if (user != regs)
		add_user(chain, depth, instruction_pointer(user));
	if (chain->truncated)
		return;
	add_link(chain, user);
	walk_user_frames(chain, depth, frame_pointer(user));
}
