// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * User stacks by unwind tables: the share of complete stacks, for programs of
 * the distribution, and the cost compared with perf record's methods.
 */
#include "bench/bench.h"

#include "lib/file.h"
#include "oprof/session.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_ROUNDS 3
#define HZ	  "997"

static char folder[PATH_MAX / 2];
static const char *top, *source;

/* ---- the programs ---- */

/*
 * Each program runs for about a second of CPU time. Programs that this machine lacks are skipped.
 */
static const struct program {
	const char *name, *needs, *command;
} programs[] = {
	{"perl", "perl",
	 "perl -e 'for (1..600000) { $h{$_ % 5000} .= \"x$_\" } @s = sort { $h{$a} cmp $h{$b} } "
	 "keys %h; for (1..200000) { $t = \"abc$_\"; $t =~ s/(\\d)/<$1>/g }'"},
	{"python3", "python3",
	 "python3 -c 'import ast, json\n"
	 "text = open(ast.__file__).read()\n"
	 "for i in range(10):\n"
	 "  compile(text, str(i), \"exec\")\n"
	 "  json.loads(json.dumps([{str(k): [k, text[:k % 50]]} for k in range(20000)]))'"},
	{"git", "git", "git diff --no-index --stat /usr/include/linux /usr/include/c++"},
	{"cc1", "gcc",
	 "for f in \"$SOURCE\"/daemon/p*/*.c; do gcc -O2 -D_GNU_SOURCE -DOPROF_VERSION='\"\"' "
	 "-I\"$SOURCE\" -I\"$SOURCE/include\" -c \"$f\" -o /dev/null; done"},
	{"tar_gzip", "gzip", "tar cf - /usr/include 2>/dev/null | gzip -c"},
	{"xz", "xz", "tar cf - /usr/include/linux 2>/dev/null | xz -c"},
	{"sort", "sort", "seq 1 700000 | sort -k1,1 | sort -R"},
	{"bash", "bash", "bash -c 'for ((i = 0; i < 300000; i++)); do s=$((s + i)); done'"},
	{"find", "find", "for i in 1 2 3 4 5; do find /usr -name '*.h' -size +4k; done"},
	{"grep", "grep", "grep -rE '(unsigned|signed) +[a-z]+_t' /usr/include"},
	{"openssl", "openssl", "openssl speed -seconds 1 rsa2048 aes-256-cbc"},
};

static void silence(void)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
}

/*
 * Returns the command's exit status. *usage becomes the resource usage of the
 * command and of all children that it waited for.
 */
static int run(const char *command, struct rusage *usage)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		(void)setenv("SOURCE", source, 1);
		silence();
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, usage) != pid)
		bench_fail("sh", errno);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static bool is_there(const char *program)
{
	char command[256];

	(void)snprintf(command, sizeof(command), "command -v %s", program);
	return !run(command, NULL);
}

/* ---- the share of complete stacks ---- */

static uint64_t counter(const struct oprof_stats_file *stats, const char *name)
{
	for (uint32_t i = 0; i < stats->nr_entries; i++)
		if (!strncmp(stats->entries[i].name, name, OPROF_STATS_NAME_BYTES))
			return stats->entries[i].value;
	return 0;
}

static struct oprof_stats_file *read_stats(const char *session)
{
	char path[PATH_MAX + 64];
	char *bytes;
	int error;

	(void)snprintf(path, sizeof(path), "%s/samples/current/meta/stats", session);
	error = file_read_text(path, 1 << 20, &bytes, NULL);
	if (error)
		bench_fail(path, -error);
	return (void *)bytes;
}

