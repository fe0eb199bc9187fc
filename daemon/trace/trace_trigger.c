// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_trigger.h"

#include "daemon/trace/trace_layout.h"
#include "daemon/trace/trace_trigger_parse.h"
#include "lib/array.h"

#include <stdlib.h>
#include <string.h>

/*
 * The spans that have begun and not ended are in a hash table of sets. The hash of rule and key
 * selects a span's set. If a set is full, a new span replaces the oldest one.
 */
#define NR_SETS 16384u
#define NR_WAYS 4u

struct span {
	uint64_t key, time, of;
	uint32_t rule; /* rule number + 1; 0: free entry */
};

/* A relevant record. It is kept until all earlier records are known. */
struct note {
	uint64_t time, key, of, order;
	uint32_t rule;
	enum trigger_role role;
};

struct trace_trigger {
	struct trigger_rules rules;
	struct span (*sets)[NR_WAYS];
	struct note *notes;
	size_t nr_notes, room_notes;
	uint64_t nr_noted, lost;
};

int trace_trigger_create(struct trace_trigger **trigger, const char *const *texts, size_t nr_texts,
			 const char *folder, struct diag *diag)
{
	struct trace_trigger *made = calloc(1, sizeof(*made));
	int error = -ENOMEM;

	*trigger = NULL;
	if (made)
		made->sets = calloc(NR_SETS, sizeof(*made->sets));
	if (made && made->sets)
		error = trigger_rules_parse(&made->rules, texts, nr_texts, folder, diag);
	else
		(void)diag_set(diag, error, "out of memory for conditions");
	if (error)
		trace_trigger_destroy(made);
	else
		*trigger = made;
	return error;
}

void trace_trigger_destroy(struct trace_trigger *trigger)
{
	if (!trigger)
		return;
	trigger_rules_deinit(&trigger->rules);
	free(trigger->sets);
	free(trigger->notes);
	free(trigger);
}

bool trace_trigger_event(const struct trace_trigger *trigger, uint32_t i, const char **system,
			 const char **name)
{
	if (i >= trigger->rules.nr_events)
		return false;
	*system = trigger->rules.events[i].tracepoint->system;
	*name = trigger->rules.events[i].tracepoint->name;
	return true;
}

uint32_t trace_trigger_find(const struct trace_trigger *trigger, const char *system,
			    const char *name)
{
	const char *its_system, *its_name;

	for (uint32_t i = 0; trace_trigger_event(trigger, i, &its_system, &its_name); i++)
		if (!strcmp(its_system, system) && !strcmp(its_name, name))
			return i;
	return TRACE_TRIGGER_NONE;
}

/* ---- records ---- */

static bool field_number(const struct tracepoint_field *field, const uint8_t *record,
			 size_t nr_bytes, uint64_t *number)
{
	const uint8_t *bytes;
	size_t nr;

	if (!tracepoint_value(field, record, nr_bytes, &bytes, &nr))
		return false;
	*number = tracepoint_number(field, bytes);
	return true;
}

static bool find_key(const struct trigger_use *use, const struct trace_trigger_record *record,
		     uint64_t *key)
{
	if (use->key) {
		if (!field_number(use->key, record->bytes, record->nr_bytes, key))
			return false;
		if (use->by_cpu)
			*key = (*key & UINT32_MAX) | (uint64_t)record->cpu << 32;
		return true;
	}
	/* Every CPU has an idle thread, and all have tid 0, so the CPU identifies them. */
	*key = record->tid ? (uint64_t)(uint32_t)record->tid : (uint64_t)1 << 63 | record->cpu;
	return record->tid != TRACE_TRIGGER_NO_TID;
}

