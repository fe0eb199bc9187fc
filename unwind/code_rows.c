// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How it works: the instructions of the CIE compute the first row, and then the instructions of
 * the function change this row. An instruction that advances the location first adds the current
 * row to the builder.
 *
 * Sources: DWARF 5, sections 6.4.2 (instructions) and 2.5 (expressions); Linux Standard Base (GNU
 * instructions); "DWARF for the Arm 64-bit Architecture" (AArch64 instructions). Expressions are
 * not evaluated, but compared with known forms, because compilers and C libraries use only a few
 * forms: for realigned stacks, procedure linkage tables and signal frames.
 */
#include "unwind/code_rows.h"

#include <errno.h>
#include <string.h>

#define REMEMBERED_MAX 32

/* The first three instructions have an operand in their low six bits; the others do not. */
enum {
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_HIGH_MASK = 0xc0,

	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	CFA_AARCH64_NEGATE_RA_STATE = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

enum {
	OP_DEREF = 0x06,
	OP_PLUS_UCONST = 0x23,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
};

#define X86_SP	   7
#define AARCH64_SP 31

struct cfa_run {
	struct code_builder *builder;
	const struct code_frames *frames;
	const struct code_frames_function *function;
	const struct code_frames_common *common;
	bool emits;	 /* true: executing the function's instructions; false: the CIE's */
	uint64_t offset; /* current location, from the function's start */
	struct code_row row;
	struct code_row initial; /* the row after the CIE's instructions */
	struct code_row remembered[REMEMBERED_MAX];
	size_t nr_remembered;
};

static uint64_t stack_register(const struct cfa_run *run)
{
	return run->builder->machine == CODE_X86_64 ? X86_SP : AARCH64_SP;
}

static uint64_t frame_register(const struct cfa_run *run)
{
	size_t nr_slots;

	return code_machine_slots(run->builder->machine, &nr_slots)[CODE_SLOT_FP];
}

/* ---- the frame's address ---- */

static void set_cfa_hard(struct cfa_run *run)
{
	run->row.cfa = CODE_CFA_HARD;
}

static void set_cfa_offset(struct cfa_run *run, int64_t offset)
{
	if (offset < INT32_MIN || offset > INT32_MAX)
		set_cfa_hard(run);
	else
		run->row.cfa_offset = (int32_t)offset;
}

/*
 * Changes the offset of the CFA. Does not change the row if an expression gives the CFA, because
 * the CFA then has no offset.
 */
static void change_cfa_offset(struct cfa_run *run, int64_t offset)
{
	if (run->row.cfa == CODE_CFA_SP || run->row.cfa == CODE_CFA_FP ||
	    run->row.cfa == CODE_CFA_OTHER)
		set_cfa_offset(run, offset);
}

static void set_cfa_register(struct cfa_run *run, uint64_t number)
{
	run->row.cfa_add = 0;
	run->row.cfa_register = 0;
	if (number == stack_register(run)) {
		run->row.cfa = CODE_CFA_SP;
	} else if (number == frame_register(run)) {
		run->row.cfa = CODE_CFA_FP;
	} else if (number < 32) {
		run->row.cfa = CODE_CFA_OTHER;
		run->row.cfa_register = (uint8_t)number;
	} else {
		set_cfa_hard(run);
	}
}

/*
 * Returns whether an expression is the one that linkers write as the CFA of PLT entries: breg7 8;
 * breg16 0; lit15; and; lit11; ge; lit3; shl; plus. An entry pushes its number, so the CFA changes
 * within the entry. The operand lit11 is the offset at which the push ends, and differs between
 * kinds of PLT.
 */
static bool is_plt(const struct cfa_run *run, const uint8_t *at, size_t nr_bytes)
{
	static const uint8_t form[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22};

	for (size_t i = 0; nr_bytes == sizeof(form) && i < sizeof(form); i++)
		if (form[i] && at[i] != form[i])
			return false;
	return run->builder->machine == CODE_X86_64 && nr_bytes == sizeof(form) && at[3] == 0 &&
	       at[6] >= 0x30 && at[6] <= 0x3f;
}

/*
 * Parses the part of a CFA expression that adds the index of an array's element: breg N; lit8;
 * mul; plus.
 */
static bool read_index(struct cfa_run *run, struct cursor *cursor, uint8_t base)
{
	static const uint8_t form[] = {0x38, 0x1e, 0x22};
	const uint8_t op = cursor_u8(cursor);
	const int64_t offset = cursor_sleb(cursor);
	const uint8_t *at = cursor_take(cursor, sizeof(form));

	if (!at || memcmp(at, form, sizeof(form)) != 0 || op < OP_BREG0 || op > OP_BREG31 ||
	    offset != 0 || base != stack_register(run))
		return false;
	run->row.cfa = CODE_CFA_INDEX;
	run->row.cfa_register = op - OP_BREG0;
	return true;
}

/*
 * Parses a CFA expression of the form "breg N" or "breg N; [index;] deref; [plus_uconst N]", where
 * the parts in brackets are optional.
 */
static bool read_cfa_form(struct cfa_run *run, struct cursor *cursor)
{
	const uint8_t op = cursor_u8(cursor);
	const int64_t offset = cursor_sleb(cursor);
	uint64_t add = 0;

	if (op < OP_BREG0 || op > OP_BREG31)
		return false;
	set_cfa_register(run, op - OP_BREG0);
	set_cfa_offset(run, offset);
	if (!cursor_left(cursor))
		return true;
	run->row.cfa = CODE_CFA_DEREF;
	run->row.cfa_register = op - OP_BREG0;
	if (*cursor->at >= OP_BREG0 && !read_index(run, cursor, op - OP_BREG0))
		return false;
	if (cursor_u8(cursor) != OP_DEREF)
		return false;
	if (cursor_left(cursor)) {
		if (cursor_u8(cursor) != OP_PLUS_UCONST)
			return false;
		add = cursor_uleb(cursor);
	}
	if (add > INT16_MAX || offset < INT16_MIN || offset > INT16_MAX)
		return false;
	run->row.cfa_add = (int32_t)add;
	return true;
}

static void set_cfa_expression(struct cfa_run *run, const uint8_t *at, size_t nr_bytes)
{
	struct cursor cursor = {.at = at, .end = at + nr_bytes};

	if (is_plt(run, at, nr_bytes)) {
		run->row.cfa = CODE_CFA_PLT;
		run->row.cfa_offset = 8;
		run->row.cfa_register = at[6] - 0x30;
	} else if (!read_cfa_form(run, &cursor) || cursor.failed || cursor_left(&cursor)) {
		set_cfa_hard(run);
	}
}

/* ---- registers ---- */

/* Returns the place of a register in `row`, or NULL if the register is not tracked. */
static struct code_place *place_of(const struct cfa_run *run, struct code_row *row, uint64_t number)
{
	size_t nr_slots;
	const uint8_t *slots = code_machine_slots(run->builder->machine, &nr_slots);

