// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/sample_cache.h"

#include "daemon/filing/sample_tree.h"
#include "lib/file.h"
#include "lib/log.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUND_NS UINT64_C(100000000)

static struct sample_cache *cache;
static unsigned int nr_syncfs;

/* Replaces the C library's function and counts its calls. */
int syncfs(int fd)
{
	(void)fd;
	nr_syncfs++;
	return 0;
}

static unsigned int nr_placed;
static unsigned int nr_set_aside;
static int place_error;
static uint64_t now_ns;
static uint64_t epoch;

/* All keys of an image share one file, whatever their app. */
static int place(void *context, const struct sample_key *key, struct placement *placement)
{
	(void)context;
	if (place_error)
		return place_error;
	nr_placed++;
	memset(placement, 0, sizeof(*placement));
	placement->name.image.kind = SAMPLE_PATH_ROOT;
	(void)snprintf(placement->name.image.path, sizeof(placement->name.image.path), "/bin/%u",
		       key->image);
	placement->name.app = placement->name.image;
	(void)snprintf(placement->name.event, sizeof(placement->name.event), "cpu-clock");
	placement->name.period_or_hz = 1000;
	placement->name.tgid = placement->name.tid = SAMPLE_NAME_ALL;
	placement->name.cpu = placement->name.cgroup = SAMPLE_NAME_ALL;
	placement->identity.image.inode = key->image;
	placement->name.identity = sample_identity(&placement->identity.image);
	placement->identity.image_kind = OPROF_IMAGE_FILE;
	placement->identity.event = "cpu-clock";
	placement->identity.cpu_type = placement->identity.host = "";
	placement->identity.app_path = placement->identity.image_path = placement->name.image.path;
	placement->identity.period_or_hz = 1000;
	placement->identity.epoch = epoch;
	if (epoch)
		placement->identity.flags = OPROF_SDB_EPOCHS;
	if (key->event) {
		placement->identity.flags |= OPROF_SDB_WEIGHTED;
		(void)snprintf(placement->name.event, sizeof(placement->name.event), "weighted");
	}
	return 0;
}

static void set_aside(void *context)
{
	(void)context;
	nr_set_aside++;
}

static void make_cache(size_t nr_files_max)
{
	struct sample_cache_config config = {
		.folder = "s",
		.nr_files_max = nr_files_max,
		.place = place,
		.set_aside = set_aside,
	};

	ck_assert_int_eq(sample_cache_create(&cache, &config), 0);
	now_ns = 10 * ROUND_NS;
	sample_cache_begin_round(cache, now_ns, 0);
}

static void setup(void)
{
	test_folder_setup();
	log_init("test", LOG_LEVEL_ERROR);
	ck_assert_int_eq(log_open("log"), 0);
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
}

static void next_round(uint64_t ns)
{
	sample_cache_end_round(cache);
	now_ns += ns;
	sample_cache_begin_round(cache, now_ns, 0);
}

static int add(uint32_t image, uint64_t offset)
{
	struct sample_key key = {.image = image};

	return sample_cache_add(cache, &key, offset, 1000, now_ns);
}

static const char *path_of(uint32_t image)
{
	static char path[8192];
	struct sample_key key = {.image = image};
	static struct placement placement;

	ck_assert_int_eq(place(NULL, &key, &placement), 0);
	nr_placed--;
	path[0] = 's';
	path[1] = '/';
	ck_assert_int_eq(sample_name_format(&placement.name, path + 2, sizeof(path) - 2), 0);
	return path;
}

static uint64_t samples_of(uint32_t image)
{
	struct sdb_image loaded;
	uint64_t nr;

	if (access(path_of(image), F_OK))
		return 0;
	ck_assert_int_eq(sdb_image_load(path_of(image), &loaded, NULL), 0);
	nr = loaded.nr_samples;
	sdb_image_deinit(&loaded);
	return nr;
}

