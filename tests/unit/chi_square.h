/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pearson's test of homogeneity: did two rows of counts come from the same
 * shares? Cells that few counts are expected in are taken together, as the
 * approximation by the chi-square distribution asks for.
 */
#ifndef TESTS_GUEST_CHI_SQUARE_H
#define TESTS_GUEST_CHI_SQUARE_H

#include <stddef.h>

#define CHI_SQUARE_EXPECTED_MIN 5.0

struct chi_square {
	double statistic;
	unsigned int freedom; /* degrees of; 0: there was nothing to compare */
};

/*
 * The two rows a and b of nr cells, added to *sum: of independent comparisons
 * statistics and degrees of freedom add up.
 */
void chi_square_add(struct chi_square *sum, const double *a, const double *b, size_t nr);

/*
 * Probability that chance alone gives such a statistic or a larger one: the
 * regularized incomplete gamma function Q(freedom / 2, statistic / 2)
 * (Abramowitz and Stegun, 26.4.19). 1 without a degree of freedom.
 */
double chi_square_p(const struct chi_square *sum);

#endif
