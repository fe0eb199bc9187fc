/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ring: the lockless ring of one CPU (in the kernel) or one thread (in user
 * space). Writers reserve a slot, fill it, commit; a sub-buffer whose last
 * byte is committed is delivered to the reader as a packet (oprof/packet.h).
 * Wait-free for writers: they nest, as interrupts do, and a reserve is tried
 * again only when another one came between. doc/ring.md has the algorithm,
 * its guarantees and what shows each. Not for: many threads writing to one
 * ring, waking readers up (they poll), formats of events.
 *
 * Who may run against whom:
 *
 *			 | writer	  | reader	   | flush, finalise | repair
 *	-----------------+----------------+----------------+-----------------+-------
 *	writer of a ring | nested only	  | yes		   | kernel: nested  | no
 *			 | (same CPU or	  |		   | only; user	     |
 *			 | thread)	  |		   | space: yes	     |
 *	reader		 | yes		  | no: one	   | yes	     | no
 *	flush, finalise	 | as above	  | yes		   | no: one	     | no
 *	repair		 | no: it is dead | no: by reader  | no: by reader   | no
 *
 * Reader is get, put, next and snapshots. In the kernel, writers keep
 * preemption off from reserve to commit, and flush and finalise run on the
 * ring's CPU, or anywhere while that one is offline. In user space a thread
 * alone writes to its ring, also after fork. A signal handler that leaves by
 * longjmp between reserve and commit leaves its slot open for ever: what it
 * covers is not delivered.
 *
 * Shared memory may be written to by a program that means harm: the reader's
 * functions and repair check all that they find there against struct ring,
 * which is private. Writers trust their own ring.
 *
 * A flusher that is a process of its own and is killed in a flush may leave
 * that packet closed for writers and not for the reader, who waits there until
 * the writer has ended and the ring is repaired. The daemon that flushes owns
 * the memory: who follows it makes new rings.
 */
#ifndef RING_RING_H
#define RING_RING_H

#include "oprof/packet.h"
#include "ring/guards.h"
#include "ring/port.h"

#define RING_MAGIC   0x676e6972u /* "ring" */
#define RING_VERSION 1u
/* Writers that may nest where the stack of open slots is kept. */
#define RING_DEPTH_MAX		8u
#define RING_SUB_BUFFER_MIN	256u
#define RING_SUB_BUFFER_MAX	(1u << 30)
#define RING_NR_SUB_BUFFERS_MAX (1u << 15)

enum ring_mode {
	RING_DISCARD,	/* full: the newest records are lost and counted */
	RING_OVERWRITE, /* full: the oldest whole sub-buffer is reclaimed */
};

/* What is the same for all rings of a channel. */
struct ring_config {
	enum ring_mode mode;
	enum ring_clock clock;
	uint32_t sub_buffer_bytes; /* a power of two */
	uint32_t nr_sub_buffers;   /* a power of two, at least 2 */
	uint32_t stream_id;
	uint8_t uuid[16];
};

/*
 * An open slot: what its writer was about to reserve, or has reserved, and
 * what was to be done with it. Valid ones below depth, not spoiled, may be open.
 */
struct ring_open_slot {
	uint32_t valid;
	uint32_t spoiled; /* another got what this one wants: it does not count */
	ring_word old;	  /* the reservation is [old, end) */
	ring_word end;
	uint64_t time;
	uint64_t lost_by[OPROF_NR_LOST]; /* set where it closes a packet */
};

/* A place for a packet: which memory lies there and how far it is. */
struct ring_place {
	/* Of the packet in this place: bytes committed, in the low half, and records. */
	RING_LINE uint64_t committed;
	uint64_t id; /* RING_ID_... */
	uint64_t begin_time;
	uint64_t end_time;
	ring_word closed_at; /* where the content of the last packet closed here ends */
	/*
	 * The position that may be entered here next: that of the packet now
	 * being written, or, once it is delivered, a lap more. (The paper's
	 * equations 2 and 3 become one comparison.)
	 */
	RING_LINE ring_word delivered;
	uint64_t lost_by[OPROF_NR_LOST]; /* of the last packet closed here */
};

