// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load_hog [MS]: wakes its thread "victim" on the CPU of a real-time thread that keeps running for
 * MS milliseconds (default 30). Exit status 77: real-time priority is not available.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static int pipe_fds[2];
static void *victim(void *unused)
{
	char byte;

	pthread_setname_np(pthread_self(), "victim");
	while (read(pipe_fds[0], &byte, 1) == 1)
		;
	return unused;
}
int main(int argc, char **argv)
{
	const long hold_ns = (argc > 1 ? atol(argv[1]) : 30) * 1000000;
	const struct sched_param high = {.sched_priority = 1}, low = {0};
	const struct timespec pause = {.tv_nsec = 50000000};
	struct timespec begin, now;
	pthread_t thread;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (pipe(pipe_fds) || sched_setaffinity(0, sizeof(one), &one) ||
	    pthread_create(&thread, NULL, victim, NULL))
		return 1;
	nanosleep(&pause, NULL); /* it is reading by now */
	if (sched_setscheduler(0, SCHED_FIFO, &high))
		return 77;
	if (write(pipe_fds[1], "x", 1) != 1)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < hold_ns);
	sched_setscheduler(0, SCHED_OTHER, &low);
	close(pipe_fds[1]);
	pthread_join(thread, NULL);
	return 0;
}
