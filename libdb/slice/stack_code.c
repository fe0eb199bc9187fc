// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/stack_code.h"

#include "libdb/slice/slice_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void stack_code_init(struct stack_code *code, uint32_t nr_roots, uint32_t nr_functions)
{
	code->nr_roots = nr_roots;
	code->nr_functions = nr_functions;
	code->begin = code->callees = NULL;
	code->shares = NULL;
	bit_model_init(&code->apart, 0);
	for (unsigned int i = 0; i < STACK_CODE_KINDS; i++)
		number_model_init(&code->numbers[i]);
	for (unsigned int i = 0; i < STACK_CODE_NR_AMOUNTS; i++)
		number_model_init(&code->amounts[i]);
}

void stack_code_deinit(struct stack_code *code)
{
	free(code->begin);
	free(code->callees);
	free(code->shares);
}

uint64_t stack_code_number(struct stack_code *code, enum stack_code_kind kind, uint64_t value)
{
	return bit_code_number(&code->coder, &code->numbers[kind], value);
}

/* ---- functions ---- */

/*
 * Codes a function, relative to the previous function `before`, which is NULL for the first
 * function.
 */
static int code_function(struct stack_code *code, struct stack_function *function,
			 const struct stack_function *before, uint32_t nr_images)
{
	const uint32_t from = before ? before->image : 0;
	const uint64_t image = stack_code_number(code, STACK_CODE_IMAGE, function->image - from);
	const bool same = before && !image;
	const uint64_t after = same ? before->offset : 0;
	const uint64_t offset =
		stack_code_number(code, STACK_CODE_OFFSET, function->offset - after);

	if (code->coder.error)
		return code->coder.error;
	if (image >= nr_images || from + image >= nr_images || after + offset < offset ||
	    (same && !offset))
		return -EILSEQ;
	function->image = from + (uint32_t)image;
	function->offset = after + offset;
	return 0;
}

int stack_code_functions(struct stack_code *code, struct stack_function *functions,
			 uint32_t nr_images)
{
	int error = 0;

	for (uint32_t i = 0; i < code->nr_functions && !error; i++)
		error = code_function(code, &functions[i], i ? &functions[i - 1] : NULL, nr_images);
	return error;
}

/* ---- which function calls which ---- */

/*
 * Returns the caller's number in the numbering of callees (stack_code.h), or 0 for a root. The
 * first callee is coded relative to this number, since a caller and its callees usually have
 * similar numbers.
 */
static uint32_t about(const struct stack_code *code, uint32_t caller)
{
	return caller < code->nr_roots ? 0 : caller - code->nr_roots;
}

/* Codes callees[i], one of the caller's callees. */
static int code_callee(struct stack_code *code, uint32_t caller, uint32_t *callees, uint32_t i)
{
	const uint64_t nr_numbers = OPROF_STACK_MARKS + (uint64_t)code->nr_functions;
	const uint32_t from = i ? callees[i - 1] + 1 : about(code, caller);
	uint64_t number;

	if (i)
		number = from + stack_code_number(code, STACK_CODE_NEXT_CALLEE, callees[i] - from);
	else
		number = from + (uint64_t)slice_unfold_sign(stack_code_number(
					code, STACK_CODE_CALLEE,
					slice_fold_sign((int64_t)callees[i] - (int64_t)from)));
	if (code->coder.error)
		return code->coder.error;
	if (number >= nr_numbers || (i && number < from))
		return -EILSEQ;
	callees[i] = (uint32_t)number;
	return 0;
}

static int code_callees_of(struct stack_code *code, uint32_t caller, uint32_t nr_callees_max)
{
	uint32_t *begin = &code->begin[caller];
	const uint64_t nr =
		stack_code_number(code, STACK_CODE_NR_CALLEES, (uint64_t)begin[1] - begin[0]);
	int error = code->coder.error;

	/* An OPROF_STACK_OTHER node cannot have callees. */
	if (!error && (nr > nr_callees_max - begin[0] ||
		       (nr && caller == code->nr_roots + OPROF_STACK_OTHER)))
		error = -EILSEQ;
	if (error)
		return error;
	begin[1] = begin[0] + (uint32_t)nr;
	for (uint32_t i = 0; i < nr && !error; i++)
		error = code_callee(code, caller, code->callees + begin[0], i);
	return error;
}

/* Allocates the tables that a reader fills in. */
static int make_room(struct stack_code *code, uint32_t nr_callees_max)
{
	code->begin = calloc(stack_code_nr_callers(code) + 1u, sizeof(*code->begin));
	code->callees = calloc(nr_callees_max + 1u, sizeof(*code->callees));
	return code->begin && code->callees ? 0 : -ENOMEM;
}

/*
 * Initialises the models that divide a mass between two sides. nr_first of the nr callees are on
 * the first side. The first estimates assume that all callees are equally likely.
 */
