// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/attribution.h"

#include "daemon/session/separation.h"
#include "tests/fixture/fake_source.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KEYS_MAX 64
#define NR_CPUS	 4

static struct stats stats;
static struct attribution attribution;
static struct sample_cache *cache;
static struct sample_key keys[KEYS_MAX]; /* the keys that were placed */
static unsigned int nr_keys;
static int place_error;

/* Only notes the key: each key has a file of its own. */
static int place(void *context, const struct sample_key *key, struct placement *placement)
{
	(void)context;
	if (place_error)
		return place_error;
	ck_assert_uint_lt(nr_keys, KEYS_MAX);
	memset(placement, 0, sizeof(*placement));
	placement->name.image.kind = SAMPLE_PATH_KERN;
	(void)snprintf(placement->name.image.path, sizeof(placement->name.image.path), "k%u",
		       nr_keys);
	placement->name.app = placement->name.image;
	(void)snprintf(placement->name.event, sizeof(placement->name.event), "e");
	placement->name.period_or_hz = 1;
	placement->name.identity = sample_identity(&placement->identity.image);
	placement->identity.image_kind = OPROF_IMAGE_KERNEL;
	placement->identity.event = "e";
	placement->identity.cpu_type = placement->identity.host = "";
	placement->identity.app_path = placement->identity.image_path = placement->name.image.path;
	placement->identity.period_or_hz = 1;
	keys[nr_keys++] = *key;
	return 0;
}

static void set_aside(void *context)
{
	(void)context;
}

static void setup(void)
{
	struct sample_cache_config config = {
		.folder = "s", .nr_files_max = 16, .place = place, .set_aside = set_aside};

	test_folder_setup();
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	ck_assert_int_eq(sample_cache_create(&cache, &config), 0);
}

static void teardown(void)
{
	sample_cache_destroy(cache);
	attribution_deinit(&attribution);
	stats_close(&stats);
	test_folder_teardown();
}

static void begin(unsigned int separation)
{
	ck_assert_int_eq(attribution_init(&attribution, separation, 2, NR_CPUS), 0);
	attribution.cache = cache;
	attribution.stats = &stats;
	fake_init(&attribution.sink);
}

static uint64_t lost(enum oprof_lost reason)
{
	return stats.values[STATS_LOST + (unsigned int)reason];
}

static void conserved(void)
{
	ck_assert_uint_eq(stats.values[STATS_SEEN], fake.seen);
	ck_assert_uint_eq(stats_accounted(&stats), fake.seen);
}

START_TEST(every_sample_is_stored_idle_or_lost_for_one_reason)
{
	begin(0);
	fake_cpu(0);
	fake_task(10, 11, 1, 0);
	fake_sample(0, OPROF_MODE_USER, 1, 5, 100);
	fake_sample(0, OPROF_MODE_KERNEL, 2, 5, 100);
	fake_sample(0, OPROF_MODE_IDLE, 2, 6, 100);
	fake_sample(0, OPROF_MODE_HYPERVISOR, 2, 6, 1);
	fake_sample(0, OPROF_MODE_GUEST, 2, 6, 1);
	fake_sample(0, OPROF_MODE_USER, OPROF_IMAGE_NONE, 6, 1);
	fake_sample(0, OPROF_MODE_KERNEL, OPROF_IMAGE_NONE, 6, 1);
	fake_sample(2, OPROF_MODE_USER, 1, 6, 1); /* event 2 does not exist */
	fake_sample(0, (enum oprof_mode)9, 1, 6, 1);
	fake_lost(OPROF_LOST_KERNEL_RING, 50);
	fake_lost(999, 3);
	fake_flush();
	ck_assert_uint_eq(stats.values[STATS_STORED], 2);
	ck_assert_uint_eq(stats.values[STATS_WEIGHT_STORED], 200);
	ck_assert_uint_eq(stats.values[STATS_IDLE], 1);
	ck_assert_uint_eq(lost(OPROF_LOST_MODE), 2);
	ck_assert_uint_eq(lost(OPROF_LOST_NO_MAPPING), 1);
	ck_assert_uint_eq(lost(OPROF_LOST_NO_KERNEL_MAP), 1);
	ck_assert_uint_eq(lost(OPROF_LOST_BAD_RECORD), 5);
	ck_assert_uint_eq(lost(OPROF_LOST_KERNEL_RING), 50);
	conserved();
}
END_TEST

