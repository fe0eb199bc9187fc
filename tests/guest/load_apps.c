// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two programs with known shares of the kernel's time: they take turns on one CPU, each running
 * slices of the same work in the kernel and nothing else.
 *
 *	load_apps SEED MILLISECONDS PROGRAM SHARE PROGRAM SHARE
 *
 * PROGRAM is a copy of this program under another name. Prints "NAME SLICES" of each. The cost of a
 * slice may change over time, but equally for both, because each slice is assigned at random.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_APPS 2
#define WORKER	"worker"
/*
 * Reads in one call: an emulated PMU notices overflows only when the CPU enters or leaves the
 * kernel, so that short calls would be sampled mostly at their exits.
 */
#define BUFFER_BYTES (384 << 10)

struct app {
	const char *path;
	unsigned int share;
	uint64_t nr_slices;
	int to, from; /* pipes */
};

static uint64_t state;

static uint64_t random_number(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* Runs a slice for each byte on stdin, and then returns the byte on stdout. */
static int work(void)
{
	static char buffer[BUFFER_BYTES];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char token;

	while (read(STDIN_FILENO, &token, 1) == 1) {
		if (read(zero, buffer, sizeof(buffer)) != sizeof(buffer) ||
		    write(STDOUT_FILENO, &token, 1) != 1)
			return 1;
	}
	return 0;
}

static int start(struct app *app)
{
	int to[2], from[2];
	pid_t pid;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		if (dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0)
			_exit(126);
		execl(app->path, app->path, WORKER, (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	app->to = to[1];
	app->from = from[0];
	return 0;
}

static int run_slice(struct app *app)
{
	char token = 0;

	app->nr_slices++;
	return write(app->to, &token, 1) != 1 || read(app->from, &token, 1) != 1;
}

static int end(struct app *apps)
{
	int failed = 0, status;

	for (int i = 0; i < NR_APPS; i++)
		close(apps[i].to);
	while (wait(&status) > 0)
		failed |= status;
	for (int i = 0; i < NR_APPS; i++) {
		const char *slash = strrchr(apps[i].path, '/');

		printf("%s %llu\n", slash ? slash + 1 : apps[i].path,
		       (unsigned long long)apps[i].nr_slices);
	}
	return failed != 0;
}

/* Stays on one CPU, because the host may run two CPUs at different speeds. */
static void stay_here(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	struct app apps[NR_APPS] = {0};
	unsigned int sum = 0;
	uint64_t end_ms;

	if (argc == 2 && !strcmp(argv[1], WORKER))
		return work();
	if (argc != 3 + 2 * NR_APPS)
		return 2;
	(void)signal(SIGPIPE, SIG_IGN);
	stay_here();
	state = strtoull(argv[1], NULL, 10);
	for (int i = 0; i < NR_APPS; i++) {
		apps[i].path = argv[3 + 2 * i];
		apps[i].share = (unsigned int)strtoul(argv[4 + 2 * i], NULL, 10);
		sum += apps[i].share;
		if (start(&apps[i]))
			return 1;
	}
	end_ms = now_ms() + strtoull(argv[2], NULL, 10);
	while (sum && now_ms() < end_ms)
		if (run_slice(&apps[random_number() % sum >= apps[0].share]))
			return 1;
	return end(apps);
}
