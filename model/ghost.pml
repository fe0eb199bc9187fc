/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the properties speak of, and the properties. */

byte running; /* the level that runs: those that it interrupted wait */
#define level (_pid - 1) /* of a writer: init starts them first */
bit in_slot[LEVELS];
byte nested = NESTED;
bit ghost_writers_done;
bit ghost_flusher_done;
bit ghost_reader_done;

/*
 * Of each unit of memory: nothing, being written, or finished in which packet;
 * on the first unit of a record also whether its writer knows it committed.
 */
#define BUSY	    1
#define whole(q)    (2 + (q) / SUB)
#define what(unit)  ((unit) & 31)
#define RECORD	    32
#define ACKNOWLEDGED 64
byte ghost_unit[MEMORIES * SUB];
byte ghost_held = NONE; /* memory that the reader reads */
bit ghost_unread[MEMORIES];
byte ghost_balance; /* written - read - overwritten - lost */
#ifdef K42
byte ghost_outstanding[PLACES]; /* commits */
#define ghost_owe(q, n) ghost_outstanding[place(q)] = ghost_outstanding[place(q)] + (n)
#else
#define ghost_owe(q, n) skip
#endif
#ifdef TIMES
byte ghost_clock; /* of all CPUs; grows whenever somebody could tell */
byte ghost_last_stamp; /* in the order of the ring */
#endif
#ifdef LOSSES
byte ghost_last_lost; /* told by the last packet closed */
#endif
#ifdef DEATH
bit ghost_dead;
bit ghost_repaired;
bit ghost_flushing;
bit ghost_reserved[LEVELS]; /* a slot that its writer does not know committed */
#endif
byte u; /* counts, and is 0 again */

inline init_ring()
{
	u = 0;
	do
	:: u < PLACES ->
		delivered[place(START + u * SUB)] = pos(START + u * SUB);
#ifdef OVERWRITE
		id[place(START + u * SUB)] =
			id_word(place(START + u * SUB), NOREF | EMPTY, pos(START + u * SUB - LAP));
#endif
		u++
	:: else -> break
	od;
	u = 0
}

/* All of the packet q, that ends at end, lies finished in memory m. */
inline assert_whole(m, q, at)
{
	u = HEAD;
	do
	:: u < pos(at - q) ->
		assert(what(ghost_unit[(m) * SUB + u]) == whole(q)); /* nothing is delivered, or read, unfinished */
		u++
	:: else -> break
	od;
	u = 0
}

/* Nobody needs the content of memory m any more. */
inline forget(m)
{
	ghost_unread[m] = 0;
	head[m].records = 0;
	head[m].closed_at = 0;
	head[m].lost_by = 0;
	u = 0;
	do
	:: u < SUB ->
		if
		:: ghost_unit[(m) * SUB + u] != BUSY -> ghost_unit[(m) * SUB + u] = 0
		:: else
		fi;
		u++
	:: else -> break
	od;
	u = 0
}

/* Nobody will read what lies in memory m. */
inline ghost_overwritten(m)
{
	ghost_balance = ghost_balance - (ghost_unread[m] -> head[m].records : 0);
	forget(m)
}

/* The memory in the place of q is the writers', by one atomic and. The tag stays. */
inline claim(q)
{
	d_step {
		if
		:: id[place(q)] & NOREF -> ghost_overwritten(id_memory(id[place(q)]))
		:: else
		fi;
		id[place(q)] = id[place(q)] & ~(NOREF | EMPTY);
		w = 0
	}
}

/* Notes whether the ring really has no slot of the size that a writer is refused. */
inline ghost_refuse()
{
	ghost_refused = refused && (offset(reserved) == 0 || offset(reserved) + size > SUB) &&
			(delivered[place(up(reserved))] != up(reserved) || no_room(up(reserved)))
}

inline write_begin(m, first, n)
{
#ifdef K42
	skip
#else
	d_step {
		assert(ghost_held != m); /* nothing is read while written */
		u = 0;
		do
		:: u < (n) ->
			assert(offset(first) + u < SUB); /* a slot lies in its sub-buffer */
			assert(ghost_unit[(m) * SUB + offset(first) + u] == 0); /* no slot is written by two */
			ghost_unit[(m) * SUB + offset(first) + u] = BUSY;
			u++
		:: else -> break
		od;
		u = 0
	}
#endif
}

inline write_end(m, first, n)
{
#ifdef K42
	skip
#else
	d_step {
		assert(ghost_held != m); /* nothing is read while written */
		u = 0;
		do
		:: u < (n) ->
			assert(ghost_unit[(m) * SUB + offset(first) + u] == BUSY); /* no slot is written by two */
			ghost_unit[(m) * SUB + offset(first) + u] = whole(down(first)) | (u == 0 -> RECORD : 0);
			u++
		:: else -> break
		od;
		u = 0
	}
#endif
}

/* Stamps grow in the order of the ring, whoever moves reserved. */
inline ghost_stamp()
{
#ifdef TIMES
	assert(time >= ghost_last_stamp); /* stamps do not go back */
	ghost_last_stamp = time;
	ghost_clock++
#else
	skip
#endif
}

/* So do the losses that packets tell, in the order in which they close. */
inline ghost_tell(closing)
{
#if defined(LOSSES) && !defined(WITHOUT_LOST_IN_LOOP)
	if
	:: closing ->
		assert(sample >= ghost_last_lost); /* losses told do not shrink */
		ghost_last_lost = sample
	:: else
	fi
#else
	skip
#endif
}
