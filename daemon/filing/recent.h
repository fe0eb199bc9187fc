/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last minutes' samples in memory, each with its whole key, whatever the
 * session's separation: for reports of the last minute and for the live view
 * (doc/control-socket.md, RECENT).
 *
 * Bounded by entries, keys and marks; the oldest samples go first. What it
 * holds is whole: between its oldest mark and now no stored or idle sample is
 * missing.
 *
 * Time is kept by marks, one at the end of a round and a second or more
 * apart: a stretch begins at a mark, where the session's counters are known,
 * so that samples and counters of a stretch agree exactly.
 *
 * 5 minutes at 99 Hz on 4 CPUs that are never idle; 60 to 65 seconds at 997 Hz on 2.
 */
#ifndef DAEMON_RECENT_H
#define DAEMON_RECENT_H

#include "daemon/filing/recent_keys.h"
#include "daemon/session/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENT_ENTRIES_MAX (1u << 17) /* 3 MB */
#define RECENT_MARKS_MAX   512	      /* 0.4 MB; at most so many minutes / 60 are reached */
#define RECENT_MARK_NS	   UINT64_C(900000000)
#define RECENT_LAST_ADDED  256 /* a power of two */

/* Samples of one key at one offset between two marks. */
struct recent_entry {
	uint64_t offset;
	uint64_t weight;
	uint32_t key; /* index in keys */
	uint32_t nr_samples;
};

/* All entries from position on came after the counters had these values. */
struct recent_mark {
	uint64_t position;
	uint64_t time_ns; /* of the source's clock */
	uint32_t nr_values;
	uint64_t values[STATS_ENTRIES_MAX];
};

/* Positions of entries and numbers of marks only grow; modulo the room they are indexes. */
struct recent {
	struct recent_entry *entries;
	uint64_t head, tail; /* the next entry, and the oldest */
	struct recent_mark *marks;
	uint64_t mark_head, mark_tail;
	struct recent_keys keys;
	/* Where an entry was last added, by hash: behind the last mark it may take more. */
	uint64_t last_added[RECENT_LAST_ADDED];
	uint64_t newest_ns;  /* time of the newest sample */
	uint64_t drained_ns; /* up to here all samples have come; see recent_mark */
};

int recent_create(struct recent **recent);  /* 0 or -ENOMEM */
void recent_destroy(struct recent *recent); /* NULL is fine */

/* A sample that was stored, or is idle. Makes room for itself. */
void recent_add(struct recent *recent, const struct recent_key *key, uint64_t offset,
		uint64_t weight, uint64_t time_ns);

/* The source gives image up, and says so in a record; it is still there during the call. */
void recent_release(struct recent *recent, const struct image *image);

/*
 * At the end of each round, when counters and samples agree. drained_ns:
 * samples up to then have come.
 */
void recent_mark(struct recent *recent, uint64_t drained_ns, const struct stats *stats);

/* Forget all: another session begins. Mark its beginning next. */
void recent_clear(struct recent *recent);

/* The latest mark that is last_ns or more before end_ns, else the oldest; NULL: there is none. */
const struct recent_mark *recent_find_mark(const struct recent *recent, uint64_t end_ns,
					   uint64_t last_ns);

static inline const struct recent_entry *recent_entry(const struct recent *recent,
						      uint64_t position)
{
	return &recent->entries[position % RECENT_ENTRIES_MAX];
}

#endif
