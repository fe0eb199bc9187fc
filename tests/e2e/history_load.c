// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * history_load UNTIL_1 UNTIL_2: spins in hot_first until the first time (seconds since 1970), then
 * in hot_second until the second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NR_TURNS 1000000

static volatile unsigned long sink;

__attribute__((noinline)) static void hot_first(void)
{
	for (unsigned long i = 0; i < NR_TURNS; i++)
		sink += i;
}

__attribute__((noinline)) static void hot_second(void)
{
	for (unsigned long i = 0; i < NR_TURNS; i++)
		sink ^= i * 3;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		(void)fputs("usage: history_load UNTIL_1 UNTIL_2\n", stderr);
		return 1;
	}
	while (time(NULL) < atol(argv[1]))
		hot_first();
	while (time(NULL) < atol(argv[2]))
		hot_second();
	return 0;
}