static bool text_fits(const struct trigger_use *use, const uint8_t *record, size_t nr_bytes)
{
	const uint8_t *bytes;
	size_t nr;
	bool is_same;

	if (use->is_rest) {
		if (use->field->offset > nr_bytes)
			return false;
		bytes = record + use->field->offset;
		nr = nr_bytes - use->field->offset;
	} else if (!tracepoint_value(use->field, record, nr_bytes, &bytes, &nr)) {
		return false;
	}
	nr = strnlen((const char *)bytes, nr);
	is_same = nr == strlen(use->text) && !memcmp(bytes, use->text, nr);
	return is_same == (use->compare == TRIGGER_EQUAL);
}

static bool number_fits(const struct trigger_use *use, uint64_t number)
{
	const int64_t is = (int64_t)number, asked = (int64_t)use->value;
	const bool is_less = use->field->is_signed ? is < asked : number < use->value;

	switch (use->compare) {
	case TRIGGER_EQUAL:
		return number == use->value;
	case TRIGGER_OTHER:
		return number != use->value;
	case TRIGGER_LESS:
		return is_less;
	case TRIGGER_LESS_EQUAL:
		return is_less || number == use->value;
	case TRIGGER_GREATER:
		return !is_less && number != use->value;
	case TRIGGER_GREATER_EQUAL:
		return !is_less;
	case TRIGGER_BITS:
		return (number & use->value) != 0;
	}
	return false;
}

static bool fits(const struct trigger_use *use, const uint8_t *record, size_t nr_bytes)
{
	uint64_t number;

	if (!use->field)
		return true;
	if (use->text)
		return text_fits(use, record, nr_bytes);
	return field_number(use->field, record, nr_bytes, &number) && number_fits(use, number);
}

static void add_note(struct trace_trigger *trigger, const struct note *note)
{
	if (array_reserve(&trigger->notes, &trigger->room_notes, trigger->nr_notes, 1)) {
		trigger->lost++;
		return;
	}
	trigger->notes[trigger->nr_notes] = *note;
	trigger->notes[trigger->nr_notes++].order = trigger->nr_noted++;
}

void trace_trigger_note(struct trace_trigger *trigger, const struct trace_trigger_record *record)
{
	const struct trigger_event *of = &trigger->rules.events[record->event];

	for (unsigned int i = 0; i < of->nr_uses; i++) {
		const struct trigger_use *use = &of->uses[i];
		struct note note = {.time = record->time, .rule = use->rule, .role = use->role};

		if (fits(use, record->bytes, record->nr_bytes) &&
		    (!use->of ||
		     field_number(use->of, record->bytes, record->nr_bytes, &note.of)) &&
		    (use->role == TRIGGER_HIT || find_key(use, record, &note.key)))
			add_note(trigger, &note);
	}
}

/* ---- another layout ---- */

static const struct ctf_field *find_packed(const struct ctf_field *fields, unsigned int nr_fields,
					   const char *name, uint32_t *offset)
{
	*offset = 0;
	for (unsigned int i = 0; i < nr_fields; i++) {
		if (trace_layout_is_named(fields[i].name, name))
			return &fields[i];
		*offset += fields[i].kind == CTF_FIELD_TEXT ? fields[i].nr : fields[i].bits / 8;
	}
	return NULL;
}

/*
 * Returns whether the field's type in the new layout is compatible. The condition was checked with
 * the kernel's type, so a number must still be a number, and a text must still be a text.
 */
static bool is_alike(const struct ctf_field *field, const struct tracepoint_field *kernels)
{
	const bool is_number = kernels->kind == TRACEPOINT_INTEGER;

	return field && is_number == (field->kind == CTF_FIELD_INTEGER);
}

static void move_field(struct tracepoint_field *field, const struct ctf_field *to, uint32_t offset)
{
	field->offset = offset;
	if (to->kind == CTF_FIELD_INTEGER) {
		field->element_bytes = to->bits / 8;
		field->is_signed = to->is_signed;
		return;
	}
	field->kind = TRACEPOINT_TEXT;
	field->element_bytes = 1;
	field->nr_elements = to->kind == CTF_FIELD_TEXT ? to->nr : 0;
}

