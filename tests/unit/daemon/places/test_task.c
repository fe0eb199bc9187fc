// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/places/task.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

static struct image_table images;
static struct task_table tasks;
static struct image_entry *program_a, *program_b;

static struct image_entry *image(const char *path)
{
	struct image_key key = {.kind = OPROF_IMAGE_FILE, .path = path};
	struct image_entry *entry = image_table_get(&images, &key);

	ck_assert_ptr_nonnull(entry);
	return entry;
}

static void setup(void)
{
	ck_assert_int_eq(image_table_init(&images), 0);
	ck_assert_int_eq(task_table_init(&tasks), 0);
	program_a = image("/a");
	program_b = image("/b");
}

/* Check that every space and reference was given back. */
static void teardown(void)
{
	task_table_deinit(&tasks);
	ck_assert_uint_eq(tasks.nr_spaces, 0);
	ck_assert_uint_eq(program_a->nr_refs, 1);
	ck_assert_uint_eq(program_b->nr_refs, 1);
	image_table_deinit(&images);
}

/* A scan that found app mapped at 100 in one thread, tgid itself. */
static void scanned(int32_t tgid, uint64_t begin_ns, uint64_t end_ns, uint64_t start_ticks,
		    struct image_entry *app)
{
	struct process_scan *scan = calloc(1, sizeof(*scan));
	struct mapping mapping = {100, 200, 0, app};

	ck_assert_ptr_nonnull(scan);
	*scan = (struct process_scan){.begin_ns = begin_ns,
				      .end_ns = end_ns,
				      .start_ticks = start_ticks,
				      .space = space_create(&tasks.nr_spaces),
				      .app = image_get(app),
				      .tids = malloc(sizeof(int32_t)),
				      .nr_tids = 1};
	scan->tids[0] = tgid;
	ck_assert_int_eq(space_map(&scan->space, &mapping), 0);
	ck_assert_int_eq(task_table_scanned(&tasks, tgid, scan), 0);
}

static struct image_entry *app_of(int32_t tgid, uint64_t time_ns)
{
	struct process *process = task_table_find(&tasks, tgid, time_ns);

	return process ? process->app : NULL;
}

static bool space_known(int32_t tgid, uint64_t time_ns)
{
	struct process *process = task_table_find(&tasks, tgid, time_ns);

	return process && process->space && time_ns >= process->since_ns;
}

START_TEST(a_scan_holds_from_its_time_on)
{
	scanned(5, 1000, 1010, 7, program_a);
	ck_assert_ptr_null(task_table_find(&tasks, 5, 999));
	ck_assert_ptr_nonnull(task_table_find(&tasks, 5, 1000));
	ck_assert(!space_known(5, 1009));
	ck_assert(space_known(5, 1010));
	ck_assert_ptr_eq(app_of(5, 1010), program_a);
}
END_TEST

START_TEST(a_second_scan_leaves_older_items_the_older_state)
{
	uint64_t generation;

	scanned(5, 1000, 1010, 7, program_a);
	generation = task_table_find(&tasks, 5, 1500)->generation;
	scanned(5, 2000, 2010, 7, program_b);
	ck_assert_ptr_eq(app_of(5, 1999), program_a);
	ck_assert(space_known(5, 1999));
	ck_assert_ptr_eq(app_of(5, 2000), program_b);
	ck_assert_uint_eq(task_table_find(&tasks, 5, 2020)->generation, generation);
	/* A late sample of the previous program is not looked up in the new program's space. */
	ck_assert(!space_known(5, 1999));
	ck_assert_uint_eq(tasks.nr_spaces, 1);
}
END_TEST

/* A scan that could not read the mappings in time. */
static void unread(int32_t tgid, uint64_t begin_ns, uint64_t end_ns, uint64_t start_ticks)
{
	struct process_scan *scan = calloc(1, sizeof(*scan));

	ck_assert_ptr_nonnull(scan);
	*scan = (struct process_scan){
		.begin_ns = begin_ns, .end_ns = end_ns, .start_ticks = start_ticks, .unread = true};
	ck_assert_int_eq(task_table_scanned(&tasks, tgid, scan), 0);
}

