/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of annotated code: the keys of a profile by image, function and source line. Inlined
 * code counts for its innermost line; the functions into which it was inlined are also kept,
 * with their samples.
 *
 * Sums agree: functions add up to the profile's totals, and so do lines plus no_line. Counts
 * and shares are as in struct profile, nr_columns each.
 *
 * Knows profiles and line tables; does not read sources, disassemble (disassembly.h) or lay
 * out text.
 */
#ifndef PP_ANNOTATION_H
#define PP_ANNOTATION_H

#include "pp/annotate/annotation_sums.h"
#include "pp/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANNOTATION_NO_FILE UINT32_MAX

/* A symbol of an image; with name NULL, code outside every symbol. */
struct annotation_function {
	uint32_t image;	  /* index in the selection's images */
	const char *name; /* as in the file, in the profile's pool */
	uint64_t start;	  /* key of its first byte; UINT64_MAX: not known */
	uint64_t address; /* as in its file */
	size_t first, nr; /* range in annotation.keys, sorted by key */
	uint32_t file;	  /* file of its definition; ANNOTATION_NO_FILE: not known */
	uint32_t line;
};

/* A source file. Files of equal path in several images are one file. */
struct annotation_file {
	const char *path;  /* as in debug information, without "." and ".." */
	size_t first_line; /* range in annotation.lines */
	size_t nr_lines;
	uint32_t image;	  /* index of an image built from this file */
	int64_t built_ns; /* build time of the oldest such image; 0: not known */
};

struct annotation_line {
	uint32_t file, line;
};

/* An inlined function: its samples in one source file, and its callers. */
struct annotation_inlined {
	const char *function; /* as in debug information, in the pool */
	uint32_t file;
	uint32_t line; /* its first line with samples */
	size_t first_caller, nr_callers;
};

/* The samples of an inlined function inside one caller, which may be inlined itself. */
struct annotation_caller {
	const char *function; /* as in the file, in a pool; NULL: outside every symbol */
};

struct annotation_image {
	uint32_t image;	       /* index in the selection's images */
	size_t first_function; /* range in annotation.functions */
	size_t nr_functions;
	enum symbols_lack lines; /* SYMBOLS_FULL: lines are available */
	char *note;		 /* why lines are missing; NULL: they are not */
};

struct annotation {
	const struct profile *profile; /* must have details */
	bool with_lines;
	/* indexes in profile->details by image, then key; several rows may have one key */
	uint32_t *keys;
	size_t nr_keys;
	struct annotation_image *images; /* images with samples, in the selection's order */
	size_t nr_images;
	struct annotation_sums image_sums, no_line; /* by image */
	struct annotation_function *functions;	    /* sorted by image, then key */
	struct annotation_sums function_sums;

	/* Filled only if with_lines. */
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
 * If lines is true, also fills lines and files. profile must outlive annotation. Returns 0,
 * -ENOMEM, -EOVERFLOW, or an error of line_table_load().
 */
int annotation_build(struct annotation *annotation, const struct profile *profile,
		     const struct profile_options *options, bool lines);
void annotation_deinit(struct annotation *annotation);

/* Returns the counts, or shares, of element i of sums. */
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
 * Returns path without "//", "." and "..", malloc'ed. A ".." that leads above the beginning of
 * path is dropped. NULL: out of memory.
 */
char *annotation_clean_path(const char *path);

#endif
