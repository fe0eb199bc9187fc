// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/import_events.h"

#include <stdio.h>
#include <string.h>

/* Letters of perf's event modifiers: perf-list(1), EVENT MODIFIERS. */
#define MODIFIERS   "ukhIGHpPSDWebRX"
#define NUMBERS_MAX 100 /* more than SOURCE_EVENTS_MAX, the maximum number of names */

/* Returns the length of the name without its modifiers. */
static size_t name_bytes(const char *name, bool is_tracepoint)
{
	const char *last = strrchr(name, ':');

	/*
	 * The first colon in the name of a tracepoint follows its subsystem: "sched:sched_switch".
	 */
	if (!last || last[1 + strspn(last + 1, MODIFIERS)] ||
	    (is_tracepoint && last == strchr(name, ':')))
		return strlen(name);
	return (size_t)(last - name);
}

static void choose_name(const struct perf_file_event *event, size_t index,
			struct event_choice *choice)
{
	size_t nr = 0;

	if (event->name)
		nr = name_bytes(event->name, event->attr.type == PERF_TYPE_TRACEPOINT);
	if (nr > sizeof(choice->name) - 1)
		nr = sizeof(choice->name) - 1;
	for (size_t i = 0; i < nr; i++) {
		const char c = event->name[i];

		choice->name[i] = c == '/' || c <= ' ' ? '-' : c;
	}
	if (!nr)
		(void)snprintf(choice->name, sizeof(choice->name), "event%zu", index);
}

static bool is_taken(const struct event_choice *choices, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(choices[i].name, choices[index].name) &&
		    choices[i].period_or_hz == choices[index].period_or_hz)
			return true;
	return false;
}

/* Appends a number to the name if an earlier event has the same name and period. */
static void tell_apart(struct event_choice *choices, size_t index)
{
	char *name = choices[index].name;
	size_t nr = strlen(name);

	if (nr > sizeof(choices[index].name) - sizeof("-99"))
		nr = sizeof(choices[index].name) - sizeof("-99");
	for (size_t i = index; is_taken(choices, index); i++)
		(void)snprintf(name + nr, sizeof("-99"), "-%u", (unsigned int)(i % NUMBERS_MAX));
}

void import_events_choose(const struct perf_file *file, struct event_choice *choices)
{
	for (size_t i = 0; i < file->nr_events; i++) {
		const struct perf_file_event *event = &file->events[i];

		choices[i] = (struct event_choice){
			.perf_type = event->attr.type,
			.config = event->attr.config,
			.frequency = event->attr.freq,
			.period_or_hz = event->attr.freq ? event->attr.sample_freq
							 : event->attr.sample_period,
			.kernel = !event->attr.exclude_kernel,
			.user = !event->attr.exclude_user,
		};
		if (!choices[i].period_or_hz)
			choices[i].period_or_hz = 1;
		choose_name(event, i, &choices[i]);
		tell_apart(choices, i);
		(void)snprintf(choices[i].description, sizeof(choices[i].description), "%s",
			       file->is_trace ? "samples of a trace" : "imported from perf.data");
	}
}
