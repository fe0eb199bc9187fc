/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encoding of a slice's call trees (doc/slice.md, "Stacks"). Three kinds of data are encoded: the
 * functions, the callees of each function, and the division of each node's mass between the node
 * itself and its children (parts). The mass of a node is the number of samples of the node and of
 * all nodes below it. In a tree whose masses are not samples, the mass is the number of these
 * nodes. The same functions encode and decode (bit_coder.h).
 *
 * Callers are numbered in this order: the roots, the marks, the functions of the table. Callees are
 * numbered in this order: the marks, the functions of the table.
 */
#ifndef LIBDB_STACK_CODE_H
#define LIBDB_STACK_CODE_H

#include "libdb/slice/bit_coder.h"
#include "libdb/slice/stack_tree_order.h"

#include <stdint.h>

/*
 * Limit of a tree's nodes: STACK_CODE_NODES_FREE, plus STACK_CODE_NODES_PER_BYTE for each byte of
 * the coded part.
 */
#define STACK_CODE_NODES_PER_BYTE 8u
#define STACK_CODE_NODES_FREE	  64u

/*
 * Returns the minimum length of the coded part for trees of nr_nodes nodes. A shorter coded part
 * is filled up with zeros.
 */
static inline size_t stack_code_bytes_min(uint32_t nr_nodes)
{
	return nr_nodes <= STACK_CODE_NODES_FREE
		       ? 0
		       : (nr_nodes - STACK_CODE_NODES_FREE + STACK_CODE_NODES_PER_BYTE - 1) /
				 STACK_CODE_NODES_PER_BYTE;
}

/* Models of the bits that divide a mass between two sides. Each comment gives the bit's meaning. */
struct stack_share {
	struct bit_model side;	   /* the first side gets the whole mass */
	struct bit_model whole[2]; /* one side gets the whole mass; [0]: of 2 or 3, [1]: above 3 */
	struct bit_model larger;   /* the first side is the larger one */
};

#define STACK_CODE_NR_AMOUNTS 10 /* models of amounts, by the number of bits of the mass */

/* Kinds of numbers, each with its own model. */
enum stack_code_kind {
	STACK_CODE_IMAGE,	/* image of a function */
	STACK_CODE_OFFSET,	/* offset of a function, relative to the previous function */
	STACK_CODE_NR_CALLEES,	/* number of callees of a caller */
	STACK_CODE_CALLEE,	/* the first callee of a caller */
	STACK_CODE_NEXT_CALLEE, /* a further callee, relative to the previous callee */
	STACK_CODE_MASS,	/* mass of a root */
	STACK_CODE_SAMPLES,	/* samples of a node, if the root's bit `apart` is set */
	STACK_CODE_WEIGHT,
	STACK_CODE_KINDS,
};

struct stack_code {
	struct bit_coder coder;
	uint32_t nr_roots, nr_functions; /* nr_functions: functions in the table */
	/*
	 * The callees of caller i are callees[begin[i]] to callees[begin[i + 1] - 1]. Callees are
	 * numbers of functions, in ascending order.
	 */
	uint32_t *begin;
	uint32_t *callees;
	/*
	 * One element per callee, indexed like callees[]. A caller's first element divides a node's
	 * mass between the node itself and its parts. The caller's other elements divide the rest
	 * between the callees.
	 */
	struct stack_share *shares;
	struct bit_model apart; /* model of each root's bit "its masses are not samples" */
	struct number_model numbers[STACK_CODE_KINDS];
	struct number_model amounts[STACK_CODE_NR_AMOUNTS];
};

/*
 * A part of a node: the index of its function among the callees of the node's caller, and its
 * mass.
 */
struct stack_part {
	uint32_t callee;
	uint64_t mass;
};

static inline uint32_t stack_code_nr_callers(const struct stack_code *code)
{
	return code->nr_roots + OPROF_STACK_MARKS + code->nr_functions;
}

/* Initialises all members except the coder. */
void stack_code_init(struct stack_code *code, uint32_t nr_roots, uint32_t nr_functions);
void stack_code_deinit(struct stack_code *code);

uint64_t stack_code_number(struct stack_code *code, enum stack_code_kind kind, uint64_t value);

/* Codes the table of functions. Returns 0, -EILSEQ, or -ENOMEM. */
int stack_code_functions(struct stack_code *code, struct stack_function *functions,
			 uint32_t nr_images);
/*
 * Codes the callees of all callers. A writer must have set code->begin and code->callees; in a
 * reader, this function allocates and sets them, with at most nr_callees_max callees. Returns 0,
 * -EILSEQ, or -ENOMEM.
 */
int stack_code_callees(struct stack_code *code, uint32_t nr_callees_max);

/*
 * These functions divide the mass of a node whose number as a caller is `caller`. stack_code_own
 * returns the amount that belongs to the node itself. stack_code_parts divides the rest among the
 * node's parts and returns their number. `parts` is sorted by ascending callee, and each mass is
 * greater than 0. A reader passes nr_parts 0 and room for all callees of the caller, and the
 * function fills in the parts.
 */
uint64_t stack_code_own(struct stack_code *code, uint32_t caller, uint64_t mass, uint64_t own);
uint32_t stack_code_parts(struct stack_code *code, uint32_t caller, uint64_t mass,
			  struct stack_part *parts, uint32_t nr_parts);

#endif
