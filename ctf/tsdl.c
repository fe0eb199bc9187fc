// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/tsdl.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

const struct tsdl_alias tsdl_header_aliases[TSDL_NR_HEADER_ALIASES] = {
	{"uint5_t", {.bits = 5, .align = 1, .base = 10}},
	{"uint27_clock_t", {.bits = 27, .align = 1, .base = 10, .is_time = true}},
	{"uint32_aligned_t", {.bits = 32, .align = 32, .base = 10}},
	{"uint64_aligned_clock_t", {.bits = 64, .align = 32, .base = 10, .is_time = true}},
};

void tsdl_lexer_init(struct tsdl_lexer *lexer, const char *text, size_t nr_bytes)
{
	lexer->next = text;
	lexer->end = text + nr_bytes;
	lexer->line = 1;
}

static size_t left(const struct tsdl_lexer *lexer)
{
	return (size_t)(lexer->end - lexer->next);
}

static bool begins(const struct tsdl_lexer *lexer, const char *text)
{
	const size_t length = strlen(text);

	return left(lexer) >= length && !memcmp(lexer->next, text, length);
}

static void skip_byte(struct tsdl_lexer *lexer)
{
	if (*lexer->next++ == '\n')
		lexer->line++;
}

static bool skip_comment(struct tsdl_lexer *lexer)
{
	const bool to_line_end = begins(lexer, "//");

	if (!to_line_end && !begins(lexer, "/*"))
		return false;
	lexer->next += 2;
	while (left(lexer)) {
		if (to_line_end ? *lexer->next == '\n' : begins(lexer, "*/")) {
			lexer->next += to_line_end ? 1 : 2;
			lexer->line += to_line_end;
			return true;
		}
		skip_byte(lexer);
	}
	return true;
}

static void skip_blanks(struct tsdl_lexer *lexer)
{
	while (left(lexer)) {
		if (strchr(" \t\r\n", *lexer->next) && *lexer->next)
			skip_byte(lexer);
		else if (!skip_comment(lexer))
			return;
	}
}

static bool is_word_byte(char c)
{
	return c == '_' || (isascii(c) && isalnum((unsigned char)c));
}

/* Parses a decimal number, or a hexadecimal number after 0x. */
static void take_number(struct tsdl_token *token)
{
	const bool is_hex = token->nr_bytes > 2 && (token->text[1] == 'x' || token->text[1] == 'X');
	const unsigned int base = is_hex ? 16 : 10;

	token->kind = TSDL_NUMBER;
	token->number = 0;
	for (size_t i = is_hex ? 2 : 0; i < token->nr_bytes; i++) {
		const char c = token->text[i];
		unsigned int digit;

		if (isdigit((unsigned char)c))
			digit = (unsigned int)(c - '0');
		else if (is_hex && isxdigit((unsigned char)c))
			digit = (unsigned int)(tolower((unsigned char)c) - 'a') + 10;
		else
			digit = base;
		if (digit >= base || token->number > (UINT64_MAX - digit) / base) {
			token->kind = TSDL_BAD;
			return;
		}
		token->number = token->number * base + digit;
	}
}

static void take_word(struct tsdl_lexer *lexer, struct tsdl_token *token)
{
	token->kind = TSDL_WORD;
	token->text = lexer->next;
	while (left(lexer) && is_word_byte(*lexer->next))
		lexer->next++;
	token->nr_bytes = (size_t)(lexer->next - token->text);
	if (isdigit((unsigned char)token->text[0]))
		take_number(token);
}

static void take_string(struct tsdl_lexer *lexer, struct tsdl_token *token)
{
	token->text = ++lexer->next;
	token->kind = TSDL_BAD;
	while (left(lexer) && *lexer->next != '\n') {
		if (*lexer->next == '"') {
			token->kind = TSDL_STRING;
			break;
		}
		lexer->next += *lexer->next == '\\' && left(lexer) > 1 ? 2 : 1;
	}
	token->nr_bytes = (size_t)(lexer->next - token->text);
	if (token->kind == TSDL_STRING)
		lexer->next++;
}

static void take_sign(struct tsdl_lexer *lexer, struct tsdl_token *token)
{
	token->text = lexer->next;
	token->kind = TSDL_SIGN;
	if (begins(lexer, ":="))
		token->nr_bytes = 2;
	else if (begins(lexer, "..."))
		token->nr_bytes = 3;
	else
		token->nr_bytes = 1;
	if (!*token->text || !strchr("{}[]()<>;:,.=-", *token->text))
		token->kind = TSDL_BAD;
	lexer->next += token->nr_bytes;
}

void tsdl_lexer_next(struct tsdl_lexer *lexer, struct tsdl_token *token)
{
	skip_blanks(lexer);
	*token = (struct tsdl_token){TSDL_END, .line = lexer->line, .text = lexer->next};
	if (!left(lexer))
		return;
	if (*lexer->next == '"')
		take_string(lexer, token);
	else if (is_word_byte(*lexer->next))
		take_word(lexer, token);
	else
		take_sign(lexer, token);
}

bool tsdl_token_is(const struct tsdl_token *token, enum tsdl_token_kind kind, const char *text)
{
	return token->kind == kind && token->nr_bytes == strlen(text) &&
	       !memcmp(token->text, text, token->nr_bytes);
}

/* ---- strings ---- */

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/*
 * Decodes the escape after a backslash and moves *next to its end. Returns the decoded byte, or -1
 * if the escape is unknown.
 */
static int take_escape(const char **next, const char *end)
{
	static const char letters[] = "abfnrtv\\\"'?", bytes[] = "\a\b\f\n\r\t\v\\\"'?";
	const char *at;
	int value = 0;

	if (*next == end)
		return -1;
	if (is_octal(**next)) {
		for (int i = 0; i < 3 && *next < end && is_octal(**next); i++)
			value = value * 8 + *(*next)++ - '0';
		return value <= 255 ? value : -1;
	}
	at = **next ? strchr(letters, **next) : NULL;
	if (!at)
		return -1;
	++*next;
	return bytes[at - letters];
}

int tsdl_token_unquote(const struct tsdl_token *token, struct ctf_arena *arena, const char **text)
{
	const char *next = token->text, *end = next + token->nr_bytes;
	char *to = ctf_arena_alloc(arena, token->nr_bytes + 1);
	size_t nr = 0;

	if (!to)
		return -ENOMEM;
	while (next < end) {
		int byte = (unsigned char)*next++;

		if (byte == '\\')
			byte = take_escape(&next, end);
		if (byte <= 0)
			return -EINVAL;
		to[nr++] = (char)byte;
	}
	to[nr] = '\0';
	*text = to;
	return 0;
}
