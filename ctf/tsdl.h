/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside ctf/: words that the writer of metadata and its reader must agree on,
 * and the reader's tokens.
 */
#ifndef CTF_TSDL_H
#define CTF_TSDL_H

#include "ctf/arena.h"
#include "ctf/ctf.h"

#include <stddef.h>
#include <stdint.h>

/* The first bytes of the file. */
#define TSDL_SIGNATURE "/* CTF 1.8 */"

/* An integer type, as between the braces of "integer { }". */
struct tsdl_integer {
	unsigned int bits;
	unsigned int align; /* bits */
	unsigned int base;
	bool is_signed;
	bool is_text; /* one byte of UTF-8 */
	bool is_time; /* of the trace's clock */
};

/* packet.h's record header, and the types it is made of, which are defined once the clock is. */
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

/* Names of the padding records' events, in every stream. */
#define TSDL_PADDING_EMPTY "oprof_padding_empty"
#define TSDL_PADDING	   "oprof_padding"

enum tsdl_token_kind {
	TSDL_END,
	TSDL_WORD,
	TSDL_NUMBER,
	TSDL_STRING,
	TSDL_SIGN, /* one of { } [ ] ( ) < > ; : , . = - or := or ... */
	TSDL_BAD,  /* none of these; the text says where */
};

struct tsdl_token {
	enum tsdl_token_kind kind;
	unsigned int line;
	const char *text; /* into what is read; a string's without its quotes */
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
/* What a string token means, its escapes resolved. -EINVAL, also for a NUL within; -ENOMEM. */
int tsdl_token_unquote(const struct tsdl_token *token, struct ctf_arena *arena, const char **text);

#endif
