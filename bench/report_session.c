// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/report_session.h"

#include "bench/bench.h"
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

static struct sdb *open_samples(const char *session_dir, const struct report_binary *binary)
{
	const struct sdb_identity identity = {.event = "cpu-clock",
					      .cpu_type = "bench",
					      .host = "bench",
					      .app_path = binary->path,
					      .image_path = binary->path,
					      .image = binary->identity,
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
				   .identity = sample_identity(&binary->identity)};
	struct sdb *db = NULL;
	struct diag diag;
	int error;

	strcpy(name.app.path, binary->path);
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

void report_session_make(const char *session_dir, const struct report_binary *binary,
			 unsigned int nr_offsets)
{
	struct sdb *db = open_samples(session_dir, binary);
	uint64_t state = 1;

	if (binary->text_bytes < nr_offsets)
		bench_fail("the binary is too small", ERANGE);
	for (uint64_t i = 0; i < nr_offsets; i++) {
		uint64_t key = binary->text_offset + i * binary->text_bytes / nr_offsets;
		int error = sdb_add(db, key, 1 + bench_random(&state) % 4);

		if (error)
			bench_fail("adding", error);
	}
	sdb_close(db);
}

static void run_child(const char *const *words)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char program[PATH_MAX];
	int null = open("/dev/null", O_WRONLY);

	if (words[0][0] == '/')
		snprintf(program, sizeof(program), "%s", words[0]);
	else
		snprintf(program, sizeof(program), "%s/%s", top ? top : ".", words[0]);
	dup2(null, 1);
	dup2(null, 2);
	/* The cast is safe: execv() only reads the words. */
	execv(program, (char *const *)(uintptr_t)words);
	_exit(127);
}

double report_session_run(const char *const *words)
{
	uint64_t before = bench_process_ns();
	pid_t pid = fork();
	int status;

	if (!pid)
		run_child(words);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		bench_fail("fork", errno);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		bench_fail(words[0], ECANCELED);
	return (double)(bench_process_ns() - before) / 1e9;
}
