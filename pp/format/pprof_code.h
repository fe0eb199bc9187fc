/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code that pprof's samples refer to: mappings, locations and functions. A location is a
 * function of the tree, or an address in it with its lines.
 */
#ifndef PP_PPROF_CODE_H
#define PP_PPROF_CODE_H

#include "pp/calls/call_names.h"
#include "pp/format/format_calls.h"
#include "pp/format/pprof_writer.h"

struct pprof_range;
struct pprof_function;

struct pprof_code {
	struct pprof_writer *writer;
	const struct call_tree *tree;
	const struct call_names *names;
	const struct call_places *places; /* NULL: no line is known */
	enum demangle_mode demangle;
	struct pprof_range *ranges;	  /* one for each image */
	bool *function_used, *code_used;  /* of the tree's functions, of places' codes */
	struct pprof_function *functions; /* functions that are not in the tree */
	struct index_table function_table;
	size_t nr_functions, functions_room;
};

/* Borrows its arguments. Returns 0 or -ENOMEM; deinit code in either case. */
int pprof_code_init(struct pprof_code *code, struct pprof_writer *writer,
		    const struct call_tree *tree, const struct call_names *names,
		    const struct calls_options *options);
void pprof_code_deinit(struct pprof_code *code);

/* Return the id of the location of a whole function, or of one of places' codes. */
uint64_t pprof_code_function(struct pprof_code *code, uint32_t function);
uint64_t pprof_code_place(struct pprof_code *code, uint32_t number);

/* Writes the locations that were asked for, with their functions and mappings. */
void pprof_code_write(struct pprof_code *code);

#endif
