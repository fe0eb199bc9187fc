// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A report by symbol over a day of a busy machine's history: 22 slices of an hour and 120 of a
 * minute. Measures the CPU time of opreport and of its children, which read the binaries.
 *
 * The samples are generated: they represent 2 CPUs that compile all the time,
 * sampled at 99 Hz, in the compilers, shells and libraries of this machine and
 * in a kernel of 100,000 symbols; up to 230,000 keys per hour. There is no
 * peer, because no other profiler keeps such a history.
 */
#include "bench/bench.h"

#include "lib/buildid.h"
#include "lib/diag.h"
#include "lib/file.h"
#include "libdb/slice/history_files.h"
#include "libdb/sample_name.h"
#include "libdb/slice/slice.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_ROUNDS	  5
#define NR_APPS		  120
#define NR_HOURS	  22
#define NR_MINUTES	  120
#define SAMPLES_PER_MIN	  (99 * 2 * 60)
#define KEYS_PER_HOUR	  230000
#define NR_KERNEL_SYMBOLS 100000
#define KERNEL_BYTES	  ((uint64_t)NR_KERNEL_SYMBOLS * 160)
#define NS_PER_MIN	  INT64_C(60000000000)
#define BEGIN_NS	  INT64_C(1795104000000000000)

struct binary {
	char path[PATH_MAX];
	struct oprof_image_identity identity;
	uint64_t nr_bytes;
};

static struct binary apps[NR_APPS], libraries[8], kernel;
static size_t nr_apps, nr_libraries;
static char folder[PATH_MAX / 2];
static uint64_t nr_keys, nr_bytes, random_state = 1;

/* ---- the binaries ---- */

static bool open_binary(struct binary *binary, const char *path)
{
	struct buildid id;
	struct stat st;

	if (!realpath(path, binary->path) || stat(binary->path, &st) ||
	    buildid_read_file(binary->path, &id) || !id.nr_bytes)
		return false;
	binary->identity = (struct oprof_image_identity){.nr_build_id = id.nr_bytes};
	memcpy(binary->identity.build_id, id.bytes, id.nr_bytes);
	binary->nr_bytes = (uint64_t)st.st_size;
	return true;
}

static void add_library(const char *path)
{
	if (nr_libraries < sizeof(libraries) / sizeof(libraries[0]) &&
	    open_binary(&libraries[nr_libraries], path))
		nr_libraries++;
}

static void add_app(const char *path)
{
	if (nr_apps == NR_APPS || !open_binary(&apps[nr_apps], path))
		return;
	for (size_t i = 0; i < nr_apps; i++)
		if (!strcmp(apps[i].path, apps[nr_apps].path))
			return;
	nr_apps++;
}

/*
 * The compiler proper must be the first application, because choose() chooses
 * the first one most often.
 */
static void add_compiler(void)
{
	FILE *pipe = popen("gcc -print-prog-name=cc1 2>/dev/null", "re");
	char path[PATH_MAX];

	if (pipe && fgets(path, sizeof(path), pipe)) {
		path[strcspn(path, "\n")] = '\0';
		add_app(path);
	}
	if (pipe)
		(void)pclose(pipe);
}

static void find_binaries(void)
{
	static const char *const first[] = {"/usr/bin/as", "/usr/bin/ld", "/usr/bin/make",
					    "/bin/bash", "/bin/sh"};
	static const char *const wanted[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/aarch64-linux-gnu/libc.so.6",
		"/lib64/libc.so.6",
		"/lib64/ld-linux-x86-64.so.2",
		"/lib/x86_64-linux-gnu/libz.so.1",
		"/lib/x86_64-linux-gnu/libm.so.6",
		"/usr/lib/x86_64-linux-gnu/libgmp.so.10",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	};
	struct dirent **entries;
	int nr = scandir("/usr/bin", &entries, NULL, alphasort);
	char path[PATH_MAX];

	add_compiler();
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		add_app(first[i]);
	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/usr/bin/%s", entries[i]->d_name);
		add_app(path);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		add_library(wanted[i]);
	if (nr_apps < 20 || !nr_libraries)
		bench_fail("too few binaries in /usr/bin", ENOENT);
}