static void share_init(struct stack_share *share, uint32_t nr_first, uint32_t nr)
{
	bit_model_init(&share->side, (unsigned int)((uint64_t)nr_first * 65536 / nr));
	bit_model_init(&share->whole[0], 65536 / 2);
	bit_model_init(&share->whole[1], 65536 / 2);
	bit_model_init(&share->larger, (unsigned int)((uint64_t)nr_first * 65536 / nr));
}

static void init_half(struct stack_share *shares, uint32_t low, uint32_t high)
{
	const uint32_t middle = low + (high - low) / 2;

	if (high - low < 2)
		return;
	share_init(&shares[middle], middle - low, high - low);
	init_half(shares, low, middle);
	init_half(shares, middle, high);
}

static int make_shares(struct stack_code *code)
{
	const uint32_t nr_callers = stack_code_nr_callers(code);

	code->shares = malloc((code->begin[nr_callers] + 1u) * sizeof(*code->shares));
	if (!code->shares)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr_callers; i++) {
		struct stack_share *shares = &code->shares[code->begin[i]];
		const uint32_t nr = code->begin[i + 1] - code->begin[i];

		if (nr)
			share_init(&shares[0], 1, 2);
		init_half(shares, 0, nr);
	}
	return 0;
}

int stack_code_callees(struct stack_code *code, uint32_t nr_callees_max)
{
	int error = code->coder.to ? 0 : make_room(code, nr_callees_max);

	for (uint32_t i = 0; i < stack_code_nr_callers(code) && !error; i++)
		error = code_callees_of(code, i, nr_callees_max);
	return error ? error : make_shares(code);
}

/* ---- masses ---- */

static unsigned int nr_bits_of(uint64_t mass)
{
	return 64u - (unsigned int)__builtin_clzll(mass);
}

/*
 * Codes `first`, the part of `mass` that the first side gets. `mass` must be at least 2, and each
 * side must get at least 1.
 */
static uint64_t code_amount(struct stack_code *code, struct stack_share *share, uint64_t mass,
			    uint64_t first)
{
	const unsigned int nr_bits = nr_bits_of(mass);
	const unsigned int kind =
		nr_bits < STACK_CODE_NR_AMOUNTS ? nr_bits : STACK_CODE_NR_AMOUNTS - 1;
	const uint64_t second = mass - first;
	uint64_t less = first < second ? first : second;

	if (mass == 2)
		return 1;
	less = 1 + bit_code_number(&code->coder, &code->amounts[kind], less - 1);
	if (!less || less > mass / 2) {
		code->coder.error = code->coder.error ? code->coder.error : -EILSEQ;
		return 1;
	}
	if (2 * less == mass)
		return less;
	return bit_code(&code->coder, &share->larger, first > second) ? mass - less : less;
}

/* Codes `first`, the part of `mass` that the first side gets. `mass` must be at least 1. */
static uint64_t code_share(struct stack_code *code, struct stack_share *share, uint64_t mass,
			   uint64_t first)
{
	if (mass > 1 &&
	    !bit_code(&code->coder, &share->whole[mass > 3], first == 0 || first == mass))
		return code_amount(code, share, mass, first);
	return bit_code(&code->coder, &share->side, first == mass) ? mass : 0;
}

uint64_t stack_code_own(struct stack_code *code, uint32_t caller, uint64_t mass, uint64_t own)
{
	const uint32_t begin = code->begin[caller];

	if (begin == code->begin[caller + 1])
		return mass;
	return code_share(code, &code->shares[begin], mass, own);
}

/* The state of code_half(): the parts of one node that are being coded. */
struct halving {
	struct stack_code *code;
	struct stack_share *shares;
	struct stack_part *parts;
	uint32_t nr_parts;
};

/*
 * Divides mass among the callees with indices `low` to high - 1. The callees that get a part of
 * the mass have consecutive elements in halving->parts, beginning at index `first`; in a reader,
 * this function fills them in. Returns the index after the last of these elements.
 */
static uint32_t code_half(struct halving *halving, uint32_t low, uint32_t high, uint64_t mass,
			  uint32_t first)
{
	const uint32_t middle = low + (high - low) / 2;
	uint64_t lower = 0;

	if (!mass)
		return first;
	if (high - low == 1) {
		halving->parts[first] = (struct stack_part){low, mass};
		return first + 1;
	}
	for (uint32_t i = first; i < halving->nr_parts && halving->parts[i].callee < middle; i++)
		lower += halving->parts[i].mass;
	lower = code_share(halving->code, &halving->shares[middle], mass, lower);
	first = code_half(halving, low, middle, lower, first);
	return code_half(halving, middle, high, mass - lower, first);
}

uint32_t stack_code_parts(struct stack_code *code, uint32_t caller, uint64_t mass,
			  struct stack_part *parts, uint32_t nr_parts)
{
	const uint32_t begin = code->begin[caller];
	struct halving halving = {code, code->shares + begin, parts, nr_parts};

	if (!mass)
		return 0;
	return code_half(&halving, 0, code->begin[caller + 1] - begin, mass, 0);
}
