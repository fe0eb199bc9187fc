// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/stats.h"

#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct stats stats;

/* The counter in the file, as a reader finds it; UINT64_MAX if no counter has that name. */
static uint64_t on_disk(const char *name)
{
	struct oprof_stats_file *file;
	uint64_t value = UINT64_MAX;
	size_t nr_bytes;
	char *text;

	ck_assert_int_eq(file_read_text("stats", 1 << 20, &text, &nr_bytes), 0);
	file = (struct oprof_stats_file *)(void *)text;
	ck_assert_mem_eq(file->magic, OPROF_STATS_MAGIC, 8);
	ck_assert_uint_eq(file->version, OPROF_STATS_VERSION);
	ck_assert_uint_ge(nr_bytes, sizeof(*file) + file->nr_entries * sizeof(file->entries[0]));
	for (uint32_t i = 0; i < file->nr_entries; i++)
		if (!strcmp(file->entries[i].name, name))
			value = file->entries[i].value;
	free(text);
	return value;
}

START_TEST(counters_have_their_names_on_disk_and_add_up_over_runs)
{
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	ck_assert_uint_eq(on_disk("lost_memory"), 0);
	stats_add(&stats, STATS_STORED, 3);
	stats_add(&stats, STATS_LOST + OPROF_LOST_DISK, 2);
	stats_close(&stats);
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_add(&stats, STATS_STORED, 4);
	ck_assert_uint_eq(on_disk("stored"), 7);
	ck_assert_uint_eq(on_disk("lost_disk"), 2);
	ck_assert_uint_eq(stats_accounted(&stats), 9);
	stats_close(&stats);
}
END_TEST

/* Read until the file's number of counters changes. */
static _Noreturn void watch_counters(uint32_t nr_entries)
{
	const int fd = open("stats", O_RDONLY | O_CLOEXEC);
	const struct oprof_stats_file *file =
		mmap(NULL, STATS_FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	if (file == MAP_FAILED)
		_exit(2);
	while (__atomic_load_n(&file->nr_entries, __ATOMIC_ACQUIRE) == nr_entries)
		;
	_exit(1);
}

START_TEST(counters_are_all_there_while_the_next_daemon_takes_them_up)
{
	pid_t pid;
	int status;

	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		watch_counters(stats.nr_entries);
	stats_close(&stats);
	for (int i = 0; i < 5000; i++) {
		ck_assert_int_eq(stats_open(&stats, "stats"), 0);
		stats_close(&stats);
	}
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status), "a reader found some of them only");
}
END_TEST

START_TEST(counters_outlive_a_kill)
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		if (stats_open(&stats, "stats"))
			_exit(1);
		stats_add(&stats, STATS_IDLE, 41);
		stats_add(&stats, STATS_IDLE, 1);
		(void)kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	ck_assert_uint_eq(on_disk("idle"), 42);
}
END_TEST

START_TEST(a_session_counts_only_what_its_source_saw_since_it_began)
{
	struct source_counter counters[] = {{"late_records", 5}};

	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_begin_source(&stats, 100, counters, 1);
	counters[0].value = 8;
	stats_update_source(&stats, 130, counters, 1);
	ck_assert_uint_eq(on_disk("seen"), 30);
	ck_assert_uint_eq(on_disk("late_records"), 3);
	stats_close(&stats);

	/* Another run with another source: its counts begin at 0 again. */
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	counters[0].value = 0;
	stats_begin_source(&stats, 0, counters, 1);
	counters[0].value = 2;
	stats_update_source(&stats, 7, counters, 1);
	ck_assert_uint_eq(on_disk("seen"), 37);
	ck_assert_uint_eq(on_disk("late_records"), 5);
	stats_close(&stats);
}
END_TEST

START_TEST(a_counter_that_the_source_brings_later_is_taken_up_whole)
{
	struct source_counter counters[] = {{"late_records", 0}, {"mmap_records", 9}};

	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_begin_source(&stats, 0, counters, 1);
	stats_update_source(&stats, 0, counters, 2);
	ck_assert_uint_eq(on_disk("mmap_records"), 9);
	stats_close(&stats);
}
END_TEST

START_TEST(a_source_cannot_set_the_daemons_own_counters)
{
	struct source_counter counters[] = {{"stored", 0}};

	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_begin_source(&stats, 0, counters, 1);
	counters[0].value = 1000;
	stats_update_source(&stats, 0, counters, 1);
	ck_assert_uint_eq(on_disk("stored"), 0);
	stats_close(&stats);
}
END_TEST

