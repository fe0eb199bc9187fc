/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Closed slices (oprof/slice.h, doc/slice.md). A slice is built in memory from sections, and is
 * written to a file once. A slice is read section by section. Slices are merged without loading
 * whole slices into memory.
 *
 * Elsewhere: live files (sdb.h), listing slices (history_files.h), deciding when to close and merge
 * slices (daemon/history/history.h).
 *
 * A slice is immutable. Any number of readers, in any number of processes, may read a slice, and
 * the slice may be unlinked while it is read.
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

/* The path of an application or image, like struct sample_path. */
struct slice_path {
	enum sample_path_kind kind;
	const char *path;    /* the true path, which is never cut */
	int64_t tgid;	     /* SAMPLE_PATH_ANON only */
	uint64_t start, end; /* SAMPLE_PATH_ANON only */
};

/*
 * The identity of a section. The section contains the samples of one live sample file, and has all
 * properties that distinguish this file from others. The sections of a slice are sorted by
 * slice_section_compare, first by image, so that a report opens each image once.
 */
struct slice_section {
	struct slice_path image, app;
	struct oprof_image_identity identity; /* identity of the image */
	enum oprof_image_kind image_kind;
	uint64_t image_start;
	const char *event;
	uint64_t period_or_hz;
	uint32_t unit_mask;
	/* OPROF_SDB_*; sections that differ only in _WEIGHTED or _HOLED are equal. */
	uint32_t flags;
	int64_t tgid, tid, cpu; /* or SAMPLE_NAME_ALL */
	const char *cgroup;	/* path; NULL: samples are not separated by cgroup */
	/* Readers set these members; writers ignore them. */
	uint64_t nr_keys, nr_samples, weight;
};

int slice_section_compare(const struct slice_section *a, const struct slice_section *b);

/*
 * Fills in the section of a live file from its parsed name and its header. `image` needs only what
 * sdb_image_load_header() loads. The section contains pointers into name and image.
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
	 * The session's counters (meta/stats) at the beginning and at the end of the slice's time
	 * range. Both arrays have the same names. The difference of two values is the number of
	 * samples seen, lost, ... in this range. The values of `end` are the values of `begin` in
	 * the next slice.
	 */
	const struct oprof_stats_entry *begin, *end;
	size_t nr_counters;
};

/* ---- building ---- */

struct slice_builder;

int slice_builder_create(struct slice_builder **builder); /* 0 or -ENOMEM */
void slice_builder_destroy(struct slice_builder *builder);

/*
 * Returns the number of the section that equals *section. If there is none, adds a copy of
 * *section, including its strings. Errors: -ENOMEM; -E2BIG: more than 2^31 sections.
 */
int64_t slice_builder_section(struct slice_builder *builder, const struct slice_section *section);

/*
 * Adds nr_samples samples (not 0), whose weights sum up to `weight`, to a key of a section. Keys
 * may be added in any order and repeatedly. A section is stored with weights only if the weight of
 * some key cannot be computed from the key's number of samples. In a section with a frequency, the
 * computed weight is the number of samples. In a section with a period, the computed weight is the
 * number of samples x period. Returns 0 or -ENOMEM.
 */
int slice_builder_add(struct slice_builder *builder, int64_t section, uint64_t key,
		      uint64_t nr_samples, uint64_t weight);
/* Adds the entries of a live file. The keys must ascend, and each key may occur only once. */
int slice_builder_add_entries(struct slice_builder *builder, int64_t section,
			      const struct sdb_entry *entries, size_t nr_entries);

/*
 * Sorts and compresses the slice and writes it to fd, an empty file; the header is written last.
 * Does not sync the file. Sets *nr_bytes to the size of the file. Sections without keys are left
 * out. Returns 0, -ENOMEM, -ENOSPC, ...
 */
int slice_builder_write(struct slice_builder *builder, const struct slice_info *info, int fd,
			uint64_t *nr_bytes);

/* ---- reading ---- */

struct slice;

/*
 * Opens a slice, and checks its header and tables; keys and counts are checked when they are read.
 * Errors, with details in diag: -EINVAL: not a slice; -EILSEQ: damaged; -EPROTONOSUPPORT: a newer
 * version or unknown flags; -ENOMEM; or another -errno. The memory used for a hostile file is
 * bounded by a small multiple of its size, plus the needs of its valid contents.
 */
int slice_open(struct slice **slice, const char *path, struct diag *diag);
int slice_open_fd(struct slice **slice, int fd, const char *name,
		  struct diag *diag);  /* takes over fd */
void slice_close(struct slice *slice); /* slice may be NULL */

/* The returned pointers are valid until slice_close. */
const struct oprof_slice_header *slice_header(const struct slice *slice);
const struct slice_info *slice_info(const struct slice *slice);
const struct slice_section *slice_sections(const struct slice *slice, size_t *nr_sections);
/* Returns the open file's descriptor, by which a slice can be copied even if it was renamed. */
int slice_fd(const struct slice *slice);

/*
 * The first function reads the entries of the next section; the second one skips the section, but
 * still decompresses it. The sections are read once, in their order. `entries` must have room for
 * the section's nr_keys entries. The keys ascend, and weights are set as by sdb_image_load. Both
 * functions return 0; -EILSEQ: damaged, and diag has the details; -ENODATA: the last section was
 * already read.
 */
int slice_read_section(struct slice *slice, struct sdb_entry *entries, struct diag *diag);
int slice_skip_section(struct slice *slice, struct diag *diag);

/* ---- merging ---- */

/*
 * Merges the slices at paths, which must be in the order of their epochs, into one slice of this
 * level, and writes it to fd. At any time, only one section of each slice and the merged call trees
 * (stack_tree.h) are in memory. The time range, epochs and counters of the merged slice reach
 * from the beginning of the first slice to the end of the last one. Returns 0, or -errno with diag
 * set.
 */
int slice_merge(const char *const *paths, size_t nr_paths, enum oprof_slice_level level, int fd,
		uint64_t *nr_bytes, struct diag *diag);

/* ---- checking ---- */

struct slice_check_result {
	uint64_t nr_sections, nr_keys, nr_samples, nr_idle, weight;
	uint64_t nr_stack_nodes, nr_stack_samples; /* nodes and samples in the slice's call trees */
	uint64_t nr_bytes;
};

/*
 * Verifies every invariant of doc/slice.md. Returns 0; -EILSEQ with the violated invariant in
 * diag; or an error of reading.
 */
int slice_check(const char *path, struct slice_check_result *result, struct diag *diag);

#endif
