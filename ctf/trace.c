// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/ctf.h"

#include "oprof/packet.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ctf_is_identifier(const char *name)
{
	const size_t length = strnlen(name, CTF_NAME_BYTES_MAX + 1);

	if (!length || length > CTF_NAME_BYTES_MAX || isdigit((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (name[i] != '_' && (!isascii(name[i]) || !isalnum((unsigned char)name[i])))
			return false;
	return true;
}

bool ctf_is_keyword(const char *name)
{
	static const char *const keywords[] = {
		"align",   "callsite", "char",	    "clock",	 "const",	   "double",
		"enum",	   "env",      "event",	    "float",	 "floating_point", "int",
		"integer", "long",     "short",	    "signed",	 "stream",	   "string",
		"struct",  "trace",    "typealias", "typedef",	 "unsigned",	   "variant",
		"void",	   "_Bool",    "_Complex",  "_Imaginary"};

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (!strcmp(name, keywords[i]))
			return true;
	return false;
}

void ctf_uuid_show(const uint8_t uuid[CTF_UUID_BYTES], char text[CTF_UUID_TEXT])
{
	for (unsigned int i = 0; i < CTF_UUID_BYTES; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*text++ = '-';
		(void)snprintf(text, 3, "%02x", uuid[i]);
		text += 2;
	}
}

static bool is_text(const char *text)
{
	return strnlen(text, CTF_NAME_BYTES_MAX + 1) <= CTF_NAME_BYTES_MAX;
}

static bool is_length(unsigned int bits)
{
	return bits == 8 || bits == 16 || bits == 32;
}

/* ---- fields ---- */

static bool integer_is_sound(const struct ctf_field *field)
{
	return (is_length(field->bits) || field->bits == 64) &&
	       (field->base == 10 || field->base == 16);
}

static bool label_fits(const struct ctf_field *field, int64_t value)
{
	if (field->is_signed)
		return field->bits == 64 || (value >= -(INT64_C(1) << (field->bits - 1)) &&
					     value < INT64_C(1) << (field->bits - 1));
	return value >= 0 && (field->bits == 64 || value < INT64_C(1) << field->bits);
}

static bool labels_are_sound(const struct ctf_field *field)
{
	if (field->nr_labels > CTF_NR_LABELS_MAX)
		return false;
	for (unsigned int i = 0; i < field->nr_labels; i++) {
		const struct ctf_label *label = &field->labels[i];

		if (!is_text(label->name) || !label_fits(field, label->value))
			return false;
		if (i && label->value <= label[-1].value)
			return false;
	}
	return true;
}

static bool field_is_sound(const struct ctf_field *field)
{
	if (field->kind != CTF_FIELD_INTEGER && field->nr_labels)
		return false;
	switch (field->kind) {
	case CTF_FIELD_INTEGER:
		return integer_is_sound(field) && labels_are_sound(field);
	case CTF_FIELD_TEXT:
		return field->nr;
	case CTF_FIELD_STRING:
		return true;
	case CTF_FIELD_ARRAY:
		return field->nr && integer_is_sound(field);
	case CTF_FIELD_SEQUENCE:
		return integer_is_sound(field) && is_length(field->length_bits);
	default:
		return false;
	}
}

/*
 * Returns whether `a` is a sequence and `b` is the name that the metadata gives to its length
 * field.
 */
static bool is_length_name(const struct ctf_field *a, const char *b)
{
	size_t length;

	if (a->kind != CTF_FIELD_SEQUENCE || b[0] != '_')
		return false;
	length = strlen(a->name);
	return !strncmp(b + 1, a->name, length) && !strcmp(b + 1 + length, "_length");
}

static int check_field(const struct ctf_event *event, unsigned int i, struct diag *diag)
{
	const struct ctf_field *field = &event->fields[i];

	if (!ctf_is_identifier(field->name))
		return diag_set(diag, -EINVAL,
				"event \"%s\": \"%.300s\" is not a valid name of a field",
				event->name, field->name);
	if (!field_is_sound(field))
		return diag_set(diag, -EINVAL, "event \"%s\": field %s has an unknown kind or size",
				event->name, field->name);
	for (unsigned int j = 0; j < event->nr_fields; j++) {
		const char *other = event->fields[j].name;

		if ((j < i && !strcmp(field->name, other)) || is_length_name(field, other))
			return diag_set(diag, -EINVAL, "event \"%s\" has two fields named %s",
					event->name, other);
	}
	return 0;
}

/* ---- events ---- */

static bool is_alignment(unsigned int alignment)
{
	return alignment == 1 || alignment == 2 || alignment == 4 || alignment == 8;
}

static bool has_stream(const struct ctf_trace *trace, uint32_t id)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		if (trace->streams[i] == id)
			return true;
	return false;
}

static int check_event(const struct ctf_trace *trace, const struct ctf_event *event,
		       struct diag *diag)
{
	if (!is_text(event->name))
		return diag_set(diag, -EINVAL, "the name of event %u is too long", event->id);
	if (event->id > OPROF_EVENT_COMPACT_MAX && event->id <= OPROF_EVENT_ESCAPE)
		return diag_set(diag, -EINVAL, "event \"%s\": id %u is reserved", event->name,
				event->id);
	if (!has_stream(trace, event->stream_id))
		return diag_set(diag, -EINVAL, "event \"%s\": there is no stream %u", event->name,
				event->stream_id);
	if (!is_alignment(event->alignment) || (!event->nr_fields && event->alignment != 1))
		return diag_set(diag, -EINVAL, "event \"%s\": a payload's alignment cannot be %u",
				event->name, event->alignment);
	if (event->nr_fields > CTF_NR_FIELDS_MAX)
		return diag_set(diag, -EINVAL, "event \"%s\" has more than %u fields", event->name,
				CTF_NR_FIELDS_MAX);
	for (unsigned int i = 0; i < event->nr_fields; i++) {
		int error = check_field(event, i, diag);

		if (error)
			return error;
	}
	return 0;
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static int check_ids(const struct ctf_trace *trace, struct diag *diag)
{
	uint64_t *keys = malloc((trace->nr_events + (size_t)1) * sizeof(*keys));
	int error = 0;

	if (!keys)
		return diag_set(diag, -ENOMEM, "out of memory: cannot check %u events",
				trace->nr_events);
	for (unsigned int i = 0; i < trace->nr_events; i++)
		keys[i] = (uint64_t)trace->events[i].stream_id << 32 | trace->events[i].id;
	qsort(keys, trace->nr_events, sizeof(*keys), compare_keys);
	for (unsigned int i = 1; i < trace->nr_events && !error; i++)
		if (keys[i] == keys[i - 1])
			error = diag_set(diag, -EINVAL, "stream %u has two events with id %u",
					 (uint32_t)(keys[i] >> 32), (uint32_t)keys[i]);
	free(keys);
	return error;
}

/* ---- the rest ---- */

static int check_envs(const struct ctf_trace *trace, struct diag *diag)
{
	for (unsigned int i = 0; i < trace->nr_envs; i++) {
		const struct ctf_env *env = &trace->envs[i];

		if (!ctf_is_identifier(env->name) || ctf_is_keyword(env->name))
			return diag_set(diag, -EINVAL,
					"\"%.300s\" is not a valid name in the environment",
					env->name);
		if (env->text && strnlen(env->text, 4097) > 4096)
			return diag_set(diag, -EINVAL,
					"the value of %s in the environment is too long",
					env->name);
		for (unsigned int j = 0; j < i; j++)
			if (!strcmp(env->name, trace->envs[j].name))
				return diag_set(diag, -EINVAL,
						"%s is given twice in the environment", env->name);
	}
	return 0;
}

static int check_streams(const struct ctf_trace *trace, struct diag *diag)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		for (unsigned int j = 0; j < i; j++)
			if (trace->streams[i] == trace->streams[j])
				return diag_set(diag, -EINVAL, "stream %u is described twice",
						trace->streams[i]);
	return 0;
}

static int check_clock(const struct ctf_clock *clock, struct diag *diag)
{
	if (!ctf_is_identifier(clock->name) || ctf_is_keyword(clock->name))
		return diag_set(diag, -EINVAL, "\"%.300s\" is not a valid name of a clock",
				clock->name);
	if (!is_text(clock->description))
		return diag_set(diag, -EINVAL, "the description of clock %s is too long",
				clock->name);
	/* Readers add offset_s and offset, so offset must be less than a second. */
	if (!clock->freq_hz || clock->offset >= clock->freq_hz)
		return diag_set(
			diag, -EINVAL,
			"clock %s: the frequency is 0, or the offset in ticks is not less than a "
			"second",
			clock->name);
	return 0;
}

int ctf_trace_check(const struct ctf_trace *trace, struct diag *diag)
{
	int error;

	if (!trace->nr_streams || trace->nr_streams > CTF_NR_STREAMS_MAX ||
	    trace->nr_events > CTF_NR_EVENTS_MAX || trace->nr_envs > CTF_NR_ENVS_MAX)
		return diag_set(diag, -EINVAL,
				"a trace must have 1 to %u kinds of streams, and at most %u "
				"events and %u entries in its environment",
				CTF_NR_STREAMS_MAX, CTF_NR_EVENTS_MAX, CTF_NR_ENVS_MAX);
	error = check_clock(&trace->clock, diag);
	if (!error)
		error = check_envs(trace, diag);
	if (!error)
		error = check_streams(trace, diag);
	for (unsigned int i = 0; i < trace->nr_events && !error; i++)
		error = check_event(trace, &trace->events[i], diag);
	return error ? error : check_ids(trace, diag);
}
