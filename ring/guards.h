/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The guards of the ring. A guard is a step of the algorithm that prevents a known fault. All
 * guards are on by default. A test build leaves out one guard (-DRING_GUARD_ENTER=0). In this
 * build, the test of the guard's fault must fail (tests/ring/). The models of the ring (model/) use
 * the same names of guards.
 */
#ifndef RING_GUARDS_H
#define RING_GUARDS_H

/* Ring sizes that cannot work are refused. */
#ifndef RING_GUARD_SIZES
#define RING_GUARD_SIZES 1
#endif
/* Comparisons of positions take wrapping into account. */
#ifndef RING_GUARD_WRAP
#define RING_GUARD_WRAP 1
#endif
/* A writer enters a place only after the place's packet of the previous lap is delivered. */
#ifndef RING_GUARD_ENTER
#define RING_GUARD_ENTER 1
#endif
/* A refusal is counted only if ring->reserved is unchanged since the refused attempt began. */
#ifndef RING_GUARD_RECHECK
#define RING_GUARD_RECHECK 1
#endif
/* Each turn of the reserve loop reads ring->reserved first, then the clock. */
#ifndef RING_GUARD_CLOCK_IN_LOOP
#define RING_GUARD_CLOCK_IN_LOOP 1
#endif
/* The counters of losses are read before the cmpxchg that closes a packet. */
#ifndef RING_GUARD_LOST_IN_LOOP
#define RING_GUARD_LOST_IN_LOOP 1
#endif
/* Every writer claims the memory of its place, not only the writer that opens the packet. */
#ifndef RING_GUARD_CLAIM
#define RING_GUARD_CLAIM 1
#endif
/* The reader takes no memory that writers are using. */
#ifndef RING_GUARD_NOREF
#define RING_GUARD_NOREF 1
#endif
/* The reader takes a place's memory only if the tag in the id is the requested packet's number. */
#ifndef RING_GUARD_TAG
#define RING_GUARD_TAG 1
#endif
/* ring_put_keep() puts a packet back only if its place is unchanged since ring_get(). */
#ifndef RING_GUARD_PUT
#define RING_GUARD_PUT 1
#endif
/* The id of a place is set before the place can be entered again. */
#ifndef RING_GUARD_ID_FIRST
#define RING_GUARD_ID_FIRST 1
#endif
/* One atomic operation adds and returns the sum, so exactly one commit finds the packet full. */
#ifndef RING_GUARD_ADD_RETURN
#define RING_GUARD_ADD_RETURN 1
#endif
/* Delivery uses a store with release, so that all writes to the packet come before this store. */
#ifndef RING_GUARD_RELEASE
#define RING_GUARD_RELEASE 1
#endif
/* A slot that ends exactly at a sub-buffer's end closes its packet. */
#ifndef RING_GUARD_EXACT_END
#define RING_GUARD_EXACT_END 1
#endif
/* Stamps of a new packet are not earlier than the flush that closed the previous packet. */
#ifndef RING_GUARD_FLUSH_TIME
#define RING_GUARD_FLUSH_TIME 1
#endif
/* A flush does not close an empty sub-buffer. */
#ifndef RING_GUARD_FLUSH_EMPTY
#define RING_GUARD_FLUSH_EMPTY 1
#endif
/* Finalise adds an empty packet only if the last packet has not reported the latest losses. */
#ifndef RING_GUARD_TOLD
#define RING_GUARD_TOLD 1
#endif
/* Unwritten bytes of a slot are overwritten, so that old data does not leak. */
#ifndef RING_GUARD_COVER
#define RING_GUARD_COVER 1
#endif
/* A record longer than a sub-buffer is refused before any packet is closed. */
#ifndef RING_GUARD_TOO_BIG
#define RING_GUARD_TOO_BIG 1
#endif
/* A new reader searches for the spare, since the previous reader may have died with a packet. */
#ifndef RING_GUARD_SPARE
#define RING_GUARD_SPARE 1
#endif
/* The reader reports the end of a finalised ring only after it has read all packets. */
#ifndef RING_GUARD_UNREAD
#define RING_GUARD_UNREAD 1
#endif
/* ring_get() checks the place of the requested packet, not the place of the current packet. */
#ifndef RING_GUARD_ASKED
#define RING_GUARD_ASKED 1
#endif
/* An entry of the stack of open slots is invalid while it is being written. */
#ifndef RING_GUARD_VALID
#define RING_GUARD_VALID 1
#endif
/* A nested writer that reserved a slot marks the entries that overlap this slot as spoiled. */
#ifndef RING_GUARD_INVALIDATE
#define RING_GUARD_INVALIDATE 1
#endif
/* A nested writer also marks entries that are not valid yet as spoiled. */
#ifndef RING_GUARD_SPOILED
#define RING_GUARD_SPOILED 1
#endif
/* Repair treats an entry as not reserved if a deeper entry overlaps it. */
#ifndef RING_GUARD_OVERLAP
#define RING_GUARD_OVERLAP 1
#endif
/* Repair treats an entry as not reserved if ring->reserved is still before the entry's end. */
#ifndef RING_GUARD_REACHED
#define RING_GUARD_REACHED 1
#endif
/* Repair treats an entry as not reserved if a flush closed the packet where the entry begins. */
#ifndef RING_GUARD_FLUSHED
#define RING_GUARD_FLUSHED 1
#endif
/* Repair treats an entry as not reserved if it lies in the empty packet of a finalise. */
#ifndef RING_GUARD_ENDED
#define RING_GUARD_ENDED 1
#endif
/* Repair does not change delivered packets. */
#ifndef RING_GUARD_DELIVERED
#define RING_GUARD_DELIVERED 1
#endif

#endif
