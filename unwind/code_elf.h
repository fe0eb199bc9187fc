/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a code table needs of an ELF file: headers, sections' bytes, and which
 * key an address has. Reads by pread, into memory of its own, and only what
 * lies in the file.
 */
#ifndef UNWIND_CODE_ELF_H
#define UNWIND_CODE_ELF_H

#include "lib/diag.h"
#include "unwind/code_table.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stretch of keys that hold code, [start, end), and the address of its first. */
struct code_elf_code {
	uint64_t start, end;
	uint64_t address;
};

struct code_elf {
	int fd; /* borrowed */
	uint64_t file_bytes;
	enum code_machine machine;
	Elf64_Ehdr ehdr;
	Elf64_Phdr *phdrs;
	size_t nr_phdrs;
	Elf64_Shdr *shdrs;
	size_t nr_shdrs;
	char *names; /* of sections; ends with a NUL */
	uint64_t names_bytes;
	struct code_elf_code *codes; /* of loaded executable segments: ascending, disjoint */
	size_t nr_codes;
	/* What code_elf_peek read last. */
	uint8_t *window;
	uint64_t window_start, window_end;
	int peek_error; /* why one could not be read, but for the file's end */
};

/* 0; -ENOEXEC, -EILSEQ, -ENOMEM, -errno of reading. Needs deinit in any case. */
int code_elf_init(struct code_elf *elf, int fd, struct diag *diag);
void code_elf_deinit(struct code_elf *elf);

/* The key of an address in the code; false: there is none. */
bool code_elf_key(const struct code_elf *elf, uint64_t address, uint64_t *key);

/* The first section of that name from index *index on, which is set behind it; NULL: no more. */
const Elf64_Shdr *code_elf_section(const struct code_elf *elf, const char *name, size_t *index);

/* The loaded segment that holds address, with bytes in the file; NULL. */
const Elf64_Phdr *code_elf_segment(const struct code_elf *elf, uint64_t address);

/* nr_bytes at offset into malloc'ed *bytes. -EILSEQ: beyond the file. */
int code_elf_read(const struct code_elf *elf, uint64_t offset, uint64_t nr_bytes, uint8_t **bytes);

/*
 * nr_bytes, a few, at key, good till the next call; NULL: the file ends before
 * them, or there is a peek_error. Cheap where keys ascend.
 */
const uint8_t *code_elf_peek(struct code_elf *elf, uint64_t key, size_t nr_bytes);

#endif
