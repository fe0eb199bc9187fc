// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/sampling.h"

#include "control/events/perf_probe.h"
#include "events/events.h"
#include "lib/array.h"
#include "lib/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_TEXT_BYTES 256

static const struct {
	const char *word;
	unsigned int bits;
} separation_words[] = {
	{"lib", SAMPLING_SEPARATE_LIB},
	{"kernel", SAMPLING_SEPARATE_LIB | SAMPLING_SEPARATE_KERNEL},
	{"thread", SAMPLING_SEPARATE_THREAD},
	{"cpu", SAMPLING_SEPARATE_CPU},
	{"cgroup", SAMPLING_SEPARATE_CGROUP},
	{"all", SAMPLING_SEPARATE_ALL},
};

const char *const sampling_unwind_names[SAMPLING_UNWIND_NR] = {
	[SAMPLING_UNWIND_AUTO] = "auto",
	[SAMPLING_UNWIND_FP] = "fp",
	[SAMPLING_UNWIND_TABLES] = "tables",
};

#define NR_SEPARATION_WORDS (sizeof(separation_words) / sizeof(separation_words[0]))

void sampling_init(struct sampling *sampling)
{
	memset(sampling, 0, sizeof(*sampling));
}

void sampling_clear_events(struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->nr_events; i++)
		free(sampling->events[i]);
	free(sampling->events);
	sampling->events = NULL;
	sampling->nr_events = sampling->room_events = 0;
}

void sampling_deinit(struct sampling *sampling)
{
	sampling_clear_events(sampling);
}

static int add_event(struct sampling *sampling, const char *text, size_t length, struct diag *diag)
{
	char *copy = NULL;

	if (!length)
		return diag_set(diag, -EINVAL, "an event is empty; write NAME:COUNT, or default");
	if (!array_reserve(&sampling->events, &sampling->room_events, sampling->nr_events, 1))
		copy = strndup(text, length);
	if (!copy)
		return diag_set(diag, -ENOMEM, "out of memory for events");
	sampling->events[sampling->nr_events++] = copy;
	return 0;
}

int sampling_add_events(struct sampling *sampling, const char *list, struct diag *diag)
{
	while (true) {
		size_t length = strcspn(list, ",");
		int error = add_event(sampling, list, length, diag);

		if (error || !list[length])
			return error;
		list += length + 1;
	}
}

int sampling_set_hz(struct sampling *sampling, const char *text, struct diag *diag)
{
	uint64_t hz;

	if (number_parse(text, EVENT_HZ_MAX, &hz) || !hz)
		return diag_set(diag, -EINVAL, "\"%s\" is not a frequency: 1 to %d Hz", text,
				EVENT_HZ_MAX);
	sampling->hz = hz;
	return 0;
}

int sampling_set_depth(struct sampling *sampling, const char *text, struct diag *diag)
{
	uint64_t depth;

	if (number_parse(text, SAMPLING_DEPTH_MAX, &depth))
		return diag_set(diag, -EINVAL, "\"%s\" is not a call graph depth: 0 (none) to %d",
				text, SAMPLING_DEPTH_MAX);
	sampling->depth = (unsigned int)depth;
	return 0;
}

int sampling_set_unwind(struct sampling *sampling, const char *text, struct diag *diag)
{
	for (unsigned int i = 0; i < SAMPLING_UNWIND_NR; i++) {
		if (!strcmp(text, sampling_unwind_names[i])) {
			sampling->unwind = (enum sampling_unwind)i;
			return 0;
		}
	}
	return diag_set(diag, -EINVAL,
			"unwind: \"%s\" is not one of auto, fp (frame pointers), tables (the "
			"binaries' unwind tables)",
			text);
}

int sampling_set_stack_bytes(struct sampling *sampling, const char *text, struct diag *diag)
{
	uint64_t nr;

	if (number_parse(text, SAMPLING_STACK_BYTES_MAX, &nr) ||
	    (nr && nr < SAMPLING_STACK_BYTES_MIN))
		return diag_set(diag, -EINVAL,
				"stack-bytes: \"%s\" is invalid; use a number from %d to %d, or 0 "
				"for the default",
				text, SAMPLING_STACK_BYTES_MIN, SAMPLING_STACK_BYTES_MAX);
	sampling->stack_bytes = (unsigned int)nr;
	return 0;
}

static unsigned int separation_bits(const char *word, size_t length)
{
	for (size_t i = 0; i < NR_SEPARATION_WORDS; i++) {
		if (strlen(separation_words[i].word) == length &&
		    !memcmp(separation_words[i].word, word, length))
			return separation_words[i].bits;
	}
	return 0;
}

