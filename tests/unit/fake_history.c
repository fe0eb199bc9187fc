// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/fake_history.h"

#include "lib/file.h"
#include "lib/log.h"
#include "tests/unit/stack_sum.h"
#include "tests/unit/test_folder.h"

#include <unistd.h>

struct moment fake_now;
struct session fake_session;
struct profiler fake_profiler;
struct history_config fake_config;

/* A variant of a test's program may be of samples with call chains. */
#ifndef FAKE_CHAIN_DEPTH
#define FAKE_CHAIN_DEPTH 0
#endif
unsigned int fake_chain_depth = FAKE_CHAIN_DEPTH;

static const struct event_choice events[] = {
	{.name = "cpu-clock", .period_or_hz = 1000, .kernel = true, .user = true},
};

static void tell_now(struct moment *now)
{
	*now = fake_now;
}

void fake_history_setup(void)
{
	test_folder_setup();
	log_init("test", LOG_LEVEL_ERROR);
	ck_assert_int_eq(log_open("log"), 0);
	fake_now = (struct moment){FAKE_START_NS, (uint64_t)HOUR_NS};
	fake_config = (struct history_config){.now = tell_now};
	fake_init(NULL);
	fake_image(1, OPROF_IMAGE_FILE, "/bin/true");
	fake_image(2, OPROF_IMAGE_KERNEL, "vmlinux");
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
}

void fake_history_teardown(void)
{
	test_folder_teardown();
}

void fake_history_open(void)
{
	struct profiler_config config = {
		.ops = &source_fake,
		.source = {.events = events,
			   .nr_events = 1,
			   .target = SOURCE_SYSTEM,
			   .chain_depth = fake_chain_depth},
		.history = fake_config,
	};
	struct diag diag;

	diag_clear(&diag);
	fake.seen = 0;
	fake.nr_bytes = 0;
	ck_assert_int_eq(session_lock(&fake_session, ".", &diag), 0);
	ck_assert_msg(!profiler_open(&fake_profiler, &fake_session, &config, &diag), "%s",
		      diag_show(&diag));
	ck_assert_int_eq(profiler_start(&fake_profiler), 0);
}

void fake_history_close(void)
{
	history_reap(&fake_profiler.history, true);
	profiler_close(&fake_profiler);
	session_unlock(&fake_session);
}

void fake_history_killed(void)
{
	fake_history_close();
	/* As if: the pid stays in the lock. */
	ck_assert_int_eq(truncate("lock", 0), 0);
	ck_assert_int_eq(file_replace("lock", "1\n", 2, 0600), 0);
}

void fake_pass(int64_t ns)
{
	fake_now.realtime_ns += ns;
	fake_now.monotonic_ns += (uint64_t)ns;
}

void fake_step(int64_t ns)
{
	fake_now.realtime_ns += ns;
}

void fake_round(void)
{
	profiler_round(&fake_profiler, SOURCE_DRAIN_PERIODIC);
	history_reap(&fake_profiler.history, true);
}

/* Ways of several lengths, some of them often. */
static void fake_sample_with_callers(unsigned int i, uint64_t offset)
{
	struct oprof_frame leaf = {.image = 1 + !(i % 2),
				   .mode = i % 2 ? OPROF_MODE_USER : OPROF_MODE_KERNEL,
				   .offset = offset + i};
	struct oprof_frame callers[8];
	uint16_t nr = (uint16_t)(i % 5);

	for (uint16_t k = 0; k < nr; k++)
		callers[k] = (struct oprof_frame){.image = 1, .offset = 0x1000 * (k + 1u) + i % 3};
	fake_stack(0, &leaf, callers, nr, i % 7 ? 0 : OPROF_SAMPLE_CHAIN_BROKEN);
}

void fake_samples(unsigned int nr, uint64_t offset)
{
	fake.time_ns = fake_now.monotonic_ns;
	fake_cpu(0);
	fake_task(1, 1, 1, 0);
	for (unsigned int i = 0; fake_chain_depth && i < nr; i++)
		fake_sample_with_callers(i, offset);
	for (unsigned int i = 0; !fake_chain_depth && i < nr; i++)
		fake_sample(0, i % 2 ? OPROF_MODE_USER : OPROF_MODE_KERNEL, 1 + !(i % 2),
			    offset + i, 1000);
	fake_round();
}

void fake_minute(unsigned int nr, uint64_t offset)
{
	fake_pass(MINUTE_NS);
	fake_samples(nr, offset);
}

const struct history *fake_history(void)
{
	return &fake_profiler.history;
}

uint64_t fake_counter(unsigned int counter)
{
	return fake_session.stats.values[counter];
}

uint64_t fake_stacks_lost(void)
{
	return fake_counter(STATS_STACKS_LOST_DISK) + fake_counter(STATS_STACKS_LOST_FILE) +
	       fake_counter(STATS_STACKS_LOST_MEMORY);
}

/* What the trees hold is what was counted, and every stored sample's stack is in them or lost. */
static void fake_stacks_conserved(void)
{
	struct stack_sum sum;
	struct diag diag;

	diag_clear(&diag);
	ck_assert_msg(!stack_sum_init(&sum, "samples/current", &diag), "%s", diag_show(&diag));
	ck_assert_uint_eq(sum.nr_samples,
			  fake_counter(STATS_STACKS_STORED) - fake_counter(STATS_EXPIRED_STACKS));
	if (fake_chain_depth)
		ck_assert_uint_eq(fake_counter(STATS_STACKS_STORED) + fake_stacks_lost(),
				  fake_counter(STATS_STORED));
	stack_sum_deinit(&sum);
}

void fake_history_conserved(void)
{
	struct recount sums;

	ck_assert_int_eq(recount_session("samples/current", &sums), 0);
	ck_assert_uint_eq(stats_accounted(&fake_session.stats), fake_counter(STATS_SEEN));
	ck_assert_uint_eq(sums.stored + sums.idle, fake_counter(STATS_STORED) +
							   fake_counter(STATS_IDLE) -
							   fake_counter(STATS_EXPIRED));
	ck_assert_uint_eq(sums.idle, fake_counter(STATS_IDLE) - fake_counter(STATS_EXPIRED_IDLE));
	fake_stacks_conserved();
	ck_assert_uint_eq(sums.weight,
			  fake_counter(STATS_WEIGHT_STORED) - fake_counter(STATS_EXPIRED_WEIGHT));
}
