// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/page/page_code.h"

#include <stdlib.h>

void page_code_deinit(struct page_code *code)
{
	for (size_t i = 0; i < code->nr_functions; i++) {
		free(code->functions[i].instructions);
		free(code->functions[i].lines);
	}
	free(code->functions);
	strings_deinit(&code->strings);
	*code = (struct page_code){0};
}

static void write_instructions(const struct page_function *function, struct json_writer *json)
{
	json_begin(json, "at", '[');
	for (size_t i = 0; i < function->nr_instructions; i++)
		json_number(json, NULL, function->instructions[i].offset);
	json_end(json, ']');
	json_begin(json, "text", '[');
	for (size_t i = 0; i < function->nr_instructions; i++)
		json_text(json, NULL, function->instructions[i].text);
	json_end(json, ']');
}

static void write_source(const struct page_function *function, struct json_writer *json)
{
	json_number(json, "file", function->file);
	json_number(json, "first", function->first_line);
	json_begin(json, "lines", '[');
	for (size_t i = 0; i < function->nr_lines; i++)
		json_text(json, NULL, function->lines[i]);
	json_end(json, ']');
}

void page_code_write(const struct page_code *code, const struct row_symbols *symbols,
		     struct json_writer *json, const char *key)
{
	json_begin(json, key, '[');
	for (size_t i = 0; i < code->nr_functions; i++) {
		const struct page_function *function = &code->functions[i];

		json_begin(json, NULL, '{');
		json_number(json, "symbol", symbols->symbol_of[function->row]);
		if (function->nr_instructions)
			write_instructions(function, json);
		else if (function->note)
			json_text(json, "note", function->note);
		if (function->nr_lines)
			write_source(function, json);
		json_end(json, '}');
	}
	json_end(json, ']');
}
