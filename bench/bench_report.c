// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports of a session with many distinct offsets in a large binary with debug information: CPU
 * time of opreport and of its children, which read the binary.
 */
#include "bench/bench.h"
#include "bench/report_binary.h"
#include "bench/report_session.h"

#include "lib/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_ROUNDS 7

static char folder[PATH_MAX / 2];
static struct report_binary binary;

/* Returns the CPU seconds of one report. `view` is -l or -lg. */
static double run_report(const char *view, const char *session_dir)
{
	char option[2 * PATH_MAX];
	const char *words[] = {"opreport", view, option, NULL};

	snprintf(option, sizeof(option), "--session-dir=%s", session_dir);
	return report_session_run(words);
}

static void keep_minimum(double *minimum, double value)
{
	if (*minimum == 0 || value < *minimum)
		*minimum = value;
}

/* Measures with an empty cache, and with the binary's tables in the cache. */
static void measure_lines(const char *session_dir)
{
	double cost = 0, cost_cached = 0;
	char cache[PATH_MAX];

	snprintf(cache, sizeof(cache), "%s/cache", folder);
	for (int i = 0; i < NR_ROUNDS; i++) {
		(void)file_remove_tree(cache);
		if (mkdir(cache, 0700))
			bench_fail(cache, errno);
		keep_minimum(&cost, run_report("-lg", session_dir));
		keep_minimum(&cost_cached, run_report("-lg", session_dir));
	}
	if (bench_wanted("report_lines_1e6"))
		bench_print("report_lines_1e6", cost, "s");
	if (bench_wanted("report_lines_1e6_cached"))
		bench_print("report_lines_1e6_cached", cost_cached, "s");
}

static void measure(void)
{
	char few[PATH_MAX], many[PATH_MAX];
	double cost_few = 0, cost_many = 0;

	snprintf(few, sizeof(few), "%s/1e5", folder);
	snprintf(many, sizeof(many), "%s/1e6", folder);
	report_session_make(few, &binary, 100000);
	report_session_make(many, &binary, 1000000);
	for (int i = 0; i < NR_ROUNDS; i++) {
		keep_minimum(&cost_few, run_report("-l", few));
		keep_minimum(&cost_many, run_report("-l", many));
	}
	printf("# binary of %.1f MB, %.1f MB of code\n", (double)binary.file_bytes / 1e6,
	       (double)binary.text_bytes / 1e6);
	if (bench_wanted("report_symbols_1e6"))
		bench_print("report_symbols_1e6", cost_many, "s");
	if (bench_wanted("report_scaling"))
		bench_print("report_scaling", cost_many / cost_few, "x");
	if (bench_wanted("report_lines_1e6") || bench_wanted("report_lines_1e6_cached"))
		measure_lines(many);
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");
	char cache[PATH_MAX];

	bench_init(argc, argv);
	if (!bench_wanted("report_symbols_1e6") && !bench_wanted("report_scaling") &&
	    !bench_wanted("report_lines_1e6") && !bench_wanted("report_lines_1e6_cached"))
		return EXIT_SUCCESS;
	report_binary_open(&binary);
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	/* Use a new cache. */
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	if (mkdir(cache, 0700) || setenv("XDG_CACHE_HOME", cache, 1))
		bench_fail(cache, errno);
	measure();
	return EXIT_SUCCESS;
}
