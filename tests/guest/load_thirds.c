// SPDX-License-Identifier: GPL-2.0-or-later
/* load_thirds NUMBER: makes NUMBER turns, a third of each in one_third, the rest in two_thirds. */
#include <stdlib.h>

#define TURN 100000L

static volatile long sum;

__attribute__((noinline)) static void one_third(long nr)
{
	for (long i = 0; i < nr; i++)
		sum += i;
}

__attribute__((noinline)) static void two_thirds(long nr)
{
	for (long i = 0; i < 2 * nr; i++)
		sum -= i;
}

int main(int argc, char **argv)
{
	for (long i = argc > 1 ? atol(argv[1]) : 0; i; i--) {
		one_third(TURN);
		two_thirds(TURN);
	}
	return 0;
}