START_TEST(a_late_read_keeps_what_is_known_of_the_same_life)
{
	struct process *process;

	scanned(10, 1000, 1010, 7, program_a);
	ck_assert_ptr_nonnull(task_table_find(&tasks, 10, 1500));
	unread(10, 2000, 2010, 7);
	process = task_table_find(&tasks, 10, 2005);
	ck_assert_ptr_eq(process->app, program_a);
	ck_assert_ptr_nonnull(space_find(process->space, 150));
	ck_assert_uint_eq(process->since_ns, 1010);
	ck_assert_uint_eq(process->ground_ns, 1000); /* it may still be in doubt */
	ck_assert(process->unread);
	task_table_end_unlisted(&tasks, 1900);
	ck_assert(!process->exited);
	unread(10, 3000, 3010, 8);
	process = task_table_find(&tasks, 10, 3005);
	ck_assert_ptr_null(process->app);
	ck_assert_ptr_null(space_find(process->space, 150));
}
END_TEST

START_TEST(a_process_that_was_never_read_has_an_empty_space_for_its_records)
{
	struct mapping mapping = {100, 200, 0, program_b};
	struct process *process;

	unread(10, 1000, 1010, 7);
	process = task_table_find(&tasks, 10, 1020);
	ck_assert_ptr_nonnull(process->space);
	ck_assert(process->unread);
	ck_assert_int_eq(space_map(&process->space, &mapping), 0);
	scanned(10, 2000, 2010, 7, program_a);
	process = task_table_find(&tasks, 10, 2005);
	ck_assert_ptr_eq(process->app, program_a);
	ck_assert(!process->unread);
}
END_TEST

START_TEST(another_start_time_is_another_life)
{
	uint64_t generation;

	scanned(5, 1000, 1010, 7, program_a);
	generation = task_table_find(&tasks, 5, 1500)->generation;
	scanned(5, 2000, 2010, 8, program_a);
	ck_assert_uint_ne(task_table_find(&tasks, 5, 2020)->generation, generation);
}
END_TEST

START_TEST(an_exec_within_a_scan_is_applied_one_before_it_is_not)
{
	scanned(5, 1000, 1010, 7, program_a);
	ck_assert_ptr_nonnull(task_table_find(&tasks, 5, 1000));
	task_table_exec(&tasks, 5, 990);
	ck_assert_ptr_eq(app_of(5, 1020), program_a);
	task_table_exec(&tasks, 5, 1005);
	ck_assert_ptr_null(app_of(5, 1020));
	ck_assert_uint_eq(task_table_find(&tasks, 5, 1020)->space->nr_mappings, 0);
}
END_TEST

START_TEST(a_fork_within_its_parents_scan_has_an_unknown_space)
{
	scanned(5, 1000, 1010, 7, program_a);
	task_table_fork(&tasks, 6, 6, 5, 1005);
	task_table_fork(&tasks, 7, 7, 5, 1010);
	ck_assert(!space_known(6, 1020));
	ck_assert_ptr_null(app_of(6, 1020));
	ck_assert(space_known(7, 1020));
	ck_assert_ptr_eq(app_of(7, 1020), program_a);
}
END_TEST

START_TEST(a_process_scanned_just_before_its_fork_record_keeps_what_was_scanned)
{
	scanned(6, 1000, 1010, 7, program_b);
	task_table_fork(&tasks, 6, 6, 5, 1002);
	ck_assert_ptr_eq(app_of(6, 1020), program_b);
	/* A fork record long after the scan begins another life, even if the exit was lost. */
	task_table_fork(&tasks, 6, 6, 5, 2 * SECOND);
	ck_assert_ptr_null(app_of(6, 2 * SECOND));
}
END_TEST

