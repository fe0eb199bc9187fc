/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Closed slices (oprof/slice.h, doc/slice.md): built in memory from sections
 * and written once; read section by section, and merged without loading them
 * whole.
 *
 * Not for: live files (sdb.h), listing slices (history_files.h), when to close
 * and merge (daemon/history/history.h).
 *
 * A slice is immutable. Any number of readers, in any number of processes, may
 * read it, and it may be unlinked while they do.
 */
#ifndef LIBDB_SLICE_H
#define LIBDB_SLICE_H

#include "lib/diag.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"
#include "oprof/session.h"
#include "oprof/slice.h"

#include <stddef.h>
#include <stdint.h>

/* Path of an application or an image, like struct sample_path. */
struct slice_path {
	enum sample_path_kind kind;
	const char *path;    /* the true path, never cut */
	int64_t tgid;	     /* SAMPLE_PATH_ANON only */
	uint64_t start, end; /* SAMPLE_PATH_ANON only */
};

/*
 * Identity of one live sample file: everything that distinguishes it from
 * others. The sections of a slice are in the order of slice_section_compare: by
 * image first, so that a report opens each image once.
 */
struct slice_section {
	struct slice_path image, app;
	struct oprof_image_identity identity; /* of the image */
	enum oprof_image_kind image_kind;
	uint64_t image_start;
	const char *event;
	uint64_t period_or_hz;
	uint32_t unit_mask;
	uint32_t flags;		/* OPROF_SDB_*; _WEIGHTED and _HOLED do not distinguish sections */
	int64_t tgid, tid, cpu; /* or SAMPLE_NAME_ALL */
	const char *cgroup;	/* its path; NULL: not separated */
	/* Set by readers, ignored by writers. */
	uint64_t nr_keys, nr_samples, weight;
};

int slice_section_compare(const struct slice_section *a, const struct slice_section *b);

/*
 * Fills in the section of a live file from its parsed name and at least its
 * header (image). The section points into both.
 */
void slice_section_of_file(struct slice_section *section, const struct sample_name *name,
			   const struct sdb_image *image);

/* Properties of a slice as a whole. */
struct slice_info {
	enum oprof_slice_level level;
	uint64_t epoch_first, epoch_last;
	int64_t begin_ns, end_ns;
	int64_t first_sample_ns, last_sample_ns;
	uint8_t boot_id[16];
	uint32_t clock, cpu_khz;
	uint32_t flags; /* OPROF_SLICE_*; the writer sets _STACKS */
	const char *host, *cpu_type;
	/*
	 * The session's counters (meta/stats) at the beginning and at the end
	 * of the slice's time range, with the same names. Their difference is
	 * what was seen, lost, ... in it; the end values are the begin values
	 * of the next slice.
	 */
	const struct oprof_stats_entry *begin, *end;
	size_t nr_counters;
};

/* ---- building ---- */

struct slice_builder;

int slice_builder_create(struct slice_builder **builder); /* 0 or -ENOMEM */
void slice_builder_destroy(struct slice_builder *builder);

/*
 * Returns the number of the section that equals *section, adding it if there is
 * none. Strings are copied. Errors: -ENOMEM, -E2BIG more than 2^31 sections.
 */
int64_t slice_builder_section(struct slice_builder *builder, const struct slice_section *section);

/*
 * Adds at least one sample to a key of a section, in any order of keys; keys
 * may repeat. weight is that of these samples. A section is stored with weights
 * if any of its keys has another weight than samples (frequency) or samples x
 * period. Returns 0 or -ENOMEM.
 */
int slice_builder_add(struct slice_builder *builder, int64_t section, uint64_t key,
		      uint64_t nr_samples, uint64_t weight);
/* Adds the entries of a live file: ascending keys, each once. */
int slice_builder_add_entries(struct slice_builder *builder, int64_t section,
			      const struct sdb_entry *entries, size_t nr_entries);

/*
 * Writes the slice to fd, an empty file (header last): sorted and compressed,
 * not synced. *nr_bytes is its size. Sections without keys are left out.
 * Returns 0, -ENOMEM, -ENOSPC, ...
 */
int slice_builder_write(struct slice_builder *builder, const struct slice_info *info, int fd,
			uint64_t *nr_bytes);

/* ---- reading ---- */

struct slice;

/*
 * Opens a slice, and checks its header and tables; keys and counts are checked
 * as they are read. Errors: -EINVAL not a slice, -EILSEQ damaged,
 * -EPROTONOSUPPORT newer version or unknown flags, -ENOMEM, -errno; diag has
 * the details. The memory used for a hostile file is bounded by a small multiple of its size, plus
 * the needs of its valid contents.
 */
int slice_open(struct slice **slice, const char *path, struct diag *diag);
int slice_open_fd(struct slice **slice, int fd, const char *name,
		  struct diag *diag);  /* takes over fd */
void slice_close(struct slice *slice); /* slice may be NULL */

/* The results are valid until slice_close. */
const struct oprof_slice_header *slice_header(const struct slice *slice);
const struct slice_info *slice_info(const struct slice *slice);
const struct slice_section *slice_sections(const struct slice *slice, size_t *nr_sections);
/* The open file, for copying a slice even if its name has changed. */
int slice_fd(const struct slice *slice);

/*
 * Reads the entries of the next section (sections come in order, each once), or
 * skips it, which still decompresses it. entries has room for the section's
 * nr_keys; keys ascend, and weight is set as by sdb_image_load. Return 0,
 * -EILSEQ and diag, or -ENODATA after the last section.
 */
int slice_read_section(struct slice *slice, struct sdb_entry *entries, struct diag *diag);
int slice_skip_section(struct slice *slice, struct diag *diag);

/* ---- merging ---- */

/*
 * Sums the slices at paths, in order of their epochs, into one slice of level,
 * written to fd. Only one section of each slice is in memory at a time, and the
 * sum of their call trees (stack_tree.h). The time range, epochs and counters
 * of the sum reach from the first begin to the last end. Returns 0, or -errno
 * and diag.
 */
int slice_merge(const char *const *paths, size_t nr_paths, enum oprof_slice_level level, int fd,
		uint64_t *nr_bytes, struct diag *diag);

/* ---- checking ---- */

struct slice_check_result {
	uint64_t nr_sections, nr_keys, nr_samples, nr_idle, weight;
	uint64_t nr_stack_nodes, nr_stack_samples; /* in its call trees */
	uint64_t nr_bytes;
};

/* Verifies every invariant of doc/slice.md. Returns 0, -EILSEQ and diag, or an error of reading. */
int slice_check(const char *path, struct slice_check_result *result, struct diag *diag);

#endif
