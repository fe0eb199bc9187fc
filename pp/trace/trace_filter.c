// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_filter.h"

#include "lib/number.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 4096u /* a longer text is cut before it is compared with a pattern */

static void free_all(char **texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(texts[i]);
	free(texts);
}

void trace_filter_deinit(struct trace_filter *filter)
{
	free_all(filter->events, filter->nr_events);
	free_all(filter->threads, filter->nr_threads);
	for (size_t i = 0; i < filter->nr_conditions; i++) {
		free(filter->conditions[i].field);
		free(filter->conditions[i].text);
	}
	free(filter->conditions);
	free(filter->pids);
	*filter = (struct trace_filter){0};
}

/* ---- setting a filter ---- */

static int no_memory(struct diag *diag)
{
	return diag_set(diag, -ENOMEM, "out of memory for the filters");
}

static int append(char ***texts, size_t *nr, const char *text, size_t nr_bytes)
{
	char **bigger = realloc(*texts, (*nr + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	*texts = bigger;
	bigger[*nr] = strndup(text, nr_bytes);
	return bigger[*nr] ? (++*nr, 0) : -ENOMEM;
}

/* Appends the parts of "a,b,c". */
static int append_list(char ***texts, size_t *nr, const char *what, const char *text,
		       struct diag *diag)
{
	for (;; text++) {
		const size_t nr_bytes = strcspn(text, ",");

		if (!nr_bytes)
			return diag_set(diag, -EINVAL, "the name of %s is empty", what);
		if (append(texts, nr, text, nr_bytes))
			return no_memory(diag);
		text += nr_bytes;
		if (!*text)
			return 0;
	}
}

int trace_filter_events(struct trace_filter *filter, const char *text, struct diag *diag)
{
	return append_list(&filter->events, &filter->nr_events, "an event", text, diag);
}

int trace_filter_threads(struct trace_filter *filter, const char *text, struct diag *diag)
{
	return append_list(&filter->threads, &filter->nr_threads, "a thread", text, diag);
}

static int add_pid(struct trace_filter *filter, const char *text, size_t nr_bytes,
		   struct diag *diag)
{
	int32_t *bigger = reallocarray(filter->pids, filter->nr_pids + 1, sizeof(*bigger));
	char number[16] = "";
	uint64_t pid;

	if (!bigger)
		return no_memory(diag);
	filter->pids = bigger;
	if (nr_bytes < sizeof(number))
		memcpy(number, text, nr_bytes);
	if (number_parse(number, INT32_MAX, &pid) || !pid)
		return diag_set(diag, -EINVAL,
				"--pid=%.*s: give process numbers, separated by commas",
				(int)nr_bytes, text);
	bigger[filter->nr_pids++] = (int32_t)pid;
	return 0;
}

int trace_filter_pids(struct trace_filter *filter, const char *text, struct diag *diag)
{
	for (;; text++) {
		const size_t nr_bytes = strcspn(text, ",");
		const int error = add_pid(filter, text, nr_bytes, diag);

		text += nr_bytes;
		if (error || !*text)
			return error;
	}
}

int trace_filter_cpu(struct trace_filter *filter, const char *text, struct diag *diag)
{
	if (number_parse(text, UINT32_MAX, &filter->cpu))
		return diag_set(diag, -EINVAL, "--cpu=%s: give a CPU number", text);
	filter->has_cpu = true;
	return 0;
}

/* Longer operators come first, so that "<=" is not read as "<". */
static const struct {
	const char *sign;
	enum trace_compare compare;
} compares[] = {{"!=", COMPARE_IS_NOT}, {"<=", COMPARE_AT_MOST}, {">=", COMPARE_AT_LEAST},
		{"=", COMPARE_IS},	{"<", COMPARE_BELOW},	 {">", COMPARE_ABOVE}};

static bool parse_number(const char *text, int64_t *number)
{
	uint64_t value;

	if (number_parse(text + (*text == '-'), INT64_MAX, &value))
		return false;
	*number = *text == '-' ? -(int64_t)value : (int64_t)value;
	return true;
}

static int add_condition(struct trace_filter *filter, const char *field, size_t nr_field,
			 enum trace_compare compare, const char *text)
{
	struct trace_condition *bigger =
		realloc(filter->conditions, (filter->nr_conditions + 1) * sizeof(*bigger));
	struct trace_condition *to;

	if (!bigger)
		return -ENOMEM;
	filter->conditions = bigger;
	to = &bigger[filter->nr_conditions++];
	*to = (struct trace_condition){
		.field = strndup(field, nr_field), .compare = compare, .text = strdup(text)};
	to->is_number = parse_number(text, &to->number);
	return to->field && to->text ? 0 : -ENOMEM;
}

int trace_filter_condition(struct trace_filter *filter, const char *text, struct diag *diag)
{
	const size_t nr_field = strcspn(text, "!=<>");

	for (size_t i = 0; nr_field && i < sizeof(compares) / sizeof(compares[0]); i++) {
		const char *sign = compares[i].sign, *behind = text + nr_field + strlen(sign);

		if (strncmp(text + nr_field, sign, strlen(sign)) != 0)
			continue;
		if (add_condition(filter, text, nr_field, compares[i].compare, behind))
			return no_memory(diag);
		if (compares[i].compare != COMPARE_IS && compares[i].compare != COMPARE_IS_NOT &&
		    !filter->conditions[filter->nr_conditions - 1].is_number)
			break;
		return 0;
	}
	return diag_set(diag, -EINVAL,
			"\"%s\": give FIELD=VALUE or FIELD!=VALUE, or < > <= >= with a "
			"number",
			text);
}

/* ---- matching ---- */

static bool fits_event(const struct trace_filter *filter, const char *name)
{
	for (size_t i = 0; i < filter->nr_events; i++)
		if (!fnmatch(filter->events[i], name, 0))
			return true;
	return !filter->nr_events;
}

bool trace_filter_lets_thread(const struct trace_filter *filter, int32_t tid, const char *name)
{
	for (size_t i = 0; i < filter->nr_threads; i++) {
		int64_t number;

		if (parse_number(filter->threads[i], &number)
			    ? number == tid
			    : !fnmatch(filter->threads[i], name, 0))
			return true;
	}
	return !filter->nr_threads;
}

bool trace_filter_lets_process(const struct trace_filter *filter, int32_t pid)
{
	for (size_t i = 0; i < filter->nr_pids; i++)
		if (filter->pids[i] == pid)
			return true;
	return !filter->nr_pids;
}

static bool compare_numbers(const struct trace_condition *condition, const struct ctf_field *field,
			    uint64_t value)
{
	const bool below =
		field->is_signed || value <= INT64_MAX ? (int64_t)value < condition->number : false;
	const bool same =
		(field->is_signed || value <= INT64_MAX) && (int64_t)value == condition->number;

	switch (condition->compare) {
	case COMPARE_IS:
		return same;
	case COMPARE_IS_NOT:
		return !same;
	case COMPARE_BELOW:
		return below;
	case COMPARE_AT_MOST:
		return below || same;
	case COMPARE_ABOVE:
		return !below && !same;
	case COMPARE_AT_LEAST:
		return !below;
	}
	return false;
}

static bool compare_text(const struct trace_condition *condition, const struct ctf_value *value)
{
	char text[TEXT_BYTES];
	bool same;

	(void)snprintf(text, sizeof(text), "%.*s",
		       (int)(value->nr < sizeof(text) ? value->nr : sizeof(text) - 1),
		       (const char *)value->bytes);
	same = !fnmatch(condition->text, text, 0);
	return condition->compare == COMPARE_IS_NOT ? !same : same;
}

static bool compare_label(const struct trace_condition *condition, const struct ctf_field *field,
			  uint64_t value)
{
	bool same = false;

	for (unsigned int i = 0; i < field->nr_labels; i++)
		same |= field->labels[i].value == (int64_t)value &&
			!strcmp(field->labels[i].name, condition->text);
	return condition->compare == COMPARE_IS_NOT ? !same : same;
}

static bool holds(const struct trace_condition *condition, const struct ctf_field *field,
		  const struct ctf_value *value)
{
	switch (field->kind) {
	case CTF_FIELD_INTEGER:
		return condition->is_number ? compare_numbers(condition, field, value->number)
					    : compare_label(condition, field, value->number);
	case CTF_FIELD_TEXT:
	case CTF_FIELD_STRING:
		return (condition->compare == COMPARE_IS || condition->compare == COMPARE_IS_NOT) &&
		       compare_text(condition, value);
	default:
		return false; /* an array matches no condition */
	}
}

/* Returns whether the condition is true. An event without the field does not match. */
static bool fits_condition(const struct trace_condition *condition, const struct ctf_record *record)
{
	const struct ctf_event *event = record->event;

	for (unsigned int i = 0; i < event->nr_fields; i++)
		if (!strcmp(event->fields[i].name, condition->field))
			return holds(condition, &event->fields[i], &record->values[i]);
	return false;
}

bool trace_filter_lets(const struct trace_filter *filter, const struct ctf_record *record,
		       uint64_t begin, const struct trace_runner *who)
{
	const uint64_t ns = record->time - begin;

	if (ns < filter->from_ns || (filter->to_ns && ns >= filter->to_ns) ||
	    (filter->has_cpu && record->packet->cpu_id != filter->cpu) ||
	    !fits_event(filter, record->event->name) ||
	    !trace_filter_lets_thread(filter, who->tid, who->name))
		return false;
	for (size_t i = 0; i < filter->nr_conditions; i++)
		if (!fits_condition(&filter->conditions[i], record))
			return false;
	return true;
}
