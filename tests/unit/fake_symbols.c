// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/fake_symbols.h"

#include "pp/code_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES_MAX 8

static struct {
	const char *path;
	const struct symbol *symbols;
	size_t nr_symbols;
	const char *note;
} images[IMAGES_MAX];
static size_t nr_images;
static unsigned int nr_loads;

/* A table of code. */
static struct fake_code {
	const char *path;
	const struct fake_function *functions;
	size_t nr_functions;
} codes[IMAGES_MAX];
static size_t nr_codes;
static unsigned int nr_code_loads;

void fake_symbols_set(const char *path, const struct symbol *symbols, size_t nr_symbols,
		      const char *note)
{
	if (nr_images == IMAGES_MAX)
		abort();
	images[nr_images].path = path;
	images[nr_images].symbols = symbols;
	images[nr_images].nr_symbols = nr_symbols;
	images[nr_images++].note = note;
}

void fake_symbols_clear(void)
{
	nr_images = nr_codes = 0;
	nr_loads = nr_code_loads = 0;
}

void fake_functions_set(const char *path, const struct fake_function *functions,
			size_t nr_functions)
{
	if (nr_codes == IMAGES_MAX)
		abort();
	codes[nr_codes++] = (struct fake_code){path, functions, nr_functions};
}

unsigned int fake_functions_nr_loads(void)
{
	return nr_code_loads;
}

unsigned int fake_symbols_nr_loads(void)
{
	return nr_loads;
}

static int fill(struct symbol_table *table, size_t index)
{
	size_t nr_bytes = images[index].nr_symbols * sizeof(*table->symbols);

	table->symbols = malloc(nr_bytes ? nr_bytes : 1);
	if (!table->symbols)
		return -ENOMEM;
	if (nr_bytes)
		memcpy(table->symbols, images[index].symbols, nr_bytes);
	table->nr_symbols = images[index].nr_symbols;
	table->lack = table->nr_symbols ? SYMBOLS_FULL : SYMBOLS_STRIPPED;
	if (images[index].note)
		table->note = strdup(images[index].note);
	if (images[index].note && !table->note) {
		free(table->symbols);
		return -ENOMEM;
	}
	return 0;
}

int symbol_table_load(struct symbol_table *table, const char *path,
		      const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		      const struct symbol_search *search)
{
	(void)identity;
	(void)kind;
	(void)search;
	nr_loads++;
	*table = (struct symbol_table){.lack = SYMBOLS_NONE};
	for (size_t i = 0; i < nr_images; i++)
		if (!strcmp(images[i].path, path))
			return fill(table, i);
	return 0;
}

void symbol_table_deinit(struct symbol_table *table)
{
	free(table->symbols);
	free(table->note);
	*table = (struct symbol_table){0};
}

/* "_Z3foo" is shown as "foo()". */
char *symbol_demangle(const char *name, enum demangle_mode mode)
{
	char *shown = strdup(name);

	if (shown && mode != DEMANGLE_NONE && !strcmp(name, "_Z3foo"))
		strcpy(shown, "foo()");
	return shown;
}

int code_functions_load(struct code_functions *functions, const char *path,
			const struct oprof_image_identity *identity, enum oprof_image_kind kind,
			const struct symbol_search *search)
{
	(void)identity;
	(void)kind;
	(void)search;
	nr_code_loads++;
	functions->table = NULL;
	for (size_t i = 0; i < nr_codes; i++)
		if (!strcmp(codes[i].path, path))
			functions->table = (struct code_table *)&codes[i];
	return 0;
}

void code_functions_deinit(struct code_functions *functions)
{
	functions->table = NULL;
}

uint64_t code_functions_find(const struct code_functions *functions, uint64_t key)
{
	const struct fake_code *code = (const struct fake_code *)functions->table;

	for (size_t i = 0; code && i < code->nr_functions; i++)
		if (code->functions[i].start <= key && key < code->functions[i].end)
			return code->functions[i].start;
	return 0;
}
