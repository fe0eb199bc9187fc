// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_layout.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/*
 * If LTTng's name of the event does not follow the rule in trace_layout.h, returns LTTng's name;
 * otherwise NULL.
 */
static const char *known_name(const struct tracepoint *tracepoint)
{
	static const char *const names[][3] = {
		{"exceptions", "page_fault_user", "x86_exceptions_page_fault_user"},
		{"exceptions", "page_fault_kernel", "x86_exceptions_page_fault_kernel"},
		{"net", "netif_rx", "net_if_rx"},
		{"net", "netif_rx_entry", "net_if_rx_entry"},
		{"net", "netif_receive_skb", "net_if_receive_skb"},
		{"net", "netif_receive_skb_entry", "net_if_receive_skb_entry"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], tracepoint->system) &&
		    !strcmp(names[i][1], tracepoint->name))
			return names[i][2];
	return NULL;
}

static char *event_name(const struct tracepoint *tracepoint)
{
	const size_t nr_bytes = strlen(tracepoint->system);
	char *name;

	if (known_name(tracepoint))
		return strdup(known_name(tracepoint));
	if (!strncmp(tracepoint->name, tracepoint->system, nr_bytes) &&
	    tracepoint->name[nr_bytes] == '_')
		return strdup(tracepoint->name);
	if (asprintf(&name, "%s_%s", tracepoint->system, tracepoint->name) < 0)
		return NULL;
	return name;
}

/*
 * Returns the name of a field. "pid", "prev_pid" and so on become "tid", "prev_tid": such fields of
 * the scheduler's events identify threads.
 */
static char *field_name(const struct tracepoint *tracepoint, const struct tracepoint_field *field)
{
	const size_t nr_bytes = strlen(field->name);
	char *name = strdup(field->name);

	if (name && field->kind == TRACEPOINT_INTEGER && !strcmp(tracepoint->system, "sched") &&
	    nr_bytes >= 3 && !strcmp(name + nr_bytes - 3, "pid") &&
	    (nr_bytes == 3 || name[nr_bytes - 4] == '_'))
		name[nr_bytes - 3] = 't';
	return name;
}

/* ---- fields ---- */

static struct ctf_field ctf_field_of(const struct tracepoint_field *field, const char *name)
{
	static const enum ctf_field_kind kinds[] = {
		[TRACEPOINT_INTEGER] = CTF_FIELD_INTEGER,   [TRACEPOINT_TEXT] = CTF_FIELD_TEXT,
		[TRACEPOINT_ARRAY] = CTF_FIELD_ARRAY,	    [TRACEPOINT_STRING] = CTF_FIELD_STRING,
		[TRACEPOINT_SEQUENCE] = CTF_FIELD_SEQUENCE,
	};
	const bool is_bytes = field->kind == TRACEPOINT_ARRAY && field->element_bytes == 1;

	return (struct ctf_field){.name = name,
				  .kind = kinds[field->kind],
				  .bits = 8 * field->element_bytes,
				  .base = field->is_pointer || is_bytes ? 16 : 10,
				  .is_signed = field->is_signed && !field->is_pointer,
				  .length_bits = 16,
				  .nr = field->nr_elements};
}

static bool is_elsewhere(const struct tracepoint_field *field)
{
	return field->kind == TRACEPOINT_STRING || field->kind == TRACEPOINT_SEQUENCE;
}

static uint32_t bytes_in_place(const struct tracepoint_field *field)
{
	return field->element_bytes * (field->nr_elements ? field->nr_elements : 1);
}

/*
 * Adds a copying step for a field. If the field follows the last step's bytes, extends that step
 * instead.
 */
static void add_copy(struct trace_layout *layout, const struct tracepoint_field *field)
{
	struct trace_copy *last = layout->nr_copies ? &layout->copies[layout->nr_copies - 1] : NULL;

	if (!is_elsewhere(field) && last && !last->elsewhere &&
	    last->offset + last->nr_bytes == field->offset) {
		last->nr_bytes += bytes_in_place(field);
		return;
	}
	last = &layout->copies[layout->nr_copies++];
	if (is_elsewhere(field))
		*last = (struct trace_copy){.elsewhere = field};
	else
		*last = (struct trace_copy){.offset = field->offset,
					    .nr_bytes = bytes_in_place(field)};
}

static int add_fields(struct trace_layout *layout)
{
	const struct tracepoint *tracepoint = layout->tracepoint;

	for (unsigned int i = 0; i < tracepoint->nr_fields; i++) {
		char *name = field_name(tracepoint, &tracepoint->fields[i]);

		if (!name)
			return -ENOMEM;
		layout->fields[layout->event.nr_fields++] =
			ctf_field_of(&tracepoint->fields[i], name);
		add_copy(layout, &tracepoint->fields[i]);
	}
	return 0;
}

