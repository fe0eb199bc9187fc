/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flush and finalise, by another process. */
inline flush_stamp()
{
#ifdef TIMES
	d_step {
		ghost_clock++;
		time = ghost_clock /* read in order */
	}
	flush_time = time
#else
	skip
#endif
}

inline flusher_clear()
{
	old = 0;
	end = 0;
	q = 0;
	w = 0;
	sample = 0;
	time = 0;
	new = 0;
#ifdef DEATH
	ghost_flushing = 0;
#endif
	closes = 0
}

#ifdef DEATH
#define writers_done (ghost_writers_done || ghost_repaired)
#define may_flush    (!ghost_dead && !ghost_repaired)
#else
#define writers_done ghost_writers_done
#define may_flush    true
#endif

proctype flusher()
{
	byte nr = FLUSHES;
	byte old, end, q, w, m, d, new, sample, time;
	bit closes, exact;

	do
	:: atomic {
		nr > 0 && may_flush ->
#ifdef DEATH
		ghost_flushing = 1
#endif
	   }
flush:
		atomic {
			old = reserved;
			closes = offset(old) != 0;
			q = down(old);
			end = pos(q + SUB);
#ifndef WITHOUT_FLUSH_EMPTY
			if
			:: !closes -> goto flushed
			:: else
			fi
#endif
		}
		flush_stamp();
		closes = 1;
		sample_lost();
		atomic {
			if
			:: reserved == old ->
				reserved = end;
				ghost_stamp();
				ghost_tell(true);
				ghost_owe(q, 1)
			:: else -> goto flush
			fi
		}
		close_and_commit(q, old);
flushed:
		atomic {
			nr--;
			flusher_clear()
		}
#ifdef LIVE
	:: may_flush -> break /* finalise beside writers */
#else
	:: writers_done -> break
#endif
	od;
finalise:
	atomic {
		flusher_clear();
		old = reserved;
		closes = offset(old) != 0;
		q = down(old);
		end = up(old) | FINAL
	}
	flush_stamp();
#ifdef LOSSES
	sample = lost;
	atomic {
		/* Losses that no packet tells yet: an empty packet tells them. */
		if
		:: !closes && sample != lost_by[place(pos(q - SUB))] -> end = pos(q + SUB) | FINAL
		:: else
		fi
	}
	if
	:: end == (pos(q + SUB) | FINAL) && !closes ->
		atomic {
			/* Waits until the place may be entered, or reserved has moved. */
			reserved != old || (delivered[place(q)] == q && !no_room(q));
			if
			:: reserved != old -> goto finalise
			:: else
			fi
		}
	:: else
	fi;
#endif
	atomic {
		if
		:: reserved == old ->
			reserved = end;
			ghost_stamp();
			ghost_tell(end != (old | FINAL));
			ghost_owe(q, (end != (old | FINAL) -> 1 : 0))
		:: else -> goto finalise
		fi
	}
	if
	:: closes -> close_and_commit(q, old)
	:: !closes && end != (old | FINAL) ->
#ifdef OVERWRITE
		w = id[place(q)];
		if
		:: w & NOREF -> claim(q)
		:: else
		fi;
#endif
		close(q, pos(q + HEAD));
		commit_add(q, SUB, 0);
		new = 0;
		deliver(q)
	:: else
	fi;
	atomic {
		flusher_clear();
		ghost_flusher_done = 1
	}
}
