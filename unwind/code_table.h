/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code tables (doc/code-table.md). A code table has the start of each function of a binary and,
 * for each instruction, a row, which describes how to find the caller. Searching a table is fast
 * enough for each frame of a sample. A table is built from .eh_frame and, for functions that are
 * missing there, from .debug_frame. Each table is built once per binary, stored in a file and read
 * completely. This module does not depend on profiling or on other libraries.
 *
 * Tables should be built in a child process without privileges (lib/confine.h), because the binary
 * is untrusted. When a table is opened, the whole table is checked again.
 *
 * The supported machines are x86-64 and little-endian AArch64. Keys are file offsets, as in sample
 * files. A compressed .debug_frame is ignored.
 */
#ifndef UNWIND_CODE_TABLE_H
#define UNWIND_CODE_TABLE_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_table; /* in memory; immutable, so any number of threads may use it */

enum code_machine { CODE_X86_64, CODE_AARCH64 };

/*
 * The registers that are tracked from frame to frame, each in a slot: the return address, the frame
 * pointer, and other registers that a function must preserve.
 */
#define CODE_SLOT_RETURN 0
#define CODE_SLOT_FP	 1
#define CODE_SLOTS_MAX	 12

/*
 * Returns the DWARF numbers of the registers in the slots of this machine. Sets *nr_slots to their
 * number.
 */
const uint8_t *code_machine_slots(enum code_machine machine, size_t *nr_slots);

#define CODE_PLT_SLOT_BYTES 16u /* size of a PLT entry to which CODE_CFA_PLT applies */

/* Rules: how to find the value that a register has in the caller. */
enum code_rule {
	CODE_RULE_SAME,	     /* unchanged */
	CODE_RULE_CFA,	     /* in memory, at the frame's address (CFA) + value */
	CODE_RULE_FP,	     /* in memory, at the frame pointer of this frame + value */
	CODE_RULE_REGISTER,  /* in the register whose number is `value` */
	CODE_RULE_UNDEFINED, /* only for the return address: this is the outermost frame */
	CODE_RULE_HARD,	     /* any other expression: the register becomes unknown */
};

/* How to find the frame's address (CFA, canonical frame address). */
enum code_cfa {
	CODE_CFA_HARD,	/* hard row: tables cannot express the rule for this code */
	CODE_CFA_SP,	/* stack pointer + cfa_offset */
	CODE_CFA_FP,	/* frame pointer + cfa_offset */
	CODE_CFA_OTHER, /* register + cfa_offset; only if the register is known */
	CODE_CFA_DEREF, /* the word at (register + cfa_offset), plus cfa_add */
	/*
	 * sp + cfa_offset. If pc is at byte cfa_register of its 16-byte PLT entry, or at a later
	 * byte, 8 is added.
	 */
	CODE_CFA_PLT,
	/* The word at (sp + 8 * register + cfa_offset), plus cfa_add; used in libcrypto. */
	CODE_CFA_INDEX,
	CODE_CFA_SIGNAL, /* frame of a signal: the kernel saved the registers on the stack */
};

struct code_place {
	uint8_t rule;  /* enum code_rule */
	int32_t value; /* RULE_CFA and RULE_FP: bytes; RULE_REGISTER: the register's number */
};

/* A row is valid from its key to the key of the next row (excluded). */
struct code_row {
	uint8_t cfa;	      /* enum code_cfa */
	uint8_t cfa_register; /* DWARF number */
	int32_t cfa_offset, cfa_add;
	struct code_place places[CODE_SLOTS_MAX]; /* by slot */
};

/*
 * Reads the ELF file open at descriptor `from` and writes its table to the empty file open at
 * descriptor `to`. Returns 0; -ENOEXEC: not an ELF file, or for another machine; -ENODATA: the
 * file has no unwind tables, or no functions in them; -EILSEQ: damaged; -EFBIG: the table would
 * exceed max_bytes, and nothing was written; -ENOMEM, -errno. Uses only fstat, pread and write on
 * the descriptors.
 */
int code_table_build(int from, int to, uint64_t max_bytes, struct diag *diag);

/*
 * Like code_table_build(), but for the kernel's vdso, which may have no unwind tables on arm64
 * (unwind/code_bare.h).
 */
int code_table_build_vdso(int from, int to, uint64_t max_bytes, struct diag *diag);

/*
 * Reads the table open at fd. The caller still owns fd. Returns 0; -EINVAL: not a code table;
 * -EILSEQ: damaged; -EPROTONOSUPPORT: another version; -ENOMEM, -errno.
 */
int code_table_open(struct code_table **table, int fd, struct diag *diag);
void code_table_close(struct code_table *table); /* NULL: does nothing */

enum code_machine code_table_machine(const struct code_table *table);

/*
 * Finds the first key of the function that contains `key`. Returns 0, or -ENOENT if no function
 * contains it. Each entry of a PLT with CODE_CFA_PLT rows counts as a function; any other PLT is
 * one function.
 */
int code_table_function(const struct code_table *table, uint64_t key, uint64_t *start);

/* Finds the row at key. Returns 0 or -ENOENT. */
int code_table_row(const struct code_table *table, uint64_t key, struct code_row *row);

/*
 * Returns whether the function has no frame at key: the return address is in x30 (AArch64) or at
 * the stack pointer (x86-64). Also returns false if the table has no row for key.
 */
bool code_table_is_frameless(const struct code_table *table, uint64_t key);

/* What a table contains and lacks, for tests, statistics and messages. */
struct code_table_stat {
	uint64_t nr_bytes;	  /* size of the table */
	size_t nr_functions;	  /* functions with rows */
	size_t nr_rows;		  /* number of keys at which another row begins */
	size_t nr_distinct;	  /* different rows */
	uint64_t code_bytes;	  /* bytes of code in all functions */
	uint64_t hard_bytes;	  /* bytes of code_bytes with hard rows, which cannot be unwound */
	size_t nr_functions_lost; /* functions not read: unsupported, or outside the code */
};
void code_table_stat(const struct code_table *table, struct code_table_stat *stat);

#endif