START_TEST(samples_reach_the_file_of_their_key)
{
	make_cache(8);
	for (unsigned int i = 0; i < 100; i++)
		ck_assert_int_eq(add(1 + i % 3, i), 0);
	ck_assert_uint_eq(nr_placed, 3);
	ck_assert_uint_eq(samples_of(1), 34);
	ck_assert_uint_eq(samples_of(2), 33);
	ck_assert_uint_eq(samples_of(3), 33);
	sample_cache_destroy(cache);
}
END_TEST

START_TEST(two_keys_of_one_name_share_its_file)
{
	struct sample_key key = {.image = 1};

	make_cache(8);
	ck_assert_int_eq(add(1, 5), 0);
	key.app = 9;
	ck_assert_int_eq(sample_cache_add(cache, &key, 5, 1, 1), 0);
	ck_assert_uint_eq(sample_cache_nr_files(cache), 1);
	ck_assert_uint_eq(samples_of(1), 2);
	sample_cache_destroy(cache);
}
END_TEST

START_TEST(no_more_files_than_allowed_are_open_and_none_loses_a_sample)
{
	make_cache(4);
	for (unsigned int i = 0; i < 200; i++) {
		ck_assert_int_eq(add(1 + i % 20, i), 0);
		ck_assert_uint_le(sample_cache_nr_files(cache), 4);
		if (i % 7 == 0)
			next_round(ROUND_NS);
	}
	for (uint32_t image = 1; image <= 20; image++)
		ck_assert_uint_eq(samples_of(image), 10);
	sample_cache_destroy(cache);
}
END_TEST

START_TEST(the_file_used_last_stays_open)
{
	make_cache(3);
	for (uint32_t image = 2; image < 40; image++) {
		ck_assert_int_eq(add(1, 0), 0);
		next_round(ROUND_NS);
		ck_assert_int_eq(add(image, 0), 0);
		next_round(ROUND_NS);
	}
	/* 39 files, each placed once: image 1 was never closed. */
	ck_assert_uint_eq(nr_placed, 39);
	sample_cache_destroy(cache);
}
END_TEST

START_TEST(keys_do_not_pile_up_in_memory)
{
	struct sample_key key = {.image = 1};

	make_cache(2);
	for (key.app = 1; key.app < 1000; key.app++)
		ck_assert_int_eq(sample_cache_add(cache, &key, 5, 1, 1), 0);
	ck_assert_uint_eq(samples_of(1), 999);
	sample_cache_destroy(cache);
}
END_TEST

/* App 1000 + i ran image 3; images from 10 on are used once each. */
START_TEST(keys_of_images_given_up_are_forgotten_and_their_files_stay_good)
{
	struct sample_key kept = {.image = 3, .app = 5, .kind = SAMPLE_OF_APP};

	make_cache(4);
	ck_assert_int_eq(sample_cache_add(cache, &kept, 1, 1000, now_ns), 0);
	for (uint32_t i = 0; i < 1000; i++) {
		struct sample_key key = {.image = 3, .app = 1000 + i, .kind = SAMPLE_OF_APP};

		ck_assert_int_eq(sample_cache_add(cache, &key, 1, 1000, now_ns), 0);
		sample_cache_release(cache, 1000 + i);
	}
	/* All keys share one file, which was never closed: each key was placed once. */
	ck_assert_uint_eq(nr_placed, 1001);
	ck_assert_int_eq(sample_cache_add(cache, &kept, 1, 1000, now_ns), 0);
	ck_assert_uint_eq(nr_placed, 1001);
	/* The truncated file is begun anew for the key at hand. */
	ck_assert_int_eq(truncate(path_of(3), 0), 0);
	ck_assert_int_eq(sample_cache_add(cache, &kept, 1, 1000, now_ns), 0);
	ck_assert_uint_eq(nr_set_aside, 1);
	sample_cache_destroy(cache);
	ck_assert_uint_eq(samples_of(3), 1);
}
END_TEST

