// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/sampling.h"

#include "tests/fixture/control_test.h"

#include <errno.h>

static struct sampling sampling;
static struct daemon_args args;

static void set_up(void)
{
	diag_clear(&diag);
	sampling_init(&sampling);
	daemon_args_init(&args, DAEMON_PROFILER);
}

static void tear_down(void)
{
	sampling_deinit(&sampling);
	daemon_args_deinit(&args);
}

START_TEST(a_comma_list_adds_its_events)
{
	ck_assert_int_eq(sampling_add_events(&sampling, "a:1,b", &diag), 0);
	ck_assert_int_eq(sampling_add_events(&sampling, "c", &diag), 0);
	ck_assert_uint_eq(sampling.nr_events, 3);
	ck_assert_str_eq(sampling.events[0], "a:1");
	ck_assert_str_eq(sampling.events[1], "b");
	ck_assert_str_eq(sampling.events[2], "c");
	ck_assert_int_eq(sampling_add_events(&sampling, "a,,b", &diag), -EINVAL);
	ck_assert_int_eq(sampling_add_events(&sampling, "", &diag), -EINVAL);
}
END_TEST

START_TEST(separation_is_a_set_of_words)
{
	char text[SAMPLING_SEPARATION_BYTES];

	ck_assert_int_eq(sampling_set_separation(&sampling, "cpu,kernel", &diag), 0);
	sampling_format_separation(&sampling, text);
	ck_assert_str_eq(text, "lib,kernel,cpu");
	ck_assert_int_eq(sampling_set_separation(&sampling, "all", &diag), 0);
	sampling_format_separation(&sampling, text);
	ck_assert_str_eq(text, "lib,kernel,thread,cpu,cgroup");
	ck_assert_int_eq(sampling_set_separation(&sampling, "none", &diag), 0);
	sampling_format_separation(&sampling, text);
	ck_assert_str_eq(text, "none");
}
END_TEST

