/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the code to which the samples of a pprof profile refer: mappings, locations and functions.
 * A location is a function of the tree, or an address in such a function with its source lines.
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
	struct pprof_range *ranges; /* one for each image */
	/* whether each function of the tree, and each code of `places`, has been used */
	bool *function_used, *code_used;
	struct pprof_function *functions; /* functions that are not in the tree */
	struct index_table function_table;
	size_t nr_functions, functions_room;
};

/* The arguments are borrowed. Returns 0 or -ENOMEM. Call pprof_code_deinit() in either case. */
int pprof_code_init(struct pprof_code *code, struct pprof_writer *writer,
		    const struct call_tree *tree, const struct call_names *names,
		    const struct calls_options *options);
void pprof_code_deinit(struct pprof_code *code);

/* These functions return the id of the location of a whole function, or of a code of `places`. */
uint64_t pprof_code_function(struct pprof_code *code, uint32_t function);
uint64_t pprof_code_place(struct pprof_code *code, uint32_t number);

/* Writes the locations whose ids were requested, with their functions and mappings. */
void pprof_code_write(struct pprof_code *code);

#endif
