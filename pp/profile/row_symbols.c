// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/row_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_symbols(const struct profile *profile, size_t a, size_t b)
{
	const struct profile_row *left = &profile->rows[a];
	const struct profile_row *right = &profile->rows[b];

	if (left->image != right->image)
		return left->image < right->image ? -1 : 1;
	return left->symbol < right->symbol ? -1 : left->symbol > right->symbol;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	size_t left = *(const size_t *)a;
	size_t right = *(const size_t *)b;
	int order = compare_symbols(context, left, right);

	return order ? order : left < right ? -1 : left > right;
}

char *row_symbol_show(const struct profile_row *row, enum demangle_mode demangle)
{
	char *shown = symbol_demangle(row->name, demangle);
	char *marked;

	if (!profile_row_is_inlined(row) || !shown)
		return shown;
	if (asprintf(&marked, "%s (inlined)", shown) < 0)
		marked = NULL;
	free(shown);
	return marked;
}

static char *show(const struct profile *profile, size_t row, enum demangle_mode demangle)
{
	const struct profile_row *of = &profile->rows[row];

	if (of->name)
		return row_symbol_show(of, demangle);
	if (profile->images[of->image].has_symbols)
		return strdup(ROW_SYMBOLS_NONE);
	return strdup(profile->selection->images[of->image].path);
}

static int fill(struct row_symbols *symbols, enum demangle_mode demangle)
{
	const struct profile *profile = symbols->profile;

	for (size_t i = 0; i < profile->nr_rows; i++) {
		size_t row = symbols->rows[i];
		struct row_symbol *symbol;

		if (!i || compare_symbols(profile, symbols->rows[i - 1], row)) {
			symbol = &symbols->symbols[symbols->nr_symbols++];
			symbol->first = i;
			symbol->shown = show(profile, row, demangle);
			if (!symbol->shown)
				return -ENOMEM;
		}
		symbols->symbols[symbols->nr_symbols - 1].nr++;
		symbols->symbol_of[row] = symbols->nr_symbols - 1;
	}
	return 0;
}

int row_symbols_init(struct row_symbols *symbols, const struct profile *profile,
		     enum demangle_mode demangle)
{
	int error = -ENOMEM;

	*symbols = (struct row_symbols){.profile = profile};
	symbols->symbols = calloc(profile->nr_rows + 1, sizeof(*symbols->symbols));
	symbols->rows = calloc(profile->nr_rows + 1, sizeof(*symbols->rows));
	symbols->symbol_of = calloc(profile->nr_rows + 1, sizeof(*symbols->symbol_of));
	if (symbols->symbols && symbols->rows && symbols->symbol_of) {
		for (size_t i = 0; i < profile->nr_rows; i++)
			symbols->rows[i] = i;
		qsort_r(symbols->rows, profile->nr_rows, sizeof(*symbols->rows), compare_rows,
			(void *)(uintptr_t)profile);
		error = fill(symbols, demangle);
	}
	if (error)
		row_symbols_deinit(symbols);
	return error;
}

void row_symbols_deinit(struct row_symbols *symbols)
{
	for (size_t i = 0; symbols->symbols && i < symbols->nr_symbols; i++)
		free(symbols->symbols[i].shown);
	free(symbols->symbols);
	free(symbols->rows);
	free(symbols->symbol_of);
	*symbols = (struct row_symbols){0};
}
