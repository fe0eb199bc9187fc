// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of switches by the perf source, on the running kernel. Skipped if the
 * kernel refuses them.
 */
#include "daemon/perf_source/perf_cpu.h"
#include "daemon/perf_source/perf_source.h"
#include "daemon/perf_source/perf_source_internal.h"
#include "lib/clock.h"
#include "tests/fixture/fake_perf_state.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/stay_on_cpu.h"

#include <check.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct source *source;
static uint64_t nr_samples, nr_lost;
static struct diag diag;

static void sink_record(struct record_sink *sink, const struct oprof_record *record)
{
	const void *whole = record;

	(void)sink;
	nr_samples += record->type == OPROF_RECORD_SAMPLE;
	if (record->type == OPROF_RECORD_LOST)
		nr_lost += ((const struct oprof_lost_record *)whole)->nr_samples;
}

static struct record_sink sink = {sink_record};

static const struct event_choice clock_fixed = {
	.name = "cpu-clock",
	.perf_type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.period_or_hz = 1000000,
	.kernel = true,
	.user = true,
};

static const struct event_choice off_cpu = {.name = "off-cpu",
					    .perf_type = EVENT_TYPE_SWITCHES,
					    .period_or_hz = 1,
					    .kernel = true,
					    .user = true};

static void setup(void)
{
	source = NULL;
	nr_samples = 0;
	nr_lost = 0;
	memset(&fake_perf_state, 0, sizeof(fake_perf_state));
}

static void teardown(void)
{
	source_perf.close(source);
}

static void open_source(const struct source_config *config)
{
	int error = source_perf.open(&source, config, &sink, &diag);

	ck_assert_msg(!error, "%d: %s", error, diag_show(&diag));
}

static void drain_all(void)
{
	ck_assert_int_eq(source_perf.drain(source, SOURCE_DRAIN_ALL), 0);
}

static uint64_t counter(const char *name)
{
	struct source_counter counters[64];
	size_t nr = source_perf.counters(source, counters, 64);

	for (size_t i = 0; i < nr && i < 64; i++)
		if (!strcmp(counters[i].name, name))
			return counters[i].value;
	ck_abort_msg("no counter %s", name);
}

