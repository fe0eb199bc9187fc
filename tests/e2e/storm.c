// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads that strain a profiler, each for a bounded time:
 *
 *   storm threads N        N threads, 50 at a time, each 2 ms of CPU time
 *   storm maps MS          maps code, runs it, unmaps it, all over the address space
 *   storm processes N MS   N processes, spread over that time, each 1 ms
 *   storm execs N          a process that executes itself N times
 *   storm bomb N           a process that forks until there are 2^N
 *
 * Prints the CPU time used, in ms.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_AT_ONCE 50
#define MAP_BYTES  (16 << 10)

static double ms_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

__attribute__((noinline)) static void storm_spin(clockid_t clock, double ms)
{
	double end = ms_of(clock) + ms;

	while (ms_of(clock) < end)
		for (volatile unsigned int i = 0; i < 50000; i++)
			;
}

static void *thread(void *unused)
{
	storm_spin(CLOCK_THREAD_CPUTIME_ID, 2);
	return unused;
}

static int threads(int nr)
{
	pthread_t all[NR_AT_ONCE];

	while (nr > 0) {
		int nr_made = 0;

		while (nr_made < NR_AT_ONCE && nr_made < nr &&
		       !pthread_create(&all[nr_made], NULL, thread, NULL))
			nr_made++;
		if (!nr_made)
			return 1;
		for (int i = 0; i < nr_made; i++)
			pthread_join(all[i], NULL);
		nr -= nr_made;
	}
	return 0;
}

/* Counts down from its argument; position-independent. */
#if defined(__x86_64__)
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#elif defined(__aarch64__)
static const unsigned char code[] = {0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff,
				     0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#else
static const unsigned char code[] = {0};
#endif

static int maps(double ms)
{
	double end = ms_of(CLOCK_MONOTONIC) + ms;
	unsigned long nr = 0;

	for (; ms_of(CLOCK_MONOTONIC) < end; nr++) {
		/* Distant addresses, so that each mapping is a region of its own. */
		void *where = (void *)(0x10000000000ul + nr % 500000 * 0x100000ul);
		void *made = mmap(where, MAP_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		void (*run)(unsigned long turns);

		if (made == MAP_FAILED)
			return 1;
		memcpy(made, code, sizeof(code));
		__builtin___clear_cache((char *)made, (char *)made + sizeof(code));
		memcpy(&run, &made, sizeof(run));
		if (sizeof(code) > 1)
			run(2000);
		munmap(made, MAP_BYTES);
	}
	(void)fprintf(stderr, "%lu maps\n", nr);
	return 0;
}

static int processes(int nr, double ms)
{
	double begin = ms_of(CLOCK_MONOTONIC);

	for (int i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid) {
			storm_spin(CLOCK_PROCESS_CPUTIME_ID, 1);
			_exit(0);
		}
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		while (ms_of(CLOCK_MONOTONIC) < begin + ms * i / nr)
			usleep(500);
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	return 0;
}

static int execs(const char *self, int nr)
{
	char text[16];

	storm_spin(CLOCK_MONOTONIC, 0.5);
	(void)snprintf(text, sizeof(text), "%d", nr - 1);
	if (nr > 1)
		execl(self, self, "execs", text, (char *)NULL);
	return nr > 1;
}

static int bomb(int nr_levels)
{
	for (int i = 0; i < nr_levels; i++)
		if (fork() < 0)
			return 1;
	storm_spin(CLOCK_PROCESS_CPUTIME_ID, 2);
	while (waitpid(-1, NULL, 0) > 0)
		;
	return 0;
}

static int run(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "threads"))
		return threads(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "maps"))
		return maps(atof(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "processes"))
		return processes(atoi(argv[2]), atof(argv[3]));
	if (argc == 3 && !strcmp(argv[1], "execs"))
		return execs(argv[0], atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "bomb"))
		return bomb(atoi(argv[2]));
	(void)fputs("usage: storm threads|maps|processes|execs|bomb NUMBER [MS]\n", stderr);
	return 2;
}

static double used_ms(int who)
{
	struct rusage used;

	getrusage(who, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

int main(int argc, char **argv)
{
	pid_t first = getpid();
	int status = run(argc, argv);

	if (getpid() == first)
		printf("%.0f\n", used_ms(RUSAGE_SELF) + used_ms(RUSAGE_CHILDREN));
	return status;
}
