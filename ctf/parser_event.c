// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the "event" blocks of metadata. */
#include "ctf/parser.h"

#include "lib/array.h"
#include "oprof/packet.h"

#include <string.h>

/* Parses a field's name and removes its leading "_", which all fields have in the metadata. */
static int take_field_name(struct parser *parser, const char **name)
{
	int error = parser_take_name(parser, name);

	if (error)
		return error;
	if ((*name)[0] != '_' || !(*name)[1])
		return parser_refuse(parser, "the previous field's name does not begin with _");
	++*name;
	return 0;
}

static bool is_packed(const struct tsdl_integer *integer)
{
	return integer->align == 8 && !integer->is_time &&
	       (integer->bits == 8 || integer->bits == 16 || integer->bits == 32 ||
		integer->bits == 64);
}

static int take_field_integer(struct parser *parser, struct ctf_field *field, bool *is_text)
{
	const struct tsdl_integer *integer;
	int error = parser_take_integer(parser, &integer);

	if (error)
		return error;
	if (!is_packed(integer))
		return parser_refuse(parser,
				     "fields must be packed integers of 8, 16, 32 or 64 bits");
	field->kind = CTF_FIELD_INTEGER;
	field->bits = integer->bits;
	field->base = integer->base;
	field->is_signed = integer->is_signed;
	*is_text = integer->is_text;
	return 0;
}

/* ---- enumerations ---- */

static int take_label(struct parser *parser, struct ctf_label *label)
{
	int error = parser_take_string(parser, &label->name);

	if (!error)
		error = parser_take_sign(parser, "=");
	return error ? error : parser_take_signed(parser, &label->value);
}

/* Parses ': TYPE { "NAME" = VALUE, ... }'. */
static int take_labels(struct parser *parser, struct ctf_field *field)
{
	bool is_text;
	int error = parser_take_sign(parser, ":");

	if (!error)
		error = take_field_integer(parser, field, &is_text);
	if (!error)
		error = parser_take_sign(parser, "{");
	if (error)
		return error;
	do {
		if (field->nr_labels == CTF_NR_LABELS_MAX)
			return parser_refuse(parser, "an enumeration has too many names");
		error = take_label(parser, &parser->labels[field->nr_labels++]);
	} while (!error && parser_skip(parser, ","));
	if (!error)
		error = parser_take_sign(parser, "}");
	if (error)
		return error;
	field->labels = ctf_arena_copy(parser->arena, parser->labels, field->nr_labels,
				       sizeof(parser->labels[0]));
	return field->labels ? 0 : parser_no_memory(parser);
}

/* ---- arrays, sequences, texts ---- */

/*
 * Parses the brackets after an integer field's name, which make the field a sequence. The brackets
 * contain the name of the preceding field, which is the sequence's length.
 */
static int take_sequence(struct parser *parser, struct ctf_field *field, struct ctf_event *event)
{
	const struct ctf_field *length = field - 1;
	const char *name;
	size_t nr;
	int error = take_field_name(parser, &name);

	if (error)
		return error;
	nr = strlen(field->name);
	if (!event->nr_fields || strcmp(length->name, name) || length->is_signed ||
	    length->kind != CTF_FIELD_INTEGER || length->nr_labels || length->base != 10 ||
	    length->bits == 64 || name[0] != '_' || strncmp(name + 1, field->name, nr) ||
	    strcmp(name + 1 + nr, "_length"))
		return parser_refuse(
			parser,
			"a sequence must directly follow the unsigned field that is its length");
	field->kind = CTF_FIELD_SEQUENCE;
	field->length_bits = length->bits;
	parser->fields[--event->nr_fields] = *field;
	return 0;
}

static int take_brackets(struct parser *parser, struct ctf_field *field, bool is_text,
			 struct ctf_event *event)
{
	uint64_t nr = 0;
	int error;

	if (parser->token.kind == TSDL_WORD) {
		error = is_text ? parser_refuse(parser, "texts of varying length are not supported")
				: take_sequence(parser, field, event);
	} else {
		error = parser_take_number(parser, UINT32_MAX, &nr);
		if (!error) {
			field->kind = is_text ? CTF_FIELD_TEXT : CTF_FIELD_ARRAY;
			field->nr = (uint32_t)nr;
		}
	}
	return error ? error : parser_take_sign(parser, "]");
}

static int take_declaration(struct parser *parser, struct ctf_field *field, struct ctf_event *event)
{
	bool is_text;
	int error = take_field_integer(parser, field, &is_text);

	if (!error)
		error = take_field_name(parser, &field->name);
	if (error)
		return error;
	if (parser_skip(parser, "["))
		return take_brackets(parser, field, is_text, event);
	return is_text ? parser_wanted(parser, "the length of a text") : 0;
}

