// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the user's choice of an event: "NAME:COUNT:UNITMASK:KERNEL:USER". */
#include "events/events.h"

#include "events/event_table.h"
#include "lib/clock.h"
#include "lib/number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define CHOICE_TEXT_BYTES 256
#define NEAR_NAMES_MAX	  3

enum { PART_NAME, PART_COUNT, PART_UNIT_MASK, PART_KERNEL, PART_USER, PART_NR };

static unsigned int minimum(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Returns the edit distance of a and b, ignoring case. b is the name of an
 * event in a table, so its length fits the array `row`.
 */
static unsigned int name_distance(const char *a, const char *b)
{
	unsigned int row[EVENT_NAME_BYTES];
	unsigned int nr_b = (unsigned int)strlen(b);

	for (unsigned int j = 0; j <= nr_b; j++)
		row[j] = j;
	for (unsigned int i = 0; a[i]; i++) {
		unsigned int diagonal = row[0];

		row[0] = i + 1;
		for (unsigned int j = 0; j < nr_b; j++) {
			bool differ = tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]);
			unsigned int best = diagonal + differ;

			diagonal = row[j + 1];
			row[j + 1] = minimum(best, minimum(diagonal, row[j]) + 1);
		}
	}
	return row[nr_b];
}

/*
 * Compares an event's name in the table with the name that the user wrote.
 * Returns 1 if the written name has 3 or more characters and is the beginning
 * of the event's name, otherwise the edit distance.
 */
static unsigned int name_badness(const char *written, const char *name)
{
	size_t length = strlen(written);

	if (length >= 3 && !strncasecmp(written, name, length))
		return 1;
	return name_distance(written, name);
}

static int unknown_event(const struct event_table *table, const char *name, struct diag *diag)
{
	unsigned int bound = minimum(2 + (unsigned int)strlen(name) / 4, 5);
	char near[NEAR_NAMES_MAX * (EVENT_NAME_BYTES + 2) + 1] = "";
	size_t used = 0;
	unsigned int found = 0;

	for (unsigned int badness = 0; badness <= bound; badness++) {
		for (size_t i = 0; i < event_table_nr(table) && found < NEAR_NAMES_MAX; i++) {
			const char *other = event_table_get(table, i)->name;

			if (name_badness(name, other) != badness)
				continue;
			used += (size_t)snprintf(near + used, sizeof(near) - used, "%s%s",
						 found ? ", " : "", other);
			found++;
		}
	}
	if (found)
		return diag_set(diag, -ENOENT, "there is no event \"%s\"; similar names: %s", name,
				near);
	return diag_set(diag, -ENOENT,
			"there is no event \"%s\"; \"opcontrol --list-events\" shows all", name);
}

/* Splits `copy` at its colons; missing parts are NULL. */
static int split_parts(char *copy, char *parts[PART_NR], struct diag *diag)
{
	unsigned int nr = 0;

	memset(parts, 0, PART_NR * sizeof(parts[0]));
	while (copy) {
		if (nr == PART_NR)
			return diag_set(diag, -EINVAL,
					"event \"%s\" has too many parts: write "
					"NAME:COUNT:UNITMASK:KERNEL:USER",
					parts[PART_NAME]);
		parts[nr++] = copy;
		copy = strchr(copy, ':');
		if (copy)
			*copy++ = '\0';
	}
	return 0;
}

static int check_clock_hz(const struct event *event, uint64_t hz, struct diag *diag)
{
	bool clock =
		event->perf_type == PERF_TYPE_SOFTWARE &&
		(event->code == PERF_COUNT_SW_CPU_CLOCK || event->code == PERF_COUNT_SW_TASK_CLOCK);
	uint64_t max = clock ? UINT64_C(1000000000) / event->min_period : EVENT_HZ_MAX;

	if (hz > max)
		return diag_set(diag, -EINVAL,
				"event %s cannot be sampled at %" PRIu64 " Hz: %" PRIu64
				" Hz is the maximum",
				event->name, hz, max);
	return 0;
}

static int parse_count(const struct event *event, const char *part, uint64_t hz,
		       struct event_choice *choice, struct diag *diag)
{
	int error;

