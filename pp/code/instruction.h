/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One instruction after the other as text, by libopcodes, and a memory of
 * what bytes came out as: of x86, whose instructions are a prefix code, so
 * that bytes that were one instruction are that instruction wherever they
 * stand. What shows an address is not remembered. Runs in the helper.
 */
#ifndef PP_INSTRUCTION_H
#define PP_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_TEXT_BYTES 512
#define INSTRUCTION_PADDING    16 /* readable bytes behind code */

struct instruction_decoder;

/* What the decoder asks of its user. */
struct instruction_names {
	void *context;
	/* Put "1139 <square+0x4>" or the like into text. */
	void (*show)(void *context, uint64_t address, char *text, size_t nr_bytes);
	bool forgets; /* nothing is remembered: for tests */
};

/*
 * For code of an ELF file's e_machine; is_64: of its class. -ENOEXEC:
 * libopcodes has no such machine; *name is its name or a number, valid for
 * good. 0 or -ENOMEM.
 */
int instruction_decoder_create(struct instruction_decoder **decoder, int machine, bool is_64,
			       bool is_big_endian, const struct instruction_names *names,
			       const char **name);
void instruction_decoder_destroy(struct instruction_decoder *decoder);

struct instruction {
	unsigned int nr_bytes; /* > 0 */
	const char *text;      /* NULL: the same as of an instruction before, which has kept */
	uint32_t *kept;	       /* where the caller keeps a number for this text; NULL: it is for
				  this place only */
};

/*
 * The instruction at code, which is at address; nr_left bytes, and
 * INSTRUCTION_PADDING behind them. Valid until the next call. What can't be
 * decoded is a ".byte". *kept is 0 when it is new.
 */
void instruction_decode(struct instruction_decoder *decoder, const uint8_t *code, size_t nr_left,
			uint64_t address, struct instruction *instruction);

#endif