START_TEST(weighted_events_keep_their_weight)
{
	struct sample_key key = {.image = 1, .event = 1};
	struct sdb_image loaded;
	struct sample_name name;
	char path[8192];

	make_cache(4);
	ck_assert_int_eq(sample_cache_add(cache, &key, 5, 300, 1), 0);
	ck_assert_int_eq(sample_cache_add(cache, &key, 5, 7, 1), 0);
	ck_assert_int_eq(sample_name_parse(path_of(1) + 2, &name, NULL), 0);
	(void)snprintf(name.event, sizeof(name.event), "weighted");
	path[0] = 's';
	path[1] = '/';
	ck_assert_int_eq(sample_name_format(&name, path + 2, sizeof(path) - 2), 0);
	ck_assert_int_eq(sdb_image_load(path, &loaded, NULL), 0);
	ck_assert_uint_eq(loaded.nr_samples, 2);
	ck_assert_uint_eq(loaded.weight, 307);
	sdb_image_deinit(&loaded);
	sample_cache_destroy(cache);
}
END_TEST

START_TEST(times_of_a_file_are_those_of_its_samples)
{
	struct sample_key key = {.image = 1};
	struct sdb_image loaded;

	make_cache(4);
	sample_cache_begin_round(cache, now_ns, 1000000);
	ck_assert_int_eq(sample_cache_add(cache, &key, 1, 1, 500), 0);
	ck_assert_int_eq(sample_cache_add(cache, &key, 1, 1, 300), 0);
	ck_assert_int_eq(sample_cache_add(cache, &key, 1, 1, 400), 0);
	sample_cache_end_round(cache);
	ck_assert_int_eq(sdb_image_load(path_of(1), &loaded, NULL), 0);
	ck_assert_int_eq(loaded.header.start_time_ns, 1000300);
	ck_assert_int_eq(loaded.header.end_time_ns, 1000500);
	sdb_image_deinit(&loaded);
	sample_cache_destroy(cache);
}
END_TEST

START_TEST(a_file_that_is_no_sample_file_is_set_aside_and_a_new_one_begun)
{
	char damaged[8300];

	make_cache(4);
	ck_assert_int_eq(file_make_parent_dirs(path_of(1), 0700), 0);
	ck_assert_int_eq(file_replace(path_of(1), "nonsense", 8, 0600), 0);
	ck_assert_int_eq(add(1, 5), 0);
	ck_assert_uint_eq(samples_of(1), 1);
	(void)snprintf(damaged, sizeof(damaged), "%s.damaged", path_of(1));
	ck_assert_int_eq(access(damaged, F_OK), 0);
	sample_cache_destroy(cache);
}
END_TEST

START_TEST(a_file_truncated_under_the_daemon_costs_what_it_held_and_no_more)
{
	make_cache(4);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(add(1, 5), 0);
	ck_assert_int_eq(truncate(path_of(1), 0), 0);
	for (unsigned int i = 0; i < 10; i++)
		ck_assert_int_eq(add(1, (uint64_t)(i + 1) << 41), 0);
	ck_assert_uint_eq(nr_set_aside, 1);
	/* All except perhaps the sample that found the damage. */
	ck_assert_uint_ge(samples_of(1), 9);
	sample_cache_destroy(cache);
}
END_TEST

START_TEST(a_file_that_cannot_be_made_is_tried_again_after_a_second)
{
	make_cache(4);
	ck_assert_int_eq(file_replace("s", "", 0, 0600), 0); /* a file in place of the folder */
	ck_assert_int_eq(add(1, 1), -ENOTDIR);
	ck_assert_int_eq(unlink("s"), 0);
	ck_assert_int_eq(add(1, 1), -ENOTDIR);
	next_round(11 * ROUND_NS);
	ck_assert_int_eq(add(1, 1), 0);
	ck_assert_uint_eq(samples_of(1), 1);
	sample_cache_destroy(cache);
}
END_TEST

START_TEST(too_few_descriptors_close_files_and_lose_nothing)
{
	struct rlimit before, limit;
	int fd;

	make_cache(1000);
	fd = open("/dev/null", O_RDONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)fd + 6;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (unsigned int i = 0; i < 100; i++)
		ck_assert_int_eq(add(1 + i % 50, i), 0);
	sample_cache_clear(cache);
	for (uint32_t image = 1; image <= 50; image++)
		ck_assert_uint_eq(samples_of(image), 2);
	sample_cache_destroy(cache);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
}
END_TEST

