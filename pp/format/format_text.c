// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/format_text.h"

#include "lib/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void text_format_percent(double percent, char text[TEXT_PERCENT_BYTES])
{
	double size = fabs(percent);

	if (size == 0.0)
		(void)snprintf(text, TEXT_PERCENT_BYTES, "%7d", 0);
	else if (size < 0.001)
		(void)snprintf(text, TEXT_PERCENT_BYTES, "%7.1e", percent);
	else /* 100 % has a third digit before the point, and so only three digits after it */
		(void)snprintf(text, TEXT_PERCENT_BYTES, "%7.*f", size < 99.99995 ? 4 : 3, percent);
}

static void write_cpu(FILE *out, const struct profile *profile)
{
	const struct session_info *info = &profile->selection->sessions[0].info;
	const char *cpu_type = info->cpu_type ? info->cpu_type : profile->cpu_type;
	uint32_t khz = info->cpu_khz ? info->cpu_khz : profile->cpu_khz;

	(void)fputs("CPU: ", out);
	utf8_write_masked(out, cpu_type ? cpu_type : "unknown");
	if (khz)
		(void)fprintf(out, ", speed %.10g MHz (estimated)", khz / 1000.0);
	(void)fputc('\n', out);
}

const char *text_event_description(const struct selection *selection, const char *name,
				   const struct event *event)
{
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		const struct session_event *known =
			session_info_event(&selection->sessions[i].info, name);

		if (known && *known->description)
			return known->description;
	}
	return event && event->description ? event->description : "no description";
}

static const char *unit_mask_text(const struct event *event, uint32_t unit_mask)
{
	const struct event_unit_mask *known = event ? event->unit_mask : NULL;

	for (size_t i = 0; known && i < known->nr_values; i++)
		if (known->values[i].value == unit_mask && known->values[i].text)
			return known->values[i].text;
	if (!unit_mask)
		return "No unit mask";
	return known && known->type == UNIT_MASK_BITMASK ? "multiple flags" : "no description";
}

static bool info_has_note(const struct session_info *info, const char *name)
{
	for (size_t i = 0; i < info->nr_notes; i++)
		if (!strcmp(info->notes[i].name, name))
			return true;
	return false;
}

/*
 * Returns whether the event is the kernel module's own timer. With perf, cpu-clock and task-clock
 * are events, not this timer.
 */
static bool is_module_timer(const struct selection *selection, const char *event)
{
	if (strcmp(event, "cpu-clock") != 0 && strcmp(event, "task-clock") != 0)
		return false;
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		const struct session_info *info = &selection->sessions[i].info;

		if (!info->source || strcmp(info->source, "kmod") != 0 ||
		    !info_has_note(info, "timer"))
			return false;
	}
	return selection->nr_sessions;
}

bool text_event_is_timer(const struct selection *selection, const struct class_key *key)
{
	return !strcmp(key->event, "TIMER") || is_module_timer(selection, key->event);
}

static void write_event(FILE *out, const struct selection *selection, const struct class_key *key,
			const struct event *event)
{
	char count[32];

	if (text_event_is_timer(selection, key)) {
		(void)fputs("Profiling through timer interrupt\n", out);
		return;
	}
	class_key_show_count(key, count, sizeof(count));
	(void)fputs("Counted ", out);
	utf8_write_masked(out, key->event);
	(void)fputs(" events (", out);
	utf8_write_masked(out, text_event_description(selection, key->event, event));
	(void)fprintf(out, ") with a unit mask of 0x%02" PRIx32 " (%s) count %s\n", key->unit_mask,
		      unit_mask_text(event, key->unit_mask), count);
}

void text_format_header(FILE *out, const struct profile *profile, const struct event_table *table)
{
	const struct classes *classes = &profile->selection->classes;

	write_cpu(out, profile);
	for (size_t i = 0; i < classes->nr_classes; i++) {
		const struct class_key *key = &classes->classes[i].key;

		if (i && classes->axis != AXIS_EVENT)
			break;
		write_event(out, profile->selection, key,
			    table ? event_table_find(table, key->event) : NULL);
	}
	for (size_t i = 0; i < classes->nr_classes; i++) {
		if (!classes->classes[i].long_name)
			continue;
		utf8_write_masked(out, classes->classes[i].long_name);
		(void)fputc('\n', out);
	}
}
