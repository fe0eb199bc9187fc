// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nobody_load MILLISECONDS: spins in nobody_hot for that much CPU time, in a thread and in a child
 * process.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long left_ms(clockid_t clock, long limit_ms)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return limit_ms - now.tv_sec * 1000 - now.tv_nsec / 1000000;
}

__attribute__((noinline)) static void nobody_hot(void)
{
	for (volatile unsigned int i = 0; i < 1000000; i++)
		;
}

static void *spin(void *limit)
{
	while (left_ms(CLOCK_THREAD_CPUTIME_ID, *(long *)limit) > 0)
		nobody_hot();
	return NULL;
}

int main(int argc, char **argv)
{
	long limit = argc > 1 ? atol(argv[1]) : 1000;
	pthread_t thread;
	pid_t child = fork();

	if (child && !pthread_create(&thread, NULL, spin, &limit))
		pthread_join(thread, NULL);
	if (!child)
		spin(&limit);
	return child > 0 && waitpid(child, NULL, 0) == child ? 0 : child != 0;
}