/* Writes the kernel's symbols as the daemon does. */
static void make_kernel(const char *session)
{
	char path[2 * PATH_MAX];
	char *text = NULL;
	size_t nr = 0;
	FILE *out = open_memstream(&text, &nr);

	strcpy(kernel.path, "vmlinux");
	kernel.nr_bytes = KERNEL_BYTES;
	kernel.identity = (struct oprof_image_identity){.nr_build_id = 20, .build_id = {1, 2, 3}};
	snprintf(path, sizeof(path), "%s/meta/symbols/%016" PRIx64, session,
		 sample_identity(&kernel.identity));
	if (!out || file_make_parent_dirs(path, 0700))
		bench_fail(path, errno);
	fputs("oprof-kernel-symbols 1\n", out);
	for (unsigned int i = 0; i < NR_KERNEL_SYMBOLS; i++)
		fprintf(out, "%x %x t kernel_function_%u\n", i * 160, 160, i);
	if (fclose(out) || file_replace(path, text, nr, 0600))
		bench_fail(path, errno);
	free(text);
}

/* ---- slices ---- */

/*
 * Returns a random index that is often low, because few binaries are hot: each
 * binary gets a quarter of the samples that the preceding binaries do not get.
 */
static size_t choose(size_t nr)
{
	size_t i = 0;

	while (i + 1 < nr && bench_random(&random_state) % 4 < 3)
		i++;
	return i;
}

static void set_section(struct slice_section *section, const struct binary *app,
			const struct binary *image)
{
	*section = (struct slice_section){
		.app = {.kind = SAMPLE_PATH_ROOT, .path = app->path},
		.image = {.kind = image == &kernel ? SAMPLE_PATH_KERN : SAMPLE_PATH_ROOT,
			  .path = image->path},
		.identity = image->identity,
		.image_kind = image == &kernel ? OPROF_IMAGE_KERNEL : OPROF_IMAGE_FILE,
		.event = "cpu-clock",
		.period_or_hz = 99,
		.flags = OPROF_SDB_FREQUENCY,
		.tgid = SAMPLE_NAME_ALL,
		.tid = SAMPLE_NAME_ALL,
		.cpu = SAMPLE_NAME_ALL,
	};
}

/* Returns the number of functions of an image that have samples. */
static uint64_t nr_hot_functions(const struct binary *image)
{
	if (image == &kernel)
		return 6000;
	if (image == &apps[0])
		return 8000;
	return image >= libraries && image < libraries + nr_libraries ? 1000 : 500;
}

/*
 * Returns the key of a random sample. The first functions get the most samples,
 * because the product of two random numbers is small more often than large.
 */
static uint64_t choose_key(const struct binary *image)
{
	uint64_t a = bench_random(&random_state) >> 40;
	uint64_t b = bench_random(&random_state) >> 40;
	uint64_t function = (a * b >> 16) * nr_hot_functions(image) >> 32;
	uint64_t place = function + 1;

	return bench_random(&place) % (image->nr_bytes - 256) +
	       bench_random(&random_state) % 64 * 4;
}

static void add_samples(struct slice_builder *builder, uint64_t nr_wanted)
{
	for (uint64_t i = 0; i < nr_wanted; i++) {
		const struct binary *app = &apps[choose(nr_apps)];
		uint64_t kind = bench_random(&random_state) % 10;
		const struct binary *image = kind < 6	? app
					     : kind < 8 ? &libraries[choose(nr_libraries)]
							: &kernel;
		struct slice_section section;
		int64_t number;

		set_section(&section, app, image);
		number = slice_builder_section(builder, &section);
		if (number < 0 || slice_builder_add(builder, number, choose_key(image), 3, 3))
			bench_fail("adding", ENOMEM);
	}
}

static void count_keys(const char *path)
{
	struct slice *slice;
	struct diag diag;

	if (slice_open(&slice, path, &diag))
		bench_fail(diag_show(&diag), EILSEQ);
	nr_keys += slice_header(slice)->nr_keys;
	slice_close(slice);
}

