// SPDX-License-Identifier: GPL-2.0-or-later
/* load_a_while MS: uses MS milliseconds of CPU time in a function of that name. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sum;

static __attribute__((noinline)) void load_a_while(int64_t until_ns)
{
	struct timespec now;

	do {
		for (int i = 0; i < 100000; i++)
			sum += (uint64_t)i;
		(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec < until_ns);
}

int main(int argc, char **argv)
{
	load_a_while(argc > 1 ? strtoll(argv[1], NULL, 10) * 1000000 : 0);
	return 0;
}
