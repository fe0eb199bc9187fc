// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/import_events.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define NR_MAX 32u

static struct event_choice choices[NR_MAX];

/* Chooses names for nr events of the same period. */
static void choose(char *const *names, size_t nr, unsigned int type)
{
	struct perf_file_event events[NR_MAX];
	const struct perf_file file = {.events = events, .nr_events = nr};

	for (size_t i = 0; i < nr; i++)
		events[i] = (struct perf_file_event){
			.attr = {.type = type, .freq = 1, .sample_freq = 100}, .name = names[i]};
	import_events_choose(&file, choices);
}

static void expect_name(const char *name, unsigned int type, const char *expected)
{
	char *given = name ? strdup(name) : NULL;

	choose(&given, 1, type);
	ck_assert_str_eq(choices[0].name, expected);
	free(given);
}

START_TEST(an_event_has_its_name_without_modifiers)
{
	expect_name("cpu-clock:pppH", PERF_TYPE_SOFTWARE, "cpu-clock");
	expect_name("cycles", PERF_TYPE_HARDWARE, "cycles");
	expect_name("cpu/event=0x3c/u", PERF_TYPE_RAW, "cpu-event=0x3c-u");
	expect_name("ix86arch::UNHALTED:u", PERF_TYPE_RAW, "ix86arch::UNHALTED");
	expect_name("sched:sched_switch", PERF_TYPE_TRACEPOINT, "sched:sched_switch");
	expect_name("sched:sched_switch:u", PERF_TYPE_TRACEPOINT, "sched:sched_switch");
	expect_name("probe:Dup", PERF_TYPE_TRACEPOINT, "probe:Dup");
	expect_name("probe:p", PERF_TYPE_TRACEPOINT, "probe:p");
	expect_name(":u", PERF_TYPE_HARDWARE, "event0");
	expect_name("", PERF_TYPE_HARDWARE, "event0");
	expect_name(NULL, PERF_TYPE_HARDWARE, "event0");
}
END_TEST

static void expect_all_different(size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(choices[i].name, choices[j].name);
}

/* Among them are names as the numbers make them, and names as long as they may be. */
START_TEST(events_of_the_same_name_and_period_get_different_names)
{
	static char names[][100] = {"a-2", "a", "a", "a-3", "a:u", "a-2"};
	char *all[NR_MAX];
	char longest[100];

	for (size_t i = 0; i < 6; i++)
		all[i] = names[i];
	choose(all, 6, PERF_TYPE_HARDWARE);
	expect_all_different(6);
	ck_assert_str_eq(choices[0].name, "a-2");
	ck_assert_str_eq(choices[1].name, "a");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	for (size_t i = 0; i < NR_MAX; i++)
		all[i] = longest;
	choose(all, NR_MAX, PERF_TYPE_HARDWARE);
	expect_all_different(NR_MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("import_events");
	TCase *tests = tcase_create("import_events");

	tcase_add_test(tests, an_event_has_its_name_without_modifiers);
	tcase_add_test(tests, events_of_the_same_name_and_period_get_different_names);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
