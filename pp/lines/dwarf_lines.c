// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/dwarf_lines.h"

#include "lib/array.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Maximum number of fields of an entry in the tables of DWARF 5. Real entries have about five. */
#define FIELDS_MAX 32

/* ---- headers ---- */

static int add_folder(struct dwarf_lines *lines, const char *name)
{
	if (array_reserve(&lines->folders, &lines->room_folders, lines->nr_folders, 1))
		return -ENOMEM;
	lines->folders[lines->nr_folders++] = name;
	return 0;
}

static int add_file(struct dwarf_lines *lines, const char *name, uint64_t folder)
{
	if (array_reserve(&lines->files, &lines->room_files, lines->nr_files, 1))
		return -ENOMEM;
	lines->files[lines->nr_files++] = (struct dwarf_line_file){.name = name, .folder = folder};
	return 0;
}

/*
 * Reads the tables of folders and files of versions 2 to 4. Each table ends with an empty text.
 * Folder 0 is the compilation directory.
 */
static int read_old_tables(struct dwarf_lines *lines, struct cursor *cursor)
{
	int error = add_folder(lines, lines->unit->folder);

	lines->first_file = 1;
	while (!error) {
		const char *name = cursor_text(cursor);

		if (!*name)
			break;
		error = add_folder(lines, name);
	}
	while (!error) {
		const char *name = cursor_text(cursor);
		uint64_t folder;

		if (!*name)
			break;
		folder = cursor_uleb(cursor);
		(void)cursor_uleb(cursor); /* time */
		(void)cursor_uleb(cursor); /* bytes */
		error = add_file(lines, name, folder);
	}
	return error;
}

struct fields {
	size_t nr;
	uint16_t content[FIELDS_MAX]; /* DW_LNCT_* */
	struct dwarf_attribute attributes[FIELDS_MAX];
};

static bool read_fields(struct cursor *cursor, const struct dwarf_format *format,
			struct fields *fields)
{
	fields->nr = cursor_u8(cursor);
	if (fields->nr > FIELDS_MAX)
		return false;
	for (size_t i = 0; i < fields->nr; i++) {
		uint64_t content = cursor_uleb(cursor), form = cursor_uleb(cursor);

		if (form > UINT16_MAX || form == DW_FORM_implicit_const)
			return false;
		fields->content[i] = content > UINT16_MAX ? 0 : (uint16_t)content;
		fields->attributes[i] = (struct dwarf_attribute){
			.form = (uint16_t)form,
			.step = dwarf_form_step((unsigned int)form, format)};
	}
	return !cursor->failed;
}

/*
 * Reads a table of folders or files of version 5. unit: a copy of the program's unit; its member
 * `format` must be the format in the program's header.
 */
static int read_new_table(struct dwarf_lines *lines, const struct dwarf_unit *unit,
			  struct cursor *cursor, bool folders)
{
	struct fields fields;
	uint64_t nr;
	int error = 0;

	if (!read_fields(cursor, &lines->format, &fields))
		return -EILSEQ;
	nr = cursor_uleb(cursor);
	/* Each entry has at least one byte, so this check limits the number of entries. */
	if (nr > cursor_left(cursor) || (nr && !fields.nr))
		return -EILSEQ;
	for (uint64_t i = 0; !error && i < nr && !cursor->failed; i++) {
		const char *name = "";
		uint64_t folder = 0;

		for (size_t j = 0; j < fields.nr; j++) {
			struct dwarf_value value;

			dwarf_value_read(unit, &fields.attributes[j], cursor, &value);
			if (fields.content[j] == DW_LNCT_path)
				name = dwarf_value_text(unit, &value);
			else if (fields.content[j] == DW_LNCT_directory_index)
				folder = value.number;
		}
		error = folders ? add_folder(lines, name) : add_file(lines, name, folder);
	}
	return error;
}

static int read_tables(struct dwarf_lines *lines, struct cursor *cursor)
{
	struct dwarf_unit unit = *lines->unit;
	int error;

	if (lines->format.version < 5)
		return read_old_tables(lines, cursor);
	unit.format = lines->format;
	error = read_new_table(lines, &unit, cursor, true);
	return error ? error : read_new_table(lines, &unit, cursor, false);
}

static int read_parameters(struct dwarf_lines *lines, struct cursor *cursor)
{
	lines->min_bytes = cursor_u8(cursor);
	lines->max_operations = lines->format.version >= 4 ? cursor_u8(cursor) : 1;
	(void)cursor_u8(cursor); /* default_is_stmt is not needed, because all rows are used */
	lines->line_base = (int8_t)cursor_u8(cursor);
	lines->line_range = cursor_u8(cursor);
	lines->opcode_base = cursor_u8(cursor);
	if (!lines->line_range || !lines->opcode_base || !lines->max_operations)
		return -EILSEQ;
	for (unsigned int i = 1; i < lines->opcode_base; i++)
		lines->operands[i] = cursor_u8(cursor);
	return cursor->failed ? -EILSEQ : 0;
}

