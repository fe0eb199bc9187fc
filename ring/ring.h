/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ring: the lockless ring of one CPU (in the kernel) or one thread (in user space). Writers reserve
 * a slot, fill it and commit it. When the last byte of a sub-buffer is committed, the sub-buffer is
 * delivered to the reader as a packet (oprof/packet.h). Writers nest, as interrupts do. Writers are
 * wait-free: a reserve is retried only after another writer or a flush intervened. doc/ring.md
 * describes the algorithm, its guarantees and their tests, and names the paper to which comments
 * refer.
 *
 * Not supported: several threads that write to one ring. A writer does not wake readers (readers
 * poll). The ring does not know the formats of events.
 *
 * Which operations may run concurrently:
 *
 *			 | writer	  | reader	   | flush, finalise | repair
 *	-----------------+----------------+----------------+-----------------+-------
 *	writer of a ring | nested only	  | yes		   | kernel: nested  | no
 *			 | (same CPU or	  |		   | only; user	     |
 *			 | thread)	  |		   | space: yes	     |
 *	reader		 | yes		  | no: one	   | yes	     | no
 *	flush, finalise	 | as above	  | yes		   | no: one	     | no
 *	repair		 | no: it is dead | no		   | no		     | no
 *
 * The reader calls get, put, next and the snapshot functions. In the kernel, writers keep
 * preemption off from reserve to commit. Flush and finalise run on the ring's CPU, or on any CPU
 * while the ring's CPU is offline. In user space, only one thread writes to a ring. A child process
 * shares the ring after fork, so no thread of the child may write to the ring either. If a signal
 * handler leaves by longjmp between reserve and commit, its slot stays open forever, and the slot's
 * packet is never delivered. The reader itself calls repair, after the writer has ended. During the
 * repair, the reader calls no other function of the ring.
 *
 * A malicious program may write to the shared memory. Therefore the reader's functions and repair
 * check all shared data against struct ring, which is private. Writers trust their own ring.
 *
 * If a flusher in another process is killed during a flush, the packet may stay closed for writers
 * but not for the reader. The reader then waits at this packet until the writer has ended and the
 * ring is repaired. The daemon that flushes owns the memory; the next daemon creates new rings.
 */
#ifndef RING_RING_H
#define RING_RING_H

#include "oprof/packet.h"
#include "ring/guards.h"
#include "ring/port.h"

#define RING_MAGIC   0x676e6972u /* "ring" */
#define RING_VERSION 1u
/* Maximum nesting of writers, if the ring keeps a stack of open slots. */
#define RING_DEPTH_MAX		8u
#define RING_SUB_BUFFER_MIN	256u
#define RING_SUB_BUFFER_MAX	(1u << 30)
#define RING_NR_SUB_BUFFERS_MAX (1u << 15)

enum ring_mode {
	RING_DISCARD,	/* when full, the newest records are lost and counted */
	RING_OVERWRITE, /* when full, the oldest whole sub-buffer is overwritten */
};

/* The configuration common to all rings of a channel. */
struct ring_config {
	enum ring_mode mode;
	enum ring_clock clock;
	uint32_t sub_buffer_bytes; /* a power of two */
	uint32_t nr_sub_buffers;   /* a power of two, at least 2 */
	uint32_t stream_id;
	uint8_t uuid[16];
};

/*
 * An entry of the stack of open slots: a reservation that a writer is attempting or has made, and
 * the data that repair needs to complete it. Entries at indices below ring_shared.depth that are
 * valid and not spoiled may be open slots.
 */
struct ring_open_slot {
	uint32_t valid;
	uint32_t spoiled; /* 1: ignore the entry, because a nested writer has reserved a slot */
	ring_word old;	  /* the reservation is [old, end) */
	ring_word end;
	uint64_t time;
	uint64_t lost_by[OPROF_NR_LOST]; /* used only if the reservation closes a packet */
};

/*
 * A place: the control words of one of the ring's nr_sub_buffers sub-buffers. These words contain
 * the state of the place's packet, and the index of the memory that the place currently uses.
 */
struct ring_place {
	/* Low half: bytes committed to the packet in this place. High half: records committed. */
	RING_LINE uint64_t committed;
	uint64_t id; /* RING_ID_... */
	uint64_t begin_time;
	uint64_t end_time;
	ring_word closed_at; /* end of the content of the last packet that was closed here */
	/*
	 * The position of the next packet that writers may enter in this place. While a packet is
	 * written in this place, `delivered` is that packet's position; delivery adds one lap.
	 * Equations 2 and 3 of the paper (doc/ring.md) thus become one comparison.
	 */
	RING_LINE ring_word delivered;
	uint64_t lost_by[OPROF_NR_LOST]; /* losses reported by the last packet closed here */
};

