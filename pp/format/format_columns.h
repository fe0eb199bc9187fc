/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line shows of a class: a number, a percentage, and where asked the
 * error or the difference between two sides. Internal to format_*.c.
 *
 * Of a differential profile, number and percentage are those of the second
 * side, or of the first where the line has nothing on the second.
 */
#ifndef PP_FORMAT_COLUMNS_H
#define PP_FORMAT_COLUMNS_H

#include "pp/format/format_text.h"
#include "pp/profile/share.h"

#define COLUMN_NUMBER_WIDTH 9

struct column_cell {
	uint64_t number;
	double percent;
	char difference[TEXT_PERCENT_BYTES]; /* "+++", "---", or relative, with "~" if by chance */
};

/*
 * The cell of a class. counts, shares: of the line, nr_columns each; of_counts,
 * of_shares: of what it is a share of.
 */
void column_cell_make(struct column_cell *cell, const struct profile *profile, size_t class,
		      const uint64_t *counts, const uint64_t *shares, const uint64_t *of_counts,
		      const uint64_t *of_shares);

/* Half the width of the interval that holds the cell's percentage, in percent. */
double column_error(const struct profile *profile, size_t class, const uint64_t *counts,
		    const uint64_t *shares, const uint64_t *of_counts, const uint64_t *of_shares);

/* "samples" or "ns". */
const char *column_number_head(const struct profile *profile, size_t class);
/* COLUMN_NUMBER_WIDTH, or what the largest number of a time needs. */
int column_number_width(const struct profile *profile, size_t class);

/*
 * Order of lines by the size of their change, the largest first; the first
 * class that differs decides. 0 without two sides.
 */
int column_compare_changes(const struct profile *profile, const uint64_t *shares_a,
			   const uint64_t *shares_b, const uint64_t *of_shares);

/* Whether a line has the share of the first class that a threshold asks for, on any side. */
bool column_passes(const struct profile *profile, const uint64_t *shares, double threshold);

#endif