#define FILES_MAX   2048
#define FILES_SPARE 96

/* How far the limit of descriptors is above the lowest free one. */
static const struct room {
	rlim_t above;
	size_t files;
} rooms[] = {
	{0, 2}, /* not even one file can be opened */
	{1, 2},
	{FILES_SPARE - 1, 2},
	{FILES_SPARE, 2},
	{FILES_SPARE + 1, 2},
	{FILES_SPARE + 2, 2},
	{FILES_SPARE + 3, 3},
	{FILES_SPARE + FILES_MAX - 1, FILES_MAX - 1},
	{FILES_SPARE + FILES_MAX, FILES_MAX},
	{FILES_SPARE + FILES_MAX + 1, FILES_MAX},
};

START_TEST(as_many_files_are_open_as_the_bound_of_descriptors_leaves_and_two_at_least)
{
	struct rlimit limit, before;
	size_t files;
	int fd = open("/dev/null", O_RDONLY);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)fd + rooms[_i].above;
	if (limit.rlim_cur > limit.rlim_max) {
		printf("# %llu above: not checked: the hard limit of descriptors is %llu\n",
		       (unsigned long long)rooms[_i].above, (unsigned long long)limit.rlim_max);
		return;
	}
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	files = sample_cache_room();
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_uint_eq(files, rooms[_i].files);
}
END_TEST

START_TEST(an_error_of_placing_is_handed_on)
{
	make_cache(4);
	place_error = -ENXIO;
	ck_assert_int_eq(add(1, 1), -ENXIO);
	place_error = 0;
	ck_assert_int_eq(add(1, 1), 0);
	sample_cache_destroy(cache);
}
END_TEST

