/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cells of a line for a class: a number, a percentage, and on request the
 * sampling error or the difference between two sides. Internal to format_*.c.
 *
 * In a differential profile, number and percentage are those of the second side,
 * or of the first side if the line has samples on the first side only.
 */
#ifndef PP_FORMAT_COLUMNS_H
#define PP_FORMAT_COLUMNS_H

#include "pp/format/format_text.h"
#include "pp/profile/share.h"

#define COLUMN_NUMBER_WIDTH 9

struct column_cell {
	uint64_t number;
	double percent;
	/* "+++", "---", or the relative change; "~" if within sampling error */
	char difference[TEXT_PERCENT_BYTES];
};

/*
 * Makes the cell of a class. counts and shares are the line's, nr_columns each;
 * percentages are shares of of_counts and of_shares, nr_columns each.
 */
void column_cell_make(struct column_cell *cell, const struct profile *profile, size_t class,
		      const uint64_t *counts, const uint64_t *shares, const uint64_t *of_counts,
		      const uint64_t *of_shares);

/*
 * Returns the sampling error of the cell's percentage: half the width of its 95 %
 * interval, in percentage points.
 */
double column_error(const struct profile *profile, size_t class, const uint64_t *counts,
		    const uint64_t *shares, const uint64_t *of_counts, const uint64_t *of_shares);

/* The head of the number column: "samples" or "ns". */
const char *column_number_head(const struct profile *profile, size_t class);
/* COLUMN_NUMBER_WIDTH, or more if the largest time needs more digits. */
int column_number_width(const struct profile *profile, size_t class);

/*
 * Compares two lines by the size of their change; the larger change comes first,
 * and the first class that differs decides. Returns 0 if there is only one side.
 */
int column_compare_changes(const struct profile *profile, const uint64_t *shares_a,
			   const uint64_t *shares_b, const uint64_t *of_shares);

/* True if a line's share in the first class reaches the threshold on any side. */
bool column_passes(const struct profile *profile, const uint64_t *shares, double threshold);

#endif
