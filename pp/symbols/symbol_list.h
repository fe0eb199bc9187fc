/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the symbols of ELF tables into one table that has one name for each byte of code: aliases
 * are resolved, overlaps removed. Runs in the helper, on untrusted input. Does not read files.
 */
#ifndef PP_SYMBOL_LIST_H
#define PP_SYMBOL_LIST_H

#include <stddef.h>
#include <stdint.h>

/*
 * Kind of a symbol. If several symbols begin at one address, the kind that is listed first here is
 * preferred.
 */
enum symbol_sort {
	SYMBOL_SORT_FUNCTION,
	SYMBOL_SORT_PLT, /* entry of the procedure linkage table: "@plt" is appended to its name */
	SYMBOL_SORT_LABEL, /* code without a type: hand-written assembly */
};

enum symbol_binding { SYMBOL_BINDING_GLOBAL, SYMBOL_BINDING_WEAK, SYMBOL_BINDING_LOCAL };

struct listed_symbol {
	uint64_t start;	  /* key */
	uint64_t end;	  /* key after the symbol's last byte; equal to start: size unknown */
	uint64_t limit;	  /* upper bound of end: the end of the symbol's section and segment */
	uint64_t address; /* address in the file */
	const char *name; /* not owned; not NUL-terminated */
	uint32_t name_bytes;
	uint16_t sort;	  /* enum symbol_sort */
	uint16_t binding; /* enum symbol_binding */
};

struct symbol_list {
	struct listed_symbol *symbols;
	size_t nr_symbols;
	size_t nr_allocated;
};

void symbol_list_init(struct symbol_list *list);
void symbol_list_deinit(struct symbol_list *list);

/*
 * Adds a copy of symbol; start <= end <= limit. Ignores an empty symbol (start == limit).
 * Returns 0 or -ENOMEM.
 */
int symbol_list_add(struct symbol_list *list, const struct listed_symbol *symbol);

/*
 * Returns the preferred function that begins at address, or NULL. The search is linear. Call
 * before symbol_list_resolve().
 */
const struct listed_symbol *symbol_list_find(const struct symbol_list *list, uint64_t address);

/*
 * Turns the list into a table: sorted by start, without overlaps or empty symbols. If several
 * symbols have the same start, only one remains. These criteria choose it, in this order: kind
 * (enum symbol_sort); known size before unknown size; global before weak before local; fewest
 * leading underscores; shortest name; first name in the order of bytes. A symbol of unknown size
 * ends at its limit, or at the start of the next symbol if that comes first. A function inside
 * another one splits the outer one; a label inside a function is dropped. Returns 0 or -ENOMEM.
 */
int symbol_list_resolve(struct symbol_list *list);

#endif
