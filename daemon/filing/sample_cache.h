/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The open sample files, found by key. If too many files are open, the least recently used files
 * are closed. A damaged file is renamed to <name>.damaged and replaced by a new file. If a file
 * cannot be opened, the cache tries again a second later.
 *
 * Epochs (oprof/slice.h): if a file is closed while it has samples of the current epoch, it remains
 * in a list. All files of the epoch are thus found without walking folders. When the samples of an
 * epoch are in a slice, each file is emptied before its next use. Closed files, and files not used
 * for some epochs, are removed.
 *
 * Elsewhere: names of files (placement.h), counters (attribution.h).
 */
#ifndef DAEMON_SAMPLE_CACHE_H
#define DAEMON_SAMPLE_CACHE_H

#include "daemon/filing/dead_files.h"
#include "daemon/filing/placement.h"
#include "daemon/filing/sample_tree.h"
#include "daemon/session/sample_key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_file;

struct sample_cache_config {
	const char *folder;  /* folder of the session's files; borrowed */
	size_t nr_files_max; /* maximum number of open files; at least 2 */
	/* Fills placement for a key. Returns 0 or -errno, which sample_cache_add returns. */
	int (*place)(void *context, const struct sample_key *key, struct placement *placement);
	/*
	 * Called when a file was set aside. The counters are now too high, since they include the
	 * file's samples.
	 */
	void (*set_aside)(void *context);
	void *context;
};

struct sample_cache;

int sample_cache_create(struct sample_cache **cache, const struct sample_cache_config *config);
void sample_cache_destroy(struct sample_cache *cache); /* closes the files; NULL is allowed */

/* Returns nr_files_max for this process. Call when the source has opened its own descriptors. */
size_t sample_cache_room(void);

/*
 * Call before the samples of a round are added. now_ns: CLOCK_MONOTONIC, for retries.
 * to_realtime_ns: added to a sample's time, gives CLOCK_REALTIME.
 */
void sample_cache_begin_round(struct sample_cache *cache, uint64_t now_ns, int64_t to_realtime_ns);
/* Call when the samples of a round have been added: updates the files' start and end times. */
void sample_cache_end_round(struct sample_cache *cache);

/*
 * Adds one sample at offset to the file of `key`. Returns 0 or an error. If an error is returned,
 * nothing was added. Errors: those of place, sdb_open, sdb_add and of creating folders; -EDQUOT
 * (sample_cache_set_limit); -ENOMEM.
 */
int sample_cache_add(struct sample_cache *cache, const struct sample_key *key, uint64_t offset,
		     uint64_t weight, uint64_t time_ns);

/*
 * Writes to disk all samples that were added since the last sample_cache_synced(). Tries all files,
 * and returns 0 or the first error. Changes nothing in cache, so that a forked child can call it.
 * folder_fd refers to the folder, which may have been renamed.
 */
int sample_cache_sync(const struct sample_cache *cache, int folder_fd);
/*
 * Call with the result of a sync. After a success the next sync writes only samples added from now
 * on; after an error it writes everything.
 */
void sample_cache_synced(struct sample_cache *cache, int error);

/* Call when an image was released (OPROF_RECORD_RELEASE): no later key names its cookie. */
void sample_cache_release(struct sample_cache *cache, uint32_t image);

/* Closes all files, and forgets dead files. Call before the files' folder is removed or renamed. */
void sample_cache_clear(struct sample_cache *cache);

/* Files not used for this many epochs become dead. */
#define SAMPLE_CACHE_IDLE_EPOCHS 10

/*
 * Begins an epoch (> 0, later than the previous epoch), to which later samples belong; the callback
 * `place` must use the same epoch. Earlier samples in files no longer count: they are in a slice.
 * Files not used in the last nr_keep epochs (0: all files) are closed and become dead, since all
 * their samples are in slices. Dead files are removed later, because the removal of thousands of
 * files may take long.
 */
void sample_cache_begin_epoch(struct sample_cache *cache, uint64_t epoch, uint64_t nr_keep);

struct dead_files *sample_cache_dead(struct sample_cache *cache);

/*
 * Visits the files that have samples of the current epoch. Stops at the first non-zero result of
 * `visit` and returns it.
 */
int sample_cache_visit_epoch(const struct sample_cache *cache,
			     int (*visit)(const char *path, void *context), void *context);

/*
 * Sets a limit for the disk space of files and folders. When the limit is reached, no new file is
 * created: samples that need a new file are refused (-EDQUOT) until the epoch ends. Without a
 * limit, the files of one round could take the space that their slice needs. 0 (initially): no
 * limit.
 */
void sample_cache_set_limit(struct sample_cache *cache, uint64_t nr_bytes);

/*
 * Return the number of bytes on disk as of the last round, without dead files.
 * sample_cache_file_bytes counts only files; sample_cache_live_bytes counts files and folders.
 */
uint64_t sample_cache_file_bytes(const struct sample_cache *cache);
uint64_t sample_cache_live_bytes(const struct sample_cache *cache);

size_t sample_cache_nr_files(const struct sample_cache *cache);	 /* open */
size_t sample_cache_nr_parked(const struct sample_cache *cache); /* files closed in this epoch */

#endif
