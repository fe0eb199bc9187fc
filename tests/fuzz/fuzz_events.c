// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event tables and choices: three texts, separated by bytes of value 1: unit_masks, events, choice.
 * A choice must parse back to itself.
 */
#include "events/event_table.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_choice(const struct event_table *table, const char *text)
{
	struct event_choice choice;
	struct event_choice back;
	char shown[256];
	struct diag diag;

	if (event_choice_parse(table, text, 99, false, &choice, &diag))
		return;
	event_choice_format(&choice, shown, sizeof(shown));
	if (event_choice_parse(table, shown, 99, false, &back, &diag) ||
	    strcmp(choice.name, back.name) != 0 || choice.unit_mask != back.unit_mask ||
	    choice.config != back.config || choice.period_or_hz != back.period_or_hz ||
	    choice.frequency != back.frequency || choice.kernel != back.kernel ||
	    choice.user != back.user)
		abort();
}

static void check_table(const struct event_table *table)
{
	for (size_t i = 0; i < event_table_nr(table); i++) {
		const struct event *event = event_table_get(table, i);

		if (event_table_find(table, event->name) != event || !event->min_period ||
		    !event->description[0] || !event->unit_mask || !event->unit_mask->nr_values)
			abort();
		check_choice(table, event->name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_table_source source = {.events_file = "events", .unit_masks_file = "masks"};
	struct event_table *table = event_table_create();
	char *copy = malloc(size + 1);
	struct diag diag;

	if (copy && table) {
		char *rest = copy;
		const char *choice;

		memcpy(copy, data, size);
		copy[size] = '\0';
		source.unit_masks = strsep(&rest, "\001");
		source.events = strsep(&rest, "\001");
		choice = strsep(&rest, "\001");
		if (!event_table_parse(table, &source, &diag))
			check_table(table);
		else if (!diag.text[0])
			abort();
		/* The events parsed before an error must be complete as well. */
		check_choice(table, choice ? choice : "");
	}
	free(copy);
	event_table_destroy(table);
	return 0;
}
