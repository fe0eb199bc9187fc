// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs tests/fixture/walk_self.c on machines without Check, and prints its counts by name. */
#include "tests/fixture/walk_self.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct walk_self counts;

	walk_self_run(argc > 1 ? strtoul(argv[1], NULL, 10) : 100, &counts);
	printf("walks=%zu whole=%zu callers=%zu deepest=%zu different=%zu short=%zu lost=%zu\n",
	       counts.nr_signals, counts.nr_whole, counts.nr_callers, counts.nr_deepest,
	       counts.nr_different, counts.nr_short, counts.nr_lost);
	return 0;
}
