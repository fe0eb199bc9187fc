// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares the shares found by two sources: reads lines "GROUP NAME A B" (the counts of sources A
 * and B for one name), with the lines of a group together, and prints
 *
 *	groups N	chi_square X	freedom N	p P
 *
 * one value per line: the comparison of all groups together.
 */
#include "tests/fixture/chi_square.h"

#include <stdio.h>
#include <string.h>

#define NR_CELLS_MAX 4096

int main(void)
{
	static double a[NR_CELLS_MAX], b[NR_CELLS_MAX];
	struct chi_square sum = {0};
	char group[256] = "", next[256];
	unsigned int nr_groups = 0;
	size_t nr = 0;
	double in_a, in_b;

	while (scanf("%255s %*s %lf %lf", next, &in_a, &in_b) == 3) {
		if (strcmp(group, next) || nr == NR_CELLS_MAX) {
			chi_square_add(&sum, a, b, nr);
			nr = 0;
			nr_groups++;
			memcpy(group, next, sizeof(group));
		}
		a[nr] = in_a;
		b[nr++] = in_b;
	}
	chi_square_add(&sum, a, b, nr);
	printf("groups %u\nchi_square %.3f\nfreedom %u\np %.6f\n", nr_groups, sum.statistic,
	       sum.freedom, chi_square_p(&sum));
	return !feof(stdin);
}
