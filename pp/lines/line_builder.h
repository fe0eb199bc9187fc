/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From rows of line programs and ranges of inlined functions, by address and
 * in any order, to the sorted ranges of a line table, by key. Runs in the
 * helper. Not for reading them: line_reader.h.
 */
#ifndef PP_LINE_BUILDER_H
#define PP_LINE_BUILDER_H

#include "lib/index_table.h"
#include "pp/lines/dwarf_lines.h"
#include "pp/lines/line_wire.h"
#include "pp/symbols/symbol_file.h"

/* Code in one piece: addresses [start, end), whose first byte has this key. */
struct line_code {
	uint64_t start, end;
	uint64_t key;
};

/* Code of an inlined function, by key. */
struct line_inlined {
	uint64_t start, end;
	uint32_t node;
};

/* Texts, each once. Offset 0 is the empty one. */
struct line_texts {
	char *bytes;
	size_t nr_bytes, room;
	struct index_table table; /* of offsets */
};

struct line_builder {
	struct line_code *code; /* by ascending start */
	size_t nr_code;
	const struct line_code *last; /* where the address before was found */
	struct dwarf_rows rows;	      /* files are those of the table */
	struct line_inlined *inlined;
	size_t nr_inlined, room_inlined;
	struct line_wire_node *nodes; /* nodes[0] stands for none */
	size_t nr_nodes, room_nodes;
	uint32_t *files; /* texts; files[0] is the empty one */
	size_t nr_files, room_files;
	struct index_table file_table; /* by their text */
	struct line_texts texts;
	struct line_wire_range *ranges; /* once built; the last one ends the one before */
	size_t nr_ranges, room_ranges;
};

/* bias: by how much addresses in the debug information lie below those of image. 0 or -ENOMEM. */
int line_builder_init(struct line_builder *builder, const struct symbol_file *image, uint64_t bias);
void line_builder_deinit(struct line_builder *builder);

/* The offset of text, kept once. 0 or -ENOMEM, -EFBIG. */
int line_builder_text(struct line_builder *builder, const char *text, uint32_t *offset);

/* The number of a file by its path. 0 or -ENOMEM, -EFBIG. */
int line_builder_file(struct line_builder *builder, const char *path, uint32_t *number);

/* Whether code lies at address. */
bool line_builder_has_code(struct line_builder *builder, uint64_t address);

/* 0 or -ENOMEM. parent: a node or 0. */
int line_builder_node(struct line_builder *builder, const struct line_wire_node *node,
		      uint32_t *number);
/* Addresses [begin, end) are of node; what is no code is cut. Parents come before what is in them.
 */
int line_builder_inlined(struct line_builder *builder, uint32_t node, uint64_t begin, uint64_t end);

/* All is added: make ranges. 0 or -ENOMEM. */
int line_builder_finish(struct line_builder *builder);

#endif
