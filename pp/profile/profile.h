/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a report: samples in each class for each (application, image) or (application, image,
 * symbol). Each sample that is not idle or filtered is counted in exactly one row, even if it has
 * no symbol. So the sums of the rows agree exactly with the totals, the sample files and the
 * slices.
 *
 * Uses selections and symbols. Rows are sorted and written by format_text.h and the other formats.
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
	uint32_t app, image; /* indexes in the selection */
	/*
	 * The symbol's name as in its file, stored in the pool; NULL: samples outside all symbols.
	 */
	const char *name;
	uint64_t address; /* address of the symbol in its file; 0: no symbol */
	uint64_t start;	  /* key of the symbol's first byte; 0: no symbol */
	/* Index in the image's symbol table; for inlined functions PROFILE_INLINED or more. */
	uint32_t symbol;
	uint32_t nr_bytes; /* size of the symbol; UINT32_MAX: this size or a larger one */
};

/*
 * If profile_row.symbol has this value or more, the row is an inlined function (options->inlines).
 * All places where the function was inlined in an image have the same value. Rows of inlined
 * functions have neither address nor size.
 */
#define PROFILE_INLINED UINT32_C(0x80000000)

static inline bool profile_row_is_inlined(const struct profile_row *row)
{
	return row->symbol >= PROFILE_INLINED;
}

/* A key with samples. */
struct profile_detail {
	uint64_t key;
	/* Address of the key in its file; outside all symbols, the key itself. */
	uint64_t address;
	uint32_t image; /* image of the key; if rows were merged, the row may have another image */
};

struct profile_image {
	bool has_symbols;
	enum symbols_lack lack;
	char *note;	 /* states what is missing and what to install; NULL: nothing is missing */
	char *line_note; /* like note, but for source lines */
};

/* One side of a differential profile, or the only side. */
struct profile_side {
	uint64_t nr_samples;	  /* in rows */
	uint64_t nr_filtered;	  /* samples removed by include and exclude */
	uint64_t nr_idle;	  /* samples of idle CPUs, not in totals */
	int64_t start_ns, end_ns; /* ns since 1970; 0: unknown */
	int64_t nr_ns;		  /* total duration of the time ranges that were read */
};

/*
 * A column is a class on a side; the columns of the first side come first. Percentages are
 * computed from shares: numbers of samples, or weights (enum class_measure).
 */
struct profile {
	const struct selection *selection;
	bool with_symbols;
	struct profile_row *rows; /* rows of an image are adjacent */
	uint64_t *counts;	  /* nr_rows x nr_columns samples */
	/* nr_rows x nr_columns; same array as counts if all classes measure samples */
	uint64_t *shares;
	size_t nr_rows, room;
	size_t nr_classes, nr_columns;
	uint64_t *totals; /* samples of each column */
	/* sum of the shares of each column; same array as totals if all classes measure samples */
	uint64_t *share_totals;
	struct profile_image *images; /* one for each image of the selection */

	/*
	 * The keys with samples; NULL without options->details. The keys of row i are
	 * details[first_detail[i]] to details[first_detail[i + 1] - 1], sorted by address. Each key
	 * has nr_columns counts and shares.
	 */
	struct profile_detail *details;
	size_t *first_detail;
	uint64_t *detail_counts, *detail_shares;
	size_t nr_details;

	/*
	 * Source positions of rows (the first line of each function) and of details. NULL
	 * without options->lines.
	 */
	struct line_place *row_lines, *detail_lines; /* line 0: unknown */
	/*
	 * For each detail, the innermost function inlined there; NULL: none. The array is NULL
	 * unless options->inlines and options->lines are set.
	 */
	const char **detail_inlines;
	const char **files; /* full paths as the compiler recorded them, in the pool */
	size_t nr_files;

	struct profile_time *time; /* NULL without options->by_time */

	struct profile_side sides[SPEC_SIDES_MAX];
	uint64_t nr_samples, nr_filtered, nr_idle; /* of all sides */
	int64_t start_ns, end_ns;

	const char *host, *cpu_type; /* from the first file that states them; NULL: unknown */
	bool several_hosts;
	uint32_t cpu_khz;
	size_t nr_weighted; /* parts with stored weights */
	size_t nr_holed;    /* files that lost a page while the daemon ran: counts are too low */
	size_t nr_damaged;  /* unreadable files and slices, each reported to skip() */
	struct strings strings;
};

struct profile_options {
	bool symbols;		       /* make a row per symbol; otherwise per image */
	bool details;		       /* make the keys of each row; requires symbols */
	bool by_time;		       /* divide the samples of each row by time */
	bool inlines;		       /* make rows of inlined functions; requires symbols */
	bool lines;		       /* find source positions; requires symbols */
	const char *root, *image_path; /* -R, -p: see struct symbol_search */
	const char *cache_path;	       /* see struct symbol_search */
	/*
	 * How names are shown. Patterns of include and exclude match both these names and names in
	 * files.
	 */
	enum demangle_mode demangle;
	struct spec_list include, exclude; /* for symbols; borrowed */
	void (*skip)(const char *path, const struct diag *diag);
};

/* Returns 0, -ENOMEM or an error of reading symbols; on failure there is nothing to deinit. */
int profile_build(struct profile *profile, const struct selection *selection,
		  const struct profile_options *options, struct diag *diag);
void profile_deinit(struct profile *profile);

/* Return a row's numbers of samples and its shares; each array has nr_columns elements. */
static inline const uint64_t *profile_counts(const struct profile *profile, size_t row)
{
	return profile->counts + row * profile->nr_columns;
}

static inline const uint64_t *profile_shares(const struct profile *profile, size_t row)
{
	return profile->shares + row * profile->nr_columns;
}

#endif
