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
 * The measured time of a slice is unreliable in an emulated guest, which may stand still during the
 * slice. The cost of a function's turn is therefore the mean over its slices without the slowest
 * tenth; its work is that cost times its turns. The speed of the guest may change during the run,
 *so the slices of all functions are from the whole run, and there is no median, which would jump
 *from one speed to the other. Slices are shorter than the time between samples, so that samples
 *fall into different slices.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void work_function(unsigned long nr_turns);

#define NR_COSTS 8192

struct work {
	const char *name;
	work_function *function;
	unsigned int share;
	uint64_t nr_turns, nr_slices;
	double costs[NR_COSTS]; /* of a turn, in ns, for slices of the whole run, drawn at random */
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
	uint64_t before_ns = now_ns(), nr_ns, place;

	work->function(nr_turns);
	nr_ns = now_ns() - before_ns;
	place = work->nr_slices++;
	if (place >= NR_COSTS)
		place = random_number() % work->nr_slices;
	if (place < NR_COSTS)
		work->costs[place] = (double)nr_ns / (double)nr_turns;
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

static int compare(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

static double work_ns(struct work *work)
{
	size_t nr = work->nr_slices < NR_COSTS ? (size_t)work->nr_slices : NR_COSTS;
	size_t nr_used = nr - nr / 10;
	double sum = 0;

	if (!nr)
		return 0;
	qsort(work->costs, nr, sizeof(work->costs[0]), compare);
	for (size_t i = 0; i < nr_used; i++)
		sum += work->costs[i];
	return sum / (double)nr_used * (double)work->nr_turns;
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
		printf("%s %.0f\n", works[i].name, work_ns(&works[i]));
	return 0;
}
