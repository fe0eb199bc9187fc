// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The perf source on the running kernel, with copies of stacks. Skipped if the
 * kernel refuses them.
 */
#include "daemon/perf_source/perf_source.h"
#include "tests/fixture/burn_cpu.h"
#include "tests/fixture/fake_perf_state.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000u /* ns */

static struct source *source;
static uint64_t nr_samples, lost[OPROF_LOST_NR], nr_lost_records;
static struct diag diag;

static void sink_record(struct record_sink *sink, const struct oprof_record *record)
{
	const void *whole = record;

	(void)sink;
	nr_samples += record->type == OPROF_RECORD_SAMPLE;
	if (record->type == OPROF_RECORD_LOST) {
		const struct oprof_lost_record *it = whole;

		nr_lost_records++;
		lost[it->reason] += it->nr_samples;
	}
}

static struct record_sink sink = {sink_record};

static const struct event_choice clock_fixed = {
	.name = "cpu-clock",
	.perf_type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.period_or_hz = MS,
	.kernel = true,
	.user = true,
};

static void setup(void)
{
	source = NULL;
	nr_samples = 0;
	nr_lost_records = 0;
	memset(lost, 0, sizeof(lost));
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

static void drain(enum source_drain how)
{
	ck_assert_int_eq(source_perf.drain(source, how), 0);
}

/* Check that seen is stored plus lost, and the records' order. Returns seen. */
static uint64_t check_accounts(void)
{
	uint64_t sum = nr_samples;

	for (size_t i = 0; i < OPROF_LOST_NR; i++)
		sum += lost[i];
	ck_assert_uint_eq(source_perf.seen(source), sum);
	ck_assert_uint_eq(lost[OPROF_LOST_BAD_RECORD], 0);
	return sum;
}

START_TEST(stacks_come_with_every_sample_of_user_code)
{
	pid_t self = getpid();
	struct source_config config = {.events = &clock_fixed,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1,
				       .chain_depth = 16};

	if (!perf_regs_here())
		return;
	open_source(&config);
	ck_assert_ptr_eq(fake_perf_state.regs, perf_regs_here());
	ck_assert_int_eq(source_perf.start(source), 0);
	burn(100);
	ck_assert_int_eq(source_perf.stop(source), 0);
	drain(SOURCE_DRAIN_ALL);
	ck_assert_uint_gt(check_accounts(), 0);
	ck_assert_uint_gt(fake_perf_state.nr_stacks, 0);
	ck_assert_uint_le(fake_perf_state.nr_stacks, nr_samples);
	ck_assert_uint_ge(fake_perf_state.nr_stacks + fake_perf_state.nr_kernel_samples,
			  nr_samples);
}
END_TEST

/* Returns the samples that two drains, some time apart, passed on. */
static uint64_t drain_twice(void)
{
	uint64_t before = nr_samples;

	for (int i = 0; i < 2; i++) {
		burn(30);
		drain(SOURCE_DRAIN_PERIODIC);
	}
	return nr_samples - before;
}

START_TEST(samples_wait_for_the_tables_of_programs_but_not_for_ever)
{
	pid_t self = getpid();
	struct source_config config = {.events = &clock_fixed,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1,
				       .chain_depth = 16};
	uint64_t begin_ns, given;

	if (!perf_regs_here())
		return;
	open_source(&config);
	ck_assert_int_eq(source_perf.start(source), 0);
	fake_perf_state.nr_tables = 1;
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	given = drain_twice();
	if (clock_ns(CLOCK_MONOTONIC) - begin_ns < 1900 * UINT64_C(1000000))
		ck_assert_uint_eq(given, 0);
	fake_perf_state.nr_tables = 0;
	(void)drain_twice();
	ck_assert_uint_gt(nr_samples, 0);
	/* The tables never come. */
	fake_perf_state.nr_tables = 1;
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	while (clock_ns(CLOCK_MONOTONIC) - begin_ns < 2100 * UINT64_C(1000000))
		(void)drain_twice();
	ck_assert_uint_gt(drain_twice(), 0);
	/* The final drain does not wait either. */
	ck_assert_int_eq(source_perf.stop(source), 0);
	drain(SOURCE_DRAIN_ALL);
	ck_assert_uint_gt(check_accounts(), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_source_stacks");
	TCase *tests = tcase_create("perf_source_stacks");
	pid_t self = getpid();
	struct source_config config = {.events = &clock_fixed,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1};

	if (source_perf.open(&source, &config, &sink, &diag)) {
		printf("1..0 # SKIP %s\n", diag_show(&diag));
		return 0;
	}
	source_perf.close(source);
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, stacks_come_with_every_sample_of_user_code);
	tcase_add_test(tests, samples_wait_for_the_tables_of_programs_but_not_for_ever);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
