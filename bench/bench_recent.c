// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A report of the last minute from a running daemon: CPU time of opreport and
 * its children, and of the daemon while it provides the samples; and the
 * wall-clock time, for which the user waits. The daemon has sampled the machine
 * for more than a minute.
 */
#include "bench/bench.h"
#include "bench/load.h"

#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_ROUNDS    7
#define FILL_SECONDS 62

static char folder[PATH_MAX / 2];

__attribute__((noreturn)) static void exec_daemon(int ready)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char program[PATH_MAX], session[PATH_MAX], fd[32];
	int null = open("/dev/null", O_WRONLY);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(program, sizeof(program), "%s/oprofiled", top ? top : ".");
	snprintf(session, sizeof(session), "--session-dir=%s/session", folder);
	snprintf(fd, sizeof(fd), "--ready-fd=%d", ready);
	dup2(null, 1);
	dup2(null, 2);
	execl(program, program, session, "--foreground", "--system", "--event=cpu-clock",
	      "--frequency=99", "--separate=lib", "--start", fd, (char *)NULL);
	_exit(127);
}

static pid_t start_daemon(void)
{
	char text[512] = "";
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		bench_fail("pipe", errno);
	pid = fork();
	if (pid < 0)
		bench_fail("fork", errno);
	if (!pid)
		exec_daemon(ready[1]);
	close(ready[1]);
	if (read(ready[0], text, sizeof(text) - 1) < 2 || strncmp(text, "ok", 2) != 0) {
		fprintf(stderr, "bench: oprofiled: %s\n", text);
		exit(EXIT_FAILURE);
	}
	close(ready[0]);
	return pid;
}

static uint64_t wall_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Returns the CPU time of the daemon, which has one thread, in ns. */
static uint64_t daemon_ns(pid_t pid)
{
	char path[64], *text;
	uint64_t ns;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	if (file_read_text(path, 4096, &text, NULL))
		return 0;
	ns = strtoull(text, NULL, 10);
	free(text);
	return ns;
}

__attribute__((noreturn)) static void exec_report(void)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char program[PATH_MAX], session[PATH_MAX];
	int null = open("/dev/null", O_WRONLY);

	snprintf(program, sizeof(program), "%s/opreport", top ? top : ".");
	snprintf(session, sizeof(session), "--session-dir=%s/session", folder);
	dup2(null, 1);
	dup2(null, 2);
	execl(program, program, "-l", "--last", "1m", session, (char *)NULL);
	_exit(127);
}

static void run_report(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		exec_report();
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		bench_fail("fork", errno);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		bench_fail("opreport --last failed", ECANCELED);
}

static void keep_minimum(double *minimum, double value)
{
	if (*minimum == 0 || value < *minimum)
		*minimum = value;
}

static void measure(pid_t daemon)
{
	double cpu = 0, wall = 0, answer = 0, first = 0;

	for (int i = 0; i < NR_ROUNDS; i++) {
		uint64_t cpu_before = bench_process_ns();
		uint64_t wall_before = wall_ns();
		uint64_t daemon_before = daemon_ns(daemon);

		run_report();
		keep_minimum(&cpu, (double)(bench_process_ns() - cpu_before) / 1e6);
		if (!i) /* the first report reads binaries that are not cached */
			first = cpu;
		keep_minimum(&wall, (double)(wall_ns() - wall_before) / 1e6);
		keep_minimum(&answer, (double)(daemon_ns(daemon) - daemon_before) / 1e6);
	}
	bench_print("last_minute", cpu, "ms");
	bench_print("last_minute_first", first, "ms");
	bench_print("last_minute_wall", wall, "ms");
	bench_print("last_minute_daemon", answer, "ms");
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");
	struct timespec fill = {.tv_sec = FILL_SECONDS};
	struct load load;
	pid_t daemon;

	bench_init(argc, argv);
	if (!bench_wanted("last_minute") && !bench_wanted("last_minute_wall") &&
	    !bench_wanted("last_minute_daemon") && !bench_wanted("last_minute_first"))
		return EXIT_SUCCESS;
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	if (setenv("XDG_CACHE_HOME", folder, 1))
		bench_fail("setenv", errno);
	daemon = start_daemon();
	load_start(&load, 0);
	while (nanosleep(&fill, &fill) && errno == EINTR)
		;
	measure(daemon);
	load_stop(&load);
	kill(daemon, SIGTERM);
	while (waitpid(daemon, NULL, 0) < 0 && errno == EINTR)
		;
	return EXIT_SUCCESS;
}
