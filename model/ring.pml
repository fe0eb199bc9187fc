/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring's algorithm (doc/ring.md) for Spin. README.md says what is modelled,
 * what is abstracted, and how to read a trail; run.sh runs it with many settings.
 *
 * A step is one access to shared memory with the local computation around it:
 * another process, and an interrupt, may come between any two. What is in
 * merged { } is several accesses; nobody can tell what comes between them, and
 * -DFINE makes them steps of their own.
 *
 * Positions count units, not bytes, and wrap at 2^BITS. Words that begin with
 * ghost_ are no part of the ring: they are what the properties speak of.
 */

/* ---- settings: each may be given by -D ---- */

#ifndef SUB
#define SUB 2 /* units of a sub-buffer; a power of two */
#endif
#ifndef HEAD
#define HEAD 0 /* units of a packet header */
#endif
#ifndef PLACES
#define PLACES 2 /* sub-buffers of a lap */
#endif
#ifndef BITS
#define BITS 4 /* of a position */
#endif
#ifndef START
#define START 8 /* first position: positions wrap under way */
#endif
#ifndef LEVELS
#define LEVELS 2 /* writers that nest: level 0 and its interrupts */
#endif
#ifndef RECORDS
#define RECORDS 3 /* written by level 0 */
#endif
#ifndef NESTED
#define NESTED 3 /* written by interrupts, at any time, of any level */
#endif
#ifndef SIZES
#define SIZES 2 /* a record has 1 to so many units */
#endif
#ifndef FLUSHES
#define FLUSHES 0 /* by another process, before it finalises */
#endif

#ifndef KEEPS
#define KEEPS 0 /* packets that a snapshot reads and puts back */
#endif

#ifdef DEATH /* the writer is killed, between any two steps */
#define FINE
#endif
#ifdef FINE
#define merged
#else
#define merged atomic
#endif

#ifdef LOSSES
#define PACKETS (RECORDS + NESTED + 1)
#else
#define PACKETS (RECORDS + NESTED)
#endif
#ifdef OVERWRITE
#if PACKETS * SUB >= 1 << BITS
#error the reader would take a position for the one 2^BITS before
#endif
#elif (NESTED + FLUSHES + 1) * SUB >= 1 << BITS
#error a writer would take a position for the one 2^BITS before
#endif

#define LAP	  (SUB * PLACES)
#define pos(x)	  ((x) & ((1 << BITS) - 1))
#define offset(p) ((p) & (SUB - 1))
#define down(p)	  pos((p) - offset(p))
#define up(p)	  down(pos((p) + SUB - 1))
#define place(p)  ((pos(p) / SUB) & (PLACES - 1))

/* The word id of a place. */
#define id_word(memory, flags, tag) ((memory) | (flags) | ((tag) << 4))
#define NOREF			    4
#define EMPTY			    8
#define id_memory(w)		    ((w) & 3)
#define id_tag(w)		    ((w) >> 4)

/* reserved carries this mark once the ring is finalised. */
#define FINAL 128

#define NONE 255
#define DEAD 254

#ifdef OVERWRITE
#define MEMORIES       (PLACES + 1)
#define memory_of(q)   id_memory(id[place(q)])
#define no_room(q)     false
#else
#define MEMORIES     PLACES
#define memory_of(q) place(q)
#define no_room(q)   (pos((q) - consumed) >= LAP)
#endif

/* ---- the ring ---- */

byte reserved = START;
byte consumed = START;
#ifdef LOSSES
byte lost; /* only grows; the model has one for all reasons */
#define count_loss() lost++
#else
#define count_loss() skip
#endif
#ifdef TIMES
byte flush_time;
#endif
byte committed[PLACES];
byte records[PLACES];
byte delivered[PLACES];
byte closed_at[PLACES];
byte lost_by[PLACES];
byte id[PLACES];

/* What lies in the header of a packet, in each memory. */
typedef header {
	byte closed_at;
	byte lost_by;
	byte records;
};
header head[MEMORIES];

#ifdef DEATH
/* The stack of open slots. Depth is not modelled: level tells it. */
typedef open_slot {
	bit valid;
	bit spoiled; /* an interrupt took what this one is about to reserve */
	byte old;
	byte end;
	byte lost_by;
};
open_slot open_slots[LEVELS];
#endif

#include "ghost.pml"
#include "commit.pml"
#include "writer.pml"
#include "flush.pml"
#include "repair.pml"
#include "reader.pml"

init {
	d_step { init_ring() };
	atomic {
		run writer();
		run writer();
#if LEVELS > 2
		run writer();
#endif
		run interrupts();
		run flusher();
		run reader()
	}
	timeout; /* nobody can go on */
#ifndef K42
	assert(writers_done && ghost_flusher_done && ghost_reader_done); /* the reader ends */
#ifdef DEATH
	assert(ghost_balance <= LEVELS) /* written = read + overwritten + lost, but for those under way */
#else
	assert(ghost_balance == 0) /* written = read + overwritten + lost */
#endif
#endif
}