START_TEST(more_counters_than_fit_are_left_out_without_harm)
{
	static char names[200][16];
	static struct source_counter counters[200];

	for (unsigned int i = 0; i < 200; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "c%u", i);
		counters[i] = (struct source_counter){names[i], i};
	}
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_begin_source(&stats, 0, counters, 200);
	for (unsigned int i = 0; i < 200; i++)
		counters[i].value++;
	stats_update_source(&stats, 0, counters, 200);
	ck_assert_uint_eq(stats.nr_entries, STATS_ENTRIES_MAX);
	ck_assert_uint_eq(on_disk("c10"), 1);
	stats_close(&stats);
}
END_TEST

/* An earlier call has failed and left its errno. */
START_TEST(a_file_is_opened_whatever_failed_before)
{
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_set(&stats, STATS_SEEN, 5);
	stats_close(&stats);
	errno = EIO;
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	ck_assert_uint_eq(stats.values[STATS_SEEN], 5);
	stats_set(&stats, STATS_SEEN, 6);
	ck_assert_uint_eq(on_disk("seen"), 6);
	stats_close(&stats);
}
END_TEST

START_TEST(a_damaged_file_begins_anew_and_says_so)
{
	static const char *const damaged[] = {"", "short", "OPSTATS\n\377\377\377\377"};

	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		ck_assert_int_eq(file_replace("stats", damaged[i], strlen(damaged[i]), 0600), 0);
		ck_assert_int_eq(stats_open(&stats, "stats"), 1);
		ck_assert_uint_eq(on_disk("seen"), 0);
		stats_close(&stats);
	}
}
END_TEST

START_TEST(counters_of_another_version_are_not_taken_for_ours)
{
	static char bytes[STATS_FILE_BYTES];
	struct oprof_stats_file head = {.version = OPROF_STATS_VERSION + 1, .nr_entries = 1};
	struct oprof_stats_entry seen = {"seen", 7};

	memcpy(head.magic, OPROF_STATS_MAGIC, sizeof(head.magic));
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), &seen, sizeof(seen));
	ck_assert_int_eq(file_replace("stats", bytes, sizeof(bytes), 0600), 0);
	ck_assert_int_eq(stats_open(&stats, "stats"), 1);
	ck_assert(stats.damaged);
	ck_assert_uint_eq(stats.values[STATS_SEEN], 0);
	stats_close(&stats);
}
END_TEST

START_TEST(a_file_that_claims_more_entries_than_it_holds_is_damaged)
{
	static char bytes[STATS_FILE_BYTES];
	struct oprof_stats_file head = {.version = OPROF_STATS_VERSION, .nr_entries = 100000};

	memcpy(head.magic, OPROF_STATS_MAGIC, sizeof(head.magic));
	memcpy(bytes, &head, sizeof(head));
	ck_assert_int_eq(file_replace("stats", bytes, sizeof(bytes), 0600), 0);
	ck_assert_int_eq(stats_open(&stats, "stats"), 1);
	stats_close(&stats);
}
END_TEST

START_TEST(a_file_truncated_under_the_daemon_is_made_anew_from_memory)
{
	ck_assert_int_eq(stats_catch_sigbus(), 0);
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_add(&stats, STATS_STORED, 5);
	ck_assert_int_eq(truncate("stats", 0), 0);
	stats_add(&stats, STATS_STORED, 1); /* faults */
	ck_assert_int_eq(stats_mend(&stats), 1);
	ck_assert_int_eq(stats_mend(&stats), 0);
	ck_assert_uint_eq(on_disk("stored"), 6);
	stats_add(&stats, STATS_STORED, 1);
	ck_assert_uint_eq(on_disk("stored"), 7);
	stats_close(&stats);
}
END_TEST

START_TEST(a_recount_leaves_what_expired_in_the_sums)
{
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_set(&stats, STATS_SEEN, 100);
	stats_set(&stats, STATS_STORED, 80);
	stats_set(&stats, STATS_IDLE, 20);
	stats_set(&stats, STATS_EXPIRED, 50);
	stats_set(&stats, STATS_EXPIRED_IDLE, 10);
	stats_set(&stats, STATS_EXPIRED_WEIGHT, 400);
	stats_recount(&stats, 35, 10, 350, 0); /* five are missing */
	ck_assert_uint_eq(stats.values[STATS_STORED], 75);
	ck_assert_uint_eq(stats.values[STATS_IDLE], 20);
	ck_assert_uint_eq(stats.values[STATS_WEIGHT_STORED], 750);
	ck_assert_uint_eq(stats.values[STATS_LOST + OPROF_LOST_FILE], 5);
	ck_assert_uint_eq(stats_accounted(&stats), 100);
	stats_close(&stats);
}
END_TEST

/* After a crash the files may hold more than the counters say. */
START_TEST(samples_that_a_recount_finds_count_as_seen_also_when_the_source_goes_on)
{
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_begin_source(&stats, 1000, NULL, 0);
	stats_update_source(&stats, 1100, NULL, 0);
	stats_set(&stats, STATS_STORED, 100);
	stats_recount(&stats, 130, 0, 130, 0);
	ck_assert_uint_eq(stats.values[STATS_SEEN], 130);
	stats_update_source(&stats, 1107, NULL, 0);
	ck_assert_uint_eq(stats.values[STATS_SEEN], 137);
	stats_close(&stats);
}
END_TEST

