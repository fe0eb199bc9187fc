// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The main part of the program that test_shares.sh generates: runs slices of functions in random
 * order and of random length, and at the end prints the CPU time that each function took.
 *
 * A hypervisor that takes the processor away for some milliseconds is now and then charged to the
 * thread: one slice in a million then has tens of milliseconds of CPU time, but at most one sample,
 * since nothing ran. Such a slice counts as if it had run at the slowest plausible speed.
 *
 * The test appends the functions to this file, and
 *   struct work works[] = {{"name", function or NULL, share}, ...};
 * A NULL function is in the library argv[3].
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void work_function(unsigned long nr);

struct work {
	const char *name;
	work_function *function;
	unsigned int share;
	uint64_t ns;
};

#define SLOWEST	   10
#define FEW_SLICES 100 /* too few for a mean */

static uint64_t state;
static uint64_t taken_ns; /* CPU time above what is plausible, not part of any work's */

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

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Returns the CPU time in ns of a slice of nr_turns, at most SLOWEST times the mean of those before
 * it. Busy neighbours slow a processor down by a factor of 4; SLOWEST leaves room.
 */
static uint64_t plausible_ns(uint64_t took_ns, uint64_t nr_turns)
{
	static uint64_t all_ns, all_turns, nr_slices;
	double most_ns = SLOWEST * (double)all_ns / (double)(all_turns + 1) * (double)nr_turns;

	if (nr_slices++ >= FEW_SLICES && (double)took_ns > most_ns) {
		taken_ns += took_ns - (uint64_t)most_ns;
		took_ns = (uint64_t)most_ns;
	}
	all_ns += took_ns;
	all_turns += nr_turns;
	return took_ns;
}

/* Runs a slice of about 50 to 450 us: a turn takes about a nanosecond. */
static uint64_t run_slice(struct work *work)
{
	uint64_t nr_turns = 50000 + random_number() % 400000;
	uint64_t before = now_ns();
	uint64_t took;

	work->function(nr_turns);
	took = plausible_ns(now_ns() - before, nr_turns);
	work->ns += took;
	return took;
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

/* Arguments: SEED MILLISECONDS LIBRARY. */
static int run(int argc, char **argv, struct work *works, unsigned int nr)
{
	uint64_t left = argc > 3 ? strtoull(argv[2], NULL, 10) * 1000000u : 0;
	unsigned int sum = 0;

	if (!left)
		return 2;
	state = strtoull(argv[1], NULL, 10);
	for (unsigned int i = 0; i < nr; i++) {
		load(&works[i], argv[3]);
		sum += works[i].share;
	}
	while (left) {
		uint64_t took = run_slice(choose(works, nr, sum));

		left -= took < left ? took : left;
	}
	for (unsigned int i = 0; i < nr; i++)
		printf("%s %llu\n", works[i].name, (unsigned long long)works[i].ns);
	fprintf(stderr, "not counted: %.3f ms in which the processor was taken away\n",
		(double)taken_ns / 1e6);
	return 0;
}