START_TEST(a_process_is_kept_for_a_while_after_its_last_exit)
{
	uint64_t generation;

	task_table_exec(&tasks, 5, 1000);
	task_table_fork(&tasks, 5, 50, 5, 1001);
	generation = task_table_find(&tasks, 5, 1001)->generation;
	task_table_exit(&tasks, 5, 5, 1002);
	task_table_exit(&tasks, 5, 99, 1003);
	ck_assert(!task_table_find(&tasks, 5, 1004)->exited);
	task_table_exit(&tasks, 5, 50, 1004);
	ck_assert(task_table_find(&tasks, 5, 1005)->exited);
	ck_assert_uint_eq(task_table_find(&tasks, 5, 1005)->generation, generation);
	task_table_reap(&tasks, 1003 + SECOND);
	ck_assert_ptr_nonnull(task_table_find(&tasks, 5, 1003 + SECOND));
	task_table_reap(&tasks, 1004 + SECOND);
	ck_assert_ptr_null(task_table_find(&tasks, 5, 1004 + SECOND));
	ck_assert_uint_eq(tasks.tasks.nr_nodes, 0);
	ck_assert_uint_eq(tasks.nr_spaces, 0);
}
END_TEST

START_TEST(an_exec_of_one_thread_ends_the_others)
{
	task_table_exec(&tasks, 5, 1000);
	for (int32_t tid = 50; tid < 60; tid++)
		task_table_fork(&tasks, 5, tid, 5, 1001);
	ck_assert_uint_eq(tasks.tasks.nr_nodes, 11);
	task_table_exit(&tasks, 5, 5, 1002);
	task_table_exec(&tasks, 5, 1003);
	ck_assert_uint_eq(tasks.tasks.nr_nodes, 1);
	ck_assert(!task_table_find(&tasks, 5, 1004)->exited);
	task_table_exit(&tasks, 5, 5, 1005);
	ck_assert(task_table_find(&tasks, 5, 1006)->exited);
}
END_TEST

START_TEST(an_exec_after_the_exit_is_another_life)
{
	uint64_t generation;

	task_table_exec(&tasks, 5, 1000);
	generation = task_table_find(&tasks, 5, 1000)->generation;
	task_table_exit(&tasks, 5, 5, 1001);
	task_table_exec(&tasks, 5, 1002);
	ck_assert_uint_ne(task_table_find(&tasks, 5, 1002)->generation, generation);
}
END_TEST

START_TEST(records_that_come_late_change_nothing_newer)
{
	task_table_exec(&tasks, 5, 1000);
	task_table_fork(&tasks, 6, 6, 5, 1010);
	task_table_exec(&tasks, 6, 1020);
	uint64_t generation = task_table_find(&tasks, 6, 1020)->generation;

	task_table_fork(&tasks, 6, 6, 5, 1015);
	ck_assert_uint_eq(task_table_find(&tasks, 6, 1030)->generation, generation);
	ck_assert(process_is_newer(task_table_find(&tasks, 6, 1030), 1019));
	ck_assert(!process_is_newer(task_table_find(&tasks, 6, 1030), 1020));
}
END_TEST

START_TEST(a_pid_used_again_while_a_scan_waits_gets_it_in_its_time)
{
	task_table_exec(&tasks, 5, 1000);
	scanned(5, 3000, 3010, 9, program_b);
	task_table_exit(&tasks, 5, 5, 1500);
	/* The first life has been reaped; the scan belongs to the next. */
	task_table_reap(&tasks, 1500 + 2 * SECOND);
	ck_assert_ptr_null(task_table_find(&tasks, 5, 2999));
	ck_assert_ptr_eq(app_of(5, 3010), program_b);
}
END_TEST