/*
 * ring_finalise() adds RING_FINALISED to ring_shared.reserved. No slot begins at such a position,
 * so this one word announces the end of the ring to writers and reader.
 */
#define RING_FINALISED 1u

#define RING_ONE_RECORD (1ull << 32) /* one record in the high half of committed */

/*
 * Bits of a place's id, which identifies the memory of the place. In discard mode each place keeps
 * its own memory.
 */
#define RING_ID_INDEX	  0xffffull
#define RING_ID_NOREF	  (1ull << 16) /* no writer uses the memory */
#define RING_ID_EMPTY	  (1ull << 17) /* the memory holds no packet */
#define RING_ID_TAG_SHIFT 18	       /* the bits from here up: low bits of the packet's number */

/*
 * The shared words of a ring. In memory, this struct is followed by the places and then by the
 * memories.
 */
struct ring_shared {
	uint32_t magic;
	uint32_t version;
	uint32_t sub_buffer_order;
	uint32_t ring_order;
	uint32_t mode; /* enum ring_mode */
	/*
	 * The writers write these words; the flusher also writes `reserved` and nr_opened. Let q be
	 * a position where a packet begins. If `reserved` is q, no packet is open. If `reserved` is
	 * q + RING_FINALISED, the ring has ended.
	 */
	RING_LINE ring_word reserved; /* position up to which slots are reserved */
	uint64_t last_time; /* never later than the stamp of the last slot; see ring_stamp() */
	uint32_t depth;	    /* number of entries of open_slots in use */
	uint32_t nr_opened; /* 1 once a packet was opened, else 0 */
	uint64_t lost_by[OPROF_NR_LOST];
	/* The reader writes this word: the position of the first packet that it has not read. */
	RING_LINE ring_word consumed;
	/* The flusher writes these words. flush_time is the time of the last flush. */
	RING_LINE uint64_t flush_time;
	struct ring_open_slot flush; /* the flush in progress, used by repair */
	RING_LINE struct ring_open_slot open_slots[RING_DEPTH_MAX];
};