static void profile(const struct program *program, const char *session)
{
	char path[PATH_MAX];
	pid_t pid = fork();

	if (!pid) {
		(void)setenv("SOURCE", source, 1);
		(void)snprintf(path, sizeof(path), "%s/operf", top);
		silence();
		execl(path, path, "-g", "--unwind=tables", "-F", HZ, "-e", "cpu-clock", "-d",
		      session, "sh", "-c", program->command, (char *)NULL);
		_exit(125);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		bench_fail("operf", errno);
}

static void bench_whole(const struct program *program)
{
	char name[64], session[PATH_MAX];
	struct oprof_stats_file *stats;
	uint64_t whole, truncated, broken;

	(void)snprintf(name, sizeof(name), "unwind_whole_%s", program->name);
	if (!bench_wanted(name))
		return;
	if (!is_there(program->needs)) {
		printf("# %s: not installed\n", program->needs);
		return;
	}
	(void)snprintf(session, sizeof(session), "%s/session", folder);
	profile(program, session);
	stats = read_stats(session);
	whole = counter(stats, "chains_whole");
	truncated = counter(stats, "chains_truncated");
	broken = counter(stats, "chains_broken");
	if (!(whole + truncated + broken))
		bench_fail("no stack was walked", ENODATA);
	bench_print(name, 100.0 * (double)whole / (double)(whole + truncated + broken), "%");
	printf("# %s: %llu whole, %llu truncated, %llu broken; %.1f frames each, %llu of %llu by "
	       "frame pointer; %llu samples lost\n",
	       program->name, (unsigned long long)whole, (unsigned long long)truncated,
	       (unsigned long long)broken,
	       (double)counter(stats, "frames_walked") / (double)(whole + truncated + broken),
	       (unsigned long long)counter(stats, "frames_by_pointer"),
	       (unsigned long long)counter(stats, "frames_walked"),
	       (unsigned long long)counter(stats, "lost_kernel_ring"));
	free(stats);
}

/* ---- the cost of recording stacks ---- */

enum way { WAY_NONE, WAY_TABLES, WAY_PERF_DWARF, WAY_FP, WAY_PERF_FP, NR_WAYS };

struct cost {
	double profiler_seconds; /* the profiler's CPU time, excluding the load's */
	double load_seconds;
	double nr_bytes; /* bytes written */
};

static bool is_perf(enum way way)
{
	return way == WAY_PERF_DWARF || way == WAY_PERF_FP;
}

static double seconds_of(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

__attribute__((noreturn)) static void exec_ours(enum way way, int ready)
{
	char program[PATH_MAX], session[PATH_MAX], fd[32];

	(void)snprintf(program, sizeof(program), "%s/oprofiled", top);
	(void)snprintf(session, sizeof(session), "--session-dir=%s/out", folder);
	(void)snprintf(fd, sizeof(fd), "--ready-fd=%d", ready);
	silence();
	execl(program, program, session, "--foreground", "--system", "--event=cpu-clock",
	      "--separate=lib", "--callgraph=127",
	      way == WAY_TABLES ? "--unwind=tables" : "--unwind=fp", "--start", "--frequency=" HZ,
	      fd, (char *)NULL);
	_exit(127);
}

__attribute__((noreturn)) static void exec_perf(enum way way)
{
	char output[PATH_MAX];

	(void)snprintf(output, sizeof(output), "%s/out/perf.data", folder);
	silence();
	execlp("perf", "perf", "record", "-q", "-a", "-e", "cpu-clock", "-F", HZ, "--call-graph",
	       way == WAY_PERF_DWARF ? "dwarf,32768" : "fp", "-o", output, (char *)NULL);
	_exit(127);
}

static void sleep_ms(unsigned int ms)
{
	struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static pid_t start(enum way way)
{
	char text[512] = "";
	int ready[2];
	pid_t pid;

	if (way == WAY_NONE)
		return 0;
	if (pipe(ready))
		bench_fail("pipe", errno);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ready[0]);
		if (is_perf(way))
			exec_perf(way);
		exec_ours(way, ready[1]);
	}
	close(ready[1]);
	if (is_perf(way))
		sleep_ms(500); /* perf does not report when it begins to sample */
	else if (read(ready[0], text, sizeof(text) - 1) < 2 || strncmp(text, "ok", 2) != 0)
		bench_fail(text, EIO);
	close(ready[0]);
	return pid;
}

static double nr_bytes_found;

static int add_bytes(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)path;
	(void)ftw;
	if (flag == FTW_F)
		nr_bytes_found += (double)st->st_blocks * 512;
	return 0;
}

/*
 * The load, which is the same for all methods: two concurrent programs that run for some seconds.
 */
static const char load_command[] =
	"perl -e 'for (1..1200000) { $h{$_ % 5000} .= \"x$_\" } for (1..500000) { $t = \"abc$_\"; "
	"$t =~ s/(\\d)/<$1>/g }' & for f in \"$SOURCE\"/daemon/k*/*.c; do gcc -O2 -D_GNU_SOURCE "
	"-I\"$SOURCE\" -I\"$SOURCE/include\" -c \"$f\" -o /dev/null; done; wait";

