// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history.h"
#include "daemon/profiler/profiler_status.h"
#include "lib/file.h"
#include "libdb/slice/slice.h"
#include "tests/fixture/fake_history.h"
#include "tests/fixture/test_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HISTORY	       "samples/current/history/"
#define SLICES_AN_HOUR 12

static void setup(void)
{
	fake_history_setup();
}

static void teardown(void)
{
	fake_history_teardown();
}

static const struct history_file *file(size_t i)
{
	ck_assert_uint_lt(i, fake_history()->files.nr_files);
	return &fake_history()->files.files[i];
}

static uint64_t counter_of(const struct slice_info *info, const struct oprof_stats_entry *entries,
			   const char *name)
{
	for (size_t i = 0; i < info->nr_counters; i++)
		if (!strcmp(entries[i].name, name))
			return entries[i].value;
	ck_abort_msg("no counter %s", name);
	return 0;
}

static struct slice *opened(size_t i)
{
	struct slice *slice;
	struct diag diag;

	ck_assert_msg(!slice_open(&slice, file(i)->path, &diag), "%s", diag_show(&diag));
	return slice;
}

/* As the next run does. */
static void again(void)
{
	fake_history_close();
	fake_history_open();
	fake_history_conserved();
}

static void expect_same_stretch(size_t i, int64_t begin_ns, int64_t end_ns)
{
	ck_assert_int_eq(file(i)->begin_ns, begin_ns);
	ck_assert_int_eq(file(i)->end_ns, end_ns);
}

