// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three threads with known times off CPU: one sleeps, one waits for a pipe that is never written
 * to, one computes. Prints the name and tid of each, and the least and the most time that it can
 * have been off CPU, in ns. The least is the time that passed within the thread, less its CPU time;
 * the most is the time from before its creation until after its end, less its CPU time. Then
 * prints, alone in a line, how long the computing thread stood still while the kernel counted it as
 * running, because a hypervisor had stopped the CPU. Argument: the duration in ms.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t run_ms, stopped_ns;
static int pipe_fds[2];

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Many short sleeps until the end. */
static void sleeper(uint64_t end_ns)
{
	const struct timespec nap = {0, 3000000};

	while (clock_ns(CLOCK_MONOTONIC) < end_ns)
		nanosleep(&nap, NULL);
}

/* One long wait. */
static void waiter(uint64_t end_ns)
{
	struct pollfd fd = {.fd = pipe_fds[0], .events = POLLIN};
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (now_ns < end_ns)
		poll(&fd, 1, (int)((end_ns - now_ns) / 1000000));
}

/* A step takes a fraction of this, also in an emulated machine. */
#define STOP_NS 2000000u

static void spinner(uint64_t end_ns)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), ran_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	volatile uint64_t work = 0;

	while (now_ns < end_ns) {
		const uint64_t then_ns = now_ns, had_run_ns = ran_ns;
		uint64_t passed_ns;

		for (int i = 0; i < 5000; i++)
			work += (uint64_t)i;
		now_ns = clock_ns(CLOCK_MONOTONIC);
		ran_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		passed_ns = now_ns - then_ns < ran_ns - had_run_ns ? now_ns - then_ns
								   : ran_ns - had_run_ns;
		stopped_ns += passed_ns > STOP_NS ? passed_ns : 0;
	}
}

struct thread {
	const char *name;
	void (*run)(uint64_t end_ns);
	pid_t tid;
	pthread_t id;
	uint64_t made_ns, ran_ns;
	uint64_t least_ns, most_ns;
};

static void *thread_main(void *context)
{
	struct thread *thread = context;
	/*
	 * In this order a preemption between the two clocks makes the result smaller, not larger.
	 */
	uint64_t ran_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t passed_ns;

	thread->tid = gettid();
	thread->run(begin_ns + run_ms * 1000000);
	passed_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	thread->ran_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ran_ns = thread->ran_ns - ran_ns;
	thread->least_ns = passed_ns > ran_ns ? passed_ns - ran_ns : 0;
	return NULL;
}

static void join(struct thread *thread)
{
	pthread_join(thread->id, NULL);
	thread->most_ns = clock_ns(CLOCK_MONOTONIC) - thread->made_ns - thread->ran_ns;
}

int main(int argc, char **argv)
{
	struct thread threads[] = {{.name = "sleeper", .run = sleeper},
				   {.name = "waiter", .run = waiter},
				   {.name = "spinner", .run = spinner}};

	run_ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	if (pipe(pipe_fds))
		return 1;
	for (int i = 0; i < 3; i++) {
		threads[i].made_ns = clock_ns(CLOCK_MONOTONIC);
		if (pthread_create(&threads[i].id, NULL, thread_main, &threads[i]))
			return 1;
	}
	for (int i = 0; i < 3; i++)
		join(&threads[i]);
	for (int i = 0; i < 3; i++)
		printf("%s %d %llu %llu\n", threads[i].name, (int)threads[i].tid,
		       (unsigned long long)threads[i].least_ns,
		       (unsigned long long)threads[i].most_ns);
	printf("%llu\n", (unsigned long long)stopped_ns);
	return 0;
}
