/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Line programs (DWARF 5 standard, 6.2; versions 2 to 5): which source line
 * code came from. Runs in the helper, on what a hostile file says.
 */
#ifndef PP_DWARF_LINES_H
#define PP_DWARF_LINES_H

#include "pp/lines/dwarf_unit.h"

/* The code from address on, to the next row, or to the sequence's end. */
struct dwarf_row {
	uint64_t address;
	uint32_t file; /* by the program's own numbers */
	uint32_t line; /* 0: of no line */
};

/* Rows by ascending address; code in one piece. */
struct dwarf_sequence {
	uint64_t start, end;
	size_t row; /* index of the first */
	size_t nr_rows;
};

/* Grows as programs are run. */
struct dwarf_rows {
	struct dwarf_row *rows;
	size_t nr_rows, room_rows;
	struct dwarf_sequence *sequences;
	size_t nr_sequences, room_sequences;
};

void dwarf_rows_deinit(struct dwarf_rows *rows);

struct dwarf_line_file {
	const char *name;
	uint64_t folder; /* index */
};

/* One program and its header. */
struct dwarf_lines {
	const struct dwarf_unit *unit; /* whose it is; not owned */
	struct dwarf_format format;    /* its own */
	uint8_t min_bytes, max_operations, line_range, opcode_base;
	int8_t line_base;
	uint8_t operands[256]; /* of each standard opcode */
	const char **folders;
	size_t nr_folders, room_folders;
	struct dwarf_line_file *files;
	size_t nr_files, room_files;
	size_t first_file; /* the number of files[0]: 0 from version 5 on, else 1 */
	struct cursor program;
};

/* Read the header at unit->lines. 0, -EILSEQ, -ENOMEM; close it in the first case only. */
int dwarf_lines_open(struct dwarf_lines *lines, const struct dwarf_unit *unit);
void dwarf_lines_close(struct dwarf_lines *lines);

/*
 * Run the program: its sequences are added to rows; rows that say nothing
 * new are left out. 0, -EILSEQ (what came before the damage was added), -ENOMEM.
 */
int dwarf_lines_run(const struct dwarf_lines *lines, struct dwarf_rows *rows);

/* The whole path of file by its number, malloc'ed; NULL: no memory. "" for none. */
char *dwarf_lines_path(const struct dwarf_lines *lines, uint64_t file);

#endif
