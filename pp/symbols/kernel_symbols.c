// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/kernel_symbols.h"

#include "lib/array.h"
#include "lib/file.h"
#include "libdb/sample_name.h"
#include "oprof/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)256 << 20)
static const char version_line[] = "oprof-kernel-symbols 1\n";

struct kallsyms_parsing {
	const char *at; /* NUL-terminated */
	unsigned int line;
	struct symbol_table *table;
	size_t nr_allocated;
	uint64_t end; /* end of the previous symbol */
	char *string; /* memory for the next name */
	struct diag *diag;
};

static int refuse(const struct kallsyms_parsing *parsing, const char *what)
{
	return diag_set_at(parsing->diag, -EILSEQ, "", parsing->line,
			   "%s, where START SIZE TYPE NAME is expected", what);
}

/* Reads hexadecimal digits and the space after them. */
static bool parse_hex(struct kallsyms_parsing *parsing, uint64_t *value)
{
	const char *at = parsing->at;

	for (*value = 0; *at && *at != ' '; at++) {
		unsigned int digit;

		if (*at >= '0' && *at <= '9')
			digit = (unsigned int)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			digit = (unsigned int)(*at - 'a' + 10);
		else
			return false;
		if (*value >> 60)
			return false;
		*value = *value << 4 | digit;
	}
	if (at == parsing->at || *at != ' ')
		return false;
	parsing->at = at + 1;
	return true;
}

/* Copies the rest of the line to the table's strings. Returns NULL if the rest is empty. */
static const char *parse_name(struct kallsyms_parsing *parsing)
{
	const char *name = parsing->string;

	for (; *parsing->at && *parsing->at != '\n'; parsing->at++)
		*parsing->string++ = (unsigned char)*parsing->at < 0x20 || *parsing->at == 0x7f
					     ? '?'
					     : *parsing->at;
	if (parsing->string == name)
		return NULL;
	*parsing->string++ = '\0';
	if (*parsing->at)
		parsing->at++;
	return name;
}

static int add(struct kallsyms_parsing *parsing, const struct symbol *symbol)
{
	struct symbol_table *table = parsing->table;

	if (symbol->start < parsing->end)
		return refuse(parsing, "a start that is not after the previous symbol");
	if (array_reserve(&table->symbols, &parsing->nr_allocated, table->nr_symbols, 1))
		return -ENOMEM;
	table->symbols[table->nr_symbols++] = *symbol;
	parsing->end = symbol->start + symbol->nr_bytes;
	return 0;
}

static int parse_line(struct kallsyms_parsing *parsing)
{
	struct symbol symbol = {0};

	parsing->line++;
	if (!parse_hex(parsing, &symbol.start))
		return refuse(parsing, "no start");
	if (!parse_hex(parsing, &symbol.nr_bytes) || !symbol.nr_bytes)
		return refuse(parsing, "no size");
	if (symbol.nr_bytes > UINT64_MAX - symbol.start)
		return refuse(parsing, "a size that extends beyond the end of memory");
	if (parsing->at[0] <= ' ' || parsing->at[1] != ' ')
		return refuse(parsing, "no type");
	parsing->at += 2;
	symbol.address = symbol.start;
	symbol.name = parse_name(parsing);
	if (!symbol.name)
		return refuse(parsing, "no name");
	return add(parsing, &symbol);
}

static int parse_version(struct kallsyms_parsing *parsing)
{
	const size_t nr_word = strcspn(version_line, " ") + 1;

	parsing->line = 1;
	if (!strncmp(parsing->at, version_line, strlen(version_line))) {
		parsing->at += strlen(version_line);
		return 0;
	}
	if (!strncmp(parsing->at, version_line, nr_word))
		return diag_set_at(parsing->diag, -EPROTONOSUPPORT, "", 1,
				   "kernel symbols of another version; use the version of oprof "
				   "that wrote them");
	return diag_set_at(parsing->diag, -EILSEQ, "", 1, "not a file of kernel symbols");
}

int kernel_symbols_parse(const char *text, size_t nr_bytes, struct symbol_table *table,
			 struct diag *diag)
{
	struct symbol_table read = {.strings = malloc(nr_bytes + 1)};
	struct kallsyms_parsing parsing = {
		.at = text, .table = &read, .string = read.strings, .diag = diag};
	int error = read.strings ? parse_version(&parsing) : -ENOMEM;

	while (!error && *parsing.at)
		error = parse_line(&parsing);
	if (error) {
		symbol_table_deinit(&read);
		return error;
	}
	if (!read.nr_symbols)
		read.lack = SYMBOLS_NONE;
	*table = read;
	return 0;
}

/* ---- loading ---- */

static int tell(struct symbol_table *table, enum symbols_lack lack, char *text)
{
	table->lack = lack;
	table->note = text;
	return text ? 0 : -ENOMEM;
}

__attribute__((format(printf, 1, 2))) static char *format_text(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return text;
}

/*
 * Returns whether the kernel hid its addresses while profiling. In this case the daemon recorded
 * the kernel without an identity.
 */
static bool is_hidden(const struct oprof_image_identity *identity)
{
	return !identity->nr_build_id && !identity->size_bytes;
}

static int tell_missing(struct symbol_table *table, const struct oprof_image_identity *identity)
{
	const char *text = "no kernel symbols in the session; while its daemon runs, oprof dump "
			   "writes them; otherwise see oprofiled.log";

	if (is_hidden(identity))
		text = "no kernel symbols in the session; profile as root, or allow reading "
		       "them: sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1";
	return tell(table, SYMBOLS_NONE, strdup(text));
}

static int read_file(struct symbol_table *table, const struct oprof_image_identity *identity,
		     const char *path)
{
	struct diag diag;
	char *text;
	size_t nr_bytes;
	int error = file_read_text(path, MAX_BYTES, &text, &nr_bytes);

	if (error == -ENOENT)
		return tell_missing(table, identity);
	diag_clear(&diag);
	if (error == -ENOMEM)
		return error;
	if (error)
		return tell(table, SYMBOLS_DAMAGED,
			    format_text("cannot read %s: %s", path, strerror(-error)));
	error = kernel_symbols_parse(text, nr_bytes, table, &diag);
	free(text);
	if (error == -ENOMEM)
		return error;
	if (error)
		return tell(table, SYMBOLS_DAMAGED,
			    format_text("%s: line %u: %s", path, diag.line, diag.text));
	return table->nr_symbols ? 0 : tell_missing(table, identity);
}

int kernel_symbols_load(struct symbol_table *table, const struct oprof_image_identity *identity,
			const char *meta_path)
{
	char *path;
	int error;

	*table = (struct symbol_table){0};
	if (!meta_path)
		return tell_missing(table, identity);
	path = format_text("%s/" OPROF_SYMBOLS_NAME "/%016" PRIx64, meta_path,
			   sample_identity(identity));
	if (!path)
		return -ENOMEM;
	error = read_file(table, identity, path);
	free(path);
	return error;
}
