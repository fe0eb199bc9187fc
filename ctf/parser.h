/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state and helpers of the metadata parser, which looks one token ahead. Only ctf/ uses this
 * header. Functions that return int return 0, or -errno with diag set.
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
	unsigned int header_bytes; /* bytes of packet.header, without packet.context */
	bool has_trace, has_clock, has_env, has_context;

	/* These arrays grow during parsing and are copied into the arena at the end. */
	struct ctf_event *events;
	struct ctf_env *envs;
	uint32_t *streams;
	unsigned int nr_events, nr_envs, nr_streams;
	size_t events_room;
	struct ctf_field fields[CTF_NR_FIELDS_MAX + 1]; /* fields of the event being parsed */
	struct ctf_label labels[CTF_NR_LABELS_MAX];	/* labels of the field being parsed */

	uint8_t uuid[CTF_UUID_BYTES];
	struct ctf_clock clock;
};

/*
 * Refuses the text. diag gets the message `what`, which is a sentence about the next token, and the
 * number of this token's line.
 */
int parser_refuse(struct parser *parser, const char *what);
/* Refuses the text: sets diag to the message that `what` was expected instead of the next token. */
int parser_wanted(struct parser *parser, const char *what);
int parser_no_memory(struct parser *parser);

void parser_next(struct parser *parser);
bool parser_sees(const struct parser *parser, enum tsdl_token_kind kind, const char *text);
/* If the next token is `sign`, skips it and returns true. Otherwise returns false. */
bool parser_skip(struct parser *parser, const char *sign);

/*
 * Each of these functions parses the item that its name states, or refuses the text. Names and
 * strings that they return are in the arena.
 */
int parser_take_sign(struct parser *parser, const char *sign);
int parser_take_word(struct parser *parser, const char *word);
int parser_take_name(struct parser *parser, const char **name);
int parser_take_number(struct parser *parser, uint64_t max, uint64_t *number);
int parser_take_signed(struct parser *parser, int64_t *number);
int parser_take_string(struct parser *parser, const char **text);
int parser_take_uuid(struct parser *parser, uint8_t uuid[CTF_UUID_BYTES]);
/* Parses exactly the tokens of `text`. In error messages, `what` stands for these tokens. */
int parser_take_tokens(struct parser *parser, const char *text, const char *what);

/* Parses "typealias integer { ... } := NAME;", of which the first word is already parsed. */
int parser_take_alias(struct parser *parser);
/* Returns the integer type with this name, or NULL. */
const struct tsdl_integer *parser_find_alias(const struct parser *parser, const char *name);
/* Parses the name of an integer type. Refuses an unknown name. */
int parser_take_integer(struct parser *parser, const struct tsdl_integer **integer);

/* Parses "event { ... };", of which the first word is already parsed. */
int parser_take_event(struct parser *parser);

#endif
