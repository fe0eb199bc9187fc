/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of the last minutes in memory. Each sample has its whole key, whatever the session's
 * separation. Reports of the last minute and the live view use these samples (request RECENT of
 * doc/control-socket.md).
 *
 * The number of entries, keys and marks is limited; the oldest samples are dropped first. The
 * remaining samples are complete: between the oldest mark and now, no stored or idle sample is
 * missing.
 *
 * A mark is set at the end of a round, at most about once a second, with the session's counters at
 * that moment. A report's time range (stretch) begins at a mark, so that its samples and counters
 * agree exactly.
 *
 * Capacity: 5 minutes at 99 Hz on 4 CPUs that are never idle; 65 seconds at 997 Hz on 2 CPUs.
 */
#ifndef DAEMON_RECENT_H
#define DAEMON_RECENT_H

#include "daemon/filing/recent_keys.h"
#include "daemon/session/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENT_ENTRIES_MAX (1u << 17) /* 3 MB */
#define RECENT_MARKS_MAX   512	      /* 0.4 MB; at one mark a second, the marks cover 512 s */
#define RECENT_MARK_NS	   UINT64_C(900000000)
#define RECENT_LAST_ADDED  256 /* number of elements of recent.last_added; a power of two */

/* Samples of one key at one offset between two marks. */
struct recent_entry {
	uint64_t offset;
	uint64_t weight;
	uint32_t key; /* index in keys */
	uint32_t nr_samples;
};

/*
 * The values of the counters at the time when exactly the entries before `position` had been added.
 */
struct recent_mark {
	uint64_t position;
	uint64_t time_ns; /* on the source's clock */
	uint32_t nr_values;
	uint64_t values[STATS_ENTRIES_MAX];
};

/*
 * Positions of entries and numbers of marks only grow. The array index is the position or number
 * modulo the array's size.
 */
struct recent {
	struct recent_entry *entries;
	uint64_t head, tail; /* positions of the next entry to write and of the oldest entry */
	struct recent_mark *marks;
	uint64_t mark_head, mark_tail;
	struct recent_keys keys;
	/*
	 * Indexed by a hash of key and offset: position of the entry that was last added with this
	 * hash. If the entry is after the last mark, more samples can be added to it.
	 */
	uint64_t last_added[RECENT_LAST_ADDED];
	uint64_t newest_ns;  /* time of the newest sample */
	uint64_t drained_ns; /* all samples up to this time have arrived; see recent_mark() */
};

int recent_create(struct recent **recent);  /* returns 0 or -ENOMEM */
void recent_destroy(struct recent *recent); /* NULL is allowed */

/* Adds a sample that was stored, or is idle. Drops old samples if necessary. */
void recent_add(struct recent *recent, const struct recent_key *key, uint64_t offset,
		uint64_t weight, uint64_t time_ns);

/* Call when the source releases `image`, which is still valid during the call. */
void recent_release(struct recent *recent, const struct image *image);

/*
 * Call at the end of each round, when counters and samples agree. All samples up to drained_ns must
 * have arrived.
 */
void recent_mark(struct recent *recent, uint64_t drained_ns, const struct stats *stats);

/*
 * Call when another session begins: drops all samples and marks. The caller then sets a mark for
 * the beginning of the session.
 */
void recent_clear(struct recent *recent);

/*
 * Returns the latest mark that is at least last_ns before end_ns; otherwise the oldest mark; NULL
 * if there are no marks.
 */
const struct recent_mark *recent_find_mark(const struct recent *recent, uint64_t end_ns,
					   uint64_t last_ns);

/*
 * Returns the earliest mark that is at most until_ns before end_ns. NULL: the last mark is earlier,
 * or there are no marks.
 */
const struct recent_mark *recent_find_end(const struct recent *recent, uint64_t end_ns,
					  uint64_t until_ns);

static inline const struct recent_entry *recent_entry(const struct recent *recent,
						      uint64_t position)
{
	return &recent->entries[position % RECENT_ENTRIES_MAX];
}

#endif