START_TEST(what_a_full_scan_did_not_list_is_gone)
{
	task_table_exec(&tasks, 5, 1000);
	task_table_exec(&tasks, 6, 1000);
	task_table_exec(&tasks, 7, 2500);
	scanned(8, 500, 510, 9, program_a);
	scanned(6, 2000, 2010, 9, program_b);
	task_table_end_unlisted(&tasks, 2000);
	/* Samples from before the scan may still come. */
	ck_assert_ptr_nonnull(task_table_find(&tasks, 5, 1900));
	ck_assert_ptr_eq(app_of(8, 1900), program_a);
	task_table_reap(&tasks, 2000 + SECOND);
	ck_assert_ptr_null(task_table_find(&tasks, 5, 2000 + SECOND));
	ck_assert_ptr_null(task_table_find(&tasks, 8, 2000 + SECOND));
	ck_assert_ptr_nonnull(task_table_find(&tasks, 6, 2000 + SECOND));
	ck_assert_ptr_nonnull(task_table_find(&tasks, 7, 2000 + SECOND));
}
END_TEST

START_TEST(a_storm_of_processes_that_exit_at_once_does_not_fill_memory)
{
	task_table_exec(&tasks, 1, 1);
	for (int32_t pid = 100; pid < 20100; pid++) {
		task_table_fork(&tasks, pid, pid, 1, (uint64_t)pid);
		task_table_exit(&tasks, pid, pid, (uint64_t)pid);
	}
	ck_assert_uint_le(tasks.processes.nr_nodes, 5000);
	/* The last ones are kept, for samples of their last instructions. */
	ck_assert_ptr_nonnull(task_table_find(&tasks, 20099, 20100));
	ck_assert_ptr_nonnull(task_table_find(&tasks, 20099 - 4000, 20100));
	ck_assert_ptr_null(task_table_find(&tasks, 100, 20100));
}
END_TEST

START_TEST(the_exit_of_a_thread_does_not_end_the_process_that_has_its_tid_now)
{
	scanned(10, 1000, 1100, 5, program_a);
	(void)task_table_find(&tasks, 10, 1200);
	/* Thread 12 of process 10 had ended before; its exit record came late. */
	task_table_fork(&tasks, 12, 12, 10, 1300);
	task_table_exit(&tasks, 10, 12, 1400);
	ck_assert(!task_table_find(&tasks, 12, 1500)->exited);
	task_table_exit(&tasks, 12, 12, 1600);
	ck_assert(task_table_find(&tasks, 12, 1700)->exited);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("task");
	TCase *tests = tcase_create("task");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_scan_holds_from_its_time_on);
	tcase_add_test(tests, a_second_scan_leaves_older_items_the_older_state);
	tcase_add_test(tests, a_late_read_keeps_what_is_known_of_the_same_life);
	tcase_add_test(tests, a_process_that_was_never_read_has_an_empty_space_for_its_records);
	tcase_add_test(tests, another_start_time_is_another_life);
	tcase_add_test(tests, an_exec_within_a_scan_is_applied_one_before_it_is_not);
	tcase_add_test(tests, a_fork_within_its_parents_scan_has_an_unknown_space);
	tcase_add_test(tests, a_process_scanned_just_before_its_fork_record_keeps_what_was_scanned);
	tcase_add_test(tests, a_process_is_kept_for_a_while_after_its_last_exit);
	tcase_add_test(tests, an_exec_of_one_thread_ends_the_others);
	tcase_add_test(tests, an_exec_after_the_exit_is_another_life);
	tcase_add_test(tests, records_that_come_late_change_nothing_newer);
	tcase_add_test(tests, a_pid_used_again_while_a_scan_waits_gets_it_in_its_time);
	tcase_add_test(tests, what_a_full_scan_did_not_list_is_gone);
	tcase_add_test(tests, a_storm_of_processes_that_exit_at_once_does_not_fill_memory);
	tcase_add_test(tests, the_exit_of_a_thread_does_not_end_the_process_that_has_its_tid_now);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
