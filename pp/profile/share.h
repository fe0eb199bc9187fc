/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares of a profile and how far sampling lets one trust them: the error of
 * a share, and whether two shares differ by more than chance.
 *
 * A share of n samples is as good as n observations that are independent. Of
 * weighted samples it is of weight; samples that weigh more than others say
 * so much less (Kish, Survey Sampling, 1965, 8.2: the effective sample size).
 * Time off CPU is measured, not sampled: its shares have no error.
 */
#ifndef PP_SHARE_H
#define PP_SHARE_H

#include "pp/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* A part of a whole: samples, and what the share is of (the same, or weight). */
struct share {
	uint64_t nr_samples, part;
	uint64_t nr_all, all;
	bool exact; /* not sampled */
};

/* 0 to 1; 0 of nothing. */
double share_value(const struct share *share);

/*
 * Half the width of the interval that holds the true share with 95 %
 * (Wilson's), 0 to 1. 1 where nothing was sampled.
 */
double share_error(const struct share *share);

/*
 * Whether the difference is within what sampling alone makes of equal shares
 * in 95 of 100 cases (two proportions, pooled).
 */
bool share_same(const struct share *before, const struct share *after);

/* The share of a row on a side, in a class. counts and shares: profile_counts, or sums of them. */
struct share profile_share(const struct profile *profile, size_t class, size_t side,
			   const uint64_t *counts, const uint64_t *shares);

#endif
