/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader. */
#ifdef WITHOUT_NOREF
#define flags_ok(w) (((w) & EMPTY) == 0)
#else
#define flags_ok(w) (((w) & (NOREF | EMPTY)) == NOREF)
#endif
#ifdef WITHOUT_TAG
#define tag_ok(w) true
#else
#define tag_ok(w) (id_tag(w) == asked)
#endif
#define may_keep (!snapshot || keeps > 0)
#ifdef WITHOUT_ASKED
#define may_get (may_keep && place(asked) != place(reserved))
#else
#define may_get may_keep
#endif
#define oldest pos(up(reserved & ~FINAL) - LAP)

/*
 * Waits where the ring's reader would look again later: a look that finds
 * nothing changes nothing. If the reader never ends, in the end no process can
 * go on, and an assertion of init fails.
 */
proctype reader()
{
	byte spare = PLACES, keeps = KEEPS;
	byte asked = START; /* the next to be read; in a snapshot, beyond consumed */
	byte last_lost, last_stamp, w, m;
	bit snapshot;
#ifdef DEATH
	byte i, q, d, old, end, begin, bytes;
	bit opens, valid;
#endif

	do
#ifdef OVERWRITE
	:: d_step { pos(up(reserved & ~FINAL) - asked) > LAP -> asked = oldest } /* fell behind */
#endif
	:: d_step { snapshot -> snapshot = 0; asked = consumed }
	:: !snapshot && reserved == (asked | FINAL) -> break
#ifdef DEATH
	:: d_step { ghost_dead && !ghost_repaired && !ghost_flushing -> repair() }
#endif
#ifdef K42
	:: d_step { pos(down(reserved & ~FINAL) - asked) > 0 && committed[place(asked)] % SUB == 0 ->
			m = place(asked);
			if
			:: ghost_outstanding[m] >= 2 ->
				printf("read as complete: %d commits are outstanding, the count is %d, of %d\n",
					ghost_outstanding[m], committed[m], SUB);
				assert(false) /* nothing outstanding is read as complete */
			:: else
			fi;
			asked = pos(asked + SUB)
		}
#else
#ifndef OVERWRITE
	:: d_step { may_get && delivered[place(asked)] == pos(asked + LAP) ->
			m = place(asked);
			ghost_held = m }
#else
	:: d_step { may_get && flags_ok(id[place(asked)]) && tag_ok(id[place(asked)]) ->
			w = id[place(asked)] }
		atomic {
			if
			:: id[place(asked)] == w ->
				id[place(asked)] = id_word(spare, NOREF | EMPTY, asked);
				m = id_memory(w);
				w = 0;
				ghost_held = m
			:: else -> w = 0; goto again
			fi
		}
#endif
		d_step {
			assert_whole(m, asked, head[m].closed_at);
#ifdef LOSSES
			assert(snapshot || head[m].lost_by >= last_lost); /* losses told do not shrink */
			last_lost = (snapshot -> last_lost : head[m].lost_by)
#endif
		}
#if KEEPS > 0
		if
		:: atomic {
			keeps > 0 ->
			assert_whole(m, asked, head[m].closed_at);
			keeps--;
			snapshot = 1;
			ghost_held = NONE;
#ifdef OVERWRITE
#ifdef WITHOUT_PUT
			id[place(asked)] = id_word(m, NOREF, asked);
#else
			if
			:: id[place(asked)] == id_word(spare, NOREF | EMPTY, asked) ->
				id[place(asked)] = id_word(m, NOREF, asked)
			:: else ->
				/* a writer took the place */
				spare = m;
				ghost_overwritten(m)
			fi;
#endif
#endif
			asked = pos(asked + SUB);
			m = 0
		   }
		   goto again
		:: !snapshot
		fi;
#endif
put:
		atomic {
			assert_whole(m, asked, head[m].closed_at);
			assert(ghost_unread[m]); /* a packet is read once */
			ghost_balance = ghost_balance - head[m].records;
			forget(m);
			ghost_held = NONE;
#ifdef OVERWRITE
			spare = m;
#endif
			m = 0;
			asked = pos(asked + SUB);
			consumed = asked
		}
again:
		skip
#endif
	od;
#if defined(LOSSES) && !defined(LIVE) && !defined(DEATH)
	assert(last_lost == lost); /* all losses are told */
#endif
	ghost_reader_done = 1
}
