// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/chi_square.h"

#include <math.h>

#define NR_STEPS_MAX 100000
#define PRECISE	     1e-15

/* What both forms have in common: x^a e^-x / gamma(a). */
static double gamma_density(double a, double x)
{
	return exp(a * log(x) - x - lgamma(a));
}

/* P(a, x) by its series; converges quickly where x < a + 1. */
static double gamma_lower(double a, double x)
{
	double term = 1 / a;
	double sum = term;

	for (int n = 1; n < NR_STEPS_MAX && term > sum * PRECISE; n++) {
		term *= x / (a + n);
		sum += term;
	}
	return sum * gamma_density(a, x);
}

/*
 * Q(a, x) for x >= a + 1, by the continued fraction
 *	1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...)))
 * evaluated from its end inwards: the depth suffices by far there.
 */
static double gamma_upper(double a, double x)
{
	double value = 0;

	for (int n = 2000; n > 0; n--)
		value = n * (n - a) / (x + 1 + 2.0 * n - a - value);
	return gamma_density(a, x) / (x + 1 - a - value);
}

double chi_square_p(const struct chi_square *sum)
{
	double a = sum->freedom / 2.0;
	double x = sum->statistic / 2;

	if (!sum->freedom || x <= 0)
		return 1;
	return x < a + 1 ? 1 - gamma_lower(a, x) : gamma_upper(a, x);
}

/* Of one cell: what a's and b's counts are away from what their sum lets expect. */
static double cell_statistic(double a, double b, double sum_a, double sum_b)
{
	double expected_a = (a + b) * sum_a / (sum_a + sum_b);
	double expected_b = (a + b) * sum_b / (sum_a + sum_b);

	return (a - expected_a) * (a - expected_a) / expected_a +
	       (b - expected_b) * (b - expected_b) / expected_b;
}

void chi_square_add(struct chi_square *sum, const double *a, const double *b, size_t nr)
{
	double sum_a = 0, sum_b = 0, rest_a = 0, rest_b = 0, statistic = 0;
	unsigned int nr_cells = 0;
	double smaller;

	for (size_t i = 0; i < nr; i++) {
		sum_a += a[i];
		sum_b += b[i];
	}
	smaller = fmin(sum_a, sum_b) / (sum_a + sum_b);
	if (!(smaller > 0))
		return;
	for (size_t i = 0; i < nr; i++) {
		if ((a[i] + b[i]) * smaller < CHI_SQUARE_EXPECTED_MIN) {
			rest_a += a[i];
			rest_b += b[i];
			continue;
		}
		statistic += cell_statistic(a[i], b[i], sum_a, sum_b);
		nr_cells++;
	}
	if ((rest_a + rest_b) * smaller >= CHI_SQUARE_EXPECTED_MIN) {
		statistic += cell_statistic(rest_a, rest_b, sum_a, sum_b);
		nr_cells++;
	}
	if (nr_cells < 2)
		return;
	sum->statistic += statistic;
	sum->freedom += nr_cells - 1;
}
