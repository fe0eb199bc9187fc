/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file opened for its symbols: maps addresses to file offsets, and lists the symbols
 * of its tables. Runs in the helper.
 */
#ifndef PP_SYMBOL_FILE_H
#define PP_SYMBOL_FILE_H

#include "lib/buildid.h"
#include "pp/symbols/symbol_list.h"

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A PT_LOAD segment: the file contains the addresses [start, end) from `offset` on. */
struct symbol_segment {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
};

struct symbol_section {
	uint64_t start; /* address */
	uint64_t end;
	const char *name; /* "" if the section has none */
	bool executable;
};

struct symbol_file {
	int fd;	      /* -1: the file is in memory */
	void *memory; /* owned; or NULL */
	char *path;   /* owned */
	Elf *elf;
	int machine; /* EM_* */
	struct buildid build_id;
	struct symbol_segment *segments;
	size_t nr_segments;
	struct symbol_section *sections; /* sections, with the same indexes as in the file */
	size_t nr_sections;
	Elf_Scn *symtab; /* or NULL */
	Elf_Scn *dynsym; /* or NULL */
	Elf_Scn *debuglink;
	bool by_address;      /* true for the kernel: a key is an address minus key_address */
	uint64_t key_address; /* address of _text */
};

/*
 * Opens the ELF file in fd. Takes ownership of fd: symbol_file_close() closes it; after a failure,
 * this function has closed it. path is copied; it is used in messages and to find related files.
 * Returns 0; -ENOEXEC if the file is not an ELF file; -EILSEQ if it is damaged; -ENOMEM.
 */
int symbol_file_open(struct symbol_file *file, int fd, const char *path);
/*
 * As symbol_file_open(), for nr_bytes of malloc'ed memory. Takes ownership of bytes, also on
 * failure.
 */
int symbol_file_open_memory(struct symbol_file *file, void *bytes, size_t nr_bytes,
			    const char *path);
void symbol_file_close(struct symbol_file *file);

/* Returns the content of .gnu_debuglink, or NULL; debuglink_parse reads it. */
Elf_Data *symbol_file_debuglink(const struct symbol_file *file);

/* Returns the first section with this name, or NULL. */
const struct symbol_section *symbol_file_section(const struct symbol_file *file, const char *name);

/*
 * Fills address, start and limit of symbol. address_limit is the end of the symbol's section.
 * Returns false if no segment contains address, or if address is below the kernel's key_address and
 * therefore has no key.
 */
bool symbol_file_place(const struct symbol_file *file, uint64_t address, uint64_t address_limit,
		       struct listed_symbol *symbol);

/*
 * Returns the number to add to addresses in `debug`, the debug file of `image`, to get addresses in
 * `image`: 0 unless `image` was relocated (prelink).
 */
uint64_t symbol_file_bias(const struct symbol_file *image, const struct symbol_file *debug);

/* Finds the address of a key. Returns false if no segment contains the key. */
bool symbol_file_address(const struct symbol_file *file, uint64_t key, uint64_t *address);

/*
 * Finds a key's offset in the file. *nr_bytes becomes the number of bytes from this offset to the
 * end of the segment's data in the file.
 */
bool symbol_file_offset(const struct symbol_file *file, uint64_t key, uint64_t *offset,
			uint64_t *nr_bytes);

/*
 * Adds the functions of a symbol table to `list`. `table` is the symtab or dynsym of *from, which
 * is image itself or its debug file. For bias see symbol_file_bias(). Keys come from image's
 * segments, because a debug file has no code. Names point into *from. Returns 0; -EILSEQ if `table`
 * is damaged (all readable symbols were added); -ENOMEM.
 */
int symbol_file_list(const struct symbol_file *image, const struct symbol_file *from,
		     Elf_Scn *table, uint64_t bias, struct symbol_list *list);

#endif
