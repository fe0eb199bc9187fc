/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The coded part of a slice's call trees (doc/slice.md, "Stacks"): functions,
 * which of them calls which, and how the samples below each node share out
 * between itself and its parts. Both directions (bit_coder.h).
 *
 * A caller is a root, a mark or a function, by number: roots first. What it
 * calls is known by number of function: marks first, then those of the table.
 */
#ifndef LIBDB_STACK_CODE_H
#define LIBDB_STACK_CODE_H

#include "libdb/slice/bit_coder.h"
#include "libdb/slice/stack_tree_order.h"

#include <stdint.h>

/* A tree has no more nodes than so many for each byte, and these for nothing. */
#define STACK_CODE_NODES_PER_BYTE 8u
#define STACK_CODE_NODES_FREE	  64u

/* Bytes that trees of nr_nodes have at least: zeros behind the coded part, if need be. */
static inline size_t stack_code_bytes_min(uint32_t nr_nodes)
{
	return nr_nodes <= STACK_CODE_NODES_FREE
		       ? 0
		       : (nr_nodes - STACK_CODE_NODES_FREE + STACK_CODE_NODES_PER_BYTE - 1) /
				 STACK_CODE_NODES_PER_BYTE;
}

/* How a mass is shared between two sides. */
struct stack_share {
	struct bit_model side;	   /* all of it goes to the first */
	struct bit_model whole[2]; /* it goes to one side: a mass of 2 or 3, a larger one */
	struct bit_model larger;   /* the first side is the larger one */
};

#define STACK_CODE_NR_AMOUNTS 10 /* by number of bits of what is shared */

/* What is told by numbers, each kind learned by itself. */
enum stack_code_kind {
	STACK_CODE_IMAGE,	/* of a function */
	STACK_CODE_OFFSET,	/* of a function, by the one before */
	STACK_CODE_NR_CALLEES,	/* of a caller */
	STACK_CODE_CALLEE,	/* the first one */
	STACK_CODE_NEXT_CALLEE, /* by the one before */
	STACK_CODE_MASS,	/* of a root */
	STACK_CODE_SAMPLES,	/* of a node of which its mass does not tell them */
	STACK_CODE_WEIGHT,
	STACK_CODE_KINDS,
};

struct stack_code {
	struct bit_coder coder;
	uint32_t nr_roots, nr_functions; /* those of the table */
	/* Of caller i those from begin[i] to begin[i + 1]: numbers of functions, ascending. */
	uint32_t *begin;
	uint32_t *callees;
	struct stack_share *shares; /* for each callee; the first of a caller's is itself */
	struct bit_model apart;	    /* of a root: mass is not samples */
	struct number_model numbers[STACK_CODE_KINDS];
	struct number_model amounts[STACK_CODE_NR_AMOUNTS];
};

/* A part of a node: which callee of its caller it is, by index, and its mass. */
struct stack_part {
	uint32_t callee;
	uint64_t mass;
};

static inline uint32_t stack_code_nr_callers(const struct stack_code *code)
{
	return code->nr_roots + OPROF_STACK_MARKS + code->nr_functions;
}

/* All but the coder. */
void stack_code_init(struct stack_code *code, uint32_t nr_roots, uint32_t nr_functions);
void stack_code_deinit(struct stack_code *code);

uint64_t stack_code_number(struct stack_code *code, enum stack_code_kind kind, uint64_t value);

/*
 * Functions of the table, nr_images being how many images there are. 0, -EILSEQ,
 * -ENOMEM.
 */
int stack_code_functions(struct stack_code *code, struct stack_function *functions,
			 uint32_t nr_images);
/*
 * Who calls whom. A writer has begin and callees; a reader gets them,
 * nr_callees_max at most. 0, -EILSEQ, -ENOMEM.
 */
int stack_code_callees(struct stack_code *code, uint32_t nr_callees_max);

/*
 * Of mass at a node of this caller: its own, which comes back, and that of its
 * parts. parts: by ascending callee, each with a mass; a reader gets them,
 * having room for all callees. How many; a writer gives that.
 */
uint64_t stack_code_own(struct stack_code *code, uint32_t caller, uint64_t mass, uint64_t own);
uint32_t stack_code_parts(struct stack_code *code, uint32_t caller, uint64_t mass,
			  struct stack_part *parts, uint32_t nr_parts);

#endif
