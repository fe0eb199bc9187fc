/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's counters, kept in its meta/stats (oprof/session.h): in memory
 * for reading, in a shared mapping so that a kill loses none. They add up
 * over the runs of a session.
 *
 * Invariants after each round: seen = stored + idle + sum of lost; what live
 * files and slices hold = stored + idle - expired; what call trees hold =
 * stacks_stored - expired_stacks.
 */
#ifndef DAEMON_STATS_H
#define DAEMON_STATS_H

#include "daemon/source.h"
#include "oprof/record.h"
#include "oprof/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counters of the daemon itself; those of the source stand behind them, by name. */
enum daemon_counter {
	STATS_SEEN,
	STATS_STORED,
	STATS_IDLE,
	STATS_LOST, /* the first of OPROF_LOST_NR, in the order of enum oprof_lost */
	STATS_THROTTLE_EPISODES = STATS_LOST + OPROF_LOST_NR,
	STATS_THROTTLED_NS,
	STATS_WEIGHT_STORED,
	STATS_SKIPPED_RECORDS,	  /* of a type that the daemon does not know */
	STATS_OTHER_CODE,	  /* samples of code by a name that there was no room for */
	STATS_EXPIRED,		  /* of stored and idle: in slices that the budget dropped */
	STATS_EXPIRED_IDLE,	  /* idle ones of these */
	STATS_EXPIRED_WEIGHT,	  /* weight of the others */
	STATS_STACKS_STORED,	  /* stored samples whose call stacks are kept, too */
	STATS_STACKS_LOST_DISK,	  /* ... are not: no room on disk */
	STATS_STACKS_LOST_FILE,	  /* ... the stack file, damaged */
	STATS_STACKS_LOST_MEMORY, /* ... no memory */
	STATS_STACKS_FOLDED,	  /* of those kept: into [other] */
	STATS_STACKS_TRUNCATED,	  /* ... whose outermost frames were not asked for */
	STATS_STACKS_BROKEN,	  /* ... could not be found */
	STATS_EXPIRED_STACKS,	  /* of those kept: in slices that the budget dropped */
	STATS_NR,
};

#define STATS_FILE_BYTES 4096
#define STATS_ENTRIES_MAX                                                                          \
	((STATS_FILE_BYTES - sizeof(struct oprof_stats_file)) / sizeof(struct oprof_stats_entry))

struct stats {
	struct oprof_stats_file *file; /* the mapping; never NULL while open */
	char *path;
	bool damaged; /* what was there could not be read: the counters began at 0 */
	uint32_t nr_entries;
	char names[STATS_ENTRIES_MAX][OPROF_STATS_NAME_BYTES];
	uint64_t values[STATS_ENTRIES_MAX];
	/* What to add to a source's count of this run to get the session's. Modulo 2^64. */
	uint64_t seen_base;
	uint64_t base[STATS_ENTRIES_MAX];
	bool based[STATS_ENTRIES_MAX];
};

/*
 * Open path: go on from the counters that are there (a damaged file begins
 * at 0 and returns 1), or all 0 when it is missing. stats need not be
 * initialized. One stats open at a time (a fault in its mapping finds it).
 * 0, 1, or -errno, with nothing to close.
 */
int stats_open(struct stats *stats, const char *path);
void stats_close(struct stats *stats);

static inline void stats_set(struct stats *stats, unsigned int index, uint64_t value)
{
	stats->values[index] = value;
	/* One 64-bit store: a reader or a kill sees the old or the new value. */
	__atomic_store_n(&stats->file->entries[index].value, value, __ATOMIC_RELAXED);
}

static inline void stats_add(struct stats *stats, unsigned int index, uint64_t nr)
{
	stats_set(stats, index, stats->values[index] + nr);
}

/*
 * The source's counts so far. The first call after stats_open says where this
 * session begins: what was counted before it belongs to the one before.
 */
void stats_begin_source(struct stats *stats, uint64_t seen, const struct source_counter *counters,
			size_t nr_counters);
void stats_update_source(struct stats *stats, uint64_t seen, const struct source_counter *counters,
			 size_t nr_counters);

/*
 * This is what live files and slices hold: make the invariants hold again.
 * What is missing was lost with its file; what is more was seen, but a kill
 * came before it was counted. stacks: samples in call trees; of those, what
 * is missing beyond the samples themselves is lost.
 */
void stats_recount(struct stats *stats, uint64_t stored, uint64_t idle, uint64_t weight,
		   uint64_t stacks);

/*
 * Counters as they were at a later moment than those in memory may be of (the
 * machine crashed; meta/stats was damaged): those that are behind catch up.
 * Not what a recount finds out.
 */
void stats_catch_up(struct stats *stats, const struct oprof_stats_entry *later, size_t nr);

/* All of them, as a slice tells them. Room for STATS_ENTRIES_MAX; their number. */
size_t stats_snapshot(const struct stats *stats, struct oprof_stats_entry *entries);

/*
 * The mapping lost its page (truncated under us, disk error): make the file
 * anew from memory. Cheap when nothing happened; once a round. 1 when it was
 * made anew, 0, or -errno (the counters stay in memory).
 */
int stats_mend(struct stats *stats);

/*
 * Turn SIGBUS in the mapping into that state; other faults go to the handler
 * that was there before. Once per process, before the first stats_open.
 */
int stats_catch_sigbus(void);

/* stored + idle + sum of lost. */
uint64_t stats_accounted(const struct stats *stats);

#endif
