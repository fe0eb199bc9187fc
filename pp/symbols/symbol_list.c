// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How overlaps are removed. Symbols are sorted by start, with only one symbol for each start. A
 * stack holds the open functions, each nested in the one below it. The output is complete up to
 * nest.at. For each new symbol, the functions that end before the symbol are closed first: their
 * remaining pieces are added to the output. Then the innermost open function is added to the output
 * up to the symbol's start. Open functions that end within the symbol are removed from the stack.
 * Finally, the symbol becomes the innermost open function.
 */
#include "pp/symbols/symbol_list.h"

#include "lib/array.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void symbol_list_init(struct symbol_list *list)
{
	*list = (struct symbol_list){0};
}

void symbol_list_deinit(struct symbol_list *list)
{
	free(list->symbols);
	symbol_list_init(list);
}

int symbol_list_add(struct symbol_list *list, const struct listed_symbol *symbol)
{
	assert(symbol->start <= symbol->end && symbol->end <= symbol->limit);
	if (symbol->start == symbol->limit)
		return 0;
	if (array_reserve(&list->symbols, &list->nr_allocated, list->nr_symbols, 1))
		return -ENOMEM;
	list->symbols[list->nr_symbols++] = *symbol;
	return 0;
}

static uint32_t leading_underscores(const struct listed_symbol *symbol)
{
	uint32_t nr = 0;

	while (nr < symbol->name_bytes && symbol->name[nr] == '_')
		nr++;
	return nr;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Returns a negative number if `a` is preferred. */
static int name_order(const struct listed_symbol *a, const struct listed_symbol *b)
{
	int order = ORDER(a->sort, b->sort);

	if (!order) /* a symbol without a size is less reliable */
		order = ORDER(a->end == a->start, b->end == b->start);
	if (!order)
		order = ORDER(a->binding, b->binding);
	if (!order)
		order = ORDER(leading_underscores(a), leading_underscores(b));
	if (!order)
		order = ORDER(a->name_bytes, b->name_bytes);
	if (!order)
		order = memcmp(a->name, b->name, a->name_bytes);
	return order;
}

const struct listed_symbol *symbol_list_find(const struct symbol_list *list, uint64_t address)
{
	const struct listed_symbol *best = NULL;

	for (size_t i = 0; i < list->nr_symbols; i++) {
		const struct listed_symbol *symbol = &list->symbols[i];

		if (symbol->address == address && symbol->sort == SYMBOL_SORT_FUNCTION &&
		    (!best || name_order(symbol, best) < 0))
			best = symbol;
	}
	return best;
}

static int listed_symbol_order(const void *left, const void *right)
{
	const struct listed_symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return name_order(a, b);
}

/* Keeps only the first symbol with each start, and extends it to the largest end of its aliases. */
static void resolve_aliases(struct symbol_list *list)
{
	size_t nr = 0;

	for (size_t i = 0; i < list->nr_symbols; i++) {
		const struct listed_symbol *symbol = &list->symbols[i];
		struct listed_symbol *kept = nr ? &list->symbols[nr - 1] : NULL;

		if (!kept || kept->start != symbol->start)
			list->symbols[nr++] = *symbol;
		else if (symbol->end > kept->end)
			kept->end = symbol->end;
	}
	list->nr_symbols = nr;
}

static uint64_t end_of_unsized(const struct symbol_list *list, size_t i)
{
	const struct listed_symbol *symbol = &list->symbols[i];

	if (i + 1 == list->nr_symbols || list->symbols[i + 1].start > symbol->limit)
		return symbol->limit;
	return list->symbols[i + 1].start;
}

/* The open functions, which contain key `at`; the innermost is the last. */
struct nest {
	struct symbol_list *out;
	struct listed_symbol *open;
	size_t nr_open;
	uint64_t at; /* the output is complete up to this key */
};

/* Outputs the piece of the innermost open function from nest->at to `end`. */
static int nest_advance(struct nest *nest, uint64_t end)
{
	struct listed_symbol piece = nest->open[nest->nr_open - 1];

	if (end <= nest->at)
		return 0;
	piece.address += nest->at - piece.start;
	piece.start = nest->at;
	piece.end = end;
	nest->at = end;
	return symbol_list_add(nest->out, &piece);
}

/* Closes the functions that end at or before key. */
static int nest_close(struct nest *nest, uint64_t key)
{
	int error = 0;

	while (!error && nest->nr_open && nest->open[nest->nr_open - 1].end <= key) {
		error = nest_advance(nest, nest->open[nest->nr_open - 1].end);
		nest->nr_open--;
	}
	return error;
}

static int nest_open(struct nest *nest, const struct listed_symbol *symbol)
{
	int error = 0;

	if (nest->nr_open)
		error = nest_advance(nest, symbol->start);
	/* Drop functions that end within the new symbol. */
	while (nest->nr_open && nest->open[nest->nr_open - 1].end <= symbol->end)
		nest->nr_open--;
	nest->at = symbol->start;
	nest->open[nest->nr_open++] = *symbol;
	return error;
}

static int nest_add(struct nest *nest, const struct symbol_list *list, size_t i)
{
	struct listed_symbol symbol = list->symbols[i];
	int error = nest_close(nest, symbol.start);

	if (error)
		return error;
	if (nest->nr_open && symbol.sort == SYMBOL_SORT_LABEL)
		return 0;
	if (symbol.end == symbol.start)
		symbol.end = end_of_unsized(list, i);
	return nest_open(nest, &symbol);
}

static int cut_overlaps(const struct symbol_list *list, struct symbol_list *out)
{
	struct nest nest = {.out = out};
	int error = 0;

	nest.open = calloc(list->nr_symbols, sizeof(*nest.open));
	if (!nest.open)
		return -ENOMEM;
	for (size_t i = 0; !error && i < list->nr_symbols; i++)
		error = nest_add(&nest, list, i);
	if (!error)
		error = nest_close(&nest, UINT64_MAX);
	free(nest.open);
	return error;
}

int symbol_list_resolve(struct symbol_list *list)
{
	struct symbol_list out;
	int error;

	if (!list->nr_symbols)
		return 0;
	qsort(list->symbols, list->nr_symbols, sizeof(*list->symbols), listed_symbol_order);
	resolve_aliases(list);
	symbol_list_init(&out);
	error = cut_overlaps(list, &out);
	if (error) {
		symbol_list_deinit(&out);
		return error;
	}
	symbol_list_deinit(list);
	*list = out;
	return 0;
}
