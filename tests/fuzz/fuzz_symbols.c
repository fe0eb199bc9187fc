// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols of hostile binaries. The first byte chooses. w: the answer of a helper process; k: a
 * session's kernel symbols; l: a debug link; e: an ELF file's tables (our part: libbfd is excluded,
 * because it can crash and therefore runs in the helper); d: a name to demangle.
 */
#include "pp/symbols/debug_file.h"
#include "pp/symbols/kernel_symbols.h"
#include "pp/symbols/symbol_file.h"
#include "pp/symbols/symbol_wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_table(struct symbol_table *table)
{
	uint64_t end = 0;

	for (size_t i = 0; i < table->nr_symbols; i++) {
		const struct symbol *symbol = &table->symbols[i];

		if (symbol->start < end || !symbol->nr_bytes ||
		    symbol->nr_bytes > UINT64_MAX - symbol->start)
			abort();
		for (const char *c = symbol->name; *c; c++)
			if ((unsigned char)*c < 0x20)
				abort();
		end = symbol->start + symbol->nr_bytes;
	}
	symbol_table_deinit(table);
}

static void try_wire(const char *bytes, size_t nr_bytes)
{
	struct symbol_table table;

	if (!symbol_wire_parse(bytes, nr_bytes, &table))
		check_table(&table);
}

static void try_kernel(const char *text, size_t nr_bytes)
{
	struct symbol_table table;
	struct diag diag;

	if (!kernel_symbols_parse(text, nr_bytes, &table, &diag))
		check_table(&table);
}

static void try_debuglink(const char *bytes, size_t nr_bytes)
{
	struct debuglink link;

	if (debuglink_parse(bytes, nr_bytes, nr_bytes & 1, &link))
		return;
	if (!link.name[0] || strlen(link.name) + 5 > nr_bytes || strchr(link.name, '/'))
		abort();
}

static void check_list(struct symbol_list *list)
{
	uint64_t end = 0;

	if (symbol_list_resolve(list))
		return;
	for (size_t i = 0; i < list->nr_symbols; i++) {
		const struct listed_symbol *symbol = &list->symbols[i];

		if (symbol->start < end || symbol->end <= symbol->start ||
		    strnlen(symbol->name, symbol->name_bytes) != symbol->name_bytes)
			abort();
		end = symbol->end;
	}
}

static void try_elf(const char *bytes, size_t nr_bytes)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct symbol_list list;
	struct symbol_file file;

	if (fd < 0)
		return;
	if (nr_bytes > 1 << 20 || write(fd, bytes, nr_bytes) != (ssize_t)nr_bytes) {
		close(fd);
		return;
	}
	symbol_list_init(&list);
	if (symbol_file_open(&file, fd, "/fuzz"))
		return;
	if (file.symtab)
		(void)symbol_file_list(&file, &file, file.symtab, 0, &list);
	if (file.dynsym)
		(void)symbol_file_list(&file, &file, file.dynsym, 0x1000, &list);
	(void)symbol_file_debuglink(&file);
	check_list(&list);
	symbol_list_deinit(&list);
	symbol_file_close(&file);
}

static void try_demangle(const char *name)
{
	free(symbol_demangle(name, DEMANGLE_NORMAL));
	free(symbol_demangle(name, DEMANGLE_SMART));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = size ? malloc(size) : NULL;

	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	copy[size - 1] = '\0';
	switch (data[0]) {
	case 'w':
		try_wire(copy, size - 1);
		break;
	case 'k':
		try_kernel(copy, size - 1);
		break;
	case 'l':
		try_debuglink(copy, size - 1);
		break;
	case 'e':
		try_elf(copy, size - 1);
		break;
	case 'd':
		try_demangle(copy);
		break;
	default:
		break;
	}
	free(copy);
	return 0;
}
