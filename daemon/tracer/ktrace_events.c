// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/ktrace_events.h"

#include "daemon/trace/trace_sample.h"
#include "daemon/trace/trace_state.h"
#include "oprof/kmod.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define FIRST_ID_EXTENDED (OPROF_EVENT_ESCAPE + 1)
#define NO_KIND		  OPROF_KTRACE_NR_KINDS
#define SAMPLE_DEPTH	  OPROF_KTRACE_DEPTH_MAX

/* ---- events with a probe ---- */

#define INTEGER(type, text, shown)                                                                 \
	{.name = #text,                                                                            \
	 .kind = CTF_FIELD_INTEGER,                                                                \
	 .bits = 8 * sizeof(type),                                                                 \
	 .base = (shown),                                                                          \
	 .is_signed = (type)-1 < 1},
#define TEXT(text, bytes) {.name = #text, .kind = CTF_FIELD_TEXT, .bits = 8, .nr = (bytes)},
#define STRING(text)	  {.name = #text, .kind = CTF_FIELD_STRING, .bits = 8},
#define SEQUENCE(text)                                                                             \
	{.name = #text, .kind = CTF_FIELD_SEQUENCE, .bits = 64, .base = 16, .length_bits = 16},
#define FIELDS(KIND, kind, system, tracepoint, name)                                               \
	static const struct ctf_field fields_##kind[] = {                                          \
		OPROF_KTRACE_FIELDS_##kind(INTEGER, TEXT, STRING)};
OPROF_KTRACE_EVENTS(FIELDS)

static const struct ctf_field fields_sample[] = {
	OPROF_KTRACE_FIELDS_sample(INTEGER) SEQUENCE(callchain_kernel) SEQUENCE(callchain_user)};

#define NR_OF(array) (sizeof(array) / sizeof((array)[0]))
static const struct ktrace_kind kinds[] = {
#define KIND(KIND, kind, of_system, of_tracepoint, of_name)                                        \
	{of_system, of_tracepoint, of_name, fields_##kind, NR_OF(fields_##kind)},
	OPROF_KTRACE_EVENTS(KIND)};

unsigned int ktrace_kind_find(const struct oprof_ktrace_info *info, const char *system,
			      const char *tracepoint)
{
	for (unsigned int i = 0; i < NR_OF(kinds); i++)
		if (!strcmp(kinds[i].system, system) && !strcmp(kinds[i].tracepoint, tracepoint) &&
		    info->kinds >> i & 1)
			return i;
	return NO_KIND;
}

const struct ktrace_kind *ktrace_kind(unsigned int kind)
{
	return &kinds[kind];
}

/* ---- comparisons ---- */

struct comparison {
	char field[64];
	enum oprof_ktrace_op op;
	uint64_t value;
};

/* Parses "FIELD OP NUMBER". The module supports no other filters of the kernel's language. */
static bool parse_comparison(const char *text, struct comparison *to)
{
	static const struct {
		const char *text;
		enum oprof_ktrace_op op;
	} ops[] = {{"==", OPROF_KTRACE_EQ}, {"!=", OPROF_KTRACE_NE}, {"<=", OPROF_KTRACE_LE},
		   {">=", OPROF_KTRACE_GE}, {"<", OPROF_KTRACE_LT},  {">", OPROF_KTRACE_GT},
		   {"&", OPROF_KTRACE_AND}};
	size_t nr, i;
	char *end;

	text += strspn(text, " ");
	nr = strcspn(text, " =!<>&~|");
	if (!nr || nr >= sizeof(to->field))
		return false;
	memcpy(to->field, text, nr);
	to->field[nr] = '\0';
	text += nr + strspn(text + nr, " ");
	for (i = 0; i < NR_OF(ops) && strncmp(ops[i].text, text, strlen(ops[i].text)); i++)
		;
	if (i == NR_OF(ops))
		return false;
	to->op = ops[i].op;
	text += strlen(ops[i].text);
	text += strspn(text, " ");
	errno = 0;
	to->value = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	return !errno && end != text && !end[strspn(end, " ")];
}

static bool compare_kind(struct ktrace_chosen *chosen, const struct comparison *with)
{
	uint32_t offset = 0;

	for (unsigned int i = 0; i < chosen->event.nr_fields; i++) {
		const struct ctf_field *field = &chosen->event.fields[i];

		if (field->kind == CTF_FIELD_INTEGER &&
		    trace_layout_is_named(field->name, with->field)) {
			chosen->compare =
				(struct oprof_ktrace_compare){.op = (uint8_t)with->op,
							      .bytes = (uint8_t)(field->bits / 8),
							      .is_signed = field->is_signed,
							      .offset = offset,
							      .value = with->value};
			return true;
		}
		offset += field->kind == CTF_FIELD_TEXT ? field->nr : field->bits / 8;
	}
	return false;
}

static bool compare_raw(struct ktrace_chosen *chosen, const struct comparison *with)
{
	const struct tracepoint_field *field =
		tracepoint_find(chosen->layout.tracepoint, with->field);

	if (!field || field->kind != TRACEPOINT_INTEGER)
		return false;
	chosen->compare = (struct oprof_ktrace_compare){.op = (uint8_t)with->op,
							.bytes = (uint8_t)field->element_bytes,
							.is_signed = field->is_signed,
							.offset = field->offset,
							.value = with->value};
	return true;
}

static int set_filter(struct ktrace_chosen *chosen, struct diag *diag)
{
	const char *filter = chosen->chosen->filter;
	struct comparison with;

	if (!filter)
		return 0;
	if (parse_comparison(filter, &with) &&
	    (chosen->kind != NO_KIND ? compare_kind(chosen, &with) : compare_raw(chosen, &with)))
		return 0;
	return diag_set(diag, -EOPNOTSUPP,
			"%s:%s/%s/: the module compares one field with one number, by == != < <= > "
			">= &; use --source=perf for other filters",
			chosen->chosen->system, chosen->chosen->name, filter);
}

/* ---- choosing ---- */

static uint32_t id_of(size_t i)
{
	/*
	 * The first events get the compact ids, the others extended ids. The ids between these two
	 * ranges are reserved.
	 */
	return i <= OPROF_EVENT_COMPACT_MAX
		       ? (uint32_t)i
		       : (uint32_t)(i - OPROF_EVENT_COMPACT_MAX - 1 + FIRST_ID_EXTENDED);
}

static int choose_layout(struct ktrace_chosen *chosen, const char *tracefs, struct diag *diag)
{
	struct tracepoint *tracepoint;
	int error = tracepoint_read(&tracepoint, tracefs, chosen->chosen->system,
				    chosen->chosen->name, diag);

	if (!error)
		error = trace_layout_init(&chosen->layout, tracepoint, chosen->event.id,
					  chosen->event.stream_id, diag);
	if (!error)
		chosen->event = chosen->layout.event;
	return error;
}

static int choose_one(struct ktrace_chosen *chosen, const char *tracefs,
		      const struct oprof_ktrace_info *info, struct diag *diag)
{
	int error = 0;

	chosen->kind = ktrace_kind_find(info, chosen->chosen->system, chosen->chosen->name);
	if (chosen->kind == NO_KIND) {
		error = choose_layout(chosen, tracefs, diag);
	} else {
		chosen->event.name = kinds[chosen->kind].name;
		chosen->event.fields = kinds[chosen->kind].fields;
		chosen->event.nr_fields = kinds[chosen->kind].nr_fields;
	}
	return error ? error : set_filter(chosen, diag);
}

static int choose_calls(struct ktrace_events *events, const char *tracefs, uint32_t stream_id,
			struct diag *diag)
{
	int error;

	if (!trace_choice_has_syscalls(events->choice, &events->calls))
		return 0;
	error = trace_syscalls_create(&events->syscalls, tracefs,
				      events->sample_id + TRACE_SAMPLE_NR_EVENTS, stream_id, diag);
	if (!error)
		trace_syscalls_take_strings(events->syscalls);
	return error;
}

static int describe(struct ktrace_events *events, uint32_t stream_id, struct diag *diag)
{
	const unsigned int nr_calls =
		events->syscalls ? trace_syscalls_nr_events(events->syscalls) : 0;
	struct ctf_event *to = calloc(events->nr_chosen + TRACE_STATE_NR_EVENTS +
					      TRACE_SAMPLE_NR_EVENTS + nr_calls,
				      sizeof(*to));

	if (!to)
		return diag_set(diag, -ENOMEM, "out of memory for the events' descriptions");
	events->events = to;
	for (size_t i = 0; i < events->nr_chosen; i++)
		*to++ = events->chosen[i].event;
	trace_state_events(to, events->state_id, stream_id);
	to += TRACE_STATE_NR_EVENTS;
	trace_sample_events(to, events->sample_id, stream_id);
	to[0].fields = fields_sample;
	to[0].nr_fields = NR_OF(fields_sample);
	to += TRACE_SAMPLE_NR_EVENTS;
	for (unsigned int i = 0; i < nr_calls; i++)
		*to++ = *trace_syscalls_event(events->syscalls, i);
	events->nr_events = (unsigned int)(to - events->events);
	return 0;
}

int ktrace_events_init(struct ktrace_events *events, const char *tracefs,
		       const struct trace_choice *choice, const struct oprof_ktrace_info *info,
		       uint32_t stream_id, struct diag *diag)
{
	int error = 0;

	*events = (struct ktrace_events){
		.choice = choice, .chosen = calloc(choice->nr_events + 1, sizeof(*events->chosen))};
	if (!events->chosen)
		return diag_set(diag, -ENOMEM, "out of memory for %zu events", choice->nr_events);
	for (size_t i = 0; i < choice->nr_events && !error; i++) {
		struct ktrace_chosen *chosen = &events->chosen[events->nr_chosen++];

		chosen->chosen = &choice->events[i];
		chosen->event =
			(struct ctf_event){.id = id_of(i), .stream_id = stream_id, .alignment = 1};
		error = choose_one(chosen, tracefs, info, diag);
	}
	events->state_id = id_of(events->nr_chosen);
	if (events->state_id < FIRST_ID_EXTENDED)
		events->state_id = FIRST_ID_EXTENDED;
	events->sample_id = events->state_id + TRACE_STATE_NR_EVENTS;
	if (!error)
		error = choose_calls(events, tracefs, stream_id, diag);
	if (!error)
		error = describe(events, stream_id, diag);
	if (error)
		ktrace_events_deinit(events);
	return error;
}

void ktrace_events_deinit(struct ktrace_events *events)
{
	for (size_t i = 0; i < events->nr_chosen; i++)
		if (events->chosen[i].layout.tracepoint)
			trace_layout_deinit(&events->chosen[i].layout);
	trace_syscalls_destroy(events->syscalls);
	free(events->chosen);
	free(events->events);
	*events = (struct ktrace_events){0};
}

/* ---- adding to the module ---- */

static int add_kind(const struct ktrace_chosen *chosen, const struct ktrace *ktrace)
{
	const struct oprof_ktrace_event call = {.channel = ktrace->channel.channel,
						.kind = chosen->kind,
						.event_id = chosen->event.id,
						.compare = chosen->compare};

	return ioctl(ktrace->fd, OPROF_KTRACE_EVENT, &call) ? -errno : 0;
}

static struct oprof_ktrace_copy copy_of(const struct trace_copy *from)
{
	const struct tracepoint_field *field = from->elsewhere;

	if (!field)
		return (struct oprof_ktrace_copy){.kind = OPROF_KTRACE_COPY_STRETCH,
						  .offset = from->offset,
						  .bytes = from->nr_bytes};
	return (struct oprof_ktrace_copy){.kind = field->kind == TRACEPOINT_STRING
							  ? OPROF_KTRACE_COPY_STRING
							  : OPROF_KTRACE_COPY_SEQUENCE,
					  .is_relative = field->is_relative,
					  .offset = field->offset,
					  .bytes = field->element_bytes};
}

static int add_named(const struct ktrace_chosen *chosen, const struct ktrace *ktrace)
{
	struct oprof_ktrace_copy copies[OPROF_KTRACE_COPIES_MAX];
	const struct oprof_ktrace_named call = {.channel = ktrace->channel.channel,
						.event_id = chosen->event.id,
						.tracepoint = chosen->layout.tracepoint->id,
						.nr_copies = chosen->layout.nr_copies,
						.copies = (uintptr_t)copies,
						.compare = chosen->compare};

	if (chosen->layout.nr_copies > OPROF_KTRACE_COPIES_MAX)
		return -E2BIG;
	for (unsigned int i = 0; i < chosen->layout.nr_copies; i++)
		copies[i] = copy_of(&chosen->layout.copies[i]);
	return ioctl(ktrace->fd, OPROF_KTRACE_NAMED, &call) ? -errno : 0;
}

/* Returns whether a call's number is in `calls`, which has the form "id == N || id == N". */
static bool is_chosen(const char *calls, unsigned int number)
{
	for (; calls; calls = strstr(calls, "||")) {
		calls += strspn(calls, "| ");
		if (!strncmp(calls, "id == ", 6) && strtoul(calls + 6, NULL, 10) == number)
			return true;
	}
	return false;
}

static int add_calls(const struct ktrace_events *events, const struct ktrace *ktrace)
{
	const unsigned int nr_known = trace_syscalls_nr_calls(events->syscalls);
	const unsigned int nr =
		nr_known < OPROF_KTRACE_SYSCALLS_MAX ? nr_known : OPROF_KTRACE_SYSCALLS_MAX;
	struct oprof_ktrace_syscall *calls = calloc(nr + (size_t)1, sizeof(*calls));
	const uint32_t unknown = events->sample_id + TRACE_SAMPLE_NR_EVENTS;
	const struct oprof_ktrace_syscalls call = {
		.channel = ktrace->channel.channel,
		.nr_calls = nr,
		.calls = (uintptr_t)calls,
		.unknown_entry_id = events->calls ? OPROF_KTRACE_NO_EVENT : unknown,
		.unknown_exit_id = events->calls ? OPROF_KTRACE_NO_EVENT : unknown + 1};
	int error;

	if (!calls)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++)
		if (!events->calls || is_chosen(events->calls, i))
			trace_syscalls_fill(events->syscalls, i, &calls[i]);
	error = ioctl(ktrace->fd, OPROF_KTRACE_SYSCALLS, &call) ? -errno : 0;
	free(calls);
	return error;
}

/* Adds samples by a counter of cycles or, on a machine without such a counter, by a timer. */
static int add_samples(const struct ktrace_events *events, const struct ktrace *ktrace)
{
	struct oprof_ktrace_samples call = {.channel = ktrace->channel.channel,
					    .event_id = events->sample_id,
					    .type = PERF_TYPE_HARDWARE,
					    .flags = OPROF_KTRACE_SAMPLE_FREQUENCY |
						     OPROF_KTRACE_SAMPLE_KERNEL |
						     OPROF_KTRACE_SAMPLE_USER,
					    .config = PERF_COUNT_HW_CPU_CYCLES,
					    .number = events->choice->samples_hz,
					    .depth = SAMPLE_DEPTH};

	if (!ioctl(ktrace->fd, OPROF_KTRACE_SAMPLES, &call))
		return 0;
	if (errno != ENOENT && errno != EOPNOTSUPP && errno != ENODEV)
		return -errno;
	call.type = OPROF_KMOD_TYPE_TIMER;
	call.config = 0;
	return ioctl(ktrace->fd, OPROF_KTRACE_SAMPLES, &call) ? -errno : 0;
}

int ktrace_events_add(const struct ktrace_events *events, const struct ktrace *ktrace,
		      struct diag *diag)
{
	int error = 0;

	for (size_t i = 0; i < events->nr_chosen; i++) {
		const struct ktrace_chosen *chosen = &events->chosen[i];

		error = chosen->kind != NO_KIND ? add_kind(chosen, ktrace)
						: add_named(chosen, ktrace);
		if (error)
			return diag_set(diag, error, "the module cannot record %s:%s: %s",
					chosen->chosen->system, chosen->chosen->name,
					strerror(-error));
	}
	if (events->syscalls)
		error = add_calls(events, ktrace);
	if (error)
		return diag_set(diag, error, "the module cannot record system calls: %s",
				strerror(-error));
	if (events->choice->samples_hz)
		error = add_samples(events, ktrace);
	return error ? diag_set(diag, error, "the module cannot sample: %s", strerror(-error)) : 0;
}
