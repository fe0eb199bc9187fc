// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/run/operf_options.h"

#include "tests/fixture/control_test.h"

#include <errno.h>
#include <unistd.h>

static struct operf_options options;

/* words: separated by blanks. */
static int parse(const char *words)
{
	static char copy[256];
	const char *argv[32] = {"operf"};
	char *rest = NULL;
	int argc = 1;

	(void)snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	return operf_options_parse(&options, argc, argv, &diag);
}

static void assert_parses(const char *words)
{
	ck_assert_msg(!parse(words), "%s", diag_show(&diag));
}

START_TEST(a_command_keeps_its_own_options)
{
	assert_parses("-F 99 ls -l --event=x -p");
	ck_assert_str_eq(options.command[0], "ls");
	ck_assert_str_eq(options.command[1], "-l");
	ck_assert_str_eq(options.command[2], "--event=x");
	ck_assert_str_eq(options.command[3], "-p");
	ck_assert_ptr_null(options.command[4]);
	ck_assert_uint_eq(options.sampling.hz, 99);
	ck_assert_uint_eq(options.sampling.nr_events, 0);
	operf_options_deinit(&options);
}
END_TEST

START_TEST(two_dashes_end_the_options)
{
	assert_parses("-a -- -odd name");
	ck_assert(options.append);
	ck_assert_str_eq(options.command[0], "-odd");
	ck_assert_str_eq(options.command[1], "name");
	operf_options_deinit(&options);
}
END_TEST

START_TEST(defaults_are_those_of_one_run)
{
	assert_parses("true");
	ck_assert_str_eq(options.session_dir, "./oprofile_data");
	ck_assert_uint_eq(options.sampling.separation, SAMPLING_SEPARATE_LIB);
	ck_assert(!options.append && !options.system && !options.verbose);
	ck_assert_uint_eq(options.sampling.depth, 0);
	operf_options_deinit(&options);
}
END_TEST

START_TEST(options_are_read)
{
	assert_parses("-g -t -c -V -d x -d y -e a:1,b -e c --separate=kernel --sample-pages=8 -s "
		      "--unwind=tables --stack-bytes=4096");
	ck_assert_int_eq(options.sampling.unwind, SAMPLING_UNWIND_TABLES);
	ck_assert_uint_eq(options.sampling.stack_bytes, 4096);
	ck_assert(options.system && options.verbose);
	ck_assert_str_eq(options.session_dir, "y");
	ck_assert_uint_eq(options.sampling.nr_events, 3);
	ck_assert_uint_eq(options.sampling.depth, OPERF_CHAIN_DEPTH);
	ck_assert_uint_eq(options.sampling.separation,
			  SAMPLING_SEPARATE_LIB | SAMPLING_SEPARATE_KERNEL |
				  SAMPLING_SEPARATE_THREAD | SAMPLING_SEPARATE_CPU);
	ck_assert_uint_eq(options.sample_pages, 8);
	ck_assert_ptr_null(options.command);
	operf_options_deinit(&options);
}
END_TEST

START_TEST(processes_are_a_list)
{
	assert_parses("-p 12,13 --pid=14");
	ck_assert_uint_eq(options.nr_pids, 3);
	ck_assert_int_eq(options.pids[0], 12);
	ck_assert_int_eq(options.pids[2], 14);
	operf_options_deinit(&options);
}
END_TEST

static const struct {
	const char *words, *session_dir;
	unsigned int seconds;
} durations[] = {
	{"-s -d 5", "./oprofile_data", 5},
	{"-s -d 5 -d folder", "folder", 5},
	{"-p 1 -d ./5", "./5", 0},
	{"-s --session-dir=5 --duration=31622400", "5", 31622400},
	{"-s -d 86400", "./oprofile_data", 86400},
	{"-s -d 5s", "5s", 0},
	{"true", "./oprofile_data", 0},
};

START_TEST(d_is_a_duration_if_it_is_a_number_and_a_folder_otherwise)
{
	assert_parses(durations[_i].words);
	ck_assert_str_eq(options.session_dir, durations[_i].session_dir);
	ck_assert_uint_eq(options.seconds, durations[_i].seconds);
	operf_options_deinit(&options);
}
END_TEST

