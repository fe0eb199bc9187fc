/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code tables: where the functions of a binary begin, and how its frames are
 * left, row by row: what .eh_frame says, and .debug_frame where that says
 * nothing, made ready to be searched in a sampling loop (doc/code-table.md).
 * Built once per binary, kept in a file of its own, read whole from
 * then on. Knows nothing of profiling; needs no library, so that boards have it.
 *
 * Building reads hostile bytes: do it in a child that gave up everything
 * (lib/confine.h). What it writes is checked again when it is opened.
 *
 * x86-64 and AArch64, 64 bits, little-endian. Keys are file offsets: those of
 * sample files. Not read: a compressed .debug_frame.
 */
#ifndef UNWIND_CODE_TABLE_H
#define UNWIND_CODE_TABLE_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_table; /* in memory, immutable; any number of threads */

enum code_machine { CODE_X86_64, CODE_AARCH64 };

/*
 * The registers that are followed from frame to frame, each in its slot: the
 * return address, the frame pointer, and what a function must give back.
 */
#define CODE_SLOT_RETURN 0
#define CODE_SLOT_FP	 1
#define CODE_SLOTS_MAX	 12

/* DWARF's numbers of the registers of a machine's slots, *nr_slots of them. */
const uint8_t *code_machine_slots(enum code_machine machine, size_t *nr_slots);

#define CODE_PLT_SLOT_BYTES 16u /* where CODE_CFA_PLT is in force */

/* How a register of the caller's frame is found. */
enum code_rule {
	CODE_RULE_SAME,	     /* as it is */
	CODE_RULE_CFA,	     /* at the frame's address (CFA) + value */
	CODE_RULE_FP,	     /* at the frame pointer, as it is in this frame, + value */
	CODE_RULE_REGISTER,  /* in the register of number value */
	CODE_RULE_UNDEFINED, /* of the return address: this is the outermost frame */
	CODE_RULE_HARD,	     /* an expression of another kind: not known */
};

/* How the frame's address is found. */
enum code_cfa {
	CODE_CFA_HARD,	/* not by this table */
	CODE_CFA_SP,	/* stack pointer + cfa_offset */
	CODE_CFA_FP,	/* frame pointer + cfa_offset */
	CODE_CFA_OTHER, /* register + cfa_offset, where the register is known */
	CODE_CFA_DEREF, /* what is at register + cfa_offset, + cfa_add */
	CODE_CFA_PLT,	/* sp + cfa_offset, 8 more from byte cfa_register of each 16 on */
	/* What is at stack pointer + 8 * register + cfa_offset, + cfa_add (libcrypto's numbers). */
	CODE_CFA_INDEX,
	CODE_CFA_SIGNAL, /* the registers lie in what the kernel put on the stack for a signal */
};

struct code_place {
	uint8_t rule;  /* enum code_rule */
	int32_t value; /* of RULE_CFA, _FP: bytes */
};

/* From its place on, to that of the next row. */
struct code_row {
	uint8_t cfa;	      /* enum code_cfa */
	uint8_t cfa_register; /* DWARF's number */
	int32_t cfa_offset, cfa_add;
	struct code_place places[CODE_SLOTS_MAX]; /* by slot */
};

/*
 * Read the ELF file open at from, write its table to the empty file at to. 0;
 * -ENOEXEC not ELF or another machine; -ENODATA it has neither table; -EILSEQ
 * damaged; -EFBIG the table would be beyond max_bytes: nothing is written then;
 * -ENOMEM, -errno. Descriptors are read by pread and written by write only.
 */
int code_table_build(int from, int to, uint64_t max_bytes, struct diag *diag);

/* The same of the kernel's vdso, which of arm64 may have none: unwind/code_bare.h. */
int code_table_build_vdso(int from, int to, uint64_t max_bytes, struct diag *diag);

/* Read the table open at fd (borrowed). 0; -EINVAL none, -EILSEQ damaged, -EPROTONOSUPPORT newer.
 */
int code_table_open(struct code_table **table, int fd, struct diag *diag);
void code_table_close(struct code_table *table); /* NULL is fine */

enum code_machine code_table_machine(const struct code_table *table);

/*
 * The first byte of the function that holds key; -ENOENT none does. Of a PLT
 * whose rows are CODE_CFA_PLT each slot is one, other PLTs are one in all.
 */
int code_table_function(const struct code_table *table, uint64_t key, uint64_t *start);

/* The row in force at key. 0 or -ENOENT. */
int code_table_row(const struct code_table *table, uint64_t key, struct code_row *row);

/*
 * At key the function has no frame: the return address is in the register for it (AArch64's
 * x30), or at the stack pointer (x86-64). False where nothing is known, too.
 */
bool code_table_is_frameless(const struct code_table *table, uint64_t key);

/* What is in it, and what could not be: for tests, figures and messages. */
struct code_table_stat {
	uint64_t nr_bytes;   /* of the table */
	size_t nr_functions; /* ranges of code that a row is known for */
	size_t nr_rows;	     /* places where another row begins */
	size_t nr_distinct;  /* rows that differ */
	uint64_t code_bytes; /* of all functions */
	uint64_t hard_bytes; /* of them, where frames can't be left (CODE_CFA_HARD, _RULE_HARD) */
	size_t nr_functions_lost; /* not readable: of unknown encodings, or outside the code */
};
void code_table_stat(const struct code_table *table, struct code_table_stat *stat);

#endif
