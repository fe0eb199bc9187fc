// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/symbol_choice.h"

#include <stdlib.h>

static bool ends_before(const struct symbol *symbol, uint64_t key)
{
	return symbol->start < key && key - symbol->start >= symbol->nr_bytes;
}

/*
 * Searches with doubling strides, then by bisection: fast both for dense profiles and for few keys
 * in a large table.
 */
size_t symbol_find_from(const struct symbol_table *table, size_t index, uint64_t key)
{
	size_t stride = 1;
	size_t high;

	while (index + stride <= table->nr_symbols &&
	       ends_before(&table->symbols[index + stride - 1], key)) {
		index += stride;
		stride *= 2;
	}
	high = index + stride < table->nr_symbols ? index + stride : table->nr_symbols;
	while (index < high) {
		size_t middle = index + (high - index) / 2;

		if (ends_before(&table->symbols[middle], key))
			index = middle + 1;
		else
			high = middle;
	}
	return index;
}

static bool list_match_symbol(const struct spec_list *list, const char *name, const char *shown)
{
	return spec_list_match(list, name) || (shown && spec_list_match(list, shown));
}

bool symbol_is_left_out(const struct spec_list *include, const struct spec_list *exclude,
			const char *name, enum demangle_mode demangle)
{
	char *shown;
	bool hidden;

	if (!include->nr_patterns && !exclude->nr_patterns)
		return false;
	shown = *name ? symbol_demangle(name, demangle) : NULL;
	hidden = list_match_symbol(exclude, name, shown);
	if (include->nr_patterns && !list_match_symbol(include, name, shown))
		hidden = true;
	free(shown);
	return hidden;
}
