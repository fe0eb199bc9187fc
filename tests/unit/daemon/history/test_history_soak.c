// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compressed time: half a day of minutes (a quarter with sanitizers, a month
 * with OPROF_CHECK_ALL=1) pass through close, merge and budget, with restarts,
 * steps of the clock and nights of suspension in between.
 */
#include "daemon/history/history_du.h"
#include "libdb/slice/slice.h"
#include "tests/fixture/fake_history.h"
#include "tests/fixture/test_folder.h"
#include "tests/fixture/thorough.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IMAGES	      24
#define IMAGES_FEW    8
#define OFFSETS	      4096
#define SAMPLES	      150 /* per minute */
#define DAY_MINUTES   (24 * 60)
#define SHORT_MINUTES (12 * 60)
#define LONG_MINUTES  (8 * DAY_MINUTES)
#define MONTH_MINUTES (31 * DAY_MINUTES)
#define BUDGET_BYTES  (1200 << 10)
#define AMPLE_BYTES   (UINT64_C(1) << 30) /* no slice has to be dropped */
/* The growth of memory allowed after some hours, for the list of slices. */
#define MEMORY_BYTES (512 << 10)

/* Replaces the C library's function: syncing would take most of the test's time, and none fails. */
int fsync(int fd)
{
	(void)fd;
	return 0;
}

int fdatasync(int fd)
{
	(void)fd;
	return 0;
}

static uint64_t tally[IMAGES][OFFSETS], found[IMAGES][OFFSETS];
static uint64_t pushed;
static uint64_t random_state = 1;

static uint64_t draw(uint64_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 33) % below;
}

/* A minute takes longer the more files it has, most of all with sanitizers. */
static uint64_t nr_images(void)
{
	return OPROF_SANITIZED && !thorough_all() ? IMAGES_FEW : IMAGES;
}

static void images(void)
{
	char path[64];

	for (uint32_t i = 0; i < nr_images(); i++) {
		(void)snprintf(path, sizeof(path), "/program-%u", i);
		fake_image(1 + i, OPROF_IMAGE_FILE, path);
	}
}

/* A few offsets take most samples; they change every hour. One call, since Check records each
 * one. */
static void push_samples(unsigned int minute)
{
	static struct oprof_sample samples[SAMPLES];
	const uint64_t nr = nr_images();

	for (unsigned int i = 0; i < SAMPLES; i++) {
		uint64_t image = (draw(nr) * draw(nr) / nr + minute / 60) % nr;
		uint64_t offset = draw(OFFSETS) * draw(OFFSETS) / OFFSETS;

		samples[i] = (struct oprof_sample){
			.head = {.type = OPROF_RECORD_SAMPLE, .size_bytes = sizeof(samples[i])},
			.time_ns = fake_now.monotonic_ns - (SAMPLES - i) * UINT64_C(1000000),
			.weight = 1000,
			.mode = OPROF_MODE_USER,
			.leaf = {.image = (uint32_t)image + 1,
				 .mode = OPROF_MODE_USER,
				 .offset = offset},
		};
		tally[image][offset]++;
	}
	fake_raw(&samples[0].head, sizeof(samples));
}

static void push_minute(unsigned int minute)
{
	fake_cpu(0);
	fake_task(1, 1, 1, 0);
	push_samples(minute);
	fake_lost(OPROF_LOST_KERNEL_RING, minute % 3);
	pushed += SAMPLES + minute % 3;
	fake_round();
}

/* Without the recent samples in memory, which fill up over hours and would hide a leak. */
static void open_again(void)
{
	fake_history_open();
	recent_destroy(fake_profiler.recent);
	fake_profiler.recent = fake_profiler.attribution.recent = NULL;
}

static void restart(bool killed)
{
	if (killed)
		fake_history_killed();
	else
		fake_history_close();
	open_again();
}

/* With sanitizers, the shorter test has as many troubles. */
static unsigned int haste(void)
{
	return OPROF_SANITIZED && !thorough_all() ? 2 : 1;
}

static unsigned int short_minutes(void)
{
	return SHORT_MINUTES / haste();
}

/* Restarts, clock steps and suspensions. */
static void trouble(unsigned int minute)
{
	const unsigned int restarts = 350 / haste(), steps = 360 / haste();

	if (minute % restarts == restarts - 1)
		restart(minute % (2 * restarts) == 2 * restarts - 1);
	if (minute % steps == 100 / haste()) /* a night's suspension, or a corrected clock */
		fake_step(minute % (2 * steps) == 100 / haste() ? 5 * HOUR_NS : -90 * SECOND_NS);
	if (minute % (999 / haste()) == 500 / haste()) {
		ck_assert_int_eq(profiler_stop(&fake_profiler), 0);
		fake_pass(2 * HOUR_NS);
		fake_round();
		ck_assert_int_eq(profiler_start(&fake_profiler), 0);
	}
}

