// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports of a session with many distinct offsets in a large binary with
 * debug information: CPU time of opreport and of its children, which read
 * the binary.
 */
#include "bench/bench.h"
#include "bench/report_binary.h"

#include "lib/diag.h"
#include "lib/file.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_ROUNDS 7

static char folder[PATH_MAX / 2];
static struct report_binary binary;

/* ---- sessions ---- */

static struct sdb *open_samples(const char *session_dir)
{
	const struct sdb_identity identity = {.event = "cpu-clock",
					      .cpu_type = "bench",
					      .host = "bench",
					      .app_path = binary.path,
					      .image_path = binary.path,
					      .image = binary.identity,
					      .image_kind = OPROF_IMAGE_FILE,
					      .period_or_hz = 1000000};
	char text[2 * PATH_MAX], path[4 * PATH_MAX];
	struct sample_name name = {.app = {.kind = SAMPLE_PATH_ROOT},
				   .event = "cpu-clock",
				   .period_or_hz = 1000000,
				   .tgid = SAMPLE_NAME_ALL,
				   .tid = SAMPLE_NAME_ALL,
				   .cpu = SAMPLE_NAME_ALL,
				   .cgroup = SAMPLE_NAME_ALL,
				   .identity = sample_identity(&binary.identity)};
	struct sdb *db = NULL;
	struct diag diag;
	int error;

	strcpy(name.app.path, binary.path);
	name.image = name.app;
	error = sample_name_format(&name, text, sizeof(text));
	if (error)
		bench_fail("name", error);
	snprintf(path, sizeof(path), "%s/samples/current/%s", session_dir, text);
	error = file_make_parent_dirs(path, 0700);
	if (!error)
		error = sdb_open(&db, path, &identity, &diag);
	if (error)
		bench_fail(path, error);
	return db;
}

/* nr_offsets distinct ones, spread over the whole of .text, with 1 to 4 samples each. */
static void make_session(const char *session_dir, unsigned int nr_offsets)
{
	struct sdb *db = open_samples(session_dir);
	uint64_t state = 1;

	if (binary.text_bytes < nr_offsets)
		bench_fail("the binary is too small", ERANGE);
	for (uint64_t i = 0; i < nr_offsets; i++) {
		uint64_t key = binary.text_offset + i * binary.text_bytes / nr_offsets;
		int error = sdb_add(db, key, 1 + bench_random(&state) % 4);

		if (error)
			bench_fail("adding", error);
	}
	sdb_close(db);
}

/* ---- runs ---- */

static void run_child(const char *session_dir)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char program[PATH_MAX], option[PATH_MAX];
	int null = open("/dev/null", O_WRONLY);

	snprintf(program, sizeof(program), "%s/opreport", top ? top : ".");
	snprintf(option, sizeof(option), "--session-dir=%s", session_dir);
	dup2(null, 1);
	dup2(null, 2);
	execl(program, program, "-l", option, (char *)NULL);
	_exit(127);
}

/* CPU seconds of one report. */
static double run_report(const char *session_dir)
{
	uint64_t before = bench_process_ns();
	pid_t pid = fork();
	int status;

	if (!pid)
		run_child(session_dir);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		bench_fail("fork", errno);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		bench_fail("opreport failed", ECANCELED);
	return (double)(bench_process_ns() - before) / 1e9;
}

static void keep_minimum(double *minimum, double value)
{
	if (*minimum == 0 || value < *minimum)
		*minimum = value;
}

static void measure(void)
{
	char few[PATH_MAX], many[PATH_MAX];
	double cost_few = 0, cost_many = 0;

	snprintf(few, sizeof(few), "%s/1e5", folder);
	snprintf(many, sizeof(many), "%s/1e6", folder);
	make_session(few, 100000);
	make_session(many, 1000000);
	for (int i = 0; i < NR_ROUNDS; i++) {
		keep_minimum(&cost_few, run_report(few));
		keep_minimum(&cost_many, run_report(many));
	}
	printf("# binary of %.1f MB, %.1f MB of code\n", (double)binary.file_bytes / 1e6,
	       (double)binary.text_bytes / 1e6);
	if (bench_wanted("report_symbols_1e6"))
		bench_print("report_symbols_1e6", cost_many, "s");
	if (bench_wanted("report_scaling"))
		bench_print("report_scaling", cost_many / cost_few, "x");
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");

	bench_init(argc, argv);
	if (!bench_wanted("report_symbols_1e6") && !bench_wanted("report_scaling"))
		return EXIT_SUCCESS;
	report_binary_open(&binary);
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	measure();
	return EXIT_SUCCESS;
}