static int sync_cache(void)
{
	int fd = open("s", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error;

	ck_assert_int_ge(fd, 0);
	error = sample_cache_sync(cache, fd);
	ck_assert_int_eq(close(fd), 0);
	return error;
}

START_TEST(sync_and_clear_leave_everything_readable)
{
	make_cache(4);
	for (uint32_t image = 1; image < 10; image++)
		ck_assert_int_eq(add(image, 1), 0);
	ck_assert_int_eq(sync_cache(), 0);
	sample_cache_synced(cache, 0);
	ck_assert_int_eq(sync_cache(), 0);
	sample_cache_clear(cache);
	ck_assert_uint_eq(sample_cache_nr_files(cache), 0);
	ck_assert_int_eq(add(1, 1), 0);
	ck_assert_uint_eq(samples_of(1), 2);
	sample_cache_destroy(cache);
}
END_TEST

START_TEST(what_closed_files_took_is_synced_too)
{
	make_cache(4);
	ck_assert_int_eq(add(1, 1), 0);
	ck_assert_int_eq(sync_cache(), 0);
	sample_cache_synced(cache, 0);
	ck_assert_uint_eq(nr_syncfs, 0); /* one file: its own fdatasync suffices */
	ck_assert_int_eq(add(1, 1), 0);
	sample_cache_clear(cache);
	ck_assert_int_eq(sync_cache(), 0);
	ck_assert_uint_eq(nr_syncfs, 1);
	sample_cache_synced(cache, -EIO);
	ck_assert_int_eq(sync_cache(), 0);
	ck_assert_uint_eq(nr_syncfs, 2);
	sample_cache_synced(cache, 0);
	ck_assert_int_eq(sync_cache(), 0);
	ck_assert_uint_eq(nr_syncfs, 2);
	sample_cache_destroy(cache);
}
END_TEST

static void begin_epoch(uint64_t number, uint64_t nr_keep)
{
	epoch = number;
	sample_cache_begin_epoch(cache, number, nr_keep);
}

static int count_path(const char *path, void *context)
{
	uint64_t *nr = context;

	ck_assert_int_eq(access(path, F_OK), 0);
	++*nr;
	return 0;
}

/* The number of files that hold samples of the epoch. */
static uint64_t nr_of_epoch(void)
{
	uint64_t nr = 0;

	ck_assert_int_eq(sample_cache_visit_epoch(cache, count_path, &nr), 0);
	return nr;
}

static size_t nr_dead(void)
{
	return sample_cache_dead(cache)->files.nr_nodes;
}

static uint64_t disk_bytes(void)
{
	return sample_cache_live_bytes(cache) + sample_cache_dead(cache)->nr_bytes;
}

START_TEST(files_closed_in_an_epoch_are_known_until_it_ends)
{
	make_cache(4);
	begin_epoch(1, 10);
	for (unsigned int i = 0; i < 100; i++)
		ck_assert_int_eq(add(1 + i % 20, i), 0);
	ck_assert_uint_eq(nr_of_epoch(), 20);
	ck_assert_uint_eq(sample_cache_nr_parked(cache), 16);
	for (uint32_t image = 1; image <= 20; image++)
		ck_assert_uint_eq(samples_of(image), 5);
	begin_epoch(2, 10);
	ck_assert_uint_eq(nr_of_epoch(), 0);
	ck_assert_uint_eq(sample_cache_nr_parked(cache), 0);
	ck_assert_int_eq(access(path_of(1), F_OK), 0); /* this file was closed, and will go */
	ck_assert_int_eq(add(1, 7), 0);		       /* it is used again */
	ck_assert_uint_eq(samples_of(1), 1);
	ck_assert(dead_files_tidy(sample_cache_dead(cache), 0));
	ck_assert(!dead_files_tidy(sample_cache_dead(cache), UINT64_MAX));
	ck_assert_int_eq(access(path_of(1), F_OK), 0);
	ck_assert_int_eq(access(path_of(2), F_OK), -1);
	ck_assert_int_eq(access(path_of(20), F_OK), 0);
	for (uint32_t image = 2; image <= 20; image++)
		ck_assert_int_eq(add(image, 7), 0);
	ck_assert_uint_eq(nr_of_epoch(), 20);
	for (uint32_t image = 1; image <= 20; image++)
		ck_assert_uint_eq(samples_of(image), 1);
	sample_cache_destroy(cache);
	epoch = 0;
}
END_TEST

START_TEST(files_that_are_not_used_for_some_epochs_go_with_their_folders)
{
	make_cache(8);
	begin_epoch(1, 2);
	ck_assert_int_eq(add(1, 0), 0);
	ck_assert_int_eq(add(2, 0), 0);
	for (uint64_t number = 2; number <= 4; number++) {
		begin_epoch(number, 2);
		next_round(ROUND_NS);
		ck_assert_int_eq(add(2, 0), 0);
	}
	ck_assert(!dead_files_tidy(sample_cache_dead(cache), UINT64_MAX));
	ck_assert_int_eq(access(path_of(1), F_OK), -1);
	ck_assert_int_eq(access("s/{root}/bin/1", F_OK), -1);
	ck_assert_uint_eq(samples_of(2), 1);
	begin_epoch(5, 0);
	ck_assert_uint_eq(sample_cache_nr_files(cache), 0);
	ck_assert_uint_gt(nr_dead(), 0);
	ck_assert_uint_gt(disk_bytes(), 0);
	ck_assert(!dead_files_tidy(sample_cache_dead(cache), UINT64_MAX));
	ck_assert_uint_eq(disk_bytes(), 0);
	ck_assert_int_eq(access("s/{root}", F_OK), -1);
	sample_cache_destroy(cache);
	epoch = 0;
}
END_TEST

/* Makes 20 dead files. */
static void make_dead(void)
{
	make_cache(64);
	begin_epoch(1, 10);
	for (uint32_t image = 1; image <= 20; image++)
		ck_assert_int_eq(add(image, 0), 0);
	begin_epoch(2, 0);
	ck_assert_uint_eq(nr_dead(), 20);
}

START_TEST(a_dead_file_that_cannot_be_used_again_is_still_removed)
{
	uint64_t nr_bytes;

	make_dead();
	ck_assert_int_eq(add(21, 0), 0); /* takes the limit, even if folders take no blocks */
	nr_bytes = sample_cache_dead(cache)->nr_bytes;
	sample_cache_set_limit(cache, 1);
	ck_assert_int_eq(add(1, 0), -EDQUOT);
	ck_assert_uint_eq(nr_dead(), 19); /* one may have made room */
	ck_assert_uint_lt(sample_cache_dead(cache)->nr_bytes, nr_bytes);
	ck_assert_uint_gt(sample_cache_dead(cache)->nr_bytes, 0);
	ck_assert(!dead_files_tidy(sample_cache_dead(cache), UINT64_MAX));
	for (uint32_t image = 1; image <= 20; image++)
		ck_assert_int_eq(access(path_of(image), F_OK), -1);
	ck_assert_int_eq(access(path_of(21), F_OK), 0);
	sample_cache_destroy(cache);
	epoch = 0;
}
END_TEST

START_TEST(with_very_many_dead_files_a_new_one_costs_one)
{
	char path[4096];
	size_t nr;

	make_dead();
	ck_assert_int_eq(add(21, 0), 0);
	ck_assert_uint_eq(nr_dead(), 20);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	for (nr = 0; !dead_files_are_many(sample_cache_dead(cache)); nr++) {
		ck_assert_uint_lt(nr, 100000);
		dead_files_add(sample_cache_dead(cache), path, nr, 0);
	}
	nr = nr_dead();
	ck_assert_int_eq(add(22, 0), 0);
	ck_assert_uint_eq(nr_dead(), nr - 1);
	ck_assert_int_eq(add(22, 1), 0); /* not for a sample */
	ck_assert_uint_eq(nr_dead(), nr - 1);
	sample_cache_destroy(cache);
	epoch = 0;
}
END_TEST

START_TEST(a_burst_of_keys_leaves_room_for_its_slice)
{
	unsigned int nr_refused = 0;

	make_cache(64);
	begin_epoch(1, 10);
	sample_cache_set_limit(cache, 20 * 4096);
	for (uint32_t image = 1; image <= 50; image++)
		nr_refused += add(image, 0) == -EDQUOT;
	ck_assert_uint_ge(nr_refused, 30);
	ck_assert_uint_lt(nr_refused, 50);
	ck_assert_uint_le(disk_bytes(), 20 * 4096 + 8 * 4096);
	ck_assert_int_eq(add(1, 0), 0); /* image 1 already has a file */
	ck_assert_int_eq(add(50, 0), -EDQUOT);
	begin_epoch(2, 0);
	next_round(UINT64_C(2000000000));
	ck_assert_int_eq(add(50, 0), 0);
	sample_cache_destroy(cache);
	epoch = 0;
}
END_TEST

static uint64_t du;

static int add_blocks(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)type;
	(void)ftw;
	if (strcmp(path, "s") != 0)
		du += (uint64_t)st->st_blocks * 512;
	return 0;
}

