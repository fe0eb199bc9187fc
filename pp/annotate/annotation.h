/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The container of annotated code: the keys of a profile by image, function
 * and source line. Inlined code counts for its innermost line; which
 * functions it was inlined into, and with how many samples, is kept beside.
 *
 * Sums agree: of functions with the profile's totals, of lines and what has
 * no line, too. Counts and shares are as in struct profile, nr_columns each.
 *
 * Knows profiles and line tables; not for reading sources, disassembling
 * (disassembly.h) or layout.
 */
#ifndef PP_ANNOTATION_H
#define PP_ANNOTATION_H

#include "pp/annotate/annotation_sums.h"
#include "pp/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANNOTATION_NO_FILE UINT32_MAX

/* A symbol of an image, or (name NULL) what of it lies outside every symbol. */
struct annotation_function {
	uint32_t image;	  /* index in the selection */
	const char *name; /* as in the file, in the profile's pool */
	uint64_t start;	  /* key of its first byte; UINT64_MAX: not known */
	uint64_t address; /* in its file */
	size_t first, nr; /* its keys in annotation.keys, ascending */
	uint32_t file;	  /* where it is defined; ANNOTATION_NO_FILE: not known */
	uint32_t line;
};

/* A source file; of several images that have it, one. */
struct annotation_file {
	const char *path;  /* as debug information has it, without "." and ".." */
	size_t first_line; /* its lines in annotation.lines */
	size_t nr_lines;
	uint32_t image;	  /* one that was built of it */
	int64_t built_ns; /* when the oldest of them was, as far as known; 0: not known */
};

struct annotation_line {
	uint32_t file, line;
};

/* A function that was inlined: its samples in one source file, and where they were inlined. */
struct annotation_inlined {
	const char *function; /* as in debug information, in the pool */
	uint32_t file;
	uint32_t line; /* the first that has samples */
	size_t first_caller, nr_callers;
};

/* The samples of an inlined function within this one, which may be inlined itself. */
struct annotation_caller {
	const char *function; /* as in the file, in a pool; NULL: outside every symbol */
};

struct annotation_image {
	uint32_t image;	       /* index in the selection */
	size_t first_function; /* its functions */
	size_t nr_functions;
	enum symbols_lack lines; /* SYMBOLS_FULL: there are lines */
	char *note;		 /* why they lack; NULL */
};

struct annotation {
	const struct profile *profile; /* with details */
	bool with_lines;
	uint32_t *keys; /* indexes of profile->details by image, then key; one key may be there
			   for several rows */
	size_t nr_keys;
	struct annotation_image *images; /* those with samples, in the selection's order */
	size_t nr_images;
	struct annotation_sums image_sums, no_line; /* by image */
	struct annotation_function *functions;	    /* by image, then key */
	struct annotation_sums function_sums;

	/* With lines only. */
	struct annotation_file *files;
	size_t nr_files;
	struct annotation_sums file_sums;
	struct annotation_line *lines; /* by file, then line */
	struct annotation_sums line_sums;
	struct annotation_inlined *inlined; /* by file, line, name */
	struct annotation_sums inlined_sums;
	struct annotation_caller *callers; /* of each inlined function, by name */
	struct annotation_sums caller_sums;
	struct strings strings; /* owns paths and names of inlined functions */
};

/* lines: those, too. profile outlives it. 0 or -ENOMEM, -errno as of line_table_load. */
int annotation_build(struct annotation *annotation, const struct profile *profile,
		     const struct profile_options *options, bool lines);
void annotation_deinit(struct annotation *annotation);

/* Of thing i. */
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

/* path without "//", "." and "..", malloc'ed; a ".." that leads out of it is dropped. NULL: no
 * memory. */
char *annotation_clean_path(const char *path);

#endif
