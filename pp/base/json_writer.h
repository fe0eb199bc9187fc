/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON in UTF-8 to a stream; the caller checks the stream for errors. The output is
 * valid for any text: each byte that is not part of a UTF-8 character becomes U+FFFD.
 *
 * In all functions, `key` is the member's name if the value belongs to an object, and NULL if it
 * belongs to an array.
 */
#ifndef PP_JSON_WRITER_H
#define PP_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer {
	FILE *out;
	unsigned int depth;
	bool behind_value;	/* the next value needs a comma before it */
	unsigned int max_lines; /* elements nested up to this depth start on a new line */
	/*
	 * If true, characters that utf8_next() masks, except tabs and newlines, become '?' instead
	 * of an escape sequence. Set this if the program that reads the JSON shows texts without
	 * masking them. json_writer_init() sets `masks` to false.
	 */
	bool masks;
};

void json_writer_init(struct json_writer *json, FILE *out, unsigned int max_lines);
void json_writer_finish(struct json_writer *json);

void json_begin(struct json_writer *json, const char *key, char bracket); /* '{' or '[' */
void json_end(struct json_writer *json, char bracket);			  /* '}' or ']' */

void json_text(struct json_writer *json, const char *key, const char *text); /* NULL writes null */
void json_number(struct json_writer *json, const char *key, uint64_t number);
void json_signed(struct json_writer *json, const char *key, int64_t number);
void json_double(struct json_writer *json, const char *key, double number);
void json_bool(struct json_writer *json, const char *key, bool value);
/*
 * Writes the number as a hexadecimal string, because readers that store numbers as doubles would
 * lose digits.
 */
void json_hex(struct json_writer *json, const char *key, uint64_t number);
void json_numbers(struct json_writer *json, const char *key, const uint64_t *numbers, size_t nr);

#endif