/* One process's view of a ring. Several processes may each have a view of the same memory. */
struct ring {
	struct ring_shared *shared;
	struct ring_place *places;
	uint8_t *memories;
	ring_word sub_mask;  /* bytes of a sub-buffer - 1 */
	ring_word ring_mask; /* bytes of the ring - 1 */
	uint64_t sub_bytes;  /* bytes of a sub-buffer; a full packet has this many committed */
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

/* The result of ring_reserve(). The caller must write all payload_bytes bytes at `payload`. */
struct ring_slot {
	uint8_t *payload;
	uint32_t payload_bytes;
	uint32_t slot_bytes; /* bytes from `begin` to the end of the payload */
	uint8_t *begin;	     /* start of the record header */
	struct ring_place *place;
	uint32_t commit_bytes;
	uint32_t depth;
	uint64_t time; /* stamp of the record */
};

/* A packet that the reader holds: one sub-buffer, beginning with its header. */
struct ring_packet {
	const uint8_t *data;
	ring_word position;
	uint64_t id; /* overwrite mode: the id that ring_get() stored in the place */
};

/* The reader's own state, in private memory. */
struct ring_reader {
	struct ring ring;
	ring_word consumed;
	uint32_t spare;		 /* index of the memory that the reader has and no place uses */
	uint32_t held;		 /* number of packets held: 0 or 1 */
	uint64_t nr_read;	 /* packets released by ring_put() */
	uint64_t nr_overwritten; /* packets that writers overwrote before they were consumed */
	uint64_t nr_gone;	 /* packets missing because a reader died while it held them */
};

/* ---- ring.c ---- */

/*
 * Computes how many bytes of memory a ring needs. The memory must be aligned to a page. Returns 0;
 * -EINVAL: a size is out of range or not a power of two, or the mode is unknown; -EOVERFLOW:
 * ring_word or size_t is too small for the size.
 */
int ring_memory_bytes(const struct ring_config *config, size_t *bytes);

/*
 * Creates a ring in memory of the size that ring_memory_bytes() computes. Nothing else may use
 * this memory. Overwrites all of the memory, so that no page faults occur later. Returns 0 or an
 * error as ring_memory_bytes().
 */
int ring_init(struct ring *ring, const struct ring_config *config, uint32_t cpu_id, void *memory);

/*
 * Makes a view of a ring created by ring_init(). Returns 0; -EPROTO: memory holds no ring of
 * this version, mode and sizes; or an error as ring_memory_bytes().
 */
int ring_attach(struct ring *ring, const struct ring_config *config, uint32_t cpu_id, void *memory);

/* Returns the number of records lost for this reason so far. */
uint64_t ring_lost(const struct ring *ring, enum oprof_ring_lost reason);

/* Returns the number of records lost so far, for all reasons. */
uint64_t ring_lost_sum(const struct ring *ring);

/*
 * Adds nr losses that happened outside this ring, for example the losses of another ring whose
 * records the writer forwards. Only the writer calls this function. Packets closed later report
 * these losses.
 */
void ring_add_lost(struct ring *ring, enum oprof_ring_lost reason, uint64_t nr);

/* ---- writers: ring_write.h (inline) and ring_write.c ---- */

/*
 * Closes the open packet. The packet is delivered as soon as its open slots are committed. Returns
 * 0, or -EAGAIN: no packet is open. This is algorithm 4 of the paper (doc/ring.md).
 */
int ring_flush(struct ring *ring);

/*
 * Flushes, and marks the ring as ended: the reader reaches the end after the last packet, and later
 * records are lost (lost_stopped). If the packets do not report all losses, or if the ring never
 * had a packet, the function adds an empty packet that reports all losses. A slot that is open now
 * can still be committed, and its packet is then delivered. Returns 0; -EAGAIN: the empty packet
 * needs space, retry after the reader has read; -EALREADY: the ring was already finalised.
 */
int ring_finalise(struct ring *ring);

/* ---- the reader: ring_read.c ---- */

/*
 * Only one reader may exist at a time. The new reader continues where the previous one stopped.
 * Returns 0; -EBADMSG: ring_shared.consumed or (in overwrite mode) the places' ids are damaged.
 */
int ring_reader_init(struct ring_reader *reader, const struct ring *ring);

/*
 * Takes the packet at `position`, which is a multiple of the sub-buffer size. No writer writes to
 * the packet until the reader gives it back. But a malicious program can change a packet at any
 * time, so copy the packet first and then check the copy. Returns 0 or an error:
 *
 *	-EAGAIN		the packet is not delivered yet
 *	-ESTALE		the packet was overwritten or, in discard mode, consumed
 *	-ENODATA	only in overwrite mode: the packet was never written, was consumed, or was
 *			held by a reader that died
 *	-EBUSY		the reader already holds a packet
 *	-EBADMSG	the ring is damaged
 */
int ring_get(struct ring_reader *reader, ring_word position, struct ring_packet *packet);

/*
 * Gives the packet back as read: the reader's position moves past the packet, and in discard mode
 * the packet's place becomes free.
 */
void ring_put(struct ring_reader *reader, struct ring_packet *packet);

/*
 * Gives the packet back as unread, for snapshots. The packet can be read again, unless writers
 * have already entered its place.
 */
void ring_put_keep(struct ring_reader *reader, struct ring_packet *packet);

/*
 * Takes the next packet in order. Returns 0; -EAGAIN: no packet is available yet; -ENODATA: the
 * ring was finalised and all packets are read; -EBUSY, -EBADMSG as ring_get().
 */
int ring_next(struct ring_reader *reader, struct ring_packet *packet);

/*
 * Gets the range [*from, *to) of packets that a snapshot can read now. To include the open packet,
 * call ring_flush() first. When ring_get() is called later, some packets of the range may be
 * overwritten or not yet delivered.
 */
void ring_snapshot_range(const struct ring_reader *reader, ring_word *from, ring_word *to);

/* Returns the size of all closed, unread packets. If this is one lap or more, the ring is full. */
ring_word ring_unread_bytes(const struct ring_reader *reader);

/* ---- repair: ring_repair.c ---- */

/*
 * Repairs the ring of a dead writer. If the writer's process also had a flusher, the flusher must
 * be dead, too. Covers open slots with padding records, counts them as lost_killed, and delivers
 * closed packets. After the repair, either call ring_finalise() to deliver the rest, or let
 * another thread become the writer. The caller must be the reader and must not hold a packet. If
 * the caller dies during repair, the next reader repairs again (lost_killed may then miss the slot
 * covered last). Returns the number of slots covered; -EBUSY: the reader holds a packet; -EBADMSG:
 * the ring is damaged.
 */
int ring_repair(struct ring_reader *reader);

#endif