	if (!part || !*part) {
		if (!hz)
			return diag_set(diag, -EINVAL,
					"event %s requires a count (%s:%" PRIu64
					" or more) or a frequency (-F)",
					event->name, event->name, event->min_period);
		choice->frequency = true;
		choice->period_or_hz = hz;
		return check_clock_hz(event, hz, diag);
	}
	/* The kernel accepts periods below 2^63. */
	error = number_parse(part, INT64_MAX, &choice->period_or_hz);
	if (error)
		return diag_set(diag, -EINVAL, "event %s: count \"%s\" is %s", event->name, part,
				error == -ERANGE
					? "too big"
					: "not a number; a mode is u (programs), k (kernel) or uk");
	choice->frequency = false;
	if (choice->period_or_hz < event->min_period)
		return diag_set(diag, -EINVAL,
				"event %s: count %s is below its minimum of %" PRIu64, event->name,
				part, event->min_period);
	return 0;
}

static int parse_unit_mask(const struct event *event, const char *part, struct event_choice *choice,
			   struct diag *diag)
{
	const struct event_unit_mask *mask = event->unit_mask;
	uint64_t number;

	choice->unit_mask = mask->default_value;
	if (!part || !*part)
		return 0;
	for (size_t i = 0; i < mask->nr_values; i++) {
		if (mask->values[i].name && !strcmp(mask->values[i].name, part)) {
			choice->unit_mask = mask->values[i].value;
			return 0;
		}
	}
	if (number_parse(part, UINT32_MAX, &number) || !unit_mask_allows(mask, number))
		return diag_set(
			diag, -EINVAL,
			"event %s: unit mask \"%s\" is not valid for this event; the default "
			"is 0x%x",
			event->name, part, mask->default_value);
	choice->unit_mask = (uint32_t)number;
	return 0;
}

static int parse_flag(const struct event *event, const char *what, const char *part, bool *flag,
		      struct diag *diag)
{
	*flag = true;
	if (!part || !*part || !strcmp(part, "1"))
		return 0;
	*flag = false;
	if (!strcmp(part, "0"))
		return 0;
	return diag_set(diag, -EINVAL, "event %s: %s is \"%s\"; it must be 0 or 1", event->name,
			what, part);
}

static bool is_unit_mask_name(const struct event_unit_mask *mask, const char *text)
{
	for (size_t i = 0; i < mask->nr_values; i++) {
		if (mask->values[i].name && !strcmp(mask->values[i].name, text))
			return true;
	}
	return false;
}

static bool is_mode(const char *text)
{
	return !strcmp(text, "u") || !strcmp(text, "k") || !strcmp(text, "uk") ||
	       !strcmp(text, "ku");
}

/*
 * If the last part is a mode in perf's notation, removes it and sets the parts
 * KERNEL and USER instead. The mode can be in any part from COUNT to KERNEL.
 */
static void translate_mode(const struct event *event, char *parts[PART_NR])
{
	static char one[] = "1", zero[] = "0";
	unsigned int last = PART_NR - 1;
	const char *mode;

	while (last > PART_NAME && !parts[last])
		last--;
	mode = parts[last];
	if (last == PART_NAME || last == PART_USER || !is_mode(mode) ||
	    (last == PART_UNIT_MASK && is_unit_mask_name(event->unit_mask, mode)))
		return;
	parts[last] = NULL;
	parts[PART_KERNEL] = strchr(mode, 'k') ? one : zero;
	parts[PART_USER] = strchr(mode, 'u') ? one : zero;
}

static int parse_parts(const struct event *event, char *parts[PART_NR], uint64_t hz,
		       struct event_choice *choice, struct diag *diag)
{
	int error;

	translate_mode(event, parts);
	error = parse_count(event, parts[PART_COUNT], hz, choice, diag);

	if (!error)
		error = parse_unit_mask(event, parts[PART_UNIT_MASK], choice, diag);
	if (!error)
		error = parse_flag(event, "KERNEL", parts[PART_KERNEL], &choice->kernel, diag);
	if (!error)
		error = parse_flag(event, "USER", parts[PART_USER], &choice->user, diag);
	if (!error && !choice->kernel && !choice->user)
		return diag_set(diag, -EINVAL,
				"event %s: KERNEL and USER are both 0: nothing would be sampled",
				event->name);
	return error;
}

