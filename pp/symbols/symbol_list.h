/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols as the tables of an ELF file give them, made into a table that
 * tells one name for each byte: aliases resolved, overlaps cut. Runs in the
 * helper, on what a hostile file says. Not for reading files.
 */
#ifndef PP_SYMBOL_LIST_H
#define PP_SYMBOL_LIST_H

#include <stddef.h>
#include <stdint.h>

/* What a symbol is, the better name first. */
enum symbol_sort {
	SYMBOL_SORT_FUNCTION,
	SYMBOL_SORT_PLT,   /* a slot of the procedure linkage table: "@plt" is added to its name */
	SYMBOL_SORT_LABEL, /* code with no type: hand-written assembly */
};

enum symbol_binding { SYMBOL_BINDING_GLOBAL, SYMBOL_BINDING_WEAK, SYMBOL_BINDING_LOCAL };

struct listed_symbol {
	uint64_t start;	  /* key */
	uint64_t end;	  /* key behind its last byte; equal to start: not known */
	uint64_t limit;	  /* key that it can't reach beyond: end of its section and segment */
	uint64_t address; /* as the file has it */
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
 * Add a copy of symbol; start <= end <= limit. 0 or -ENOMEM. A symbol that
 * can't hold a byte (start == limit) is left out.
 */
int symbol_list_add(struct symbol_list *list, const struct listed_symbol *symbol);

/*
 * The best name at address among the functions that were added; NULL: none
 * begins there. For lists that are not resolved yet: looks at each symbol.
 */
const struct listed_symbol *symbol_list_find(const struct symbol_list *list, uint64_t address);

/*
 * Make the list a table: by ascending start, no overlaps, no empty symbol.
 * Of symbols with the same start the best name stays: functions before
 * labels, global before weak before local, then those with fewer leading
 * underscores, shorter, first by bytes. A symbol of unknown size ends at the
 * next one or its limit. A function within another one cuts it, and the rest
 * of the outer one is listed again; a label within a function is dropped.
 * 0 or -ENOMEM.
 */
int symbol_list_resolve(struct symbol_list *list);

#endif
