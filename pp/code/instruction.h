/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes instructions to text with libopcodes, one at a time. The texts of x86 instructions
 * are cached: x86 instructions are a prefix code, so the same bytes are the same instruction
 * anywhere. Texts that contain an address are not cached. Runs in the helper.
 */
#ifndef PP_INSTRUCTION_H
#define PP_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_TEXT_BYTES 512
#define INSTRUCTION_PADDING    16 /* readable bytes after the code */

struct instruction_decoder;

/* Callbacks and options of the decoder's user. */
struct instruction_names {
	void *context;
	/* Writes "1139 <square+0x4>" or similar to text. */
	void (*show)(void *context, uint64_t address, char *text, size_t nr_bytes);
	bool forgets; /* disables the cache: for tests */
};

/*
 * machine: e_machine of an ELF file; is_64: its class. Returns 0, -ENOMEM, or -ENOEXEC if
 * libopcodes does not support the machine. *name: static text, the machine's name or "this
 * machine".
 */
int instruction_decoder_create(struct instruction_decoder **decoder, int machine, bool is_64,
			       bool is_big_endian, const struct instruction_names *names,
			       const char **name);
void instruction_decoder_destroy(struct instruction_decoder *decoder);

struct instruction {
	unsigned int nr_bytes; /* > 0 */
	const char *text;      /* NULL: the text of an earlier instruction, found by *kept */
	uint32_t *kept; /* where the caller stores a number for this text, 0 if new; NULL: text is
			   not reused */
};

/*
 * Decodes the instruction at code, which is at address and has nr_left bytes followed by
 * INSTRUCTION_PADDING. *instruction is valid until the next call. Invalid bytes are shown as
 * ".byte".
 */
void instruction_decode(struct instruction_decoder *decoder, const uint8_t *code, size_t nr_left,
			uint64_t address, struct instruction *instruction);

#endif