/* Pass a byte to a child and back nr times: this process leaves the CPU each time. */
static void go_there_and_back(unsigned int nr)
{
	int to[2], back[2];
	char byte = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(to), 0);
	ck_assert_int_eq(pipe(back), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		for (unsigned int i = 0; i < nr; i++)
			if (read(to[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
				_exit(1);
		_exit(0);
	}
	for (unsigned int i = 0; i < nr; i++) {
		ck_assert_int_eq(write(to[1], &byte, 1), 1);
		ck_assert_int_eq(read(back[0], &byte, 1), 1);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(close(to[i]), 0);
		ck_assert_int_eq(close(back[i]), 0);
	}
}

START_TEST(switches_come_while_sampling_runs_though_nothing_is_sampled)
{
	pid_t self = getpid();
	struct source_config config = {.events = &off_cpu,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1,
				       .want_switches = true};
	uint64_t *nr_switches = &fake_perf_state.nr_items[PERF_RECORD_SWITCH];

	open_source(&config);
	ck_assert(!fake_perf_state.kernel);
	go_there_and_back(10);
	drain_all();
	ck_assert_uint_eq(*nr_switches, 0);
	ck_assert_int_eq(source_perf.start(source), 0);
	go_there_and_back(100);
	ck_assert_int_eq(source_perf.stop(source), 0);
	drain_all();
	/* Parent or child waits in each turn. */
	ck_assert_uint_ge(*nr_switches, 100);
	ck_assert_uint_eq(fake_perf_state.nr_switch_gaps, 2);
	ck_assert_uint_eq(counter("switches_lost"), 0);
	ck_assert_uint_eq(source_perf.seen(source), 0);
	*nr_switches = 0;
	go_there_and_back(10);
	drain_all();
	ck_assert_uint_eq(*nr_switches, 0);
}
END_TEST

/* Kernels without counts do not report when records were lost. */
static bool counts_losses(void)
{
	return ((const struct perf_source *)source)->open.features & PERF_FEATURE_LOST;
}

START_TEST(lost_switches_are_counted_and_cost_neither_samples_nor_maps)
{
	struct event_choice events[2] = {clock_fixed, off_cpu};
	pid_t self = getpid();
	struct source_config config = {.events = events,
				       .nr_events = 2,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1,
				       .want_switches = true};

	uint64_t half_ns;

	stay_on_this_cpu(); /* each CPU has a ring */
	open_source(&config);
	ck_assert_int_eq(source_perf.start(source), 0);
	go_there_and_back(2000); /* two records each, or a few more: the ring is not full */
	half_ns = clock_monotonic_ns();
	go_there_and_back(40000); /* 512 KiB hold 16384 records */
	ck_assert_int_eq(source_perf.stop(source), 0);
	drain_all();
	ck_assert_uint_gt(counter("switches_lost"), 0);
	ck_assert_uint_eq(fake_perf_state.nr_switches_lost, counter("switches_lost"));
	if (counts_losses())
		ck_assert_uint_gt(fake_perf_state.switches_from_ns, half_ns);
	else
		ck_assert_uint_eq(fake_perf_state.switches_from_ns, 0);
	ck_assert_uint_gt(fake_perf_state.nr_items[PERF_RECORD_SWITCH], 0);
	ck_assert_uint_eq(counter("side_band_lost"), 0);
	ck_assert_uint_eq(nr_lost, 0);
	ck_assert_uint_eq(source_perf.seen(source), nr_samples);
}
END_TEST

/* ---- one CPU ---- */

#define NO_TID 1 /* a task that ends before its events are opened */

static int open_but_for_one(struct perf_event_attr *attr, pid_t tid, int cpu, unsigned long flags)
{
	int fd = tid == NO_TID ? -ESRCH
			       : (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, flags);

	return fd == -1 ? -errno : fd;
}

static void ignore_item(struct perf_consumer *consumer, const struct perf_item *item)
{
	(void)consumer;
	(void)item;
}

static const struct one_cpu {
	const struct event_choice *event;
	bool want_switches;
	size_t nr_tids;
	pid_t tids[3]; /* 0: this thread */
	int error;
} one_cpu[] = {
	{&clock_fixed, false, 2, {0, NO_TID}, 0},      {&clock_fixed, false, 2, {NO_TID, 0}, 0},
	{&off_cpu, true, 2, {0, NO_TID}, 0},	       {&off_cpu, true, 2, {NO_TID, 0}, 0},
	{&clock_fixed, true, 2, {0, NO_TID}, 0},       {&clock_fixed, false, 1, {NO_TID}, -ESRCH},
	{&off_cpu, true, 2, {NO_TID, NO_TID}, -ESRCH},
};

START_TEST(threads_that_have_ended_do_not_matter_where_one_lives)
{
	const struct one_cpu *one = &one_cpu[_i];
	const struct source_config config = {
		.events = one->event, .nr_events = 1, .want_switches = one->want_switches};
	struct perf_consumer consumer = {.apply = ignore_item};
	struct perf_cpu_plan plan = {.tids = one->tids, .nr_tids = one->nr_tids};
	struct perf_cpu cpu = {0};
	struct perf_open opened;
	struct perf_ids ids;
	struct perf_feed *feed;
	bool no_memory;

	perf_ids_init(&ids);
	ck_assert_int_eq(perf_feed_create(&feed, &consumer, &sink), 0);
	ck_assert_int_eq(perf_open_init(&opened, &config, 1, open_but_for_one, &diag), 0);
	opened.sample_pages = opened.side_pages = opened.switch_pages = 1;
	plan.open = &opened;
	plan.ids = &ids;
	plan.feed = feed;
	ck_assert_int_eq(perf_cpu_open(&cpu, &plan, &no_memory, &diag), one->error);
	ck_assert_int_eq(cpu.open, !one->error);
	ck_assert_int_eq(cpu.samples.page != NULL, cpu.open && one->event == &clock_fixed);
	ck_assert_int_eq(cpu.switches.ring.page != NULL, cpu.open && one->want_switches);
	perf_cpu_close(&cpu, feed);
	perf_feed_destroy(feed);
	perf_ids_deinit(&ids);
}
END_TEST

/* The kernel may refuse entirely (seccomp, perf_event_paranoid of some distributions). */
static bool permitted(void)
{
	pid_t self = getpid();
	struct source_config config = {.events = &clock_fixed,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1};
	bool good = !source_perf.open(&source, &config, &sink, &diag);

	if (good)
		source_perf.close(source);
	else
		printf("1..0 # SKIP %s\n", diag_show(&diag));
	return good;
}

int main(void)
{
	Suite *suite = suite_create("perf_source_switches");
	TCase *tests = tcase_create("perf_source_switches");

	if (!permitted())
		return 0;
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, switches_come_while_sampling_runs_though_nothing_is_sampled);
	tcase_add_test(tests, lost_switches_are_counted_and_cost_neither_samples_nor_maps);
	tcase_add_loop_test(tests, threads_that_have_ended_do_not_matter_where_one_lives, 0,
			    sizeof(one_cpu) / sizeof(one_cpu[0]));
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