static size_t nr_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t nr = 0;

	ck_assert_ptr_nonnull(folder);
	while (readdir(folder))
		nr++;
	(void)closedir(folder);
	return nr;
}

static size_t memory_bytes(void)
{
	return mallinfo2().uordblks;
}

static void expect_within(uint64_t budget_bytes, unsigned int minute, uint64_t *highest)
{
	uint64_t du = history_du("samples/current");

	if (du > *highest)
		*highest = du;
	ck_assert_msg(du <= budget_bytes, "%llu bytes in minute %u", (unsigned long long)du,
		      minute);
}

static void soak(unsigned int nr_minutes, uint64_t budget_bytes)
{
	size_t descriptors = 0, memory = 0;
	uint64_t highest = 0;

	fake_config.budget_bytes = budget_bytes;
	images();
	open_again();
	for (unsigned int minute = 0; minute < nr_minutes; minute++) {
		fake_pass(MINUTE_NS);
		push_minute(minute);
		if (budget_bytes != AMPLE_BYTES)
			expect_within(budget_bytes, minute, &highest);
		trouble(minute);
		if (minute == short_minutes() / 2) {
			descriptors = nr_descriptors();
			memory = memory_bytes();
		}
		if (minute % DAY_MINUTES == 0 || minute + 1 == nr_minutes) {
			fake_history_conserved();
			ck_assert_uint_eq(fake_counter(STATS_SEEN), pushed);
		}
	}
	ck_assert_uint_le(nr_descriptors(), descriptors + IMAGES);
	ck_assert_uint_le(memory_bytes(), memory + MEMORY_BYTES);
	ck_assert_uint_eq(fake_history()->close_errors, 0);
	ck_assert_uint_eq(fake_history()->merge_errors, 0);
	(void)printf(
		"# %u minutes, %llu samples: at most %llu KB of %llu on disk, %zu slices, %llu "
		"expired\n",
		nr_minutes, (unsigned long long)pushed, (unsigned long long)highest >> 10,
		(unsigned long long)budget_bytes >> 10, fake_history()->files.nr_files,
		(unsigned long long)fake_counter(STATS_EXPIRED));
}

static void find_section(struct slice *slice, const struct slice_section *section)
{
	struct sdb_entry *entries = calloc(section->nr_keys + 1, sizeof(*entries));
	unsigned int image;

	ck_assert_int_eq(sscanf(section->image.path, "/program-%u", &image), 1);
	ck_assert_int_eq(slice_read_section(slice, entries, NULL), 0);
	for (uint64_t i = 0; i < section->nr_keys; i++)
		found[image][entries[i].key] += entries[i].nr_samples;
	free(entries);
}

static void find_all(void)
{
	const struct history_files *files = &fake_history()->files;

	for (size_t i = 0; i < files->nr_files; i++) {
		const struct slice_section *sections;
		struct slice *slice;
		size_t nr;

		ck_assert_int_eq(slice_open(&slice, files->files[i].path, NULL), 0);
		sections = slice_sections(slice, &nr);
		for (size_t k = 0; k < nr; k++)
			find_section(slice, &sections[k]);
		slice_close(slice);
	}
}

START_TEST(slices_of_all_levels_hold_each_sample_at_its_place)
{
	soak(thorough_all() ? LONG_MINUTES : short_minutes(), AMPLE_BYTES);
	ck_assert_uint_eq(fake_counter(STATS_EXPIRED), 0);
	fake_pass(MINUTE_NS);
	fake_round();
	fake_history_close();
	fake_history_open(); /* the live samples become a slice */
	find_all();
	for (unsigned int i = 0; i < IMAGES; i++)
		ck_assert_mem_eq(found[i], tally[i], sizeof(tally[i]));
	ck_assert_uint_lt(fake_history()->files.nr_files, 400);
	fake_history_close();
}
END_TEST

START_TEST(disk_stays_within_the_budget_at_every_step)
{
	soak(thorough_all() ? MONTH_MINUTES : short_minutes(), BUDGET_BYTES / haste());
	ck_assert_uint_gt(fake_counter(STATS_EXPIRED), 0);
	fake_history_close();
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("history_soak");

	tcase_add_checked_fixture(tc, fake_history_setup, fake_history_teardown);
	tcase_set_timeout(tc, 1800);
	tcase_add_test(tc, slices_of_all_levels_hold_each_sample_at_its_place);
	tcase_add_test(tc, disk_stays_within_the_budget_at_every_step);
	return test_run(tc);
}
