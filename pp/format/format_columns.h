/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the values that a line shows for a class: a number, a percentage and, on request, the
 * sampling error or the difference between two sides. Internal to format_*.c.
 *
 * In a differential profile, the number and the percentage belong to the second side or, if the
 * line has samples only on the first side, to the first side.
 */
#ifndef PP_FORMAT_COLUMNS_H
#define PP_FORMAT_COLUMNS_H

#include "pp/format/format_text.h"
#include "pp/profile/share.h"

#define COLUMN_NUMBER_WIDTH 9

struct column_cell {
	uint64_t number;
	double percent;
	/*
	 * "+++" if there are no samples before, "---" if there are none after, otherwise the
	 * relative change. "~" is appended if the change is within the sampling error.
	 */
	char difference[TEXT_PERCENT_BYTES];
};

/*
 * Makes the cell of a class. counts and shares are the numbers of the line. of_counts and of_shares
 * are the totals to which percentages refer. Each array has nr_columns elements.
 */
void column_cell_make(struct column_cell *cell, const struct profile *profile, size_t class,
		      const uint64_t *counts, const uint64_t *shares, const uint64_t *of_counts,
		      const uint64_t *of_shares);

/* A line's shares on the two sides of a comparison, in percent. */
struct column_change {
	double before, now;
	bool was, is; /* was: the line has samples on the first side; is: on the second side */
	bool same;    /* the difference is within sampling error */
};

/*
 * Computes the change of a line in a class. The arguments are those of column_cell_make(). The
 * profile must have two sides.
 */
void column_change_make(struct column_change *change, const struct profile *profile, size_t class,
			const uint64_t *counts, const uint64_t *shares, const uint64_t *of_counts,
			const uint64_t *of_shares);

/* Returns whether the profile compares two sides. */
bool column_has_sides(const struct profile *profile);

/* Returns the sampling error: half the 95 % interval of the percentage, in percentage points. */
double column_error(const struct profile *profile, size_t class, const uint64_t *counts,
		    const uint64_t *shares, const uint64_t *of_counts, const uint64_t *of_shares);

/* Returns "samples" or "ns". */
const char *column_number_head(const struct profile *profile, size_t class);
/* Returns COLUMN_NUMBER_WIDTH, or more if the largest time needs more digits. */
int column_number_width(const struct profile *profile, size_t class);

/*
 * Compares two lines for sorting by the size of their change, largest first. The first class in
 * which the changes differ decides. Returns 0 if there is only one side.
 */
int column_compare_changes(const struct profile *profile, const uint64_t *shares_a,
			   const uint64_t *shares_b, const uint64_t *of_shares);

/* Returns whether a line's share in the first class reaches the threshold on any side. */
bool column_passes(const struct profile *profile, const uint64_t *shares, double threshold);
/*
 * Returns whether a line is shown: whether its share reaches options->threshold in the first class
 * or, if options->any_class is set, in any class.
 */
bool column_is_shown(const struct profile *profile, const uint64_t *shares,
		     const struct text_options *options);

/* Sums over lines; nr_columns counts and nr_columns shares. */
struct column_sums {
	uint64_t *counts, *shares;
};

/* Allocates the sums, all 0. Returns 0 or -ENOMEM. Call column_sums_deinit() in either case. */
int column_sums_init(struct column_sums *sums, const struct profile *profile);
void column_sums_deinit(struct column_sums *sums);
void column_sums_clear(struct column_sums *sums, const struct profile *profile);
void column_sums_add(struct column_sums *sums, const struct profile *profile,
		     const uint64_t *counts, const uint64_t *shares);

#endif
