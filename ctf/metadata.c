// SPDX-License-Identifier: GPL-2.0-or-later
/* Formats a struct ctf_trace as metadata text; metadata_parse.c does the reverse. */
#include "ctf/metadata.h"

#include "ctf/tsdl.h"
#include "oprof/packet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Writes text in quotes. Escapes all bytes that a CTF reader could not restore otherwise. */
static void put_string(FILE *to, const char *text)
{
	putc('"', to);
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			(void)fprintf(to, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			(void)fprintf(to, "\\%03o", c);
		else
			putc(c, to);
	}
	putc('"', to);
}

/* ---- integers ---- */

static void put_alias(FILE *to, const struct tsdl_integer *integer, const char *clock,
		      const char *name)
{
	(void)fprintf(to, "typealias integer { size = %u; align = %u; signed = %s; base = %u;",
		      integer->bits, integer->align, integer->is_signed ? "true" : "false",
		      integer->base);
	if (integer->is_text)
		(void)fprintf(to, " encoding = UTF8;");
	if (integer->is_time)
		(void)fprintf(to, " map = clock.%s.value;", clock);
	(void)fprintf(to, " } := %s;\n", name);
}

/*
 * Returns the beginning of a type's name: uint, int, hex or signed_hex. The caller appends the
 * size, such as "8_t".
 */
static const char *integer_stem(bool is_signed, unsigned int base)
{
	if (base == 16)
		return is_signed ? "signed_hex" : "hex";
	return is_signed ? "int" : "uint";
}

static void put_aliases(FILE *to)
{
	const struct tsdl_integer text = {.bits = 8, .align = 8, .base = 10, .is_text = true};
	char name[32];

	for (unsigned int bits = 8; bits <= 64; bits *= 2) {
		for (unsigned int base = 10; base <= 16; base += 6) {
			for (int is_signed = 0; is_signed < 2; is_signed++) {
				const struct tsdl_integer integer = {.bits = bits,
								     .align = 8,
								     .base = base,
								     .is_signed = is_signed};

				(void)snprintf(name, sizeof(name), "%s%u_t",
					       integer_stem(is_signed, base), bits);
				put_alias(to, &integer, NULL, name);
			}
		}
	}
	put_alias(to, &text, NULL, "utf8_t");
}

static void put_clock_aliases(FILE *to, const char *clock)
{
	const struct tsdl_integer stamp = {.bits = 64, .align = 8, .base = 10, .is_time = true};

	put_alias(to, &stamp, clock, "uint64_clock_t");
	for (unsigned int i = 0; i < TSDL_NR_HEADER_ALIASES; i++)
		put_alias(to, &tsdl_header_aliases[i].integer, clock, tsdl_header_aliases[i].name);
	putc('\n', to);
}

/* ---- trace, environment, clock, streams ---- */

static void put_layout(FILE *to, enum ctf_layout_part part)
{
	(void)fprintf(to, "struct {\n");
	for (unsigned int i = 0; i < CTF_LAYOUT_NR_FIELDS; i++) {
		const struct ctf_layout_field *field = &ctf_layout_fields[i];

		if (field->part != part)
			continue;
		if (field->nr_bytes == CTF_UUID_BYTES)
			(void)fprintf(to, "\t\tuint8_t %s[%u];\n", field->name, field->nr_bytes);
		else
			(void)fprintf(to, "\t\tuint%u%s_t %s;\n", field->nr_bytes * 8,
				      field->is_time ? "_clock" : "", field->name);
	}
	(void)fprintf(to, "\t}");
}

static void put_trace(FILE *to, const struct ctf_trace *trace)
{
	char uuid[CTF_UUID_TEXT];

	ctf_uuid_show(trace->uuid, uuid);
	(void)fprintf(to,
		      "\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n"
		      "\tbyte_order = le;\n\tpacket.header := ",
		      uuid);
	put_layout(to, CTF_LAYOUT_HEADER);
	(void)fprintf(to, ";\n};\n\nenv {\n");
	for (unsigned int i = 0; i < trace->nr_envs; i++) {
		const struct ctf_env *env = &trace->envs[i];

		(void)fprintf(to, "\t%s = ", env->name);
		if (env->text)
			put_string(to, env->text);
		else
			(void)fprintf(to, "%" PRId64, env->number);
		(void)fprintf(to, ";\n");
	}
	(void)fprintf(to, "};\n\n");
}

static void put_clock(FILE *to, const struct ctf_clock *clock)
{
	char uuid[CTF_UUID_TEXT];

	(void)fprintf(to, "clock {\n\tname = %s;\n", clock->name);
	if (clock->has_uuid) {
		ctf_uuid_show(clock->uuid, uuid);
		(void)fprintf(to, "\tuuid = \"%s\";\n", uuid);
	}
	(void)fprintf(to, "\tdescription = ");
	put_string(to, clock->description);
	(void)fprintf(to,
		      ";\n\tfreq = %" PRIu64 ";\n\toffset_s = %" PRId64 ";\n\toffset = %" PRIu64
		      ";\n};\n\n",
		      clock->freq_hz, clock->offset_s, clock->offset);
}

