/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Closed slices (doc/slice.md). A slice contains all samples of one time range of a session in one
 * immutable, sorted, compressed file. The file is always little-endian, so that another machine can
 * read it and merge it with other slices.
 *
 *   struct oprof_slice_header	OPROF_SLICE_HEADER_BYTES, protected by its own checksum
 *   frame "tables"		strings, paths, events, sections, counters
 *   frame "keys"		for each section, the differences between successive keys
 *   frame "counts"		for each key, its number of samples - 1
 *   frame "weights"		for each key of a section with weights, its weight; may be empty
 *   frame "stacks"		the call trees of the same samples, if there are any
 *
 * A frame is one zstd frame with its content checksum. Numbers in a frame are LEB128 (least
 * significant 7 bits first). doc/slice.md describes the content of the frames.
 *
 * Epochs: a session divides its life into time ranges, the epochs, which are numbered from 1. Each
 * live sample file has the samples of one epoch. A slice has the samples of the epochs epoch_first
 * to epoch_last. Slices of neighbouring epochs can be merged into one slice with all these epochs.
 * If two slices of a session have a common epoch, one of them has all epochs of the other slice.
 * This other slice is superseded: readers ignore it. Of two slices with the same epochs, the slice
 * of the lower level is superseded. Readers also ignore a live file if a slice has the epoch of
 * this file. This rule alone gives crash safety: a writer first publishes a slice by rename, and
 * then removes the files that the slice supersedes.
 */
#ifndef OPROF_SLICE_H
#define OPROF_SLICE_H

#include <stdint.h>

#define OPROF_SLICE_MAGIC	 "OPSLICE\n" /* 8 bytes, no NUL */
#define OPROF_SLICE_VERSION	 2	     /* the version that writers write */
#define OPROF_SLICE_VERSION_MIN	 1 /* oldest version for readers; encodes stacks differently */
#define OPROF_SLICE_HEADER_BYTES 512
#define OPROF_SLICE_FOLDER	 "history" /* in the session's folder */
#define OPROF_SLICE_SUFFIX	 ".slice"  /* names: LEVEL.FIRST.LAST.slice, "minute.17.17.slice" */

enum oprof_slice_level {
	OPROF_SLICE_MINUTE = 0,
	OPROF_SLICE_HOUR = 1,
	OPROF_SLICE_DAY = 2,
	OPROF_SLICE_WEEK = 3,
	OPROF_SLICE_NR_LEVELS = 4,
};

struct oprof_slice_frame {
	uint64_t offset; /* from the start of the file */
	uint64_t nr_bytes;
	uint64_t nr_raw_bytes; /* decompressed */
};

/*
 * Flags. A flag may change the meaning of a slice, so programs refuse a slice with an unknown
 * flag.
 */
#define OPROF_SLICE_HOLED  1u /* a live file had lost a page, so counts are too low */
#define OPROF_SLICE_STACKS 2u /* the slice has a frame "stacks" */
#define OPROF_SLICE_FLAGS  3u /* all flags */

struct oprof_slice_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t header_bytes; /* OPROF_SLICE_HEADER_BYTES */
	uint32_t flags;
	uint32_t level; /* enum oprof_slice_level */
	uint64_t epoch_first, epoch_last;
	/*
	 * The time range of the slice, begin_ns <= end_ns, by CLOCK_REALTIME in ns since 1970. The
	 * profile specification "time:" selects slices by this range.
	 */
	int64_t begin_ns, end_ns;
	int64_t first_sample_ns, last_sample_ns; /* 0: no samples */
	uint8_t boot_id[16];			 /* zeros: the samples come from several boots */
	uint32_t clock;				 /* clockid of the source's times */
	uint32_t cpu_khz;
	uint64_t nr_sections, nr_keys;
	uint64_t nr_samples, weight; /* sums over all sections except idle ones */
	uint64_t nr_idle;	     /* samples in idle sections */
	struct oprof_slice_frame tables, keys, counts, weights;
	struct oprof_slice_frame stacks; /* zeros if OPROF_SLICE_STACKS is not set */
	uint64_t nr_stack_samples;	 /* samples in the frame "stacks" */
	uint8_t reserved[OPROF_SLICE_HEADER_BYTES - 272];
	uint64_t checksum; /* FNV-1a, 64 bits, of all preceding bytes */
};

#ifdef __cplusplus
static_assert(sizeof(oprof_slice_header) == OPROF_SLICE_HEADER_BYTES, "layout");
#else
_Static_assert(sizeof(struct oprof_slice_header) == OPROF_SLICE_HEADER_BYTES, "layout");
#endif

#endif
