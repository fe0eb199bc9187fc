// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports of call stacks: records the whole machine for 50 s at 4,999 Hz while
 * each CPU compiles, then makes the call graph of all samples. Measures CPU
 * time and peak memory of opreport and its children. The peer is perf report,
 * with a recording of the same length by perf record -g (frame pointers).
 */
#include "bench/bench.h"
#include "bench/real_session.h"

#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS	  50
#define HZ	  4999
#define NR_ROUNDS 7

static char folder[PATH_MAX / 2];

struct cost {
	double cpu_s; /* minimum over all rounds; 0: no round has ended */
	double peak_mb;
};

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Measures a program and the children that it waits for. Returns false if the program fails. */
static bool run(char *const *words, struct cost *cost)
{
	struct rusage usage = {0};
	pid_t pid = fork();
	double cpu_s;
	int status;

	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(words[0], words);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		bench_fail("fork", errno);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return false;
	cpu_s = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
	if (cost->cpu_s == 0 || cpu_s < cost->cpu_s)
		cost->cpu_s = cpu_s;
	if (cost->peak_mb == 0 || (double)usage.ru_maxrss / 1e3 < cost->peak_mb)
		cost->peak_mb = (double)usage.ru_maxrss / 1e3;
	return true;
}

static void measure_ours(struct cost *cost)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char program[PATH_MAX], option[PATH_MAX], callgraph[] = "-c";
	char *words[] = {program, callgraph, option, NULL};

	snprintf(program, sizeof(program), "%s/opreport", top ? top : ".");
	snprintf(option, sizeof(option), "--session-dir=%s/session", folder);
	for (int i = 0; i < NR_ROUNDS; i++)
		if (!run(words, cost))
			bench_fail(program, ECANCELED);
}

/* Runs perf report only once, because it takes long. */
static bool measure_perf(struct cost *cost)
{
	char perf[] = "perf", report[] = "report", stdio[] = "--stdio", input[] = "-i";
	char path[PATH_MAX];
	char *words[] = {perf, report, stdio, input, path, NULL};

	snprintf(path, sizeof(path), "%s/perf.data", folder);
	return real_session_record_perf(path, SECONDS, HZ, NULL) && run(words, cost);
}

static void print(const char *name, const char *unit, double ours, double perf)
{
	char text[128];

	if (!bench_wanted(name))
		return;
	bench_print(name, ours, unit);
	if (perf == 0)
		return;
	snprintf(text, sizeof(text), "peer_%s", name);
	bench_print(text, perf, unit);
	snprintf(text, sizeof(text), "ratio_%s", name);
	bench_print(text, ours / perf, "x");
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");
	struct cost ours = {0};
	struct cost perf = {0};

	bench_init(argc, argv);
	if (!bench_wanted("report_stacks_50s") && !bench_wanted("report_stacks_50s_rss"))
		return EXIT_SUCCESS;
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	real_session_record_stacks(folder, SECONDS, HZ);
	measure_ours(&ours);
	if (!measure_perf(&perf))
		printf("# no figures of perf: perf record or perf report failed on this machine\n");
	print("report_stacks_50s", "s", ours.cpu_s, perf.cpu_s);
	print("report_stacks_50s_rss", "MB", ours.peak_mb, perf.peak_mb);
	return EXIT_SUCCESS;
}
