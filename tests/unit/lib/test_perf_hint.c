// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/perf_hint.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

static char text[PERF_HINT_BYTES];
static struct perf_hint_machine machine;

static void set_up(void)
{
	machine = (struct perf_hint_machine){.level_known = true,
					     .level = 2,
					     .max_sample_hz = 100000,
					     .mlock_kb = 516,
					     .memlock_kb = 8192,
					     .nr_cpus = 4};
}

static void assert_has(const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is not in \"%s\"", part, text);
}

static void assert_has_not(const char *part)
{
	ck_assert_msg(!strstr(text, part), "\"%s\" is in \"%s\"", part, text);
}

START_TEST(a_patched_kernel_is_told_to_go_to_level_two)
{
	machine.level = 3;
	perf_open_hint_on(&machine, -EACCES, PERF_HINT_OWN_USER, text, sizeof(text));
	assert_has("sudo sysctl kernel.perf_event_paranoid=2;");
	machine.level = 4;
	perf_open_hint_on(&machine, EPERM, PERF_HINT_OWN_USER, text, sizeof(text));
	assert_has("sudo sysctl kernel.perf_event_paranoid=2;");
}
END_TEST

START_TEST(the_whole_machine_needs_level_zero)
{
	perf_open_hint_on(&machine, EACCES, PERF_HINT_SYSTEM, text, sizeof(text));
	assert_has("sudo sysctl kernel.perf_event_paranoid=0;");
	assert_has("of the whole machine");
}
END_TEST

START_TEST(a_refusal_that_no_level_explains_blames_the_container)
{
	machine.level = -1;
	perf_open_hint_on(&machine, EACCES, PERF_HINT_SYSTEM, text, sizeof(text));
	assert_has_not("sysctl");
	assert_has("--cap-add PERFMON");
	machine.level = 2;
	machine.root = true;
	perf_open_hint_on(&machine, EACCES, PERF_HINT_OWN_USER, text, sizeof(text));
	assert_has_not("sysctl");
	assert_has("--cap-add PERFMON");
}
END_TEST

START_TEST(a_level_that_allows_it_already_is_no_remedy)
{
	perf_open_hint_on(&machine, EACCES, PERF_HINT_OWN_USER, text, sizeof(text));
	assert_has_not("sysctl");
	assert_has("--cap-add PERFMON");
	perf_open_hint_on(&machine, EACCES, PERF_HINT_OWN_KERNEL, text, sizeof(text));
	assert_has("sudo sysctl kernel.perf_event_paranoid=1;");
	machine.level = 1;
	perf_open_hint_on(&machine, EACCES, PERF_HINT_OWN_KERNEL, text, sizeof(text));
	assert_has_not("sysctl");
}
END_TEST

START_TEST(an_unknown_level_still_has_a_remedy)
{
	machine.level_known = false;
	perf_open_hint_on(&machine, EPERM, PERF_HINT_OWN_USER, text, sizeof(text));
	assert_has("sudo");
	perf_open_hint_on(&machine, ENOSYS, PERF_HINT_OWN_USER, text, sizeof(text));
	assert_has("CONFIG_PERF_EVENTS");
}
END_TEST

START_TEST(an_event_that_the_machine_lacks_has_a_stand_in)
{
	perf_open_hint_on(&machine, ENOENT, PERF_HINT_OWN_USER, text, sizeof(text));
	assert_has("-e cpu-clock");
}
END_TEST

START_TEST(too_many_open_files_are_told_with_the_limit_to_set)
{
	perf_open_hint_on(&machine, EMFILE, PERF_HINT_OWN_USER, text, sizeof(text));
	assert_has("4 CPUs");
	assert_has("ulimit -n");
}
END_TEST

START_TEST(locked_memory_is_told_in_kilobytes)
{
	perf_mmap_hint_on(&machine, EPERM, 255, text, sizeof(text));
	assert_has("1024 KB");
	assert_has("516 KB");
	assert_has("sudo sysctl kernel.perf_event_mlock_kb=2048");
}
END_TEST

START_TEST(every_error_gives_one_whole_line)
{
	for (int error = 1; error < 134; error++) {
		for (int level = -1; level < 5; level++) {
			machine.level = level;
			perf_open_hint_on(&machine, error, (enum perf_hint_scope)((level + 1) % 3),
					  text, sizeof(text));
			ck_assert_uint_gt(strlen(text), 10);
			ck_assert_uint_lt(strlen(text), sizeof(text) - 1);
			ck_assert_ptr_null(strchr(text, '\n'));
		}
		perf_mmap_hint_on(&machine, error, 64, text, sizeof(text));
		ck_assert_uint_gt(strlen(text), 10);
		ck_assert_uint_lt(strlen(text), sizeof(text) - 1);
	}
}
END_TEST

START_TEST(this_machine_is_read)
{
	perf_hint_machine_read(&machine);
	ck_assert_uint_ge(machine.nr_cpus, 1);
	perf_open_hint(EACCES, PERF_HINT_OWN_USER, true, text, sizeof(text));
	assert_has("container");
	perf_mmap_hint(EPERM, 64, text, sizeof(text));
	assert_has("locked memory");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_hint");
	TCase *tests = tcase_create("hint");

	tcase_add_checked_fixture(tests, set_up, NULL);
	tcase_add_test(tests, a_patched_kernel_is_told_to_go_to_level_two);
	tcase_add_test(tests, the_whole_machine_needs_level_zero);
	tcase_add_test(tests, a_refusal_that_no_level_explains_blames_the_container);
	tcase_add_test(tests, a_level_that_allows_it_already_is_no_remedy);
	tcase_add_test(tests, an_unknown_level_still_has_a_remedy);
	tcase_add_test(tests, an_event_that_the_machine_lacks_has_a_stand_in);
	tcase_add_test(tests, too_many_open_files_are_told_with_the_limit_to_set);
	tcase_add_test(tests, locked_memory_is_told_in_kilobytes);
	tcase_add_test(tests, every_error_gives_one_whole_line);
	tcase_add_test(tests, this_machine_is_read);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
