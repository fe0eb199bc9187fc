/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes instructions to text with libopcodes, one at a time. The texts of x86 instructions are
 * cached: no x86 instruction is the beginning of another one, so equal bytes are the same
 * instruction at any address. Texts that contain an address are not cached. Runs in the helper.
 */
#ifndef PP_INSTRUCTION_H
#define PP_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_TEXT_BYTES 512
#define INSTRUCTION_PADDING    16 /* readable bytes after the code */

struct instruction_decoder;

/* Options and a callback that the decoder's user provides. */
struct instruction_names {
	void *context;
	/* Writes the address and its symbol to `text`, such as "1139 <square+0x4>". */
	void (*show)(void *context, uint64_t address, char *text, size_t nr_bytes);
	bool forgets; /* disables the cache; used by tests */
};

/*
 * machine: e_machine of an ELF file; is_64: its class. Returns 0, -ENOMEM, or -ENOEXEC if
 * libopcodes does not support the machine. Sets *name to a static text: the machine's name or "this
 * machine".
 */
int instruction_decoder_create(struct instruction_decoder **decoder, int machine, bool is_64,
			       bool is_big_endian, const struct instruction_names *names,
			       const char **name);
void instruction_decoder_destroy(struct instruction_decoder *decoder);

struct instruction {
	unsigned int nr_bytes; /* > 0 */
	const char *text; /* NULL: the text that the caller has stored under the number *kept */
	/*
	 * NULL if the text is not cached. If both `text` and `kept` are set, the caller must choose
	 * a number for the text, and store this number in *kept.
	 */
	uint32_t *kept;
};

/*
 * Decodes the instruction at `code`, whose address is `address`. nr_left: the number of bytes from
 * `code` to the end of the code; INSTRUCTION_PADDING readable bytes must follow the code.
 * *instruction is valid until the next call. Invalid bytes have the text ".byte".
 */
void instruction_decode(struct instruction_decoder *decoder, const uint8_t *code, size_t nr_left,
			uint64_t address, struct instruction *instruction);

#endif
