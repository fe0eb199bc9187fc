/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live sample files: a memory-mapped hash table that maps keys (offsets in an image) to samples and
 * weights. oprof/sample_file.h has the layout. A writer may add samples for weeks. It may be killed
 * at any instruction, and may run concurrently with readers.
 *
 * Elsewhere: names of sample files (sample_name.h), closed slices (slice/slice.h).
 *
 *		which operations may run concurrently on one file
 *			writer		reader		checker
 *	writer		excluded by	allowed		allowed (1)
 *			flock (-EBUSY)
 *	reader				allowed		allowed
 * (1) The writer may change the file after the check has read it.
 */
#ifndef LIBDB_SDB_H
#define LIBDB_SDB_H

#include "lib/diag.h"
#include "oprof/sample_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sdb; /* a file open for writing; only one thread may use it */

/* The values that sdb_open writes to the header of a new file. Strings are copied. */
struct sdb_identity {
	const char *event;
	const char *cpu_type;
	const char *host;
	const char *app_path;
	const char *image_path;
	const char *cgroup; /* NULL or empty: samples are not separated by cgroup */
	struct oprof_image_identity image;
	enum oprof_image_kind image_kind;
	uint32_t flags; /* OPROF_SDB_* */
	uint32_t key_kind;
	uint32_t unit_mask;
	uint64_t period_or_hz;
	uint64_t image_start;
	uint8_t boot_id[16];
	uint32_t clock;
	uint32_t cpu_khz;
	uint64_t epoch; /* 0: the file has no epochs (OPROF_SDB_EPOCHS is not set) */
};

/*
 * Opens path for writing. A missing file is created with mode 0600; missing folders are not
 * created. If the file exists, its header, sizes and directories are checked; it must have the same
 * event, unit mask, period, flags, kind of keys and image. If its epoch is earlier than
 * identity->epoch, the file is emptied as by sdb_restart, so the caller must already have put the
 * file's samples into a slice. A file of a later epoch is refused with -EINVAL. A file with epochs
 * is also refused if identity has no epoch, and a file without epochs if identity has an epoch.
 * When the function returns, the first page is written, but not synced. If the disk is full, this
 * function or sdb_add returns an error; SIGBUS never occurs for this reason. Errors: -EBUSY:
 * another program has the file open for writing; -EINVAL: not a sample file, or a file with another
 * identity; -EILSEQ: damaged; -EPROTONOSUPPORT: another version or byte order, or an unknown flag;
 * -ENOSPC, -EDQUOT, -EMFILE, -ENOMEM, ...
 */
int sdb_open(struct sdb **db, const char *path, const struct sdb_identity *identity,
	     struct diag *diag);

/*
 * Unmaps and closes the file. Samples that were added are kept even without this call. db may be
 * NULL.
 */
void sdb_close(struct sdb *db);

/*
 * Adds samples to key, in the narrow table or, if the key or the sum does not fit there, in the
 * wide table. nr_samples must not be 0. If an error is returned, nothing was added. Errors:
 * -ENOSPC, -EDQUOT, -EFBIG or -ENOMEM: the file cannot grow (try again later; samples can still be
 * added to existing keys); -EIO: the file was truncated or its disk failed while mapped (SIGBUS);
 * -EILSEQ: damaged.
 */
int sdb_add(struct sdb *db, uint64_t key, uint64_t nr_samples);

/*
 * Like sdb_add, but also adds weight to the weight table. Only for files with OPROF_SDB_WEIGHTED.
 */
int sdb_add_weighted(struct sdb *db, uint64_t key, uint64_t nr_samples, uint64_t weight);

/*
 * Empties the file for identity's epoch, which must be later than the file's epoch, and sets the
 * file's weight flag as in identity. All samples must already be in a published slice of the
 * file's epoch: if the process is killed during the call, some of the samples remain under the old
 * epoch, and readers ignore them. Returns 0, or -EIO: close the file and remove it.
 */
int sdb_restart(struct sdb *db, const struct sdb_identity *identity);

/*
 * Returns whether path still refers to this file. If not, the file was removed or replaced, and
 * readers will not find it.
 */
bool sdb_is_at(const struct sdb *db, const char *path);

/* Returns the number of bytes that the file occupies on disk. */
uint64_t sdb_nr_bytes(const struct sdb *db);

/*
 * Extends the header's range from start time to end time so that it includes time_ns
 * (CLOCK_REALTIME).
 */
void sdb_set_time(struct sdb *db, int64_t time_ns);

/* Syncs the file to disk (fdatasync). Returns 0 or -errno; also -EIO if the file was truncated. */
int sdb_sync(struct sdb *db);

/*
 * Installs a SIGBUS handler: if a page of a mapped sample file is lost, calls for this file return
 * -EIO, and the process continues. Call this function once per process, before the first sdb_open.
 * Faults outside of sample files are passed to the previous handler. Returns 0 or -errno.
 */
int sdb_catch_sigbus(void);

/* ---- reading ---- */

struct sdb_entry {
	uint64_t key;
	uint64_t nr_samples;
	uint64_t weight; /* if not stored: samples x period, or samples if a frequency was used */
};

/* A whole file, copied into memory and checked. */
struct sdb_image {
	struct oprof_sdb_header header;
	char *event, *cpu_type, *host, *app_path, *image_path, *cgroup; /* never NULL */
	struct sdb_entry *entries; /* by ascending key; each key occurs once, with nr_samples > 0 */
	size_t nr_entries;
	uint64_t nr_samples; /* sums over entries */
	uint64_t weight;
};

/*
 * Reads the file at path (by pread, without a mapping), possibly while a writer adds samples to
 * it. Each key occurs once, with a count that it had at some moment during the read. Different
 * pages may be read at different moments, but all samples belong to the epoch header.epoch. For a
 * file that is being emptied, the result has no entries. Errors as sdb_open, and also -ENODATA:
 * the file has no header yet; -EAGAIN: the file changes too fast to be read. *image is set only on
 * success.
 */
int sdb_image_load(const char *path, struct sdb_image *image, struct diag *diag);
/*
 * Like sdb_image_load, but reads only the header and strings: entries is NULL, and the sums are 0.
 */
int sdb_image_load_header(const char *path, struct sdb_image *image, struct diag *diag);
void sdb_image_deinit(struct sdb_image *image);

/* ---- checking ---- */

struct sdb_check_result {
	uint64_t nr_keys;
	uint64_t nr_samples;
	uint64_t nr_pages_used,
		nr_pages_free; /* free pages are in the file, but no directory refers to them */
	uint64_t nr_stale;     /* slots that readers ignore, left by a kill or an uneven split */
	uint64_t longest_probe;
};

/*
 * Verifies every invariant of doc/sample-file.md. Returns 0; -EILSEQ if the file is damaged, with
 * the violated invariant and its location (page, slot) in diag; or an error of reading.
 */
int sdb_check(const char *path, struct sdb_check_result *result, struct diag *diag);

#endif
