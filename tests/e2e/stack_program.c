// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack_program MILLISECONDS: a program with known call paths: hot has two callers, one of which
 * causes two thirds of its time; a deep recursion, a thread, a child process.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Placed after the last call of a function to prevent a tail call, so that the function keeps its
 * frame.
 */
#define NOT_LAST() __asm__ volatile("" ::: "memory")
#define KEPT	   __attribute__((noinline, noclone))

#define DEPTH 5

static volatile uint64_t sink;
static uint64_t unit = 100000; /* rounds */

/* Turns differ in length: otherwise samples at the same rate would always hit the same place. */
static void vary(void)
{
	static uint64_t state;

	state = state * 6364136223846793005u + 1442695040888963407u;
	unit = 50000 + (state >> 33) % 100000;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

KEPT void hot(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sink = sink * 2862933555777941757u + i;
	NOT_LAST();
}

KEPT void middle(uint64_t rounds)
{
	hot(rounds);
	NOT_LAST();
}

KEPT void often(void)
{
	middle(2 * unit);
	NOT_LAST();
}

KEPT void seldom(void)
{
	middle(unit);
	NOT_LAST();
}

KEPT void dive(int depth)
{
	if (depth)
		dive(depth - 1);
	else
		hot(unit);
	NOT_LAST();
}

KEPT void *in_thread(void *argument)
{
	hot(20000000);
	NOT_LAST();
	return argument;
}

KEPT void in_child(void)
{
	hot(20000000);
	NOT_LAST();
}

int main(int argc, char **argv)
{
	uint64_t end = now_ms() + (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000);
	pthread_t thread;
	pid_t child = fork();

	if (!child) {
		in_child();
		return 0;
	}
	if (child < 0 || pthread_create(&thread, NULL, in_thread, NULL))
		return 1;
	while (now_ms() < end) {
		vary();
		often();
		seldom();
		dive(DEPTH);
	}
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