/*
 * Parses the choice of off-cpu. Every nanosecond off CPU is an event, and all
 * events are recorded; therefore off-cpu has no options.
 */
static int parse_switches(const struct event *event, char *parts[PART_NR],
			  struct event_choice *choice, struct diag *diag)
{
	static const char *const only[PART_NR] = {"", "1", "0x0", "1", "1"};

	for (unsigned int i = PART_COUNT; i < PART_NR; i++)
		if (parts[i] && *parts[i] && strcmp(parts[i], only[i]) != 0)
			return diag_set(diag, -EINVAL,
					"event %s cannot have a count, unit mask or mode, because "
					"every nanosecond is recorded",
					event->name);
	choice->period_or_hz = 1;
	choice->kernel = true;
	choice->user = true;
	return 0;
}

/* Maps names that other tools use to the name in the tables. */
static const char *own_name(const char *name)
{
	static const struct {
		const char *other, *own;
	} names[] = {{"offcpu-time", "off-cpu"}, {"offcputime", "off-cpu"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i].other))
			return names[i].own;
	return name;
}

static void fill_from_event(struct event_choice *choice, const struct event *event)
{
	(void)snprintf(choice->name, sizeof(choice->name), "%s", event->name);
	(void)snprintf(choice->description, sizeof(choice->description), "%s", event->description);
	choice->perf_type = event->perf_type;
	choice->config = event->code;
	if (event->perf_type == PERF_TYPE_RAW)
		choice->config |= (uint64_t)choice->unit_mask << 8;
}

int event_choice_parse(const struct event_table *table, const char *text, uint64_t hz,
		       bool has_cycles, struct event_choice *choice, struct diag *diag)
{
	struct event_choice new_choice = {0};
	const struct event *event;
	char copy[CHOICE_TEXT_BYTES];
	char *parts[PART_NR];
	int error;

	if (!strcmp(text, "default")) {
		text = has_cycles ? "cycles" : "cpu-clock";
		hz = hz ? hz : EVENT_HZ_LEFT_ON;
	}
	if (strlen(text) >= sizeof(copy))
		return diag_set(diag, -EINVAL, "the event's text is longer than %d bytes",
				CHOICE_TEXT_BYTES - 1);
	(void)snprintf(copy, sizeof(copy), "%s", text);
	error = split_parts(copy, parts, diag);
	if (error)
		return error;
	event = event_table_find(table, own_name(parts[PART_NAME]));
	if (!event)
		return unknown_event(table, parts[PART_NAME], diag);
	if (event->perf_type == EVENT_TYPE_SWITCHES)
		error = parse_switches(event, parts, &new_choice, diag);
	else
		error = parse_parts(event, parts, hz, &new_choice, diag);
	if (error)
		return error;
	fill_from_event(&new_choice, event);
	*choice = new_choice;
	return 0;
}

void event_choice_format(const struct event_choice *choice, char *text, size_t nr_bytes)
{
	char count[24] = "";

	if (!choice->frequency)
		(void)snprintf(count, sizeof(count), "%" PRIu64, choice->period_or_hz);
	(void)snprintf(text, nr_bytes, "%s:%s:0x%x:%d:%d", choice->name, count, choice->unit_mask,
		       choice->kernel, choice->user);
}

bool event_choice_is_sampled(const struct event_choice *choice)
{
	return choice->perf_type != EVENT_TYPE_SWITCHES;
}

/*
 * Returns whether the event is cpu-clock or task-clock. The kernel converts a
 * frequency of these events to a fixed period. Therefore the daemon requests a
 * period, and samples need not contain it.
 */
static bool is_clock(const struct event_choice *choice)
{
	return choice->perf_type == PERF_TYPE_SOFTWARE &&
	       (choice->config == PERF_COUNT_SW_CPU_CLOCK ||
		choice->config == PERF_COUNT_SW_TASK_CLOCK);
}

uint64_t event_choice_period(const struct event_choice *choice)
{
	if (!choice->frequency)
		return choice->period_or_hz;
	if (!is_clock(choice))
		return 0;
	return choice->period_or_hz && choice->period_or_hz < NS_PER_SECOND
		       ? NS_PER_SECOND / choice->period_or_hz
		       : 1;
}
