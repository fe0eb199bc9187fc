/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside ctf/: the reader of metadata while it reads. It looks one token
 * ahead; functions return 0, or -errno with the diag filled.
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
	struct tsdl_token token; /* the next one */
	const char *file;
	struct diag *diag;
	struct ctf_arena *arena;

	struct parser_alias aliases[PARSER_NR_ALIASES_MAX];
	unsigned int nr_aliases;

	struct ctf_layout layout;
	unsigned int header_bytes; /* of the layout's, before the context */
	bool has_trace, has_clock, has_env, has_context;

	/* Growing; they go into the arena at the end. */
	struct ctf_event *events;
	struct ctf_env *envs;
	uint32_t *streams;
	unsigned int nr_events, nr_envs, nr_streams;
	size_t events_room;
	struct ctf_field fields[CTF_NR_FIELDS_MAX + 1]; /* of the event being read */
	struct ctf_label labels[CTF_NR_LABELS_MAX];	/* of the field being read */

	uint8_t uuid[CTF_UUID_BYTES];
	struct ctf_clock clock;
};

/* "what" is a sentence about the next token, whose line it names. */
int parser_refuse(struct parser *parser, const char *what);
/* That the next token ought to be what. */
int parser_wanted(struct parser *parser, const char *what);
int parser_no_memory(struct parser *parser);

void parser_next(struct parser *parser);
bool parser_sees(const struct parser *parser, enum tsdl_token_kind kind, const char *text);
/* Go on behind the sign if it is the next token: whether it was. */
bool parser_skip(struct parser *parser, const char *sign);

/* Each takes what it says or refuses. Names and texts are the arena's. */
int parser_take_sign(struct parser *parser, const char *sign);
int parser_take_word(struct parser *parser, const char *word);
int parser_take_name(struct parser *parser, const char **name);
int parser_take_number(struct parser *parser, uint64_t max, uint64_t *number);
int parser_take_signed(struct parser *parser, int64_t *number);
int parser_take_string(struct parser *parser, const char **text);
int parser_take_uuid(struct parser *parser, uint8_t uuid[CTF_UUID_BYTES]);
/* Exactly the tokens of text. */
int parser_take_tokens(struct parser *parser, const char *text, const char *what);

/* typealias integer { ... } := NAME; from behind its first word. */
int parser_take_alias(struct parser *parser);
/* The integer that a word is a typealias of; NULL: none. */
const struct tsdl_integer *parser_find_alias(const struct parser *parser, const char *name);
/* An integer's name: refused if there is none. */
int parser_take_integer(struct parser *parser, const struct tsdl_integer **integer);

/* event { ... }; from behind its first word. */
int parser_take_event(struct parser *parser);

#endif