static int take_field(struct parser *parser, struct ctf_event *event)
{
	struct ctf_field *field = &parser->fields[event->nr_fields];
	int error;

	if (event->nr_fields >= CTF_NR_FIELDS_MAX)
		return parser_refuse(parser, "an event has too many fields");
	*field = (struct ctf_field){.kind = CTF_FIELD_STRING, .bits = 8, .base = 10};
	if (parser_sees(parser, TSDL_WORD, "string")) {
		parser_next(parser);
		error = take_field_name(parser, &field->name);
	} else if (parser_sees(parser, TSDL_WORD, "enum")) {
		parser_next(parser);
		error = take_labels(parser, field);
		if (!error)
			error = take_field_name(parser, &field->name);
	} else {
		error = take_declaration(parser, field, event);
	}
	if (error)
		return error;
	event->nr_fields++;
	return parser_take_sign(parser, ";");
}

/* ---- the block ---- */

static int take_alignment(struct parser *parser, struct ctf_event *event)
{
	uint64_t bits = 8;
	int error = 0;

	if (parser_sees(parser, TSDL_WORD, "align")) {
		parser_next(parser);
		error = parser_take_sign(parser, "(");
		if (!error)
			error = parser_take_number(parser, 64, &bits);
		if (!error)
			error = parser_take_sign(parser, ")");
	}
	if (error)
		return error;
	if (bits % 8)
		return parser_refuse(parser, "an alignment is not a whole number of bytes");
	event->alignment = (unsigned int)bits / 8;
	return 0;
}

/* Parses "struct { ... } align(N)", in which align(N) is optional. */
static int take_fields(struct parser *parser, struct ctf_event *event)
{
	int error = parser_take_word(parser, "struct");

	if (!error)
		error = parser_take_sign(parser, "{");
	event->nr_fields = 0;
	while (!error && !parser_skip(parser, "}"))
		error = take_field(parser, event);
	if (!error)
		error = take_alignment(parser, event);
	if (error)
		return error;
	event->fields = ctf_arena_copy(parser->arena, parser->fields, event->nr_fields,
				       sizeof(parser->fields[0]));
	return event->fields ? 0 : parser_no_memory(parser);
}

static int take_id(struct parser *parser, uint32_t *id)
{
	uint64_t number = 0;
	int error = parser_take_number(parser, UINT32_MAX, &number);

	if (!error)
		*id = (uint32_t)number;
	return error;
}

static int take_property(struct parser *parser, struct ctf_event *event)
{
	const char *name;
	int error = parser_take_name(parser, &name);
	bool is_fields;

	if (error)
		return error;
	is_fields = !strcmp(name, "fields");
	error = parser_take_sign(parser, is_fields ? ":=" : "=");
	if (error)
		return error;
	if (is_fields)
		error = take_fields(parser, event);
	else if (!strcmp(name, "name"))
		error = parser_take_string(parser, &event->name);
	else if (!strcmp(name, "id"))
		error = take_id(parser, &event->id);
	else if (!strcmp(name, "stream_id"))
		error = take_id(parser, &event->stream_id);
	else
		error = parser_refuse(parser, "unknown property of an event");
	return error ? error : parser_take_sign(parser, ";");
}

static bool is_padding(const struct ctf_event *event)
{
	return event->id == OPROF_EVENT_PADDING_EMPTY || event->id == OPROF_EVENT_PADDING;
}

static bool padding_is_sound(const struct ctf_event *event)
{
	if (event->alignment != 1)
		return false;
	if (event->id == OPROF_EVENT_PADDING_EMPTY)
		return !event->nr_fields;
	return event->nr_fields == 1 && event->fields[0].kind == CTF_FIELD_STRING;
}

static int add_event(struct parser *parser, const struct ctf_event *event)
{
	if (is_padding(event))
		return padding_is_sound(event)
			       ? 0
			       : parser_refuse(parser, "padding records of an unknown kind");
	if (parser->nr_events == CTF_NR_EVENTS_MAX)
		return parser_refuse(parser, "too many events");
	if (array_reserve(&parser->events, &parser->events_room, parser->nr_events, 1))
		return parser_no_memory(parser);
	parser->events[parser->nr_events++] = *event;
	return 0;
}

int parser_take_event(struct parser *parser)
{
	struct ctf_event event = {.alignment = 0};
	int error = parser_take_sign(parser, "{");

	while (!error && !parser_skip(parser, "}"))
		error = take_property(parser, &event);
	if (error)
		return error;
	if (!event.name || !event.fields)
		return parser_refuse(parser, "the previous event has no name or no fields");
	error = parser_take_sign(parser, ";");
	return error ? error : add_event(parser, &event);
}
