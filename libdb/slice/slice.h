/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Closed slices (oprof/slice.h, doc/slice.md): made in memory from sections,
 * written once, read section by section, merged without holding them whole.
 *
 * Not for: live files (sdb.h), which slices there are (history_files.h), when
 * to close and merge (daemon/history/history.h).
 *
 * A slice is immutable: any number of readers, in any number of processes;
 * it may be unlinked while they read.
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

/* Where an application or an image is, as struct sample_path says it. */
struct slice_path {
	enum sample_path_kind kind;
	const char *path;    /* the true one, never cut */
	int64_t tgid;	     /* SAMPLE_PATH_ANON only */
	uint64_t start, end; /* SAMPLE_PATH_ANON only */
};

/*
 * What one live sample file is: all that tells it from another. Sections of
 * a slice are in the order of slice_section_compare: by image first, so that
 * a report opens each image once.
 */
struct slice_section {
	struct slice_path image, app;
	struct oprof_image_identity identity; /* of the image */
	enum oprof_image_kind image_kind;
	uint64_t image_start;
	const char *event;
	uint64_t period_or_hz;
	uint32_t unit_mask;
	uint32_t flags;		/* OPROF_SDB_*; _WEIGHTED and _HOLED do not tell sections apart */
	int64_t tgid, tid, cpu; /* or SAMPLE_NAME_ALL */
	const char *cgroup;	/* its path; NULL: not separated */
	/* Filled by readers, ignored by writers. */
	uint64_t nr_keys, nr_samples, weight;
};

int slice_section_compare(const struct slice_section *a, const struct slice_section *b);

/*
 * The section of a live file: name is its parsed name, image its header at
 * least. It points into both.
 */
void slice_section_of_file(struct slice_section *section, const struct sample_name *name,
			   const struct sdb_image *image);

/* What a slice says of itself, besides its sections. */
struct slice_info {
	enum oprof_slice_level level;
	uint64_t epoch_first, epoch_last;
	int64_t begin_ns, end_ns;
	int64_t first_sample_ns, last_sample_ns;
	uint8_t boot_id[16];
	uint32_t clock, cpu_khz;
	uint32_t flags; /* OPROF_SLICE_*; _STACKS is the writer's to set */
	const char *host, *cpu_type;
	/*
	 * The session's counters (meta/stats) when the stretch began and when it
	 * ended; names of one are those of the other. What was seen, lost, ... in it is the
	 * difference; that of neighbours goes on where the one before ended.
	 */
	const struct oprof_stats_entry *begin, *end;
	size_t nr_counters;
};

/* ---- making ---- */

struct slice_builder;

int slice_builder_create(struct slice_builder **builder); /* 0 or -ENOMEM */
void slice_builder_destroy(struct slice_builder *builder);

/*
 * The section that is what *section says, made if it is not there: its
 * number. Strings are copied. -ENOMEM, -E2BIG more than 2^31.
 */
int64_t slice_builder_section(struct slice_builder *builder, const struct slice_section *section);

/*
 * Add samples to a key of a section; keys may come in any order and again.
 * Sections that were ever given a weight other than samples (frequency) or
 * samples x period are stored with weights. weight: of these samples, of
 * which there is one at least. 0, -ENOMEM.
 */
int slice_builder_add(struct slice_builder *builder, int64_t section, uint64_t key,
		      uint64_t nr_samples, uint64_t weight);
/* A whole image of a live file: keys ascending, each once. */
int slice_builder_add_entries(struct slice_builder *builder, int64_t section,
			      const struct sdb_entry *entries, size_t nr_entries);

/*
 * Write the slice to fd, an empty file (header last): sorted and
 * compressed, not synced. *nr_bytes: of it. Sections without keys are left
 * out. 0, -ENOMEM, -ENOSPC, ...
 */
int slice_builder_write(struct slice_builder *builder, const struct slice_info *info, int fd,
			uint64_t *nr_bytes);

/* ---- reading ---- */

struct slice;

/*
 * Open and check header and tables (not yet keys and counts: those as they
 * are read). -EINVAL not a slice, -EILSEQ damaged, -EPROTONOSUPPORT newer
 * version or flags, -ENOMEM, -errno; diag says what and where. Memory for a
 * hostile file is bounded by a small multiple of its size and what its true
 * contents need.
 */
int slice_open(struct slice **slice, const char *path, struct diag *diag);
int slice_open_fd(struct slice **slice, int fd, const char *name, struct diag *diag); /* takes fd */
void slice_close(struct slice *slice); /* NULL is fine */

/* Valid until slice_close. */
const struct oprof_slice_header *slice_header(const struct slice *slice);
const struct slice_info *slice_info(const struct slice *slice);
const struct slice_section *slice_sections(const struct slice *slice, size_t *nr_sections);
/* Its file: for copying it, whatever its name is by now. */
int slice_fd(const struct slice *slice);

/*
 * The entries of the next section (they come in order, each once), or pass
 * over it: decompressed all the same, but not kept. entries: room for the
 * section's nr_keys; keys ascending, weight filled as sdb_image does. 0,
 * -EILSEQ and diag, -ENODATA after the last.
 */
int slice_read_section(struct slice *slice, struct sdb_entry *entries, struct diag *diag);
int slice_skip_section(struct slice *slice, struct diag *diag);

/* ---- merging ---- */

/*
 * Sum the slices at paths, in order of their epochs, into one of level,
 * written to fd: one section of each at a time is in memory, and the sum of
 * their call trees (stack_tree.h). The header's
 * stretch, epochs and counters are those of the first begin and the last
 * end. 0, -errno and diag.
 */
int slice_merge(const char *const *paths, size_t nr_paths, enum oprof_slice_level level, int fd,
		uint64_t *nr_bytes, struct diag *diag);

/* ---- checking ---- */

struct slice_check_result {
	uint64_t nr_sections, nr_keys, nr_samples, nr_idle, weight;
	uint64_t nr_stack_nodes, nr_stack_samples; /* of its call trees */
	uint64_t nr_bytes;
};

/* Verify every invariant of doc/slice.md. 0, -EILSEQ and diag, or an error of reading. */
int slice_check(const char *path, struct slice_check_result *result, struct diag *diag);

#endif