static void make_slice(const char *session, enum oprof_slice_level level, uint64_t epoch,
		       uint64_t nr_epochs, uint64_t nr_wanted)
{
	const struct slice_info info = {
		.level = level,
		.epoch_first = epoch,
		.epoch_last = epoch + nr_epochs - 1,
		.begin_ns = BEGIN_NS + (int64_t)epoch * NS_PER_MIN,
		.end_ns = BEGIN_NS + (int64_t)(epoch + nr_epochs) * NS_PER_MIN,
		.host = "bench",
		.cpu_type = "bench",
	};
	struct slice_builder *builder;
	char path[2 * PATH_MAX], name[128];
	uint64_t nr = 0;
	int fd;

	history_file_name(name, sizeof(name), level, info.epoch_first, info.epoch_last);
	snprintf(path, sizeof(path), "%s/" OPROF_SLICE_FOLDER "/%s", session, name);
	if (file_make_parent_dirs(path, 0700) || slice_builder_create(&builder))
		bench_fail(path, errno);
	add_samples(builder, nr_wanted);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || slice_builder_write(builder, &info, fd, &nr) || close(fd))
		bench_fail(path, errno);
	slice_builder_destroy(builder);
	nr_bytes += nr;
	count_keys(path);
}

static void make_history(void)
{
	char session[PATH_MAX];
	uint64_t epoch = 1;

	snprintf(session, sizeof(session), "%s/samples/current", folder);
	find_binaries();
	make_kernel(session);
	for (int i = 0; i < NR_HOURS; i++, epoch += 60)
		make_slice(session, OPROF_SLICE_HOUR, epoch, 60, KEYS_PER_HOUR);
	for (int i = 0; i < NR_MINUTES; i++, epoch++)
		make_slice(session, OPROF_SLICE_MINUTE, epoch, 1, SAMPLES_PER_MIN * 2 / 3);
}

/* ---- runs ---- */

static void run_child(const char *option)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char program[PATH_MAX], dir[PATH_MAX];
	int null = open("/dev/null", O_WRONLY);

	snprintf(program, sizeof(program), "%s/opreport", top ? top : ".");
	snprintf(dir, sizeof(dir), "--session-dir=%s", folder);
	dup2(null, 1);
	dup2(null, 2);
	execl(program, program, dir, "--from=@0", option, (char *)NULL);
	_exit(127);
}

/*
 * Returns the CPU seconds of one report. Raises *max_kb to the peak memory of
 * opreport or its largest child.
 */
static double run_report(const char *option, long *max_kb)
{
	uint64_t before = bench_process_ns();
	struct rusage usage;
	pid_t pid = fork();
	int status;

	if (!pid)
		run_child(option);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		bench_fail("fork", errno);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		bench_fail("opreport failed", ECANCELED);
	if (usage.ru_maxrss > *max_kb)
		*max_kb = usage.ru_maxrss;
	return (double)(bench_process_ns() - before) / 1e9;
}

static double measure(const char *option, long *max_kb)
{
	double least = 0;

	for (int i = 0; i < NR_ROUNDS; i++) {
		double cost = run_report(option, max_kb);

		if (least == 0 || cost < least)
			least = cost;
	}
	return least;
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");
	long max_kb = 0;
	double cost;

	bench_init(argc, argv);
	if (!bench_wanted("report_24h"))
		return EXIT_SUCCESS;
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	make_history();
	printf("# %d + %d slices, %.1f MB, %.1f M keys, %zu programs\n", NR_HOURS, NR_MINUTES,
	       (double)nr_bytes / 1e6, (double)nr_keys / 1e6, nr_apps);
	cost = measure("-l", &max_kb);
	bench_print("report_24h", cost, "s");
	bench_print("report_24h_rss", (double)max_kb / 1e3, "MB");
	bench_print("report_24h_images", measure("-n", &max_kb), "s");
	return EXIT_SUCCESS;
}
