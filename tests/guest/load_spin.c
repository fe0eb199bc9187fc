// SPDX-License-Identifier: GPL-2.0-or-later
/* load_spin MILLISECONDS [CPU]: spins, on that CPU. Exit status 1: it could not move there. */
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

__attribute__((noinline)) static void load_spin(void)
{
	for (int i = 0; i < 1000000; i++)
		__asm__ volatile("");
}

int main(int argc, char **argv)
{
	uint64_t end_ms = argc > 1 ? now_ms() + strtoull(argv[1], NULL, 10) : 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (argc > 2) {
		CPU_SET(atoi(argv[2]), &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			return 1;
	}
	do
		load_spin();
	while (now_ms() < end_ms);
	return 0;
}
