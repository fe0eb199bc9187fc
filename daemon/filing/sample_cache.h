/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sample files that are open, found by key. The least recently used are
 * closed when there are too many. A damaged file is set aside (renamed to
 * <name>.damaged) and a new one begun in its place; one that cannot be made
 * is tried again a second later.
 *
 * Epochs (oprof/slice.h): files closed while they hold samples of the epoch
 * stay known, so that no folder has to be walked to find all of them. When an
 * epoch has gone to a slice, files are emptied as they are used again; those
 * that were closed, or are not used for some epochs, are removed.
 *
 * Not for: what a key's file is called (placement.h), counters (attribution.h).
 */
#ifndef DAEMON_SAMPLE_CACHE_H
#define DAEMON_SAMPLE_CACHE_H

#include "daemon/filing/placement.h"
#include "daemon/session/sample_key.h"
#include "daemon/filing/sample_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_file;

struct sample_cache_config {
	const char *folder;  /* of the session's files; borrowed */
	size_t nr_files_max; /* open at once; at least 2 */
	/* Fill placement for a key. 0 or -errno, given to the caller of add. */
	int (*place)(void *context, const struct sample_key *key, struct placement *placement);
	/* A file was set aside, with all that it held: counters are too high. */
	void (*set_aside)(void *context);
	void *context;
};

struct sample_cache;

int sample_cache_create(struct sample_cache **cache, const struct sample_cache_config *config);
void sample_cache_destroy(struct sample_cache *cache); /* closes; NULL is fine */

/* nr_files_max for this process: its descriptors, once the source has taken its own. */
size_t sample_cache_room(void);

/*
 * Before the adds of a round. now_ns: CLOCK_MONOTONIC, for when to try again;
 * to_realtime_ns: what to add to a sample's time to get CLOCK_REALTIME.
 */
void sample_cache_begin_round(struct sample_cache *cache, uint64_t now_ns, int64_t to_realtime_ns);
/* After them: the files' start and end times. */
void sample_cache_end_round(struct sample_cache *cache);

/*
 * One sample at offset in the key's file. Errors: nothing was added; those of
 * sdb_open, sdb_add, place and of making folders.
 */
int sample_cache_add(struct sample_cache *cache, const struct sample_key *key, uint64_t offset,
		     uint64_t weight, uint64_t time_ns);

/*
 * Have all that was added since the last sample_cache_synced() on disk. The
 * first error; files after it are still tried. Changes nothing in cache, so
 * that a forked child can do it; folder_fd is the folder, which may have
 * another name by then.
 */
int sample_cache_sync(const struct sample_cache *cache, int folder_fd);
/* From here on, only what is added later is for the next sync; or all of it (error). */
void sample_cache_synced(struct sample_cache *cache, int error);

/* An image was given up (OPROF_RECORD_RELEASE): no key names its cookie any more. */
void sample_cache_release(struct sample_cache *cache, uint32_t image);

/* Close all files (their folder is about to go, or to be renamed). */
void sample_cache_clear(struct sample_cache *cache);

/* Files not used for so many epochs are removed. */
#define SAMPLE_CACHE_IDLE_EPOCHS 10

/*
 * From here on samples are of epoch (> 0, later than the one before), which
 * place must say, too; what files hold so far counts for nothing: it is in a
 * slice. Those not used in the last nr_keep epochs are removed; 0: all.
 */
void sample_cache_begin_epoch(struct sample_cache *cache, uint64_t epoch, uint64_t nr_keep);

/* Each file that holds samples of the epoch; stops at the first non-zero, and returns it. */
int sample_cache_visit_epoch(const struct sample_cache *cache,
			     int (*visit)(const char *path, void *context), void *context);

/*
 * No new file once they and their folders take nr_bytes: samples that want one
 * are refused (-EDQUOT) till the epoch is over. 0, as created: as many as there
 * is room for. Else one round could take the room that its slice needs.
 */
void sample_cache_set_limit(struct sample_cache *cache, uint64_t nr_bytes);

/* Disk that the files take, and that with their folders; as of the last round. */
uint64_t sample_cache_file_bytes(const struct sample_cache *cache);
uint64_t sample_cache_nr_bytes(const struct sample_cache *cache);

size_t sample_cache_nr_files(const struct sample_cache *cache);	 /* open */
size_t sample_cache_nr_parked(const struct sample_cache *cache); /* closed in this epoch */

#endif
