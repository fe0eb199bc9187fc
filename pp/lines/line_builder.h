/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds a line table: takes rows of line programs and ranges of inlined
 * functions, with addresses in any order, and makes from them ranges sorted by
 * key. Runs in the helper. Not for reading debug information: line_reader.h.
 */
#ifndef PP_LINE_BUILDER_H
#define PP_LINE_BUILDER_H

#include "lib/index_table.h"
#include "pp/lines/dwarf_lines.h"
#include "pp/lines/line_wire.h"
#include "pp/symbols/symbol_file.h"

/* Consecutive code: addresses [start, end). key is that of the first byte. */
struct line_code {
	uint64_t start, end;
	uint64_t key;
};

/* A key range of an inlined function. */
struct line_inlined {
	uint64_t start, end;
	uint32_t node;
};

/* Each text is stored once. Offset 0 is the empty text. */
struct line_texts {
	char *bytes;
	size_t nr_bytes, room;
	struct index_table table; /* of offsets */
};

struct line_builder {
	struct line_code *code; /* by ascending start */
	size_t nr_code;
	const struct line_code *last; /* result of the last search, or NULL */
	struct dwarf_rows rows;	      /* their file numbers are indexes in files */
	struct line_inlined *inlined;
	size_t nr_inlined, room_inlined;
	struct line_wire_node *nodes; /* nodes[0] means none */
	size_t nr_nodes, room_nodes;
	uint32_t *files; /* offsets of texts; files[0] is the empty one */
	size_t nr_files, room_files;
	struct index_table file_table; /* by offset of text */
	struct line_texts texts;
	struct line_wire_range *ranges; /* the result; the last range only ends the preceding one */
	size_t nr_ranges, room_ranges;
};

/* bias: see symbol_file_bias. Returns 0 or -ENOMEM. */
int line_builder_init(struct line_builder *builder, const struct symbol_file *image, uint64_t bias);
void line_builder_deinit(struct line_builder *builder);

/* Finds or adds text. Returns 0, -ENOMEM or -EFBIG. */
int line_builder_text(struct line_builder *builder, const char *text, uint32_t *offset);

/* Finds or adds a file by path. Returns 0, -ENOMEM or -EFBIG. */
int line_builder_file(struct line_builder *builder, const char *path, uint32_t *number);

/* Returns whether address is code. */
bool line_builder_has_code(struct line_builder *builder, uint64_t address);

/* Adds a node; its parent must be an earlier node or 0. Returns 0 or -ENOMEM. */
int line_builder_node(struct line_builder *builder, const struct line_wire_node *node,
		      uint32_t *number);
/*
 * Adds the addresses [begin, end) to node, cut at the end of the code section
 * that contains begin. Parents must be added before their children. Returns 0
 * or -ENOMEM.
 */
int line_builder_inlined(struct line_builder *builder, uint32_t node, uint64_t begin, uint64_t end);

/* Makes the ranges. Must be called when everything has been added. Returns 0 or -ENOMEM. */
int line_builder_finish(struct line_builder *builder);

#endif
