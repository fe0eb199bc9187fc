/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside ctf/: the state and helpers of the metadata parser, which looks one token ahead. Functions
 * that return int return 0, or -errno with diag filled.
 */
#ifndef CTF_PARSER_H
#define CTF_PARSER_H

#include "ctf/metadata.h"
#include "ctf/tsdl.h"

#define PARSER_NR_ALIASES_MAX 64

struct parser_alias {
	const char *name;
	struct tsdl_integer integer;
};

struct parser {
	struct tsdl_lexer lexer;
	struct tsdl_token token; /* the next token */
	const char *file;
	struct diag *diag;
	struct ctf_arena *arena;

	struct parser_alias aliases[PARSER_NR_ALIASES_MAX];
	unsigned int nr_aliases;

	struct ctf_layout layout;
	unsigned int header_bytes; /* bytes of packet.header in layout, without packet.context */
	bool has_trace, has_clock, has_env, has_context;

	/* Arrays that grow while parsing and are copied into the arena at the end. */
	struct ctf_event *events;
	struct ctf_env *envs;
	uint32_t *streams;
	unsigned int nr_events, nr_envs, nr_streams;
	size_t events_room;
	struct ctf_field fields[CTF_NR_FIELDS_MAX + 1]; /* of the event being parsed */
	struct ctf_label labels[CTF_NR_LABELS_MAX];	/* of the field being parsed */

	uint8_t uuid[CTF_UUID_BYTES];
	struct ctf_clock clock;
};

/* Refuses the text; diag gets `what`, a sentence about the next token, and this token's line. */
int parser_refuse(struct parser *parser, const char *what);
/* Refuses the text, since `what` should be in place of the next token. */
int parser_wanted(struct parser *parser, const char *what);
int parser_no_memory(struct parser *parser);

void parser_next(struct parser *parser);
bool parser_sees(const struct parser *parser, enum tsdl_token_kind kind, const char *text);
/* If the next token is sign, skips it and returns true. */
bool parser_skip(struct parser *parser, const char *sign);

/*
 * Each of these functions consumes the item in its name, or refuses the text. Returned names and
 * strings are in the arena.
 */
int parser_take_sign(struct parser *parser, const char *sign);
int parser_take_word(struct parser *parser, const char *word);
int parser_take_name(struct parser *parser, const char **name);
int parser_take_number(struct parser *parser, uint64_t max, uint64_t *number);
int parser_take_signed(struct parser *parser, int64_t *number);
int parser_take_string(struct parser *parser, const char **text);
int parser_take_uuid(struct parser *parser, uint8_t uuid[CTF_UUID_BYTES]);
/* Consumes exactly the tokens of text; an error message calls them `what`. */
int parser_take_tokens(struct parser *parser, const char *text, const char *what);

/* Parses "typealias integer { ... } := NAME;" after its first word. */
int parser_take_alias(struct parser *parser);
/* Returns the integer type of this name, or NULL. */
const struct tsdl_integer *parser_find_alias(const struct parser *parser, const char *name);
/* Consumes the name of an integer type; refuses an unknown name. */
int parser_take_integer(struct parser *parser, const struct tsdl_integer **integer);

/* Parses "event { ... };" after its first word. */
int parser_take_event(struct parser *parser);

#endif