START_TEST(a_number_that_is_a_folder_is_refused)
{
	test_dir_set_up();
	ck_assert_int_eq(chdir(test_dir), 0);
	test_put("77/file", "");
	ck_assert_int_eq(parse("-s -d 77"), -EINVAL);
	assert_has(diag.text, "--session-dir=77 or --duration=77");
	operf_options_deinit(&options);
	assert_parses("-s -d 76");
	operf_options_deinit(&options);
	ck_assert_int_eq(chdir("/"), 0);
	test_dir_tear_down();
}
END_TEST

START_TEST(the_machine_is_profiled_while_a_command_runs)
{
	assert_parses("-s -- sleep 5");
	ck_assert(options.system);
	ck_assert_str_eq(options.command[0], "sleep");
	ck_assert_str_eq(options.command[1], "5");
	operf_options_deinit(&options);
}
END_TEST

START_TEST(oprof_run_is_told_from_operf)
{
	const char *argv[] = {"oprof run", "true", NULL};

	ck_assert_int_eq(operf_options_parse(&options, 2, argv, &diag), 0);
	ck_assert(options.is_verb);
	operf_options_deinit(&options);
	assert_parses("true");
	ck_assert(!options.is_verb);
	operf_options_deinit(&options);
}
END_TEST

static const struct {
	const char *words, *message;
} bad[] = {
	{"", "nothing to profile"},
	{"-F 99", "nothing to profile"},
	{"-a", "(-a of perf), use -s"},
	{"-p 1 true", "-p cannot be combined with a command"},
	{"-s -p 1", "-p cannot be combined with -s"},
	{"-s -p 1 true", "-p cannot be combined with a command"},
	{"-d 5 true", "timeout 5 operf COMMAND"},
	{"-s -d 5 true", "-d ./5"},
	{"-s -d 0", "--session-dir=0 or --duration=0"},
	{"-s -d 86401", "1 to 86400 seconds"},
	{"-s -d 20240131", "--session-dir=20240131"},
	{"-s -d 99999999999999999999", "may mean a folder"},
	{"-s --duration=0", "\"0\" is not a duration"},
	{"-s --duration=0x10", "\"0x10\" is not a duration"},
	{"-s --duration=31622401", "1 to 31622400 seconds"},
	{"-s --duration=x", "\"x\" is not a duration"},
	{"-s -d", "missing argument"},
	{"-p 0", "\"0\" is not a process id"},
	{"-p 1,x", "\"x\" is not a process id"},
	{"-p 1,", "\"\" is not a process id"},
	{"-p 99999999999999999999", "is not a process id"},
	{"-p 7,7", "process 7 is given twice"},
	{"--nonsense", "--nonsense"},
	{"-F", "missing argument"},
	{"-F 0 true", "is not a frequency"},
	{"--callgraph=x true", "is not a call graph depth"},
	{"--unwind=x true", "is not one of auto"},
	{"--stack-bytes=x true", "is invalid; use a number"},
	{"--separate=x true", "\"x\" is not a separation"},
	{"--session-dir= true", "--session-dir requires"},
	{"--sample-pages=3 true", "power of two"},
	{"--sample-pages=0 true", "power of two"},
	{"-e a,,b true", "an event is empty"},
	{"-e", "missing argument"},
};

START_TEST(bad_command_lines_say_what_is_wrong)
{
	ck_assert_int_eq(parse(bad[_i].words), -EINVAL);
	assert_has(diag.text, bad[_i].message);
	operf_options_deinit(&options);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("operf_options");

	tcase_add_test(cases, a_command_keeps_its_own_options);
	tcase_add_test(cases, two_dashes_end_the_options);
	tcase_add_test(cases, defaults_are_those_of_one_run);
	tcase_add_test(cases, options_are_read);
	tcase_add_test(cases, processes_are_a_list);
	tcase_add_loop_test(cases, d_is_a_duration_if_it_is_a_number_and_a_folder_otherwise, 0,
			    sizeof(durations) / sizeof(durations[0]));
	tcase_add_test(cases, a_number_that_is_a_folder_is_refused);
	tcase_add_test(cases, the_machine_is_profiled_while_a_command_runs);
	tcase_add_test(cases, oprof_run_is_told_from_operf);
	tcase_add_loop_test(cases, bad_command_lines_say_what_is_wrong, 0,
			    sizeof(bad) / sizeof(bad[0]));
	return test_run(cases);
}
