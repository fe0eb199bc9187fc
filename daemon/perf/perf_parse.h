/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes raw bytes of a perf ring into struct perf_item. The bytes are not trusted: every size,
 * count and string is checked against the record's end.
 *
 * Elsewhere: rings (perf_ring), order (perf_order), the meaning of records (perf_state).
 */
#ifndef DAEMON_PERF_PARSE_H
#define DAEMON_PERF_PARSE_H

#include "daemon/perf/perf_item.h"
#include "daemon/source.h"

#include <linux/perf_event.h>

/*
 * Maps the kernel's ids to the sampled events, and has the weights that records omit. It is an
 * open-addressing hash table that only grows: the kernel never uses an id again, and records of
 * closed events may still be queued.
 */
struct perf_ids {
	struct perf_id {
		uint64_t id; /* 0: the slot is empty (the kernel's ids begin at 1) */
		uint32_t event;
	} * slots;
	size_t nr_slots; /* power of two, or 0 */
	size_t nr_used;	 /* at most half of nr_slots */
	/*
	 * Weight of the samples of each event, indexed by event; 0: each record has its own weight.
	 */
	uint64_t periods[SOURCE_EVENTS_MAX];
	/*
	 * Weights of samples with times up to changed_ns. changed_ns 0: the weights have never
	 * changed.
	 */
	uint64_t older_periods[SOURCE_EVENTS_MAX];
	uint64_t changed_ns;
};

void perf_ids_init(struct perf_ids *ids);
void perf_ids_deinit(struct perf_ids *ids);
/* Returns 0, -EINVAL (id 0, event too large) or -ENOMEM. */
int perf_ids_add(struct perf_ids *ids, uint64_t id, uint32_t event);
/* Returns the event's index, or UINT16_MAX if the id is unknown. */
uint16_t perf_ids_find(const struct perf_ids *ids, uint64_t id);

/* The format of one ring's records, which the attributes of its events determine. */
struct perf_layout {
	uint64_t sample_type;	    /* only bits of PERF_PARSE_SAMPLE_TYPES */
	uint64_t regs_mask;	    /* mask of the user's registers, if they are recorded */
	bool side_band;		    /* true: side-band records */
	bool switches;		    /* true: switch records. If both flags are false: samples */
	uint32_t cpu;		    /* CPU of records without a CPU number */
	const struct perf_ids *ids; /* borrowed */
};

/* Supported bits of sample_type: other bits would add fields that perf_parse cannot skip. */
#define PERF_PARSE_SAMPLE_TYPES                                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP |       \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/*
 * Returns the size in bytes (8 or more, a multiple of 8) of the record at `bytes`. Returns 0 if
 * these nr_bytes do not contain a whole record, or if the record's size is invalid.
 */
size_t perf_parse_size(const void *bytes, size_t nr_bytes);

/*
 * Reads the time of a record without decoding the rest. record must be 8-byte aligned and have
 * perf_parse_size() bytes. Returns 0, or -EINVAL if the record is too short to have a time.
 */
int perf_parse_time(const struct perf_layout *layout, const void *record, uint64_t *time_ns);

/*
 * Decodes a record; pointers in item point into it. Returns 0; -ENOTSUP: the type is unknown or not
 * used (only time_ns, type, misc and the trailer's fields of item are set); -EINVAL: the record is
 * malformed.
 */
int perf_parse(const struct perf_layout *layout, const void *record, struct perf_item *item);

/*
 * Copies a record, except the unused room after a sample's copy of the stack. Returns the size of
 * the copy, which is at most the record's size. perf_parse decodes the record and its copy to the
 * same item. A malformed record is copied unchanged. `record` is as for perf_parse_time; `to` must
 * have room for the whole record.
 */
size_t perf_parse_pack(const struct perf_layout *layout, const void *record, void *to);

/* Returns whether this is a type that the kernel writes, even if perf_item does not support it. */
bool perf_parse_known(uint32_t type);

#endif
