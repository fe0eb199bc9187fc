// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses metadata text into a struct ctf_metadata. */
#include "ctf/metadata.h"

#include "ctf/parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the packet's header ---- */

static int find_layout_field(enum ctf_layout_part part, const char *name)
{
	for (int i = 0; i < CTF_LAYOUT_NR_FIELDS; i++)
		if (ctf_layout_fields[i].part == part && !strcmp(ctf_layout_fields[i].name, name))
			return i;
	return -1;
}

/*
 * Parses one field and adds it to layout. An unknown field is skipped, but its size is added to
 * the header's size.
 */
static int take_layout_field(struct parser *parser, struct ctf_layout *layout,
			     enum ctf_layout_part part, uint32_t *found)
{
	const struct tsdl_integer *integer;
	const char *name;
	uint64_t nr = 1;
	int error = parser_take_integer(parser, &integer);
	int i;

	if (!error)
		error = parser_take_name(parser, &name);
	if (!error && parser_skip(parser, "[")) {
		error = parser_take_number(parser, CTF_LAYOUT_BYTES_MAX, &nr);
		if (!error)
			error = parser_take_sign(parser, "]");
	}
	if (error)
		return error;
	if (integer->align != 8 || integer->bits % 8)
		return parser_refuse(parser, "a packet's header may contain only packed integers");
	nr *= integer->bits / 8;
	i = find_layout_field(part, name);
	if (i >= 0) {
		const struct ctf_layout_field *known = &ctf_layout_fields[i];

		if (*found & 1U << i || nr != known->nr_bytes || integer->is_signed ||
		    integer->is_time != known->is_time)
			return parser_refuse(
				parser,
				"a field of packets is described twice, or its size or sign is "
				"not supported");
		*found |= 1U << i;
		layout->at[i] = layout->nr_bytes;
	}
	layout->nr_bytes += (unsigned int)nr;
	if (layout->nr_bytes > CTF_LAYOUT_BYTES_MAX)
		return parser_refuse(parser, "a packet's header is too long");
	return parser_take_sign(parser, ";");
}

/* Parses "struct { ... }", which must contain all known fields of `part`. */
static int take_layout(struct parser *parser, struct ctf_layout *layout, enum ctf_layout_part part)
{
	uint32_t found = 0;
	int error = parser_take_word(parser, "struct");

	if (!error)
		error = parser_take_sign(parser, "{");
	while (!error && !parser_skip(parser, "}"))
		error = take_layout_field(parser, layout, part, &found);
	if (error)
		return error;
	for (int i = 0; i < CTF_LAYOUT_NR_FIELDS; i++)
		if (ctf_layout_fields[i].part == part && !(found & 1U << i))
			return diag_set_at(parser->diag, -EINVAL, parser->file, parser->token.line,
					   "packets have no field %s", ctf_layout_fields[i].name);
	/*
	 * Babeltrace, and the search for packets in stream.c, require that a packet begins with
	 * its magic.
	 */
	if (part == CTF_LAYOUT_HEADER && layout->at[0])
		return parser_refuse(parser, "the first field of a packet is not its magic");
	return 0;
}

/* ---- trace ---- */

static int take_version(struct parser *parser, uint64_t wanted)
{
	uint64_t number = 0;
	int error = parser_take_number(parser, UINT32_MAX, &number);

	if (!error && number != wanted)
		error = parser_refuse(parser, "the trace's version of CTF is not 1.8");
	return error;
}

static int take_trace_property(struct parser *parser, const char *name, bool *has_header)
{
	int error;

	if (!strcmp(name, "major"))
		return take_version(parser, 1);
	if (!strcmp(name, "minor"))
		return take_version(parser, 8);
	if (!strcmp(name, "uuid")) {
		parser->has_trace = true;
		return parser_take_uuid(parser, parser->uuid);
	}
	if (!strcmp(name, "byte_order"))
		return parser_take_word(parser, "le");
	if (strcmp(name, "packet") || *has_header)
		return parser_refuse(parser, "unknown property of a trace");
	*has_header = true;
	error = take_layout(parser, &parser->layout, CTF_LAYOUT_HEADER);
	parser->header_bytes = parser->layout.nr_bytes;
	return error;
}

