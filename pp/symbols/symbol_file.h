/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file opened for its symbols: where addresses lie in it, and what
 * its tables name. Runs in the helper.
 */
#ifndef PP_SYMBOL_FILE_H
#define PP_SYMBOL_FILE_H

#include "lib/buildid.h"
#include "pp/symbols/symbol_list.h"

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One PT_LOAD: addresses [start, end) lie at offset in the file. */
struct symbol_segment {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
};

struct symbol_section {
	uint64_t start; /* address */
	uint64_t end;
	const char *name; /* "" when it has none */
	bool executable;
};

struct symbol_file {
	int fd;	      /* -1: in memory */
	void *memory; /* owned; or NULL */
	char *path;   /* owned */
	Elf *elf;
	int machine; /* EM_* */
	struct buildid build_id;
	struct symbol_segment *segments;
	size_t nr_segments;
	struct symbol_section *sections; /* by their index in the file */
	size_t nr_sections;
	Elf_Scn *symtab; /* or NULL */
	Elf_Scn *dynsym; /* or NULL */
	Elf_Scn *debuglink;
	bool by_address;      /* the kernel: keys are addresses less key_address */
	uint64_t key_address; /* of _text */
};

/*
 * Open the file that fd holds; fd is the file's from now on, closed by
 * symbol_file_close or here on failure. path is copied: for messages and for
 * what lies beside it. 0, -ENOEXEC not an ELF file, -EILSEQ a damaged one,
 * -ENOMEM.
 */
int symbol_file_open(struct symbol_file *file, int fd, const char *path);
/* The same of nr_bytes in memory, malloc'ed, which is the file's from now on. */
int symbol_file_open_memory(struct symbol_file *file, void *bytes, size_t nr_bytes,
			    const char *path);
void symbol_file_close(struct symbol_file *file);

/* The name or data that .debuglink holds: see debug_file.h. */
Elf_Data *symbol_file_debuglink(const struct symbol_file *file);

/* The first section of this name, or NULL. */
const struct symbol_section *symbol_file_section(const struct symbol_file *file, const char *name);

/*
 * Fill start and limit of symbol from its address and the address behind its
 * section: false when no segment of file holds it, or it has no key because it
 * lies below the kernel's key_address.
 */
bool symbol_file_place(const struct symbol_file *file, uint64_t address, uint64_t address_limit,
		       struct listed_symbol *symbol);

/*
 * By how much the addresses of debug, its debug file, lie below those of
 * image: 0 unless image was moved (prelink).
 */
uint64_t symbol_file_bias(const struct symbol_file *image, const struct symbol_file *debug);

/* The address of a key; false when no segment holds it. */
bool symbol_file_address(const struct symbol_file *file, uint64_t key, uint64_t *address);

/* The offset in the file of a key's byte, and how many more of its segment are in the file. */
bool symbol_file_offset(const struct symbol_file *file, uint64_t key, uint64_t *offset,
			uint64_t *nr_bytes);

/*
 * Add the functions in a table of from (its symtab or dynsym), whose
 * addresses lie bias below those of image: from is image itself, or its
 * debug file, which has no bytes to place them by. Names point into from.
 * 0, -EILSEQ damaged (what could be read was added), -ENOMEM.
 */
int symbol_file_list(const struct symbol_file *image, const struct symbol_file *from,
		     Elf_Scn *table, uint64_t bias, struct symbol_list *list);

#endif
