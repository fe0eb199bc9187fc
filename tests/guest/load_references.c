// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads that make the module hold address spaces.
 *
 *	load_references spin MS		one process, for that time
 *	load_references exits SECONDS	processes that live for some ms, at most 32 at once
 *	load_references cap SECONDS	on each CPU two processes that take turns and let no
 *					other run, until the module refuses to hold more
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/guest/kmod_files.h"

#define NR_AT_ONCE 32

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/*
 * Makes at least nr_times turns: an emulated machine that stood still may otherwise have run none.
 */
static void spin(uint64_t ms, uint64_t nr_times)
{
	uint64_t end = now_ms() + ms;

	while (now_ms() < end || nr_times)
		nr_times -= nr_times > 0;
}

static pid_t fork_or_die(void)
{
	pid_t pid = fork();

	if (pid < 0)
		kmod_must(-errno, "fork");
	return pid;
}

static void exits(uint64_t seconds)
{
	uint64_t end = now_ms() + seconds * 1000;
	unsigned long nr = 0, nr_running = 0;

	while (now_ms() < end) {
		if (nr_running == NR_AT_ONCE && wait(NULL) > 0)
			nr_running--;
		if (!fork_or_die()) {
			spin(1 + nr % 4, 0);
			_exit(0);
		}
		nr_running++;
		nr++;
	}
	while (wait(NULL) > 0)
		;
	printf("processes %lu\n", nr);
}

/* ---- the cap ---- */

static void be_alone_on(int cpu)
{
	const struct sched_param param = {.sched_priority = 10};
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_FIFO, &param))
		kmod_must(-errno, "sched_setscheduler");
}

static void take_turns(void)
{
	for (;;)
		sched_yield();
}

/* Runs at a higher priority than all of them, and sleeps except for a check now and then. */
static void cap(uint64_t seconds)
{
	const struct sched_param param = {.sched_priority = 20};
	uint64_t end = now_ms() + seconds * 1000;
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pid_t pids[64];
	int nr = 0;

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		kmod_must(-errno, "sched_setscheduler");
	for (; nr < nr_cpus * 2 && nr < 64; nr++) {
		pids[nr] = fork_or_die();
		if (pids[nr])
			continue;
		be_alone_on(nr / 2);
		take_turns();
	}
	while (now_ms() < end && !kmod_stats("lost_references"))
		usleep(100000);
	while (nr--)
		kill(pids[nr], SIGKILL);
	while (wait(NULL) > 0)
		;
}

int main(int nr_words, char **words)
{
	uint64_t number = nr_words == 3 ? strtoull(words[2], NULL, 10) : 0;

	if (!number)
		return 2;
	if (!strcmp(words[1], "spin"))
		spin(number, number * 1000);
	else if (!strcmp(words[1], "exits"))
		exits(number);
	else if (!strcmp(words[1], "cap"))
		cap(number);
	else
		return 2;
	return 0;
}
