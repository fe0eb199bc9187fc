// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/progress.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/terminal.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void expect_shown(int master, const char *expected)
{
	char shown[512];

	(void)terminal_take(master, shown, sizeof(shown));
	ck_assert_str_eq(shown, expected);
}

START_TEST(nothing_is_shown_in_the_first_second)
{
	int master = terminal_become_stderr();
	struct progress progress;

	progress_begin(&progress, "reading", 10);
	progress.next_ns = UINT64_MAX; /* the second is not over */
	progress_step(&progress, 1, "x");
	progress_end(&progress);
	expect_shown(master, "");
}
END_TEST

START_TEST(later_a_line_tells_how_far_it_is_and_goes_at_the_end)
{
	int master = terminal_become_stderr();
	struct progress progress;

	progress_begin(&progress, "reading", 10);
	progress.next_ns = 0;
	progress_step(&progress, 3, "/bin/x");
	expect_shown(master, "\r\033[Kreading 3/10 /bin/x");
	progress_step(&progress, 4, "/bin/y");
	expect_shown(master, "");
	progress_end(&progress);
	expect_shown(master, "\r\033[K");
	progress_end(&progress);
	expect_shown(master, "");
}
END_TEST

START_TEST(a_long_name_is_cut)
{
	int master = terminal_become_stderr();
	struct progress progress;
	char name[300] = "";
	char shown[512];

	memset(name, 'x', sizeof(name) - 1);
	progress_begin(&progress, "reading", 10);
	progress.next_ns = 0;
	progress_step(&progress, 3, name);
	ck_assert_uint_lt(terminal_take(master, shown, sizeof(shown)), 80);
	ck_assert_ptr_nonnull(strstr(shown, "reading 3/10 xxx"));
}
END_TEST

START_TEST(control_characters_in_a_name_are_not_shown)
{
	int master = terminal_become_stderr();
	struct progress progress;

	progress_begin(&progress, "reading", 10);
	progress.next_ns = 0;
	progress_step(&progress, 3, "a\033[2J\xc2\x9b\u202e\x9b\xff\n");
	expect_shown(master, "\r\033[Kreading 3/10 a?[2J?????");
}
END_TEST

START_TEST(nothing_is_shown_where_stderr_is_no_terminal)
{
	int pipes[2];
	struct progress progress;

	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(fcntl(pipes[0], F_SETFL, O_NONBLOCK), 0);
	ck_assert_int_eq(dup2(pipes[1], STDERR_FILENO), STDERR_FILENO);
	progress_begin(&progress, "reading", 10);
	progress.next_ns = 0;
	progress_step(&progress, 3, "x");
	progress_end(&progress);
	expect_shown(pipes[0], "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("progress");
	TCase *tests = tcase_create("progress");

	if (!terminal_works()) {
		puts("1..0 # SKIP no pseudo-terminals here: mount devpts");
		return EXIT_SUCCESS;
	}
	tcase_add_test(tests, nothing_is_shown_in_the_first_second);
	tcase_add_test(tests, later_a_line_tells_how_far_it_is_and_goes_at_the_end);
	tcase_add_test(tests, a_long_name_is_cut);
	tcase_add_test(tests, control_characters_in_a_name_are_not_shown);
	tcase_add_test(tests, nothing_is_shown_where_stderr_is_no_terminal);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