static int read_header(struct dwarf_lines *lines)
{
	struct cursor cursor = dwarf_file_at(lines->unit->file, DWARF_LINE, lines->unit->lines);
	uint64_t length = cursor_u32(&cursor);
	int error;

	lines->format.offset_bytes = 4;
	if (length == 0xffffffff) {
		lines->format.offset_bytes = 8;
		length = cursor_u64(&cursor);
	}
	if (cursor.failed || length > cursor_left(&cursor))
		return -EILSEQ;
	cursor.end = cursor.at + length;
	lines->format.version = (uint8_t)cursor_u16(&cursor);
	if (lines->format.version < 2 || lines->format.version > 5)
		return -EILSEQ;
	lines->format.address_bytes = lines->unit->format.address_bytes;
	if (lines->format.version >= 5) {
		lines->format.address_bytes = cursor_u8(&cursor);
		(void)cursor_u8(&cursor); /* bytes of segment selectors */
	}
	length = cursor_number(&cursor, lines->format.offset_bytes);
	lines->program = cursor;
	cursor_skip(&lines->program, length);
	if (lines->program.failed)
		return -EILSEQ;
	cursor.end = lines->program.at;
	error = read_parameters(lines, &cursor);
	return error ? error : read_tables(lines, &cursor);
}

int dwarf_lines_open(struct dwarf_lines *lines, const struct dwarf_unit *unit)
{
	int error;

	*lines = (struct dwarf_lines){.unit = unit};
	error = read_header(lines);
	if (error)
		dwarf_lines_close(lines);
	return error;
}

void dwarf_lines_close(struct dwarf_lines *lines)
{
	free(lines->folders);
	free(lines->files);
	*lines = (struct dwarf_lines){0};
}

/* ---- paths ---- */

static char *join(const char *folder, const char *between, const char *name)
{
	char *path;

	if (*folder && *between)
		return asprintf(&path, "%s/%s/%s", folder, between, name) < 0 ? NULL : path;
	if (*folder || *between)
		return asprintf(&path, "%s%s/%s", folder, between, name) < 0 ? NULL : path;
	return strdup(name);
}

char *dwarf_lines_path(const struct dwarf_lines *lines, uint64_t file)
{
	const char *folder = "", *name;
	uint64_t index = file - lines->first_file;

	if (index >= lines->nr_files || !*lines->files[index].name)
		return strdup("");
	name = lines->files[index].name;
	if (lines->files[index].folder < lines->nr_folders)
		folder = lines->folders[lines->files[index].folder];
	if (*name == '/')
		return strdup(name);
	/* Before version 5, folder 0 is the compilation directory itself. */
	if (*folder == '/' || folder == lines->unit->folder)
		return join(folder, "", name);
	return join(lines->unit->folder, folder, name);
}

/* ---- programs ---- */

void dwarf_rows_deinit(struct dwarf_rows *rows)
{
	free(rows->rows);
	free(rows->sequences);
	*rows = (struct dwarf_rows){0};
}

/* The state machine that runs a line program. */
struct line_machine {
	const struct dwarf_lines *lines;
	struct dwarf_rows *rows;
	struct cursor cursor;
	size_t first;  /* index of the first row of the current sequence */
	uint64_t last; /* address of the last row, even if this row was redundant */
	uint64_t address;
	uint64_t operation; /* index of the operation within a VLIW instruction */
	uint32_t file, line;
	int error;
};

static void begin_sequence(struct line_machine *machine)
{
	machine->first = machine->rows->nr_rows;
	machine->last = 0;
	machine->address = 0;
	machine->operation = 0;
	machine->file = 1;
	machine->line = 1;
}

static int add_sequence(struct dwarf_rows *rows, const struct dwarf_sequence *sequence)
{
	if (array_reserve(&rows->sequences, &rows->room_sequences, rows->nr_sequences, 1))
		return -ENOMEM;
	rows->sequences[rows->nr_sequences++] = *sequence;
	return 0;
}

/*
 * Ends the sequence at the address `end`. Removes the last row if it has no code. Does not add a
 * sequence without rows.
 */
