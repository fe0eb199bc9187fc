/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names and constants that the formatter and the parser of metadata share, and the parser's
 * lexer. Only ctf/ uses this header.
 */
#ifndef CTF_TSDL_H
#define CTF_TSDL_H

#include "ctf/arena.h"
#include "ctf/ctf.h"

#include <stddef.h>
#include <stdint.h>

/* The first bytes of a metadata file. */
#define TSDL_SIGNATURE "/* CTF 1.8 */"

/* An integer type: the properties in the braces of "integer { }". */
struct tsdl_integer {
	unsigned int bits;
	unsigned int align; /* in bits */
	unsigned int base;
	bool is_signed;
	bool is_text; /* the integer is one byte of UTF-8 text */
	bool is_time; /* the integer is a time stamp of the trace's clock */
};

/*
 * The record header of packet.h, and the types that it uses. These types must be defined after the
 * clock.
 */
#define TSDL_RECORD_HEADER                                                                         \
	"struct {\n"                                                                               \
	"\t\tenum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"                           \
	"\t\tvariant <id> {\n"                                                                     \
	"\t\t\tstruct { uint27_clock_t timestamp; } compact;\n"                                    \
	"\t\t\tstruct { uint32_aligned_t id; uint64_aligned_clock_t timestamp; } extended;\n"      \
	"\t\t} v;\n"                                                                               \
	"\t} align(32)"

struct tsdl_alias {
	const char *name;
	struct tsdl_integer integer;
};

#define TSDL_NR_HEADER_ALIASES 4
extern const struct tsdl_alias tsdl_header_aliases[TSDL_NR_HEADER_ALIASES];

/* Names of the events for padding records. Every stream has these two events. */
#define TSDL_PADDING_EMPTY "oprof_padding_empty"
#define TSDL_PADDING	   "oprof_padding"

enum tsdl_token_kind {
	TSDL_END,
	TSDL_WORD,
	TSDL_NUMBER,
	TSDL_STRING,
	TSDL_SIGN, /* one of { } [ ] ( ) < > ; : , . = - or := or ... */
	TSDL_BAD,  /* any other text, which begins at `text` */
};

struct tsdl_token {
	enum tsdl_token_kind kind;
	unsigned int line;
	const char *text; /* points into the input; for a string, after its first quote */
	size_t nr_bytes;
	uint64_t number;
};

struct tsdl_lexer {
	const char *next, *end;
	unsigned int line;
};

void tsdl_lexer_init(struct tsdl_lexer *lexer, const char *text, size_t nr_bytes);
void tsdl_lexer_next(struct tsdl_lexer *lexer, struct tsdl_token *token);

bool tsdl_token_is(const struct tsdl_token *token, enum tsdl_token_kind kind, const char *text);
/*
 * Decodes a string token and its escapes. Returns 0; -EINVAL: an unknown escape or a NUL; or
 * -ENOMEM.
 */
int tsdl_token_unquote(const struct tsdl_token *token, struct ctf_arena *arena, const char **text);

#endif
