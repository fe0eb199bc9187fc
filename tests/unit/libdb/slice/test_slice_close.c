// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Closing and merging by the rule of epochs with a kill at any point: at every store to a live
 * file, and at every step between stores, a reader must count exactly what was added. The library
 * that is linked here calls sdb_fault_point() after each store.
 */
#include "libdb/slice/history_files.h"
#include "libdb/sdb_internal.h"
#include "libdb/slice/slice.h"

#include "lib/file.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_FILES    3
#define NR_EPOCHS   6
#define NR_KEYS_MAX 20000

static struct make_sdb session;
static struct sdb *files[NR_FILES];
static char paths[NR_FILES][600];
static struct sdb_identity identity;

/* Samples added to each key of all files; one more addition may be in progress. */
static uint64_t expected[NR_FILES][NR_KEYS_MAX], counted[NR_FILES][NR_KEYS_MAX];
static uint64_t nr_expected;

static struct {
	bool armed;
	uint64_t nr_points, every, nr_looks;
} watch;

static uint64_t key_at(unsigned int i)
{
	return i % 5 ? (uint64_t)i * 16 : (uint64_t)i << 41; /* some are wide */
}

static unsigned int key_index(uint64_t key)
{
	return (unsigned int)(key >> 41 ? key >> 41 : key / 16);
}

static struct sample_name name_of(unsigned int file)
{
	struct sample_name name = {.app = {.kind = SAMPLE_PATH_ROOT, .path = "/usr/bin/app"},
				   .image = {.kind = SAMPLE_PATH_ROOT},
				   .event = "cpu-clock",
				   .period_or_hz = 1000,
				   .unit_mask = 5,
				   .tgid = SAMPLE_NAME_ALL,
				   .tid = SAMPLE_NAME_ALL,
				   .cpu = SAMPLE_NAME_ALL,
				   .cgroup = SAMPLE_NAME_ALL,
				   .identity = sample_identity(&session.identity.image)};

	(void)snprintf(name.image.path, sizeof(name.image.path), "/usr/lib/%u", file);
	return name;
}

static void open_file(unsigned int file, uint64_t epoch)
{
	const struct sample_name name = name_of(file);
	const size_t used =
		(size_t)snprintf(paths[file], sizeof(paths[file]), "%s/", session.folder);
	struct diag diag;

	ck_assert_int_eq(sample_name_format(&name, paths[file] + used, sizeof(paths[file]) - used),
			 0);
	ck_assert_int_eq(file_make_parent_dirs(paths[file], 0700), 0);
	identity = session.identity;
	identity.image_path = name.image.path;
	identity.epoch = epoch;
	ck_assert_msg(!sdb_open(&files[file], paths[file], &identity, &diag), "%s",
		      diag_show(&diag));
}

static void setup(void)
{
	char folder[512];

	make_sdb_init(&session);
	(void)snprintf(folder, sizeof(folder), "%s/history", session.folder);
	ck_assert_int_eq(file_make_dirs(folder, 0700), 0);
	memset(expected, 0, sizeof(expected));
	memset(&watch, 0, sizeof(watch));
	nr_expected = 0;
	watch.every = 1;
	for (unsigned int file = 0; file < NR_FILES; file++)
		open_file(file, 1);
}

static void teardown(void)
{
	for (unsigned int file = 0; file < NR_FILES; file++)
		sdb_close(files[file]);
	make_sdb_deinit(&session);
}

/* ---- a reader's counts ---- */

static void count(const char *image_path, const struct sdb_entry *entries, size_t nr_entries)
{
	const unsigned int file = (unsigned int)(strrchr(image_path, '/')[1] - '0');

	ck_assert_uint_lt(file, NR_FILES);
	for (size_t i = 0; i < nr_entries; i++)
		counted[file][key_index(entries[i].key)] += entries[i].nr_samples;
}

static void count_slice(const char *path)
{
	const struct slice_section *sections;
	struct slice *slice;
	struct diag diag;
	size_t nr_sections;

	ck_assert_msg(!slice_open(&slice, path, &diag), "%s", diag_show(&diag));
	sections = slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections; i++) {
		struct sdb_entry *entries = calloc(sections[i].nr_keys, sizeof(*entries));

		ck_assert_msg(!slice_read_section(slice, entries, &diag), "%s", diag_show(&diag));
		count(sections[i].image.path, entries, sections[i].nr_keys);
		free(entries);
	}
	slice_close(slice);
}

static void damaged(const char *path, const struct diag *diag, void *context)
{
	(void)context;
	ck_abort_msg("%s: %s", path, diag->text);
}

static void count_files(uint64_t epoch_closed)
{
	for (unsigned int file = 0; file < NR_FILES; file++) {
		struct sdb_image image;
		struct diag diag;

		ck_assert_msg(!sdb_image_load(paths[file], &image, &diag), "%s", diag_show(&diag));
		if (image.header.epoch > epoch_closed)
			count(image.image_path, image.entries, image.nr_entries);
		sdb_image_deinit(&image);
	}
}