int trace_layout_init(struct trace_layout *layout, struct tracepoint *tracepoint, uint32_t id,
		      uint32_t stream_id, struct diag *diag)
{
	*layout = (struct trace_layout){
		.event = {.id = id, .stream_id = stream_id, .alignment = 1},
		.tracepoint = tracepoint,
		.fields = calloc(tracepoint->nr_fields + 1, sizeof(*layout->fields)),
		.copies = calloc(tracepoint->nr_fields + 1, sizeof(*layout->copies))};
	layout->event.name = event_name(tracepoint);
	layout->event.fields = layout->fields;
	if (!layout->event.name || !layout->fields || !layout->copies || add_fields(layout)) {
		trace_layout_deinit(layout);
		return diag_set(diag, -ENOMEM, "out of memory for an event's layout");
	}
	for (unsigned int i = 0; i < layout->event.nr_fields; i++)
		if (!ctf_is_identifier(layout->fields[i].name)) {
			(void)diag_set(diag, -EINVAL,
				       "%s:%s: the name of its field %s is not valid in a trace",
				       tracepoint->system, tracepoint->name,
				       layout->fields[i].name);
			trace_layout_deinit(layout);
			return -EINVAL;
		}
	return 0;
}

void trace_layout_deinit(struct trace_layout *layout)
{
	for (unsigned int i = 0; layout->fields && i < layout->event.nr_fields; i++)
		free((void *)(uintptr_t)layout->fields[i].name);
	free((void *)(uintptr_t)layout->event.name);
	free(layout->fields);
	free(layout->copies);
	tracepoint_destroy(layout->tracepoint);
	*layout = (struct trace_layout){0};
}

/* ---- records ---- */

/* Finds a value that is stored elsewhere in the record, cut to TRACE_ELSEWHERE_BYTES_MAX. */
static bool find(const struct trace_copy *copy, const uint8_t *record, size_t nr_record_bytes,
		 const uint8_t **bytes, size_t *nr_bytes)
{
	if (!tracepoint_value(copy->elsewhere, record, nr_record_bytes, bytes, nr_bytes))
		return false;
	if (*nr_bytes > TRACE_ELSEWHERE_BYTES_MAX)
		*nr_bytes = TRACE_ELSEWHERE_BYTES_MAX;
	return true;
}

/* Returns the size of the value, including a string's NUL or a sequence's length. */
static size_t bytes_of(const struct trace_copy *copy, size_t nr_bytes)
{
	return nr_bytes + (copy->elsewhere->kind == TRACEPOINT_STRING ? 1 : sizeof(uint16_t));
}

int64_t trace_layout_bytes(const struct trace_layout *layout, const uint8_t *record,
			   size_t nr_record_bytes)
{
	int64_t sum = 0;

	for (unsigned int i = 0; i < layout->nr_copies; i++) {
		const struct trace_copy *copy = &layout->copies[i];
		const uint8_t *bytes;
		size_t nr_bytes;

		if (copy->elsewhere) {
			if (!find(copy, record, nr_record_bytes, &bytes, &nr_bytes))
				return -EBADMSG;
			sum += (int64_t)bytes_of(copy, nr_bytes);
			continue;
		}
		if ((size_t)copy->offset + copy->nr_bytes > nr_record_bytes)
			return -EBADMSG;
		sum += copy->nr_bytes;
	}
	return sum;
}

static uint8_t *write_elsewhere(const struct trace_copy *copy, const uint8_t *record,
				size_t nr_record_bytes, uint8_t *payload)
{
	const uint8_t *bytes = record;
	size_t nr_bytes = 0;
	uint16_t nr;

	(void)find(copy, record, nr_record_bytes, &bytes, &nr_bytes);
	if (copy->elsewhere->kind == TRACEPOINT_STRING) {
		memcpy(payload, bytes, nr_bytes);
		payload[nr_bytes] = '\0';
		return payload + nr_bytes + 1;
	}
	nr = (uint16_t)(nr_bytes / copy->elsewhere->element_bytes);
	memcpy(payload, &nr, sizeof(nr));
	memcpy(payload + sizeof(nr), bytes, nr_bytes);
	return payload + sizeof(nr) + nr_bytes;
}

void trace_layout_write(const struct trace_layout *layout, const uint8_t *record,
			size_t nr_record_bytes, uint8_t *payload)
{
	for (unsigned int i = 0; i < layout->nr_copies; i++) {
		const struct trace_copy *copy = &layout->copies[i];

		if (copy->elsewhere) {
			payload = write_elsewhere(copy, record, nr_record_bytes, payload);
			continue;
		}
		memcpy(payload, record + copy->offset, copy->nr_bytes);
		payload += copy->nr_bytes;
	}
}

bool trace_layout_is_named(const char *name, const char *kernels)
{
	const size_t nr = strlen(name);

	if (!strcmp(name, kernels))
		return true;
	return nr >= 3 && strlen(kernels) == nr && !strncmp(name, kernels, nr - 3) &&
	       !strcmp(name + nr - 3, "tid") && !strcmp(kernels + nr - 3, "pid");
}
