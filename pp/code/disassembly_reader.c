// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/code/disassembly_reader.h"

#include "lib/file.h"
#include "pp/code/code_reader.h"
#include "pp/code/disassembly_wire.h"
#include "pp/code/instruction.h"
#include "pp/symbols/symbol_helper.h"
#include "pp/symbols/symbol_image.h"
#include "pp/symbols/symbol_wire.h"

#include <elf.h>
#include <errno.h>
#include <libelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES_AT_ONCE 8192

/* The state while one image is disassembled. */
struct code_reading {
	const struct disassembly_request *request;
	struct symbol_image image;
	struct instruction_decoder *decoder;
	char **names; /* demangled name of each symbol; NULL: not demangled yet */
	int fd;
	struct disassembly_line lines[LINES_AT_ONCE]; /* not written yet */
	size_t nr_unwritten;
	uint64_t nr_lines;
	struct disassembly_part *parts; /* one per range that has code */
	size_t nr_parts;
	char *strings;
	size_t nr_strings, strings_room;
	enum symbols_lack lack;
	char *note;
};

/* ---- texts ---- */

static int grow_strings(struct code_reading *reading, size_t nr_more)
{
	size_t room = reading->strings_room ? reading->strings_room : 1 << 16;
	char *bigger;

	while (room - reading->nr_strings < nr_more)
		room *= 2;
	if (room == reading->strings_room)
		return 0;
	if (room > SYMBOL_WIRE_MAX_BYTES)
		return -EFBIG;
	bigger = realloc(reading->strings, room);
	if (!bigger)
		return -ENOMEM;
	reading->strings = bigger;
	reading->strings_room = room;
	return 0;
}

/*
 * Appends `text` to reading->strings, and stores its offset. The first text must be "", because
 * offset 0 means that there is no text.
 */
static int add_text(struct code_reading *reading, const char *text, uint32_t *offset)
{
	size_t nr_bytes = strlen(text) + 1;
	int error = grow_strings(reading, nr_bytes);

	if (error)
		return error;
	*offset = (uint32_t)reading->nr_strings;
	memcpy(reading->strings + reading->nr_strings, text, nr_bytes);
	reading->nr_strings += nr_bytes;
	return 0;
}

static int write_lines(struct code_reading *reading)
{
	size_t nr = reading->nr_unwritten;

	reading->nr_unwritten = 0;
	return file_write_all(reading->fd, reading->lines, nr * sizeof(*reading->lines));
}

static int add_line(struct code_reading *reading, uint32_t text, uint32_t nr_bytes)
{
	reading->lines[reading->nr_unwritten++] =
		(struct disassembly_line){.text = text, .nr_bytes = nr_bytes};
	reading->nr_lines++;
	return reading->nr_unwritten == LINES_AT_ONCE ? write_lines(reading) : 0;
}

/* ---- names of addresses ---- */

static bool key_of(const struct symbol_file *file, uint64_t address, uint64_t *key)
{
	if (file->by_address) {
		*key = address - file->key_address;
		return address >= file->key_address;
	}
	for (size_t i = 0; i < file->nr_segments; i++) {
		const struct symbol_segment *segment = &file->segments[i];

		if (address < segment->start || address >= segment->end)
			continue;
		*key = segment->offset + (address - segment->start);
		return true;
	}
	return false;
}

/* Returns the index of the symbol that contains `key`, or SIZE_MAX. */
static size_t find_symbol(const struct symbol_table *table, uint64_t key)
{
	size_t low = 0, high = table->nr_symbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols[middle].start <= key)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || key - table->symbols[low - 1].start >= table->symbols[low - 1].nr_bytes)
		return SIZE_MAX;
	return low - 1;
}

static const char *name_of(struct code_reading *reading, size_t index)
{
	char **name = &reading->names[index];

	if (!*name)
		*name = symbol_demangle(reading->request->symbols->symbols[index].name,
					reading->request->demangle);
	return *name ? *name : "?";
}

/* Formats an address as objdump does. */
static void show_address(void *context, uint64_t address, char *text, size_t nr_bytes)
{
	struct code_reading *reading = context;
	const struct symbol_table *table = reading->request->symbols;
	uint64_t key, offset;
	size_t index = SIZE_MAX;

	if (key_of(&reading->image.file, address, &key))
		index = find_symbol(table, key);
	if (index == SIZE_MAX) {
		(void)snprintf(text, nr_bytes, "%" PRIx64, address);
		return;
	}
	offset = key - table->symbols[index].start;
	if (offset)
		(void)snprintf(text, nr_bytes, "%" PRIx64 " <%.400s+0x%" PRIx64 ">", address,
			       name_of(reading, index), offset);
	else
		(void)snprintf(text, nr_bytes, "%" PRIx64 " <%.400s>", address,
			       name_of(reading, index));
}

/* ---- code ---- */

static int keep_text(struct code_reading *reading, const struct instruction *instruction,
		     uint32_t *text)
{
	int error;

	if (!instruction->text) {
		*text = *instruction->kept;
		return 0;
	}
	error = add_text(reading, instruction->text, text);
	if (!error && instruction->kept)
		*instruction->kept = *text;
	return error;
}

