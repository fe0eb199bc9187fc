// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The main part of the programs that make_shares generates: runs functions that count down, slice
 * after slice in random order, and prints each function's share of the work.
 *
 *	load_shares SEED MILLISECONDS LIBRARY
 *
 * The generated part appends the functions, and
 *	struct work works[] = {{.name = "name", .function = ..., .share = n}, ...};
 * A NULL function is in LIBRARY, loaded at run time.
 *
 * A function's work is the cost of a turn (slice_costs.h) times its turns. Slices are shorter than
 * the time between samples, so that samples fall into different slices.
 */
#include "tests/guest/slice_costs.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void work_function(unsigned long nr_turns);

struct work {
	const char *name;
	work_function *function;
	unsigned int share;
	uint64_t nr_turns;
	struct slice_costs costs;
};

static uint64_t state;

static uint64_t random_number(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void run_slice(struct work *work)
{
	uint64_t nr_turns = 20000 + random_number() % 60000;
	uint64_t before_ns = now_ns();

	work->function(nr_turns);
	slice_costs_add(&work->costs, now_ns() - before_ns, nr_turns, random_number());
	work->nr_turns += nr_turns;
}

static struct work *choose(struct work *works, unsigned int nr, unsigned int sum)
{
	unsigned int at = (unsigned int)(random_number() % sum);
	unsigned int i = 0;

	while (i + 1 < nr && at >= works[i].share)
		at -= works[i++].share;
	return &works[i];
}

static void load(struct work *work, const char *path)
{
	void *library = work->function ? NULL : dlopen(path, RTLD_NOW);

	if (library)
		*(void **)&work->function = dlsym(library, work->name);
	if (!work->function) {
		fprintf(stderr, "%s: %s\n", work->name, dlerror());
		exit(1);
	}
}

/* Prints "NAME WORK_NS" of each function. */
static int run(int argc, char **argv, struct work *works, unsigned int nr)
{
	uint64_t end_ns = argc > 3 ? now_ns() + strtoull(argv[2], NULL, 10) * 1000000u : 0;
	unsigned int sum = 0;

	if (!end_ns)
		return 2;
	state = strtoull(argv[1], NULL, 10);
	for (unsigned int i = 0; i < nr; i++) {
		load(&works[i], argv[3]);
		sum += works[i].share;
	}
	while (now_ns() < end_ns)
		for (unsigned int i = 0; i < 100; i++)
			run_slice(choose(works, nr, sum));
	for (unsigned int i = 0; i < nr; i++)
		printf("%s %.0f\n", works[i].name,
		       slice_costs_mean(&works[i].costs) * (double)works[i].nr_turns);
	return 0;
}
