/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw bytes of a perf ring -> struct perf_item. Trusts nothing in the bytes:
 * every size, count and string is checked against the record's end.
 *
 * Not for: rings (perf_ring), order (perf_order), meaning (perf_state).
 */
#ifndef DAEMON_PERF_PARSE_H
#define DAEMON_PERF_PARSE_H

#include "daemon/perf/perf_item.h"
#include "daemon/source.h"

#include <linux/perf_event.h>

/*
 * The sampled events behind the kernel's ids, and what the records leave
 * out. An open-addressing hash that only grows: the kernel never uses an id
 * again, and records of closed events may still be in the queue.
 */
struct perf_ids {
	struct perf_id {
		uint64_t id; /* 0: empty (the kernel's ids begin at 1) */
		uint32_t event;
	} * slots;
	size_t nr_slots; /* power of two, or 0 */
	size_t nr_used;	 /* at most half of nr_slots */
	/* The weight of an event's samples where records carry none; by event. */
	uint64_t periods[SOURCE_EVENTS_MAX];
	/* Samples up to changed_ns were taken with these periods; 0: there was no change. */
	uint64_t older_periods[SOURCE_EVENTS_MAX];
	uint64_t changed_ns;
};

void perf_ids_init(struct perf_ids *ids);
void perf_ids_deinit(struct perf_ids *ids);
/* 0, -EINVAL (id 0, event too large) or -ENOMEM. */
int perf_ids_add(struct perf_ids *ids, uint64_t id, uint32_t event);
/* The event's index, or UINT16_MAX. */
uint16_t perf_ids_find(const struct perf_ids *ids, uint64_t id);

/* How the records of one ring look: from the attr of its events. */
struct perf_layout {
	uint64_t sample_type;	    /* of PERF_PARSE_SAMPLE_TYPES only */
	uint64_t regs_mask;	    /* of the user's registers, where they are asked for */
	bool side_band;		    /* else a ring of samples, or */
	bool switches;		    /* of switches from task to task */
	uint32_t cpu;		    /* for records that do not say */
	const struct perf_ids *ids; /* borrowed */
};

/* Other bits move fields about that perf_parse does not know. */
#define PERF_PARSE_SAMPLE_TYPES                                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP |       \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/*
 * The whole record at the start of nr_bytes: its size in bytes (8 or more, a
 * multiple of 8), or 0 when there is none: nothing behind it can be read.
 */
size_t perf_parse_size(const void *bytes, size_t nr_bytes);

/*
 * The time of a record, without decoding the rest. record: 8-byte aligned,
 * perf_parse_size() bytes. 0, or -EINVAL when it is too short to have one.
 */
int perf_parse_time(const struct perf_layout *layout, const void *record, uint64_t *time_ns);

/*
 * Decode a record. 0; -ENOTSUP: a type that is not known or not wanted (item
 * has time_ns, type, misc only); -EINVAL: malformed. item points into record.
 */
int perf_parse(const struct perf_layout *layout, const void *record, struct perf_item *item);

/*
 * Copy a record, a sample's without the room that its copy of a stack leaves unused:
 * its size in to, at most the record's own. perf_parse reads the same of both. What is
 * malformed is copied as it is. record: as above; to: room for all of it.
 */
size_t perf_parse_pack(const struct perf_layout *layout, const void *record, void *to);

/* Is the type one that the kernel is known to write, though perf_item has no place for it? */
bool perf_parse_known(uint32_t type);

#endif
