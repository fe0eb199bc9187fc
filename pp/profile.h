/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The containers of a report: samples per class of each (application, image),
 * or of each (application, image, symbol). What is counted here is all there
 * is: sums of rows, totals, and sample files agree exactly, whatever lacks
 * symbols.
 *
 * Knows selections and symbols; not for sorting or layout (format_text.h).
 */
#ifndef PP_PROFILE_H
#define PP_PROFILE_H

#include "pp/selection.h"
#include "pp/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_row {
	uint32_t app, image; /* indexes into the selection's */
	const char *name;    /* as in the file, in the pool; NULL: outside every symbol */
	uint64_t address;    /* of the symbol in its file; 0 without one */
	uint32_t symbol;     /* index in its table while that is there */
};

struct profile_image {
	bool has_symbols;
	enum symbols_lack lack;
	char *note; /* what lacks and what to install; NULL */
};

struct profile {
	const struct selection *selection;
	bool with_symbols;
	struct profile_row *rows; /* those of an image and application together */
	uint64_t *counts;	  /* nr_rows x nr_classes samples */
	size_t nr_rows, room;
	size_t nr_classes;
	uint64_t *totals;	      /* samples of each class */
	struct profile_image *images; /* one for each of the selection's */

	uint64_t nr_samples;  /* in rows: the sum of totals */
	uint64_t nr_filtered; /* taken out by include and exclude */
	uint64_t nr_idle;     /* of idle CPUs, in no total */

	int64_t start_ns, end_ns;    /* since 1970; 0: not known */
	const char *host, *cpu_type; /* of the first file, in the pool; NULL: not known */
	bool several_hosts;
	uint32_t cpu_khz;
	size_t nr_weighted; /* files that store weight */
	size_t nr_holed;    /* files that lost a page under the daemon: counts are too low */
	size_t nr_damaged;  /* files that could not be read; each was told to skip() */
	struct strings strings;
};

struct profile_options {
	bool symbols;			   /* a row per symbol; else per image */
	const char *root, *image_path;	   /* -R, -p: see struct symbol_search */
	enum demangle_mode demangle;	   /* include and exclude match these names too */
	struct spec_list include, exclude; /* of symbols; borrowed */
	void (*skip)(const char *path, const struct diag *diag);
};

/* 0, or -ENOMEM or what the reader of symbols fails with; nothing to deinit then. */
int profile_build(struct profile *profile, const struct selection *selection,
		  const struct profile_options *options, struct diag *diag);
void profile_deinit(struct profile *profile);

static inline const uint64_t *profile_counts(const struct profile *profile, size_t row)
{
	return profile->counts + row * profile->nr_classes;
}

#endif
