// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/drain_watch.h"
#include "daemon/system/thread_list.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 20000

static struct drain_watch watch;

static bool wait_watch(void)
{
	struct pollfd pollfd = {.fd = watch.epoll_fd, .events = POLLIN};

	return poll(&pollfd, 1, PATIENCE_MS) == 1;
}

START_TEST(it_ticks_again_and_again)
{
	int nr_ticks = 0;

	ck_assert_int_eq(drain_watch_open(&watch, NULL, 0), 0);
	while (nr_ticks < 2) {
		ck_assert(wait_watch());
		nr_ticks += drain_watch_take(&watch);
	}
	ck_assert(!drain_watch_ended(&watch)); /* no process is watched */
	drain_watch_close(&watch);
}
END_TEST

START_TEST(it_wakes_up_for_what_was_added)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(drain_watch_open(&watch, NULL, 0), 0);
	ck_assert_int_eq(drain_watch_add(&watch, ends[0]), 0);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	ck_assert(wait_watch());
	(void)drain_watch_take(&watch);
	ck_assert_int_eq(close(ends[0]), 0);
	ck_assert_int_eq(close(ends[1]), 0);
	drain_watch_close(&watch);
}
END_TEST

static pid_t waiting_child(int *go)
{
	int ends[2];
	pid_t pid;
	char byte;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		(void)close(ends[1]);
		_exit(read(ends[0], &byte, 1) < 0);
	}
	(void)close(ends[0]);
	*go = ends[1];
	return pid;
}

START_TEST(it_has_ended_when_the_last_process_has)
{
	int go[2];
	pid_t pids[2];

	pids[0] = waiting_child(&go[0]);
	pids[1] = waiting_child(&go[1]);
	ck_assert_int_eq(drain_watch_open(&watch, pids, 2), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert(!drain_watch_ended(&watch));
		ck_assert_int_eq(close(go[i]), 0);
		/* The second child also holds the first one's pipe, so end both. */
	}
	ck_assert_int_eq(waitpid(pids[1], NULL, 0), pids[1]);
	ck_assert_int_eq(waitpid(pids[0], NULL, 0), pids[0]);
	while (!drain_watch_ended(&watch)) {
		ck_assert(wait_watch());
		(void)drain_watch_take(&watch);
	}
	drain_watch_close(&watch);
}
END_TEST

/* A process without a descriptor is checked at each tick. */
START_TEST(without_pidfds_only_the_process_that_has_ended_has_ended)
{
	int go[2];
	pid_t pids[2];

	pids[1] = waiting_child(&go[1]);
	pids[0] = waiting_child(&go[0]);
	ck_assert_int_eq(drain_watch_open(&watch, pids, 2), 0);
	for (int i = 0; i < 2; i++) {
		if (watch.processes[i].fd >= 0)
			ck_assert_int_eq(close(watch.processes[i].fd), 0);
		watch.processes[i].fd = -1;
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(close(go[i]), 0);
		ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
		do
			ck_assert(wait_watch());
		while (!drain_watch_take(&watch));
		ck_assert(!watch.processes[0].running);
		ck_assert_int_eq(watch.processes[1].running, i == 0);
		ck_assert_int_eq(drain_watch_ended(&watch), i == 1);
	}
	drain_watch_close(&watch);
}
END_TEST

START_TEST(a_process_that_is_not_there_is_refused)
{
	pid_t nobody = INT_MAX;

	ck_assert_int_eq(drain_watch_open(&watch, &nobody, 1), -ESRCH);
	ck_assert_int_eq(watch.epoll_fd, -1);
}
END_TEST

static void *thread_wait(void *barrier)
{
	(void)pthread_barrier_wait(barrier);
	return NULL;
}

START_TEST(all_threads_of_a_process_are_listed_once)
{
	struct thread_list before, after, twice;
	pid_t pids[2] = {getpid(), getpid()};
	pthread_barrier_t barrier;
	pthread_t threads[5];

	ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, 6), 0);
	ck_assert_int_eq(thread_list_read(&before, NULL, pids, 1), 0);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, thread_wait, &barrier), 0);
	ck_assert_int_eq(thread_list_read(&after, NULL, pids, 1), 0);
	ck_assert_int_eq(thread_list_read(&twice, NULL, pids, 2), 0);
	ck_assert_uint_eq(after.nr_tids, before.nr_tids + 5);
	ck_assert(thread_list_equal(&after, &twice));
	ck_assert(!thread_list_equal(&before, &after));
	for (size_t i = 1; i < after.nr_tids; i++)
		ck_assert_int_lt(after.tids[i - 1], after.tids[i]);
	(void)pthread_barrier_wait(&barrier);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	thread_list_deinit(&before);
	thread_list_deinit(&after);
	thread_list_deinit(&twice);
}
END_TEST

START_TEST(a_process_that_has_ended_has_no_threads)
{
	struct thread_list list;
	pid_t nobody = INT_MAX;

	ck_assert_int_eq(thread_list_read(&list, NULL, &nobody, 1), 0);
	ck_assert_uint_eq(list.nr_tids, 0);
	ck_assert(thread_list_equal(&list, &list));
	thread_list_deinit(&list);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("drain_watch");
	TCase *tests = tcase_create("drain_watch");

	tcase_add_test(tests, it_ticks_again_and_again);
	tcase_add_test(tests, it_wakes_up_for_what_was_added);
	tcase_add_test(tests, it_has_ended_when_the_last_process_has);
	tcase_add_test(tests, without_pidfds_only_the_process_that_has_ended_has_ended);
	tcase_add_test(tests, a_process_that_is_not_there_is_refused);
	tcase_add_test(tests, all_threads_of_a_process_are_listed_once);
	tcase_add_test(tests, a_process_that_has_ended_has_no_threads);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
