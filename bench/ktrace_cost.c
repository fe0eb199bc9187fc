// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In a guest that counts instructions as nanoseconds: how many a call of
 * getppid() takes, with one digit behind the point. The least of many short
 * batches: what else runs there interrupts some of them, never all.
 *
 * ktrace_cost COMMAND...: how many go by while it runs, in millions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_BATCHES 200
#define NR_CALLS   100

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

int main(int argc, char **argv)
{
	return argc > 1 ? tell_command(argv + 1) : tell_call();
}
