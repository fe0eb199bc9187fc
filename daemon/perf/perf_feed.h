/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes of perf rings in, items in time order and loss records out: decoding,
 * order and the accounting of what could not be used. The perf source feeds
 * it from real rings, tests and the replayer from bytes of their own.
 *
 * Every sample record counts once: as an item given to the consumer, or as a
 * LOST record to the sink. perf_feed_counters.seen rises with just these.
 */
#ifndef DAEMON_PERF_FEED_H
#define DAEMON_PERF_FEED_H

#include "daemon/perf/perf_item.h"
#include "daemon/perf/perf_parse.h"
#include "daemon/source.h"

/*
 * Takes the items: samples, MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL, CGROUP,
 * SWITCH, SWITCH_CPU_WIDE (of who comes only if none of who leaves named it), and LOST of
 * side-band rings. The
 * item is valid during the call.
 */
struct perf_consumer {
	void (*apply)(struct perf_consumer *consumer, const struct perf_item *item);
	/*
	 * MMAP and MMAP2, as soon as they are read, in no order, and applied later all the same:
	 * for what takes its time and is better begun early. NULL: not wanted.
	 */
	void (*early)(struct perf_consumer *consumer, const struct perf_item *item);
};

struct perf_feed_counters {
	uint64_t seen;		  /* samples applied + samples lost in the kernel or here */
	uint64_t records;	  /* of all types, applied or counted below */
	uint64_t late_records;	  /* behind the watermark when they came; applied all the same */
	uint64_t unknown_records; /* of types that no kernel known here writes */
	uint64_t bad_records;	  /* malformed; samples among them are lost_bad_record too */
	/* Sums of the kernel's LOST records, for kernels that have no better count. */
	uint64_t ring_lost;	 /* of sample rings: who feeds reports them by perf_feed_lost */
	uint64_t side_band_lost; /* of side-band rings */
	uint64_t side_band_bad;	 /* side-band records that came, but damaged or too many */
	uint64_t switches_lost;	 /* of rings of switches */
	uint64_t switches_bad;
};

struct perf_feed;

/* consumer, sink and ids (of the layouts) are borrowed. 0 or -ENOMEM. */
int perf_feed_create(struct perf_feed **feed, struct perf_consumer *consumer,
		     struct record_sink *sink);
void perf_feed_destroy(struct perf_feed *feed);

/* Number of a new ring in *ring, from 0. 0, -ENOMEM, -EINVAL (a layout that is not decoded). */
int perf_feed_add_ring(struct perf_feed *feed, const struct perf_layout *layout, uint64_t now_ns,
		       uint32_t *ring);
/* The ring is gone for now, and back (CPU hotplug): order does not wait for it. */
void perf_feed_close_ring(struct perf_feed *feed, uint32_t ring);
void perf_feed_open_ring(struct perf_feed *feed, uint32_t ring, uint64_t now_ns);

/*
 * Put the next bytes of a ring: whole records. Either in two steps (room to
 * copy to, valid until the next call; NULL without memory) or by copying.
 */
void *perf_feed_reserve(struct perf_feed *feed, size_t nr_bytes);
void perf_feed_commit(struct perf_feed *feed, uint32_t ring, size_t nr_bytes);
int perf_feed_bytes(struct perf_feed *feed, uint32_t ring, const void *bytes, size_t nr_bytes);

/* All rings were read in a round begun at begin_ns: apply what is certain (perf_order.h). */
void perf_feed_round(struct perf_feed *feed, uint64_t begin_ns);
/* Apply all up to until_ns; UINT64_MAX: everything. */
void perf_feed_flush(struct perf_feed *feed, uint64_t until_ns);

/* The kernel could not write nr samples of event (UINT32_MAX: not known): seen, and lost. */
void perf_feed_lost(struct perf_feed *feed, uint64_t time_ns, uint32_t event, uint64_t nr_samples);

/* What was read and not yet applied takes so much memory. */
size_t perf_feed_held_bytes(const struct perf_feed *feed);

/* Until the next ring is added. */
const struct perf_layout *perf_feed_layout(const struct perf_feed *feed, uint32_t ring);
const struct perf_feed_counters *perf_feed_counters(const struct perf_feed *feed);

#endif
