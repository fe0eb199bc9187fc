// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the elements that are common to all blocks of metadata: names, numbers, integer types. */
#include "ctf/parser.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define SHOWN_BYTES_MAX 60

int parser_refuse(struct parser *parser, const char *what)
{
	return diag_set_at(parser->diag, -EINVAL, parser->file, parser->token.line, "%s", what);
}

int parser_no_memory(struct parser *parser)
{
	return diag_set_at(parser->diag, -ENOMEM, parser->file, parser->token.line,
			   "out of memory for the trace's metadata");
}

/*
 * Copies a token to `shown` for a message. The copy is shortened, and has "?" in place of bytes
 * that are not printable ASCII.
 */
static void show_token(const struct tsdl_token *token, char shown[SHOWN_BYTES_MAX + 1])
{
	size_t nr = token->nr_bytes < SHOWN_BYTES_MAX ? token->nr_bytes : SHOWN_BYTES_MAX;

	for (size_t i = 0; i < nr; i++)
		shown[i] = isascii(token->text[i]) && isprint((unsigned char)token->text[i])
				   ? token->text[i]
				   : '?';
	shown[nr] = '\0';
}

int parser_wanted(struct parser *parser, const char *what)
{
	char shown[SHOWN_BYTES_MAX + 1];

	show_token(&parser->token, shown);
	if (parser->token.kind == TSDL_END)
		return diag_set_at(parser->diag, -EINVAL, parser->file, parser->token.line,
				   "expected %s, but the file ends", what);
	return diag_set_at(parser->diag, -EINVAL, parser->file, parser->token.line,
			   "expected %s, found \"%s\"", what, shown);
}

void parser_next(struct parser *parser)
{
	tsdl_lexer_next(&parser->lexer, &parser->token);
}

bool parser_sees(const struct parser *parser, enum tsdl_token_kind kind, const char *text)
{
	return tsdl_token_is(&parser->token, kind, text);
}

bool parser_skip(struct parser *parser, const char *sign)
{
	if (!parser_sees(parser, TSDL_SIGN, sign))
		return false;
	parser_next(parser);
	return true;
}

int parser_take_sign(struct parser *parser, const char *sign)
{
	return parser_skip(parser, sign) ? 0 : parser_wanted(parser, sign);
}

int parser_take_word(struct parser *parser, const char *word)
{
	if (!parser_sees(parser, TSDL_WORD, word))
		return parser_wanted(parser, word);
	parser_next(parser);
	return 0;
}

int parser_take_name(struct parser *parser, const char **name)
{
	char *copy;

	/*
	 * The longest names are the names of sequence lengths: __NAME_length has 9 bytes more than
	 * NAME.
	 */
	if (parser->token.kind != TSDL_WORD || parser->token.nr_bytes > CTF_NAME_BYTES_MAX + 9)
		return parser_wanted(parser, "a name");
	copy = ctf_arena_alloc(parser->arena, parser->token.nr_bytes + 1);
	if (!copy)
		return parser_no_memory(parser);
	memcpy(copy, parser->token.text, parser->token.nr_bytes);
	*name = copy;
	parser_next(parser);
	return 0;
}

int parser_take_number(struct parser *parser, uint64_t max, uint64_t *number)
{
	if (parser->token.kind != TSDL_NUMBER)
		return parser_wanted(parser, "a number");
	if (parser->token.number > max)
		return parser_refuse(parser, "this number is too large");
	*number = parser->token.number;
	parser_next(parser);
	return 0;
}

int parser_take_signed(struct parser *parser, int64_t *number)
{
	const bool is_negative = parser_skip(parser, "-");
	uint64_t value = 0;
	int error = parser_take_number(parser, (uint64_t)INT64_MAX + is_negative, &value);

	if (!error)
		*number = (int64_t)(is_negative ? -value : value);
	return error;
}

int parser_take_string(struct parser *parser, const char **text)
{
	int error;

	if (parser->token.kind != TSDL_STRING)
		return parser_wanted(parser, "a quoted string");
	error = tsdl_token_unquote(&parser->token, parser->arena, text);
	if (error)
		return error == -ENOMEM
			       ? parser_no_memory(parser)
			       : parser_refuse(parser, "this string has an unknown escape");
	parser_next(parser);
	return 0;
}

static int hex_digit(char c)
{
	if (!isascii(c) || !isxdigit((unsigned char)c))
		return -1;
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static bool parse_uuid(const struct tsdl_token *token, uint8_t uuid[CTF_UUID_BYTES])
{
	const char *next = token->text;

	if (token->kind != TSDL_STRING || token->nr_bytes != CTF_UUID_TEXT - 1)
		return false;
	for (unsigned int i = 0; i < CTF_UUID_BYTES; i++) {
		int high, low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && *next++ != '-')
			return false;
		high = hex_digit(next[0]);
		low = hex_digit(next[1]);
		if (high < 0 || low < 0)
			return false;
		uuid[i] = (uint8_t)(high << 4 | low);
		next += 2;
	}
	return true;
}

