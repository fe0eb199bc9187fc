/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repair by the reader: the writer is dead, the flusher waits, and both are
 * this process, so all of it is one step.
 */
#ifdef DEATH

inline close_again(q, at, sample)
{
	closed_at[place(q)] = at;
	lost_by[place(q)] = sample
}

#define counts(i) (open_slots[i].valid && !open_slots[i].spoiled)
/* Level j, deeper than level i. */
#define overlapped_by(i, j) ((j) > i && counts(j) && overlaps(i, open_slots[j].old))

/* Entry i: cover its slot, if it was reserved. */
inline cover(i)
{
	old = open_slots[i].old;
	end = open_slots[i].end;
	opens = offset(old) == 0 || pos(end - down(old)) > SUB;
	q = (opens -> up(old) : down(old));
	valid = counts(i);
	begin = pos(opens -> q + HEAD : old);
	bytes = pos(end - begin);
	/* An entry that no reservation could have made does not count. */
	valid = valid && bytes > 0 && offset(begin) + bytes <= SUB;
	/* Nor does a slot that was never reserved, or whose packet is delivered. */
#ifndef WITHOUT_OVERLAP
	valid = valid && !overlapped_by(i, 1) && !overlapped_by(i, LEVELS - 1);
#endif
#ifndef WITHOUT_REACHED
	valid = valid && pos(reserved - old) >= pos(end - old);
#endif
#ifndef WITHOUT_FLUSHED
	valid = valid && (opens || closed_at[place(q)] != old);
#endif
#ifndef WITHOUT_DELIVERED
	valid = valid && delivered[place(q)] == q;
#endif
	if
	:: valid ->
		assert(ghost_reserved[i]); /* repair covers, and counts, only what was reserved */
		if
		:: opens && offset(old) != 0 && delivered[place(old)] == down(old) ->
			close_again(down(old), old, open_slots[i].lost_by)
		:: else
		fi;
		if
		:: offset(end) == 0 -> close_again(q, end, open_slots[i].lost_by)
		:: else
		fi;
#ifdef OVERWRITE
		if
		:: id[place(q)] & NOREF ->
			w = id_memory(id[place(q)]);
			id[place(q)] = id[place(q)] & ~(NOREF | EMPTY);
			ghost_overwritten(w)
		:: else
		fi;
#endif
		m = memory_of(q);
		w = 0;
		do
		:: w < bytes ->
			assert(!(ghost_unit[m * SUB + offset(begin) + w] & ACKNOWLEDGED)); /* repair keeps what was acknowledged */
			ghost_unit[m * SUB + offset(begin) + w] = whole(q);
			w++
		:: else -> break
		od
	:: else
	fi;
	w = 0
}

/* A packet with its id, but not yet published: the reader may have it already. */
inline finish_published()
{
	i = 0;
	do
	:: i < PLACES ->
		if
#if defined(OVERWRITE) && !defined(WITHOUT_ID_REPAIR)
		:: (id[i] & NOREF) && id_tag(id[i]) == delivered[i] -> delivered[i] = pos(delivered[i] + LAP)
#endif
		:: else
		fi;
		i++
	:: else -> break
	od
}

inline repair()
{
	finish_published();
	i = LEVELS;
	do
	:: i > 0 -> i--; cover(i)
	:: else -> break
	od;
	q = pos(up(reserved) - LAP);
	do
	:: q != up(reserved) ->
		if
		:: delivered[place(q)] == q && pos(reserved - q) < SUB ->
			committed[place(q)] = pos(reserved - q)
		:: delivered[place(q)] == q && pos(reserved - q) >= SUB ->
			/* deliver */
			d = memory_of(q);
#ifdef OVERWRITE
			assert(!(id[place(q)] & NOREF)); /* what is delivered is the writers' */
#endif
			assert_whole(d, q, closed_at[place(q)]);
			head[d].closed_at = closed_at[place(q)];
			head[d].lost_by = lost_by[place(q)];
			head[d].records = 0;
			i = 0;
			do
			:: i < SUB ->
				head[d].records = head[d].records + ((ghost_unit[d * SUB + i] & RECORD) -> 1 : 0);
				i++
			:: else -> break
			od;
			ghost_unread[d] = 1;
			committed[place(q)] = 0;
#ifdef OVERWRITE
			id[place(q)] = id_word(d, NOREF, q);
#endif
			delivered[place(q)] = pos(q + LAP)
		:: else
		fi;
		q = pos(q + SUB)
	:: else -> break
	od;
	ghost_repaired = 1;
	i = 0;
	q = 0;
	m = 0;
	d = 0;
	old = 0;
	end = 0;
	begin = 0;
	bytes = 0;
	opens = 0;
	valid = 0
}

#endif