/* Parses "=" or, if name is packet or event, ".WORD :=". */
static int take_equals(struct parser *parser, const char *name, const char *packet_word)
{
	const bool is_packet = !strcmp(name, "packet");
	int error;

	if (!is_packet && strcmp(name, "event"))
		return parser_take_sign(parser, "=");
	error = parser_take_sign(parser, ".");
	if (!error)
		error = parser_take_word(parser, is_packet ? packet_word : "header");
	return error ? error : parser_take_sign(parser, ":=");
}

static int take_trace(struct parser *parser)
{
	bool has_header = false;
	int error = parser_take_sign(parser, "{");

	if (!error && parser->has_trace)
		return parser_refuse(parser, "the trace is described twice");
	while (!error && !parser_skip(parser, "}")) {
		const char *name;

		error = parser_take_name(parser, &name);
		if (!error)
			error = take_equals(parser, name, "header");
		if (!error)
			error = take_trace_property(parser, name, &has_header);
		if (!error)
			error = parser_take_sign(parser, ";");
	}
	if (error)
		return error;
	if (!parser->has_trace || !has_header)
		return parser_refuse(parser, "the trace has no uuid or no packet.header");
	return parser_take_sign(parser, ";");
}

/* ---- environment, clock ---- */

static int take_env(struct parser *parser)
{
	int error = parser_take_sign(parser, "{");

	if (!error && !parser->envs) {
		parser->envs = calloc(CTF_NR_ENVS_MAX, sizeof(parser->envs[0]));
		if (!parser->envs)
			return parser_no_memory(parser);
	}
	while (!error && !parser_skip(parser, "}")) {
		struct ctf_env *env = &parser->envs[parser->nr_envs];

		if (parser->nr_envs == CTF_NR_ENVS_MAX)
			return parser_refuse(parser, "the environment has too many entries");
		error = parser_take_name(parser, &env->name);
		if (!error)
			error = parser_take_sign(parser, "=");
		if (!error)
			error = parser->token.kind == TSDL_STRING
					? parser_take_string(parser, &env->text)
					: parser_take_signed(parser, &env->number);
		if (!error)
			error = parser_take_sign(parser, ";");
		parser->nr_envs++;
	}
	return error ? error : parser_take_sign(parser, ";");
}

static int take_clock_property(struct parser *parser, const char *name, struct ctf_clock *clock)
{
	if (!strcmp(name, "name"))
		return parser_take_name(parser, &clock->name);
	if (!strcmp(name, "uuid")) {
		clock->has_uuid = true;
		return parser_take_uuid(parser, clock->uuid);
	}
	if (!strcmp(name, "description"))
		return parser_take_string(parser, &clock->description);
	if (!strcmp(name, "freq"))
		return parser_take_number(parser, UINT64_MAX, &clock->freq_hz);
	if (!strcmp(name, "offset_s"))
		return parser_take_signed(parser, &clock->offset_s);
	if (!strcmp(name, "offset"))
		return parser_take_number(parser, UINT64_MAX, &clock->offset);
	return parser_refuse(parser, "unknown property of a clock");
}

static int take_clock(struct parser *parser)
{
	int error = parser_take_sign(parser, "{");

	if (!error && parser->has_clock)
		return parser_refuse(parser, "a second clock: all streams must use one clock");
	parser->clock = (struct ctf_clock){.description = ""};
	while (!error && !parser_skip(parser, "}")) {
		const char *name;

		error = parser_take_name(parser, &name);
		if (!error)
			error = parser_take_sign(parser, "=");
		if (!error)
			error = take_clock_property(parser, name, &parser->clock);
		if (!error)
			error = parser_take_sign(parser, ";");
	}
	if (error)
		return error;
	if (!parser->clock.name)
		return parser_refuse(parser, "the clock has no name");
	parser->has_clock = true;
	return parser_take_sign(parser, ";");
}

