// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_wire.h"

#include "lib/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char plt_suffix[] = "@plt";

/* ---- the helper's side ---- */

struct wire_strings {
	char *bytes;
	size_t nr_bytes;
};

static size_t suffix_bytes(const struct listed_symbol *symbol)
{
	return symbol->sort == SYMBOL_SORT_PLT ? strlen(plt_suffix) : 0;
}

/*
 * Returns the number of bytes of all strings. The first string is empty, so that offset 0 means no
 * string.
 */
static size_t strings_needed(const struct symbol_result *result)
{
	size_t nr_bytes = 1;

	for (size_t i = 0; i < result->list.nr_symbols; i++) {
		const struct listed_symbol *symbol = &result->list.symbols[i];

		nr_bytes += symbol->name_bytes + suffix_bytes(symbol) + 1;
	}
	if (result->debug_path)
		nr_bytes += strlen(result->debug_path) + 1;
	if (result->note)
		nr_bytes += strlen(result->note) + 1;
	return nr_bytes;
}

static uint32_t strings_add(struct wire_strings *strings, const char *text, size_t text_bytes,
			    const char *suffix, size_t nr_suffix)
{
	uint32_t offset = (uint32_t)strings->nr_bytes;

	memcpy(strings->bytes + offset, text, text_bytes);
	memcpy(strings->bytes + offset + text_bytes, suffix, nr_suffix);
	strings->nr_bytes += text_bytes + nr_suffix;
	strings->bytes[strings->nr_bytes++] = '\0';
	return offset;
}

static uint32_t strings_add_text(struct wire_strings *strings, const char *text)
{
	return text ? strings_add(strings, text, strlen(text), "", 0) : 0;
}

static void fill_entry(struct symbol_wire_entry *entry, const struct listed_symbol *symbol,
		       struct wire_strings *strings)
{
	size_t nr_suffix = suffix_bytes(symbol);

	entry->start = symbol->start;
	entry->nr_bytes = symbol->end - symbol->start;
	entry->address = symbol->address;
	entry->name = strings_add(strings, symbol->name, symbol->name_bytes, plt_suffix, nr_suffix);
	entry->name_bytes = symbol->name_bytes + (uint32_t)nr_suffix;
}

static void fill(char *bytes, size_t nr_strings, const struct symbol_result *result)
{
	struct symbol_wire_header *header = (void *)bytes;
	struct symbol_wire_entry *entries = (void *)(bytes + sizeof(*header));
	struct wire_strings strings = {.bytes = (char *)(entries + result->list.nr_symbols)};

	strings_add_text(&strings, "");
	for (size_t i = 0; i < result->list.nr_symbols; i++)
		fill_entry(&entries[i], &result->list.symbols[i], &strings);
	*header = (struct symbol_wire_header){
		.magic = SYMBOL_WIRE_MAGIC,
		.lack = result->lack,
		.nr_symbols = result->list.nr_symbols,
		.strings_bytes = (uint32_t)nr_strings,
		.debug_path = strings_add_text(&strings, result->debug_path),
		.note = strings_add_text(&strings, result->note),
		.flags = result->kept ? SYMBOL_WIRE_KEPT : 0,
	};
}

int symbol_wire_write(int fd, const struct symbol_result *result)
{
	size_t nr_strings = strings_needed(result);
	size_t nr_bytes = sizeof(struct symbol_wire_header) + nr_strings;
	char *bytes;
	int error;

	nr_bytes += result->list.nr_symbols * sizeof(struct symbol_wire_entry);
	if (nr_bytes > SYMBOL_WIRE_MAX_BYTES)
		return -EFBIG;
	bytes = malloc(nr_bytes);
	if (!bytes)
		return -ENOMEM;
	fill(bytes, nr_strings, result);
	error = file_write_all(fd, bytes, nr_bytes);
	free(bytes);
	return error;
}

/* ---- from table to bytes ---- */

