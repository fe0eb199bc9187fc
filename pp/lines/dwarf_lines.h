/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executes line programs (DWARF 5 standard, 6.2; versions 2 to 5), which map addresses to source
 * lines. The code runs in the helper process, on untrusted input.
 */
#ifndef PP_DWARF_LINES_H
#define PP_DWARF_LINES_H

#include "pp/lines/dwarf_unit.h"

/* The source line of the code from `address` to the next row or the end of the sequence. */
struct dwarf_row {
	uint64_t address;
	/*
	 * number of the file in the program's file table; line_walk.c replaces this number with the
	 * file's number in the line table
	 */
	uint32_t file;
	uint32_t line; /* 0: no source line */
};

/* A sequence: consecutive code, with rows sorted by address. */
struct dwarf_sequence {
	uint64_t start, end;
	size_t row; /* index of the first row */
	size_t nr_rows;
};

/* The rows and sequences of all programs run so far. */
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

/* A line program and its header. */
struct dwarf_lines {
	const struct dwarf_unit *unit; /* the program's unit; not owned */
	struct dwarf_format format;    /* the program's format, which may differ from the unit's */
	uint8_t min_bytes, max_operations, line_range, opcode_base;
	int8_t line_base;
	uint8_t operands[256]; /* number of operands of each standard opcode */
	const char **folders;
	size_t nr_folders, room_folders;
	struct dwarf_line_file *files;
	size_t nr_files, room_files;
	/* the number that means files[0]: 0 since version 5, 1 in older versions */
	size_t first_file;
	struct cursor program;
};

/*
 * Reads the program's header, which is at offset unit->lines. Returns 0, -EILSEQ or -ENOMEM; after
 * an error, dwarf_lines_close() need not be called.
 */
int dwarf_lines_open(struct dwarf_lines *lines, const struct dwarf_unit *unit);
void dwarf_lines_close(struct dwarf_lines *lines);

/*
 * Executes the program and adds its sequences to *rows, without redundant rows. Returns 0, -ENOMEM,
 * or -EILSEQ if the program is damaged; the sequences before the damage are added.
 */
int dwarf_lines_run(const struct dwarf_lines *lines, struct dwarf_rows *rows);

/*
 * Returns the full path of a file by its number, malloc'ed; "" if unknown; NULL
 * if out of memory.
 */
char *dwarf_lines_path(const struct dwarf_lines *lines, uint64_t file);

#endif