int trace_trigger_lay_out(struct trace_trigger *trigger, uint32_t event,
			  const struct ctf_field *fields, unsigned int nr_fields, bool is_trial,
			  struct diag *diag)
{
	struct trigger_event *of = &trigger->rules.events[event];

	for (unsigned int i = 0; i < of->tracepoint->nr_fields; i++) {
		struct tracepoint_field *field = &of->tracepoint->fields[i];
		uint32_t offset;
		const struct ctf_field *to = find_packed(fields, nr_fields, field->name, &offset);
		bool is_used = false;

		for (unsigned int at = 0; at < of->nr_uses; at++) {
			struct trigger_use *use = &of->uses[at];

			is_used |= use->key == field || use->of == field || use->field == field;
			if (!is_trial && use->field == field)
				use->is_rest = to && to->kind == CTF_FIELD_STRING;
		}
		if (is_used && !is_alike(to, field))
			return diag_set(diag, -EOPNOTSUPP,
					"--snapshot-if: the module does not record the field %s of "
					"%s:%s: use --source=perf",
					field->name, of->tracepoint->system, of->tracepoint->name);
		if (is_used && !is_trial)
			move_field(field, to, offset);
	}
	return 0;
}

/* ---- judging ---- */

/*
 * Returns the entry of the span of rule and key; if there is no such span, the entry in which it
 * should be stored.
 */
static struct span *find_span(struct trace_trigger *trigger, uint32_t rule, uint64_t key)
{
	const uint64_t mixed =
		(key + rule * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
	struct span *set = trigger->sets[(mixed >> 32) % NR_SETS], *oldest = set;

	for (unsigned int i = 0; i < NR_WAYS; i++) {
		if (set[i].rule == rule + 1 && set[i].key == key)
			return &set[i];
		if (!set[i].rule || (oldest->rule && set[i].time < oldest->time))
			oldest = &set[i];
	}
	return oldest;
}

/* Returns whether the note makes its rule's condition true. */
static bool judge(struct trace_trigger *trigger, const struct note *note)
{
	struct span *span;
	bool is_open, is_long;

	if (note->role == TRIGGER_HIT)
		return true;
	span = find_span(trigger, note->rule, note->key);
	if (note->role == TRIGGER_BEGIN) {
		*span = (struct span){note->key, note->time, note->of, note->rule + 1};
		return false;
	}
	is_open = span->rule == note->rule + 1 && span->key == note->key;
	if (!is_open)
		return false;
	is_long = note->role == TRIGGER_END && note->of == span->of &&
		  note->time - span->time > trigger->rules.rules[note->rule].longer_ns;
	span->rule = 0;
	return is_long;
}

/* Orders notes by time. Notes of the same time keep the order in which they were made. */
static int compare_notes(const void *a, const void *b)
{
	const struct note *first = a, *second = b;

	if (first->time != second->time)
		return first->time < second->time ? -1 : 1;
	return first->order < second->order ? -1 : first->order > second->order;
}

const char *trace_trigger_decide(struct trace_trigger *trigger, uint64_t until)
{
	const char *text = NULL;
	size_t i = 0;

	if (!trigger->nr_notes)
		return NULL;
	qsort(trigger->notes, trigger->nr_notes, sizeof(*trigger->notes), compare_notes);
	for (; i < trigger->nr_notes && trigger->notes[i].time <= until; i++)
		if (judge(trigger, &trigger->notes[i]) && !text)
			text = trigger->rules.rules[trigger->notes[i].rule].text;
	trigger->nr_notes -= i;
	memmove(trigger->notes, trigger->notes + i, trigger->nr_notes * sizeof(*trigger->notes));
	return text;
}

const char *trace_trigger_signal(const struct trace_trigger *trigger)
{
	return trigger->rules.signal;
}

uint64_t trace_trigger_lost(const struct trace_trigger *trigger)
{
	return trigger->lost;
}
