/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encoding of a slice's call trees (doc/slice.md, "Stacks"): the functions,
 * which function calls which, and how the samples below each node are divided
 * between the node itself and its parts. The same functions encode and decode
 * (bit_coder.h).
 *
 * Callers are numbered: first the roots, then the marks, then the functions of
 * the table. Callees are numbered as functions: first the marks, then the
 * table's.
 */
#ifndef LIBDB_STACK_CODE_H
#define LIBDB_STACK_CODE_H

#include "libdb/slice/bit_coder.h"
#include "libdb/slice/stack_tree_order.h"

#include <stdint.h>

/* A tree may have at most STACK_CODE_NODES_FREE nodes plus STACK_CODE_NODES_PER_BYTE per byte. */
#define STACK_CODE_NODES_PER_BYTE 8u
#define STACK_CODE_NODES_FREE	  64u

/*
 * Returns the minimum of bytes for trees of nr_nodes. If the coded part is shorter, zeros follow
 * it.
 */
static inline size_t stack_code_bytes_min(uint32_t nr_nodes)
{
	return nr_nodes <= STACK_CODE_NODES_FREE
		       ? 0
		       : (nr_nodes - STACK_CODE_NODES_FREE + STACK_CODE_NODES_PER_BYTE - 1) /
				 STACK_CODE_NODES_PER_BYTE;
}

/* Models for dividing a mass between two sides. Each bit states: */
struct stack_share {
	struct bit_model side;	   /* the first side gets the whole mass */
	struct bit_model whole[2]; /* one side gets the whole mass; [0]: a mass of 2 or 3 */
	struct bit_model larger;   /* the first side is the larger one */
};

#define STACK_CODE_NR_AMOUNTS 10 /* by number of bits of the divided mass */

/* Kinds of numbers, each with its own model. */
enum stack_code_kind {
	STACK_CODE_IMAGE,	/* of a function */
	STACK_CODE_OFFSET,	/* of a function, relative to the previous function */
	STACK_CODE_NR_CALLEES,	/* of a caller */
	STACK_CODE_CALLEE,	/* the first callee of a caller */
	STACK_CODE_NEXT_CALLEE, /* relative to the previous callee */
	STACK_CODE_MASS,	/* of a root */
	STACK_CODE_SAMPLES,	/* of a node, if masses are not samples (apart) */
	STACK_CODE_WEIGHT,
	STACK_CODE_KINDS,
};

struct stack_code {
	struct bit_coder coder;
	uint32_t nr_roots, nr_functions; /* of the table */
	/*
	 * The callees of caller i are callees[begin[i]] to callees[begin[i + 1] - 1]: ascending
	 * numbers of functions.
	 */
	uint32_t *begin;
	uint32_t *callees;
	struct stack_share *shares; /* one per callee; a caller's first is for its own mass */
	struct bit_model apart;	    /* model of a bit of each root: masses are not samples */
	struct number_model numbers[STACK_CODE_KINDS];
	struct number_model amounts[STACK_CODE_NR_AMOUNTS];
};

/* A part of a node: its index among the callees of the node's caller number, and its mass. */
struct stack_part {
	uint32_t callee;
	uint64_t mass;
};

static inline uint32_t stack_code_nr_callers(const struct stack_code *code)
{
	return code->nr_roots + OPROF_STACK_MARKS + code->nr_functions;
}

/* Initializes everything except the coder. */
void stack_code_init(struct stack_code *code, uint32_t nr_roots, uint32_t nr_functions);
void stack_code_deinit(struct stack_code *code);

uint64_t stack_code_number(struct stack_code *code, enum stack_code_kind kind, uint64_t value);

/* Codes the functions of the table. Returns 0, -EILSEQ, or -ENOMEM. */
int stack_code_functions(struct stack_code *code, struct stack_function *functions,
			 uint32_t nr_images);
/*
 * Codes which function calls which. A writer has set begin and callees; for a reader they are
 * allocated and set, with at most nr_callees_max callees. Returns 0, -EILSEQ, or -ENOMEM.
 */
int stack_code_callees(struct stack_code *code, uint32_t nr_callees_max);

/*
 * Divide the mass of a node with this number as a caller. stack_code_own returns the part that
 * belongs to the node itself; stack_code_parts divides the rest among the node's parts and returns
 * their number. parts: by ascending callee, each with a mass > 0; a reader passes room for all
 * callees of the caller, with nr_parts 0, and gets the parts.
 */
uint64_t stack_code_own(struct stack_code *code, uint32_t caller, uint64_t mass, uint64_t own);
uint32_t stack_code_parts(struct stack_code *code, uint32_t caller, uint64_t mass,
			  struct stack_part *parts, uint32_t nr_parts);

#endif