static void recount_stacks(uint64_t stored, uint64_t stacks)
{
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_set(&stats, STATS_SEEN, 100);
	stats_set(&stats, STATS_STORED, 100);
	stats_set(&stats, STATS_EXPIRED, 50);
	stats_set(&stats, STATS_STACKS_STORED, 90);
	stats_set(&stats, STATS_STACKS_LOST_DISK, 10);
	stats_set(&stats, STATS_EXPIRED_STACKS, 45);
	stats_recount(&stats, stored, 0, stored, stacks);
}

static void expect_stacks(uint64_t stored, uint64_t lost_file)
{
	ck_assert_uint_eq(stats.values[STATS_STACKS_STORED], stored);
	ck_assert_uint_eq(stats.values[STATS_STACKS_LOST_FILE], lost_file);
	ck_assert_uint_eq(stats.values[STATS_STACKS_LOST_DISK], 10);
	stats_close(&stats);
	ck_assert_int_eq(unlink("stats"), 0);
}

START_TEST(a_recount_tells_stacks_lost_from_samples_lost)
{
	recount_stacks(50, 45); /* unchanged */
	expect_stacks(90, 0);
	recount_stacks(50, 40); /* the stack file was damaged */
	expect_stacks(85, 5);
	recount_stacks(45, 40); /* a slice was removed, with samples and stacks */
	expect_stacks(85, 0);
	recount_stacks(45, 38);
	expect_stacks(83, 2);
	recount_stacks(40, 45); /* a sample file was removed; trees still hold its samples */
	expect_stacks(90, 0);
	recount_stacks(51, 46); /* a kill between files and counters */
	expect_stacks(91, 0);
	recount_stacks(51, 45); /* a kill between the files */
	expect_stacks(90, 1);
}
END_TEST

START_TEST(counters_catch_up_with_later_ones_but_for_what_a_recount_tells)
{
	struct oprof_stats_entry later[] = {
		{"seen", 50}, {"stored", 30}, {"lost_disk", 1}, {"late_records", 9}, {"new", 4}};
	struct oprof_stats_entry all[STATS_ENTRIES_MAX];
	size_t nr;

	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	stats_set(&stats, STATS_SEEN, 40);
	stats_set(&stats, STATS_STORED, 20);
	stats_set(&stats, STATS_LOST + OPROF_LOST_DISK, 2);
	stats_catch_up(&stats, later, sizeof(later) / sizeof(later[0]));
	ck_assert_uint_eq(stats.values[STATS_SEEN], 50);
	ck_assert_uint_eq(stats.values[STATS_STORED], 20);
	ck_assert_uint_eq(stats.values[STATS_LOST + OPROF_LOST_DISK], 2);
	ck_assert_uint_eq(on_disk("late_records"), 9);
	ck_assert_uint_eq(on_disk("new"), 4);
	nr = stats_snapshot(&stats, all);
	ck_assert_uint_eq(nr, stats.nr_entries);
	ck_assert_str_eq(all[nr - 1].name, "new");
	ck_assert_uint_eq(all[nr - 1].value, 4);
	stats_close(&stats);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("stats");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, counters_have_their_names_on_disk_and_add_up_over_runs);
	tcase_add_test(tc, counters_are_all_there_while_the_next_daemon_takes_them_up);
	tcase_add_test(tc, counters_outlive_a_kill);
	tcase_add_test(tc, a_session_counts_only_what_its_source_saw_since_it_began);
	tcase_add_test(tc, a_counter_that_the_source_brings_later_is_taken_up_whole);
	tcase_add_test(tc, a_source_cannot_set_the_daemons_own_counters);
	tcase_add_test(tc, more_counters_than_fit_are_left_out_without_harm);
	tcase_add_test(tc, a_file_is_opened_whatever_failed_before);
	tcase_add_test(tc, a_damaged_file_begins_anew_and_says_so);
	tcase_add_test(tc, counters_of_another_version_are_not_taken_for_ours);
	tcase_add_test(tc, a_file_that_claims_more_entries_than_it_holds_is_damaged);
	tcase_add_test(tc, a_file_truncated_under_the_daemon_is_made_anew_from_memory);
	tcase_add_test(tc, a_recount_leaves_what_expired_in_the_sums);
	tcase_add_test(tc, samples_that_a_recount_finds_count_as_seen_also_when_the_source_goes_on);
	tcase_add_test(tc, a_recount_tells_stacks_lost_from_samples_lost);
	tcase_add_test(tc, counters_catch_up_with_later_ones_but_for_what_a_recount_tells);
	return test_run(tc);
}
