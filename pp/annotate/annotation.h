/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of annotated code: the keys of a profile, grouped by image, function and source line. A
 * sample in inlined code counts for the innermost source line. For each inlined function, the
 * functions into which it was inlined are also stored, with their samples.
 *
 * The samples of all functions add up to the profile's totals. The samples of all lines and those
 * in no_line also add up to these totals. Each element has nr_columns counts and nr_columns shares,
 * as in struct profile.
 *
 * This module reads profiles and line tables. It does not read sources (source_file.h), disassemble
 * (disassembly.h) or lay out text (format_annotated.h).
 */
#ifndef PP_ANNOTATION_H
#define PP_ANNOTATION_H

#include "pp/annotate/annotation_sums.h"
#include "pp/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANNOTATION_NO_FILE UINT32_MAX

/* A function of an image; if `name` is NULL, all code of the image that is outside its symbols. */
struct annotation_function {
	uint32_t image;	  /* index in the selection's images */
	const char *name; /* not demangled; belongs to the profile */
	uint64_t start;	  /* key of the first byte; UINT64_MAX: unknown */
	uint64_t address; /* address of the first byte, as in the image's file */
	size_t first, nr; /* range in annotation.keys, sorted by key */
	uint32_t file;	  /* file of the function's definition; ANNOTATION_NO_FILE: unknown */
	uint32_t line;
};

/* A source file. A path that occurs in several images is one file. */
struct annotation_file {
	const char *path;  /* as in debug information, without "." and ".." */
	size_t first_line; /* range in annotation.lines */
	size_t nr_lines;
	uint32_t image;	  /* index of an image built from this file */
	int64_t built_ns; /* build time of the oldest image built from this file; 0: unknown */
};

struct annotation_line {
	uint32_t file, line;
};

/* An inlined function: its samples in one source file, and its callers. */
struct annotation_inlined {
	const char *function; /* as in debug information; belongs to annotation.strings */
	uint32_t file;
	uint32_t line; /* first line of the function that has samples */
	size_t first_caller, nr_callers;
};

/* The samples of an inlined function inside one caller, which may be inlined itself. */
struct annotation_caller {
	const char *function; /* not demangled; NULL: code outside all symbols */
};

struct annotation_image {
	uint32_t image;	       /* index in the selection's images */
	size_t first_function; /* range in annotation.functions */
	size_t nr_functions;
	enum symbols_lack lines; /* SYMBOLS_FULL: lines are available */
	char *note;		 /* why lines are missing; NULL: lines are available */
};

struct annotation {
	const struct profile *profile; /* must have details */
	bool with_lines;
	/*
	 * Indexes in profile->details, sorted by image, then key. Several rows may have the same
	 * key.
	 */
	uint32_t *keys;
	size_t nr_keys;
	struct annotation_image *images; /* images with samples, in the selection's order */
	size_t nr_images;
	struct annotation_sums image_sums, no_line; /* by image */
	struct annotation_function *functions;	    /* sorted by image, then key */
	struct annotation_sums function_sums;

	/* The following members are filled only if with_lines is set. */
	struct annotation_file *files;
	size_t nr_files;
	struct annotation_sums file_sums;
	struct annotation_line *lines; /* sorted by file, then line */
	struct annotation_sums line_sums;
	struct annotation_inlined *inlined; /* sorted by file, line, name */
	struct annotation_sums inlined_sums;
	struct annotation_caller *callers; /* grouped by inlined function, sorted by name */
	struct annotation_sums caller_sums;
	struct strings strings; /* owns the paths and the names of inlined functions */
};

/*
 * If `lines` is true, also fills the members from annotation->files to annotation->strings.
 * `profile` must outlive the annotation. Returns 0, -ENOMEM, -EOVERFLOW, or an error of
 * line_table_load().
 */
int annotation_build(struct annotation *annotation, const struct profile *profile,
		     const struct profile_options *options, bool lines);
void annotation_deinit(struct annotation *annotation);

/*
 * These functions return the counts or the shares of element i of `sums`, one number for each
 * column.
 */
static inline const uint64_t *annotation_counts(const struct annotation *annotation,
						const struct annotation_sums *sums, size_t i)
{
	return sums->counts + i * annotation->profile->nr_columns;
}

static inline const uint64_t *annotation_shares(const struct annotation *annotation,
						const struct annotation_sums *sums, size_t i)
{
	return sums->shares + i * annotation->profile->nr_columns;
}

/*
 * Returns `path` without "//", "." and "..", malloc'ed. A ".." that would lead above the beginning
 * of `path` is removed. NULL: out of memory.
 */
char *annotation_clean_path(const char *path);

#endif