static void pack(char *bytes, size_t nr_strings, const struct symbol_table *table)
{
	struct symbol_wire_header *header = (void *)bytes;
	struct symbol_wire_entry *entries = (void *)(bytes + sizeof(*header));
	struct wire_strings strings = {.bytes = (char *)(entries + table->nr_symbols)};

	memcpy(strings.bytes, table->strings, table->strings_bytes);
	strings.nr_bytes = table->strings_bytes;
	for (size_t i = 0; i < table->nr_symbols; i++) {
		const struct symbol *symbol = &table->symbols[i];

		entries[i] = (struct symbol_wire_entry){
			.start = symbol->start,
			.nr_bytes = symbol->nr_bytes,
			.address = symbol->address,
			.name = (uint32_t)(symbol->name - table->strings),
			.name_bytes = (uint32_t)strlen(symbol->name),
		};
	}
	*header = (struct symbol_wire_header){
		.magic = SYMBOL_WIRE_MAGIC,
		.lack = table->lack,
		.nr_symbols = table->nr_symbols,
		.strings_bytes = (uint32_t)nr_strings,
		.debug_path = strings_add_text(&strings, table->debug_path),
		.note = strings_add_text(&strings, table->note),
		.flags = table->kept ? SYMBOL_WIRE_KEPT : 0,
	};
}

char *symbol_wire_pack(const struct symbol_table *table, size_t nr_before, size_t *nr_bytes)
{
	size_t nr_strings = table->strings_bytes;
	size_t nr;
	char *bytes;

	if (table->debug_path)
		nr_strings += strlen(table->debug_path) + 1;
	if (table->note)
		nr_strings += strlen(table->note) + 1;
	nr = sizeof(struct symbol_wire_header) +
	     table->nr_symbols * sizeof(struct symbol_wire_entry) + nr_strings;
	if (!table->strings_bytes || nr > SYMBOL_WIRE_MAX_BYTES)
		return NULL;
	bytes = calloc(1, nr_before + nr);
	if (!bytes)
		return NULL;
	pack(bytes + nr_before, nr_strings, table);
	*nr_bytes = nr_before + nr;
	return bytes;
}

/* ---- the parent's side ---- */

struct wire {
	struct symbol_wire_header header;
	const struct symbol_wire_entry *entries;
	const char *strings;
};

static int wire_open(struct wire *wire, const char *bytes, size_t nr_bytes)
{
	uint64_t room;

	if (nr_bytes < sizeof(wire->header))
		return -EILSEQ;
	memcpy(&wire->header, bytes, sizeof(wire->header));
	room = nr_bytes - sizeof(wire->header);
	if (wire->header.magic != SYMBOL_WIRE_MAGIC || wire->header.lack > SYMBOLS_DAMAGED ||
	    wire->header.nr_symbols > room / sizeof(*wire->entries))
		return -EILSEQ;
	room -= wire->header.nr_symbols * sizeof(*wire->entries);
	if (wire->header.strings_bytes != room || !room)
		return -EILSEQ;
	wire->entries = (const void *)(bytes + sizeof(wire->header));
	wire->strings = (const char *)(wire->entries + wire->header.nr_symbols);
	return wire->strings[room - 1] ? -EILSEQ : 0;
}

static bool entry_is_valid(const struct wire *wire, const struct symbol_wire_entry *entry,
			   uint64_t previous_end)
{
	uint64_t name_end = (uint64_t)entry->name + entry->name_bytes;

	return entry->nr_bytes > 0 && entry->start >= previous_end &&
	       entry->nr_bytes <= UINT64_MAX - entry->start &&
	       name_end < wire->header.strings_bytes && !wire->strings[name_end];
}

/*
 * Copies the symbols to symbols[], which must have room for all of them. Their names will point
 * into `strings`.
 */
static int copy_symbols(const struct wire *wire, struct symbol *symbols, const char *strings)
{
	uint64_t end = 0;

	for (uint64_t i = 0; i < wire->header.nr_symbols; i++) {
		const struct symbol_wire_entry *entry = &wire->entries[i];

		if (!entry_is_valid(wire, entry, end))
			return -EILSEQ;
		symbols[i] = (struct symbol){.start = entry->start,
					     .nr_bytes = entry->nr_bytes,
					     .address = entry->address,
					     .name = strings + entry->name};
		end = entry->start + entry->nr_bytes;
	}
	return 0;
}