static void put_stream(FILE *to, uint32_t id)
{
	(void)fprintf(to, "stream {\n\tid = %u;\n\tevent.header := " TSDL_RECORD_HEADER ";\n", id);
	(void)fprintf(to, "\tpacket.context := ");
	put_layout(to, CTF_LAYOUT_CONTEXT);
	(void)fprintf(to, ";\n};\n\n");
}

/* ---- events ---- */

static void put_labels(FILE *to, const struct ctf_field *field, const char *stem)
{
	(void)fprintf(to, "enum : %s%u_t { ", stem, field->bits);
	for (unsigned int i = 0; i < field->nr_labels; i++) {
		(void)fprintf(to, i ? ", " : "");
		put_string(to, field->labels[i].name);
		(void)fprintf(to, " = %" PRId64, field->labels[i].value);
	}
	(void)fprintf(to, " } _%s;\n", field->name);
}

/*
 * Writes the declaration of a field. Its name gets a leading "_", which readers remove, so that
 * reserved words of TSDL can be names.
 */
static void put_field(FILE *to, const struct ctf_field *field)
{
	const char *stem = integer_stem(field->is_signed, field->base);

	(void)fprintf(to, "\t\t");
	switch (field->kind) {
	case CTF_FIELD_TEXT:
		(void)fprintf(to, "utf8_t _%s[%u];\n", field->name, field->nr);
		break;
	case CTF_FIELD_STRING:
		(void)fprintf(to, "string _%s;\n", field->name);
		break;
	case CTF_FIELD_ARRAY:
		(void)fprintf(to, "%s%u_t _%s[%u];\n", stem, field->bits, field->name, field->nr);
		break;
	case CTF_FIELD_SEQUENCE:
		(void)fprintf(to, "uint%u_t __%s_length;\n\t\t%s%u_t _%s[ __%s_length ];\n",
			      field->length_bits, field->name, stem, field->bits, field->name,
			      field->name);
		break;
	default:
		if (field->nr_labels)
			put_labels(to, field, stem);
		else
			(void)fprintf(to, "%s%u_t _%s;\n", stem, field->bits, field->name);
	}
}

static void put_event(FILE *to, const struct ctf_event *event)
{
	(void)fprintf(to, "event {\n\tname = ");
	put_string(to, event->name);
	(void)fprintf(to, ";\n\tid = %u;\n\tstream_id = %u;\n\tfields := struct {\n", event->id,
		      event->stream_id);
	for (unsigned int i = 0; i < event->nr_fields; i++)
		put_field(to, &event->fields[i]);
	(void)fprintf(to, "\t}%s;\n};\n\n",
		      event->alignment == 2   ? " align(16)"
		      : event->alignment == 4 ? " align(32)"
		      : event->alignment == 8 ? " align(64)"
					      : "");
}

static void put_padding(FILE *to, uint32_t stream_id)
{
	static const struct ctf_field covered = {.name = "covered", .kind = CTF_FIELD_STRING};
	const struct ctf_event empty = {.id = OPROF_EVENT_PADDING_EMPTY,
					.stream_id = stream_id,
					.name = TSDL_PADDING_EMPTY,
					.alignment = 1};
	const struct ctf_event padding = {.id = OPROF_EVENT_PADDING,
					  .stream_id = stream_id,
					  .name = TSDL_PADDING,
					  .alignment = 1,
					  .nr_fields = 1,
					  .fields = &covered};

	put_event(to, &empty);
	put_event(to, &padding);
}

static void put_all(FILE *to, const struct ctf_trace *trace)
{
	(void)fprintf(to, TSDL_SIGNATURE "\n");
	put_aliases(to);
	put_trace(to, trace);
	put_clock(to, &trace->clock);
	put_clock_aliases(to, trace->clock.name);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		put_stream(to, trace->streams[i]);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		put_padding(to, trace->streams[i]);
	for (unsigned int i = 0; i < trace->nr_events; i++)
		put_event(to, &trace->events[i]);
}

int ctf_metadata_format(const struct ctf_trace *trace, char **text, size_t *nr_bytes,
			struct diag *diag)
{
	int error = ctf_trace_check(trace, diag);
	char *made = NULL;
	size_t nr_made = 0;
	bool is_whole;
	FILE *to;

	if (error)
		return error;
	to = open_memstream(&made, &nr_made);
	if (!to)
		return diag_set(diag, -errno, "out of memory for the trace's metadata");
	put_all(to, trace);
	is_whole = !ferror(to);
	if (fclose(to) || !is_whole) {
		free(made);
		return diag_set(diag, -ENOMEM, "out of memory for the trace's metadata");
	}
	*text = made;
	*nr_bytes = nr_made;
	return 0;
}