START_TEST(without_separation_tasks_cpus_and_applications_share_a_file)
{
	begin(0);
	for (int i = 1; i < 10; i++) {
		fake_cpu((uint32_t)i % NR_CPUS);
		fake_task(i, i + 100, (uint32_t)i, (uint64_t)i);
		fake_sample(0, OPROF_MODE_USER, 1, 5, 1);
	}
	fake_flush();
	ck_assert_uint_eq(nr_keys, 1);
	ck_assert_uint_eq(keys[0].kind, SAMPLE_OF_IMAGE);
	ck_assert_uint_eq(keys[0].app, 0);
	conserved();
}
END_TEST

START_TEST(time_off_cpu_is_the_applications_without_separation_too)
{
	begin(0);
	fake_cpu(3);
	fake_task(10, 11, 7, 4);
	fake_sample(0, OPROF_MODE_OFF_CPU, OPROF_IMAGE_COOKIE_OFF_CPU, OPROF_OFF_CPU_WAITING, 500);
	fake_task(2, 2, OPROF_IMAGE_NONE, 0); /* a kernel thread */
	fake_sample(0, OPROF_MODE_OFF_CPU, OPROF_IMAGE_COOKIE_OFF_CPU, OPROF_OFF_CPU_WAITING, 70);
	fake_flush();
	ck_assert_uint_eq(nr_keys, 2);
	ck_assert_uint_eq(keys[0].kind, SAMPLE_OF_APP);
	ck_assert_uint_eq(keys[0].app, 7);
	ck_assert_int_eq(keys[0].tid, 0);
	ck_assert_uint_eq(keys[0].cpu, 0);
	ck_assert_uint_eq(keys[1].kind, SAMPLE_OF_KERNEL);
	ck_assert_uint_eq(stats.values[STATS_WEIGHT_STORED], 570);
	conserved();
}
END_TEST

START_TEST(time_off_cpu_is_separated_as_all_is)
{
	begin(SEPARATION_ALL);
	fake_cpu(3);
	fake_task(10, 11, 7, 4);
	fake_sample(0, OPROF_MODE_OFF_CPU, OPROF_IMAGE_COOKIE_OFF_CPU, OPROF_OFF_CPU_PREEMPTED, 5);
	fake_flush();
	ck_assert_uint_eq(nr_keys, 1);
	ck_assert_int_eq(keys[0].tgid, 10);
	ck_assert_int_eq(keys[0].tid, 11);
	ck_assert_uint_eq(keys[0].cpu, 3);
	ck_assert_uint_eq(keys[0].cgroup, 4);
	conserved();
}
END_TEST

START_TEST(lib_files_user_samples_under_the_application_and_leaves_the_kernels)
{
	begin(SEPARATION_LIB);
	fake_task(1, 1, 7, 0);
	fake_sample(0, OPROF_MODE_USER, 1, 5, 1);
	fake_sample(0, OPROF_MODE_KERNEL, 2, 5, 1);
	fake_flush();
	ck_assert_uint_eq(nr_keys, 2);
	ck_assert_uint_eq(keys[0].kind, SAMPLE_OF_APP);
	ck_assert_uint_eq(keys[0].app, 7);
	ck_assert_uint_eq(keys[1].kind, SAMPLE_OF_IMAGE);
	ck_assert_uint_eq(keys[1].app, 0);
}
END_TEST

START_TEST(kernel_files_the_kernels_samples_under_the_application_too)
{
	begin(SEPARATION_LIB | SEPARATION_KERNEL);
	fake_task(1, 1, 7, 0);
	fake_sample(0, OPROF_MODE_KERNEL, 2, 5, 1);
	fake_task(2, 2, OPROF_IMAGE_NONE, 0); /* a kernel thread */
	fake_sample(0, OPROF_MODE_KERNEL, 2, 5, 1);
	fake_flush();
	ck_assert_uint_eq(nr_keys, 2);
	ck_assert_uint_eq(keys[0].kind, SAMPLE_OF_APP);
	ck_assert_uint_eq(keys[0].app, 7);
	ck_assert_uint_eq(keys[1].kind, SAMPLE_OF_KERNEL);
	ck_assert_uint_eq(keys[1].app, 0);
}
END_TEST

