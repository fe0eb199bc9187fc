// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs in a guest that counts instructions as nanoseconds. Without arguments,
 * prints the number of instructions of a call of getppid(), with one decimal:
 * the minimum of many short batches, because interrupts disturb only some of
 * them.
 *
 * ktrace_cost COMMAND...: prints the number of instructions executed while
 * COMMAND runs, in millions.
 *
 * ktrace_cost --longest: prints the number of instructions that only one of
 * 1,000 calls of getppid() exceeds. If packets are small, this is the cost of a
 * call that begins a packet, because more than one of 1,000 calls begins a
 * packet, but fewer are interrupted by the timer.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_BATCHES 200
#define NR_CALLS   100
#define NR_SINGLE  100000

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int tell_command(char **command)
{
	const uint64_t began = now_ns();
	const pid_t pid = fork();
	int status;

	if (!pid) {
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return EXIT_FAILURE;
	printf("%.1f\n", (double)(now_ns() - began) / 1e6);
	return EXIT_SUCCESS;
}

static int tell_call(void)
{
	uint64_t least = UINT64_MAX;

	for (int batch = 0; batch < NR_BATCHES; batch++) {
		const uint64_t began = now_ns();
		uint64_t took;

		for (int call = 0; call < NR_CALLS; call++)
			(void)syscall(SYS_getppid);
		took = now_ns() - began;
		if (took < least)
			least = took;
	}
	printf("%.1f\n", (double)least / NR_CALLS);
	return EXIT_SUCCESS;
}

static int compare(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static int tell_longest(void)
{
	static uint32_t took[NR_SINGLE];

	for (int i = 0; i < NR_SINGLE; i++) {
		const uint64_t began = now_ns();

		(void)syscall(SYS_getppid);
		took[i] = (uint32_t)(now_ns() - began);
	}
	qsort(took, NR_SINGLE, sizeof(took[0]), compare);
	printf("%u\n", took[NR_SINGLE - NR_SINGLE / 1000]);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--longest"))
		return tell_longest();
	return argc > 1 ? tell_command(argv + 1) : tell_call();
}
