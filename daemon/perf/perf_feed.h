/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes and sorts the records in the bytes of perf rings. A consumer gets the records as items in
 * time order; a sink gets records of losses. Records that could not be used are counted.
 *
 * The perf source feeds bytes from real rings; tests and the replayer feed bytes that were made or
 * recorded.
 *
 * Every sample record counts once: as an item that the consumer gets, or in a LOST record that the
 * sink gets. perf_feed_counters.seen is the sum of these items and losses.
 */
#ifndef DAEMON_PERF_FEED_H
#define DAEMON_PERF_FEED_H

#include "daemon/perf/perf_item.h"
#include "daemon/perf/perf_parse.h"
#include "daemon/source.h"

/*
 * Receives the items: samples, MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL, CGROUP, SWITCH,
 * SWITCH_CPU_WIDE, and LOST of side-band rings. A "switch in" record of type SWITCH_CPU_WIDE is
 * omitted if the "switch out" record before it already named the next task. An item is valid during
 * the call.
 */
struct perf_consumer {
	void (*apply)(struct perf_consumer *consumer, const struct perf_item *item);
	/*
	 * Called for MMAP and MMAP2 as soon as they are read, in no particular order, so that slow
	 * work can begin early. `apply` later receives the same items. NULL: not called.
	 */
	void (*early)(struct perf_consumer *consumer, const struct perf_item *item);
};

struct perf_feed_counters {
	uint64_t seen;		  /* samples applied, or lost in the kernel or in this module */
	uint64_t records;	  /* all records: applied, or counted in one of the next fields */
	uint64_t late_records;	  /* records that arrived below the watermark; still applied */
	uint64_t unknown_records; /* records of types that this program does not support */
	uint64_t bad_records;	  /* malformed records; samples among them also count as lost */
	/* Sums of the kernel's LOST records, for kernels without PERF_FORMAT_LOST. */
	uint64_t ring_lost;	 /* samples lost by rings, for perf_feed_lost() to report */
	uint64_t side_band_lost; /* records lost by side-band rings */
	/* Side-band records that were malformed, or dropped because memory was short. */
	uint64_t side_band_bad;
	uint64_t switches_lost; /* switch records lost by their rings */
	uint64_t switches_bad;
};

struct perf_feed;

/* Borrows consumer and sink until perf_feed_destroy. Returns 0 or -ENOMEM. */
int perf_feed_create(struct perf_feed **feed, struct perf_consumer *consumer,
		     struct record_sink *sink);
void perf_feed_destroy(struct perf_feed *feed);

/*
 * Adds a ring and sets *ring to its number, from 0. Borrows layout->ids. Returns 0,
 * -ENOMEM, or -EINVAL: the layout has fields that perf_parse cannot decode.
 */
int perf_feed_add_ring(struct perf_feed *feed, const struct perf_layout *layout, uint64_t now_ns,
		       uint32_t *ring);
/*
 * Call perf_feed_close_ring when the ring's CPU goes offline, and perf_feed_open_ring when it is
 * online again. The sorting of records does not wait for records of a closed ring.
 */
void perf_feed_close_ring(struct perf_feed *feed, uint32_t ring);
void perf_feed_open_ring(struct perf_feed *feed, uint32_t ring, uint64_t now_ns);

/*
 * These functions feed the next bytes of a ring, which must be whole records. There are two ways.
 * The caller copies the bytes to the memory that perf_feed_reserve returns, and then calls
 * perf_feed_commit; the memory is valid until the next call, and NULL if out of memory. Or the
 * caller calls perf_feed_bytes, which copies and feeds the bytes, and returns 0 or -ENOMEM.
 */
void *perf_feed_reserve(struct perf_feed *feed, size_t nr_bytes);
void perf_feed_commit(struct perf_feed *feed, uint32_t ring, size_t nr_bytes);
int perf_feed_bytes(struct perf_feed *feed, uint32_t ring, const void *bytes, size_t nr_bytes);

/*
 * Call this when all rings have been read in a round that began at begin_ns. Applies the records
 * whose order is certain (perf_order.h).
 */
void perf_feed_round(struct perf_feed *feed, uint64_t begin_ns);
/* Applies all records up to until_ns; UINT64_MAX: all records. */
void perf_feed_flush(struct perf_feed *feed, uint64_t until_ns);

/*
 * Reports that the kernel could not write nr_samples samples of event (UINT32_MAX: unknown event).
 * They count as seen and as lost.
 */
void perf_feed_lost(struct perf_feed *feed, uint64_t time_ns, uint32_t event, uint64_t nr_samples);

/* Returns the bytes of memory of records that were read and are not applied yet. */
size_t perf_feed_held_bytes(const struct perf_feed *feed);

/* Returns the layout of a ring. The pointer is valid until the next ring is added. */
const struct perf_layout *perf_feed_layout(const struct perf_feed *feed, uint32_t ring);
const struct perf_feed_counters *perf_feed_counters(const struct perf_feed *feed);

#endif