static void measure(enum way way, struct cost *cost)
{
	char path[PATH_MAX];
	struct rusage load, profiler = {.ru_maxrss = 0};
	pid_t pid;

	/* The code tables are not removed, because they are built only once per binary. */
	(void)snprintf(path, sizeof(path), "%s/out/samples", folder);
	(void)file_remove_tree(path);
	(void)snprintf(path, sizeof(path), "%s/out/perf.data", folder);
	(void)unlink(path); /* otherwise perf keeps it as a backup */
	(void)snprintf(path, sizeof(path), "%s/out", folder);
	if (file_make_dirs(path, 0700))
		bench_fail(path, EIO);
	pid = start(way);
	(void)run(load_command, &load);
	if (pid) {
		(void)kill(pid, SIGINT);
		if (wait4(pid, NULL, 0, &profiler) != pid)
			bench_fail("profiler", errno);
	}
	nr_bytes_found = 0;
	if (!is_perf(way))
		(void)snprintf(path, sizeof(path), "%s/out/samples", folder);
	(void)nftw(path, add_bytes, 16, FTW_PHYS);
	if (cost->load_seconds == 0 || seconds_of(&load) < cost->load_seconds)
		cost->load_seconds = seconds_of(&load);
	if (cost->profiler_seconds == 0 || seconds_of(&profiler) < cost->profiler_seconds)
		cost->profiler_seconds = seconds_of(&profiler);
	cost->nr_bytes = nr_bytes_found;
}

static void print_pair(const char *name, double ours, double perf, const char *unit)
{
	char text[64];

	bench_print(name, ours, unit);
	if (perf == 0)
		return;
	(void)snprintf(text, sizeof(text), "peer_%s", name);
	bench_print(text, perf, unit);
	(void)snprintf(text, sizeof(text), "ratio_%s", name);
	bench_print(text, ours / perf, "x");
}

static double share(const struct cost *cost)
{
	return cost->load_seconds > 0 ? 100 * cost->profiler_seconds / cost->load_seconds : 0;
}

static void print_costs(const struct cost *costs, enum way ours, const char *suffix)
{
	const struct cost *us = &costs[ours];
	const struct cost *perf = &costs[ours + 1];
	double none = costs[WAY_NONE].load_seconds;
	char name[64];

	(void)snprintf(name, sizeof(name), "unwind_cpu_997_%s", suffix);
	print_pair(name, share(us), share(perf), "%");
	(void)snprintf(name, sizeof(name), "unwind_slowdown_997_%s", suffix);
	print_pair(name, us->load_seconds / none, perf->load_seconds / none, "x");
	(void)snprintf(name, sizeof(name), "unwind_bytes_997_%s", suffix);
	print_pair(name, us->nr_bytes / 1e6, perf->nr_bytes / 1e6, "MB");
}

static void bench_cost(void)
{
	struct cost costs[NR_WAYS] = {{.nr_bytes = 0}};
	bool has_perf = is_there("perf");

	if (!bench_wanted("unwind_cpu_997_tables") && !bench_wanted("unwind_slowdown_997_tables") &&
	    !bench_wanted("unwind_bytes_997_tables") && !bench_wanted("unwind_cpu_997_fp") &&
	    !bench_wanted("unwind_slowdown_997_fp") && !bench_wanted("unwind_bytes_997_fp"))
		return;
	printf("# cpu: of the profiler, by that of the load; peers: perf record --call-graph "
	       "dwarf,32768 and fp\n");
	for (int round = 0; round < NR_ROUNDS; round++)
		for (enum way way = WAY_NONE; way < NR_WAYS; way++)
			if (has_perf || !is_perf(way))
				measure(way, &costs[way]);
	print_costs(costs, WAY_TABLES, "tables");
	print_costs(costs, WAY_FP, "fp");
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *place = getenv("TMPDIR");

	bench_init(argc, argv);
	top = getenv("OPROF_TOP_BUILDDIR");
	source = getenv("OPROF_TOP_SRCDIR");
	top = top ? top : ".";
	source = source ? source : ".";
	(void)snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", place ? place : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		bench_whole(&programs[i]);
	bench_cost();
	return EXIT_SUCCESS;
}
