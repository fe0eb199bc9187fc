// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a daemon's profiler, from opening to the end, with samples, dumps
 * and a save in between. One system call fails, each in turn; then all calls
 * fail from that one on (a full disk, no memory). Whatever fails, nothing
 * crashes, no sample is counted stored that is not in files, and every sample
 * seen is stored, idle or lost. The next life, without failures, goes on.
 */
#include "daemon/profiler/profiler.h"
#include "lib/log.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/fake_source.h"
#include "tests/fixture/session_sum.h"
#include "tests/fixture/test_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct event_choice events[] = {
	{.name = "cpu-clock", .frequency = true, .period_or_hz = 99, .kernel = true, .user = true},
};

static struct session session;
static struct profiler profiler;
static struct profiler_config config = {
	.ops = &source_fake,
	.source = {.events = events, .nr_events = 1, .target = SOURCE_SYSTEM},
};
static char what[128]; /* the failing call */
/* Results of the life with failing calls, checked after it: a failed check also allocates. */
static uint64_t life_seen, life_accounted;

static void make_folder(void)
{
	test_folder_setup();
	log_init("test", LOG_LEVEL_ERROR);
	ck_assert_int_eq(log_open("log"), 0);
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
}

static void samples(unsigned int nr)
{
	failing_pause();
	fake_cpu(0);
	fake_task(1, 1, 1, 0);
	for (unsigned int i = 0; i < nr; i++)
		fake_sample(0, i % 2 ? OPROF_MODE_USER : OPROF_MODE_KERNEL, 1 + !(i % 2), i * 64,
			    10);
	for (unsigned int i = 0; i < nr / 4; i++)
		fake_sample(0, OPROF_MODE_IDLE, 2, i, 10);
	failing_go_on();
}

/* Check that the counters add up. */
static void balanced(void)
{
	ck_assert_msg(stats_accounted(&session.stats) == session.stats.values[STATS_SEEN],
		      "%s: %lu seen, %lu accounted for", what,
		      (unsigned long)session.stats.values[STATS_SEEN],
		      (unsigned long)stats_accounted(&session.stats));
}

/* Check that the files agree with the counters. Returns the number of slices. */
static size_t files_agree(void)
{
	struct session_sum sum;

	ck_assert_int_eq(session_sum(&sum, "samples/current"), 0);
	ck_assert_msg(sum.nr_damaged == 0, "%s: %s", what, sum.first_damage);
	ck_assert_msg(sum.nr_samples == session.stats.values[STATS_STORED],
		      "%s: %lu samples in files, %lu stored", what, (unsigned long)sum.nr_samples,
		      (unsigned long)session.stats.values[STATS_STORED]);
	ck_assert_msg(sum.nr_idle == session.stats.values[STATS_IDLE],
		      "%s: %lu idle samples in files, %lu counted", what,
		      (unsigned long)sum.nr_idle, (unsigned long)session.stats.values[STATS_IDLE]);
	return sum.nr_slices;
}

static void begin_source(void)
{
	failing_pause();
	fake_init(NULL);
	fake_image(1, OPROF_IMAGE_FILE, "/bin/true");
	fake_image(2, OPROF_IMAGE_KERNEL, "vmlinux");
	failing_go_on();
}

static void sampled(void)
{
	struct diag diag;

	(void)profiler_start(&profiler);
	samples(200);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	(void)profiler_close_epoch(&profiler);
	samples(400);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	(void)profiler_dump(&profiler);
	profiler_synced(&profiler, profiler_sync(&profiler));
	(void)profiler_save(&profiler, "a", &diag);
	profiler_check_session(&profiler);
	samples(100);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	(void)profiler_close_epoch(&profiler);
	samples(40);
	profiler_round(&profiler, SOURCE_DRAIN_ALL);
	if (!profiler.lost && session.open) {
		life_seen = session.stats.values[STATS_SEEN];
		life_accounted = stats_accounted(&session.stats);
	}
}

/* Begins and ends with or without the lock, depending on the failing calls. */
static void life_failing(void)
{
	struct diag diag;

	memset(&session, 0, sizeof(session));
	begin_source();
	if (session_lock(&session, ".", &diag))
		return;
	if (!profiler_open(&profiler, &session, &config, &diag)) {
		sampled();
		profiler_close(&profiler);
	}
	session_unlock(&session);
}

static void life_well(void)
{
	struct diag diag;

	memset(&session, 0, sizeof(session));
	begin_source();
	ck_assert_msg(!session_lock(&session, ".", &diag), "%s: %s", what, diag.text);
	/* Counters that could not be made or kept are counted from the files. */
	ck_assert_msg(!profiler_open(&profiler, &session, &config, &diag), "%s: %s", what,
		      diag.text);
	(void)profiler_start(&profiler);
	samples(80);
	profiler_round(&profiler, SOURCE_DRAIN_ALL);
	(void)profiler_close_epoch(&profiler);
	samples(8);
	profiler_round(&profiler, SOURCE_DRAIN_ALL);
	balanced();
	ck_assert_msg(files_agree() > 0, "%s: no slice was closed", what);
	profiler_close(&profiler);
	(void)files_agree();
	session_unlock(&session);
}

/* Returns whether the nth call was reached. */
static bool fail_one(enum failing_kind kind, unsigned long nth, int all)
{
	bool reached;

	(void)snprintf(what, sizeof(what), "%s %lu%s", failing_names[kind], nth,
		       all ? " and all behind" : "");
	/* The failures are simulated, so the test uses memory and does not wait for a disk. */
	if (!access("/dev/shm", W_OK))
		(void)setenv("TMPDIR", "/dev/shm", 0);
	make_folder();
	life_seen = life_accounted = 0;
	failing_begin(kind, nth, all);
	life_failing();
	reached = failing_end();
	ck_assert_msg(life_seen == life_accounted, "%s: %lu seen, %lu accounted for", what,
		      (unsigned long)life_seen, (unsigned long)life_accounted);
	life_well();
	test_folder_teardown();
	return reached;
}

/* There are many similar allocations: each of the first 200 fails, then ever fewer. */
static unsigned long next(unsigned long nth)
{
	return getenv("OPROF_CHECK_ALL") || nth < 200 ? nth + 1 : nth + 1 + nth / 16;
}

START_TEST(each_call_of_a_kind_fails_once_and_nothing_is_lost_uncounted)
{
	unsigned long nth = 1;

	while (fail_one((enum failing_kind)_i, nth, 0))
		nth = next(nth);
	ck_assert_msg(nth > 1, "no call of %s was met", failing_names[_i]);
}
END_TEST

START_TEST(all_calls_of_a_kind_fail_from_the_nth_on_and_nothing_is_lost_uncounted)
{
	unsigned long nth = 1;

	while (fail_one((enum failing_kind)_i, nth, 1))
		nth = next(nth);
	ck_assert_msg(nth > 1, "no call of %s was met", failing_names[_i]);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("profiler_fault");

	tcase_add_loop_test(tc, each_call_of_a_kind_fails_once_and_nothing_is_lost_uncounted, 0,
			    FAILING_NR_KINDS);
	tcase_add_loop_test(tc,
			    all_calls_of_a_kind_fail_from_the_nth_on_and_nothing_is_lost_uncounted,
			    0, FAILING_NR_KINDS);
	return test_run(tc);
}
