// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How it works: each step goes from a frame to its caller. If a table has a row for pc, the row
 * gives the frame's address (CFA, canonical frame address), the return address and the saved
 * registers. The frame of a signal has all registers of the interrupted code. If there is no row,
 * the frame pointer is used to find the caller. A register is known, cut (it was saved beyond the
 * end of the stack's copy) or unknown.
 */
#include "unwind/stack_walk.h"

#include "unwind/code_format.h"

#include <stdbool.h>
#include <string.h>

#define X86_64_FP  6
#define AARCH64_FP 29
#define AARCH64_LR 30

/* Maximum size of a thread's stack. An address at a greater distance is not on the stack. */
#define STACK_BYTES_MAX ((uint64_t)1 << 30)
/*
 * Maximum distance of a frame pointer beyond the copy. If the distance is larger, the register is
 * no frame pointer.
 */
#define POINTER_BYTES_MAX ((uint64_t)1 << 20)
/* Mask of the bits of a user address. On AArch64, the higher bits are signatures and tags. */
#define AARCH64_ADDRESS ((uint64_t)0xffffffffffff)

/*
 * x86-64's struct rt_sigframe, without its first member pretcode. In the trampoline, the stack
 * pointer points to the second member, a ucontext. At offset 40, the ucontext has uc_mcontext, with
 * the registers in the order below (arch/x86/include/uapi/asm/sigcontext.h).
 */
#define X86_64_MCONTEXT	   40u
#define X86_64_MCONTEXT_SP (X86_64_MCONTEXT + 15 * 8u)
#define X86_64_MCONTEXT_PC (X86_64_MCONTEXT + 16 * 8u)
static const uint8_t x86_64_mcontext[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2};

/*
 * AArch64's struct rt_sigframe, to which the stack pointer points. The struct has a siginfo of 128
 * bytes, and then a ucontext. At offset 176, the ucontext has uc_mcontext, which has the word
 * fault_address, and then x0 to x30, sp and pc (arch/arm64/include/uapi/asm/sigcontext.h).
 */
#define AARCH64_MCONTEXT    (128 + 176 + 8u)
#define AARCH64_MCONTEXT_SP (AARCH64_MCONTEXT + 31 * 8u)
#define AARCH64_MCONTEXT_PC (AARCH64_MCONTEXT + 32 * 8u)

struct stack_walk {
	const struct stack_walk_input *input;
	uint64_t pc; /* the address to look up */
	const struct code_table *table;
	uint64_t key; /* key of pc in `table` */
	uint64_t sp;
	bool sp_is_known;   /* false: the value of sp is a lower bound */
	bool sp_is_outside; /* sp is outside the copy: a signal interrupted code on another stack */
	uint64_t registers[STACK_WALK_NR_REGISTERS];
	uint32_t known;
	uint32_t cut; /* bit n: register n is unknown: it was saved beyond the end of the copy */
};

enum step { STEP_ON, STEP_WHOLE, STEP_TRUNCATED, STEP_BROKEN };

static uint32_t bit(unsigned int number)
{
	return (uint32_t)1 << number;
}

static unsigned int fp_of(const struct stack_walk *walk)
{
	return walk->input->machine == CODE_X86_64 ? X86_64_FP : AARCH64_FP;
}

/*
 * Returns a mask of the registers that functions preserve for their callers, without the stack
 * pointer.
 */
static uint32_t kept_by_calls(enum code_machine machine)
{
	return machine == CODE_X86_64 ? bit(3) | bit(6) | 0xf000u : 0x3ff80000u;
}

/*
 * Reads a word of the stack. Returns STEP_ON; STEP_TRUNCATED: the address is beyond the end of the
 * copy; STEP_BROKEN: the address is not on the stack.
 */
static inline enum step read_word(const struct stack_walk *walk, uint64_t address, uint64_t *value)
{
	const struct stack_walk_input *input = walk->input;
	const uint64_t offset = address - input->sp;

	if (offset < input->stack_bytes && input->stack_bytes - offset >= sizeof(*value)) {
		memcpy(value, input->stack + offset, sizeof(*value));
		return STEP_ON;
	}
	return offset < STACK_BYTES_MAX || walk->sp_is_outside ? STEP_TRUNCATED : STEP_BROKEN;
}

/*
 * Returns why a register is unknown: STEP_TRUNCATED if it is cut, STEP_BROKEN if it was never
 * known.
 */
static enum step lacking(const struct stack_walk *walk, unsigned int number)
{
	return walk->cut & bit(number) ? STEP_TRUNCATED : STEP_BROKEN;
}

static enum step read_register(const struct stack_walk *walk, unsigned int number, uint64_t *value)
{
	if (number >= STACK_WALK_NR_REGISTERS || !(walk->known & bit(number)))
		return number < STACK_WALK_NR_REGISTERS ? lacking(walk, number) : STEP_BROKEN;
	*value = walk->registers[number];
	return STEP_ON;
}

/* ---- by a row ---- */

/*
 * Finds the CFA if the stack pointer is unknown, which happens on AArch64 after a step by frame
 * pointer. The frame pointer points to the saved x29 and x30 at the low end of the frame. If the
 * function saved this pair, the row has the pair's distance from the CFA.
 */
static enum step address_by_pair(const struct stack_walk *walk, const uint16_t *saved,
				 uint64_t *cfa)
{
	const uint16_t at_cfa = saved[0];
	const unsigned int index = at_cfa & bit(CODE_SLOT_RETURN) ? 3 : 2;
	enum step step;

	if (!(at_cfa & bit(CODE_SLOT_FP)))
		return STEP_BROKEN;
	step = read_register(walk, fp_of(walk), cfa);
	if (step == STEP_ON)
		*cfa -= (uint64_t)((int64_t)(int16_t)saved[index] * 8);
	return step;
}

static enum step address_by_deref(const struct stack_walk *walk, uint64_t row, uint64_t *cfa)
{
	const unsigned int number = code_format_register(row);
	const bool is_indexed = code_format_cfa(row) == CODE_CFA_INDEX;
	uint64_t base = walk->sp, index = 0;
	enum step step = walk->sp_is_known ? STEP_ON : STEP_BROKEN;

	if (is_indexed && step == STEP_ON)
		step = read_register(walk, number, &index);
	else if (!is_indexed && number != (walk->input->machine == CODE_X86_64 ? 7u : 31u))
		step = read_register(walk, number, &base);
	base += 8 * index;
	if (step == STEP_ON)
		step = read_word(walk, base + (uint64_t)(int64_t)code_format_offset(row), cfa);
	*cfa += (uint64_t)(int64_t)code_format_add(row);
	return step;
}

static enum step address_of_frame(const struct stack_walk *walk, uint64_t row,
				  const uint16_t *saved, uint64_t *cfa)
{
	const uint64_t offset = (uint64_t)(int64_t)code_format_offset(row);
	enum step step = STEP_ON;
	uint64_t base = walk->sp;

	switch (code_format_cfa(row)) {
	case CODE_CFA_PLT:
		if ((walk->pc & 15) >= code_format_register(row))
			base += 8;
		break;
	case CODE_CFA_SP:
		if (!walk->sp_is_known)
			return address_by_pair(walk, saved, cfa);
		break;
	case CODE_CFA_FP:
		step = read_register(walk, fp_of(walk), &base);
		break;
	case CODE_CFA_OTHER:
		step = read_register(walk, code_format_register(row), &base);
		break;
	case CODE_CFA_DEREF:
	case CODE_CFA_INDEX:
		return address_by_deref(walk, row, cfa);
	default:
		return STEP_BROKEN;
	}
	*cfa = base + offset;
	return step;
}

/*
 * Reads a register whose rule is neither CFA nor SAME. `pointer` is the frame pointer of this
 * frame; it is valid only if step_to_pointer is STEP_ON.
 */
static enum step read_other(const struct stack_walk *walk, uint16_t word, enum step step_to_pointer,
			    uint64_t pointer, uint64_t *value)
{
	const int32_t operand = code_format_value(word);

	switch (code_format_rule(word)) {
	case CODE_RULE_FP:
		if (step_to_pointer != STEP_ON)
			return step_to_pointer;
		return read_word(walk, pointer + (uint64_t)((int64_t)operand * 8), value);
	case CODE_RULE_REGISTER:
		return read_register(walk, (unsigned int)operand, value);
	default:
		return STEP_BROKEN;
	}
}

static void set_register(struct stack_walk *walk, unsigned int number, enum step step,
			 uint64_t value)
{
	walk->registers[number] = value;
	walk->known &= ~bit(number);
	walk->cut &= ~bit(number);
	if (step == STEP_ON)
		walk->known |= bit(number);
	else if (step == STEP_TRUNCATED)
		walk->cut |= bit(number);
}

/* Restores the registers whose rules are neither CFA nor SAME, except the return address. */
static void restore_others(struct stack_walk *walk, const uint16_t *saved, const uint8_t *slots)
{
	const uint16_t *word = saved + 2 + __builtin_popcount(saved[0]);
	uint64_t pointer = 0, value = 0;
	const enum step step_to_pointer = read_register(walk, fp_of(walk), &pointer);
	enum step step;

	for (uint32_t others = saved[1]; others; others &= others - 1, word++) {
		const unsigned int slot = (unsigned int)__builtin_ctz(others);

		if (slot == CODE_SLOT_RETURN)
			continue;
		step = read_other(walk, *word, step_to_pointer, pointer, &value);
		set_register(walk, slots[slot], step, value);
	}
}

/*
 * Restores the registers of all slots except the return address. A register without a rule stays
 * known if calls preserve it.
 */
static void restore_registers(struct stack_walk *walk, const uint16_t *saved, uint64_t cfa)
{
	size_t nr_slots;
	const uint8_t *slots = code_machine_slots(walk->input->machine, &nr_slots);
	const uint32_t kept = kept_by_calls(walk->input->machine);
	const uint16_t *word = saved + 2;
	uint64_t value = 0;
	enum step step;

	if (saved[1])
		restore_others(walk, saved, slots);
	walk->known &= kept;
	walk->cut &= kept;
	for (uint32_t at_cfa = saved[0]; at_cfa; at_cfa &= at_cfa - 1, word++) {
		const unsigned int slot = (unsigned int)__builtin_ctz(at_cfa);
		const uint64_t at = cfa + (uint64_t)((int64_t)(int16_t)*word * 8);

		/*
		 * After an instruction has popped a register, tables still give the address where
		 * the register was saved. This address is then below the stack pointer, and the
		 * register already has the restored value.
		 */
		if (slot == CODE_SLOT_RETURN || at < walk->sp)
			continue;
		step = read_word(walk, at, &value);
		set_register(walk, slots[slot], step, value);
	}
}

static enum step read_return(const struct stack_walk *walk, const uint16_t *saved, uint64_t cfa,
			     uint64_t *value)
{
	if (saved[0] & bit(CODE_SLOT_RETURN))
		return read_word(walk, cfa + (uint64_t)((int64_t)(int16_t)saved[2] * 8), value);
	if (saved[1] & bit(CODE_SLOT_RETURN)) {
		uint64_t pointer = 0;
		const enum step step = read_register(walk, fp_of(walk), &pointer);

		return read_other(walk, saved[2 + __builtin_popcount(saved[0])], step, pointer,
				  value);
	}
	return walk->input->machine == CODE_AARCH64 ? read_register(walk, AARCH64_LR, value)
						    : STEP_BROKEN;
}

static bool is_outermost(const uint16_t *saved)
{
	return (saved[1] & bit(CODE_SLOT_RETURN)) &&
	       code_format_rule(saved[2 + __builtin_popcount(saved[0])]) == CODE_RULE_UNDEFINED;
}

/* Continues the walk at pc. Returns STEP_BROKEN if no code is mapped at pc. */
static enum step enter(struct stack_walk *walk, uint64_t pc)
{
	const struct stack_walk_input *input = walk->input;

	walk->pc = input->machine == CODE_AARCH64 ? pc & AARCH64_ADDRESS : pc;
	walk->key = 0;
	walk->table = input->find(input->context, walk->pc, &walk->key);
	return !walk->table && walk->key == STACK_WALK_NO_CODE ? STEP_BROKEN : STEP_ON;
}

/* Continues the walk in the caller. `value` is the return address, or 0 in the outermost frame. */
static enum step enter_caller(struct stack_walk *walk, uint64_t value)
{
	if (walk->input->machine == CODE_AARCH64)
		value &= AARCH64_ADDRESS;
	return value ? enter(walk, value - 1) : STEP_WHOLE;
}

static enum step step_by_row(struct stack_walk *walk, uint64_t row, const uint16_t *saved)
{
	uint64_t cfa = 0, value = 0;
	enum step step;

	if (is_outermost(saved))
		return STEP_WHOLE;
	step = address_of_frame(walk, row, saved, &cfa);
	if (step != STEP_ON)
		return step;
	/*
	 * Each frame must be at a higher address than the frame that it called, so that walks end.
	 * The only exception is an AArch64 function that calls no other function: it may have no
	 * frame, and its return address is then in x30.
	 */
	if (cfa & 7 || cfa - walk->sp >= STACK_BYTES_MAX ||
	    (cfa == walk->sp && (walk->input->machine == CODE_X86_64 ||
				 (saved[0] | saved[1]) & bit(CODE_SLOT_RETURN))))
		return STEP_BROKEN;
	step = read_return(walk, saved, cfa, &value);
	if (step != STEP_ON)
		return step;
	restore_registers(walk, saved, cfa);
	walk->sp = cfa;
	walk->sp_is_known = true;
	return enter_caller(walk, value);
}

/* ---- signals ---- */

static void read_mcontext(const struct stack_walk *walk, struct stack_walk *next)
{
	const bool is_x86_64 = walk->input->machine == CODE_X86_64;
	const unsigned int nr = is_x86_64 ? sizeof(x86_64_mcontext) : 31;
	const uint64_t base = walk->sp + (is_x86_64 ? X86_64_MCONTEXT : AARCH64_MCONTEXT);

	for (unsigned int i = 0; i < nr; i++) {
		uint64_t value = 0;
		enum step step = read_word(walk, base + (uint64_t)8 * i, &value);

		set_register(next, is_x86_64 ? x86_64_mcontext[i] : i, step, value);
	}
}

static bool is_outside(const struct stack_walk_input *input, uint64_t sp)
{
	return sp - input->sp >= input->stack_bytes;
}

/* Continues the walk in the code that the signal interrupted, possibly on another stack. */
static enum step step_by_signal(struct stack_walk *walk)
{
	const bool is_x86_64 = walk->input->machine == CODE_X86_64;
	const uint64_t sp_at = walk->sp + (is_x86_64 ? X86_64_MCONTEXT_SP : AARCH64_MCONTEXT_SP);
	const uint64_t pc_at = walk->sp + (is_x86_64 ? X86_64_MCONTEXT_PC : AARCH64_MCONTEXT_PC);
	struct stack_walk next = *walk;
	enum step step;

	if (!walk->sp_is_known)
		return STEP_BROKEN;
	step = read_word(walk, sp_at, &next.sp);
	if (step == STEP_ON)
		step = read_word(walk, pc_at, &next.pc);
	if (step != STEP_ON)
		return step;
	read_mcontext(walk, &next);
	next.sp_is_outside = is_outside(walk->input, next.sp);
	/* On the same stack, the interrupted frame must be at a higher address. */
	if (!next.sp_is_outside && next.sp <= walk->sp)
		return STEP_BROKEN;
	*walk = next;
	return enter(walk, next.pc);
}

/* ---- by frame pointer ---- */

static enum step step_by_pointer(struct stack_walk *walk)
{
	const unsigned int number = fp_of(walk);
	uint64_t pointer = 0, caller = 0, value = 0;
	enum step step = read_register(walk, number, &pointer);

	if (step != STEP_ON)
		return step;
	if (!pointer)
		return STEP_WHOLE;
	if (pointer & 7 || pointer < walk->sp)
		return STEP_BROKEN;
	step = read_word(walk, pointer, &caller);
	if (step == STEP_ON)
		step = read_word(walk, pointer + 8, &value);
	if (step == STEP_TRUNCATED && !walk->sp_is_outside &&
	    pointer - walk->input->sp > walk->input->stack_bytes + POINTER_BYTES_MAX)
		return STEP_BROKEN;
	if (step != STEP_ON)
		return step;
	/* It is unknown which other registers the function changed. */
	walk->known = 0;
	walk->cut = 0;
	set_register(walk, number, STEP_ON, caller);
	walk->sp = pointer + 16;
	walk->sp_is_known = walk->input->machine == CODE_X86_64;
	return enter_caller(walk, value);
}

/* ---- the walk ---- */

static enum step step_out(struct stack_walk *walk, struct stack_walk_result *result)
{
	const struct code_table *table = walk->table;
	struct code_format_place place;
	uint64_t row;
	enum step step;

	if (table && code_format_find(table, walk->key, &place)) {
		row = table->rows[place.row];
		if (code_format_cfa(row) == CODE_CFA_SIGNAL)
			return step_by_signal(walk);
		return step_by_row(walk, row, table->saved + code_format_saved(row));
	}
	step = step_by_pointer(walk);
	result->nr_by_pointer += step == STEP_ON;
	return step;
}

static enum stack_walk_end end_of(enum step step)
{
	switch (step) {
	case STEP_WHOLE:
		return STACK_WALK_WHOLE;
	case STEP_BROKEN:
		return STACK_WALK_BROKEN;
	default:
		return STACK_WALK_TRUNCATED;
	}
}

void stack_walk(const struct stack_walk_input *input, uint64_t *addresses, size_t room,
		struct stack_walk_result *result)
{
	struct stack_walk walk = {
		.input = input, .sp = input->sp, .sp_is_known = true, .known = input->known};
	enum step step;

	memcpy(walk.registers, input->registers, sizeof(walk.registers));
	*result = (struct stack_walk_result){.nr_addresses = 0};
	step = enter(&walk, input->pc);
	while (step == STEP_ON) {
		step = step_out(&walk, result);
		if (step != STEP_ON || result->nr_addresses == room)
			break;
		addresses[result->nr_addresses++] = walk.pc;
	}
	result->end = end_of(step);
}
