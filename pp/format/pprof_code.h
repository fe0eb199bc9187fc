/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code that pprof's samples refer to: mappings, locations and functions. A
 * location stands for a whole function of the tree, or for one address in it, with
 * its lines.
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
	/* for each of the tree's functions, for each of places' codes */
	bool *function_used, *code_used;
	struct pprof_function *functions; /* functions that are not in the tree */
	struct index_table function_table;
	size_t nr_functions, functions_room;
};

/*
 * The arguments are borrowed and must outlive code. Returns 0 or -ENOMEM. The
 * caller deinits code in either case.
 */
int pprof_code_init(struct pprof_code *code, struct pprof_writer *writer,
		    const struct call_tree *tree, const struct call_names *names,
		    const struct calls_options *options);
void pprof_code_deinit(struct pprof_code *code);

/*
 * Return the location id of a whole function, or of one of places' codes, and mark
 * it for pprof_code_write.
 */
uint64_t pprof_code_function(struct pprof_code *code, uint32_t function);
uint64_t pprof_code_place(struct pprof_code *code, uint32_t number);

/* Writes what was marked, and nothing else. */
void pprof_code_write(struct pprof_code *code);

#endif
