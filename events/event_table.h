/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The representation of a loaded table. Internal to events/, its tests and its fuzzer. */
#ifndef EVENTS_EVENT_TABLE_H
#define EVENTS_EVENT_TABLE_H

#include "events/events.h"
#include "events/table_text.h"

#define EVENT_INCLUDE_DEPTH_MAX 8
#define EVENT_FILE_BYTES_MAX	(1u << 20)

struct event_table {
	struct event *events;
	size_t nr_events, events_room;
	struct event_unit_mask **unit_masks; /* allocated separately: events point to them */
	size_t nr_unit_masks, unit_masks_room;
	char **cpu_types; /* the cpu types loaded so far; each type may be loaded only once */
	size_t nr_cpu_types, cpu_types_room;
	const char *dir; /* folder of tables, while loading; NULL: "include:" is refused */
	unsigned int depth;
};

/*
 * The two files of one folder, as text that the parser modifies. events_file
 * and unit_masks_file are file names for messages; unit_masks may be NULL.
 * After a failure the table contains the events parsed so far, and the caller
 * must destroy it.
 */
struct event_table_source {
	const char *events_file, *unit_masks_file;
	char *events, *unit_masks;
	uint32_t perf_type;
};
int event_table_parse(struct event_table *table, const struct event_table_source *source,
		      struct diag *diag);

struct event_table *event_table_create(void);

/* Adds the unit masks of one file to the table. Defined in unit_mask.c. */
int unit_mask_parse_file(struct event_table *table, struct table_text *text);
void unit_mask_destroy(struct event_unit_mask *mask);
/*
 * Returns the mask with this name, or NULL. Searches only masks whose index is `first` or higher.
 */
const struct event_unit_mask *unit_mask_find(const struct event_table *table, size_t first,
					     const char *name);

/*
 * Returns whether `number` is one of the mask's values or, for a bitmask, is
 * not 0 and has only bits of these values.
 */
bool unit_mask_allows(const struct event_unit_mask *mask, uint64_t number);

#endif
