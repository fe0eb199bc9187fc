// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call chains. The kernel's unwinder finds callers in the kernel; frame
 * pointers find callers in a program.
 */
#include "kmod/chain.h"

#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include "kmod/compat.h"

/* The two words to which the frame pointer points, on both supported architectures. */
struct user_frame {
	unsigned long next;
	unsigned long return_address;
};

static unsigned int room_left(const struct chain *chain, unsigned int depth)
{
	return depth + chain->linked - chain->nr_kernel - chain->nr_user;
}

/*
 * The unwinder begins in this function. It stores the frames of the
 * interrupt's handler first, then the interrupted pc, then the pc's callers.
 */
static void walk_kernel(struct chain *chain, unsigned int depth, unsigned long pc)
{
	unsigned int wanted = ARRAY_SIZE(chain->addresses);
	unsigned int nr_all, at, nr;

	/*
	 * Also request the handler's frames, and one frame more than depth: if
	 * this extra frame exists, there are more callers than depth.
	 */
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
		chain->truncated = true; /* the array has no room for more callers */
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

/* Adds the link if its value can be an address in a program. */
static void add_link(struct chain *chain, struct pt_regs *user)
{
	unsigned long link = compat_strip_return_address(compat_link(user));

	if (link < PAGE_SIZE || !access_ok((const void __user *)link, 1))
		return;
	chain->linked = true;
	chain->addresses[chain->nr_kernel + chain->nr_user++] = link;
}

/*
 * Each frame must be aligned and above the preceding one, and each step fills
 * one entry of the chain. Therefore the walk ends even if the program's frames
 * form an endless chain. The outermost frame returns to address 0.
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
 * Returns the program's registers. Returns NULL if the task has no program, or
 * did not enter the kernel from its program. An NMI during the entry to the
 * kernel may read the registers of an earlier entry. The chain then has wrong
 * addresses, but nothing else fails.
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
