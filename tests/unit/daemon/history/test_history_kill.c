// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kill -9 between any two changes of files while minutes are closed, merged and
 * dropped, in the daemon and in its child: the next run finds every sample
 * once. Unless OPROF_CHECK_ALL=1 is set, only some of these places are tried.
 */
#include "daemon/history/history.h"
#include "lib/file.h"
#include "tests/fixture/fake_history.h"
#include "tests/fixture/test_folder.h"
#include "tests/fixture/thorough.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS_MAX 2000

/* Shared by the processes. */
struct shared {
	pid_t daemon;
	unsigned int step, kill_at; /* steps so far; the step to die in */
	unsigned int nr_in_child;   /* kills in the daemon's child */
	uint64_t pushed;	    /* samples handed to the daemon so far */
	bool killed;
	bool has_expired; /* in any run */
};

static struct shared *shared;

static void die_here(void)
{
	if (++shared->step != shared->kill_at)
		return;
	shared->killed = true;
	if (getpid() != shared->daemon) {
		shared->nr_in_child++;
		(void)kill(shared->daemon, SIGKILL);
	}
	(void)raise(SIGKILL);
}

static void push(unsigned int nr, uint64_t offset)
{
	shared->pushed += nr;
	fake_minute(nr, offset);
}

static void make_base(void)
{
	fake_history_open();
	for (unsigned int i = 0; i < 6; i++)
		push(40, i % 7);
	fake_pass(4 * HOUR_NS - 10 * MINUTE_NS); /* merges are due soon after the scenario begins */
	shared->pushed += 5;
	fake_samples(5, 0);
	fake_history_close();
}

/* Slices are closed, an hour is merged, and slices are dropped for the budget. */
static void scenario(void)
{
	fake_history_open();
	for (unsigned int i = 0; i < 12; i++)
		push(40, i % 7);
	fake_profiler.history.budget_bytes = history_budget_usage(fake_history()) - (2 << 12);
	push(40, 0);
	fake_history_close();
}

static void run(const char *program, const char *from, const char *to)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		(void)execlp(program, program, "-a", from, to, (char *)NULL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
}

/* Run in a copy of the base. Returns true if the process died as planned. */
static bool killed_at(unsigned int step, const struct moment *start)
{
	pid_t pid;
	int status;

	run("cp", "../base", "../run");
	ck_assert_int_eq(chdir("../run"), 0);
	fake_now = *start;
	shared->step = 0;
	shared->killed = false;
	shared->kill_at = step;
	pid = fork();
	if (!pid) {
		shared->daemon = getpid();
		fake_config.step = die_here;
		scenario();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (shared->killed)
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	else
		ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	return shared->killed;
}

static void all_is_there(unsigned int step)
{
	const struct history *history;

	fake_config.budget_bytes = 0;
	fake_pass(DAY_NS);
	fake_history_open();
	history = fake_history();
	ck_assert_msg(fake_counter(STATS_SEEN) == shared->pushed, "seen %llu of %llu in step %u",
		      (unsigned long long)fake_counter(STATS_SEEN),
		      (unsigned long long)shared->pushed, step);
	ck_assert_uint_eq(fake_counter(STATS_STORED), shared->pushed);
	ck_assert_uint_eq(history->damaged, 0);
	shared->has_expired |= fake_counter(STATS_EXPIRED) != 0;
	fake_history_conserved();
	push(10, 0);
	fake_history_conserved();
	fake_history_close();
}

START_TEST(a_kill_between_any_two_changes_leaves_every_sample_once)
{
	const unsigned int stride = (unsigned int)thorough_stride(2);
	uint64_t before;
	struct moment start;
	bool killed = true;
	unsigned int step;

	ck_assert_int_eq(mkdir("base", 0700), 0);
	ck_assert_int_eq(chdir("base"), 0);
	make_base();
	start = fake_now;
	before = shared->pushed;
	for (step = 1; killed && step < STEPS_MAX; step += stride) {
		shared->pushed = before;
		killed = killed_at(step, &start);
		all_is_there(step);
		ck_assert_int_eq(chdir("../base"), 0);
		ck_assert_int_eq(file_remove_tree("../run"), 0);
	}
	ck_assert_uint_gt(step, 70);
	ck_assert_uint_ge(shared->nr_in_child * stride, 4);
	ck_assert(shared->has_expired);
}
END_TEST

static void setup(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	fake_history_setup();
}

int main(void)
{
	TCase *tc = tcase_create("history_kill");

	tcase_add_checked_fixture(tc, setup, fake_history_teardown);
	tcase_add_test(tc, a_kill_between_any_two_changes_leaves_every_sample_once);
	return test_run(tc);
}