/* No slot lies there, so one word tells writers and reader of the end, at once. */
#define RING_FINALISED 1u

#define RING_ONE_RECORD (1ull << 32) /* in committed */

/* Which memory lies in a place. Discard mode: place and memory are one. */
#define RING_ID_INDEX	  0xffffull
#define RING_ID_NOREF	  (1ull << 16) /* no writer refers to it */
#define RING_ID_EMPTY	  (1ull << 17) /* holds no packet */
#define RING_ID_TAG_SHIFT 18	       /* the packet's number, what of it fits */

/* The words of a ring; after it the places, then the memories. */
struct ring_shared {
	uint32_t magic;
	uint32_t version;
	uint32_t sub_buffer_order;
	uint32_t ring_order;
	uint32_t mode; /* enum ring_mode */
	/*
	 * Writers (and, in user space, the flusher: reserved). At a packet's
	 * begin q: nothing is open; q + RING_FINALISED: and nothing will be.
	 */
	RING_LINE ring_word reserved;
	uint64_t last_time; /* at most the stamp of the last slot: see ring_stamp() */
	uint32_t depth;
	uint32_t nr_opened; /* packets opened, up to 1: has there been any? */
	uint64_t lost_by[OPROF_NR_LOST];
	/* The reader. */
	RING_LINE ring_word consumed;
	/* The flusher. */
	RING_LINE uint64_t flush_time;
	struct ring_open_slot flush; /* what it is about to close, for repair */
	RING_LINE struct ring_open_slot open_slots[RING_DEPTH_MAX];
};

/* A side's own view of a ring; any number of them on one memory. */
struct ring {
	struct ring_shared *shared;
	struct ring_place *places;
	uint8_t *memories;
	ring_word sub_mask;  /* bytes of a sub-buffer, less 1 */
	ring_word ring_mask; /* of the ring */
	uint64_t sub_bytes;  /* of a sub-buffer: the sum in committed when it is full */
	uint32_t sub_order;
	uint32_t nr_places;
	enum ring_mode mode;
	enum ring_clock clock;
	uint32_t stream_id;
	uint32_t cpu_id;
	uint8_t uuid[16];
};

static inline ring_word ring_sub_buffer_bytes(const struct ring *ring)
{
	return (ring_word)ring->sub_bytes;
}

static inline ring_word ring_lap_bytes(const struct ring *ring)
{
	return (ring_word)(ring->ring_mask + 1);
}

/* What reserve gives: payload_bytes at payload, all of them the caller's to write. */
struct ring_slot {
	uint8_t *payload;
	uint32_t payload_bytes;
	uint32_t slot_bytes; /* from begin to the payload's end */
	uint8_t *begin;	     /* of the record header */
	struct ring_place *place;
	uint32_t commit_bytes;
	uint32_t depth;
	uint64_t time; /* the record's stamp */
};

/* A packet the reader holds: one sub-buffer long, header first. */
struct ring_packet {
	const uint8_t *data;
	ring_word position;
	uint64_t id; /* overwrite mode: what it left in the place */
};

/* The reader's own state: private memory. */
struct ring_reader {
	struct ring ring;
	ring_word consumed;
	uint32_t spare;		 /* index of the memory that is the reader's */
	uint32_t held;		 /* packets now held: 0 or 1 */
	uint64_t nr_read;	 /* packets consumed */
	uint64_t nr_overwritten; /* packets that writers overwrote before they were consumed */
	uint64_t nr_gone;	 /* packets that a reader before this one held when it died */
};

/* ---- ring.c ---- */

/*
 * Bytes of memory, aligned to a page, that such a ring takes. -EINVAL: sizes that are not powers of
 * two, out of range, or no such mode; -EOVERFLOW: more than positions or size_t can tell.
 */
