/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The guards of the ring: each step that is there because of a fault. All are
 * on. A test build takes one out (-DRING_GUARD_ENTER=0), and the test of that
 * fault must then fail: tests/ring/. The models have the same names.
 */
#ifndef RING_GUARDS_H
#define RING_GUARDS_H

/* Sizes of a ring that cannot work are refused. */
#ifndef RING_GUARD_SIZES
#define RING_GUARD_SIZES 1
#endif
/* Positions are compared as what wraps. */
#ifndef RING_GUARD_WRAP
#define RING_GUARD_WRAP 1
#endif
/* A place is entered only when its packet of the lap before is delivered. */
#ifndef RING_GUARD_ENTER
#define RING_GUARD_ENTER 1
#endif
/* A refusal counts only if reserved did not move while it was found. */
#ifndef RING_GUARD_RECHECK
#define RING_GUARD_RECHECK 1
#endif
/* The clock is read inside the reserve loop, after reserved. */
#ifndef RING_GUARD_CLOCK_IN_LOOP
#define RING_GUARD_CLOCK_IN_LOOP 1
#endif
/* Losses are sampled before the cmpxchg that closes a packet. */
#ifndef RING_GUARD_LOST_IN_LOOP
#define RING_GUARD_LOST_IN_LOOP 1
#endif
/* Every writer makes sure that the memory is the writers', not only the one who opens a packet. */
#ifndef RING_GUARD_CLAIM
#define RING_GUARD_CLAIM 1
#endif
/* The reader takes no memory that writers refer to. */
#ifndef RING_GUARD_NOREF
#define RING_GUARD_NOREF 1
#endif
/* The reader takes memory only with the tag of the packet that it wants. */
#ifndef RING_GUARD_TAG
#define RING_GUARD_TAG 1
#endif
/* A packet goes back only to a place that is as it was left. */
#ifndef RING_GUARD_PUT
#define RING_GUARD_PUT 1
#endif
/* The id of a place is set before the place may be entered again. */
#ifndef RING_GUARD_ID_FIRST
#define RING_GUARD_ID_FIRST 1
#endif
/* One add tells the sum: one commit of a packet sees it full. */
#ifndef RING_GUARD_ADD_RETURN
#define RING_GUARD_ADD_RETURN 1
#endif
/* What is delivered is published with release: all that was written comes before. */
#ifndef RING_GUARD_RELEASE
#define RING_GUARD_RELEASE 1
#endif
/* A slot that ends exactly at a sub-buffer's end closes its packet. */
#ifndef RING_GUARD_EXACT_END
#define RING_GUARD_EXACT_END 1
#endif
/* Stamps of a new packet are not before the flush that closed the last one. */
#ifndef RING_GUARD_FLUSH_TIME
#define RING_GUARD_FLUSH_TIME 1
#endif
/* A flush closes no empty sub-buffer. */
#ifndef RING_GUARD_FLUSH_EMPTY
#define RING_GUARD_FLUSH_EMPTY 1
#endif
/* Finalise adds an empty packet only where losses are not told yet. */
#ifndef RING_GUARD_TOLD
#define RING_GUARD_TOLD 1
#endif
/* What of a slot has no content is covered: nothing is shown of what lay there. */
#ifndef RING_GUARD_COVER
#define RING_GUARD_COVER 1
#endif
/* A record longer than a sub-buffer is refused before anything is switched. */
#ifndef RING_GUARD_TOO_BIG
#define RING_GUARD_TOO_BIG 1
#endif
/* A reader finds out which memory is a reader's: one before it may have died. */
#ifndef RING_GUARD_SPARE
#define RING_GUARD_SPARE 1
#endif
/* A finalised ring ends where all is read. */
#ifndef RING_GUARD_UNREAD
#define RING_GUARD_UNREAD 1
#endif
/* The packet asked for is looked at, not the one that is next. */
#ifndef RING_GUARD_ASKED
#define RING_GUARD_ASKED 1
#endif
/* An entry of the stack of open slots is invalid while it is written. */
#ifndef RING_GUARD_VALID
#define RING_GUARD_VALID 1
#endif
/* A nested writer that got its slot spoils the entries that it overlaps. */
#ifndef RING_GUARD_INVALIDATE
#define RING_GUARD_INVALIDATE 1
#endif
/* It tells those, too, that have not made their entries valid yet. */
#ifndef RING_GUARD_SPOILED
#define RING_GUARD_SPOILED 1
#endif
/* Repair: an entry that a deeper one overlaps was never reserved. */
#ifndef RING_GUARD_OVERLAP
#define RING_GUARD_OVERLAP 1
#endif
/* Repair: an entry whose end reserved has not reached was never reserved. */
#ifndef RING_GUARD_REACHED
#define RING_GUARD_REACHED 1
#endif
/* Repair: an entry at whose beginning a flush closed the packet was never reserved. */
#ifndef RING_GUARD_FLUSHED
#define RING_GUARD_FLUSHED 1
#endif
/* Repair: an entry in the empty packet of a finalise was never reserved. */
#ifndef RING_GUARD_ENDED
#define RING_GUARD_ENDED 1
#endif
/* Repair: what is delivered is left alone. */
#ifndef RING_GUARD_DELIVERED
#define RING_GUARD_DELIVERED 1
#endif

#endif
