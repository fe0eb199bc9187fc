// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/json_writer.h"

#include "lib/utf8.h"

#include <inttypes.h>
#include <math.h>

void json_writer_init(struct json_writer *json, FILE *out, unsigned int max_lines)
{
	*json = (struct json_writer){.out = out, .max_lines = max_lines};
}

void json_writer_finish(struct json_writer *json)
{
	(void)fputc('\n', json->out);
}

static void write_code(FILE *out, const char *bytes, size_t nr_bytes, uint32_t code)
{
	if (code == '"' || code == '\\')
		(void)fprintf(out, "\\%c", (int)code);
	else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == UTF8_REPLACEMENT ||
		 code == 0x2028 || code == 0x2029 || utf8_changes_direction(code) || code == '<')
		/*
		 * '<' is escaped so that the document can be embedded in the script of an
		 * HTML page.
		 */
		(void)fprintf(out, "\\u%04" PRIx32, code);
	else
		(void)fwrite(bytes, 1, nr_bytes, out);
}

static void write_quoted(const struct json_writer *json, const char *text)
{
	(void)fputc('"', json->out);
	while (*text) {
		uint32_t code;
		bool masked;
		size_t nr_bytes = utf8_decode(text, &code);

		(void)utf8_next(text, &masked);
		if (json->masks && masked && code != '\t' && code != '\n')
			(void)fputc('?', json->out);
		else
			write_code(json->out, text, nr_bytes, code);
		text += nr_bytes;
	}
	(void)fputc('"', json->out);
}

/* Writes the separator, indentation and key that precede a value. */
static void begin_value(struct json_writer *json, const char *key)
{
	if (json->behind_value)
		(void)fputc(',', json->out);
	if (json->depth && json->depth <= json->max_lines)
		(void)fprintf(json->out, "\n%*s", (int)json->depth, "");
	if (key) {
		write_quoted(json, key);
		(void)fputc(':', json->out);
	}
	json->behind_value = true;
}

void json_begin(struct json_writer *json, const char *key, char bracket)
{
	begin_value(json, key);
	(void)fputc(bracket, json->out);
	json->depth++;
	json->behind_value = false;
}

void json_end(struct json_writer *json, char bracket)
{
	if (json->behind_value && json->depth <= json->max_lines)
		(void)fprintf(json->out, "\n%*s", (int)json->depth - 1, "");
	(void)fputc(bracket, json->out);
	json->depth--;
	json->behind_value = true;
}

void json_text(struct json_writer *json, const char *key, const char *text)
{
	begin_value(json, key);
	if (text)
		write_quoted(json, text);
	else
		(void)fputs("null", json->out);
}

void json_number(struct json_writer *json, const char *key, uint64_t number)
{
	begin_value(json, key);
	(void)fprintf(json->out, "%" PRIu64, number);
}

void json_signed(struct json_writer *json, const char *key, int64_t number)
{
	begin_value(json, key);
	(void)fprintf(json->out, "%" PRIi64, number);
}

void json_double(struct json_writer *json, const char *key, double number)
{
	begin_value(json, key);
	if (isfinite(number))
		(void)fprintf(json->out, "%.10g", number);
	else
		(void)fputs("null", json->out);
}

void json_bool(struct json_writer *json, const char *key, bool value)
{
	begin_value(json, key);
	(void)fputs(value ? "true" : "false", json->out);
}

void json_hex(struct json_writer *json, const char *key, uint64_t number)
{
	begin_value(json, key);
	(void)fprintf(json->out, "\"0x%" PRIx64 "\"", number);
}

void json_numbers(struct json_writer *json, const char *key, const uint64_t *numbers, size_t nr)
{
	begin_value(json, key);
	(void)fputc('[', json->out);
	for (size_t i = 0; i < nr; i++)
		(void)fprintf(json->out, "%s%" PRIu64, i ? "," : "", numbers[i]);
	(void)fputc(']', json->out);
}
