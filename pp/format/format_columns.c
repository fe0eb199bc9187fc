// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/format_columns.h"

#include "lib/saturate.h"
#include "pp/format/format_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct share share_of(const struct profile *profile, size_t class, size_t side,
			     const uint64_t *counts, const uint64_t *shares,
			     const uint64_t *of_counts, const uint64_t *of_shares)
{
	struct share share = profile_share(profile, class, side, counts, shares);
	size_t column = side * profile->nr_classes + class;

	share.nr_all = of_counts[column];
	share.all = of_shares[column];
	return share;
}

bool column_has_sides(const struct profile *profile)
{
	return profile->nr_columns > profile->nr_classes;
}

/* Formats the change of a share, in percent of its earlier value, as in OProfile. */
static void format_difference(const struct share *before, const struct share *after,
			      char text[TEXT_PERCENT_BYTES])
{
	const char *mark = share_same(before, after) ? "~" : "";
	double was = share_value(before);
	double percent;

	if (!before->part || !after->part) {
		(void)snprintf(text, TEXT_PERCENT_BYTES, "%s%s",
			       after->part    ? "+++"
			       : before->part ? "---"
					      : "0",
			       before->part || after->part ? mark : "");
		return;
	}
	percent = 100.0 * (share_value(after) - was) / was;
	if (percent == 0.0)
		(void)snprintf(text, TEXT_PERCENT_BYTES, "0");
	else if (fabs(percent) < 0.001)
		(void)snprintf(text, TEXT_PERCENT_BYTES, "%+.1e%s", percent, mark);
	else
		(void)snprintf(text, TEXT_PERCENT_BYTES, "%+.*f%s",
			       fabs(percent) < 99.99995 ? 4
			       : fabs(percent) < 1e6	? 1
							: 0,
			       percent, mark);
}

/* The shares of a cell on both sides. `shown` points to the share that is shown. */
struct cell_shares {
	struct share sides[SPEC_SIDES_MAX];
	const struct share *shown;
};

static void get_shares(struct cell_shares *cell, const struct profile *profile, size_t class,
		       const uint64_t *counts, const uint64_t *shares, const uint64_t *of_counts,
		       const uint64_t *of_shares)
{
	cell->sides[0] = share_of(profile, class, 0, counts, shares, of_counts, of_shares);
	cell->shown = &cell->sides[0];
	if (!column_has_sides(profile))
		return;
	cell->sides[1] = share_of(profile, class, 1, counts, shares, of_counts, of_shares);
	if (cell->sides[1].part || !cell->sides[0].part)
		cell->shown = &cell->sides[1];
}

void column_cell_make(struct column_cell *cell, const struct profile *profile, size_t class,
		      const uint64_t *counts, const uint64_t *shares, const uint64_t *of_counts,
		      const uint64_t *of_shares)
{
	struct cell_shares of;

	get_shares(&of, profile, class, counts, shares, of_counts, of_shares);
	cell->number = of.shown->exact ? of.shown->part : of.shown->nr_samples;
	cell->percent = percent_of(of.shown->part, of.shown->all);
	cell->difference[0] = '\0';
	if (column_has_sides(profile))
		format_difference(&of.sides[0], &of.sides[1], cell->difference);
}

void column_change_make(struct column_change *change, const struct profile *profile, size_t class,
			const uint64_t *counts, const uint64_t *shares, const uint64_t *of_counts,
			const uint64_t *of_shares)
{
	struct cell_shares of;

	get_shares(&of, profile, class, counts, shares, of_counts, of_shares);
	*change = (struct column_change){
		.before = 100.0 * share_value(&of.sides[0]),
		.now = 100.0 * share_value(&of.sides[1]),
		.was = of.sides[0].part != 0,
		.is = of.sides[1].part != 0,
		.same = share_same(&of.sides[0], &of.sides[1]),
	};
}

double column_error(const struct profile *profile, size_t class, const uint64_t *counts,
		    const uint64_t *shares, const uint64_t *of_counts, const uint64_t *of_shares)
{
	struct cell_shares of;

	get_shares(&of, profile, class, counts, shares, of_counts, of_shares);
	return 100.0 * share_error(of.shown);
}

const char *column_number_head(const struct profile *profile, size_t class)
{
	return profile->selection->classes.classes[class].measure == MEASURE_TIME ? "ns"
										  : "samples";
}

int column_number_width(const struct profile *profile, size_t class)
{
	int width = COLUMN_NUMBER_WIDTH;

	if (profile->selection->classes.classes[class].measure != MEASURE_TIME)
		return width;
	for (size_t i = class; i < profile->nr_columns; i += profile->nr_classes) {
		int nr_digits = snprintf(NULL, 0, "%" PRIu64, profile->share_totals[i]);

		if (nr_digits > width)
			width = nr_digits;
	}
	return width;
}

static double change_of(const struct profile *profile, size_t class, const uint64_t *shares,
			const uint64_t *of_shares)
{
	size_t second = profile->nr_classes + class;

	return fabs(percent_of(shares[second], of_shares[second]) -
		    percent_of(shares[class], of_shares[class]));
}

int column_compare_changes(const struct profile *profile, const uint64_t *shares_a,
			   const uint64_t *shares_b, const uint64_t *of_shares)
{
	for (size_t i = 0; i < profile->nr_classes && column_has_sides(profile); i++) {
		double a = change_of(profile, i, shares_a, of_shares);
		double b = change_of(profile, i, shares_b, of_shares);

		if (a != b)
			return a > b ? -1 : 1;
	}
	return 0;
}

bool column_passes(const struct profile *profile, const uint64_t *shares, double threshold)
{
	for (size_t i = 0; i < profile->nr_columns; i += profile->nr_classes)
		if (percent_of(shares[i], profile->share_totals[i]) >= threshold)
			return true;
	return false;
}

bool column_is_shown(const struct profile *profile, const uint64_t *shares,
		     const struct text_options *options)
{
	if (!options->any_class)
		return column_passes(profile, shares, options->threshold);
	for (size_t i = 0; i < profile->nr_columns; i++)
		if (percent_of(shares[i], profile->share_totals[i]) >= options->threshold)
			return true;
	return false;
}

int column_sums_init(struct column_sums *sums, const struct profile *profile)
{
	sums->counts = calloc(profile->nr_columns, sizeof(*sums->counts));
	sums->shares = calloc(profile->nr_columns, sizeof(*sums->shares));
	return sums->counts && sums->shares ? 0 : -ENOMEM;
}

void column_sums_deinit(struct column_sums *sums)
{
	free(sums->counts);
	free(sums->shares);
	*sums = (struct column_sums){0};
}

void column_sums_clear(struct column_sums *sums, const struct profile *profile)
{
	memset(sums->counts, 0, profile->nr_columns * sizeof(*sums->counts));
	memset(sums->shares, 0, profile->nr_columns * sizeof(*sums->shares));
}

void column_sums_add(struct column_sums *sums, const struct profile *profile,
		     const uint64_t *counts, const uint64_t *shares)
{
	saturate_add_each(sums->counts, counts, profile->nr_columns);
	saturate_add_each(sums->shares, shares, profile->nr_columns);
}
