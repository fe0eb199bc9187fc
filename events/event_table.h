/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a loaded table is kept. Inside events/ and for its tests and fuzzer. */
#ifndef EVENTS_EVENT_TABLE_H
#define EVENTS_EVENT_TABLE_H

#include "events/events.h"
#include "events/table_text.h"

#define EVENT_INCLUDE_DEPTH_MAX 8
#define EVENT_FILE_BYTES_MAX	(1u << 20)

struct event_table {
	struct event *events;
	size_t nr_events, events_room;
	struct event_unit_mask **unit_masks; /* one by one: events point to them */
	size_t nr_unit_masks, unit_masks_room;
	char **cpu_types; /* loaded so far: each only once */
	size_t nr_cpu_types, cpu_types_room;
	const char *dir; /* while loading; NULL: include: is refused */
	unsigned int depth;
};

/*
 * One folder's two files, as text (cut up by this). events_file and
 * unit_masks_file are their names for messages; unit_masks may be NULL. On
 * failure the table keeps what was read before and is to be destroyed.
 */
struct event_table_source {
	const char *events_file, *unit_masks_file;
	char *events, *unit_masks;
	uint32_t perf_type;
};
int event_table_parse(struct event_table *table, const struct event_table_source *source,
		      struct diag *diag);

struct event_table *event_table_create(void);

/* Unit masks of one file, added to the table. unit_mask.c */
int unit_mask_parse_file(struct event_table *table, struct table_text *text);
void unit_mask_destroy(struct event_unit_mask *mask);
/* Of those at index first and above. */
const struct event_unit_mask *unit_mask_find(const struct event_table *table, size_t first,
					     const char *name);

/* One of its values, or for a bitmask a union of some. */
bool unit_mask_allows(const struct event_unit_mask *mask, uint64_t number);

#endif