static uint64_t disk(void)
{
	du = 0;
	ck_assert_int_eq(nftw("s", add_blocks, 16, FTW_PHYS), 0);
	return du;
}

/* The size in memory is at least the true one, and at most one block per file larger. */
static void disk_is_known(void)
{
	ck_assert_uint_ge(disk_bytes(), disk());
	ck_assert_uint_le(disk_bytes(), disk() + UINT64_C(10) * 4096);
}

/* Folders of a tmpfs take no blocks. */
static bool folders_take_blocks(void)
{
	struct stat folder;

	ck_assert_int_eq(stat("s", &folder), 0);
	return folder.st_blocks > 0;
}

START_TEST(disk_that_files_and_folders_take_is_known)
{
	make_cache(4);
	begin_epoch(1, 10);
	for (unsigned int i = 0; i < 20000; i++)
		ck_assert_int_eq(add(1 + i % 10, i * 16), 0);
	next_round(ROUND_NS);
	disk_is_known();
	if (folders_take_blocks())
		ck_assert_uint_lt(sample_cache_file_bytes(cache), disk());
	begin_epoch(2, 10);
	ck_assert_uint_gt(nr_dead(), 0);
	disk_is_known();
	ck_assert(!dead_files_tidy(sample_cache_dead(cache), UINT64_MAX));
	disk_is_known();
	for (unsigned int i = 0; i < 20; i++)
		ck_assert_int_eq(add(1 + i % 10, i), 0);
	next_round(ROUND_NS);
	disk_is_known();
	sample_cache_destroy(cache);
	epoch = 0;
}
END_TEST