int parser_take_uuid(struct parser *parser, uint8_t uuid[CTF_UUID_BYTES])
{
	if (!parse_uuid(&parser->token, uuid))
		return parser_wanted(parser, "a quoted uuid");
	parser_next(parser);
	return 0;
}

int parser_take_tokens(struct parser *parser, const char *text, const char *what)
{
	struct tsdl_lexer lexer;
	struct tsdl_token token;

	tsdl_lexer_init(&lexer, text, strlen(text));
	for (tsdl_lexer_next(&lexer, &token); token.kind != TSDL_END;
	     tsdl_lexer_next(&lexer, &token)) {
		if (parser->token.kind != token.kind || parser->token.nr_bytes != token.nr_bytes ||
		    memcmp(parser->token.text, token.text, token.nr_bytes))
			return parser_wanted(parser, what);
		parser_next(parser);
	}
	return 0;
}

/* ---- integer types ---- */

static int take_bool(struct parser *parser, bool *value)
{
	*value = parser_sees(parser, TSDL_WORD, "true");
	if (!*value && !parser_sees(parser, TSDL_WORD, "false"))
		return parser_wanted(parser, "true or false");
	parser_next(parser);
	return 0;
}

/* Parses "clock.NAME.value". */
static int take_map(struct parser *parser)
{
	int error = parser_take_word(parser, "clock");

	if (!error)
		error = parser_take_sign(parser, ".");
	if (error)
		return error;
	if (!parser->has_clock || !parser_sees(parser, TSDL_WORD, parser->clock.name))
		return parser_wanted(parser, "the name of a clock that is already described");
	parser_next(parser);
	error = parser_take_sign(parser, ".");
	return error ? error : parser_take_word(parser, "value");
}

static int take_unsigned(struct parser *parser, unsigned int max, unsigned int *value)
{
	uint64_t number = 0;
	int error = parser_take_number(parser, max, &number);

	if (!error)
		*value = (unsigned int)number;
	return error;
}

static int take_integer_value(struct parser *parser, const char *name, struct tsdl_integer *integer)
{
	if (!strcmp(name, "size"))
		return take_unsigned(parser, 64, &integer->bits);
	if (!strcmp(name, "align"))
		return take_unsigned(parser, 64, &integer->align);
	if (!strcmp(name, "base"))
		return take_unsigned(parser, 16, &integer->base);
	if (!strcmp(name, "signed"))
		return take_bool(parser, &integer->is_signed);
	if (!strcmp(name, "encoding")) {
		integer->is_text = true;
		return parser_take_word(parser, "UTF8");
	}
	if (!strcmp(name, "map")) {
		integer->is_time = true;
		return take_map(parser);
	}
	return parser_refuse(parser, "unknown property of an integer");
}

/* Parses "{ size = ...; ... }". */
static int take_integer_body(struct parser *parser, struct tsdl_integer *integer)
{
	int error = parser_take_sign(parser, "{");

	*integer = (struct tsdl_integer){.align = 8, .base = 10};
	while (!error && !parser_skip(parser, "}")) {
		const char *name;

		error = parser_take_name(parser, &name);
		if (!error)
			error = parser_take_sign(parser, "=");
		if (!error)
			error = take_integer_value(parser, name, integer);
		if (!error)
			error = parser_take_sign(parser, ";");
	}
	if (error)
		return error;
	if (!integer->bits || !integer->align || (integer->base != 10 && integer->base != 16))
		return parser_refuse(parser,
				     "an integer has no size, no alignment or an unknown base");
	if (integer->is_text && (integer->bits != 8 || integer->is_signed))
		return parser_refuse(parser, "only unsigned integers of 8 bits can be text");
	return 0;
}

const struct tsdl_integer *parser_find_alias(const struct parser *parser, const char *name)
{
	for (unsigned int i = 0; i < parser->nr_aliases; i++)
		if (!strcmp(parser->aliases[i].name, name))
			return &parser->aliases[i].integer;
	return NULL;
}

int parser_take_alias(struct parser *parser)
{
	struct tsdl_integer integer;
	const char *name;
	int error = parser_take_word(parser, "integer");

	if (!error)
		error = take_integer_body(parser, &integer);
	if (!error)
		error = parser_take_sign(parser, ":=");
	if (!error)
		error = parser_take_name(parser, &name);
	if (error)
		return error;
	if (parser_find_alias(parser, name) || parser->nr_aliases == PARSER_NR_ALIASES_MAX)
		return parser_refuse(parser, "a typealias is given twice, or there are too many");
	parser->aliases[parser->nr_aliases++] = (struct parser_alias){name, integer};
	return parser_take_sign(parser, ";");
}

int parser_take_integer(struct parser *parser, const struct tsdl_integer **integer)
{
	for (unsigned int i = 0; i < parser->nr_aliases; i++) {
		if (parser_sees(parser, TSDL_WORD, parser->aliases[i].name)) {
			*integer = &parser->aliases[i].integer;
			parser_next(parser);
			return 0;
		}
	}
	return parser_wanted(parser, "the name of an integer type");
}
