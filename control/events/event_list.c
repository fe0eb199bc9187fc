// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/events/event_list.h"

#include "control/events/perf_probe.h"
#include "events/events.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

static const struct {
	uint32_t perf_type;
	const char *title;
} event_groups[] = {
	{PERF_TYPE_SOFTWARE, "Counted by the kernel"},
	{PERF_TYPE_HARDWARE, "Counted by the processor"},
	{PERF_TYPE_HW_CACHE, "Counted by the processor's caches"},
	{EVENT_TYPE_SWITCHES, "Reported by the kernel at each switch from one task to another"},
};

static void print_unit_mask(FILE *stream, const struct event_unit_mask *mask)
{
	if (mask->nr_values < 2)
		return;
	(void)fprintf(stream, "\tunit masks (default 0x%x):\n", mask->default_value);
	for (size_t i = 0; i < mask->nr_values; i++)
		(void)fprintf(stream, "\t\t0x%02x%s%s: %s\n", mask->values[i].value,
			      mask->values[i].name ? " " : "",
			      mask->values[i].name ? mask->values[i].name : "",
			      mask->values[i].text);
}

/*
 * Tries to open the event. Returns true if this machine lacks the event. Returns false if the event
 * exists, even if the user is not permitted to open it.
 */
static bool event_absent(const struct event *event)
{
	int error =
		perf_probe_open(event->perf_type, event->code, PERF_PROBE_SELF, PERF_PROBE_USER);

	return error == -ENOENT || error == -EOPNOTSUPP || error == -ENODEV || error == -EINVAL;
}

static void print_event(FILE *stream, const struct event *event, bool absent)
{
	(void)fprintf(stream, "%s: (min count: %" PRIu64 ")%s\n\t%s\n", event->name,
		      event->min_period, absent ? " [not on this machine]" : "",
		      event->description);
	print_unit_mask(stream, event->unit_mask);
}

int event_list_print(FILE *stream, struct diag *diag)
{
	struct event_table *table;
	int error = event_table_load(&table, NULL, NULL, diag);

	if (error)
		return error;
	for (size_t i = 0; i < sizeof(event_groups) / sizeof(event_groups[0]); i++) {
		(void)fprintf(stream, "%s%s\n\n", i ? "\n" : "", event_groups[i].title);
		for (size_t j = 0; j < event_table_nr(table); j++) {
			const struct event *event = event_table_get(table, j);

			if (event->perf_type == event_groups[i].perf_type)
				print_event(stream, event, event_absent(event));
		}
	}
	event_table_destroy(table);
	return 0;
}