static void hide_controls(char *bytes, size_t nr_bytes)
{
	for (size_t i = 0; i < nr_bytes; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if ((c && c < 0x20) || c == 0x7f)
			bytes[i] = '?';
	}
}

/*
 * Returns whether any of 8 bytes is 1 to 0x1f, or 0x7f. Bit 7 of each byte is clear in `low`, so
 * that no sum carries into the next byte.
 */
static bool has_control(uint64_t bytes)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t low = bytes & (ones * 0x7f);
	uint64_t is_zero = ~(low + ones * 0x7f);
	uint64_t is_below_blank = ~(low + ones * 0x60);
	uint64_t is_delete = low + ones;

	return ((is_below_blank & ~is_zero) | is_delete) & ~bytes & (ones * 0x80);
}

/* Checks 8 bytes at a time, because strings take megabytes and control characters are rare. */
void symbol_wire_hide_controls(char *bytes, size_t nr_bytes)
{
	size_t i = 0;

	for (; i + sizeof(uint64_t) <= nr_bytes; i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		if (has_control(word))
			hide_controls(bytes + i, sizeof(word));
	}
	hide_controls(bytes + i, nr_bytes - i);
}

static int copy_text(char **text, const char *strings, size_t nr_bytes, uint32_t offset)
{
	*text = NULL;
	if (!offset)
		return 0;
	if (offset >= nr_bytes)
		return -EILSEQ;
	*text = strdup(strings + offset);
	return *text ? 0 : -ENOMEM;
}

void symbol_table_deinit(struct symbol_table *table)
{
	free(table->symbols);
	free(table->strings);
	free(table->debug_path);
	free(table->note);
	*table = (struct symbol_table){0};
}

static int fill_table(const struct wire *wire, struct symbol_table *table)
{
	const struct symbol_wire_header *header = &wire->header;
	int error;

	table->lack = (enum symbols_lack)header->lack;
	table->kept = header->flags & SYMBOL_WIRE_KEPT;
	table->nr_symbols = header->nr_symbols;
	table->strings_bytes = header->strings_bytes;
	table->strings = malloc(header->strings_bytes);
	table->symbols = calloc(header->nr_symbols + 1, sizeof(*table->symbols));
	if (!table->strings || !table->symbols)
		return -ENOMEM;
	memcpy(table->strings, wire->strings, header->strings_bytes);
	symbol_wire_hide_controls(table->strings, header->strings_bytes);
	error = copy_symbols(wire, table->symbols, table->strings);
	if (!error)
		error = copy_text(&table->debug_path, table->strings, header->strings_bytes,
				  header->debug_path);
	if (!error)
		error = copy_text(&table->note, table->strings, header->strings_bytes,
				  header->note);
	return error;
}

int symbol_wire_parse(const void *bytes, size_t nr_bytes, struct symbol_table *table)
{
	struct symbol_table read = {0};
	struct wire wire;
	int error = wire_open(&wire, bytes, nr_bytes);

	if (!error)
		error = fill_table(&wire, &read);
	if (error) {
		symbol_table_deinit(&read);
		return error;
	}
	*table = read;
	return 0;
}

int symbol_wire_read(int fd, struct symbol_table *table)
{
	struct stat status;
	ssize_t nr_read;
	char *bytes;
	int error;

	if (fstat(fd, &status))
		return -errno;
	if (status.st_size <= 0 || status.st_size > SYMBOL_WIRE_MAX_BYTES)
		return -EILSEQ;
	bytes = malloc((size_t)status.st_size);
	if (!bytes)
		return -ENOMEM;
	nr_read = file_pread_all(fd, bytes, (size_t)status.st_size, 0);
	error = nr_read < 0 ? (int)nr_read : symbol_wire_parse(bytes, (size_t)nr_read, table);
	free(bytes);
	return error;
}
