/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns bytes of perf rings into items in time order, for a consumer, and into loss records, for a
 * sink. It decodes and sorts records, and counts those that could not be used. The perf source
 * feeds bytes from real rings; tests and the replayer feed bytes that were made or recorded.
 *
 * Every sample record counts once: as an item given to the consumer, or as a LOST record given to
 * the sink. perf_feed_counters.seen is the number of both.
 */
#ifndef DAEMON_PERF_FEED_H
#define DAEMON_PERF_FEED_H

#include "daemon/perf/perf_item.h"
#include "daemon/perf/perf_parse.h"
#include "daemon/source.h"

/*
 * Receives the items: samples, MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL, CGROUP, SWITCH,
 * SWITCH_CPU_WIDE, and LOST of side-band rings. A switch in of SWITCH_CPU_WIDE is omitted if the
 * switch out before it named the same task. An item is valid during the call.
 */
struct perf_consumer {
	void (*apply)(struct perf_consumer *consumer, const struct perf_item *item);
	/*
	 * Called for MMAP and MMAP2 as soon as they are read, in no particular order, so that slow
	 * work can begin early. apply later receives the same items. NULL: not called.
	 */
	void (*early)(struct perf_consumer *consumer, const struct perf_item *item);
};

struct perf_feed_counters {
	uint64_t seen;		  /* samples applied, plus samples lost in the kernel or here */
	uint64_t records;	  /* of all types: applied, or counted below */
	uint64_t late_records;	  /* older than the watermark on arrival; still applied */
	uint64_t unknown_records; /* of types that this program does not support */
	uint64_t bad_records;	  /* malformed; samples among them are also reported as lost */
	/* Sums of the kernel's LOST records, for kernels without PERF_FORMAT_LOST. */
	uint64_t ring_lost;	 /* of sample rings; the caller reports them by perf_feed_lost */
	uint64_t side_band_lost; /* of side-band rings */
	/* Side-band records that were malformed, or dropped because memory was short. */
	uint64_t side_band_bad;
	uint64_t switches_lost; /* of rings of switch records */
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
/* For CPU hotplug: close and reopen a ring. The order does not wait for a closed ring. */
void perf_feed_close_ring(struct perf_feed *feed, uint32_t ring);
void perf_feed_open_ring(struct perf_feed *feed, uint32_t ring, uint64_t now_ns);

/*
 * These functions feed the next bytes of a ring, which must be whole records. Either the caller
 * copies the bytes to the memory that perf_feed_reserve returns (valid until the next call; NULL if
 * out of memory), and perf_feed_commit feeds them; or perf_feed_bytes copies and feeds them, and
 * returns 0 or -ENOMEM.
 */
void *perf_feed_reserve(struct perf_feed *feed, size_t nr_bytes);
void perf_feed_commit(struct perf_feed *feed, uint32_t ring, size_t nr_bytes);
int perf_feed_bytes(struct perf_feed *feed, uint32_t ring, const void *bytes, size_t nr_bytes);

/*
 * Call it when all rings have been read in a round that began at begin_ns. Applies the records
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

/* Returns the bytes of memory that hold records which were read and are not yet applied. */
size_t perf_feed_held_bytes(const struct perf_feed *feed);

/* Returns the layout of a ring, valid until the next ring is added. */
const struct perf_layout *perf_feed_layout(const struct perf_feed *feed, uint32_t ring);
const struct perf_feed_counters *perf_feed_counters(const struct perf_feed *feed);

#endif