START_TEST(each_minute_becomes_a_slice_and_live_files_hold_nothing_then)
{
	struct slice_check_result result;
	struct diag diag;

	fake_history_open();
	ck_assert_uint_eq(fake_history()->epoch, 1);
	fake_pass(10 * SECOND_NS);
	fake_samples(10, 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, 0);
	fake_pass(25 * SECOND_NS); /* 00:01:05, after 35 s */
	fake_samples(5, 100);
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	ck_assert_uint_eq(file(0)->nr_samples, 15);
	ck_assert_str_eq(file(0)->path, "./" HISTORY "minute.1.1.slice");
	ck_assert_msg(!slice_check(file(0)->path, &result, &diag), "%s", diag_show(&diag));
	ck_assert_uint_eq(result.nr_samples, 15);
	ck_assert_uint_eq(result.weight, 15000);
	ck_assert_uint_eq(fake_history()->epoch, 2);
	fake_history_conserved();
	fake_samples(4, 0); /* the files are used again */
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_first_stretch_of_seconds_waits_for_the_next_minute)
{
	fake_pass(20 * SECOND_NS); /* 00:00:50 */
	fake_history_open();
	fake_pass(15 * SECOND_NS);
	fake_samples(3, 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, 0);
	fake_pass(15 * SECOND_NS);
	fake_samples(3, 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	fake_history_close();
}
END_TEST

START_TEST(slices_go_on_in_time_and_counters_where_the_one_before_ended)
{
	int64_t end_ns = FAKE_START_NS;
	uint64_t seen = 0;

	fake_history_open();
	for (unsigned int i = 0; i < 5; i++) {
		fake_lost(OPROF_LOST_KERNEL_RING, i);
		fake_minute(10 + i, i);
	}
	for (size_t i = 0; i < 5; i++) {
		struct slice *slice = opened(i);
		const struct slice_info *info = slice_info(slice);

		ck_assert_int_eq(info->begin_ns, end_ns);
		end_ns += MINUTE_NS;
		ck_assert_int_eq(info->end_ns, end_ns);
		ck_assert_int_ge(info->first_sample_ns, info->begin_ns);
		ck_assert_int_le(info->last_sample_ns, info->end_ns + SECOND_NS);
		ck_assert_uint_eq(counter_of(info, info->begin, "seen"), seen);
		seen += 10 + i + i;
		ck_assert_uint_eq(counter_of(info, info->end, "seen"), seen);
		ck_assert_uint_eq(counter_of(info, info->end, "lost_kernel_ring") -
					  counter_of(info, info->begin, "lost_kernel_ring"),
				  i);
		ck_assert_mem_eq(info->boot_id, fake_session.info.boot_id, 16);
		slice_close(slice);
	}
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_suspended_machine_ends_a_stretch_where_sampling_was_last_seen)
{
	fake_history_open();
	fake_pass(5 * SECOND_NS);
	fake_samples(3, 0);
	fake_pass(SECOND_NS);
	fake_step(8 * HOUR_NS);
	fake_samples(4, 10); /* samples from before, still in the rings */
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	expect_same_stretch(0, FAKE_START_NS, FAKE_START_NS + 6 * SECOND_NS);
	ck_assert_uint_eq(file(0)->nr_samples, 7);
	fake_minute(5, 0);
	expect_same_stretch(1, FAKE_START_NS + 6 * SECOND_NS + 8 * HOUR_NS,
			    FAKE_START_NS + 6 * SECOND_NS + 8 * HOUR_NS + MINUTE_NS);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_clock_that_is_set_back_gives_true_stretches_by_both_clocks)
{
	struct slice *slice;

	fake_history_open();
	fake_pass(20 * SECOND_NS);
	fake_samples(3, 0);
	fake_pass(SECOND_NS);
	fake_step(-2 * HOUR_NS);
	fake_samples(3, 0);
	expect_same_stretch(0, FAKE_START_NS, FAKE_START_NS + 21 * SECOND_NS);
	slice = opened(0);
	ck_assert_int_ge(slice_info(slice)->last_sample_ns, FAKE_START_NS + 21 * SECOND_NS);
	slice_close(slice);
	fake_minute(3, 0);
	expect_same_stretch(1, FAKE_START_NS + 21 * SECOND_NS - 2 * HOUR_NS,
			    FAKE_START_NS + 21 * SECOND_NS - 2 * HOUR_NS + MINUTE_NS);
	fake_history_conserved();
	again();
	fake_history_close();
}
END_TEST

START_TEST(hours_in_which_sampling_was_stopped_are_in_no_stretch)
{
	int64_t end_ns;

	fake_history_open();
	fake_pass(5 * SECOND_NS);
	fake_samples(3, 0);
	ck_assert_int_eq(profiler_stop(&fake_profiler), 0);
	end_ns = fake_now.realtime_ns;
	fake_round();
	ck_assert_uint_eq(fake_history()->files.nr_files, 0);
	fake_pass(MINUTE_NS);
	fake_round();
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	expect_same_stretch(0, FAKE_START_NS, end_ns);
	fake_pass(5 * HOUR_NS);
	fake_round();
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	ck_assert_int_eq(profiler_start(&fake_profiler), 0);
	fake_minute(3, 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, 2);
	expect_same_stretch(1, end_ns + MINUTE_NS + 5 * HOUR_NS,
			    end_ns + 2 * MINUTE_NS + 5 * HOUR_NS);
	fake_history_close();
}
END_TEST

START_TEST(what_an_earlier_run_left_in_live_files_becomes_a_slice_of_its_own)
{
	fake_history_open();
	fake_minute(10, 0);
	fake_pass(20 * SECOND_NS);
	fake_samples(7, 0);
	fake_history_close();
	fake_pass(3 * DAY_NS);
	fake_history_open();
	ck_assert_uint_eq(fake_history()->files.nr_files, 2);
	ck_assert_uint_eq(file(1)->nr_samples, 7);
	ck_assert_int_lt(file(1)->end_ns, FAKE_START_NS + 2 * MINUTE_NS);
	ck_assert_uint_eq(fake_history()->epoch, 3);
	fake_history_conserved();
	fake_minute(4, 0);
	ck_assert_int_eq(file(2)->begin_ns,
			 FAKE_START_NS + MINUTE_NS + 20 * SECOND_NS + 3 * DAY_NS);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(what_else_lies_beside_the_files_of_an_earlier_run_stays)
{
	static const char kept[] = "samples/current/{root}/kept.damaged";

	/* An empty folder of somebody's is no reason to look at each file. */
	fake_history_open();
	fake_samples(7, 0);
	fake_history_close();
	ck_assert_int_eq(file_make_dirs("samples/current/{root}/empty", 0700), 0);
	fake_history_open();
	ck_assert_uint_eq(file(0)->nr_samples, 7);
	ck_assert_int_ne(access("samples/current/{root}/empty", F_OK), 0);
	fake_samples(5, 0);
	fake_history_close();
	ck_assert_int_eq(file_make_dirs("samples/current/{root}", 0700), 0);
	ck_assert_int_eq(file_replace(kept, "x", 1, 0600), 0);
	fake_history_open();
	ck_assert_uint_eq(file(1)->nr_samples, 5);
	ck_assert_int_eq(access(kept, F_OK), 0);
	fake_history_close();
}
END_TEST

/* Change the boot id in the header of the live file at path. */
static int other_boot(const char *path, const struct sample_name *name, const struct diag *diag,
		      void *context)
{
	static const uint8_t boot_id[16] = {7};
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	(void)name;
	(void)diag;
	(void)context;
	ck_assert_int_eq(
		pwrite(fd, boot_id, sizeof(boot_id), offsetof(struct oprof_sdb_header, boot_id)),
		16);
	return close(fd);
}

START_TEST(what_was_left_by_another_boot_says_so_in_its_slice)
{
	struct slice *slice;

	fake_history_open();
	fake_samples(7, 0);
	fake_history_close();
	ck_assert_int_eq(sample_name_walk("samples/current", other_boot, NULL), 0);
	fake_history_open();
	slice = opened(0);
	ck_assert_uint_eq(slice_header(slice)->boot_id[0], 7);
	slice_close(slice);
	fake_minute(4, 0);
	slice = opened(1);
	ck_assert_mem_eq(slice_header(slice)->boot_id, fake_session.info.boot_id, 16);
	slice_close(slice);
	fake_history_close();
}
END_TEST

START_TEST(files_of_before_there_were_epochs_are_taken_once)
{
	struct oprof_sdb_header header;
	char path[4096];
	FILE *list;
	int fd;

	fake_history_open();
	fake_samples(8, 0);
	fake_history_close();
	list = popen("find samples/current -name 'cpu-clock*'", "r"); /* NOLINT(cert-env33-c) */
	ck_assert_ptr_nonnull(list);
	while (fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = '\0';
		fd = open(path, O_RDWR | O_CLOEXEC);
		ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
		header.flags &= ~OPROF_SDB_EPOCHS;
		header.epoch = 0;
		ck_assert_int_eq(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
		ck_assert_int_eq(close(fd), 0);
	}
	ck_assert_int_eq(pclose(list), 0);
	fake_history_open();
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	ck_assert_uint_eq(file(0)->nr_samples, 8);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

/*
 * Let hours pass with a slice closed every five minutes; test_history_soak
 * tests hours of one-minute slices. Each close begins a sync of the closed
 * slices; merges run a second later.
 */
static void hours_pass(unsigned int nr_hours, unsigned int nr_samples)
{
	for (unsigned int i = 0; i < nr_hours * SLICES_AN_HOUR; i++) {
		fake_pass(HOUR_NS / SLICES_AN_HOUR - SECOND_NS);
		fake_samples(nr_samples, i % 50);
		fake_pass(SECOND_NS);
		fake_round();
	}
}

START_TEST(minutes_become_hours_then_days_then_weeks)
{
	unsigned int nr = 0;

	fake_history_open();
	hours_pass(5, 4);
	ck_assert_int_eq(file(0)->level, OPROF_SLICE_HOUR);
	ck_assert_int_eq(file(0)->begin_ns, FAKE_START_NS);
	ck_assert_uint_lt(fake_history()->files.nr_files, 4 * SLICES_AN_HOUR + 2);
	fake_history_conserved();
	for (unsigned int i = 0; i < 5 * 24; i++) { /* an hour at a time */
		fake_pass(HOUR_NS);
		fake_samples(4, nr++ % 50);
		for (unsigned int k = 0; k < 5; k++) { /* time for merges */
			fake_pass(SECOND_NS);
			fake_round();
		}
	}
	ck_assert_int_eq(file(0)->level, OPROF_SLICE_DAY);
	fake_history_conserved();
	for (unsigned int i = 0; i < 60; i++) {
		fake_pass(DAY_NS);
		fake_samples(4, nr++ % 50);
		for (unsigned int k = 0; k < 5; k++) {
			fake_pass(MINUTE_NS);
			fake_round();
		}
	}
	ck_assert_int_eq(file(0)->level, OPROF_SLICE_WEEK);
	ck_assert_uint_eq(fake_history()->merge_errors, 0);
	fake_history_conserved();
	again();
	fake_history_close();
}
END_TEST

START_TEST(a_clock_that_is_years_ahead_for_a_moment_costs_nothing)
{
	size_t nr;

	fake_config.budget_days = 2;
	fake_history_open();
	for (unsigned int i = 0; i < 20; i++)
		fake_minute(4, i);
	nr = fake_history()->files.nr_files;
	fake_step(3000 * DAY_NS);
	fake_minute(4, 0);
	fake_minute(4, 0);
	fake_step(-3000 * DAY_NS);
	fake_minute(4, 0);
	ck_assert_uint_ge(fake_history()->files.nr_files, nr + 3);
	ck_assert_int_eq(file(0)->level, OPROF_SLICE_MINUTE);
	ck_assert_uint_eq(fake_counter(STATS_EXPIRED), 0);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_clock_at_1970_for_an_hour_leaves_slices_as_fine_as_they_are)
{
	size_t nr;

	fake_history_open();
	for (unsigned int i = 0; i < 20; i++)
		fake_minute(4, i);
	fake_history_close();
	fake_now.realtime_ns = MINUTE_NS; /* the machine has booted and has no network yet */
	fake_history_open();
	nr = fake_history()->files.nr_files;
	for (unsigned int i = 0; i < 60; i++)
		fake_minute(4, i);
	fake_step(FAKE_START_NS + HOUR_NS);
	for (unsigned int i = 0; i < 15; i++)
		fake_minute(4, i);
	ck_assert_uint_ge(fake_history()->files.nr_files, nr + 15);
	for (size_t i = 0; i < nr; i++)
		ck_assert_int_eq(file(i)->level, OPROF_SLICE_MINUTE);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

static bool status_warns(void)
{
	static struct control_answer answer;

	control_answer_init(&answer);
	history_status(fake_history(), &answer);
	answer.text[answer.nr_bytes] = '\0';
	return strstr(answer.text, "\nwarning the slice of the last minute cannot be written: ");
}

START_TEST(a_close_that_fails_leaves_all_in_live_files_until_it_works)
{
	char *log, *told;

	fake_history_open();
	ck_assert_int_eq(file_remove_tree("samples/current/history"), 0); /* it has the reserve */
	ck_assert_int_eq(symlink("nowhere/at/all", "samples/current/history"), 0);
	for (unsigned int i = 0; i < 5; i++)
		fake_minute(10, 0);
	ck_assert_uint_eq(fake_history()->close_errors, 5);
	ck_assert(status_warns());
	ck_assert_uint_eq(fake_history()->epoch, 1);
	fake_history_conserved();
	ck_assert_int_eq(unlink("samples/current/history"), 0);
	fake_minute(10, 0);
	ck_assert(!status_warns());
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	ck_assert_uint_eq(file(0)->nr_samples, 60);
	expect_same_stretch(0, FAKE_START_NS, FAKE_START_NS + 6 * MINUTE_NS);
	fake_history_conserved();
	ck_assert_int_eq(file_read_text("log", 1 << 20, &log, NULL), 0);
	told = strstr(log, "cannot write the slice");
	ck_assert_ptr_nonnull(told);
	ck_assert_ptr_null(strstr(told + 1, "cannot write the slice"));
	free(log);
	fake_history_close();
}
END_TEST

static void damage(const char *path, off_t position)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint8_t byte;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pread(fd, &byte, 1, position), 1);
	byte ^= 0x55;
	ck_assert_int_eq(pwrite(fd, &byte, 1, position), 1);
	ck_assert_int_eq(close(fd), 0);
}

START_TEST(a_damaged_slice_is_set_aside_and_its_samples_are_lost)
{
	fake_history_open();
	for (unsigned int i = 0; i < 3; i++)
		fake_minute(10 + i, 0);
	fake_history_close();
	damage(HISTORY "minute.2.2.slice", 100);
	fake_history_open();
	ck_assert_uint_eq(fake_history()->files.nr_files, 2);
	ck_assert_uint_eq(fake_history()->damaged, 1);
	ck_assert_uint_eq(fake_counter(STATS_LOST + OPROF_LOST_FILE), 11);
	ck_assert_uint_eq(fake_counter(STATS_SEEN), 33);
	ck_assert_int_eq(access(HISTORY "minute.2.2.slice.damaged", F_OK), 0);
	fake_history_conserved();
	again();
	ck_assert_uint_eq(fake_history()->damaged, 0);
	fake_minute(5, 0);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_slice_that_is_damaged_inside_does_not_stop_merging)
{
	struct stat st;

	fake_history_open();
	hours_pass(1, 10);
	ck_assert_int_eq(stat(HISTORY "minute.5.5.slice", &st), 0);
	damage(HISTORY "minute.5.5.slice", st.st_size - 30);
	hours_pass(4, 10);
	ck_assert_int_eq(file(0)->level, OPROF_SLICE_HOUR);
	ck_assert_uint_eq(fake_history()->damaged, 1);
	ck_assert_uint_eq(fake_counter(STATS_LOST + OPROF_LOST_FILE), 10);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(counters_that_were_lost_come_back_from_the_newest_slice)
{
	fake_history_open();
	fake_lost(OPROF_LOST_KERNEL_RING, 5);
	fake_minute(10, 0);
	fake_history_close();
	ck_assert_int_eq(truncate("samples/current/meta/stats", 100), 0);
	fake_history_open();
	ck_assert_uint_eq(fake_counter(STATS_SEEN), 15);
	ck_assert_uint_eq(fake_counter(STATS_LOST + OPROF_LOST_KERNEL_RING), 5);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(a_reset_begins_without_a_history)
{
	struct diag diag;

	fake_history_open();
	fake_minute(10, 0);
	fake_minute(10, 0);
	ck_assert_int_eq(profiler_reset(&fake_profiler, &diag), 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, 0);
	ck_assert_uint_eq(fake_history()->epoch, 1);
	fake_history_conserved();
	fake_minute(6, 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	expect_same_stretch(0, FAKE_START_NS + 2 * MINUTE_NS, FAKE_START_NS + 3 * MINUTE_NS);
	ck_assert_uint_eq(fake_counter(STATS_STORED), 6);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(slices_get_to_the_disk_while_merges_fail)
{
	char path[128];

	fake_history_open();
	for (unsigned int last = 5; last < 20; last++) {
		(void)snprintf(path, sizeof(path), HISTORY "hour.1.%u.slice.tmp", last);
		ck_assert_int_eq(file_make_dirs(path, 0700), 0);
	}
	hours_pass(4, 4);
	for (unsigned int i = 0; i < 2 * 60; i++) {
		fake_minute(4, i);
		ck_assert_uint_ge(fake_history()->epoch_synced + 10, fake_history()->epoch);
	}
	ck_assert_uint_gt(fake_history()->merge_errors, 3);
	ck_assert_uint_lt(fake_history()->merge_errors, 20);
	fake_history_close();
}
END_TEST

/* In shared memory: the number of steps of the daemon's children, and the step to stop at. */
static struct {
	pid_t daemon;
	unsigned int nr_steps, stay_at;
} * child;

static void stay_in_child(void)
{
	if (getpid() != child->daemon && ++child->nr_steps == child->stay_at)
		(void)pause();
}

/* Stop a merge before or after it publishes its slice, then save the session. */
static void save_while_merging(const char *name, unsigned int stay_at)
{
	char path[64];
	DIR *folder;
	struct diag diag;

	fake_history_open();
	for (unsigned int i = 0; i < 40; i++)
		fake_minute(10, i);
	child->nr_steps = 0;
	child->stay_at = stay_at;
	fake_pass(4 * HOUR_NS);
	for (unsigned int i = 0; i < 5 && !fake_history()->job_first; i++) {
		history_reap(&fake_profiler.history, true); /* slices are synced */
		fake_pass(MINUTE_NS);
		profiler_round(&fake_profiler, SOURCE_DRAIN_PERIODIC);
	}
	ck_assert_uint_ne(fake_history()->job_first, 0);
	while (__atomic_load_n(&child->nr_steps, __ATOMIC_RELAXED) < stay_at)
		(void)usleep(1000);
	ck_assert_int_eq(profiler_save(&fake_profiler, name, &diag), 0);
	fake_history_conserved();
	fake_history_close();
	(void)snprintf(path, sizeof(path), "samples/%s/history", name);
	folder = opendir(path);
	ck_assert_ptr_nonnull(folder);
	for (const struct dirent *entry; (entry = readdir(folder));)
		ck_assert_msg(
			!strstr(entry->d_name, ".tmp") &&
				(stay_at < 4 || strcmp(entry->d_name, "minute.3.3.slice") != 0),
			"left: %s", entry->d_name);
	(void)closedir(folder);
}

START_TEST(a_session_saved_during_a_merge_holds_nothing_half_done)
{
	struct recount sums;

	child = mmap(NULL, sizeof(*child), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	ck_assert_ptr_ne(child, MAP_FAILED);
	child->daemon = getpid();
	fake_config.step = stay_in_child;
	save_while_merging("before", 2);
	save_while_merging("after", 4);
	ck_assert_int_eq(recount_session("samples/before", &sums), 0);
	ck_assert_uint_eq(sums.stored, 400);
	ck_assert_int_eq(recount_session("samples/after", &sums), 0);
	ck_assert_uint_eq(sums.stored, 400);
	(void)munmap(child, sizeof(*child));
}
END_TEST

START_TEST(a_saved_session_keeps_its_history)
{
	struct recount sums;
	struct diag diag;

	fake_history_open();
	fake_minute(10, 0);
	fake_pass(SECOND_NS);
	fake_samples(5, 0);
	ck_assert_int_eq(profiler_save(&fake_profiler, "kept", &diag), 0);
	ck_assert_int_eq(recount_session("samples/kept", &sums), 0);
	ck_assert_uint_eq(sums.stored, 15);
	fake_minute(3, 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	fake_history_conserved();
	ck_assert_int_eq(profiler_save(&fake_profiler, "kept", &diag), -EEXIST);
	fake_samples(4, 0);
	fake_history_conserved();
	ck_assert_uint_eq(fake_counter(STATS_STORED), 7);
	fake_history_close();
}
END_TEST

START_TEST(a_session_removed_under_the_daemon_begins_without_a_history)
{
	fake_history_open();
	fake_minute(10, 0);
	ck_assert_int_eq(file_remove_tree("samples/current"), 0);
	fake_pass(SECOND_NS);
	profiler_check_session(&fake_profiler);
	ck_assert_uint_eq(fake_history()->epoch, 1);
	fake_minute(3, 0);
	ck_assert_uint_eq(fake_history()->files.nr_files, 1);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(an_epoch_can_be_closed_at_any_time)
{
	fake_history_open();
	fake_pass(5 * SECOND_NS);
	fake_samples(10, 0);
	ck_assert_int_eq(profiler_close_epoch(&fake_profiler), 0);
	ck_assert_uint_eq(file(0)->nr_samples, 10);
	fake_pass(SECOND_NS);
	fake_samples(10, 0);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

START_TEST(status_tells_of_the_history)
{
	static struct control_answer answer;
	char oldest[64];

	fake_history_open();
	fake_minute(10, 0);
	control_answer_init(&answer);
	profiler_status(&fake_profiler, &answer);
	answer.text[answer.nr_bytes] = '\0';
	ck_assert_ptr_nonnull(strstr(answer.text, "\nepoch 2\nslices 1\n"));
	(void)snprintf(oldest, sizeof(oldest), "\noldest %" PRId64 "\n", FAKE_START_NS);
	ck_assert_ptr_nonnull(strstr(answer.text, oldest));
	ck_assert_ptr_nonnull(strstr(answer.text, "\nhistory_bytes "));
	ck_assert_ptr_nonnull(strstr(answer.text, "\nclose_errors 0\n"));
	ck_assert_ptr_nonnull(strstr(answer.text, "\nexpired 0\n"));
	fake_history_close();
}
END_TEST

START_TEST(a_sync_has_slices_on_disk_too)
{
	fake_history_open();
	fake_minute(10, 0);
	ck_assert_uint_lt(fake_history()->epoch_synced, fake_history()->files.epoch_closed);
	ck_assert_int_eq(profiler_sync(&fake_profiler), 0);
	profiler_synced(&fake_profiler, 0);
	ck_assert_uint_eq(fake_history()->epoch_synced, fake_history()->files.epoch_closed);
	for (unsigned int i = 0; i < 10; i++)
		fake_minute(1, 0);
	/* Children have synced from time to time. */
	ck_assert_uint_gt(fake_history()->epoch_synced, 3);
	fake_history_close();
}
END_TEST

START_TEST(a_file_that_is_removed_under_the_daemon_is_counted_lost)
{
	fake_history_open();
	fake_pass(SECOND_NS);
	fake_samples(10, 0);
	ck_assert_int_eq(file_remove_tree("samples/current/{root}"), 0);
	fake_pass(MINUTE_NS);
	fake_round();
	ck_assert_uint_eq(fake_counter(STATS_LOST + OPROF_LOST_FILE), 5);
	ck_assert_uint_eq(file(0)->nr_samples, 5);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

/* If the live file were emptied in place, samples would be lost every minute. */
START_TEST(a_removed_or_replaced_file_costs_no_samples_of_later_minutes)
{
	const char *path = "samples/current/{root}";

	fake_history_open();
	fake_pass(SECOND_NS);
	fake_samples(10, 0);
	ck_assert_int_eq(file_remove_tree(path), 0);
	fake_minute(10, 0);
	fake_minute(10, 0);
	ck_assert_uint_eq(file(1)->nr_samples, 10);
	ck_assert_int_eq(rename(path, "samples/elsewhere"), 0);
	fake_minute(10, 0);
	fake_minute(10, 0);
	ck_assert_uint_eq(file(3)->nr_samples, 10);
	fake_history_conserved();
	fake_history_close();
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("history");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_minute_becomes_a_slice_and_live_files_hold_nothing_then);
	tcase_add_test(tc, a_first_stretch_of_seconds_waits_for_the_next_minute);
	tcase_add_test(tc, slices_go_on_in_time_and_counters_where_the_one_before_ended);
	tcase_add_test(tc, a_suspended_machine_ends_a_stretch_where_sampling_was_last_seen);
	tcase_add_test(tc, a_clock_that_is_set_back_gives_true_stretches_by_both_clocks);
	tcase_add_test(tc, hours_in_which_sampling_was_stopped_are_in_no_stretch);
	tcase_add_test(tc, what_an_earlier_run_left_in_live_files_becomes_a_slice_of_its_own);
	tcase_add_test(tc, what_else_lies_beside_the_files_of_an_earlier_run_stays);
	tcase_add_test(tc, what_was_left_by_another_boot_says_so_in_its_slice);
	tcase_add_test(tc, files_of_before_there_were_epochs_are_taken_once);
	tcase_add_test(tc, minutes_become_hours_then_days_then_weeks);
	tcase_add_test(tc, a_clock_that_is_years_ahead_for_a_moment_costs_nothing);
	tcase_add_test(tc, a_clock_at_1970_for_an_hour_leaves_slices_as_fine_as_they_are);
	tcase_add_test(tc, a_close_that_fails_leaves_all_in_live_files_until_it_works);
	tcase_add_test(tc, a_damaged_slice_is_set_aside_and_its_samples_are_lost);
	tcase_add_test(tc, a_slice_that_is_damaged_inside_does_not_stop_merging);
	tcase_add_test(tc, counters_that_were_lost_come_back_from_the_newest_slice);
	tcase_add_test(tc, a_reset_begins_without_a_history);
	tcase_add_test(tc, slices_get_to_the_disk_while_merges_fail);
	tcase_add_test(tc, a_session_saved_during_a_merge_holds_nothing_half_done);
	tcase_add_test(tc, a_saved_session_keeps_its_history);
	tcase_add_test(tc, a_session_removed_under_the_daemon_begins_without_a_history);
	tcase_add_test(tc, an_epoch_can_be_closed_at_any_time);
	tcase_add_test(tc, status_tells_of_the_history);
	tcase_add_test(tc, a_sync_has_slices_on_disk_too);
	tcase_add_test(tc, a_file_that_is_removed_under_the_daemon_is_counted_lost);
	tcase_add_test(tc, a_removed_or_replaced_file_costs_no_samples_of_later_minutes);
	return test_run(tc);
}
