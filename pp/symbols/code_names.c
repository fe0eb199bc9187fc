// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/code_names.h"

#include "lib/array.h"
#include "lib/file.h"
#include "oprof/session.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)64 << 20)
#define OTHER	  "[other code]"

struct names_parsing {
	struct symbol_table table;
	size_t nr_allocated;
	char *string; /* memory for the next name */
};

/* key must be greater than the keys added before. */
static int add(struct names_parsing *parsing, uint64_t key, const char *name)
{
	struct symbol_table *table = &parsing->table;

	if (array_reserve(&table->symbols, &parsing->nr_allocated, table->nr_symbols, 1))
		return -ENOMEM;
	table->symbols[table->nr_symbols++] =
		(struct symbol){.start = key, .nr_bytes = 1, .name = name};
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Reads one character of [*text, end) and advances *text. \xHH stands for byte HH; control
 * characters become '?'.
 */
static char take_character(const char **text, const char *end)
{
	unsigned char c = (unsigned char)*(*text)++;

	if (c == '\\' && end - *text >= 3 && (*text)[0] == 'x' && hex_digit((*text)[1]) >= 0 &&
	    hex_digit((*text)[2]) >= 0) {
		c = (unsigned char)(hex_digit((*text)[1]) << 4 | hex_digit((*text)[2]));
		*text += 3;
	}
	return c < 0x20 || c == 0x7f ? '?' : (char)c;
}

static const char *keep_name(struct names_parsing *parsing, const char *text, const char *end)
{
	const char *name = parsing->string;

	while (text < end)
		*parsing->string++ = take_character(&text, end);
	*parsing->string++ = '\0';
	return name;
}

/* A line is "NUMBER NAME"; numbers ascend. Other lines are ignored. */
static int parse_line(struct names_parsing *parsing, const char *line, const char *end)
{
	const struct symbol_table *table = &parsing->table;
	uint64_t last = table->symbols[table->nr_symbols - 1].start;
	unsigned long long number;
	char *next;

	if (*line < '1' || *line > '9' || memchr(line, '\0', (size_t)(end - line)))
		return 0;
	errno = 0;
	number = strtoull(line, &next, 10);
	if (errno || *next != ' ' || next + 1 >= end || number <= last || number > OPROF_NAMES_MAX)
		return 0;
	return add(parsing, number, keep_name(parsing, next + 1, end));
}

int code_names_parse(const char *text, size_t nr_bytes, struct symbol_table *table)
{
	struct names_parsing parsing = {.table = {.strings = malloc(nr_bytes + 1)}};
	const char *end;
	int error;

	parsing.string = parsing.table.strings;
	error = parsing.string ? add(&parsing, 0, OTHER) : -ENOMEM;
	/* A last line without a newline is ignored: the daemon may be writing it. */
	for (const char *line = text;
	     !error && (end = memchr(line, '\n', nr_bytes - (size_t)(line - text))); line = end + 1)
		error = parse_line(&parsing, line, end);
	if (error) {
		symbol_table_deinit(&parsing.table);
		return error;
	}
	*table = parsing.table;
	return 0;
}

static int tell(struct symbol_table *table, enum symbols_lack lack, const char *text)
{
	table->lack = lack;
	table->note = strdup(text);
	return table->note ? 0 : -ENOMEM;
}

int code_names_load(struct symbol_table *table, const char *meta_path)
{
	char *path, *text;
	size_t nr_bytes;
	int error;

	*table = (struct symbol_table){0};
	if (asprintf(&path, "%s/" OPROF_NAMES_NAME, meta_path ? meta_path : ".") < 0)
		return -ENOMEM;
	error = meta_path ? file_read_text(path, MAX_BYTES, &text, &nr_bytes) : -ENOENT;
	free(path);
	if (error == -ENOMEM)
		return error;
	if (error == -ENOENT) {
		error = code_names_parse("", 0, table);
		return error ? error
			     : tell(table, SYMBOLS_NONE,
				    "the session has no names of its functions");
	}
	if (error)
		return tell(table, SYMBOLS_DAMAGED, strerror(-error));
	error = code_names_parse(text, nr_bytes, table);
	free(text);
	return error;
}
