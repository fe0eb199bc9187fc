/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commit, close, deliver. */

#ifdef K42
#define is_full(n) false
#else
#define is_full(n) ((n) == SUB)
#endif

inline header_write(q)
{
	d_step {
		d = memory_of(q);
#ifdef OVERWRITE
		assert(!(id[place(q)] & NOREF)); /* what is delivered is the writers' */
#endif
		assert(ghost_held != d); /* nothing is read while written */
		assert(delivered[place(q)] == q); /* a packet is delivered once */
		assert_whole(d, q, closed_at[place(q)]); /* nothing is delivered unfinished */
		head[d].closed_at = closed_at[place(q)];
		head[d].lost_by = lost_by[place(q)];
		head[d].records = 0;
		u = 0;
		do
		:: u < SUB ->
			head[d].records = head[d].records + ((ghost_unit[d * SUB + u] & RECORD) -> 1 : 0);
			u++
		:: else -> break
		od;
		u = 0;
#ifndef DEATH
		assert(head[d].records == records[place(q)]); /* a packet tells its records */
		closed_at[place(q)] = 0;
#ifndef LOSSES
		lost_by[place(q)] = 0;
#endif
#endif
		ghost_unread[d] = 1
	}
}

inline reset(q)
{
	d_step { committed[place(q)] = 0; records[place(q)] = 0 }
}

inline publish(q)
{
	delivered[place(q)] = pos((q) + LAP)
}

inline give_id(q)
{
#ifdef OVERWRITE
	id[place(q)] = id_word(d, NOREF, q)
#else
	skip
#endif
}

inline deliver(q)
{
	merged {
		header_write(q);
#ifdef WITHOUT_RESET_FIRST
		give_id(q);
		publish(q)
	}
	reset(q);
#else
		reset(q);
#if defined(OVERWRITE) && defined(WITHOUT_ID_FIRST)
		publish(q)
	}
	give_id(q);
#else
#ifdef OVERWRITE
		give_id(q)
	}
#endif
		publish(q);
#ifndef OVERWRITE
	}
#endif
#endif
#endif
	d = 0
}

/* Adds to what is committed of packet q. */
inline commit_add(q, n, nr_records)
{
	d_step {
		committed[place(q)] = committed[place(q)] + (n);
		records[place(q)] = records[place(q)] + nr_records;
		ghost_owe(q, -1);
		new = committed[place(q)]
	}
}

/* Uses what the add returned; without ADD_RETURN, wrongly, a later look at the count. */
inline commit_look(q)
{
#ifdef WITHOUT_ADD_RETURN
	new = committed[place(q)]
#else
	skip
#endif
}

inline close(q, at)
{
	d_step {
		closed_at[place(q)] = at;
		lost_by[place(q)] = sample
	}
}

/* The rest of q, from at on, is padding. */
inline close_and_commit(q, at)
{
	merged {
#ifdef WITHOUT_CLOSE_FIRST
		commit_add(q, SUB - offset(at), 0);
	}
	close(q, at);
#else
		close(q, at);
		commit_add(q, SUB - offset(at), 0)
	}
#endif
	commit_look(q);
	if
	:: is_full(new) -> new = 0; deliver(q)
	:: else -> new = 0
	fi
}

inline sample_lost()
{
#ifdef LOSSES
	if
	:: closes || exact -> sample = lost
	:: else
	fi
#else
	skip
#endif
}
