// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Closed slices of a real session: oprofiled profiles the whole machine while
 * it compiles this tree's sources, and what it has filed becomes a slice.
 * Bytes are the file's length; times are of its keys, decoded or encoded,
 * and of closing a minute of 100 sections and 5,000 keys.
 */
#include "bench/bench.h"

#include "lib/diag.h"
#include "lib/file.h"
#include "libdb/history_files.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"
#include "libdb/slice.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS		   20
#define HZ		   "997"
#define NR_ROUNDS	   20
#define NR_MERGED	   60
#define NR_MINUTE_SECTIONS 100u
#define NR_MINUTE_KEYS	   5000u

/* One compiler after the other, for each file of the tree. */
#define COMPILE                                                                                    \
	"while :; do for f in \"$0\"/*/*.c; do"                                                    \
	" ${CC:-cc} -O2 -g -D_GNU_SOURCE -DOPROF_VERSION='\"0\"' -I\"$0\" -I\"$0/include\""        \
	" -c \"$f\" -o /dev/null; done; done"

static char folder[PATH_MAX / 2];
static char slice_path[PATH_MAX];
static uint64_t nr_keys;

static void fail_diag(const struct diag *diag, int error)
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

/* In a process group of its own, so that its children end with it. */
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

__attribute__((noreturn)) static void exec_daemon(int ready)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char program[PATH_MAX], session[PATH_MAX], fd[32];

	snprintf(program, sizeof(program), "%s/oprofiled", top ? top : ".");
	snprintf(session, sizeof(session), "--session-dir=%s/session", folder);
	snprintf(fd, sizeof(fd), "--ready-fd=%d", ready);
	silence();
	execl(program, program, session, "--foreground", "--system", "--event=cpu-clock",
	      "--separate=lib", "--start", "--frequency=" HZ, fd, (char *)NULL);
	_exit(127);
}

/* It says when it samples. */
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
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ready[0]);
		exec_daemon(ready[1]);
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

static void record_session(void)
{
	const long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct timespec left = {.tv_sec = SECONDS};
	pid_t compilers[64], daemon = start_daemon();
	long nr = 0;

	for (; nr < nr_cpus && nr < 64; nr++)
		compilers[nr] = start_compiling();
	while (nanosleep(&left, &left) && errno == EINTR)
		;
	stop(daemon, SIGINT);
	while (nr)
		stop(-compilers[--nr], SIGKILL);
}

/* ---- its slice ---- */

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
		fail_diag(diag, -EINVAL);
	error = sdb_image_load(path, &image, &why);
	if (error)
		fail_diag(&why, error);
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
		fail_diag(&diag, error);
	sections = slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections; i++) {
		struct sdb_entry *entries = malloc(sections[i].nr_keys * sizeof(*entries));
		int64_t number = slice_builder_section(builder, &sections[i]);

		if (!entries || number < 0)
			bench_fail("memory", -ENOMEM);
		error = slice_read_section(slice, entries, &diag);
		if (error)
			fail_diag(&diag, error);
		if (slice_builder_add_entries(builder, number, entries, sections[i].nr_keys))
			bench_fail("memory", -ENOMEM);
		free(entries);
	}
	slice_close(slice);
}

/* All of the session: what was closed already, and what is in live files. */
static struct slice_builder *load_session(void)
{
	struct history_files history = {0};
	struct conversion conversion = {0};
	char session[PATH_MAX];
	int error;

	snprintf(session, sizeof(session), "%s/session/samples/current", folder);
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

static struct slice_info info_of(uint64_t epoch)
{
	return (struct slice_info){.level = OPROF_SLICE_MINUTE,
				   .epoch_first = epoch,
				   .epoch_last = epoch,
				   .host = "bench",
				   .cpu_type = "bench"};
}

static uint64_t write_slice(struct slice_builder *builder, uint64_t epoch, const char *path)
{
	const struct slice_info info = info_of(epoch);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint64_t nr_bytes;
	int error = fd < 0 ? -errno : slice_builder_write(builder, &info, fd, &nr_bytes);

	if (error)
		bench_fail(path, error);
	close(fd);
	return nr_bytes;
}

static void keep_minimum(double *minimum, double value)
{
	if (*minimum == 0 || value < *minimum)
		*minimum = value;
}

static void bench_bytes(struct slice_builder *builder)
{
	const uint64_t nr_bytes = write_slice(builder, 1, slice_path);
	struct slice *slice;
	struct diag diag;
	int error = slice_open(&slice, slice_path, &diag);
	const struct oprof_slice_header *header;
	uint64_t nr_samples;

	if (error)
		fail_diag(&diag, error);
	header = slice_header(slice);
	nr_keys = header->nr_keys;
	nr_samples = header->nr_samples + header->nr_idle;
	if (bench_wanted("slice_bytes_per_key")) {
		printf("# %llu keys of %llu samples in %llu sections; per key %.2f B tables, %.2f keys, "
		       "%.2f counts\n",
		       (unsigned long long)nr_keys, (unsigned long long)nr_samples,
		       (unsigned long long)header->nr_sections,
		       (double)header->tables.nr_bytes / (double)nr_keys,
		       (double)header->keys.nr_bytes / (double)nr_keys,
		       (double)header->counts.nr_bytes / (double)nr_keys);
		bench_print("slice_bytes_per_key", (double)nr_bytes / (double)nr_keys, "B");
	}
	slice_close(slice);
}

/* ---- times ---- */

static void bench_write(struct slice_builder *builder)
{
	double best = 0;

	if (!bench_wanted("slice_write"))
		return;
	for (int round = 0; round < NR_ROUNDS; round++) {
		uint64_t begin = bench_thread_ns();

		(void)write_slice(builder, 1, slice_path);
		keep_minimum(&best, (double)(bench_thread_ns() - begin) / (double)nr_keys);
	}
	bench_print("slice_write", best, "ns");
}

static void read_all(struct slice *slice)
{
	const struct slice_section *sections;
	struct diag diag;
	size_t nr_sections;

	sections = slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections; i++) {
		struct sdb_entry *entries = malloc(sections[i].nr_keys * sizeof(*entries));
		int error = entries ? slice_read_section(slice, entries, &diag) : -ENOMEM;

		if (error)
			fail_diag(&diag, error);
		free(entries);
	}
}

