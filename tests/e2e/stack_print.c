// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack_print SESSION_PATH...: prints the call trees of sessions by libdb alone, without symbols.
 * For each session prints "total SAMPLES live SAMPLES slices N", then the lines that
 * tests/fixture/stack_sum.h describes.
 */
#include "tests/fixture/stack_sum.h"

#include <inttypes.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct stack_sum sum;
		struct diag diag;
		int error;

		diag_clear(&diag);
		error = stack_sum_init(&sum, argv[i], &diag);
		if (error) {
			(void)fprintf(stderr, "%s: %d: %s\n", argv[i], error, diag.text);
			return EXIT_FAILURE;
		}
		printf("total %" PRIu64 " live %" PRIu64 " slices %u\n", sum.nr_samples,
		       sum.nr_live, sum.nr_slices);
		stack_sum_print(&sum, stdout);
		stack_sum_deinit(&sum);
	}
	return EXIT_SUCCESS;
}