/* ---- streams ---- */

/* Checks that the metadata defines the integer types of the record header as expected. */
static int check_header_aliases(struct parser *parser)
{
	for (unsigned int i = 0; i < TSDL_NR_HEADER_ALIASES; i++) {
		const struct tsdl_integer *want = &tsdl_header_aliases[i].integer;
		const struct tsdl_integer *have =
			parser_find_alias(parser, tsdl_header_aliases[i].name);

		if (!have || have->bits != want->bits || have->align != want->align ||
		    have->is_signed || have->is_time != want->is_time)
			return diag_set_at(
				parser->diag, -EINVAL, parser->file, parser->token.line,
				"type %s of the record header differs from oprof's definition",
				tsdl_header_aliases[i].name);
	}
	return 0;
}

/* Parses a packet context. The contexts of all streams must have the same layout. */
static int take_context(struct parser *parser)
{
	struct ctf_layout layout = parser->layout;
	int error;

	layout.nr_bytes = parser->header_bytes;
	error = take_layout(parser, &layout, CTF_LAYOUT_CONTEXT);
	if (error)
		return error;
	if (parser->has_context && memcmp(&layout, &parser->layout, sizeof(layout)))
		return parser_refuse(parser, "two streams have different packet contexts");
	parser->layout = layout;
	parser->has_context = true;
	return 0;
}

static int take_stream_property(struct parser *parser, const char *name, uint32_t *id,
				unsigned int *nr_parts)
{
	uint64_t number = 0;
	int error;

	if (!strcmp(name, "id")) {
		error = parser_take_number(parser, UINT32_MAX, &number);
		if (!error)
			*id = (uint32_t)number;
		return error;
	}
	++*nr_parts;
	if (!strcmp(name, "packet"))
		return take_context(parser);
	if (strcmp(name, "event"))
		return parser_refuse(parser, "unknown property of a stream");
	error = check_header_aliases(parser);
	return error ? error
		     : parser_take_tokens(parser, TSDL_RECORD_HEADER, "oprof's record header");
}

static int add_stream(struct parser *parser, uint32_t id)
{
	if (parser->nr_streams == CTF_NR_STREAMS_MAX)
		return parser_refuse(parser, "too many streams");
	if (!parser->streams)
		parser->streams = calloc(CTF_NR_STREAMS_MAX, sizeof(parser->streams[0]));
	if (!parser->streams)
		return parser_no_memory(parser);
	parser->streams[parser->nr_streams++] = id;
	return 0;
}

static int take_stream(struct parser *parser)
{
	unsigned int nr_parts = 0;
	uint32_t id = 0;
	int error = parser_take_sign(parser, "{");

	if (!error && !parser->has_trace)
		return parser_refuse(parser, "a stream is described before the trace");
	while (!error && !parser_skip(parser, "}")) {
		const char *name;

		error = parser_take_name(parser, &name);
		if (!error)
			error = take_equals(parser, name, "context");
		if (!error)
			error = take_stream_property(parser, name, &id, &nr_parts);
		if (!error)
			error = parser_take_sign(parser, ";");
	}
	if (error)
		return error;
	if (nr_parts != 2 || !parser->has_context)
		return parser_refuse(parser,
				     "a stream must have an event.header and a packet.context");
	error = parser_take_sign(parser, ";");
	return error ? error : add_stream(parser, id);
}

/* ---- the whole ---- */

