/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue between the rings and what is made of their records: bytes come
 * in ring by ring, records go out in the order of their times.
 *
 * Every round each ring is read once. A record may go out once all rings are
 * certain to have been read up to its time: the watermark, the minimum over
 * the rings of the newest time seen in the round before (for a ring that was
 * idle in it: when that round began). Times are taken before the kernel
 * reserves room, so a ring's own records may be slightly out of order: one
 * round's slack sorts them. What comes later still goes out at once and is
 * counted late.
 *
 * Records stay where they were copied to; only keys of 24 bytes are sorted.
 * No allocation in a round once the queue has grown to its load.
 */
#ifndef DAEMON_PERF_ORDER_H
#define DAEMON_PERF_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_key {
	uint64_t time_ns;
	const void *record; /* in a block, 8-byte aligned */
	uint32_t ring;
	uint32_t block; /* index of the block that holds it */
};

struct perf_block {
	uint8_t *bytes;
	size_t room_bytes, used_bytes;
	size_t nr_keys; /* records in it that still wait; 0 and not current: free */
};

struct perf_order_ring {
	uint64_t newest_ns;    /* of this round's records; 0: none yet */
	uint64_t watermark_ns; /* what the round before gives as this ring's bound */
	bool open;	       /* takes part in the watermark */
};

/* Treat as read-only outside perf_order.c. */
struct perf_order {
	struct perf_order_ring *rings;
	size_t nr_rings;
	struct perf_key *keys, *scratch; /* both of room_keys */
	size_t nr_keys, room_keys;
	struct perf_block *blocks;
	size_t nr_blocks, room_blocks;
	size_t current;	       /* block being filled; nr_blocks: none */
	size_t reserved_bytes; /* at the current block's end, not yet committed */
	uint64_t watermark_ns; /* all older records have gone out */
	uint64_t nr_late;
};

/* Of the records that wait; those beside them in their blocks count, too. */
size_t perf_order_held_bytes(const struct perf_order *order);

/* Give out one record, in time order. */
typedef void perf_order_fn(void *context, const struct perf_key *key);

void perf_order_init(struct perf_order *order);
void perf_order_deinit(struct perf_order *order);

/* Index of a new ring in *ring: 0 or -ENOMEM. It begins idle at now_ns. */
int perf_order_add_ring(struct perf_order *order, uint64_t now_ns, uint32_t *ring);
/* The ring will bring no more for now; what it brought goes out as ever. */
void perf_order_close_ring(struct perf_order *order, uint32_t ring);
/* It does again (CPU hotplug), from now_ns on. */
void perf_order_open_ring(struct perf_order *order, uint32_t ring, uint64_t now_ns);

/*
 * Room for nr_bytes of records, 8-byte aligned, until the next call with
 * this order; NULL without memory. perf_order_commit says how many were used.
 */
void *perf_order_reserve(struct perf_order *order, size_t nr_bytes);
void perf_order_commit(struct perf_order *order, size_t nr_bytes);

/* A record within what was last committed. 0 or -ENOMEM. */
int perf_order_add(struct perf_order *order, uint32_t ring, const void *record, uint64_t time_ns);

/*
 * All rings have been read in a round that began at begin_ns: give out what
 * is certain to be in order.
 */
void perf_order_round(struct perf_order *order, uint64_t begin_ns, perf_order_fn *out,
		      void *context);

/* The caller knows that nothing up to until_ns is to come: give out that. UINT64_MAX: all. */
void perf_order_flush(struct perf_order *order, uint64_t until_ns, perf_order_fn *out,
		      void *context);

#endif