/* Disassembles one range. code: nr_bytes bytes, followed by INSTRUCTION_PADDING readable bytes. */
static int decode_range(struct code_reading *reading, const uint8_t *code, size_t nr_bytes,
			uint64_t key, uint64_t address)
{
	struct disassembly_part *part = &reading->parts[reading->nr_parts++];
	int error = 0;

	*part = (struct disassembly_part){
		.key = key, .address = address, .first = reading->nr_lines};
	for (size_t i = 0; i < nr_bytes && !error;) {
		struct instruction instruction;
		uint32_t text;

		instruction_decode(reading->decoder, code + i, nr_bytes - i, address + i,
				   &instruction);
		error = keep_text(reading, &instruction, &text);
		if (!error)
			error = add_line(reading, text, instruction.nr_bytes);
		i += instruction.nr_bytes;
	}
	part->nr = reading->nr_lines - part->first;
	return error;
}

static int read_range(struct code_reading *reading, const struct disassembly_range *range)
{
	const struct code_range wanted = {.start = range->start, .end = range->end};
	struct code_read read;
	int error = code_reader_range(&reading->image.file, &wanted, INSTRUCTION_PADDING, &read);

	if (error || !read.bytes)
		return error;
	error = decode_range(reading, read.bytes, read.nr_bytes, range->start, read.address);
	free(read.bytes);
	return error;
}

/* ---- the whole image ---- */

__attribute__((format(printf, 3, 4))) static void tell(struct code_reading *reading,
						       enum symbols_lack lack, const char *format,
						       ...)
{
	va_list arguments;

	reading->lack = lack;
	va_start(arguments, format);
	if (vasprintf(&reading->note, format, arguments) < 0)
		reading->note = NULL;
	va_end(arguments);
}

static int make_decoder(struct code_reading *reading)
{
	const struct symbol_file *file = &reading->image.file;
	const struct instruction_names names = {.context = reading, .show = show_address};
	const char *ident = elf_getident(file->elf, NULL);
	const char *machine;
	int error;

	error = instruction_decoder_create(
		&reading->decoder, file->machine, ident && ident[EI_CLASS] == ELFCLASS64,
		ident && ident[EI_DATA] == ELFDATA2MSB, &names, &machine);
	if (error != -ENOEXEC)
		return error;
	tell(reading, SYMBOLS_NONE,
	     "cannot show code of %s: this program's libopcodes does not support this machine, "
	     "but the libopcodes of binutils-multiarch-dev does; "
	     "to show source files, use --source without --assembly",
	     machine);
	return error;
}

static int read_ranges(struct code_reading *reading)
{
	size_t nr_symbols = reading->request->symbols->nr_symbols;
	int error = make_decoder(reading);

	if (error)
		return error == -ENOEXEC ? 0 : error;
	reading->names = calloc(nr_symbols + 1, sizeof(*reading->names));
	reading->parts = calloc(reading->request->nr_ranges + 1, sizeof(*reading->parts));
	if (!reading->names || !reading->parts)
		return -ENOMEM;
	for (size_t i = 0; i < reading->request->nr_ranges && !error; i++)
		error = read_range(reading, &reading->request->ranges[i]);
	for (size_t i = 0; i < nr_symbols; i++)
		free(reading->names[i]);
	return error;
}

/* Writes the header last, to the beginning of the file, because the header contains counts. */
static int write_result(struct code_reading *reading)
{
	struct disassembly_wire_header header = {.magic = DISASSEMBLY_WIRE_MAGIC,
						 .lack = reading->lack,
						 .nr_lines = reading->nr_lines,
						 .nr_parts = reading->nr_parts};
	int error = write_lines(reading);

	if (!error && reading->note)
		error = add_text(reading, reading->note, &header.note);
	header.strings_bytes = (uint32_t)reading->nr_strings;
	if (!error)
		error = file_write_all(reading->fd, reading->parts,
				       reading->nr_parts * sizeof(*reading->parts));
	if (!error)
		error = file_write_all(reading->fd, reading->strings, reading->nr_strings);
	if (!error && lseek(reading->fd, 0, SEEK_SET))
		error = -errno;
	return error ? error : file_write_all(reading->fd, &header, sizeof(header));
}

static void reading_deinit(struct code_reading *reading)
{
	instruction_decoder_destroy(reading->decoder);
	symbol_image_close(&reading->image);
	free(reading->names);
	free(reading->parts);
	free(reading->strings);
	free(reading->note);
}

static int read_image(struct code_reading *reading, const struct symbol_request *request)
{
	const struct disassembly_wire_header empty = {0};
	uint32_t unused;
	int opened = symbol_image_open(&reading->image, request);
	int error = add_text(reading, "", &unused);

	if (!error && opened == -ENOMEM)
		error = opened;
	if (!error)
		error = file_write_all(reading->fd, &empty, sizeof(empty));
	if (!error && opened)
		reading->lack = symbol_image_tell(opened, &reading->note);
	else if (!error)
		error = read_ranges(reading);
	return error ? error : write_result(reading);
}

int disassembly_read(const struct symbol_request *request, int fd)
{
	struct code_reading *reading = calloc(1, sizeof(*reading));
	int error;

	if (!reading)
		return -ENOMEM;
	reading->request = request->more;
	reading->fd = fd;
	error = read_image(reading, request);
	reading_deinit(reading);
	free(reading);
	return error;
}
