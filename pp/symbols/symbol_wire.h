/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helper's result: a file in memory that the helper writes and the parent reads after the
 * helper has ended. The parent does not trust the file: it copies the content, then checks
 * every number.
 *
 *   struct symbol_wire_header
 *   struct symbol_wire_entry [nr_symbols]
 *   strings_bytes bytes of NUL-terminated strings
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

#define SYMBOL_WIRE_KEPT 1u /* read from the session's copy of the binary */

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

/*
 * The helper's result before it is written. symbol_list_resolve() must have been called for list.
 */
struct symbol_result {
	struct symbol_list list;
	enum symbols_lack lack;
	bool kept;
	char *debug_path; /* owned; or NULL */
	char *note;	  /* owned; or NULL */
};

/* Writes result to fd. Returns 0, -EFBIG, -ENOMEM or -errno of write. */
int symbol_wire_write(int fd, const struct symbol_result *result);

/*
 * Fills *table from the content of fd. Returns 0, -EILSEQ if the content is not valid output
 * of symbol_wire_write, -ENOMEM, or -errno of read; *table is untouched on failure. Control
 * characters in strings become '?', so that a hostile binary cannot send escape sequences to
 * a terminal.
 */
int symbol_wire_read(int fd, struct symbol_table *table);

/*
 * Converts `table` to the format that symbol_wire_parse() reads. Returns malloc'ed memory that
 * begins with nr_before zero bytes; *nr_bytes includes these bytes. Returns NULL if out of memory
 * or if the result is too large.
 */
char *symbol_wire_pack(const struct symbol_table *table, size_t nr_before, size_t *nr_bytes);

/* Like symbol_wire_read(), for nr_bytes in memory. */
int symbol_wire_parse(const void *bytes, size_t nr_bytes, struct symbol_table *table);

/* Replaces control characters by '?', except NULs. */
void symbol_wire_hide_controls(char *bytes, size_t nr_bytes);

#endif
