/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live sample files: a mmapped hash from key (offset in an image) to samples
 * and weight, layout in oprof/sample_file.h. Built to be added to for weeks,
 * killed at any instruction, and read meanwhile.
 *
 * Not for: names of sample files (sample_name.h), closed slices.
 *
 *		who may run against whom, on one file
 *			writer		reader		checker
 *	writer		excluded by	allowed		allowed; result holds for
 *			flock (-EBUSY)			the moment it was read
 *	reader				allowed		allowed
 */
#ifndef LIBDB_SDB_H
#define LIBDB_SDB_H

#include "lib/diag.h"
#include "oprof/sample_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sdb; /* a file open for writing; one thread at a time */

/* What sdb_open writes into the header of a new file. Strings are copied. */
struct sdb_identity {
	const char *event;
	const char *cpu_type;
	const char *host;
	const char *app_path;
	const char *image_path;
	const char *cgroup; /* NULL or empty: not separated */
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
	uint64_t epoch; /* 0: of none (no OPROF_SDB_EPOCHS) */
};

/*
 * Open path for writing, made with mode 0600 when it is missing (its folders
 * are not made). A file that is there is checked (cheaply: header, sizes,
 * directory) and must be of the same event, period, flags and image.
 * A file of an earlier epoch than identity->epoch is emptied first, as
 * sdb_restart does it: its samples are in a slice. One of a later, or of none, is -EINVAL.
 * The first page exists on disk when this returns: a full disk is told here
 * or by sdb_add, never by SIGBUS.
 * Errors: -EBUSY another writer, -EINVAL not a sample file or of something
 * else, -EILSEQ damaged, -EPROTONOSUPPORT newer version or other byte order,
 * -ENOSPC, -EDQUOT, -EMFILE, -ENOMEM, ...
 */
int sdb_open(struct sdb **db, const char *path, const struct sdb_identity *identity,
	     struct diag *diag);

/* Unmap and close. What was added stays, whether or not this is called. NULL is fine. */
void sdb_close(struct sdb *db);

/*
 * Add samples to key, in the narrow table or, where key or sum do not fit,
 * the wide one. nr_samples > 0.
 * Errors (nothing was added): -ENOSPC or -EDQUOT or -EFBIG no room to grow
 * (try again later; keys that are there still add), -EIO the file was
 * truncated or its disk failed under us (SIGBUS), -EILSEQ damaged.
 */
int sdb_add(struct sdb *db, uint64_t key, uint64_t nr_samples);

/* sdb_add, and add weight to the weight table (OPROF_SDB_WEIGHTED files). */
int sdb_add_weighted(struct sdb *db, uint64_t key, uint64_t nr_samples, uint64_t weight);

/*
 * Empty the file for identity's epoch, which is later than its own, and
 * whose weight flag it takes. All its samples must be in a published slice of
 * its epoch: a kill on the way leaves any mixture of them, under the old
 * epoch, which then counts for nothing. 0, or -EIO: close and remove it.
 */
int sdb_restart(struct sdb *db, const struct sdb_identity *identity);

/* Is it still what path names? False: it was removed or replaced, and nobody will find it. */
bool sdb_is_at(const struct sdb *db, const char *path);

/* Disk that the file takes. */
uint64_t sdb_nr_bytes(const struct sdb *db);

/* Widen the header's start and end time to hold time_ns (CLOCK_REALTIME). */
void sdb_set_time(struct sdb *db, int64_t time_ns);

/* Have it all on disk (fdatasync). */
int sdb_sync(struct sdb *db);

/*
 * Install the SIGBUS handler that turns a page lost under a mapping into
 * -EIO of that file. Once per process, before the first sdb_open. Faults
 * outside sample files go to the handler that was there before.
 */
int sdb_catch_sigbus(void);

/* ---- reading ---- */

struct sdb_entry {
	uint64_t key;
	uint64_t nr_samples;
	uint64_t weight; /* samples x period where the file stores none; samples under -F */
};

/* A whole file in memory, checked. */
struct sdb_image {
	struct oprof_sdb_header header;
	char *event, *cpu_type, *host, *app_path, *image_path, *cgroup; /* never NULL */
	struct sdb_entry *entries; /* by ascending key, each key once, nr_samples > 0 */
	size_t nr_entries;
	uint64_t nr_samples; /* their sum */
	uint64_t weight;
};

/*
 * Read path (pread, no mapping) while a writer may be at work: each key is
 * there once, with a count that it had meanwhile, different pages at different
 * moments, all of header.epoch. A file that is being emptied has no entries.
 * Errors as sdb_open's, and -ENODATA not begun, -EAGAIN written to too fast;
 * *image untouched.
 */
int sdb_image_load(const char *path, struct sdb_image *image, struct diag *diag);
/* Header and strings only: entries is NULL, sums are 0. */
int sdb_image_load_header(const char *path, struct sdb_image *image, struct diag *diag);
void sdb_image_deinit(struct sdb_image *image);

/* ---- checking ---- */

struct sdb_check_result {
	uint64_t nr_keys;
	uint64_t nr_samples;
	uint64_t nr_pages_used, nr_pages_free; /* free: allocated, led to by no directory */
	uint64_t nr_stale; /* slots not led to: left by a kill during growth; harmless */
	uint64_t longest_probe;
};

/*
 * Verify every invariant of doc/sample-file.md. 0, or -EILSEQ and diag says
 * which invariant fails where (page, slot), or an error of reading.
 */
int sdb_check(const char *path, struct sdb_check_result *result, struct diag *diag);

#endif