START_TEST(threads_cpus_and_cgroups_have_keys_of_their_own)
{
	begin(SEPARATION_THREAD | SEPARATION_CPU | SEPARATION_CGROUP);
	fake_cpu(1);
	fake_task(10, 11, 1, 5);
	fake_sample(0, OPROF_MODE_USER, 1, 5, 1);
	fake_task(10, 12, 1, 5);
	fake_sample(0, OPROF_MODE_USER, 1, 5, 1);
	fake_cpu(2);
	fake_sample(0, OPROF_MODE_USER, 1, 5, 1);
	fake_task(10, 12, 1, 6);
	fake_sample(0, OPROF_MODE_USER, 1, 5, 1);
	fake_sample(1, OPROF_MODE_USER, 1, 5, 1);
	fake_sample(1, OPROF_MODE_USER, 1, 5, 1);
	fake_flush();
	ck_assert_uint_eq(nr_keys, 5);
	ck_assert_int_eq(keys[1].tid, 12);
	ck_assert_uint_eq(keys[2].cpu, 2);
	ck_assert_uint_eq(keys[3].cgroup, 6);
	ck_assert_uint_eq(keys[4].event, 1);
	conserved();
}
END_TEST

START_TEST(idle_is_separated_by_cpu_and_by_nothing_else)
{
	begin(SEPARATION_LIB | SEPARATION_KERNEL | SEPARATION_THREAD | SEPARATION_CPU |
	      SEPARATION_CGROUP);
	fake_cpu(3);
	fake_task(1, 2, 3, 4);
	fake_sample(0, OPROF_MODE_IDLE, 2, 5, 1);
	fake_flush();
	ck_assert_uint_eq(nr_keys, 1);
	ck_assert_uint_eq(keys[0].kind, SAMPLE_OF_IDLE);
	ck_assert_uint_eq(keys[0].cpu, 3);
	ck_assert_int_eq(keys[0].tid, 0);
	ck_assert_uint_eq(keys[0].cgroup, 0);
	ck_assert_uint_eq(stats.values[STATS_IDLE], 1);
	ck_assert_uint_eq(stats.values[STATS_STORED], 0);
}
END_TEST

START_TEST(a_sample_before_any_task_is_lost_and_an_idle_one_is_not)
{
	begin(0);
	fake_cpu(0);
	fake_sample(0, OPROF_MODE_USER, 1, 5, 1);
	fake_sample(0, OPROF_MODE_IDLE, 2, 5, 1);
	fake_flush();
	ck_assert_uint_eq(lost(OPROF_LOST_NO_TASK), 1);
	ck_assert_uint_eq(stats.values[STATS_IDLE], 1);
	conserved();
}
END_TEST

START_TEST(each_error_of_a_sample_file_has_its_reason)
{
	static const struct {
		int error;
		enum oprof_lost reason;
	} cases[] = {
		{-ENOSPC, OPROF_LOST_DISK},   {-EDQUOT, OPROF_LOST_DISK},
		{-EROFS, OPROF_LOST_DISK},    {-EIO, OPROF_LOST_FILE},
		{-EILSEQ, OPROF_LOST_FILE},   {-EBUSY, OPROF_LOST_FILE},
		{-ENOMEM, OPROF_LOST_MEMORY}, {-ENXIO, OPROF_LOST_NO_MAPPING},
	};

	begin(0);
	fake_task(1, 1, 1, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t before = lost(cases[i].reason);

		place_error = cases[i].error;
		fake_sample(0, OPROF_MODE_USER, 1, 5, 1);
		fake_flush();
		ck_assert_uint_eq(lost(cases[i].reason), before + 1);
	}
	ck_assert_uint_eq(stats.values[STATS_STORED], 0);
	conserved();
}
END_TEST

START_TEST(throttling_is_told_in_episodes_and_time)
{
	begin(0);
	fake_throttle(0, 1, true, 1000);
	fake_throttle(1, 1, true, 1500);
	fake_throttle(0, 1, false, 3000);
	fake_throttle(1, 1, false, 1600);
	fake_throttle(0, 2, false, 9000);	/* this throttling never began */
	fake_throttle(0, NR_CPUS + 5, true, 1); /* a CPU that was added later */
	fake_throttle(9, 0, true, 1);
	fake_flush();
	ck_assert_uint_eq(stats.values[STATS_THROTTLE_EPISODES], 4);
	ck_assert_uint_eq(stats.values[STATS_THROTTLED_NS], 2100);
}
END_TEST

START_TEST(unknown_and_short_records_are_counted_and_skipped)
{
	static const uint16_t types[] = {OPROF_RECORD_TASK,    OPROF_RECORD_CPU,
					 OPROF_RECORD_LOST,    OPROF_RECORD_THROTTLE,
					 OPROF_RECORD_RELEASE, 77};
	struct oprof_record record = {.size_bytes = sizeof(record)};

	begin(0);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		record.type = types[i];
		fake_raw(&record, sizeof(record));
	}
	record.type = OPROF_RECORD_PAD;
	fake_raw(&record, sizeof(record));
	fake_flush();
	ck_assert_uint_eq(stats.values[STATS_SKIPPED_RECORDS], 6);
	record.type = OPROF_RECORD_SAMPLE;
	attribution.sink.record(&attribution.sink, &record);
	ck_assert_uint_eq(lost(OPROF_LOST_BAD_RECORD), 1);
}
END_TEST