/* "plain" is a file. */
static const struct parents {
	const char *folder, *path;
	int error;
} parents[] = {
	{"t/u", "t/u/v/w/file", 0},
	{"t/u", "t/u/file", 0},
	{"t/u", "t/plain/file", -ENAMETOOLONG}, /* not below t/u */
	{"plain", "plain/file", -ENOTDIR},
	{"plain/u", "plain/u/file", -ENOTDIR},
};

START_TEST(folders_that_cannot_be_made_are_an_error)
{
	const struct parents *make = &parents[_i];
	struct sample_tree tree;

	ck_assert_int_eq(file_replace("plain", "", 0, 0600), 0);
	sample_tree_init(&tree, make->folder);
	ck_assert_int_eq(sample_tree_make_parents(&tree, make->path), make->error);
	ck_assert_int_eq(sample_tree_make_parents(&tree, make->path), make->error);
	if (!make->error)
		ck_assert_int_eq(file_replace(make->path, "", 0, 0600), 0);
}
END_TEST

START_TEST(a_file_in_the_place_of_a_folder_is_an_error)
{
	struct sample_tree tree;

	sample_tree_init(&tree, "t");
	ck_assert_int_eq(sample_tree_make_parents(&tree, "t/plain"), 0);
	ck_assert_int_eq(file_replace("t/plain", "", 0, 0600), 0);
	ck_assert_int_eq(sample_tree_make_parents(&tree, "t/plain/u/file"), -ENOTDIR);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("sample_cache");

	tcase_add_checked_fixture(tc, setup, test_folder_teardown);
	tcase_add_test(tc, samples_reach_the_file_of_their_key);
	tcase_add_test(tc, two_keys_of_one_name_share_its_file);
	tcase_add_test(tc, no_more_files_than_allowed_are_open_and_none_loses_a_sample);
	tcase_add_test(tc, the_file_used_last_stays_open);
	tcase_add_test(tc, keys_do_not_pile_up_in_memory);
	tcase_add_test(tc, keys_of_images_given_up_are_forgotten_and_their_files_stay_good);
	tcase_add_test(tc, weighted_events_keep_their_weight);
	tcase_add_test(tc, times_of_a_file_are_those_of_its_samples);
	tcase_add_test(tc, a_file_that_is_no_sample_file_is_set_aside_and_a_new_one_begun);
	tcase_add_test(tc, a_file_truncated_under_the_daemon_costs_what_it_held_and_no_more);
	tcase_add_test(tc, a_file_that_cannot_be_made_is_tried_again_after_a_second);
	tcase_add_test(tc, too_few_descriptors_close_files_and_lose_nothing);
	tcase_add_loop_test(
		tc, as_many_files_are_open_as_the_bound_of_descriptors_leaves_and_two_at_least, 0,
		sizeof(rooms) / sizeof(rooms[0]));
	tcase_add_test(tc, an_error_of_placing_is_handed_on);
	tcase_add_test(tc, sync_and_clear_leave_everything_readable);
	tcase_add_test(tc, what_closed_files_took_is_synced_too);
	tcase_add_test(tc, files_closed_in_an_epoch_are_known_until_it_ends);
	tcase_add_test(tc, files_that_are_not_used_for_some_epochs_go_with_their_folders);
	tcase_add_test(tc, a_dead_file_that_cannot_be_used_again_is_still_removed);
	tcase_add_test(tc, with_very_many_dead_files_a_new_one_costs_one);
	tcase_add_test(tc, a_burst_of_keys_leaves_room_for_its_slice);
	tcase_add_test(tc, disk_that_files_and_folders_take_is_known);
	tcase_add_loop_test(tc, folders_that_cannot_be_made_are_an_error, 0,
			    sizeof(parents) / sizeof(parents[0]));
	tcase_add_test(tc, a_file_in_the_place_of_a_folder_is_an_error);
	return test_run(tc);
}
