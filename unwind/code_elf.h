/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the parts of an ELF file that code tables need: headers, bytes of sections, and the key of
 * an address. Uses pread, into its own memory, and reads only within the file.
 */
#ifndef UNWIND_CODE_ELF_H
#define UNWIND_CODE_ELF_H

#include "lib/diag.h"
#include "unwind/code_table.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of keys that holds code, [start, end), and the address of start. */
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
	struct code_elf_code *codes; /* of loaded executable segments: ascending, disjoint */
	size_t nr_codes;
	/* The bytes that code_elf_peek read last, at keys [window_start, window_end). */
	uint8_t *window;
	uint64_t window_start, window_end;
	int peek_error; /* -errno of code_elf_peek; not set if only the file ends */
};

/* Returns 0, -ENOEXEC, -EILSEQ, -ENOMEM or -errno. Call code_elf_deinit in all cases. */
int code_elf_init(struct code_elf *elf, int fd, struct diag *diag);
void code_elf_deinit(struct code_elf *elf);

/* Finds the key of an address. Returns false if the address is not in the code. */
bool code_elf_key(const struct code_elf *elf, uint64_t address, uint64_t *key);

/* Returns the first section of this name from *index on and sets *index after it, or NULL. */
const Elf64_Shdr *code_elf_section(const struct code_elf *elf, const char *name, size_t *index);

/* Returns the loaded segment that has the byte at address in the file, or NULL. */
const Elf64_Phdr *code_elf_segment(const struct code_elf *elf, uint64_t address);

/*
 * Reads nr_bytes at offset into malloc'ed *bytes. Returns 0, -EILSEQ (beyond the file) or -errno.
 */
int code_elf_read(const struct code_elf *elf, uint64_t offset, uint64_t nr_bytes, uint8_t **bytes);

/*
 * Returns nr_bytes at key, at most 64 KiB, valid until the next call. Returns NULL if the file ends
 * before these bytes, or on an error, which sets peek_error. Cheap if keys ascend.
 */
const uint8_t *code_elf_peek(struct code_elf *elf, uint64_t key, size_t nr_bytes);

#endif
