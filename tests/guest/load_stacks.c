// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with known call paths and shares: runs the paths slice after slice, in random order and
 * with random shares, and prints "PATH WORK_NS" of each.
 *
 *	load_stacks SEED MILLISECONDS
 *
 * A path's work is the cost of a turn (slice_costs.h) times its turns. Another thread also runs now
 * and then.
 */
#include "tests/guest/slice_costs.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEPT	 __attribute__((noinline, noclone))
#define DEPTH	 4
#define NR_BYTES 4096

/*
 * Placed after the last call of a function to prevent a tail call, so that the function keeps its
 * frame.
 */
#define NOT_LAST() __asm__ volatile("" ::: "memory")
/* In a build with frame pointers (FRAMES), forces the function to have a frame. */
#ifdef FRAMES
#define FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))
#else
#define FRAME()
#endif

#if defined(__x86_64__)
/* Like leaf functions of C libraries; arm64's compiler omits their frame by default. */
#define FRAMELESS KEPT __attribute__((optimize("omit-frame-pointer")))
#define NR_READ	  0

static inline long system_call(long nr, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}
#else
#define FRAMELESS KEPT
#define NR_READ	  63

static inline long system_call(long nr, long a, long b, long c)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
}
#endif

static char room[NR_BYTES];
static int zero;
static uint64_t state;

#define TURNS(nr)                                                                                  \
	do {                                                                                       \
		for (unsigned long i = 0; i < (nr); i++)                                           \
			__asm__ volatile("" : "+r"(i));                                            \
	} while (0)

/* A leaf function that has a frame in builds with frame pointers. */
KEPT static void hot(unsigned long nr)
{
	FRAME();
	TURNS(nr);
	NOT_LAST();
}

/* A leaf function without a frame. */
FRAMELESS static void bare(unsigned long nr)
{
	TURNS(nr);
}

KEPT static void middle(unsigned long nr)
{
	hot(nr);
	NOT_LAST();
}

KEPT static void often(unsigned long nr)
{
	middle(nr);
	NOT_LAST();
}

KEPT static void seldom(unsigned long nr)
{
	middle(nr);
	NOT_LAST();
}

KEPT static void dive_in(unsigned long nr, unsigned int depth)
{
	if (depth > 1)
		dive_in(nr, depth - 1);
	else
		hot(nr);
	NOT_LAST();
}

KEPT static void dive(unsigned long nr)
{
	dive_in(nr, DEPTH);
	NOT_LAST();
}

KEPT static void one_bare(unsigned long nr)
{
	bare(nr);
	NOT_LAST();
}

KEPT static void other_bare(unsigned long nr)
{
	bare(nr);
	NOT_LAST();
}

/* A turn of these two functions is a system call of some microseconds. */
KEPT static void reader(unsigned long nr)
{
	FRAME();
	for (; nr >= 2000; nr -= 2000)
		system_call(NR_READ, zero, (long)room, sizeof(room));
	NOT_LAST();
}

FRAMELESS static void bare_reader(unsigned long nr)
{
	for (; nr >= 2000; nr -= 2000)
		system_call(NR_READ, zero, (long)room, sizeof(room));
}

KEPT static void by_bare(unsigned long nr)
{
	bare_reader(nr);
	NOT_LAST();
}

static struct path {
	const char *name;
	void (*function)(unsigned long nr);
	uint64_t nr_turns;
	struct slice_costs costs;
} paths[] = {
	{.name = "often;middle;hot", .function = often},
	{.name = "seldom;middle;hot", .function = seldom},
	{.name = "dive;dive_in;dive_in;dive_in;dive_in;hot", .function = dive},
	{.name = "one_bare;bare", .function = one_bare},
	{.name = "other_bare;bare", .function = other_bare},
	{.name = "reader", .function = reader},
	{.name = "by_bare;bare_reader", .function = by_bare},
};
#define NR_PATHS (sizeof(paths) / sizeof(paths[0]))

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

/* Inlined, because otherwise this function would be in each stack. */
static inline __attribute__((always_inline)) void run_slice(struct path *path)
{
	uint64_t nr_turns = 2000 * (10 + random_number() % 30);
	uint64_t before_ns = now_ns();

	path->function(nr_turns);
	slice_costs_add(&path->costs, now_ns() - before_ns, nr_turns, random_number());
	path->nr_turns += nr_turns;
}

KEPT static void *in_thread(void *argument)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	uint64_t end_ns = now_ns() + *(const uint64_t *)argument;

	while (now_ns() < end_ns) {
		hot(200000);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t all_ns = argc > 2 ? strtoull(argv[2], NULL, 10) * 1000000u : 0;
	uint64_t end_ns = now_ns() + all_ns;
	pthread_t thread;
	unsigned int shares[NR_PATHS];

	zero = open("/dev/zero", O_RDONLY);
	if (!all_ns || zero < 0 || pthread_create(&thread, NULL, in_thread, &all_ns))
		return 2;
	state = strtoull(argv[1], NULL, 10);
	for (size_t i = 0; i < NR_PATHS; i++)
		shares[i] = 20 + (unsigned int)(random_number() % 60);
	while (now_ns() < end_ns) {
		size_t i = random_number() % NR_PATHS;

		if (random_number() % 80 < shares[i])
			run_slice(&paths[i]);
	}
	pthread_join(thread, NULL);
	for (size_t i = 0; i < NR_PATHS; i++)
		printf("main;%s %.0f\n", paths[i].name,
		       slice_costs_mean(&paths[i].costs) * (double)paths[i].nr_turns);
	return 0;
}