static void look(void)
{
	struct history_files history;

	memset(counted, 0, sizeof(counted));
	ck_assert_int_eq(history_files_list(&history, session.folder, damaged, NULL), 0);
	for (size_t i = 0; i < history.nr_files; i++) {
		if (!history.files[i].superseded)
			count_slice(history.files[i].path);
	}
	count_files(history.epoch_closed);
	history_files_deinit(&history);
	ck_assert_mem_eq(counted, expected, sizeof(counted));
	watch.nr_looks++;
}

/* Checks the state that a kill at this store would leave. */
void sdb_fault_point(void)
{
	if (!watch.armed || watch.nr_points++ % watch.every)
		return;
	watch.armed = false;
	look();
	watch.armed = true;
}

/* ---- the daemon's steps ---- */

static void add(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		const unsigned int file = i % NR_FILES;
		const unsigned int key = (unsigned int)(make_sdb_random(&session) % (nr * 2));

		ck_assert_int_eq(sdb_add(files[file], key_at(key), 1), 0);
		expected[file][key_index(key_at(key))]++;
		nr_expected++;
	}
}

static const char *history_path(enum oprof_slice_level level, uint64_t first, uint64_t last,
				const char *suffix)
{
	static char text[2][700];
	static unsigned int turn;
	char name[128];

	history_file_name(name, sizeof(name), level, first, last);
	turn ^= 1;
	(void)snprintf(text[turn], sizeof(text[turn]), "%s/history/%s%s", session.folder, name,
		       suffix);
	return text[turn];
}

static int open_tmp(enum oprof_slice_level level, uint64_t first, uint64_t last)
{
	int fd = open(history_path(level, first, last, ".tmp"),
		      O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	look();
	return fd;
}

static void publish(int fd, enum oprof_slice_level level, uint64_t first, uint64_t last)
{
	look(); /* written, and not yet in place */
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(rename(history_path(level, first, last, ".tmp"),
				history_path(level, first, last, "")),
			 0);
	look(); /* in place, and nothing emptied */
}

static void write_slice(uint64_t epoch)
{
	const struct slice_info info = {.level = OPROF_SLICE_MINUTE,
					.epoch_first = epoch,
					.epoch_last = epoch,
					.host = "here",
					.cpu_type = "timer"};
	int fd = open_tmp(OPROF_SLICE_MINUTE, epoch, epoch);
	struct slice_builder *builder;
	uint64_t nr_bytes;

	ck_assert_int_eq(slice_builder_create(&builder), 0);
	for (unsigned int file = 0; file < NR_FILES; file++) {
		const struct sample_name name = name_of(file);
		struct slice_section section;
		struct sdb_image image;
		int64_t number;

		ck_assert_int_eq(sdb_image_load(paths[file], &image, NULL), 0);
		slice_section_of_file(&section, &name, &image);
		number = slice_builder_section(builder, &section);
		ck_assert_int_ge(number, 0);
		ck_assert_int_eq(
			slice_builder_add_entries(builder, number, image.entries, image.nr_entries),
			0);
		sdb_image_deinit(&image);
	}
	ck_assert_int_eq(slice_builder_write(builder, &info, fd, &nr_bytes), 0);
	slice_builder_destroy(builder);
	publish(fd, OPROF_SLICE_MINUTE, epoch, epoch);
}

static void close_epoch(uint64_t epoch)
{
	write_slice(epoch);
	for (unsigned int file = 0; file < NR_FILES; file++) {
		identity.epoch = epoch + 1;
		watch.armed = true;
		/*
		 * Empties some files through open handles, and others by opening them for the next
		 * epoch.
		 */
		if (file % 2) {
			sdb_close(files[file]);
			open_file(file, epoch + 1);
		} else {
			ck_assert_int_eq(sdb_restart(files[file], &identity), 0);
		}
		watch.armed = false;
		look();
	}
}

static void merge(enum oprof_slice_level level, uint64_t first, uint64_t last)
{
	const char *inputs[NR_EPOCHS];
	int fd = open_tmp(level, first, last);
	uint64_t nr_bytes, nr = last - first + 1;
	struct diag diag;

	for (uint64_t i = 0; i < nr; i++)
		inputs[i] = strdup(history_path(OPROF_SLICE_MINUTE, first + i, first + i, ""));
	ck_assert_msg(!slice_merge(inputs, nr, level, fd, &nr_bytes, &diag), "%s",
		      diag_show(&diag));
	publish(fd, level, first, last);
	for (uint64_t i = 0; i < nr; i++) {
		ck_assert_int_eq(unlink(inputs[i]), 0);
		look();
		free((char *)(uintptr_t)inputs[i]);
	}
}

START_TEST(a_kill_anywhere_in_closing_or_merging_leaves_every_sample_counted_once)
{
	for (uint64_t epoch = 1; epoch < NR_EPOCHS; epoch++) {
		add(_i ? 9000 : 60);
		look();
		watch.every = _i ? 3 : 1;
		close_epoch(epoch);
		if (epoch == 3)
			merge(OPROF_SLICE_HOUR, 1, 3);
	}
	merge(OPROF_SLICE_HOUR, 4, 5);
	ck_assert_uint_gt(watch.nr_looks, 300);
	ck_assert_uint_gt(nr_expected, 250);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slice_close");
	TCase *tests = tcase_create("kills");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests,
			    a_kill_anywhere_in_closing_or_merging_leaves_every_sample_counted_once,
			    0, 2);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
