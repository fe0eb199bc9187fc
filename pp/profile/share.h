/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares of a profile and their sampling errors: the error of a share, and whether two shares
 * differ significantly.
 *
 * The share of a part among n samples of equal weight is as exact as n independent observations. If
 * samples have weights, a share is a share of the total weight. Heavier samples in the part make
 * the share less exact (Kish, Survey Sampling, 1965, 8.2: the effective sample size). Time off CPU
 * is measured, not sampled: its shares have no error.
 */
#ifndef PP_SHARE_H
#define PP_SHARE_H

#include "pp/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * nr_samples and nr_all are the numbers of samples in the part and in the whole. `part` and `all`
 * are the values from which the share is computed: numbers of samples, or weights.
 */
struct share {
	uint64_t nr_samples, part;
	uint64_t nr_all, all;
	bool exact; /* not sampled */
};

/* Returns the share, 0 to 1; 0 if the whole is empty. */
double share_value(const struct share *share);

/*
 * Returns half the width of the 95 % confidence interval (Wilson's), 0 to 1; 0 if the share is
 * exact, 1 if nothing was sampled.
 */
double share_error(const struct share *share);

/*
 * Returns whether the shares differ by no more than the sampling error (test of two proportions
 * with pooled variance, 95 %). Exact shares must be equal.
 */
bool share_same(const struct share *before, const struct share *after);

/*
 * Returns the share of a row in a class on a side. counts and shares are the row's profile_counts()
 * and profile_shares(), or the sums of several rows.
 */
struct share profile_share(const struct profile *profile, size_t class, size_t side,
			   const uint64_t *counts, const uint64_t *shares);

#endif
