// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_describe.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <string.h>

START_TEST(a_clock_that_began_before_1970_is_told_so)
{
	struct ctf_clock clock = {.freq_hz = 1000000000};

	/* A board without a battery-backed clock: its calendar begins in 1970 at boot. */
	trace_describe_origin(&clock, -1031134646);
	ck_assert_int_eq(clock.offset_s, -2);
	ck_assert_uint_eq(clock.offset, 968865354);
	trace_describe_origin(&clock, -3000000000);
	ck_assert_int_eq(clock.offset_s, -3);
	ck_assert_uint_eq(clock.offset, 0);
}
END_TEST

START_TEST(the_rest_of_a_second_is_ticks_of_the_clock)
{
	struct ctf_clock clock = {.freq_hz = 62500000};

	trace_describe_origin(&clock, 1764000000500000000);
	ck_assert_int_eq(clock.offset_s, 1764000000);
	ck_assert_uint_eq(clock.offset, 31250000);
}
END_TEST

static const struct ctf_env *find(const struct trace_describe *describe, const char *name)
{
	for (unsigned int i = 0; i < describe->nr_envs; i++)
		if (!strcmp(describe->envs[i].name, name))
			return &describe->envs[i];
	return NULL;
}

/* Readers depend on these names. */
START_TEST(whose_names_and_fields_events_have_is_told_with_the_machine)
{
	struct trace_describe describe;

	trace_describe_machine(&describe, 0);
	ck_assert_str_eq(find(&describe, "domain")->text, "kernel");
	ck_assert_str_eq(find(&describe, "sysname")->text, "Linux");
	ck_assert_str_eq(find(&describe, "kernel_release")->text, describe.machine.release);
	ck_assert_str_eq(find(&describe, "kernel_version")->text, describe.machine.version);
	ck_assert_str_eq(find(&describe, "hostname")->text, describe.machine.nodename);
	ck_assert_str_eq(find(&describe, "tracer_name")->text, "lttng-modules");
	ck_assert_int_eq(find(&describe, "tracer_major")->number, 2);
	ck_assert_int_eq(find(&describe, "tracer_minor")->number, 13);
	ck_assert_int_eq(find(&describe, "tracer_patchlevel")->number, 0);
	ck_assert_int_eq(find(&describe, "architecture_bit_width")->number, 8 * sizeof(long));
	ck_assert_str_eq(find(&describe, "oprof_version")->text, OPROF_VERSION);
	ck_assert_str_eq(find(&describe, "oprof_source")->text, "perf");
	ck_assert_ptr_null(find(&describe, "oprof_sample_hz"));
	trace_describe_machine(&describe, 99);
	ck_assert_int_eq(find(&describe, "oprof_sample_hz")->number, 99);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_describe");

	tcase_add_test(tests, a_clock_that_began_before_1970_is_told_so);
	tcase_add_test(tests, the_rest_of_a_second_is_ticks_of_the_clock);
	tcase_add_test(tests, whose_names_and_fields_events_have_is_told_with_the_machine);
	return test_run(tests);
}
