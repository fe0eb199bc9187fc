/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue that sorts records. Bytes arrive ring by ring, and records leave in the order of their
 * times.
 *
 * In every round each ring is read once. A record may leave when it is certain that all rings have
 * been read up to its time. The newest time for which this is certain is the watermark. The
 * watermark is the minimum of the bounds of all rings. The bound of a ring is the newest time that
 * was read from the ring in the previous round. If the ring had no records in that round, its bound
 * is the time when that round began. The kernel takes a record's time before it reserves room, so
 * the records of one ring may be slightly out of order. The delay of one round is enough to sort
 * them. A record that arrives even later leaves immediately and counts as late.
 *
 * Records stay where they were copied to; only keys of 24 bytes are sorted. The queue keeps free
 * blocks of at most 4 MiB for the next rounds. A round that needs no more than these blocks
 * allocates no memory.
 */
#ifndef DAEMON_PERF_ORDER_H
#define DAEMON_PERF_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_key {
	uint64_t time_ns;
	const void *record; /* points into a block; aligned to 8 bytes */
	uint32_t ring;
	uint32_t block; /* index of the block with the record */
};

struct perf_block {
	uint8_t *bytes;
	size_t room_bytes, used_bytes;
	size_t nr_keys; /* waiting records of the block; 0: free, unless it is the current one */
};

struct perf_order_ring {
	uint64_t newest_ns;    /* newest time of this round's records; 0: no record yet */
	uint64_t watermark_ns; /* the bound of this ring, set in the previous round */
	bool open;	       /* true: records may arrive, so the watermark considers this ring */
};

/* Users may read the fields, but must not change them. */
struct perf_order {
	struct perf_order_ring *rings;
	size_t nr_rings;
	struct perf_key *keys, *scratch; /* room_keys elements each */
	size_t nr_keys, room_keys;
	struct perf_block *blocks;
	size_t nr_blocks, room_blocks;
	size_t current;	       /* index of the block that is being filled; nr_blocks: none */
	size_t reserved_bytes; /* uncommitted bytes at the end of the current block */
	uint64_t watermark_ns; /* all records older than this have left */
	uint64_t nr_late;
};

/*
 * Returns the used bytes of all blocks that have waiting records. Such a block counts as a whole.
 */
size_t perf_order_held_bytes(const struct perf_order *order);

/* Receives the records that are removed from the order, in the order of their times. */
typedef void perf_order_fn(void *context, const struct perf_key *key);

void perf_order_init(struct perf_order *order);
void perf_order_deinit(struct perf_order *order);

/* Sets *ring to the index of a new ring, which is empty at now_ns. Returns 0 or -ENOMEM. */
int perf_order_add_ring(struct perf_order *order, uint64_t now_ns, uint32_t *ring);
/*
 * Closes a ring, which gets no records until it is opened again. Its waiting records leave as
 * usual.
 */
void perf_order_close_ring(struct perf_order *order, uint32_t ring);
/* Opens a closed ring, which gets records again from now_ns (CPU hotplug). */
void perf_order_open_ring(struct perf_order *order, uint32_t ring, uint64_t now_ns);

/*
 * Returns room for nr_bytes of records, 8-byte aligned; NULL if out of memory. The room is valid
 * until the next call for this order. perf_order_commit declares how many bytes of it were used.
 */
void *perf_order_reserve(struct perf_order *order, size_t nr_bytes);
void perf_order_commit(struct perf_order *order, size_t nr_bytes);

/* Adds a record that is within the last committed bytes. Returns 0 or -ENOMEM. */
int perf_order_add(struct perf_order *order, uint32_t ring, const void *record, uint64_t time_ns);

/*
 * Call this when all rings have been read in a round that began at begin_ns. Calls `out` for the
 * records whose order is certain.
 */
void perf_order_round(struct perf_order *order, uint64_t begin_ns, perf_order_fn *out,
		      void *context);

/*
 * Call this when no more records up to until_ns will arrive. Calls `out` for all records up to
 * until_ns; UINT64_MAX: all records.
 */
void perf_order_flush(struct perf_order *order, uint64_t until_ns, perf_order_fn *out,
		      void *context);

#endif