static void end_sequence(struct line_machine *machine, uint64_t end)
{
	struct dwarf_rows *rows = machine->rows;
	size_t first = machine->first;

	if (rows->nr_rows > first && rows->rows[rows->nr_rows - 1].address >= end)
		rows->nr_rows--; /* the last row has no code */
	if (rows->nr_rows > first && !machine->error)
		machine->error = add_sequence(
			rows, &(struct dwarf_sequence){.start = rows->rows[first].address,
						       .end = end,
						       .row = first,
						       .nr_rows = rows->nr_rows - first});
	machine->first = rows->nr_rows;
}

static inline void add_row(struct line_machine *machine)
{
	struct dwarf_rows *rows = machine->rows;
	struct dwarf_row *last;

	/* Addresses ascend within a sequence, so a lower address begins a new sequence. */
	if (machine->address < machine->last)
		end_sequence(machine, machine->last);
	machine->last = machine->address;
	if (rows->nr_rows > machine->first) {
		last = &rows->rows[rows->nr_rows - 1];
		if (last->file == machine->file && last->line == machine->line)
			return;
		if (last->address == machine->address) {
			last->file = machine->file;
			last->line = machine->line;
			return;
		}
	}
	if (array_reserve(&rows->rows, &rows->room_rows, rows->nr_rows, 1)) {
		machine->error = -ENOMEM;
		return;
	}
	rows->rows[rows->nr_rows++] = (struct dwarf_row){
		.address = machine->address, .file = machine->file, .line = machine->line};
}

static inline void advance(struct line_machine *machine, uint64_t nr_operations)
{
	const struct dwarf_lines *lines = machine->lines;

	if (lines->max_operations == 1) {
		machine->address += nr_operations * lines->min_bytes;
		return;
	}
	nr_operations += machine->operation;
	machine->address += nr_operations / lines->max_operations * lines->min_bytes;
	machine->operation = nr_operations % lines->max_operations;
}

static void run_extended(struct line_machine *machine)
{
	uint64_t nr_bytes = cursor_uleb(&machine->cursor);
	struct cursor inside = machine->cursor;

	cursor_skip(&machine->cursor, nr_bytes);
	if (machine->cursor.failed || !nr_bytes)
		return;
	inside.end = machine->cursor.at;
	switch (cursor_u8(&inside)) {
	case DW_LNE_end_sequence:
		end_sequence(machine, machine->address);
		begin_sequence(machine);
		break;
	case DW_LNE_set_address:
		machine->address = cursor_number(&inside, (unsigned int)nr_bytes - 1);
		machine->operation = 0;
		if (inside.failed)
			cursor_fail(&machine->cursor);
		break;
	default: /* ignores discriminators, and DW_LNE_define_file, which compilers do not use */
		break;
	}
}

static void skip_operands(struct line_machine *machine, unsigned int opcode)
{
	for (unsigned int i = 0; i < machine->lines->operands[opcode]; i++)
		(void)cursor_uleb(&machine->cursor);
}

static void run_standard(struct line_machine *machine, unsigned int opcode)
{
	const struct dwarf_lines *lines = machine->lines;
	struct cursor *cursor = &machine->cursor;

	switch (opcode) {
	case 0:
		run_extended(machine);
		break;
	case DW_LNS_copy:
		add_row(machine);
		break;
	case DW_LNS_advance_pc:
		advance(machine, cursor_uleb(cursor));
		break;
	case DW_LNS_advance_line:
		machine->line += (uint32_t)cursor_sleb(cursor);
		break;
	case DW_LNS_set_file:
		machine->file = (uint32_t)cursor_uleb(cursor);
		break;
	case DW_LNS_const_add_pc:
		advance(machine, (255u - lines->opcode_base) / lines->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		machine->address += cursor_u16(cursor);
		machine->operation = 0;
		break;
	default: /* ignores columns, marks of statements, blocks and prologues, and newer opcodes */
		skip_operands(machine, opcode);
		break;
	}
}

int dwarf_lines_run(const struct dwarf_lines *lines, struct dwarf_rows *rows)
{
	struct line_machine machine = {.lines = lines, .rows = rows, .cursor = lines->program};

	begin_sequence(&machine);
	while (cursor_left(&machine.cursor) && !machine.error) {
		unsigned int opcode = cursor_u8(&machine.cursor);

		if (opcode < lines->opcode_base) {
			run_standard(&machine, opcode);
			continue;
		}
		opcode -= lines->opcode_base;
		advance(&machine, opcode / lines->line_range);
		machine.line += (uint32_t)(lines->line_base + (int)(opcode % lines->line_range));
		add_row(&machine);
	}
	rows->nr_rows = machine.first; /* removes the rows of a sequence that has no end */
	if (machine.cursor.failed && !machine.error)
		machine.error = -EILSEQ;
	return machine.error;
}
