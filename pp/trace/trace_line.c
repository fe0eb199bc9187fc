// SPDX-License-Identifier: GPL-2.0-or-later
/* Formats lines without printf(), which is too slow for millions of lines. */
#include "pp/trace/trace_line.h"

#include "lib/array.h"
#include "lib/clock.h"
#include "lib/utf8.h"

#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

void trace_line_deinit(struct trace_line *line)
{
	free(line->bytes);
	*line = (struct trace_line){0};
}

/* Makes room for nr_bytes at the line's end. Returns the room's address; NULL: out of memory. */
static char *need(struct trace_line *line, size_t nr_bytes)
{
	if (array_reserve(&line->bytes, &line->room, line->nr_bytes, nr_bytes)) {
		line->no_memory = true;
		return NULL;
	}
	return line->bytes + line->nr_bytes;
}

static void add_bytes(struct trace_line *line, const char *bytes, size_t nr_bytes)
{
	char *to = need(line, nr_bytes);

	if (!to)
		return;
	memcpy(to, bytes, nr_bytes);
	line->nr_bytes += nr_bytes;
}

static void add(struct trace_line *line, const char *text)
{
	add_bytes(line, text, strlen(text));
}

static void pad(struct trace_line *line, size_t nr_bytes, char fill)
{
	char *to = need(line, nr_bytes);

	if (!to)
		return;
	memset(to, fill, nr_bytes);
	line->nr_bytes += nr_bytes;
}

/* Adds a number in base 10 or 16, aligned right in `width` characters and padded with `fill`. */
static void add_number(struct trace_line *line, uint64_t number, unsigned int base, size_t width,
		       char fill)
{
	char text[20]; /* digits in reverse order; 2^64 - 1 has 20 digits */
	size_t nr = 0;
	char *to;

	do {
		text[nr++] = digits[number % base];
		number /= base;
	} while (number && nr < sizeof(text));
	if (nr < width)
		pad(line, width - nr, fill);
	to = need(line, nr);
	if (!to)
		return;
	line->nr_bytes += nr;
	while (nr)
		*to++ = text[--nr];
}

static void add_signed(struct trace_line *line, int64_t number)
{
	if (number < 0)
		add(line, "-");
	add_number(line, number < 0 ? -(uint64_t)number : (uint64_t)number, 10, 0, ' ');
}

/* ---- texts ---- */

/*
 * Escapes quotes, backslashes and ASCII control characters as JSON does. Returns false for other
 * bytes.
 */
static bool add_escape(struct trace_line *line, uint8_t byte)
{
	if (byte == '"' || byte == '\\') {
		const char escaped[] = {'\\', (char)byte};

		add_bytes(line, escaped, sizeof(escaped));
		return true;
	}
	if (byte >= 0x20 && byte != 0x7f)
		return false;
	add(line, "\\u00");
	add_number(line, byte, 16, 2, '0');
	return true;
}

/*
 * Adds the next character of text and returns its length in bytes. Escapes characters that must not
 * reach a terminal.
 */
static size_t add_character(struct trace_line *line, const char *text, size_t nr_bytes)
{
	char copy[5] = "";
	uint32_t code;
	bool masked;
	size_t nr;

	if (add_escape(line, (uint8_t)*text))
		return 1;
	memcpy(copy, text, nr_bytes < 4 ? nr_bytes : 4);
	nr = utf8_decode(copy, &code);
	(void)utf8_next(copy, &masked);
	if (code == UTF8_REPLACEMENT) {
		add(line, "\xef\xbf\xbd");
	} else if (masked) {
		add(line, "\\u");
		add_number(line, code, 16, 4, '0');
	} else {
		add_bytes(line, text, nr);
	}
	return nr;
}

static void add_text(struct trace_line *line, const uint8_t *bytes, size_t nr_bytes)
{
	const char *text = (const char *)bytes;

	add(line, "\"");
	for (size_t at = 0; at < nr_bytes;)
		at += add_character(line, text + at, nr_bytes - at);
	add(line, "\"");
}

/*
 * Adds a name from the trace's metadata. The trace may come from another user, so control
 * characters are replaced.
 */
static void add_masked(struct trace_line *line, const char *name)
{
	while (*name) {
		bool masked;
		const size_t nr = utf8_next(name, &masked);

		if (masked)
			add(line, "?");
		else
			add_bytes(line, name, nr);
		name += nr;
	}
}

/* ---- values ---- */

static const char *label_of(const struct ctf_field *field, uint64_t number)
{
	for (unsigned int i = 0; i < field->nr_labels; i++)
		if (field->labels[i].value == (int64_t)number)
			return field->labels[i].name;
	return NULL;
}

static void add_integer(struct trace_line *line, const struct ctf_field *field, uint64_t number)
{
	if (field->base == 16) {
		add(line, "0x");
		add_number(line,
			   field->bits == 64 ? number : number & ((UINT64_C(1) << field->bits) - 1),
			   16, 0, ' ');
	} else if (field->is_signed) {
		add_signed(line, (int64_t)number);
	} else {
		add_number(line, number, 10, 0, ' ');
	}
}

