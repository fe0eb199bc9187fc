// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/share.h"

#include <math.h>

#define Z_95 1.959964 /* two-sided 95 % quantile of the normal distribution */

double share_value(const struct share *share)
{
	return share->all ? (double)share->part / (double)share->all : 0.0;
}

/*
 * Returns the effective number of samples: if the share were computed from this number of samples
 * of equal weight, it would have the same variance. If the mean weight of the part's samples is r
 * times the mean weight of all samples, this number is nr_all / r.
 */
static double effective_samples(const struct share *share)
{
	double mean_of_all;
	double mean_of_part;

	if (!share->nr_samples || !share->nr_all || !share->part || !share->all)
		return (double)share->nr_all;
	mean_of_all = (double)share->all / (double)share->nr_all;
	mean_of_part = (double)share->part / (double)share->nr_samples;
	return (double)share->nr_all * mean_of_all / mean_of_part;
}

double share_error(const struct share *share)
{
	double value = share_value(share);
	double nr = effective_samples(share);
	double squared = Z_95 * Z_95;

	if (share->exact)
		return 0.0;
	if (nr <= 0.0)
		return 1.0;
	return Z_95 / (1.0 + squared / nr) *
	       sqrt(value * (1.0 - value) / nr + squared / (4.0 * nr * nr));
}

bool share_same(const struct share *before, const struct share *after)
{
	double difference = share_value(after) - share_value(before);
	double nr_before = effective_samples(before);
	double nr_after = effective_samples(after);
	double pooled;

	if (before->exact || after->exact)
		return difference == 0.0;
	if (nr_before <= 0.0 || nr_after <= 0.0)
		return true;
	pooled = (share_value(before) * nr_before + share_value(after) * nr_after) /
		 (nr_before + nr_after);
	return fabs(difference) <=
	       Z_95 * sqrt(pooled * (1.0 - pooled) * (1.0 / nr_before + 1.0 / nr_after));
}

struct share profile_share(const struct profile *profile, size_t class, size_t side,
			   const uint64_t *counts, const uint64_t *shares)
{
	size_t column = side * profile->nr_classes + class;

	return (struct share){
		.nr_samples = counts[column],
		.part = shares[column],
		.nr_all = profile->totals[column],
		.all = profile->share_totals[column],
		.exact = profile->selection->classes.classes[class].measure == MEASURE_TIME,
	};
}
