// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of a daemon that runs all the time: its own CPU time and memory, and
 * the slowdown of the profiled load. Rounds with the daemon and with perf
 * record alternate. Both sample the whole machine at the same frequency of
 * cpu-clock, which is available on every machine, and write to the same file
 * system.
 */
#include "bench/bench.h"
#include "bench/load.h"

#include "lib/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_COST_ROUNDS	   3
#define WARM_UP_SECONDS	   3
#define COST_SECONDS	   5
#define STACK_DEPTH	   64
#define NR_SLOWDOWN_ROUNDS 12
#define SLOWDOWN_WORK	   40 /* rounds of load.h on each CPU, about 0.4 s */

enum profiler { PROFILER_NONE, PROFILER_OURS, PROFILER_PERF, NR_PROFILERS };

static char folder[PATH_MAX / 2];
static bool has_perf;
static unsigned int depth; /* depth of the call chains to record; 0: record none */

/* ---- profilers ---- */

static void silence(void)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, 1);
	dup2(null, 2);
}

__attribute__((noreturn)) static void exec_ours(unsigned int hz, int ready)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char program[PATH_MAX], session[PATH_MAX], frequency[32], callgraph[32], fd[32];

	snprintf(program, sizeof(program), "%s/oprofiled", top ? top : ".");
	snprintf(session, sizeof(session), "--session-dir=%s/session", folder);
	snprintf(frequency, sizeof(frequency), "--frequency=%u", hz);
	snprintf(callgraph, sizeof(callgraph), "--callgraph=%u", depth);
	snprintf(fd, sizeof(fd), "--ready-fd=%d", ready);
	silence();
	execl(program, program, session, "--foreground", "--system", "--event=cpu-clock",
	      "--separate=lib", "--start", frequency, callgraph, fd, (char *)NULL);
	_exit(127);
}

__attribute__((noreturn)) static void exec_perf(unsigned int hz)
{
	char output[PATH_MAX], frequency[32];

	snprintf(output, sizeof(output), "%s/perf.data", folder);
	snprintf(frequency, sizeof(frequency), "%u", hz);
	silence();
	execlp("perf", "perf", "record", "-q", "-a", "-e", "cpu-clock", "-F", frequency, "-o",
	       output, depth ? "-g" : NULL, (char *)NULL);
	_exit(127);
}

static void sleep_ms(unsigned int ms)
{
	struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/*
 * Waits until the profiler samples. oprofiled reports when it begins to sample;
 * perf does not, so for perf wait a fixed time.
 */
static void wait_ready(enum profiler profiler, pid_t pid, int ready)
{
	char text[512] = "";

	if (profiler == PROFILER_OURS) {
		ssize_t nr = read(ready, text, sizeof(text) - 1);

		if (nr < 2 || strncmp(text, "ok", 2) != 0) {
			fprintf(stderr, "bench: oprofiled: %s\n", text);
			exit(EXIT_FAILURE);
		}
		return;
	}
	sleep_ms(300);
	if (waitpid(pid, NULL, WNOHANG) == pid)
		bench_fail("perf record ended at once", ECHILD);
}

static pid_t start(enum profiler profiler, unsigned int hz)
{
	int ready[2];
	pid_t pid;

	if (profiler == PROFILER_NONE)
		return 0;
	if (pipe(ready))
		bench_fail("pipe", errno);
	pid = fork();
	if (pid < 0)
		bench_fail("fork", errno);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ready[0]);
		if (profiler == PROFILER_PERF)
			exec_perf(hz);
		exec_ours(hz, ready[1]);
	}
	close(ready[1]);
	wait_ready(profiler, pid, ready[0]);
	close(ready[0]);
	return pid;
}

static void stop(pid_t pid)
{
	if (!pid)
		return;
	kill(pid, SIGINT);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- the profiler's own cost ---- */

/* Returns the CPU time of all threads of pid, in ns. */
static uint64_t cpu_ns(pid_t pid)
{
	char path[64], file[512];
	struct dirent *entry;
	uint64_t sum = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		char *text;

		snprintf(file, sizeof(file), "%s/%s/schedstat", path, entry->d_name);
		if (entry->d_name[0] == '.' || file_read_text(file, 4096, &text, NULL))
			continue;
		sum += strtoull(text, NULL, 10);
		free(text);
	}
	if (tasks)
		closedir(tasks);
	return sum;
}

static double rss_mb(pid_t pid)
{
	char path[64], *text, *line;
	double kb = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (file_read_text(path, 65536, &text, NULL))
		return 0;
	line = strstr(text, "\nVmRSS:");
	if (line)
		kb = strtod(line + strlen("\nVmRSS:"), NULL);
	free(text);
	return kb / 1024;
}

