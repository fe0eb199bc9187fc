/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the helper hands back: a file in memory that the helper fills and the
 * parent reads once the helper has ended. The parent trusts nothing in it:
 * a copy is taken, then every number is checked.
 *
 *   struct symbol_wire_header
 *   struct symbol_wire_entry [nr_symbols]
 *   strings_bytes of strings, each with its NUL
 */
#ifndef PP_SYMBOL_WIRE_H
#define PP_SYMBOL_WIRE_H

#include "pp/symbols/symbol_list.h"
#include "pp/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOL_WIRE_MAGIC     0x53594d42u
#define SYMBOL_WIRE_MAX_BYTES (1u << 30)

#define SYMBOL_WIRE_KEPT 1u /* read from what the session kept of the binary */

struct symbol_wire_header {
	uint32_t magic;
	uint32_t lack; /* enum symbols_lack */
	uint64_t nr_symbols;
	uint32_t strings_bytes;
	uint32_t debug_path; /* offset in the strings; 0: none */
	uint32_t note;	     /* offset in the strings; 0: none */
	uint32_t flags;	     /* SYMBOL_WIRE_* */
};

struct symbol_wire_entry {
	uint64_t start;
	uint64_t nr_bytes;
	uint64_t address;
	uint32_t name; /* offset in the strings */
	uint32_t name_bytes;
};

/* What was read, on the helper's side. list is resolved. */
struct symbol_result {
	struct symbol_list list;
	enum symbols_lack lack;
	bool kept;
	char *debug_path; /* owned; or NULL */
	char *note;	  /* owned; or NULL */
};

/* Write result to fd. 0, -EFBIG, -ENOMEM or -errno of writing. */
int symbol_wire_write(int fd, const struct symbol_result *result);

/*
 * Fill *table from what fd holds. 0, -EILSEQ when anything in it is not as
 * symbol_wire_write would have it, -ENOMEM, or -errno of reading; *table is
 * then untouched. Control characters in strings become '?', so that a hostile
 * binary can't write escape sequences to a terminal.
 */
int symbol_wire_read(int fd, struct symbol_table *table);

/*
 * What symbol_wire_parse makes table of again, malloc'ed, behind nr_before
 * zeroed bytes; *nr_bytes with those. NULL: no memory, or too much.
 */
char *symbol_wire_pack(const struct symbol_table *table, size_t nr_before, size_t *nr_bytes);

/* The same from nr_bytes in memory. */
int symbol_wire_parse(const void *bytes, size_t nr_bytes, struct symbol_table *table);

/* Make '?' of control characters in strings: all but their NULs. */
void symbol_wire_hide_controls(char *bytes, size_t nr_bytes);

#endif