int ring_memory_bytes(const struct ring_config *config, size_t *bytes);

/*
 * Make a ring in memory of that size, which is zero, or was a ring nobody uses. All of it is
 * written once: no page fault later. Errors as above.
 */
int ring_init(struct ring *ring, const struct ring_config *config, uint32_t cpu_id, void *memory);

/* A view of a ring made by ring_init(). -EPROTO: there is none of this version, mode and sizes. */
int ring_attach(struct ring *ring, const struct ring_config *config, uint32_t cpu_id, void *memory);

/* Records lost for this reason, now. */
uint64_t ring_lost(const struct ring *ring, enum oprof_ring_lost reason);

/* The same, for all reasons. */
uint64_t ring_lost_sum(const struct ring *ring);

/*
 * nr more for a reason that only the writer's own source knows: it hands on the records of another
 * ring, which lost them. By the writer; packets that are closed from then on tell it.
 */
void ring_add_lost(struct ring *ring, enum oprof_ring_lost reason, uint64_t nr);

/* ---- writers: ring_write.h (inline) and ring_write.c ---- */

/*
 * Close the packet now open, so that it is delivered as soon as its open slots are committed.
 * -EAGAIN: none is open. The paper's algorithm 4.
 */
int ring_flush(struct ring *ring);

/*
 * Flush, tell losses that no packet told yet in an empty one, and let the reader end when it has
 * read all. What writers write from then on is lost (lost_stopped); one that was inside delivers
 * what it holds. -EAGAIN: no room for the empty packet, again when the reader has read. -EALREADY:
 * done before.
 */
int ring_finalise(struct ring *ring);

/* ---- the reader: ring_read.c ---- */

/* -EBADMSG: the memory is damaged, as its ids or the reader's position show. One at a time. */
int ring_reader_init(struct ring_reader *reader, const struct ring *ring);

/*
 * Take the packet at a position (a multiple of the sub-buffer). Until it is put, no writer writes
 * to it. -EAGAIN: not delivered yet; -ESTALE: overwritten, or (discard mode) consumed; -ENODATA:
 * overwrite mode: there is none (never written, consumed, or a reader died with it); -EBUSY: one is
 * held; -EBADMSG: damaged. The packet is as damaged as its writer likes: copy, then check.
 */
int ring_get(struct ring_reader *reader, ring_word position, struct ring_packet *packet);

/* Give it back, done with: in discard mode its place is free. The reader moves on. */
void ring_put(struct ring_reader *reader, struct ring_packet *packet);

/* Give it back as it was, for another look (snapshots), unless writers need its place by now. */
void ring_put_keep(struct ring_reader *reader, struct ring_packet *packet);

/*
 * Take the next packet in order. -EAGAIN: none yet; -ENODATA: the ring was finalised and all is
 * read; -EBUSY, -EBADMSG as ring_get().
 */
int ring_next(struct ring_reader *reader, struct ring_packet *packet);

/*
 * Packets that a snapshot finds now: [*from, *to). Flush first, for what is in the open one. Some
 * may be overwritten, or not delivered yet, when they are asked for.
 */
void ring_snapshot_range(const struct ring_reader *reader, ring_word *from, ring_word *to);

/* Bytes of whole sub-buffers not read yet; a lap or more: the next one is lost or overwrites. */
ring_word ring_unread_bytes(const struct ring_reader *reader);

/* ---- repair: ring_repair.c ---- */

/*
 * The writer is dead (all of it, and who flushed from there): cover what it left open by padding
 * records, count them as lost_killed, deliver what is closed. ring_finalise() then delivers the
 * rest; or another thread writes from now on. The caller is the reader and holds no packet; if it
 * dies in here, the next reader repairs (and a slot that this one covered last may be in no count).
 * Returns the number of slots covered; -EBUSY: a packet is held; -EBADMSG: damaged.
 */
int ring_repair(struct ring_reader *reader);

#endif
