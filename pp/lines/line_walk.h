/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One walk over the debug information of a binary: its line programs, and
 * what was inlined where. Runs in the helper.
 */
#ifndef PP_LINE_WALK_H
#define PP_LINE_WALK_H

#include "lib/index_table.h"
#include "pp/lines/dwarf_split.h"
#include "pp/lines/dwarf_unit.h"
#include "pp/lines/line_builder.h"

/* The name of a function by its entry; found once, used by all that inline it. */
struct line_function {
	const struct dwarf_info *info;
	uint64_t entry;
	uint32_t info_number; /* files come and go at the same place in memory */
	uint32_t name;
};

struct line_walk {
	struct line_builder *builder;
	struct dwarf_info *info;
	struct dwarf_split split; /* where what split units leave out is */
	struct line_function *functions;
	size_t nr_functions, room_functions;
	struct index_table function_table;
	uint64_t *programs; /* offsets of line programs that were run */
	size_t nr_programs, room_programs;
	struct index_table program_table;
	bool damaged; /* something could not be read */
};

/*
 * Add all that info tells to builder. image_path, root: see dwarf_split.h.
 * 0 or -ENOMEM; damage is in walk->damaged.
 */
void line_walk_init(struct line_walk *walk, struct line_builder *builder, struct dwarf_info *info,
		    const char *image_path, const char *root);
int line_walk_run(struct line_walk *walk);
void line_walk_deinit(struct line_walk *walk);

#endif
