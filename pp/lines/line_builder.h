/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds a line table. The input is rows of line programs and ranges of inlined functions, with
 * addresses in any order. The result is ranges sorted by key. Runs in the helper. Not for reading
 * debug information (line_reader.h).
 */
#ifndef PP_LINE_BUILDER_H
#define PP_LINE_BUILDER_H

#include "lib/index_table.h"
#include "pp/lines/dwarf_lines.h"
#include "pp/lines/line_wire.h"
#include "pp/symbols/symbol_file.h"

/* Consecutive code: the addresses [start, end). `key` is the key of the first byte. */
struct line_code {
	uint64_t start, end;
	uint64_t key;
};

/* A key range of an inlined function. */
struct line_inlined {
	uint64_t start, end;
	uint32_t node;
};

/* Texts, each stored only once. The text at offset 0 is "". */
struct line_texts {
	char *bytes;
	size_t nr_bytes, room;
	struct index_table table; /* of offsets */
};

struct line_builder {
	struct line_code *code; /* by ascending start */
	size_t nr_code;
	const struct line_code *last; /* result of the last search, or NULL */
	struct dwarf_rows rows;	      /* file numbers in the rows are indexes in `files` */
	struct line_inlined *inlined;
	size_t nr_inlined, room_inlined;
	struct line_wire_node *nodes; /* nodes[0] means that there is no node */
	size_t nr_nodes, room_nodes;
	uint32_t *files; /* offset of each file's path in `texts`; files[0] is "" */
	size_t nr_files, room_files;
	struct index_table file_table; /* finds a file by its path's offset in `texts` */
	struct line_texts texts;
	/* The result. The last range has no lines: it only marks the end of the range before it. */
	struct line_wire_range *ranges;
	size_t nr_ranges, room_ranges;
};

/* Begins an empty table. bias: see symbol_file_bias(). Returns 0 or -ENOMEM. */
int line_builder_init(struct line_builder *builder, const struct symbol_file *image, uint64_t bias);
void line_builder_deinit(struct line_builder *builder);

/* Finds or adds `text`, and returns its offset in *offset. Returns 0, -ENOMEM or -EFBIG. */
int line_builder_text(struct line_builder *builder, const char *text, uint32_t *offset);

/* Finds or adds the file with this path. Returns 0, -ENOMEM or -EFBIG. */
int line_builder_file(struct line_builder *builder, const char *path, uint32_t *number);

/* Returns whether there is code at the address. */
bool line_builder_has_code(struct line_builder *builder, uint64_t address);

/*
 * Adds a node: one place at which a function was inlined. Its parent must be an earlier node or 0.
 * Returns 0 or -ENOMEM.
 */
int line_builder_node(struct line_builder *builder, const struct line_wire_node *node,
		      uint32_t *number);
/*
 * Adds the code at the addresses [begin, end) to a node. The range is cut at the end of the code
 * section that contains `begin`. Parents must be added before their children. Returns 0 or -ENOMEM.
 */
int line_builder_inlined(struct line_builder *builder, uint32_t node, uint64_t begin, uint64_t end);

/*
 * Makes the ranges of the table. Call this function after all rows, nodes and addresses have been
 * added. Returns 0 or -ENOMEM.
 */
int line_builder_finish(struct line_builder *builder);

#endif