/*
 * Writes a number as JSON. A number in base 16 becomes a string: JSON has no hexadecimal numbers,
 * and a program that reads JSON numbers as doubles would lose bits.
 */
static void add_json_integer(struct trace_line *line, const struct ctf_field *field,
			     uint64_t number)
{
	if (field->base == 16)
		add(line, "\"");
	add_integer(line, field, number);
	if (field->base == 16)
		add(line, "\"");
}

static void add_list(struct trace_line *line, const struct ctf_field *field,
		     const struct ctf_value *value, bool json)
{
	add(line, "[");
	for (uint32_t i = 0; i < value->nr; i++) {
		if (i)
			add(line, json ? "," : ", ");
		if (json)
			add_json_integer(line, field, ctf_value_element(field, value, i));
		else
			add_integer(line, field, ctf_value_element(field, value, i));
	}
	add(line, "]");
}

static void add_value(struct trace_line *line, const struct ctf_field *field,
		      const struct ctf_value *value, bool json)
{
	const char *label;

	switch (field->kind) {
	case CTF_FIELD_TEXT:
	case CTF_FIELD_STRING:
		add_text(line, value->bytes, value->nr);
		return;
	case CTF_FIELD_ARRAY:
	case CTF_FIELD_SEQUENCE:
		add_list(line, field, value, json);
		return;
	default:
		label = label_of(field, value->number);
		if (label && json)
			add_text(line, (const uint8_t *)label, strlen(label));
		else if (label)
			add_masked(line, label);
		else if (json)
			add_json_integer(line, field, value->number);
		else
			add_integer(line, field, value->number);
	}
}

/* ---- lines ---- */

static void add_padded(struct trace_line *line, const char *text, size_t width)
{
	const size_t nr_bytes = strlen(text);

	add_bytes(line, text, nr_bytes);
	if (nr_bytes < width)
		pad(line, width - nr_bytes, ' ');
}

/*
 * Adds a thread's name. The name may contain any byte, so control characters are replaced. A
 * newline, for example, would otherwise break the line.
 */
static void add_name(struct trace_line *line, const char *name)
{
	char shown[sizeof(((struct trace_runner *)0)->name)] = "?";

	if (*name)
		memcpy(shown, name, sizeof(shown));
	utf8_mask(shown, "");
	add_padded(line, shown, 15);
}

void trace_line_text(struct trace_line *line, const struct ctf_record *record, uint64_t begin,
		     const struct trace_runner *who)
{
	const struct ctf_event *event = record->event;
	const uint64_t ns = record->time - begin;

	line->nr_bytes = 0;
	add_number(line, ns / NS_PER_SECOND, 10, 5, ' ');
	add(line, ".");
	add_number(line, ns % NS_PER_SECOND, 10, 9, '0');
	if (record->packet->cpu_id == OPROF_PACKET_NO_CPU)
		add(line, "   -");
	else
		add_number(line, record->packet->cpu_id, 10, 4, ' ');
	if (who->tid == TRACE_WHO_UNKNOWN)
		add(line, "       ?");
	else
		add_number(line, (uint64_t)who->tid, 10, 8, ' ');
	add(line, " ");
	add_name(line, who->name);
	add(line, " ");
	add_masked(line, event->name);
	for (unsigned int i = 0; i < event->nr_fields; i++) {
		add(line, i ? ", " : ": ");
		add_masked(line, event->fields[i].name);
		add(line, " = ");
		add_value(line, &event->fields[i], &record->values[i], false);
	}
	add(line, "\n");
}

void trace_line_json(struct trace_line *line, const struct ctf_record *record, uint64_t begin,
		     const struct trace_runner *who)
{
	const struct ctf_event *event = record->event;

	line->nr_bytes = 0;
	add(line, "{\"time_ns\":");
	add_number(line, record->time - begin, 10, 0, ' ');
	add(line, ",\"cpu\":");
	if (record->packet->cpu_id == OPROF_PACKET_NO_CPU)
		add(line, "null");
	else
		add_number(line, record->packet->cpu_id, 10, 0, ' ');
	add(line, ",\"tid\":");
	if (who->tid == TRACE_WHO_UNKNOWN)
		add(line, "null");
	else
		add_signed(line, who->tid);
	add(line, ",\"name\":");
	add_text(line, (const uint8_t *)who->name, strlen(who->name));
	add(line, ",\"event\":");
	add_text(line, (const uint8_t *)event->name, strlen(event->name));
	add(line, ",\"fields\":{");
	for (unsigned int i = 0; i < event->nr_fields; i++) {
		if (i)
			add(line, ",");
		add_text(line, (const uint8_t *)event->fields[i].name,
			 strlen(event->fields[i].name));
		add(line, ":");
		add_value(line, &event->fields[i], &record->values[i], true);
	}
	add(line, "}}\n");
}