START_TEST(what_is_filed_or_idle_is_remembered_with_its_whole_key)
{
	struct recent *recent;
	const struct recent_key *key;

	ck_assert_int_eq(recent_create(&recent), 0);
	begin(0);
	attribution.recent = recent;
	fake_cpu(3);
	fake_task(10, 11, 1, 77);
	fake_sample(1, OPROF_MODE_USER, 2, 5, 100);
	fake_sample(0, OPROF_MODE_IDLE, 2, 6, 100);
	fake_sample(0, OPROF_MODE_GUEST, 2, 6, 1);
	fake_sample(0, OPROF_MODE_USER, OPROF_IMAGE_NONE, 6, 1);
	fake_flush();
	place_error = -ENOSPC;
	fake_sample(0, OPROF_MODE_USER, 1, 5, 1);
	fake_flush();
	ck_assert_uint_eq(recent->head, 2);
	key = &recent->keys.slots[recent_entry(recent, 0)->key].key;
	ck_assert_int_eq(key->tgid, 10);
	ck_assert_int_eq(key->tid, 11);
	ck_assert_uint_eq(key->image, 2);
	ck_assert_uint_eq(key->app, 1);
	ck_assert_uint_eq(key->cgroup, 77);
	ck_assert_uint_eq(key->cpu, 3);
	ck_assert_uint_eq(key->event, 1);
	ck_assert_uint_eq(recent_entry(recent, 0)->weight, 100);
	key = &recent->keys.slots[recent_entry(recent, 1)->key].key;
	ck_assert_int_eq(key->tgid, 0);
	ck_assert_uint_eq(key->mode, OPROF_MODE_IDLE);
	ck_assert_uint_eq(key->cpu, 3);
	recent_destroy(recent);
}
END_TEST

static uint32_t released;

static void release(void *context, uint32_t cookie)
{
	(void)context;
	released = cookie;
}

START_TEST(images_given_up_by_the_source_are_told)
{
	begin(0);
	fake_release(4);
	fake_flush();
	attribution.release = release;
	fake_release(5);
	fake_flush();
	ck_assert_uint_eq(released, 5);
	ck_assert_uint_eq(stats.values[STATS_SKIPPED_RECORDS], 0);
}
END_TEST

START_TEST(a_task_with_a_number_that_none_can_have_is_no_task)
{
	begin(SEPARATION_THREAD);
	fake_cpu(0);
	fake_task(-2, -2, 1, 0);
	fake_sample(0, OPROF_MODE_USER, 1, 4, 1);
	fake_task(7, 7, 1, 0);
	fake_sample(0, OPROF_MODE_USER, 1, 4, 1);
	fake_flush();
	ck_assert_uint_eq(lost(OPROF_LOST_NO_TASK), 1);
	ck_assert_uint_eq(stats.values[STATS_STORED], 1);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("attribution");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, every_sample_is_stored_idle_or_lost_for_one_reason);
	tcase_add_test(tc, without_separation_tasks_cpus_and_applications_share_a_file);
	tcase_add_test(tc, time_off_cpu_is_the_applications_without_separation_too);
	tcase_add_test(tc, time_off_cpu_is_separated_as_all_is);
	tcase_add_test(tc, lib_files_user_samples_under_the_application_and_leaves_the_kernels);
	tcase_add_test(tc, kernel_files_the_kernels_samples_under_the_application_too);
	tcase_add_test(tc, threads_cpus_and_cgroups_have_keys_of_their_own);
	tcase_add_test(tc, idle_is_separated_by_cpu_and_by_nothing_else);
	tcase_add_test(tc, a_sample_before_any_task_is_lost_and_an_idle_one_is_not);
	tcase_add_test(tc, each_error_of_a_sample_file_has_its_reason);
	tcase_add_test(tc, throttling_is_told_in_episodes_and_time);
	tcase_add_test(tc, what_is_filed_or_idle_is_remembered_with_its_whole_key);
	tcase_add_test(tc, images_given_up_by_the_source_are_told);
	tcase_add_test(tc, unknown_and_short_records_are_counted_and_skipped);
	tcase_add_test(tc, a_task_with_a_number_that_none_can_have_is_no_task);
	return test_run(tc);
}
