/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's counters, kept in its meta/stats (oprof/session.h): in memory for reading, and in a
 * shared mapping so that a kill loses none. They add up over the runs of a session.
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

/* The daemon's own counters; the source's counters follow them, found by name. */
enum daemon_counter {
	STATS_SEEN,
	STATS_STORED,
	STATS_IDLE,
	STATS_LOST, /* first of OPROF_LOST_NR counters, in the order of enum oprof_lost */
	STATS_THROTTLE_EPISODES = STATS_LOST + OPROF_LOST_NR,
	STATS_THROTTLED_NS,
	STATS_WEIGHT_STORED,
	STATS_SKIPPED_RECORDS,	  /* records of types that the daemon does not know */
	STATS_OTHER_CODE,	  /* samples of named code for whose name there was no room */
	STATS_EXPIRED,		  /* samples, stored or idle, in slices dropped for the budget */
	STATS_EXPIRED_IDLE,	  /* the idle samples of STATS_EXPIRED */
	STATS_EXPIRED_WEIGHT,	  /* weight of the other samples of STATS_EXPIRED */
	STATS_STACKS_STORED,	  /* stored samples whose call stacks are also kept */
	STATS_STACKS_LOST_DISK,	  /* stack not kept: no room on disk */
	STATS_STACKS_LOST_FILE,	  /* stack not kept: stack file damaged */
	STATS_STACKS_LOST_MEMORY, /* stack not kept: out of memory */
	STATS_STACKS_FOLDED,	  /* kept stacks folded into [other] */
	STATS_STACKS_TRUNCATED,	  /* kept stacks without frames beyond the depth */
	STATS_STACKS_BROKEN,	  /* kept stacks whose outermost frames were not found */
	STATS_EXPIRED_STACKS,	  /* kept stacks in slices dropped for the budget */
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
	/*
	 * These bases plus the source's counts of this run are the session's counts. Modulo 2^64.
	 */
	uint64_t seen_base;
	uint64_t base[STATS_ENTRIES_MAX];
	bool based[STATS_ENTRIES_MAX];
};

/*
 * Opens path and continues its counters; all begin at 0 if the file is missing, or damaged
 * (returns 1). stats need not be initialized. Only one stats may be open at a time: the SIGBUS
 * handler knows one mapping. Returns 0, 1, or -errno with nothing to close.
 */
int stats_open(struct stats *stats, const char *path);
void stats_close(struct stats *stats);

static inline void stats_set(struct stats *stats, unsigned int index, uint64_t value)
{
	stats->values[index] = value;
	/* One 64-bit store: a reader, or the file after a kill, has the old or the new value. */
	__atomic_store_n(&stats->file->entries[index].value, value, __ATOMIC_RELAXED);
}

static inline void stats_add(struct stats *stats, unsigned int index, uint64_t nr)
{
	stats_set(stats, index, stats->values[index] + nr);
}

/*
 * Take over the source's counts so far. stats_begin_source, to be called first after stats_open,
 * marks where this session begins: earlier counts belong to the previous session.
 */
void stats_begin_source(struct stats *stats, uint64_t seen, const struct source_counter *counters,
			size_t nr_counters);
void stats_update_source(struct stats *stats, uint64_t seen, const struct source_counter *counters,
			 size_t nr_counters);

/*
 * Restores the invariants, given the contents of live files and slices. Missing samples were lost
 * with their file; surplus samples were seen, but a kill came before they were counted. stacks:
 * samples in call trees; if more of these are missing than samples, the difference counts as lost
 * stacks.
 */
void stats_recount(struct stats *stats, uint64_t stored, uint64_t idle, uint64_t weight,
		   uint64_t stacks);

/*
 * Raises counters to later values, when those in memory may be older (the machine crashed, or
 * meta/stats was damaged). Leaves out the counters that a recount sets.
 */
void stats_catch_up(struct stats *stats, const struct oprof_stats_entry *later, size_t nr);

/* Copies all counters, for a slice. entries: room for STATS_ENTRIES_MAX. Returns their number. */
size_t stats_snapshot(const struct stats *stats, struct oprof_stats_entry *entries);

/*
 * If the mapping has lost its page (file truncated, disk error), creates the file again from the
 * counters in memory. Call once a round; cheap if nothing happened. Returns 1 if the file was
 * created again, else 0, or -errno (the counters stay in memory).
 */
int stats_mend(struct stats *stats);

/*
 * Installs the SIGBUS handler, which turns a fault in the mapping into the state that stats_mend()
 * repairs; other faults go to the previous handler. Call once per process, before the first
 * stats_open.
 */
int stats_catch_sigbus(void);

/* Returns stored + idle + sum of lost. */
uint64_t stats_accounted(const struct stats *stats);

#endif
