// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static char **prefixes;
static int nr_prefixes;

void bench_init(int argc, char **argv)
{
	prefixes = argv + 1;
	nr_prefixes = argc - 1;
}

bool bench_wanted(const char *name)
{
	for (int i = 0; i < nr_prefixes; i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return !nr_prefixes;
}

void bench_print(const char *name, double value, const char *unit)
{
	printf("%s %.4g %s\n", name, value, unit);
	(void)fflush(stdout);
}

uint64_t bench_thread_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) < 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t usage_ns(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage) < 0)
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

uint64_t bench_process_ns(void)
{
	return usage_ns(RUSAGE_SELF) + usage_ns(RUSAGE_CHILDREN);
}

uint64_t bench_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void bench_fail(const char *what, int error)
{
	(void)fprintf(stderr, "bench: %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(EXIT_FAILURE);
}
