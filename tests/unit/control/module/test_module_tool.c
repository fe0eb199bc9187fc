// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/module/module_tool.h"

#include "tests/fixture/control_test.h"

#include <sys/stat.h>

static struct module_answer answer;

/* Run a script instead of oprof-module, with words as its arguments. */
static void run(const char *script, const char *const *words)
{
	static const char *const load[] = {"load", NULL};
	char path[256];

	test_put("tool", script);
	(void)snprintf(path, sizeof(path), "%s/tool", test_dir);
	ck_assert_int_eq(chmod(path, 0700), 0);
	memset(&answer, 0xff, sizeof(answer));
	module_tool_run_program(path, words ? words : load, &answer);
}

START_TEST(a_path_is_the_answer_of_what_works)
{
	run("#!/bin/sh\necho path /a/oprof.ko\n", NULL);
	ck_assert(answer.works);
	ck_assert_str_eq(answer.path, "/a/oprof.ko");
	run("#!/bin/sh\nexit 0\n", NULL);
	ck_assert(answer.works);
	ck_assert_str_eq(answer.path, "");
}
END_TEST

START_TEST(a_refusal_comes_with_reason_and_remedy)
{
	run("#!/bin/sh\necho reason no 'headers;' x\necho remedy apt-get install y\nexit 1\n",
	    NULL);
	ck_assert(!answer.works);
	ck_assert_str_eq(answer.reason, "no headers; x");
	ck_assert_str_eq(answer.remedy, "apt-get install y");
	run("#!/bin/sh\nprintf 'reason a\\tb\\n'\nexit 1\n", NULL);
	ck_assert_str_eq(answer.reason, "a b");
	ck_assert_str_eq(answer.remedy, "");
}
END_TEST

START_TEST(whatever_goes_wrong_with_the_tool_is_a_reason)
{
	static const char *const load[] = {"load", NULL};

	run("#!/bin/sh\nexit 3\n", NULL);
	ck_assert(!answer.works);
	assert_has(answer.reason, "without reporting a reason");
	run("#!/bin/sh\nkill -9 $$\n", NULL);
	ck_assert(!answer.works);
	assert_has(answer.reason, "signal 9");
	run("#!/nowhere/sh\n", NULL);
	ck_assert(!answer.works);
	assert_has(answer.reason, "/tool: No such file");
	module_tool_run_program("/nowhere/tool", load, &answer);
	ck_assert(!answer.works);
	assert_has(answer.reason, "cannot run /nowhere/tool");
}
END_TEST

START_TEST(all_words_are_handed_on_and_lines_are_asked_for)
{
	static const char *const words[] = {"status", "--root", "/x y", "--no-build", NULL};

	run("#!/bin/sh\necho path \"$#:$1:$2:$3:$4:$5\"\n", words);
	ck_assert_str_eq(answer.path, "5:status:--root:/x y:--no-build:--lines");
}
END_TEST

START_TEST(an_endless_answer_is_cut_and_waited_for)
{
	run("#!/bin/sh\necho reason first\ni=0\nwhile [ $i -lt 20000 ]; do echo x y; i=$((i + 1)); "
	    "done\nexit 1\n",
	    NULL);
	ck_assert(!answer.works);
	ck_assert_str_eq(answer.reason, "first");
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("module_tool");

	tcase_add_checked_fixture(cases, test_dir_set_up, test_dir_tear_down);
	tcase_add_test(cases, a_path_is_the_answer_of_what_works);
	tcase_add_test(cases, a_refusal_comes_with_reason_and_remedy);
	tcase_add_test(cases, whatever_goes_wrong_with_the_tool_is_a_reason);
	tcase_add_test(cases, all_words_are_handed_on_and_lines_are_asked_for);
	tcase_add_test(cases, an_endless_answer_is_cut_and_waited_for);
	return test_run(cases);
}
