/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks once through the debug information of a binary, to add its lines and inlined functions to a
 * line builder. Runs in the helper.
 */
#ifndef PP_LINE_WALK_H
#define PP_LINE_WALK_H

#include "lib/index_table.h"
#include "pp/lines/dwarf_split.h"
#include "pp/lines/dwarf_unit.h"
#include "pp/lines/line_builder.h"

/*
 * A cache entry: the name of the function that the debug entry at offset `entry` describes. The
 * function may be inlined at many places.
 */
struct line_function {
	const struct dwarf_info *info;
	uint64_t entry;
	/* for split files, which all use the same *info: dwarf_split.number; otherwise 0 */
	uint32_t info_number;
	uint32_t name;
};

struct line_walk {
	struct line_builder *builder;
	struct dwarf_info *info;
	struct dwarf_split split; /* finds split units */
	struct line_function *functions;
	size_t nr_functions, room_functions;
	struct index_table function_table;
	uint64_t *programs; /* offsets of the line programs run so far */
	size_t nr_programs, room_programs;
	struct index_table program_table;
	bool damaged; /* part of the information could not be read */
};

/*
 * line_walk_run() adds the lines and inlined functions of *info to the builder. It returns 0 or
 * -ENOMEM; other errors only set walk->damaged. opener: opens split files.
 */
void line_walk_init(struct line_walk *walk, struct line_builder *builder, struct dwarf_info *info,
		    struct file_opener *opener);
int line_walk_run(struct line_walk *walk);
void line_walk_deinit(struct line_walk *walk);

#endif
