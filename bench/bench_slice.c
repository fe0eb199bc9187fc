// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Closed slices of a real session: oprofiled profiles the whole machine while
 * it compiles this tree's sources, and the stored samples become a slice. Sizes
 * are file sizes. Times are per key, for decoding, encoding and merging, and
 * for closing a minute with 100 sections and 5,000 keys.
 */
#include "bench/bench.h"
#include "bench/real_session.h"

#include "lib/diag.h"
#include "lib/file.h"
#include "libdb/slice/history_files.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"
#include "libdb/slice/slice.h"

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
#define HZ		   997
#define NR_ROUNDS	   20
#define NR_MERGED	   60
#define NR_MINUTE_SECTIONS 100u
#define NR_MINUTE_KEYS	   5000u

static char folder[PATH_MAX / 2];
static char slice_path[PATH_MAX];
static uint64_t nr_keys;

/* ---- the session's slice ---- */

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
		real_session_fail(&diag, error);
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
			real_session_fail(&diag, error);
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
			real_session_fail(&diag, error);
		read_all(slice);
		slice_close(slice);
		keep_minimum(&best, (double)(bench_thread_ns() - begin) / (double)nr_keys);
	}
	bench_print("slice_read", best, "ns");
}

/*
 * Merges 60 equal minutes into an hour: reads all keys of each minute, and
 * writes each key only once.
 */
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
			real_session_fail(&diag, error);
		keep_minimum(&best,
			     (double)(bench_thread_ns() - begin) / ((double)nr_keys * NR_MERGED));
	}
	close(fd);
	bench_print("slice_merge", best, "ns");
}

/*
 * Closes a minute as the daemon does at 99 Hz: reads sections and entries of live files and writes
 * a slice.
 */
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
	real_session_record(folder, SECONDS, HZ);
	builder = real_session_load(folder);
	bench_bytes(builder);
	bench_write(builder);
	bench_read();
	bench_merge(builder);
	slice_builder_destroy(builder);
	return EXIT_SUCCESS;
}
