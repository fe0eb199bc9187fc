/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The containers of a report: samples per class of each (application, image),
 * or of each (application, image, symbol). What is counted here is all there
 * is: sums of rows, totals, and sample files and slices agree exactly,
 * whatever lacks symbols.
 *
 * Knows selections and symbols; not for sorting or layout (format_text.h).
 */
#ifndef PP_PROFILE_H
#define PP_PROFILE_H

#include "pp/lines/line_table.h"
#include "pp/selection/selection.h"
#include "pp/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_row {
	uint32_t app, image; /* indexes into the selection's */
	const char *name;    /* as in the file, in the pool; NULL: outside every symbol */
	uint64_t address;    /* of the symbol in its file; 0 without one */
	uint64_t start;	     /* key of the symbol's first byte; 0 without one */
	uint32_t symbol;   /* index in its table while that is there; or PROFILE_INLINED and more */
	uint32_t nr_bytes; /* of the symbol, UINT32_MAX at most */
};

/*
 * Symbols from here on are inlined functions, of options->inlines: one of each image and name,
 * wherever it was inlined, so that it has neither address nor bytes.
 */
#define PROFILE_INLINED UINT32_C(0x80000000)

static inline bool profile_row_is_inlined(const struct profile_row *row)
{
	return row->symbol >= PROFILE_INLINED;
}

/* A key that has samples. */
struct profile_detail {
	uint64_t key;
	uint64_t address; /* in its file, as the row's; outside every symbol it is the key */
	uint32_t image;	  /* whose key: of a row that was merged it may be another than the row's */
};

struct profile_image {
	bool has_symbols;
	enum symbols_lack lack;
	char *note;	 /* what lacks and what to install; NULL */
	char *line_note; /* the same of source lines */
};

/* Of one side of a differential profile; of all where there is one side. */
struct profile_side {
	uint64_t nr_samples;	  /* in rows */
	uint64_t nr_filtered;	  /* taken out by include and exclude */
	uint64_t nr_idle;	  /* of idle CPUs, in no total */
	int64_t start_ns, end_ns; /* since 1970; 0: not known */
	int64_t nr_ns;		  /* of what was taken, without what is missing between */
};

/*
 * A column is a class on a side: those of the first side, then those of the
 * second. Shares are what percentages are of (enum class_measure): the
 * samples themselves, or weight.
 */
struct profile {
	const struct selection *selection;
	bool with_symbols;
	struct profile_row *rows; /* those of an image together */
	uint64_t *counts;	  /* nr_rows x nr_columns samples */
	uint64_t *shares;	  /* the same of shares; is counts where all are samples */
	size_t nr_rows, room;
	size_t nr_classes, nr_columns;
	uint64_t *totals;	      /* samples of each column */
	uint64_t *share_totals;	      /* is totals where all are samples */
	struct profile_image *images; /* one for each of the selection's */

	/*
	 * Of options->details, else NULL: the keys of row i are details[first_detail[i]] up to
	 * first_detail[i + 1], by address; nr_columns of counts and shares for each.
	 */
	struct profile_detail *details;
	size_t *first_detail;
	uint64_t *detail_counts, *detail_shares;
	size_t nr_details;

	/* Of options->lines, else NULL: source places of rows (their first line) and of details. */
	struct line_place *row_lines, *detail_lines; /* line 0: not known */
	/* Of options->inlines: the innermost function inlined at each detail, or NULL. */
	const char **detail_inlines;
	const char **files; /* whole paths as the compiler had them, in the pool */
	size_t nr_files;

	struct profile_time *time; /* of options->by_time, else NULL */

	struct profile_side sides[SPEC_SIDES_MAX];
	uint64_t nr_samples, nr_filtered, nr_idle; /* of all sides */
	int64_t start_ns, end_ns;

	const char *host, *cpu_type; /* of the first file, in the pool; NULL: not known */
	bool several_hosts;
	uint32_t cpu_khz;
	size_t nr_weighted; /* parts that store weight */
	size_t nr_holed;    /* files that lost a page under the daemon: counts are too low */
	size_t nr_damaged;  /* files and slices that could not be read; each was told to skip() */
	struct strings strings;
};

struct profile_options {
	bool symbols;			   /* a row per symbol; else per image */
	bool details;			   /* keys, too: with symbols only */
	bool by_time;			   /* what rows have in each stretch of time */
	bool inlines;			   /* rows of inlined functions, too: with symbols only */
	bool lines;			   /* source places, too: with symbols only */
	const char *root, *image_path;	   /* -R, -p: see struct symbol_search */
	const char *cache_path;		   /* the same */
	enum demangle_mode demangle;	   /* include and exclude match these names too */
	struct spec_list include, exclude; /* of symbols; borrowed */
	void (*skip)(const char *path, const struct diag *diag);
};

/* 0, or -ENOMEM or what the reader of symbols fails with; nothing to deinit then. */
int profile_build(struct profile *profile, const struct selection *selection,
		  const struct profile_options *options, struct diag *diag);
void profile_deinit(struct profile *profile);

/* Of a row: nr_columns samples, or shares. */
static inline const uint64_t *profile_counts(const struct profile *profile, size_t row)
{
	return profile->counts + row * profile->nr_columns;
}

static inline const uint64_t *profile_shares(const struct profile *profile, size_t row)
{
	return profile->shares + row * profile->nr_columns;
}

#endif
