// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/load.h"

#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_WORDS 16384

static uint64_t words[NR_WORDS], sorted[NR_WORDS];

static int order(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void sort_words(uint64_t *state)
{
	for (size_t i = 0; i < NR_WORDS; i++)
		words[i] = bench_random(state);
	memcpy(sorted, words, sizeof(words));
	qsort(sorted, NR_WORDS, sizeof(sorted[0]), order);
}

static uint64_t hash_words(void)
{
	const unsigned char *bytes = (const unsigned char *)words;
	uint64_t hash = 0xcbf29ce484222325u;

	for (int round = 0; round < 10; round++)
		for (size_t i = 0; i < sizeof(words); i++)
			hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}

static void call_system(int null)
{
	for (int i = 0; i < 500; i++)
		if (write(null, words, 64) < 0 || getppid() < 0)
			return;
}

static void work(uint64_t *state, int null)
{
	static volatile uint64_t sink;

	sort_words(state);
	sink ^= hash_words();
	call_system(null);
}

__attribute__((noreturn)) static void child_main(unsigned int cpu, unsigned int nr_rounds)
{
	uint64_t state = 1;
	cpu_set_t set;
	int null = open("/dev/null", O_WRONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
	for (unsigned int i = 0; !nr_rounds || i < nr_rounds; i++)
		work(&state, null);
	_exit(0);
}

void load_start(struct load *load, unsigned int nr_rounds)
{
	cpu_set_t set;

	load->nr = 0;
	if (sched_getaffinity(0, sizeof(set), &set))
		bench_fail("sched_getaffinity", errno);
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE && load->nr < LOAD_CPUS_MAX; cpu++) {
		pid_t pid = CPU_ISSET(cpu, &set) ? fork() : -1;

		if (!pid)
			child_main(cpu, nr_rounds);
		if (pid > 0)
			load->pids[load->nr++] = pid;
	}
	if (!load->nr)
		bench_fail("fork", errno);
}

double load_wait(struct load *load)
{
	double seconds = 0;

	for (unsigned int i = 0; i < load->nr; i++) {
		struct rusage usage;
		int status;

		if (wait4(load->pids[i], &status, 0, &usage) < 0)
			bench_fail("wait4", errno);
		seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	}
	load->nr = 0;
	return seconds;
}

void load_stop(struct load *load)
{
	for (unsigned int i = 0; i < load->nr; i++)
		kill(load->pids[i], SIGKILL);
	load_wait(load);
}