int sampling_set_separation(struct sampling *sampling, const char *text, struct diag *diag)
{
	unsigned int separation = sampling->separation;

	if (!strcmp(text, "none")) {
		sampling->separation = 0;
		sampling->separation_given = true;
		return 0;
	}
	while (true) {
		size_t length = strcspn(text, ",");
		unsigned int bits = separation_bits(text, length);

		if (!bits)
			return diag_set(diag, -EINVAL,
					"separate: \"%.*s\" is not a separation; use either none, "
					"or a list of lib, kernel, thread, cpu, cgroup, all",
					(int)length, text);
		separation |= bits;
		if (!text[length])
			break;
		text += length + 1;
	}
	sampling->separation = separation;
	sampling->separation_given = true;
	return 0;
}

void sampling_format_separation(const struct sampling *sampling, char *text)
{
	size_t used = 0;

	(void)snprintf(text, SAMPLING_SEPARATION_BYTES, "%s", sampling->separation ? "" : "none");
	/* The last word, "all", is not written: the words for its bits are written instead. */
	for (size_t i = 0; i + 1 < NR_SEPARATION_WORDS; i++) {
		unsigned int bits = separation_words[i].bits;

		if ((sampling->separation & bits) == bits)
			used += (size_t)snprintf(text + used, SAMPLING_SEPARATION_BYTES - used,
						 "%s%s", used ? "," : "", separation_words[i].word);
	}
}

/* Returns whether the sample files of the two event choices would have the same names. */
static bool choices_clash(const struct event_choice *a, const struct event_choice *b)
{
	return !strcmp(a->name, b->name) && a->unit_mask == b->unit_mask &&
	       a->frequency == b->frequency && a->period_or_hz == b->period_or_hz;
}

static int check_clashes(const struct event_choice *choices, size_t nr, struct diag *diag)
{
	for (size_t i = 1; i < nr; i++) {
		for (size_t j = 0; j < i; j++) {
			if (choices_clash(&choices[i], &choices[j]))
				return diag_set(diag, -EINVAL, "event %s is given twice",
						choices[i].name);
		}
	}
	return 0;
}

static int parse_choices(const struct sampling *sampling, uint64_t hz, struct event_choice *choices,
			 struct diag *diag)
{
	struct event_table *table;
	int error = event_table_load(&table, NULL, NULL, diag);

	if (error)
		return error;
	if (!sampling->nr_events)
		error = event_choice_parse(table, "default", hz, perf_probe_has_cycles(),
					   &choices[0], diag);
	for (size_t i = 0; !error && i < sampling->nr_events; i++) {
		const char *text = sampling->events[i];
		bool has_cycles = !strcmp(text, "default") && perf_probe_has_cycles();

		error = event_choice_parse(table, text, hz, has_cycles, &choices[i], diag);
	}
	event_table_destroy(table);
	return error ? error : check_clashes(choices, sampling->nr_events, diag);
}

static void add_args(const struct sampling *sampling, uint64_t hz,
		     const struct event_choice *choices, size_t nr, struct daemon_args *args)
{
	char text[EVENT_TEXT_BYTES];
	bool frequency = false;

	for (size_t i = 0; i < nr; i++) {
		event_choice_format(&choices[i], text, sizeof(text));
		daemon_args_add(args, "--event=%s", text);
		frequency |= choices[i].frequency;
	}
	if (frequency)
		daemon_args_add(args, "--frequency=%" PRIu64, hz);
	sampling_format_separation(sampling, text);
	daemon_args_add(args, "--separate=%s", text);
	if (sampling->depth)
		daemon_args_add(args, "--callgraph=%u", sampling->depth);
	if (sampling->unwind != SAMPLING_UNWIND_AUTO)
		daemon_args_add(args, "--unwind=%s", sampling_unwind_names[sampling->unwind]);
	if (sampling->stack_bytes)
		daemon_args_add(args, "--stack-bytes=%u", sampling->stack_bytes);
}

int sampling_to_args(const struct sampling *sampling, uint64_t default_hz, struct daemon_args *args,
		     struct diag *diag)
{
	uint64_t hz = sampling->hz ? sampling->hz : default_hz;
	size_t nr = sampling->nr_events ? sampling->nr_events : 1;
	struct event_choice *choices = calloc(nr, sizeof(*choices));
	int error;

	if (!choices)
		return diag_set(diag, -ENOMEM, "out of memory for events");
	error = parse_choices(sampling, hz, choices, diag);
	if (!error && args)
		add_args(sampling, hz, choices, nr, args);
	free(choices);
	return error;
}

int sampling_check(const struct sampling *sampling, uint64_t default_hz, struct diag *diag)
{
	return sampling_to_args(sampling, default_hz, NULL, diag);
}
