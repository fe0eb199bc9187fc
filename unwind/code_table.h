/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code tables (doc/code-table.md). A code table has the start of each function of a binary and, for
 * each instruction, a row: how to find the caller from there. A sampling loop can search it. The
 * source is .eh_frame and, for functions without an entry there, .debug_frame. A table is built
 * once per binary, kept in a file and read whole. This module does not depend on profiling or on
 * other libraries.
 *
 * Building reads hostile bytes: do it in a child without privileges (lib/confine.h). Opening a
 * table checks the whole table again.
 *
 * Supported are x86-64 and AArch64, little-endian. Keys are file offsets, as in
 * sample files. A compressed .debug_frame is not read.
 */
#ifndef UNWIND_CODE_TABLE_H
#define UNWIND_CODE_TABLE_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_table; /* in memory, immutable; usable by any number of threads */

enum code_machine { CODE_X86_64, CODE_AARCH64 };

/*
 * The registers that are tracked from frame to frame, each in a slot: the return address, the frame
 * pointer, and other registers that a function must preserve.
 */
#define CODE_SLOT_RETURN 0
#define CODE_SLOT_FP	 1
#define CODE_SLOTS_MAX	 12

/* Returns the DWARF numbers of the registers in a machine's *nr_slots slots. */
const uint8_t *code_machine_slots(enum code_machine machine, size_t *nr_slots);

#define CODE_PLT_SLOT_BYTES 16u /* size of a PLT entry where CODE_CFA_PLT is valid */

/* How a register of the caller's frame is found. */
enum code_rule {
	CODE_RULE_SAME,	     /* unchanged */
	CODE_RULE_CFA,	     /* in memory, at the frame's address (CFA) + value */
	CODE_RULE_FP,	     /* in memory, at this frame's frame pointer + value */
	CODE_RULE_REGISTER,  /* in the register whose number is `value` */
	CODE_RULE_UNDEFINED, /* as rule of the return address: this is the outermost frame */
	CODE_RULE_HARD,	     /* any other expression: the register becomes unknown */
};

/* How the frame's address (CFA) is found. */
enum code_cfa {
	CODE_CFA_HARD,	/* a table cannot express it: a hard row */
	CODE_CFA_SP,	/* stack pointer + cfa_offset */
	CODE_CFA_FP,	/* frame pointer + cfa_offset */
	CODE_CFA_OTHER, /* register + cfa_offset, if the register is known */
	CODE_CFA_DEREF, /* the word at register + cfa_offset, plus cfa_add */
	CODE_CFA_PLT, /* sp + cfa_offset; 8 more from byte cfa_register of each 16-byte entry on */
	/* The word at stack pointer + 8 * register + cfa_offset, plus cfa_add (in libcrypto). */
	CODE_CFA_INDEX,
	CODE_CFA_SIGNAL, /* the kernel saved the registers on the stack for a signal */
};

struct code_place {
	uint8_t rule;  /* enum code_rule */
	int32_t value; /* of RULE_CFA, _FP: bytes; of RULE_REGISTER: its number */
};

/* A row is valid from its key up to the key of the next row. */
struct code_row {
	uint8_t cfa;	      /* enum code_cfa */
	uint8_t cfa_register; /* DWARF number */
	int32_t cfa_offset, cfa_add;
	struct code_place places[CODE_SLOTS_MAX]; /* by slot */
};

/*
 * Reads the ELF file open at descriptor `from` and writes its table to the empty file open at
 * descriptor `to`. Returns 0; -ENOEXEC: not an ELF file, or of another machine; -ENODATA: no unwind
 * tables, or no functions in them; -EILSEQ: damaged; -EFBIG: the table would exceed max_bytes,
 * nothing is written; -ENOMEM, -errno. Uses only fstat, pread and write on the descriptors.
 */
int code_table_build(int from, int to, uint64_t max_bytes, struct diag *diag);

/*
 * As code_table_build(), for the kernel's vdso, which on arm64 may lack unwind tables
 * (unwind/code_bare.h).
 */
int code_table_build_vdso(int from, int to, uint64_t max_bytes, struct diag *diag);

/*
 * Reads the table open at fd. The caller keeps and closes fd. Returns 0; -EINVAL: not a code table;
 * -EILSEQ: damaged; -EPROTONOSUPPORT: another version; -ENOMEM, -errno.
 */
int code_table_open(struct code_table **table, int fd, struct diag *diag);
void code_table_close(struct code_table *table); /* NULL: does nothing */

enum code_machine code_table_machine(const struct code_table *table);

/*
 * Finds the first key of the function that contains key. Returns 0; -ENOENT: no function contains
 * it. Each entry of a PLT with CODE_CFA_PLT rows counts as a function; any other PLT is one
 * function.
 */
int code_table_function(const struct code_table *table, uint64_t key, uint64_t *start);

/* Finds the row at key. Returns 0 or -ENOENT. */
int code_table_row(const struct code_table *table, uint64_t key, struct code_row *row);

/*
 * Returns whether the function has no frame at key: the return address is in x30 (AArch64) or at
 * the stack pointer (x86-64). Returns false also if the table has no row for key.
 */
bool code_table_is_frameless(const struct code_table *table, uint64_t key);

/* The content of a table and its gaps, for tests, statistics and messages. */
struct code_table_stat {
	uint64_t nr_bytes;	  /* of the table */
	size_t nr_functions;	  /* functions with rows */
	size_t nr_rows;		  /* keys where another row begins */
	size_t nr_distinct;	  /* different rows */
	uint64_t code_bytes;	  /* bytes of code in all functions */
	uint64_t hard_bytes;	  /* part of code_bytes where frames cannot be left (hard rows) */
	size_t nr_functions_lost; /* functions not read: unsupported, or outside the code */
};
void code_table_stat(const struct code_table *table, struct code_table_stat *stat);

#endif