static int take_block(struct parser *parser)
{
	static const struct {
		const char *word;
		int (*take)(struct parser *parser);
	} blocks[] = {{"typealias", parser_take_alias},
		      {"trace", take_trace},
		      {"env", take_env},
		      {"clock", take_clock},
		      {"stream", take_stream},
		      {"event", parser_take_event}};

	for (unsigned int i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (parser_sees(parser, TSDL_WORD, blocks[i].word)) {
			parser_next(parser);
			return blocks[i].take(parser);
		}
	}
	return parser_wanted(parser, "typealias, trace, env, clock, stream or event");
}

static int compare_events(const void *a, const void *b)
{
	const struct ctf_event *left = a, *right = b;

	if (left->stream_id != right->stream_id)
		return left->stream_id < right->stream_id ? -1 : 1;
	return (left->id > right->id) - (left->id < right->id);
}

/* Copies the parsed trace into the arena and checks it. */
static int parser_end(struct parser *parser, struct ctf_metadata *metadata)
{
	struct ctf_trace *trace = &metadata->trace;
	int error;

	if (!parser->has_trace || !parser->has_clock || !parser->has_context)
		return parser_refuse(
			parser,
			"the description of the trace, its clock or its streams is missing");
	if (parser->nr_events)
		qsort(parser->events, parser->nr_events, sizeof(parser->events[0]), compare_events);
	*trace = (struct ctf_trace){
		.clock = parser->clock,
		.nr_envs = parser->nr_envs,
		.nr_streams = parser->nr_streams,
		.nr_events = parser->nr_events,
		.envs = ctf_arena_copy(parser->arena, parser->envs, parser->nr_envs,
				       sizeof(parser->envs[0])),
		.streams = ctf_arena_copy(parser->arena, parser->streams, parser->nr_streams,
					  sizeof(parser->streams[0])),
		.events = ctf_arena_copy(parser->arena, parser->events, parser->nr_events,
					 sizeof(parser->events[0]))};
	memcpy(trace->uuid, parser->uuid, sizeof(trace->uuid));
	if (!trace->envs || !trace->streams || !trace->events)
		return parser_no_memory(parser);
	error = ctf_trace_check(trace, parser->diag);
	if (error && parser->diag)
		return diag_set_at(parser->diag, error, parser->file, 0, "%s", parser->diag->text);
	metadata->layout = parser->layout;
	return error;
}

static int parse_text(struct parser *parser, struct ctf_metadata *metadata, const char *text,
		      size_t nr_bytes)
{
	const size_t signature = strlen(TSDL_SIGNATURE);
	int error = 0;

	tsdl_lexer_init(&parser->lexer, text, nr_bytes);
	parser_next(parser);
	if (nr_bytes < signature || memcmp(text, TSDL_SIGNATURE, signature))
		return diag_set_at(
			parser->diag, -EINVAL, parser->file, 1,
			"is not the metadata of a trace: it does not begin with " TSDL_SIGNATURE);
	while (!error && parser->token.kind != TSDL_END)
		error = take_block(parser);
	return error ? error : parser_end(parser, metadata);
}

int ctf_metadata_parse(struct ctf_metadata *metadata, const char *file, const char *text,
		       size_t nr_bytes, struct diag *diag)
{
	struct parser *parser = calloc(1, sizeof(*parser));
	struct ctf_metadata new = {.arena = NULL};
	int error = parser ? ctf_arena_create(&new.arena) : -ENOMEM;

	if (error) {
		free(parser);
		return diag_set_at(diag, error, file, 0, "out of memory: cannot read the metadata");
	}
	parser->file = file;
	parser->diag = diag;
	parser->arena = new.arena;
	error = parse_text(parser, &new, text, nr_bytes);
	free(parser->events);
	free(parser->envs);
	free(parser->streams);
	free(parser);
	if (error)
		ctf_arena_destroy(new.arena);
	else
		*metadata = new;
	return error;
}

void ctf_metadata_deinit(struct ctf_metadata *metadata)
{
	ctf_arena_destroy(metadata->arena);
	metadata->arena = NULL;
}
