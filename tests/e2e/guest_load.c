// SPDX-License-Identifier: GPL-2.0-or-later
/* Spins in guest_hot() for argv[1] milliseconds of CPU time. */
#include <stdlib.h>
#include <time.h>

void guest_hot(void);

__attribute__((noinline)) void guest_hot(void)
{
	for (int i = 0; i < 100000; i++)
		__asm__ volatile("");
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) / 1000 : 1;
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		guest_hot();
	return 0;
}
