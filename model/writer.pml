/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers: level 0, and interrupts that nest on it, last in first out. */

inline look_at_reserved()
{
	old = reserved;
	in_slot[level] = 1;
	opens = offset(old) == 0 || offset(old) + size > SUB;
	q = (opens -> up(old) : down(old));
	closes = opens && offset(old) != 0;
	begin = pos(opens -> q + HEAD : old);
	bytes = (opens -> HEAD + size : size);
	end = pos(begin + size);
	exact = pos(q + SUB) == end
}

inline clear_locals()
{
	size = 0;
	bytes = 0;
	old = 0;
	begin = 0;
	end = 0;
	q = 0;
	w = 0;
	m = 0;
	new = 0;
	d = 0;
	sample = 0;
	opens = 0;
	closes = 0;
	exact = 0;
	refused = 0;
	ghost_refused = 0
#ifdef TIMES
	;
	time = 0
#endif
}

inline ghost_own(is)
{
#ifdef DEATH
	ghost_reserved[level] = is
#else
	skip
#endif
}

/* An entry says what is about to be reserved, for the repair after a death. */
inline track()
{
#ifdef DEATH
	open_slots[level].old = old;
	open_slots[level].end = end;
	open_slots[level].lost_by = sample;
	open_slots[level].valid = 1
#else
	skip
#endif
}

#define overlaps(a, b) (pos((b) - open_slots[a].old) < pos(open_slots[a].end - open_slots[a].old))

/*
 * An interrupted writer has reserved nothing yet if its entry is not valid, or
 * overlaps ours: what it is about to reserve, even where it has loaded reserved
 * and not written its entry yet, begins before our end, and will not be had.
 */
inline spoil_interrupted()
{
#ifdef DEATH
	d_step {
		i = 0;
		do
		:: i < level ->
			if
#ifndef WITHOUT_SPOILED
			:: !open_slots[i].valid -> open_slots[i].spoiled = 1
#endif
#ifndef WITHOUT_INVALIDATE
			:: open_slots[i].valid && overlaps(i, old) -> open_slots[i].spoiled = 1
#endif
			:: else
			fi;
			i++
		:: else -> break
		od;
		i = 0
	}
#else
	skip
#endif
}

inline pop()
{
#ifdef DEATH
	d_step {
		open_slots[level].valid = 0;
		ghost_own(0);
		/* From here on the record must not be lost, wherever it is now. */
		i = 0;
		do
		:: i < MEMORIES ->
			if
			:: ghost_unit[i * SUB + offset(begin)] == (whole(q) | RECORD) ->
				ghost_unit[i * SUB + offset(begin)] = whole(q) | RECORD | ACKNOWLEDGED
			:: else
			fi;
			i++
		:: else -> break
		od;
		i = 0
	}
#else
	skip
#endif
}

