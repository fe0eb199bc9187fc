// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Computes for so many ms of CPU time: in a template that is inlined twice,
 * in a function of a header that is inlined, in one that is not.
 *
 * usage: annotate_program MS
 */
#include "annotate_program.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

static volatile unsigned long sink;

namespace hot
{
template <typename T> [[gnu::always_inline]] inline T mix(T value)
{
	for (int i = 0; i < 200; i++)
		value = value * 31 + (value >> 7); // line of mix
	return value;
}

[[gnu::noinline]] unsigned long first(unsigned long value)
{
	return mix(value) + annotate_twist(value);
}

[[gnu::noinline]] unsigned long second(unsigned int value)
{
	return mix(value);
}
}

static long cpu_ms()
{
	timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? std::atol(argv[1]) : 100;

	while (cpu_ms() < ms)
		for (unsigned int i = 0; i < 1000; i++)
			sink = sink + hot::first(i) + hot::second(i);
	return 0;
}