static void bench_read(void)
{
	double best = 0;

	if (!bench_wanted("slice_read"))
		return;
	for (int round = 0; round < NR_ROUNDS; round++) {
		uint64_t begin = bench_thread_ns();
		struct slice *slice;
		struct diag diag;
		int error = slice_open(&slice, slice_path, &diag);

		if (error)
			fail_diag(&diag, error);
		read_all(slice);
		slice_close(slice);
		keep_minimum(&best, (double)(bench_thread_ns() - begin) / (double)nr_keys);
	}
	bench_print("slice_read", best, "ns");
}

/* An hour of minutes alike: each key of each is read, one of 60 written. */
static void bench_merge(struct slice_builder *builder)
{
	static char paths[NR_MERGED][PATH_MAX];
	const char *inputs[NR_MERGED];
	int fd = memfd_create("sum", MFD_CLOEXEC);
	double best = 0;

	if (!bench_wanted("slice_merge"))
		return;
	for (unsigned int i = 0; i < NR_MERGED; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/%u", folder, i);
		(void)write_slice(builder, i + 1, paths[i]);
		inputs[i] = paths[i];
	}
	for (int round = 0; round < NR_ROUNDS / 4; round++) {
		uint64_t begin = bench_thread_ns(), nr_bytes;
		struct diag diag;
		int error = slice_merge(inputs, NR_MERGED, OPROF_SLICE_HOUR, fd, &nr_bytes, &diag);

		if (error)
			fail_diag(&diag, error);
		keep_minimum(&best,
			     (double)(bench_thread_ns() - begin) / ((double)nr_keys * NR_MERGED));
	}
	close(fd);
	bench_print("slice_merge", best, "ns");
}

/* As the daemon closes a minute at 99 Hz: sections and entries of live files in, a file out. */
static double close_minute(void)
{
	struct slice_section section = {.image = {.kind = SAMPLE_PATH_ROOT},
					.app = {.kind = SAMPLE_PATH_ROOT, .path = "/usr/bin/app"},
					.identity = {.nr_build_id = 20},
					.image_kind = OPROF_IMAGE_FILE,
					.event = "cpu-clock",
					.period_or_hz = 99,
					.flags = OPROF_SDB_FREQUENCY,
					.tgid = SAMPLE_NAME_ALL,
					.tid = SAMPLE_NAME_ALL,
					.cpu = SAMPLE_NAME_ALL};
	struct sdb_entry entries[NR_MINUTE_KEYS / NR_MINUTE_SECTIONS];
	uint64_t state = 1, key, begin = bench_thread_ns();
	struct slice_builder *builder;
	char text[64];

	if (slice_builder_create(&builder))
		bench_fail("memory", -ENOMEM);
	for (unsigned int i = 0; i < NR_MINUTE_SECTIONS; i++) {
		int64_t number;

		snprintf(text, sizeof(text), "/usr/lib/x86_64-linux-gnu/lib%u.so", i);
		section.image.path = text;
		memcpy(section.identity.build_id, &i, sizeof(i));
		number = slice_builder_section(builder, &section);
		key = 0;
		for (size_t k = 0; k < sizeof(entries) / sizeof(entries[0]); k++) {
			key += 1 + bench_random(&state) % 5000;
			entries[k] = (struct sdb_entry){key, 1, 1};
		}
		if (slice_builder_add_entries(builder, number, entries,
					      sizeof(entries) / sizeof(entries[0])))
			bench_fail("memory", -ENOMEM);
	}
	(void)write_slice(builder, 1, slice_path);
	slice_builder_destroy(builder);
	return (double)(bench_thread_ns() - begin) / 1e6;
}

static void bench_close(void)
{
	double best = 0;

	if (!bench_wanted("slice_close_minute"))
		return;
	for (int round = 0; round < NR_ROUNDS; round++)
		keep_minimum(&best, close_minute());
	bench_print("slice_close_minute", best, "ms");
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");
	struct slice_builder *builder;

	bench_init(argc, argv);
	if (!bench_wanted("slice_bytes_per_key") && !bench_wanted("slice_write") &&
	    !bench_wanted("slice_read") && !bench_wanted("slice_merge") &&
	    !bench_wanted("slice_close_minute"))
		return EXIT_SUCCESS;
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	snprintf(slice_path, sizeof(slice_path), "%s/slice", folder);
	bench_close();
	record_session();
	builder = load_session();
	bench_bytes(builder);
	bench_write(builder);
	bench_read();
	bench_merge(builder);
	slice_builder_destroy(builder);
	return EXIT_SUCCESS;
}