START_TEST(bad_separations_are_refused_and_change_nothing)
{
	static const char *const bad[] = {"", "none,lib", "lib,", "libs", "lib,none", "LIB"};

	ck_assert_int_eq(sampling_set_separation(&sampling, "thread", &diag), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(sampling_set_separation(&sampling, bad[i], &diag), -EINVAL);
	ck_assert_uint_eq(sampling.separation, SAMPLING_SEPARATE_THREAD);
}
END_TEST

START_TEST(frequency_and_depth_have_bounds)
{
	ck_assert_int_eq(sampling_set_hz(&sampling, "997", &diag), 0);
	ck_assert_uint_eq(sampling.hz, 997);
	ck_assert_int_eq(sampling_set_hz(&sampling, "0", &diag), -EINVAL);
	ck_assert_int_eq(sampling_set_hz(&sampling, "100001", &diag), -EINVAL);
	ck_assert_int_eq(sampling_set_hz(&sampling, "fast", &diag), -EINVAL);
	ck_assert_int_eq(sampling_set_depth(&sampling, "127", &diag), 0);
	ck_assert_uint_eq(sampling.depth, 127);
	ck_assert_int_eq(sampling_set_depth(&sampling, "128", &diag), -EINVAL);
	ck_assert_int_eq(sampling_set_depth(&sampling, "-1", &diag), -EINVAL);
}
END_TEST

START_TEST(the_daemon_is_told_everything)
{
	ck_assert_int_eq(sampling_add_events(&sampling, "cpu-clock,page-faults:100:0:0:1", &diag),
			 0);
	ck_assert_int_eq(sampling_set_separation(&sampling, "lib,thread", &diag), 0);
	ck_assert_int_eq(sampling_set_depth(&sampling, "5", &diag), 0);
	ck_assert_msg(!sampling_to_args(&sampling, 99, &args, &diag), "%s", diag_show(&diag));
	ck_assert_uint_eq(args.nr, 6);
	ck_assert_str_eq(args.args[0], "oprofiled");
	ck_assert_str_eq(args.args[1], "--event=cpu-clock::0x0:1:1");
	ck_assert_str_eq(args.args[2], "--event=page-faults:100:0x0:0:1");
	ck_assert_str_eq(args.args[3], "--frequency=99");
	ck_assert_str_eq(args.args[4], "--separate=lib,thread");
	ck_assert_str_eq(args.args[5], "--callgraph=5");
	ck_assert_ptr_null(args.args[6]);
}
END_TEST

START_TEST(the_daemon_is_told_how_to_unwind_only_where_it_was_chosen)
{
	ck_assert_int_eq(sampling_set_unwind(&sampling, "fp", &diag), 0);
	ck_assert_int_eq(sampling_set_stack_bytes(&sampling, "8192", &diag), 0);
	ck_assert_int_eq(sampling_set_unwind(&sampling, "lbr", &diag), -EINVAL);
	ck_assert_int_eq(sampling_set_stack_bytes(&sampling, "1000", &diag), -EINVAL);
	ck_assert_int_eq(sampling_set_stack_bytes(&sampling, "65529", &diag), -EINVAL);
	ck_assert_int_eq(sampling_to_args(&sampling, 997, &args, &diag), 0);
	ck_assert_str_eq(args.args[args.nr - 2], "--unwind=fp");
	ck_assert_str_eq(args.args[args.nr - 1], "--stack-bytes=8192");
	ck_assert_int_eq(sampling_set_stack_bytes(&sampling, "0", &diag), 0);
	ck_assert_int_eq(sampling_set_unwind(&sampling, "auto", &diag), 0);
	daemon_args_deinit(&args);
	daemon_args_init(&args, DAEMON_PROFILER);
	ck_assert_int_eq(sampling_to_args(&sampling, 997, &args, &diag), 0);
	ck_assert_uint_eq(args.nr, 4);
}
END_TEST

START_TEST(with_no_event_the_default_is_sampled_at_the_frequency)
{
	ck_assert_int_eq(sampling_set_hz(&sampling, "50", &diag), 0);
	ck_assert_int_eq(sampling_to_args(&sampling, 997, &args, &diag), 0);
	ck_assert(!strcmp(args.args[1], "--event=cpu-clock::0x0:1:1") ||
		  !strcmp(args.args[1], "--event=cycles::0x0:1:1"));
	ck_assert_str_eq(args.args[2], "--frequency=50");
	ck_assert_str_eq(args.args[3], "--separate=none");
}
END_TEST

START_TEST(an_event_asked_for_twice_is_refused)
{
	ck_assert_int_eq(
		sampling_add_events(&sampling, "cpu-clock:200000,cpu-clock:200000:0:0:1", &diag),
		0);
	ck_assert_int_eq(sampling_check(&sampling, 99, &diag), -EINVAL);
	assert_has(diag.text, "cpu-clock is given twice");
	sampling_clear_events(&sampling);
	ck_assert_int_eq(sampling_add_events(&sampling, "cpu-clock:200000,cpu-clock:300000", &diag),
			 0);
	ck_assert_int_eq(sampling_check(&sampling, 99, &diag), 0);
}
END_TEST

START_TEST(a_bad_event_adds_no_arguments)
{
	ck_assert_int_eq(sampling_add_events(&sampling, "cpu-clock,nonsense", &diag), 0);
	ck_assert_int_eq(sampling_to_args(&sampling, 99, &args, &diag), -ENOENT);
	assert_has(diag.text, "nonsense");
	ck_assert_uint_eq(args.nr, 1);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("sampling");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, a_comma_list_adds_its_events);
	tcase_add_test(cases, separation_is_a_set_of_words);
	tcase_add_test(cases, bad_separations_are_refused_and_change_nothing);
	tcase_add_test(cases, frequency_and_depth_have_bounds);
	tcase_add_test(cases, the_daemon_is_told_everything);
	tcase_add_test(cases, the_daemon_is_told_how_to_unwind_only_where_it_was_chosen);
	tcase_add_test(cases, with_no_event_the_default_is_sampled_at_the_frequency);
	tcase_add_test(cases, an_event_asked_for_twice_is_refused);
	tcase_add_test(cases, a_bad_event_adds_no_arguments);
	return test_run(cases);
}
