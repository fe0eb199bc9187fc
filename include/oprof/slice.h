/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Closed slices (doc/slice.md): all samples of one stretch of time of a
 * session, in one immutable, sorted, compressed file. Little-endian always,
 * so that a slice can be read, and summed with others, on another machine.
 *
 *   struct oprof_slice_header	OPROF_SLICE_HEADER_BYTES, checked by its own sum
 *   frame "tables"		strings, paths, events, sections, counters
 *   frame "keys"		of all sections one behind the other: distances
 *   frame "counts"		samples - 1 of each key
 *   frame "weights"		of each key of weighted sections; may be empty
 *   frame "stacks"		the call trees of the same samples, where there are any
 *
 * A frame is one zstd frame with its content checksum; numbers in it are
 * LEB128 (least significant 7 bits first). What is in them: doc/slice.md.
 *
 * Epochs: a session numbers the stretches of time in which it fills live
 * sample files, from 1 on. A slice holds the epochs first to last; merging
 * slices of neighbouring epochs gives one that holds all of theirs. Two
 * slices of a session hold the same epoch only if one holds all of the
 * other: that other one is superseded, and counts as not there. So do the
 * samples of a live file whose epoch any slice holds. This rule is all there
 * is to crash safety: publish by rename, then remove what it supersedes.
 */
#ifndef OPROF_SLICE_H
#define OPROF_SLICE_H

#include <stdint.h>

#define OPROF_SLICE_MAGIC	 "OPSLICE\n" /* 8 bytes, no NUL */
#define OPROF_SLICE_VERSION	 2	     /* what is written */
#define OPROF_SLICE_VERSION_MIN	 1	     /* what is read: their stacks are coded otherwise */
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
	uint64_t offset; /* from the file's start */
	uint64_t nr_bytes;
	uint64_t nr_raw_bytes; /* decompressed */
};

/* A flag that a program does not know changes what the slice means: it refuses it. */
#define OPROF_SLICE_HOLED  1u /* a live file had lost a page: counts are too low */
#define OPROF_SLICE_STACKS 2u /* there is a frame "stacks" */
#define OPROF_SLICE_FLAGS  3u /* all of these */

struct oprof_slice_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t header_bytes; /* OPROF_SLICE_HEADER_BYTES */
	uint32_t flags;
	uint32_t level; /* enum oprof_slice_level */
	uint64_t epoch_first, epoch_last;
	/* The stretch, CLOCK_REALTIME, ns since 1970: what time: selects by. begin <= end. */
	int64_t begin_ns, end_ns;
	int64_t first_sample_ns, last_sample_ns; /* 0: there is none */
	uint8_t boot_id[16];			 /* 0: of several boots */
	uint32_t clock;				 /* clockid of the source's times */
	uint32_t cpu_khz;
	uint64_t nr_sections, nr_keys;
	uint64_t nr_samples, weight; /* sums over all sections but idle ones */
	uint64_t nr_idle;	     /* samples in idle sections */
	struct oprof_slice_frame tables, keys, counts, weights;
	struct oprof_slice_frame stacks; /* OPROF_SLICE_STACKS; else zeros */
	uint64_t nr_stack_samples;	 /* in stacks */
	uint8_t reserved[OPROF_SLICE_HEADER_BYTES - 272];
	uint64_t checksum; /* FNV-1a, 64 bits, of all before it */
};

#ifdef __cplusplus
static_assert(sizeof(oprof_slice_header) == OPROF_SLICE_HEADER_BYTES, "layout");
#else
_Static_assert(sizeof(struct oprof_slice_header) == OPROF_SLICE_HEADER_BYTES, "layout");
#endif

#endif
