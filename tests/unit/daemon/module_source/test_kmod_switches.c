// SPDX-License-Identifier: GPL-2.0-or-later
/* The switches of all CPUs in order of time. test_kmod_state has those of a stream. */
#include "daemon/module_source/kmod_switches.h"

#include "tests/fixture/record_catcher.h"
#include "tests/fixture/run_suite.h"

static struct kmod_switches switches;
static struct record_writer writer;
static struct record_catcher catcher;

static void setup(void)
{
	record_catcher_init(&catcher);
	ck_assert_int_eq(record_writer_init(&writer, &catcher.sink), 0);
	kmod_switches_init(&switches);
}

static void teardown(void)
{
	kmod_switches_deinit(&switches);
	record_writer_deinit(&writer);
}

static void put(uint64_t time_ns)
{
	const struct kmod_switch item = {
		.time_ns = time_ns,
		.from = {.told = {.tgid = 1, .tid = 1}},
		.to = {.told = {.tgid = 2, .tid = 2}},
	};

	kmod_switches_add(&switches, &item);
}

static void expect_switch(unsigned int nth, uint64_t time_ns)
{
	const struct oprof_switch *record = record_catcher_find(&catcher, OPROF_RECORD_SWITCH, nth);

	if (!record)
		ck_abort_msg("no switch %u", nth);
	ck_assert_uint_eq(record->time_ns, time_ns);
}

static void expect_loss(unsigned int nth, uint64_t time_ns)
{
	const struct oprof_switches_lost *record =
		record_catcher_find(&catcher, OPROF_RECORD_SWITCHES_LOST, nth);

	if (!record)
		ck_abort_msg("no loss %u", nth);
	ck_assert_uint_eq(record->time_ns, time_ns);
}

/* Stopping begins before the switches of starting were reported. */
START_TEST(of_two_ranges_that_are_ignored_no_switch_is_reported)
{
	put(14);
	put(17);
	put(19);
	put(20);
	kmod_switches_ignore(&switches, 13, 16);
	kmod_switches_ignore(&switches, 18, 20);
	kmod_switches_tell(&switches, &writer, UINT64_MAX);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SWITCH), 2);
	expect_switch(0, 17);
	expect_switch(1, 20);
	expect_loss(0, 13);
	expect_loss(1, 18);
}
END_TEST

START_TEST(a_switch_that_comes_after_its_range_was_reached_is_ignored)
{
	kmod_switches_ignore(&switches, 13, 16);
	kmod_switches_tell(&switches, &writer, 14);
	put(15);
	put(16);
	kmod_switches_tell(&switches, &writer, UINT64_MAX);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SWITCH), 1);
	expect_switch(0, 16);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kmod_switches");
	TCase *tests = tcase_create("kmod_switches");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, of_two_ranges_that_are_ignored_no_switch_is_reported);
	tcase_add_test(tests, a_switch_that_comes_after_its_range_was_reached_is_ignored);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
