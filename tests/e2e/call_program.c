// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_program MILLISECONDS of CPU time: a program with known calls. main calls light and heavy,
 * which call leaf one and nine times, and again(), which calls itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 20000

static volatile unsigned long sink;
static unsigned long rounds;

/* Turns differ in length: otherwise samples at the same rate would always hit the same place. */
static void vary(void)
{
	static unsigned long long state;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	rounds = ROUNDS / 2 + (unsigned long)(state >> 33) % ROUNDS;
}

__attribute__((noinline)) static void leaf(void)
{
	for (unsigned long i = 0; i < rounds; i++)
		sink += i;
}

/* The statement after the call prevents a tail call. */
__attribute__((noinline)) static void light(void)
{
	leaf();
	sink++;
}

__attribute__((noinline)) static void heavy(void)
{
	for (int i = 0; i < 9; i++)
		leaf();
	sink++;
}

__attribute__((noinline)) static void again(int depth)
{
	if (depth)
		again(depth - 1);
	else
		leaf();
	sink++;
}

static double now_ms(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	double end = now_ms() + (argc > 1 ? strtod(argv[1], NULL) : 1000);

	while (now_ms() < end) {
		vary();
		light();
		heavy();
		again(5);
	}
	return 0;
}
