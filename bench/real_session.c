// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/real_session.h"

#include "bench/bench.h"
#include "libdb/slice/history_files.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"

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

/* Compiles each file of the tree, one after the other, repeatedly. */
#define COMPILE                                                                                    \
	"while :; do for f in \"$0\"/*/*.c; do"                                                    \
	" ${CC:-cc} -O2 -g -D_GNU_SOURCE -DOPROF_VERSION='\"0\"' -I\"$0\" -I\"$0/include\""        \
	" -c \"$f\" -o /dev/null; done; done"

#define CHAIN_DEPTH 64 /* as operf -g */

static const char *folder;

void real_session_fail(const struct diag *diag, int error)
{
	bench_fail(diag_show(diag), error);
}

/* ---- a real session ---- */

static void silence(void)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
}

/* The process has its own group, so that its children can be killed with it. */
static pid_t start_compiling(void)
{
	const char *top = getenv("OPROF_TOP_SRCDIR");
	pid_t pid = fork();

	if (pid < 0)
		bench_fail("fork", errno);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)setpgid(0, 0);
		silence();
		execl("/bin/sh", "sh", "-c", COMPILE, top ? top : ".", (char *)NULL);
		_exit(127);
	}
	(void)setpgid(pid, pid);
	return pid;
}

__attribute__((noreturn)) static void exec_daemon(unsigned int hz, unsigned int depth, int ready)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char program[PATH_MAX], session[PATH_MAX], frequency[32], fd[32], callgraph[32];

	snprintf(program, sizeof(program), "%s/oprofiled", top ? top : ".");
	snprintf(session, sizeof(session), "--session-dir=%s/session", folder);
	snprintf(frequency, sizeof(frequency), "--frequency=%u", hz);
	snprintf(fd, sizeof(fd), "--ready-fd=%d", ready);
	snprintf(callgraph, sizeof(callgraph), "--callgraph=%u", depth);
	silence();
	execl(program, program, session, "--foreground", "--system", "--event=cpu-clock",
	      "--separate=lib", "--start", frequency, fd, callgraph, (char *)NULL);
	_exit(127);
}

/* Returns when the daemon has reported that it samples. */
static pid_t start_daemon(unsigned int hz, unsigned int depth)
{
	char text[512] = "";
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		bench_fail("pipe", errno);
	pid = fork();
	if (pid < 0)
		bench_fail("fork", errno);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ready[0]);
		exec_daemon(hz, depth, ready[1]);
	}
	close(ready[1]);
	if (read(ready[0], text, sizeof(text) - 1) < 2 || strncmp(text, "ok", 2) != 0) {
		fprintf(stderr, "bench: oprofiled: %s\n", text);
		exit(EXIT_FAILURE);
	}
	close(ready[0]);
	return pid;
}

static void stop(pid_t pid, int signal_nr)
{
	kill(pid, signal_nr);
	while (waitpid(pid < 0 ? -pid : pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/*
 * Lets all CPUs compile for `seconds`, then ends the profiler. Returns false if
 * the profiler had ended before.
 */
static bool load_machine(pid_t profiler, unsigned int seconds)
{
	const long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct timespec left = {.tv_sec = seconds};
	pid_t compilers[64];
	bool works;
	long nr = 0;

	for (; nr < nr_cpus && nr < 64; nr++)
		compilers[nr] = start_compiling();
	while (nanosleep(&left, &left) && errno == EINTR)
		;
	works = !waitpid(profiler, NULL, WNOHANG);
	if (works)
		stop(profiler, SIGINT);
	while (nr)
		stop(-compilers[--nr], SIGKILL);
	return works;
}

static void record(const char *where, unsigned int seconds, unsigned int hz, unsigned int depth)
{
	folder = where;
	if (!load_machine(start_daemon(hz, depth), seconds))
		bench_fail("oprofiled ended", ECHILD);
}

void real_session_record(const char *where, unsigned int seconds, unsigned int hz)
{
	record(where, seconds, hz, 0);
}

void real_session_record_stacks(const char *where, unsigned int seconds, unsigned int hz)
{
	record(where, seconds, hz, CHAIN_DEPTH);
}

/* -N and -B prevent perf from changing the user's build-id cache. */
__attribute__((noreturn)) static void exec_perf(const char *path, unsigned int hz,
						const char *option)
{
	char frequency[32];

	snprintf(frequency, sizeof(frequency), "%u", hz);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	silence();
	execlp("perf", "perf", "record", "-q", "-a", "-g", "-N", "-B", "--no-bpf-event", "-e",
	       "cpu-clock", "-F", frequency, "-o", path, option, (char *)NULL);
	_exit(127);
}

bool real_session_record_perf(const char *path, unsigned int seconds, unsigned int hz,
			      const char *option)
{
	pid_t pid = fork();

	if (pid < 0)
		bench_fail("fork", errno);
	if (!pid)
		exec_perf(path, hz, option);
	return load_machine(pid, seconds) && !access(path, R_OK);
}

/* ---- the session's samples ---- */

struct conversion {
	struct slice_builder *builder;
	uint64_t epoch_closed;
};

static int add_file(const char *path, const struct sample_name *name, const struct diag *diag,
		    void *context)
{
	struct conversion *conversion = context;
	struct slice_section section;
	struct sdb_image image;
	struct diag why;
	int64_t number;
	int error;

	if (!name)
		real_session_fail(diag, -EINVAL);
	error = sdb_image_load(path, &image, &why);
	if (error)
		real_session_fail(&why, error);
	if (!image.header.epoch || image.header.epoch > conversion->epoch_closed) {
		slice_section_of_file(&section, name, &image);
		number = slice_builder_section(conversion->builder, &section);
		if (number < 0 || slice_builder_add_entries(conversion->builder, number,
							    image.entries, image.nr_entries))
			bench_fail("slice_builder", -ENOMEM);
	}
	sdb_image_deinit(&image);
	return 0;
}

static void add_slice(struct slice_builder *builder, const char *path)
{
	const struct slice_section *sections;
	struct slice *slice;
	struct diag diag;
	size_t nr_sections;
	int error = slice_open(&slice, path, &diag);

	if (error)
		real_session_fail(&diag, error);
	sections = slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections; i++) {
		struct sdb_entry *entries = malloc(sections[i].nr_keys * sizeof(*entries));
		int64_t number = slice_builder_section(builder, &sections[i]);

		if (!entries || number < 0)
			bench_fail("memory", -ENOMEM);
		error = slice_read_section(slice, entries, &diag);
		if (error)
			real_session_fail(&diag, error);
		if (slice_builder_add_entries(builder, number, entries, sections[i].nr_keys))
			bench_fail("memory", -ENOMEM);
		free(entries);
	}
	slice_close(slice);
}

/* Loads the whole session: closed slices and live files. */
struct slice_builder *real_session_load(const char *where)
{
	struct history_files history = {0};
	struct conversion conversion = {0};
	char session[PATH_MAX];
	int error;

	snprintf(session, sizeof(session), "%s/session/samples/current", where);
	if (slice_builder_create(&conversion.builder))
		bench_fail("memory", -ENOMEM);
	error = history_files_list(&history, session, NULL, NULL);
	if (error)
		bench_fail(session, error);
	for (size_t i = 0; i < history.nr_files; i++)
		if (!history.files[i].superseded)
			add_slice(conversion.builder, history.files[i].path);
	conversion.epoch_closed = history.epoch_closed;
	history_files_deinit(&history);
	error = sample_name_walk(session, add_file, &conversion);
	if (error)
		bench_fail(session, error);
	return conversion.builder;
}