proctype writer() provided (running == level)
{
	byte nr = RECORDS;
	byte size, bytes, old, begin, end, q, w, m, d, new, sample, i;
	bit opens, closes, exact, refused, ghost_refused;
#ifdef TIMES
	byte time, ghost_nested;
#endif

idle:
	do
	:: atomic {
		level > 0 || nr > 0 ->
		nr = (level > 0 -> 0 : nr - 1);
#ifdef LOCAL_FLUSH
		if
		:: level > 0 -> size = 0 /* a flush */
		:: select(size : 1 .. SIZES)
		fi;
#else
		select(size : 1 .. SIZES);
#endif
		ghost_balance = ghost_balance + (size > 0 -> 1 : 0)
	   }
#ifdef WITHOUT_CLOCK_IN_LOOP
		atomic { in_slot[level] = 1; time = ghost_clock }
#endif
#ifdef DEATH
		atomic { in_slot[level] = 1; open_slots[level].spoiled = 0 } /* and it is not valid */
#endif
retry:
#ifdef EARLY
		/* The counter is read too early; not so that an interrupt comes between. */
		atomic { in_slot[level] = 1; ghost_nested = nested; time = ghost_clock }
#endif
		atomic {
			look_at_reserved();
#ifdef EARLY
			time = (nested == ghost_nested -> time : ghost_clock);
			ghost_nested = 0;
#endif
			if
			:: old & FINAL -> goto refuse
			:: else
			fi;
#ifdef LOCAL_FLUSH
			if
			:: size == 0 ->
				q = down(old);
				closes = offset(old) != 0;
				opens = 0;
				exact = 0;
				end = pos(q + SUB);
				if
				:: !closes -> goto leave
				:: else
				fi
			:: else
			fi;
#endif
#ifndef WITHOUT_TOO_BIG
			if
			:: opens && HEAD + size > SUB -> goto refuse
			:: else
			fi
#endif
		}
#if defined(TIMES) && !defined(WITHOUT_CLOCK_IN_LOOP) && !defined(EARLY)
		time = ghost_clock;
#endif
#if defined(TIMES) && !defined(WITHOUT_FLUSH_TIME)
		atomic {
			if
			:: opens && time < flush_time -> time = flush_time
			:: else
			fi
		}
#endif
		if
		:: opens ->
#if !defined(K42) && !defined(WITHOUT_ENTER)
			atomic {
				refused = delivered[place(q)] != q;
				ghost_refuse();
				if
				:: refused -> goto recheck
				:: else
				fi
			}
#endif
#if !defined(K42) && !defined(OVERWRITE)
			atomic {
				refused = no_room(q);
				ghost_refuse();
				if
				:: refused -> goto recheck
				:: else
				fi
			}
#endif
			skip
		:: else
		fi;
#ifndef WITHOUT_LOST_IN_LOOP
		sample_lost();
#endif
		track();
#if defined(DEATH) && !defined(WITHOUT_SPOILED_LOOK)
		atomic {
			if
			:: open_slots[level].spoiled -> sample = 0; goto failed
			:: else
			fi
		}
#endif
		atomic {
			if
			:: reserved == old ->
				reserved = end;
				ghost_stamp();
				ghost_tell(closes || exact);
				ghost_owe(q, 1);
				ghost_owe(old, closes);
				ghost_own(1)
			:: else -> sample = 0; goto failed
			fi
		}
		spoil_interrupted();
#ifdef WITHOUT_LOST_IN_LOOP
		sample_lost();
#endif
#ifdef LOCAL_FLUSH
		if
		:: size == 0 -> goto close_old
		:: else
		fi;
#endif
#ifdef OVERWRITE
		atomic {
			w = id[place(q)];
			if
#ifdef WITHOUT_CLAIM
			:: !opens || !(w & NOREF) -> goto claimed
#else
			:: !(w & NOREF) -> goto claimed
#endif
			:: else
			fi
		}
		claim(q);
claimed:
#endif
		m = memory_of(q);
close_old:
		if
		:: closes -> close_and_commit(down(old), old)
		:: else
		fi;
#ifdef LOCAL_FLUSH
		if
		:: size == 0 -> goto leave
		:: else
		fi;
#endif
#ifndef WITHOUT_EXACT_END
		if
		:: exact -> close(q, end)
		:: else
		fi;
#endif
		write_begin(m, begin, size);
		write_end(m, begin, size);
		commit_add(q, bytes, 1);
		commit_look(q);
		if
		:: is_full(new) -> new = 0; deliver(q)
		:: else -> new = 0
		fi;
		pop();
		goto leave;
failed:
#ifdef DEATH
#ifndef WITHOUT_VALID
		open_slots[level].valid = 0;
#endif
		open_slots[level].spoiled = 0; /* before reserved is loaded again */
#endif
		goto retry;
recheck:
#ifndef WITHOUT_RECHECK
		atomic {
			if
			:: reserved != old -> goto failed
			:: else
			fi
		}
#endif
		assert(ghost_refused); /* a loss is counted only where there was no room */
refuse:
		atomic { count_loss(); ghost_balance-- }
#ifdef DEATH
		open_slots[level].valid = 0;
#endif
leave:
		atomic {
			clear_locals();
			if
			:: d_step { level > 0 -> in_slot[level] = 0; running = level - 1 }
				goto idle
			:: level == 0 -> in_slot[level] = 0
			fi
		}
	:: level == 0 && nr == 0 -> break
	od;
	ghost_writers_done = 1
}

/* An interrupt begins: between any two steps of a writer, and there may be one more on it. */
proctype interrupts()
{
	do
	:: d_step { nested > 0 && running < LEVELS - 1 && in_slot[running] ->
			nested--;
			running++ }
#ifdef DEATH
	:: d_step { in_slot[0] && running < LEVELS ->
			running = DEAD;
			ghost_dead = 1 } -> break
#endif
	od
}
