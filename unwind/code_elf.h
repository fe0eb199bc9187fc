/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the parts of an ELF file that are needed to build a code table: its headers and the bytes
 * of sections. Also converts addresses to keys (code_table.h). The file is not mapped: its bytes
 * are read by pread() into allocated memory, and nothing beyond the end of the file is used.
 */
#ifndef UNWIND_CODE_ELF_H
#define UNWIND_CODE_ELF_H

#include "lib/diag.h"
#include "unwind/code_table.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of keys [start, end) that contains code, and the address that belongs to `start`. */
struct code_elf_code {
	uint64_t start, end;
	uint64_t address;
};

struct code_elf {
	int fd; /* owned by the caller */
	uint64_t file_bytes;
	enum code_machine machine;
	Elf64_Ehdr ehdr;
	Elf64_Phdr *phdrs;
	size_t nr_phdrs;
	Elf64_Shdr *shdrs;
	size_t nr_shdrs;
	char *names; /* names of sections; ends with a NUL */
	uint64_t names_bytes;
	struct code_elf_code *codes; /* loaded executable segments; ascending and disjoint */
	size_t nr_codes;
	/*
	 * The bytes that the last code_elf_peek() read. Their keys are [window_start, window_end).
	 */
	uint8_t *window;
	uint64_t window_start, window_end;
	int peek_error; /* -errno if code_elf_peek() failed; not set if the file is too short */
};

/*
 * Returns 0, -ENOEXEC, -EILSEQ, -ENOMEM or -errno. The caller must call code_elf_deinit in all
 * cases.
 */
int code_elf_init(struct code_elf *elf, int fd, struct diag *diag);
void code_elf_deinit(struct code_elf *elf);

/* Converts an address to a key. Returns false if the address is not in the file's code. */
bool code_elf_key(const struct code_elf *elf, uint64_t address, uint64_t *key);

/*
 * Returns the first section with this name at index *index or later, and sets *index to the index
 * after the returned section. Returns NULL if there is no such section.
 */
const Elf64_Shdr *code_elf_section(const struct code_elf *elf, const char *name, size_t *index);

/* Returns the loaded segment whose bytes in the file contain this address, or NULL. */
const Elf64_Phdr *code_elf_segment(const struct code_elf *elf, uint64_t address);

/*
 * Reads nr_bytes bytes at `offset` into malloc'ed *bytes. Returns 0; -EILSEQ: the bytes exceed the
 * file; or another -errno.
 */
int code_elf_read(const struct code_elf *elf, uint64_t offset, uint64_t nr_bytes, uint8_t **bytes);

/*
 * Returns the nr_bytes bytes (at most 64 KiB) at `key`, which are valid until the next call.
 * Returns NULL if the file is too short, or after an error, which sets elf->peek_error. Calls with
 * ascending keys are cheap.
 */
const uint8_t *code_elf_peek(struct code_elf *elf, uint64_t key, size_t nr_bytes);

#endif