	for (size_t i = 0; i < nr_slots; i++)
		if (slots[i] == number)
			return &row->places[i];
	return NULL;
}

static void set_place(struct cfa_run *run, uint64_t number, enum code_rule rule, int64_t value)
{
	struct code_place *place = place_of(run, &run->row, number);

	if (!place)
		return;
	if (value < INT32_MIN || value > INT32_MAX)
		rule = CODE_RULE_HARD;
	place->rule = (uint8_t)rule;
	place->value = rule == CODE_RULE_HARD ? 0 : (int32_t)value;
}

/*
 * Returns factor x align, or INT64_MAX on overflow. Callers refuse INT64_MAX, since it exceeds any
 * frame.
 */
static int64_t scaled(int64_t factor, int64_t align)
{
	int64_t product;

	if (__builtin_mul_overflow(factor, align, &product) || product == INT64_MIN)
		return INT64_MAX;
	return product;
}

static int64_t scaled_unsigned(uint64_t factor, int64_t align)
{
	return factor > INT64_MAX ? INT64_MAX : scaled((int64_t)factor, align);
}

static void restore_place(struct cfa_run *run, uint64_t number)
{
	struct code_place *place = place_of(run, &run->row, number);
	const struct code_place *initial = place_of(run, &run->initial, number);

	if (place && initial)
		*place = *initial;
}

/*
 * Handles a register whose address is given by an expression. Only the form breg FP is supported,
 * which compilers use if the register was saved before the stack was realigned.
 */
static void set_expression(struct cfa_run *run, uint64_t number, const uint8_t *at, size_t nr_bytes)
{
	struct cursor cursor = {.at = at, .end = at + nr_bytes};
	const uint8_t op = cursor_u8(&cursor);
	const int64_t offset = cursor_sleb(&cursor);

	if (op == OP_BREG0 + frame_register(run) && !cursor.failed && !cursor_left(&cursor))
		set_place(run, number, CODE_RULE_FP, offset);
	else
		set_place(run, number, CODE_RULE_HARD, 0);
}

/* ---- rows ---- */

/*
 * Returns whether the row belongs to a signal frame. When a signal is delivered, the kernel saves
 * the registers on the stack and calls the handler with the address of the C library's trampoline
 * as return address. The trampoline's CIE states that its frame is a signal frame. On x86-64, the
 * CFA must also be the saved stack pointer, which is at offset 160 from the stack pointer (struct
 * rt_sigframe, see stack_walk.c).
 */
static bool is_signal(const struct cfa_run *run)
{
	const struct code_row *row = &run->row;

	if (!run->common->signal)
		return false;
	return run->builder->machine == CODE_AARCH64 ||
	       (row->cfa == CODE_CFA_DEREF && row->cfa_register == X86_SP &&
		row->cfa_offset == 160 && row->cfa_add == 0);
}

/*
 * Returns the row in the form that tables store. Unused members are 0, so that equal rows compare
 * equal.
 */
static struct code_row finished(const struct cfa_run *run)
{
	struct code_row row = run->row;
	const struct code_row nothing = {.cfa = CODE_CFA_HARD};
	const uint8_t return_rule = row.places[CODE_SLOT_RETURN].rule;

