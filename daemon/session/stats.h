/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's counters, kept in its meta/stats (oprof/session.h): in memory, for reading, and in a
 * shared mapping, so that no count is lost if the daemon is killed. The counters include all runs
 * of a session.
 *
 * Invariants after each round: seen = stored + idle + sum of lost; live files and slices hold
 * stored + idle - expired samples; call trees hold stacks_stored - expired_stacks.
 */
#ifndef DAEMON_STATS_H
#define DAEMON_STATS_H

#include "daemon/source.h"
#include "oprof/record.h"
#include "oprof/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The daemon's own counters. The source's counters follow them and are identified by name. */
enum daemon_counter {
	STATS_SEEN,
	STATS_STORED,
	STATS_IDLE,
	STATS_LOST, /* first of OPROF_LOST_NR counters, in the order of enum oprof_lost */
	STATS_THROTTLE_EPISODES = STATS_LOST + OPROF_LOST_NR,
	STATS_THROTTLED_NS,
	STATS_WEIGHT_STORED,
	STATS_SKIPPED_RECORDS, /* records of types that the daemon does not know */
	STATS_OTHER_CODE,      /* samples of named code whose names did not fit into the table */
	/* samples, stored or idle, in slices that were deleted for the budget */
	STATS_EXPIRED,
	STATS_EXPIRED_IDLE,	  /* the idle samples of STATS_EXPIRED */
	STATS_EXPIRED_WEIGHT,	  /* weight of the samples of STATS_EXPIRED that are not idle */
	STATS_STACKS_STORED,	  /* stored samples whose call stacks are also stored */
	STATS_STACKS_LOST_DISK,	  /* stack not stored: no room on disk */
	STATS_STACKS_LOST_FILE,	  /* stack not stored: stack file damaged */
	STATS_STACKS_LOST_MEMORY, /* stack not stored: out of memory */
	STATS_STACKS_FOLDED,	  /* stored stacks that were folded into [other] */
	STATS_STACKS_TRUNCATED,	  /* stored stacks without the frames beyond the maximum depth */
	STATS_STACKS_BROKEN,	  /* stored stacks whose outermost frames were not found */
	STATS_EXPIRED_STACKS,	  /* stored stacks in slices that were deleted for the budget */
	STATS_NR,
};

#define STATS_FILE_BYTES 4096
#define STATS_ENTRIES_MAX                                                                          \
	((STATS_FILE_BYTES - sizeof(struct oprof_stats_file)) / sizeof(struct oprof_stats_entry))

struct stats {
	struct oprof_stats_file *file; /* the mapping; never NULL while open */
	char *path;
	bool damaged; /* the file was unreadable: the counters began at 0 */
	uint32_t nr_entries;
	char names[STATS_ENTRIES_MAX][OPROF_STATS_NAME_BYTES];
	uint64_t values[STATS_ENTRIES_MAX];
	/* The session's count is base + the source's count of this run, modulo 2^64. */
	uint64_t seen_base;
	uint64_t base[STATS_ENTRIES_MAX];
	bool based[STATS_ENTRIES_MAX];
};

/*
 * Opens path and continues its counters; if the file is missing or damaged, all counters begin at
 * 0. stats need not be initialized. Only one stats may be open at a time: the SIGBUS handler
 * repairs only one mapping. Returns 0; 1 if the file was damaged; or -errno. After -errno, stats
 * need not be closed.
 */
int stats_open(struct stats *stats, const char *path);
void stats_close(struct stats *stats);

static inline void stats_set(struct stats *stats, unsigned int index, uint64_t value)
{
	stats->values[index] = value;
	/*
	 * The value is written by a single 64-bit store. A reader therefore finds either the old or
	 * the new value, and so does the next daemon if this one is killed.
	 */
	__atomic_store_n(&stats->file->entries[index].value, value, __ATOMIC_RELAXED);
}

static inline void stats_add(struct stats *stats, unsigned int index, uint64_t nr)
{
	stats_set(stats, index, stats->values[index] + nr);
}

/*
 * Both functions receive the source's present counts. Call stats_begin_source once after
 * stats_open: the counts at this time belong to an earlier session, so the function only stores
 * them as the base of this session. stats_update_source adds what the source has counted since
 * then.
 */
void stats_begin_source(struct stats *stats, uint64_t seen, const struct source_counter *counters,
			size_t nr_counters);
void stats_update_source(struct stats *stats, uint64_t seen, const struct source_counter *counters,
			 size_t nr_counters);

/*
 * Restores the invariants, given the contents of live files and slices. Samples that were counted
 * as stored but are missing from the contents count as lost (OPROF_LOST_FILE). Samples in the
 * contents that were not counted, because the daemon was killed after it stored them, count as
 * seen. stacks: samples in call trees; if more samples are missing in call trees than in the files,
 * the difference counts as lost stacks.
 */
void stats_recount(struct stats *stats, uint64_t stored, uint64_t idle, uint64_t weight,
		   uint64_t stacks);

/*
 * Raises the counters in memory to the values in `later`. The counters in memory may be older if
 * the machine crashed or meta/stats was damaged. Does not change the counters that stats_recount
 * sets.
 */
void stats_catch_up(struct stats *stats, const struct oprof_stats_entry *later, size_t nr);

/* Copies all counters, for a slice. entries: room for STATS_ENTRIES_MAX. Returns their number. */
size_t stats_snapshot(const struct stats *stats, struct oprof_stats_entry *entries);

/*
 * If the mapping has lost its page (file truncated, disk error), creates the file again from the
 * counters in memory. To be called in each round; it is cheap if the mapping is intact. Returns 1
 * if the file was created again, 0 if the mapping is intact, or -errno (the counters stay in
 * memory).
 */
int stats_mend(struct stats *stats);

/*
 * Installs the SIGBUS handler. If an access to the stats mapping fails, the handler replaces the
 * mapping by private memory, until stats_mend() creates the file again. Other faults go to the
 * previous handler. To be called once per process, before the first stats_open.
 */
int stats_catch_sigbus(void);

/* Returns stored + idle + sum of lost. */
uint64_t stats_accounted(const struct stats *stats);

#endif