struct cost {
	double cpu_percent; /* of one CPU */
	double rss_mb;
};

/*
 * Measures the cost of a profiler that has been running for a while. The cost
 * of finding images and creating their files is excluded: the measurement
 * begins WARM_UP_SECONDS after the profiler's start, and all rounds use the
 * same session.
 */
static struct cost measure_cost(enum profiler profiler, unsigned int hz)
{
	pid_t pid = start(profiler, hz);
	struct cost cost;
	uint64_t before;

	sleep_ms(WARM_UP_SECONDS * 1000);
	before = cpu_ns(pid);
	sleep_ms(COST_SECONDS * 1000);
	cost.cpu_percent = (double)(cpu_ns(pid) - before) / (COST_SECONDS * 1e9) * 100;
	cost.rss_mb = rss_mb(pid);
	stop(pid);
	return cost;
}

static void keep_minimum(double *minimum, double value)
{
	if (*minimum == 0 || value < *minimum)
		*minimum = value;
}

static void print_pair(const char *name, const double *values, const char *unit)
{
	char text[64];

	bench_print(name, values[PROFILER_OURS], unit);
	if (!has_perf)
		return;
	snprintf(text, sizeof(text), "peer_%s", name);
	bench_print(text, values[PROFILER_PERF], unit);
	snprintf(text, sizeof(text), "ratio_%s", name);
	bench_print(text, values[PROFILER_OURS] / values[PROFILER_PERF], "x");
}

static enum profiler last_profiler(void)
{
	return has_perf ? PROFILER_PERF : PROFILER_OURS;
}

static void bench_cost(const char *name, unsigned int hz, unsigned int chain_depth)
{
	double cpu[NR_PROFILERS] = {0}, rss[NR_PROFILERS] = {0};
	bool with_rss = hz == 997 && !chain_depth && bench_wanted("daemon_rss");
	struct load load;

	if (!bench_wanted(name) && !with_rss)
		return;
	depth = chain_depth;
	load_start(&load, 0);
	for (int round = 0; round < NR_COST_ROUNDS; round++) {
		for (enum profiler p = PROFILER_OURS; p <= last_profiler(); p++) {
			struct cost cost = measure_cost(p, hz);

			keep_minimum(&cpu[p], cost.cpu_percent);
			keep_minimum(&rss[p], cost.rss_mb);
		}
	}
	load_stop(&load);
	if (bench_wanted(name))
		print_pair(name, cpu, "%");
	if (with_rss)
		print_pair("daemon_rss", rss, "MB");
	else if (chain_depth)
		print_pair("daemon_rss_stacks", rss, "MB");
	depth = 0;
}

/* ---- the slowdown of the load ---- */

static double run_load(enum profiler profiler, unsigned int hz)
{
	pid_t pid = start(profiler, hz);
	struct load load;
	double seconds;

	load_start(&load, SLOWDOWN_WORK);
	seconds = load_wait(&load);
	stop(pid);
	return seconds;
}

static void bench_slowdown(const char *name, unsigned int hz)
{
	double seconds[NR_PROFILERS] = {0}, slowdown[NR_PROFILERS];

	if (!bench_wanted(name))
		return;
	for (int round = 0; round < NR_SLOWDOWN_ROUNDS; round++)
		for (enum profiler p = PROFILER_NONE; p <= last_profiler(); p++)
			keep_minimum(&seconds[p], run_load(p, hz));
	for (enum profiler p = PROFILER_NONE; p <= last_profiler(); p++)
		slowdown[p] = seconds[p] / seconds[PROFILER_NONE];
	print_pair(name, slowdown, "x");
}

static bool perf_works(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		silence();
		execlp("perf", "perf", "--version", (char *)NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       !WEXITSTATUS(status);
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");

	bench_init(argc, argv);
	if (!bench_wanted("daemon_cpu_99") && !bench_wanted("daemon_cpu_997") &&
	    !bench_wanted("daemon_cpu_stacks_997") && !bench_wanted("daemon_rss") &&
	    !bench_wanted("slowdown_99") && !bench_wanted("slowdown_997") &&
	    !bench_wanted("slowdown_4999"))
		return EXIT_SUCCESS;
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	has_perf = perf_works();
	bench_cost("daemon_cpu_99", 99, 0);
	bench_cost("daemon_cpu_997", 997, 0);
	bench_cost("daemon_cpu_stacks_997", 997, STACK_DEPTH);
	bench_slowdown("slowdown_99", 99);
	bench_slowdown("slowdown_997", 997);
	bench_slowdown("slowdown_4999", 4999);
	return EXIT_SUCCESS;
}