	if (is_signal(run))
		return (struct code_row){.cfa = CODE_CFA_SIGNAL};
	/* The outermost frame has no caller, so its row has no CFA. */
	if (return_rule == CODE_RULE_UNDEFINED)
		return (struct code_row){.places[CODE_SLOT_RETURN] = {CODE_RULE_UNDEFINED, 0}};
	if (row.cfa == CODE_CFA_HARD || return_rule == CODE_RULE_HARD)
		return nothing;
	if (run->builder->machine == CODE_X86_64 && return_rule == CODE_RULE_SAME)
		return nothing;
	return row;
}

static int emit(struct cfa_run *run)
{
	const struct code_frames_function *function = run->function;
	const struct code_row row = finished(run);

	if (!run->emits || run->offset >= function->end - function->start)
		return 0;
	return code_builder_add(run->builder, function->start + run->offset, &row,
				run->offset == 0);
}

/*
 * Adds the current row, and advances the location by `units`, at most to the end of the function.
 */
static int advance(struct cfa_run *run, uint64_t units)
{
	const uint64_t nr_bytes = run->function->end - run->function->start;
	uint64_t further;
	int error = emit(run);

	if (__builtin_mul_overflow(units, run->common->code_align, &further) ||
	    further > nr_bytes - run->offset)
		run->offset = nr_bytes;
	else
		run->offset += further;
	return error;
}

static int set_location(struct cfa_run *run, uint64_t address)
{
	const struct code_frames_function *function = run->function;
	const uint64_t nr_bytes = function->end - function->start;
	int error = emit(run);

	if (address - function->address >= run->offset)
		run->offset = address - function->address < nr_bytes ? address - function->address
								     : nr_bytes;
	return error;
}

/* ---- instructions ---- */

static bool is_aarch64(const struct cfa_run *run)
{
	return run->builder->machine == CODE_AARCH64;
}

static bool remember(struct cfa_run *run)
{
	if (run->nr_remembered == REMEMBERED_MAX)
		return false;
	run->remembered[run->nr_remembered++] = run->row;
	return true;
}

static bool recall(struct cfa_run *run)
{
	if (!run->nr_remembered)
		return false;
	run->row = run->remembered[--run->nr_remembered];
	return true;
}

static void set_expression_operand(struct cfa_run *run, struct cursor *cursor, uint8_t code)
{
	const uint64_t number = code == CFA_DEF_CFA_EXPRESSION ? 0 : cursor_uleb(cursor);
	const uint64_t nr_bytes = cursor_uleb(cursor);
	const uint8_t *at = cursor_take(cursor, nr_bytes);

	if (!at)
		return;
	if (code == CFA_DEF_CFA_EXPRESSION)
		set_cfa_expression(run, at, (size_t)nr_bytes);
	else if (code == CFA_EXPRESSION)
		set_expression(run, number, at, (size_t)nr_bytes);
	else
		set_place(run, number, CODE_RULE_HARD, 0);
}

/* Executes an instruction that changes the CFA. Returns false for any other instruction. */
static bool run_cfa(struct cfa_run *run, struct cursor *cursor, uint8_t code)
{
	const int64_t align = run->common->data_align;

	switch (code) {
	case CFA_DEF_CFA:
		set_cfa_register(run, cursor_uleb(cursor));
		set_cfa_offset(run, scaled_unsigned(cursor_uleb(cursor), 1));
		return true;
	case CFA_DEF_CFA_SF:
		set_cfa_register(run, cursor_uleb(cursor));
		set_cfa_offset(run, scaled(cursor_sleb(cursor), align));
		return true;
	case CFA_DEF_CFA_REGISTER:
		set_cfa_register(run, cursor_uleb(cursor));
		return true;
	case CFA_DEF_CFA_OFFSET:
		change_cfa_offset(run, scaled_unsigned(cursor_uleb(cursor), 1));
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		change_cfa_offset(run, scaled(cursor_sleb(cursor), align));
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		set_expression_operand(run, cursor, code);
		return true;
	default:
		return false;
	}
}

/*
 * Executes an instruction that changes the rule of one register. Returns false for any other
 * instruction.
 */
static bool run_register(struct cfa_run *run, struct cursor *cursor, uint8_t code)
{
	const uint64_t number = cursor_uleb(cursor);

	switch (code) {
	case CFA_OFFSET_EXTENDED:
		set_place(run, number, CODE_RULE_CFA,
			  scaled_unsigned(cursor_uleb(cursor), run->common->data_align));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		set_place(run, number, CODE_RULE_CFA,
			  scaled(cursor_sleb(cursor), run->common->data_align));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_place(run, number, CODE_RULE_CFA,
			  -scaled_unsigned(cursor_uleb(cursor), run->common->data_align));
		return true;
	case CFA_RESTORE_EXTENDED:
		restore_place(run, number);
		return true;
	case CFA_UNDEFINED:
		set_place(run, number, CODE_RULE_UNDEFINED, 0);
		return true;
	case CFA_SAME_VALUE:
		set_place(run, number, CODE_RULE_SAME, 0);
		return true;
	case CFA_REGISTER:
		set_place(run, number, CODE_RULE_REGISTER, scaled_unsigned(cursor_uleb(cursor), 1));
		return true;
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
		(void)cursor_uleb(cursor);
		set_place(run, number, CODE_RULE_HARD, 0);
		return true;
	default:
		return false;
	}
}

/*
 * Executes instructions that advance the location, remember or recall a row, or give a register an
 * expression. Returns false if the instruction is not one of these, or if remember() or recall()
 * fails.
 */
static bool run_other(struct cfa_run *run, struct cursor *cursor, uint8_t code, int *error)
{
	switch (code) {
	case CFA_NOP:
		return true;
	case CFA_SET_LOC:
		*error = set_location(
			run, code_frames_pointer(cursor, run->common->encoding,
						 &run->frames->sections[run->common->section]));
		return true;
	case CFA_ADVANCE_LOC1:
		*error = advance(run, cursor_u8(cursor));
		return true;
	case CFA_ADVANCE_LOC2:
		*error = advance(run, cursor_u16(cursor));
		return true;
	case CFA_ADVANCE_LOC4:
		*error = advance(run, cursor_u32(cursor));
		return true;
	case CFA_REMEMBER_STATE:
		return remember(run);
	case CFA_RESTORE_STATE:
		return recall(run);
	case CFA_EXPRESSION:
	case CFA_VAL_EXPRESSION:
		set_expression_operand(run, cursor, code);
		return true;
	case CFA_GNU_ARGS_SIZE:
		(void)cursor_uleb(cursor);
		return true;
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
	case CFA_AARCH64_NEGATE_RA_STATE:
		/* The row does not change, because stack_walk() always removes signatures. */
		return is_aarch64(run);
	default:
		return false;
	}
}

/* Executes one instruction. Returns false if the instruction is damaged or not supported. */
static bool run_one(struct cfa_run *run, struct cursor *cursor, int *error)
{
	const uint8_t code = cursor_u8(cursor);
	const uint8_t operand = code & (uint8_t)~CFA_HIGH_MASK;

	switch (code & CFA_HIGH_MASK) {
	case CFA_ADVANCE_LOC:
		*error = advance(run, operand);
		break;
	case CFA_OFFSET:
		set_place(run, operand, CODE_RULE_CFA,
			  scaled_unsigned(cursor_uleb(cursor), run->common->data_align));
		break;
	case CFA_RESTORE:
		restore_place(run, operand);
		break;
	default:
		if (!run_other(run, cursor, code, error) && !run_cfa(run, cursor, code)) {
			if (code == CFA_REMEMBER_STATE || code == CFA_RESTORE_STATE)
				return false;
			return run_register(run, cursor, code) && !cursor->failed;
		}
	}
	return !cursor->failed;
}

static int run_all(struct cfa_run *run, const uint8_t *begin, const uint8_t *end)
{
	struct cursor cursor = {.at = begin, .end = end};
	int error = 0;

	while (!error && cursor_left(&cursor)) {
		if (run_one(run, &cursor, &error))
			continue;
		set_cfa_hard(run);
		break;
	}
	return error;
}

int code_rows_add(struct code_builder *builder, const struct code_frames *frames,
		  const struct code_frames_function *function)
{
	struct cfa_run run = {.builder = builder,
			      .frames = frames,
			      .function = function,
			      .common = &frames->commons[function->common]};
	int error = run_all(&run, run.common->begin, run.common->end);

	run.emits = true;
	run.offset = 0;
	run.initial = run.row;
	run.nr_remembered = 0;
	if (!error)
		error = run_all(&run, function->instructions, function->instructions_end);
	return error ? error : emit(&run);
}
