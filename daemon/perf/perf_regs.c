// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_regs.h"

#include <linux/perf_event.h>
#include <string.h>

/*
 * Bits are numbered as in the kernel's arch/x86/include/uapi/asm/perf_regs.h: 0 to 8 are AX BX CX
 * DX SI DI BP SP IP, and 16 to 23 are R8 to R15. DWARF numbers are those of the psABI.
 */
#define X86_64_MASK UINT64_C(0xff01ff)
static const int8_t x86_64_numbers[] = {
	0, 3, 2, 1, 4, 5, 6, 7, -1, 8, 9, 10, 11, 12, 13, 14, 15,
};

/* X0 to X29, LR and SP have the numbers 0 to 31, both as bits and in DWARF; PC is bit 32. */
#define AARCH64_MASK UINT64_C(0x1ffffffff)
static const int8_t aarch64_numbers[] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, -1,
};

const struct perf_regs perf_regs_x86_64 = {
	.machine = CODE_X86_64,
	.mask = X86_64_MASK,
	.pc = 8,
	.sp = 7,
	.numbers = x86_64_numbers,
};

const struct perf_regs perf_regs_aarch64 = {
	.machine = CODE_AARCH64,
	.mask = AARCH64_MASK,
	.pc = 32,
	.sp = 31,
	.numbers = aarch64_numbers,
};

const struct perf_regs *perf_regs_here(void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	return &perf_regs_x86_64;
#elif defined(__aarch64__) && !defined(__ILP32__)
	return &perf_regs_aarch64;
#else
	return NULL;
#endif
}

/*
 * Returns whether a register was saved. If an NMI interrupts the kernel, only a few of the user's
 * registers may have been saved. Older kernels report the other registers with all bits set, which
 * is not a valid address and hardly ever a real value.
 */
static bool is_saved(const struct perf_item *item, uint64_t value)
{
	return value != UINT64_MAX ||
	       (item->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

bool perf_regs_take(const struct perf_regs *regs, const struct perf_item *item,
		    struct stack_walk_input *input)
{
	const uint64_t *value = item->u.sample.regs;
	const int8_t *number = regs->numbers;

	memset(input, 0, sizeof(*input));
	if (item->u.sample.regs_abi != PERF_SAMPLE_REGS_ABI_64 ||
	    item->u.sample.nr_regs != (unsigned int)__builtin_popcountll(regs->mask))
		return false;
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(regs->mask >> bit & 1))
			continue;
		if (bit == regs->pc)
			input->pc = *value;
		if (bit == regs->sp)
			input->sp = *value;
		if (*number >= 0 && is_saved(item, *value)) {
			input->registers[*number] = *value;
			input->known |= UINT32_C(1) << *number;
		}
		value++;
		number++;
	}
	input->machine = regs->machine;
	input->stack = item->u.sample.stack;
	input->stack_bytes = item->u.sample.stack_bytes;
	return true;
}
