// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_program MS PAGES: two threads, each on its own CPU if there are two. One computes for MS
 * milliseconds of CPU time, the other touches PAGES fresh pages once each. Prints "NAME TID CPU" of
 * both.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static long spin_ms, nr_pages;
static volatile unsigned long sink;

static long thread_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Pins the calling thread to the first or the last CPU allowed, and prints which. */
static void stay(const char *name, int last)
{
	cpu_set_t allowed, one;
	int chosen = -1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		exit(1);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && (chosen < 0 || last))
			chosen = cpu;
	CPU_ZERO(&one);
	CPU_SET(chosen, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		exit(1);
	printf("%s %d %d\n", name, (int)gettid(), chosen);
}

__attribute__((noinline)) static void report_spin(void)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sink += i * i;
}

__attribute__((noinline)) static void report_touch(volatile char *pages)
{
	for (long i = 0; i < nr_pages; i++)
		pages[i * PAGE] = 1;
}

static void *spin(void *unused)
{
	stay("spin", 0);
	while (thread_ms() < spin_ms)
		report_spin();
	return unused;
}

static void *touch(void *unused)
{
	size_t nr_bytes = (size_t)nr_pages * PAGE;
	char *pages =
		mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	stay("touch", 1);
	if (pages == MAP_FAILED)
		exit(1);
	(void)madvise(pages, nr_bytes, MADV_NOHUGEPAGE);
	report_touch(pages);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc != 3)
		return 2;
	spin_ms = atol(argv[1]);
	nr_pages = atol(argv[2]);
	if (pthread_create(&threads[0], NULL, spin, NULL) ||
	    pthread_create(&threads[1], NULL, touch, NULL))
		return 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
